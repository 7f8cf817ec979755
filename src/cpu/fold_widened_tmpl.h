/* SPDX-License-Identifier: MIT
 *
 * fold_widened_tmpl.h - of fold_program_tmpl.h: sums of powers on a narrow float, or on bool. Elements become f32 or
 * i8, a leaf at a time, and go through the kernels of that type: powers take much longer than this. No include guard.
 */

#if defined(KIND_REAL_TYPE)
#define WIDENED_STORAGE float
#define WIDENED_VALUE(e) (e).v
#define WIDENED(name) PROGRAM_EXPAND(name, LIFT, COMBINE, f32)
#else
#define WIDENED_STORAGE signed char
#define WIDENED_VALUE(e) INTEGER_VALUE(e)
#define WIDENED(name) PROGRAM_EXPAND(name, LIFT, COMBINE, i8)
#endif

/* That type may come later in each_type.h. */
static void WIDENED(open)(struct lanes *lanes);
static void WIDENED(run)(struct lanes *lanes, size_t offset, const void *elements, const void *others, size_t n,
                         struct modulus modulus);
static void WIDENED(run_masked)(struct lanes *lanes, size_t offset, const void *x, const void *y,
                                const unsigned char *mask, size_t n, struct modulus modulus);
static void WIDENED(close)(const struct lanes *lanes, struct fold_value *value, struct modulus modulus);
static void WIDENED(tile_open)(struct tile_lanes *lanes, int64_t rows, int64_t columns, const void *first);
static int WIDENED(tile_run)(struct tile_lanes *lanes, size_t offset, const struct tile_rows *rows);
static void WIDENED(tile_close)(struct tile_lanes *lanes, int64_t rows, int64_t columns, double *totals);
static void WIDENED(tile_logarithms)(double *restrict totals, int64_t columns);

ALWAYS_INLINE void PROGRAM_NAME(widen)(WIDENED_STORAGE *restrict to, const STORAGE *restrict x, size_t stride, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct TYPE_NAME(element) e = TYPE_NAME(load)(x, i * stride);
        to[i] = WIDENED_VALUE(e);
    }
}

static void PROGRAM_NAME(run)(struct lanes *lanes, size_t offset, const void *x, const void *y, size_t n,
                              struct modulus modulus)
{
    WIDENED_STORAGE room[TREE_LEAF];
    (void)y;
    PROGRAM_NAME(widen)(room, x, 1, n);
    WIDENED(run)(lanes, offset, room, NULL, n, modulus);
}

static void PROGRAM_NAME(run_masked)(struct lanes *lanes, size_t offset, const void *x, const void *y,
                                     const unsigned char *mask, size_t n, struct modulus modulus)
{
    WIDENED_STORAGE room[TREE_LEAF];
    (void)y;
    PROGRAM_NAME(widen)(room, x, 1, n);
    WIDENED(run_masked)(lanes, offset, room, NULL, mask, n, modulus);
}

static void PROGRAM_NAME(tile_open)(struct tile_lanes *lanes, int64_t rows, int64_t columns, const void *first)
{
    WIDENED_STORAGE widened;
    if (first) PROGRAM_NAME(widen)(&widened, first, 1, 1);
    WIDENED(tile_open)(lanes, rows, columns, first ? &widened : NULL);
}

static int PROGRAM_NAME(tile_run)(struct tile_lanes *lanes, size_t offset, const struct tile_rows *rows)
{
    const int64_t columns = rows->columns, most = TREE_LEAF / columns;
    const struct column_strides from = rows->x_strides;
    WIDENED_STORAGE room[TREE_LEAF];
    int near = 1;
    for (int64_t first = 0, n; first < rows->rows; first += n) {
        n = rows->rows - first < most ? rows->rows - first : most;
        for (int64_t r = 0; r < n; r++) {
            const STORAGE *x = (const STORAGE *)rows->x + (first + r) * from.row;
            WIDENED_STORAGE *to = room + r * columns;
            if (from.column == 1) PROGRAM_NAME(widen)(to, x, 1, (size_t)columns);
            else PROGRAM_NAME(widen)(to, x, (size_t)from.column, (size_t)columns);
        }
        const struct tile_rows widened = {.x = room, .x_strides = {columns, 1}, .rows = n, .columns = columns};
        near &= WIDENED(tile_run)(lanes, offset + (size_t)first, &widened);
    }
    return near;
}

static const struct fold_kernels PROGRAM_NAME(kernels) = {
    .open = WIDENED(open),
    .run = PROGRAM_NAME(run),
    .run_masked = PROGRAM_NAME(run_masked),
    .close = WIDENED(close),
    .tile_open = PROGRAM_NAME(tile_open),
    .tile_run = PROGRAM_NAME(tile_run),
    .tile_close = WIDENED(tile_close),
    .tile_logarithms = WIDENED(tile_logarithms),
};

#undef WIDENED_STORAGE
#undef WIDENED_VALUE
#undef WIDENED
