/* SPDX-License-Identifier: MIT
 *
 * ordered_columns_tmpl.h - of fold_tmpl.h: leaves of the fixed-shape tree for all columns of a tile at once, one
 * ordered program. No include guard.
 *
 * Lanes lie [part][lane][column], as many columns as the tile has. So a row is neighbouring lanes, as are all rows of
 * a matrix that is no wider than its tile; and the halves of lanes that are joined are two plain vectors. */

typedef LANE PROGRAM_NAME(tile)[PARTS][TILE_LANES_BYTES / sizeof(LANE) / PARTS];

/* Neighbouring elements into their lanes. */
ALWAYS_INLINE void PROGRAM_NAME(tile_steps)(PROGRAM_NAME(tile) *restrict lanes, size_t first, const STORAGE *restrict x,
                                            const STORAGE *restrict y, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct TYPE_NAME(element) ex = TYPE_NAME(load)(x, i), ey = TYPE_NAME(load)(y, i);
        struct PROGRAM_NAME(lane) a, b;
        (void)ey;
        LIFTED(b, ex, ey);
        for (int p = 0; p < PARTS; p++) a.part[p] = (*lanes)[p][first + i];
        COMBINED(a, b);
        for (int p = 0; p < PARTS; p++) (*lanes)[p][first + i] = a.part[p];
    }
}

/* The first n lanes are joined with those `distance` behind them. */
ALWAYS_INLINE void PROGRAM_NAME(tile_join)(PROGRAM_NAME(tile) *restrict lanes, size_t n, size_t distance)
{
    for (size_t i = 0; i < n; i++) {
        struct PROGRAM_NAME(wide) a, b;
        for (int p = 0; p < PARTS; p++) a.part[p] = (*lanes)[p][i], b.part[p] = (*lanes)[p][i + distance];
        COMBINED(a, b);
        for (int p = 0; p < PARTS; p++) (*lanes)[p][i] = a.part[p];
    }
}

#if defined(IDENTITY_COUNTS)
static void PROGRAM_NAME(tile_join_identity)(PROGRAM_NAME(tile) *restrict lanes, size_t first, size_t end)
{
    struct PROGRAM_NAME(wide) identity;
    IDENTITY(identity);
    for (size_t i = first; i < end; i++) {
        struct PROGRAM_NAME(wide) a, b = identity;
        for (int p = 0; p < PARTS; p++) a.part[p] = (*lanes)[p][i];
        COMBINED(a, b);
        for (int p = 0; p < PARTS; p++) (*lanes)[p][i] = a.part[p];
    }
}
#endif

#if defined(SUMS_POWERS)
#include "power_columns_tmpl.h"
#endif

static void PROGRAM_NAME(tile_open)(struct tile_lanes *lanes, int64_t rows, int64_t columns, const void *first)
{
    PROGRAM_NAME(tile) *lane = (PROGRAM_NAME(tile) *)(void *)lanes->room;
    const size_t n = (size_t)((rows < TREE_LANES ? rows : TREE_LANES) * columns);
    struct PROGRAM_NAME(lane) s;
    IDENTITY(s);
    for (int p = 0; p < PARTS; p++) {
        for (size_t i = 0; i < n; i++) (*lane)[p][i] = s.part[p];
    }
    lanes->near = 0;
#if defined(SUMS_POWERS)
    if (first) PROGRAM_NAME(near_open)(lanes, first);
#else
    (void)first;
#endif
}

/* Rows that are no neighbours of each other, or not of neighbouring elements, as a matrix that is both. */
static void PROGRAM_NAME(tile_gather)(STORAGE *restrict to, const STORAGE *restrict from, struct column_strides strides,
                                      int64_t rows, int64_t columns)
{
    const int64_t parts = (int64_t)(TYPE_SIZE / sizeof(STORAGE));
    for (int64_t r = 0; r < rows; r++, to += columns * parts) {
        const STORAGE *row = from + r * strides.row * parts;
        for (int64_t c = 0; c < columns && strides.column == 1; c++) {
            for (int64_t p = 0; p < parts; p++) to[c * parts + p] = row[c * parts + p];
        }
        for (int64_t c = 0; c < columns && strides.column != 1; c++) {
            for (int64_t p = 0; p < parts; p++) to[c * parts + p] = row[c * strides.column * parts + p];
        }
    }
}

/* How many rows, at most, the steps take at once. */
ALWAYS_INLINE int64_t PROGRAM_NAME(tile_abreast)(const struct tile_rows *rows, int *gathered)
{
    const struct column_strides x = rows->x_strides, y = rows->y ? rows->y_strides : x;
    const int beside = x.column == 1 && y.column == 1;
    *gathered = 0;
    if (beside && x.row == rows->columns && y.row == rows->columns) return TREE_LANES;
    if (beside && rows->columns >= TILE_WIDE_ROW) return 1;
    *gathered = 1;
    return TILE_GATHERED / rows->columns;
}

static int PROGRAM_NAME(tile_run)(struct tile_lanes *lanes, size_t offset, const struct tile_rows *rows)
{
    PROGRAM_NAME(tile) *lane = (PROGRAM_NAME(tile) *)(void *)lanes->room;
    const int64_t parts = (int64_t)(TYPE_SIZE / sizeof(STORAGE)), columns = rows->columns;
    STORAGE room[2][TILE_GATHERED * 2];
    int near = 1, gathered;
    const int64_t abreast = PROGRAM_NAME(tile_abreast)(rows, &gathered);
    for (int64_t r = 0, n; r < rows->rows; r += n) {
        const STORAGE *x = (const STORAGE *)rows->x + r * rows->x_strides.row * parts;
        const STORAGE *y = rows->y ? (const STORAGE *)rows->y + r * rows->y_strides.row * parts : x;
        const int64_t l = (int64_t)((offset + (size_t)r) % TREE_LANES);
        n = abreast < TREE_LANES - l ? abreast : TREE_LANES - l;
        n = n < rows->rows - r ? n : rows->rows - r;
        if (gathered) {
            PROGRAM_NAME(tile_gather)(room[0], x, rows->x_strides, n, columns);
            if (rows->y) PROGRAM_NAME(tile_gather)(room[1], y, rows->y_strides, n, columns);
            x = room[0];
            y = room[rows->y != NULL];
        }
#if defined(SUMS_POWERS)
        if (lanes->near) {
            near &= PROGRAM_NAME(near_steps)(lane, lanes->guess, (size_t)(l * columns), x, (size_t)(n * columns));
            continue;
        }
#endif
        PROGRAM_NAME(tile_steps)(lane, (size_t)(l * columns), x, y, (size_t)(n * columns));
    }
    return near;
}

/* Lanes without elements hold the identity: where that counts, it is joined with the others, never with itself. */
static void PROGRAM_NAME(tile_close)(struct tile_lanes *lanes, int64_t rows, int64_t columns, double *totals)
{
    PROGRAM_NAME(tile) *lane = (PROGRAM_NAME(tile) *)(void *)lanes->room;
    const size_t pitch = (size_t)columns;
    size_t used = rows < TREE_LANES ? (size_t)rows : TREE_LANES;
#if defined(SUMS_POWERS)
    if (lanes->near) PROGRAM_NAME(near_close)(lane, lanes->guess, used, pitch);
    if (lanes->near) used = 1;
#endif
    for (size_t width = TREE_LANES / 2; width > 0; width /= 2) {
        const size_t pairs = used > width ? used - width : 0, left = used < width ? used : width;
        PROGRAM_NAME(tile_join)(lane, pairs * pitch, width * pitch);
#if defined(IDENTITY_COUNTS)
        PROGRAM_NAME(tile_join_identity)(lane, pairs * pitch, left * pitch);
#endif
        used = left;
    }
    for (int p = 0; p < PARTS; p++) {
        for (size_t c = 0; c < pitch; c++) totals[(size_t)p * pitch + c] = (double)(*lane)[p][c];
    }
}
