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
static size_t TYPE_NAME(find)(const void *elements, size_t n, const struct fold_value *value)
{
    const STORAGE *x = elements;
#if defined(KIND_REAL_TYPE)
    REAL wanted = (REAL)value->part[0].real;
    int nan = wanted != wanted;
#elif defined(KIND_BOOLEAN_TYPE)
    int wanted = value->part[0].integer != 0;
#else
    STORAGE wanted = (STORAGE)value->part[0].integer;
#endif
    for (size_t i = 0; i < n; i++) {
        struct TYPE_NAME(element) e = TYPE_NAME(load)(x, i);
#if defined(KIND_REAL_TYPE)
        if (nan ? ELEMENT_IS_NAN(e) : e.v == wanted) return i;
#elif defined(KIND_BOOLEAN_TYPE)
        if ((e.v != 0) == wanted) return i;
#else
        if (e.v == wanted) return i;
#endif
    }
    return n;
}
#endif
#undef ELEMENT_IS_NAN
