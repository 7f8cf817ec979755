/* SPDX-License-Identifier: MIT
 *
 * kernels.h - the table of reduction kernels that kernels.c fills once per instruction set. Every kernel works on
 * contiguous elements of one leaf; n is at most TREE_LEAF. */
#ifndef TALLY_CPU_KERNELS_H
#define TALLY_CPU_KERNELS_H

#include "../state.h"

/* Room for the lanes of any program. */
struct lanes {
    _Alignas(64) double room[FOLD_PARTS * TREE_LANES];
};

/* A tile of neighbouring cells: how far, in elements, to the next element of a cell and to the next cell. */
#define COLUMNS_MOST 256
struct column_strides {
    int64_t row, column;
};

/* Rows of a tile of at most COLUMNS_MOST columns; y has the second factors of products, or is NULL. */
struct tile_rows {
    const void *x, *y;
    struct column_strides x_strides, y_strides;
    int64_t rows, columns;
};

/* The lanes of a leaf in all columns of a tile: columns times the lanes in use must fit. */
#define TILE_LANES_BYTES (128 << 10)
struct tile_lanes {
    _Alignas(64) char room[TILE_LANES_BYTES];
    int near; /* sums of powers: all are divided by two to this guess */
    double guess;
};

/* The modulus matters to programs of residues alone. */
struct fold_kernels {
    void (*open)(struct lanes *lanes);
    /* Element i goes to lane (offset + i) % TREE_LANES; lanes take at most a leaf between open and close. */
    void (*run)(struct lanes *lanes, size_t offset, const void *x, const void *y, size_t n, struct modulus modulus);
    /* The same without the elements whose mask byte is 0. */
    void (*run_masked)(struct lanes *lanes, size_t offset, const void *x, const void *y, const unsigned char *mask,
                       size_t n, struct modulus modulus);
    void (*close)(const struct lanes *lanes, struct fold_value *value, struct modulus modulus);
    /* Unordered programs: each column of a tile folded from its identity into one value. */
    void (*columns)(const void *x, const struct column_strides *strides, int64_t rows, int64_t columns,
                    struct fold_value *values, struct modulus modulus);
    /* Ordered programs: a leaf of `rows` rows of a tile, closed into totals, [part][column]. Row r of a run goes to
     * lane (offset + r) % TREE_LANES. Sums of powers guess from the tile's first element where exponents lie; when a
     * run finds others it returns 0, and the leaf has to be opened again with NULL for the first element. */
    void (*tile_open)(struct tile_lanes *lanes, int64_t rows, int64_t columns, const void *first);
    int (*tile_run)(struct tile_lanes *lanes, size_t offset, const struct tile_rows *rows);
    void (*tile_close)(struct tile_lanes *lanes, int64_t rows, int64_t columns, double *totals);
    /* Of sums of powers, NULL for others: the logarithms in place of the first part. */
    void (*tile_logarithms)(double *totals, int64_t columns);
};

/* What leaves of wide range add to a sum beside its accumulator, when the result may show that this need not be exact:
 * it lies within `off` of high + low. There are two, the second of numbers times 2^-NEAR_DOWN, for those whose sums
 * might overflow. */
#define NEAR_SUMS 2
#define NEAR_DOWN 200
struct exact_near {
    double high, low, off;
};

/* Where the exponents of recent data lay: the next leaf is tried there first. Zeroed by its owner, which calls
 * exact_flush before it turns to other accumulators. */
struct exact_scatter;
#define EXACT_WINDOWS 6 /* one per accumulator, and three for the rounding errors of f64 products */
struct exact_window {
    int32_t anchor, bins;    /* of the last leaf that went through bins; 0: none */
    int32_t patience;        /* leaves left to do without trying */
    int32_t narrow_patience; /* the same for narrow values, which go as plain doubles first */
    int32_t square_anchor;   /* of the last leaf of narrow squares; 0: none */
    struct exact_scatter *scatter;
    struct exact_near *near; /* NULL: what fits no bins is added exactly, through buckets */
    int32_t near_sum;        /* of the last leaf of doubles */
};

/* Adds the lifted elements to the accumulators of a state; windows[i] and windows[i + 3] belong to sums[i]. */
typedef void exact_kernel(struct exact *sums, struct exact_window *windows, const void *x, const void *y, size_t n);

/* Sums of a tile's columns, each as an unevaluated pair high + low, and what this is off at most: 0 where it is exact,
 * no number where one is not finite. Kernels go on from what is there; all zeros is the start. */
struct exact_columns {
    double high[COLUMNS_MOST], low[COLUMNS_MOST], off[COLUMNS_MOST];
};
typedef void exact_columns_kernel(struct exact_columns *sums, const void *x, const struct column_strides *strides,
                                  int64_t rows, int64_t columns);

/* The first minimum or maximum of each of a tile's columns (a NaN goes before all), and its row. */
struct best_columns {
    _Alignas(64) char best[COLUMNS_MOST * 8];
    int32_t place[COLUMNS_MOST];
};

/* What `tally stats` asks of a leaf beside its moments. */
struct leaf_summary {
    double lowest, highest;
    int64_t nonzero;
};
typedef int summary_kernel(struct exact *sums, struct exact_window *windows, const void *x, size_t n,
                           struct leaf_summary *summary);

struct cpu_kernels {
    const struct fold_kernels *fold[LIFT_COUNT][COMBINE_FOLD_COUNT][TYPE_COUNT];
    exact_kernel *exact[LIFT_COUNT][TYPE_COUNT];
    exact_columns_kernel *exact_columns[LIFT_COUNT][TYPE_COUNT]; /* NULL where a lift needs more than pairs */
    /* Real floats: adds a leaf's moments and finds the rest in the same pass; 0, with nothing done, when it cannot. */
    summary_kernel *summary[TYPE_COUNT];
    /* Floats: clears the mask bytes of NaNs. */
    void (*mask_nan[TYPE_COUNT])(const void *x, size_t n, unsigned char *mask);
    int (*any_nan[TYPE_COUNT])(const void *x, size_t n);
    /* Ordered types: index of the first element equal to the closed minimum or maximum (a NaN finds the first NaN). */
    size_t (*find[TYPE_COUNT])(const void *x, size_t n, const struct fold_value *value);
    /* Ordered types: goes on with rows [first, first + rows) of a tile; row 0 begins. */
    void (*best_columns[TYPE_COUNT])(struct best_columns *best, const void *x, const struct column_strides *strides,
                                     int32_t first, int64_t rows, int64_t columns, int largest);
};

#endif
