/* SPDX-License-Identifier: MIT
 *
 * search_tmpl.h - finding NaNs, and a given value, among elements of one type. Included by type_tmpl.h.
 * No include guard. */

#if defined(KIND_COMPLEX_TYPE)
#define ELEMENT_IS_NAN(e) ((e).re != (e).re || (e).im != (e).im)
#elif defined(KIND_REAL_TYPE)
#define ELEMENT_IS_NAN(e) ((e).v != (e).v)
#endif

#if defined(ELEMENT_IS_NAN)
static void TYPE_NAME(mask_nan)(const void *elements, size_t n, unsigned char *mask)
{
    const STORAGE *x = elements;
    for (size_t i = 0; i < n; i++) {
        struct TYPE_NAME(element) e = TYPE_NAME(load)(x, i);
        if (ELEMENT_IS_NAN(e)) mask[i] = 0;
    }
}

static int TYPE_NAME(any_nan)(const void *elements, size_t n)
{
    const STORAGE *x = elements;
    int any = 0;
    for (size_t i = 0; i < n; i++) {
        struct TYPE_NAME(element) e = TYPE_NAME(load)(x, i);
        any |= ELEMENT_IS_NAN(e);
    }
    return any;
}
#endif

#if !defined(KIND_COMPLEX_TYPE)
/* Searched without a branch for each element: a loop over vectors. */
#define FIND_BLOCK 64

static size_t TYPE_NAME(find)(const void *elements, size_t n, const struct fold_value *value)
{
    const STORAGE *x = elements;
    size_t i = 0;
#if defined(KIND_REAL_TYPE)
    const REAL wanted = (REAL)value->part[0].real;
    const int nan = wanted != wanted;
#define IS_WANTED(e) (((e).v == wanted) | (nan & ELEMENT_IS_NAN(e)))
#elif defined(KIND_BOOLEAN_TYPE)
    const int wanted = value->part[0].integer != 0;
#define IS_WANTED(e) (((e).v != 0) == wanted)
#else
    const STORAGE wanted = (STORAGE)value->part[0].integer;
#define IS_WANTED(e) ((e).v == wanted)
#endif
    for (; n - i >= FIND_BLOCK; i += FIND_BLOCK) {
        int any = 0;
        for (size_t k = 0; k < FIND_BLOCK; k++) {
            struct TYPE_NAME(element) e = TYPE_NAME(load)(x, i + k);
            any |= IS_WANTED(e);
        }
        if (any) break;
    }
    for (; i < n; i++) {
        struct TYPE_NAME(element) e = TYPE_NAME(load)(x, i);
        if (IS_WANTED(e)) return i;
    }
    return n;
}
#undef IS_WANTED
#undef FIND_BLOCK
#endif

#if !defined(KIND_COMPLEX_TYPE)
#if defined(KIND_REAL_TYPE)
#define BEST REAL
#define BEST_VALUE(e) (e).v
#define IMPROVES(v, best, largest) (((largest) ? (v) > (best) : (v) < (best)) || ((v) != (v) && (best) == (best)))
#else
#define BEST STORAGE
#if defined(KIND_BOOLEAN_TYPE)
#define BEST_VALUE(e) ((e).v != 0)
#else
#define BEST_VALUE(e) (e).v
#endif
#define IMPROVES(v, best, largest) ((largest) ? (v) > (best) : (v) < (best))
#endif

/* One row of a tile, with the first one's number: all columns take it there. */
ALWAYS_INLINE void TYPE_NAME(best_row)(struct best_columns *columns, const STORAGE *x, int64_t stride, int32_t row,
                                       int64_t count, int largest)
{
    BEST *restrict best = (BEST *)(void *)columns->best;
    int32_t *restrict place = columns->place;
    for (int64_t c = 0; c < count; c++) {
        struct TYPE_NAME(element) e = TYPE_NAME(load)(x, (size_t)(c * stride));
        const BEST v = BEST_VALUE(e);
        const int better = row == 0 || IMPROVES(v, best[c], largest);
        best[c] = better ? v : best[c];
        place[c] = better ? row : place[c];
    }
}

static void TYPE_NAME(best_columns)(struct best_columns *best, const void *elements,
                                    const struct column_strides *strides, int32_t first, int64_t rows, int64_t columns,
                                    int largest)
{
    const STORAGE *x = elements;
    for (int64_t r = 0; r < rows; r++, x += strides->row) {
        const int32_t row = first + (int32_t)r;
        if (strides->column != 1) TYPE_NAME(best_row)(best, x, strides->column, row, columns, largest);
        else if (row == 0) TYPE_NAME(best_row)(best, x, 1, 0, columns, largest);
        else if (largest) TYPE_NAME(best_row)(best, x, 1, row, columns, 1);
        else TYPE_NAME(best_row)(best, x, 1, row, columns, 0);
    }
}
#undef BEST
#undef BEST_VALUE
#undef IMPROVES
#endif
#undef ELEMENT_IS_NAN
