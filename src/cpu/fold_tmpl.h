/* SPDX-License-Identifier: MIT
 *
 * fold_tmpl.h - FOLD_TEMPLATE of kernels.c: one program's kernels on one type. No include guard.
 *
 * Lanes are kept as LANE[PARTS][TREE_LANES], so that the loops over them are loops over vectors. */

struct PROGRAM_NAME(lane) {
    LANE part[PARTS];
};

struct PROGRAM_NAME(wide) {
    WIDE part[PARTS];
};

typedef LANE PROGRAM_NAME(lanes)[PARTS][TREE_LANES];

static void PROGRAM_NAME(open)(struct lanes *lanes)
{
    PROGRAM_NAME(lanes) *lane = (PROGRAM_NAME(lanes) *)(void *)lanes;
    struct PROGRAM_NAME(lane) s;
    IDENTITY(s);
    for (int p = 0; p < PARTS; p++) {
        for (int l = 0; l < TREE_LANES; l++) (*lane)[p][l] = s.part[p];
    }
}

ALWAYS_INLINE void PROGRAM_NAME(step)(PROGRAM_NAME(lanes) *restrict lane, size_t l, const STORAGE *restrict x,
                                      const STORAGE *restrict y, size_t i, struct modulus modulus)
{
    struct TYPE_NAME(element) ex = TYPE_NAME(load)(x, i), ey = TYPE_NAME(load)(y, i);
    struct PROGRAM_NAME(lane) a, b;
    (void)ey, (void)modulus;
    LIFTED(b, ex, ey);
    for (int p = 0; p < PARTS; p++) a.part[p] = (*lane)[p][l];
    COMBINED(a, b);
    for (int p = 0; p < PARTS; p++) (*lane)[p][l] = a.part[p];
}

#if defined(SUMS_POWERS)
#include "power_rows_tmpl.h"
#endif

static void PROGRAM_NAME(run)(struct lanes *lanes, size_t offset, const void *x, const void *y, size_t n,
                              struct modulus modulus)
{
    PROGRAM_NAME(lanes) *lane = (PROGRAM_NAME(lanes) *)(void *)lanes;
    size_t i = 0;
    if (!y) y = x;
    for (; i < n && (offset + i) % TREE_LANES != 0; i++)
        PROGRAM_NAME(step)(lane, (offset + i) % TREE_LANES, x, y, i, modulus);
#if defined(SUMS_POWERS)
    i += PROGRAM_NAME(near_rows)(lane, (const STORAGE *)x + i, (n - i) / TREE_LANES);
#endif
    for (; n - i >= TREE_LANES; i += TREE_LANES) {
        for (size_t l = 0; l < TREE_LANES; l++) PROGRAM_NAME(step)(lane, l, x, y, i + l, modulus);
    }
    for (size_t l = 0; i + l < n; l++) PROGRAM_NAME(step)(lane, l, x, y, i + l, modulus);
}

static void PROGRAM_NAME(run_masked)(struct lanes *lanes, size_t offset, const void *x, const void *y,
                                     const unsigned char *mask, size_t n, struct modulus modulus)
{
    PROGRAM_NAME(lanes) *lane = (PROGRAM_NAME(lanes) *)(void *)lanes;
    if (!y) y = x;
    for (size_t i = 0; i < n; i++) {
        if (mask[i]) PROGRAM_NAME(step)(lane, (offset + i) % TREE_LANES, x, y, i, modulus);
    }
}

/* The pairwise tree over the lanes, halves against each other. */
static void PROGRAM_NAME(close)(const struct lanes *lanes, struct fold_value *value, struct modulus modulus)
{
    const PROGRAM_NAME(lanes) *lane = (const PROGRAM_NAME(lanes) *)(const void *)lanes;
    WIDE wide[PARTS][TREE_LANES];
    (void)modulus;
    for (int p = 0; p < PARTS; p++) {
        for (int l = 0; l < TREE_LANES; l++) wide[p][l] = (WIDE)(*lane)[p][l];
    }
    for (int width = TREE_LANES / 2; width > 0; width /= 2) {
        for (int l = 0; l < width; l++) {
            struct PROGRAM_NAME(wide) a, b;
            for (int p = 0; p < PARTS; p++) a.part[p] = wide[p][l], b.part[p] = wide[p][l + width];
            COMBINED(a, b);
            for (int p = 0; p < PARTS; p++) wide[p][l] = a.part[p];
        }
    }
    for (int p = 0; p < PARTS; p++) value->part[p].FIELD = wide[p][0];
}

/* One row of columns into their lanes. */
ALWAYS_INLINE void PROGRAM_NAME(row)(LANE (*restrict lane)[COLUMNS_MOST], const STORAGE *restrict x, int64_t columns,
                                     struct modulus modulus)
{
    (void)modulus;
    for (int64_t c = 0; c < columns; c++) {
        struct TYPE_NAME(element) e = TYPE_NAME(load)(x, (size_t)c);
        struct PROGRAM_NAME(lane) a, b;
        LIFTED(b, e, e);
        for (int p = 0; p < PARTS; p++) a.part[p] = lane[p][c];
        COMBINED(a, b);
        for (int p = 0; p < PARTS; p++) lane[p][c] = a.part[p];
    }
}

/* At most 32 rows, as many as a lane takes. */
ALWAYS_INLINE void PROGRAM_NAME(rows)(LANE (*restrict lane)[COLUMNS_MOST], const STORAGE *x,
                                      const struct column_strides *strides, int64_t rows, int64_t columns,
                                      struct modulus modulus)
{
    const int64_t parts = (int64_t)(TYPE_SIZE / sizeof(STORAGE));
    STORAGE gathered[COLUMNS_MOST * 2];
    for (int64_t r = 0; r < rows; r++, x += strides->row * parts) {
        const STORAGE *row = x;
        if (strides->column != 1) {
            for (int64_t c = 0; c < columns; c++) {
                for (int64_t p = 0; p < parts; p++) gathered[c * parts + p] = x[c * strides->column * parts + p];
            }
            row = gathered;
        }
#if defined(MODULAR)
        if (IS_SHORT_MODULUS(modulus)) { /* a loop of its own: one with both ways in it is not made of vectors */
            PROGRAM_NAME(row)(lane, row, columns, modulus);
            continue;
        }
#endif
        if (columns == COLUMNS_MOST) PROGRAM_NAME(row)(lane, row, COLUMNS_MOST, modulus);
        else PROGRAM_NAME(row)(lane, row, columns, modulus);
    }
}

static void PROGRAM_NAME(columns)(const void *x, const struct column_strides *strides, int64_t rows, int64_t columns,
                                  struct fold_value *values, struct modulus modulus)
{
    WIDE total[PARTS][COLUMNS_MOST];
    struct PROGRAM_NAME(wide) identity;
    struct PROGRAM_NAME(lane) start;
    IDENTITY(identity);
    IDENTITY(start);
    for (int p = 0; p < PARTS; p++) {
        for (int c = 0; c < COLUMNS_MOST; c++) total[p][c] = identity.part[p];
    }
    for (int64_t r = 0; r < rows; r += 32) {
        LANE lane[PARTS][COLUMNS_MOST];
        for (int p = 0; p < PARTS; p++) {
            for (int c = 0; c < COLUMNS_MOST; c++) lane[p][c] = start.part[p];
        }
        PROGRAM_NAME(rows)
        (lane, (const STORAGE *)x + r * strides->row * (int64_t)(TYPE_SIZE / sizeof(STORAGE)), strides,
         rows - r < 32 ? rows - r : 32, columns, modulus);
        for (int c = 0; c < COLUMNS_MOST; c++) {
            struct PROGRAM_NAME(wide) a, b;
            for (int p = 0; p < PARTS; p++) a.part[p] = total[p][c], b.part[p] = (WIDE)lane[p][c];
            COMBINED(a, b);
            for (int p = 0; p < PARTS; p++) total[p][c] = a.part[p];
        }
    }
    for (int64_t c = 0; c < columns; c++) {
        for (int p = 0; p < PARTS; p++) values[c].part[p].FIELD = total[p][c];
    }
}

#if defined(ORDERED)
#include "ordered_columns_tmpl.h"
#endif

static const struct fold_kernels PROGRAM_NAME(kernels) = {
    .open = PROGRAM_NAME(open),
    .run = PROGRAM_NAME(run),
    .run_masked = PROGRAM_NAME(run_masked),
    .close = PROGRAM_NAME(close),
    .columns = PROGRAM_NAME(columns),
#if defined(ORDERED)
    .tile_open = PROGRAM_NAME(tile_open),
    .tile_run = PROGRAM_NAME(tile_run),
    .tile_close = PROGRAM_NAME(tile_close),
#endif
#if defined(SUMS_POWERS)
    .tile_logarithms = PROGRAM_NAME(tile_logarithms),
#endif
};
