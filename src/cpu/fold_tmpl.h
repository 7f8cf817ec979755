/* SPDX-License-Identifier: MIT
 *
 * fold_tmpl.h - of fold_program_tmpl.h: one program's kernels on one type. No include guard.
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

/* Elements of neighbouring lanes, of which there are that many. Not inlined: `run` has two of these, beside whole rows.
 */
__attribute__((noinline)) static void PROGRAM_NAME(some)(PROGRAM_NAME(lanes) *restrict lane, size_t first,
                                                         const STORAGE *restrict x, const STORAGE *restrict y, size_t n,
                                                         struct modulus modulus)
{
    for (size_t i = 0; i < n; i++) PROGRAM_NAME(step)(lane, first + i, x, y, i, modulus);
}

static void PROGRAM_NAME(run)(struct lanes *lanes, size_t offset, const void *elements, const void *others, size_t n,
                              struct modulus modulus)
{
    const size_t parts = TYPE_SIZE / sizeof(STORAGE), first = offset % TREE_LANES;
    PROGRAM_NAME(lanes) *lane = (PROGRAM_NAME(lanes) *)(void *)lanes;
    const STORAGE *x = elements, *y = others ? others : elements;
    size_t i = first == 0 ? 0 : n < TREE_LANES - first ? n : TREE_LANES - first;
    if (i > 0) PROGRAM_NAME(some)(lane, first, x, y, i, modulus);
#if defined(SUMS_POWERS)
    i += PROGRAM_NAME(near_rows)(lane, x + i, (n - i) / TREE_LANES);
#endif
    for (; n - i >= TREE_LANES; i += TREE_LANES) {
        for (size_t l = 0; l < TREE_LANES; l++) PROGRAM_NAME(step)(lane, l, x, y, i + l, modulus);
    }
    if (i < n) PROGRAM_NAME(some)(lane, 0, x + i * parts, y + i * parts, n - i, modulus);
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

#if defined(ORDERED)
#include "ordered_columns_tmpl.h"
#elif !PAIRED_EXPAND(LIFT)
#include "columns_tmpl.h"
#endif

static const struct fold_kernels PROGRAM_NAME(kernels) = {
    .open = PROGRAM_NAME(open),
    .run = PROGRAM_NAME(run),
    .run_masked = PROGRAM_NAME(run_masked),
    .close = PROGRAM_NAME(close),
#if defined(ORDERED)
    .tile_open = PROGRAM_NAME(tile_open),
    .tile_run = PROGRAM_NAME(tile_run),
    .tile_close = PROGRAM_NAME(tile_close),
#elif !PAIRED_EXPAND(LIFT)
    .columns = PROGRAM_NAME(columns),
#endif
#if defined(SUMS_POWERS)
    .tile_logarithms = PROGRAM_NAME(tile_logarithms),
#endif
};
