/* SPDX-License-Identifier: MIT
 *
 * scan.h - the CPU engine's scans: the table of kernels that kernels_scan.c fills once per instruction set, and what
 * the files scan*.c share. scan.c cuts a scan into tasks, scan_line.c runs along an axis, scan_exact.c keeps running
 * sums. */
#ifndef TALLY_CPU_SCAN_H
#define TALLY_CPU_SCAN_H

#include "../scan_state.h"
#include "isa.h"
#include "threads.h"

/* Cells side by side that are scanned at once. */
#define SCAN_CELLS 64

/* Elements that kernels take at once: pieces of this size, their results and what is in between fit the L1 cache. */
#define SCAN_MOST 1024

/* Results before they are converted: words (int64_t) or reals (double), [part][SCAN_MOST]. */
union scan_values {
    double real[2][SCAN_MOST];
    int64_t word[2][SCAN_MOST];
};

/* One value of each cell, in the type of a program's arithmetic. */
union scan_row {
    _Alignas(64) float of_float[SCAN_CELLS];
    double of_double[SCAN_CELLS];
};

/* Cells side by side in their first group: the open runs, what stands left of them, and what the scan over the totals
 * of runs has kept of each level. */
struct scan_ordered {
    union scan_row local, base, kept[SCAN_GROUP_RUNS - 1];
};

/* Absent elements have present byte 0; present may be NULL. Elements and results are contiguous; the elements of a
 * piece are read before its results are written. */
struct scan_fold_kernels {
    /* Unordered integer programs: n elements from the running value on, which is moved. values may be NULL. The
     * modulus matters to programs of residues alone. */
    void (*run)(struct fold_value *running, const void *x, const unsigned char *present, size_t n, int exclusive,
                int64_t *values, struct modulus modulus);
    /* Real programs: a group, or its first n elements. base (NULL: none) is what stands left of it. Of a part, run
     * totals and the open run go to the block. total leaves base out. values may be NULL. */
    void (*group)(struct scan_block *block, const struct fold_value *base, const void *x, const unsigned char *present,
                  size_t n, int exclusive, union scan_values *values, struct fold_value *total);
    /* Unordered programs: one element of each of n cells side by side; running[c] and values[c] are an int64_t, or a
     * double of real programs. NULL for all others. */
    void (*cells)(void *running, const void *x, size_t n, int exclusive, void *values, struct modulus modulus);
    /* Ordered programs of one part: element `row` < SCAN_GROUP of each of SCAN_CELLS cells, row after row from 0 on.
     * NULL for all others. */
    void (*ordered)(struct scan_ordered *cells, int row, const double *x, int exclusive, double *values);
};

/* A running sum as an unevaluated sum of two doubles, which is exact. */
struct scan_pair {
    double high, low;
    int32_t patience; /* pieces left to do without trying one word for their sums */
    int32_t ties;     /* pieces left to round to odd at once */
};

/* How running sums are rounded: to the nearest double; to odd, for any narrower type; or so that the conversion to
 * float is right, which needs sums that are multiples of its smallest subnormal number. */
enum scan_rounding { SCAN_NEAREST, SCAN_ODD, SCAN_SINGLE };

/* The running sums of cells side by side: a pair of doubles each, which is exact as long as nothing is lost. */
struct scan_pairs {
    _Alignas(64) double high[SCAN_CELLS], low[SCAN_CELLS];
    uint64_t lost; /* bits of what no pair holds, infinity and NaN among them */
};

struct cpu_scan_kernels {
    const struct scan_fold_kernels *fold[LIFT_COUNT][COMBINE_FOLD_COUNT][TYPE_COUNT];

    /* A part of float elements as doubles, integer elements as words; absent ones as 0. */
    void (*load_real[TYPE_COUNT])(const void *x, const unsigned char *present, size_t n, int part, double *values);
    void (*load_word[TYPE_COUNT])(const void *x, const unsigned char *present, size_t n, int64_t *values);

    /* Running sums of n <= SCAN_MOST doubles, from the pair on, which is moved. False when the data are too wide for
     * it; then the sums are not. */
    int (*sum)(const double *x, size_t n, enum scan_rounding rounding, struct scan_pair *pair, double *values);
    /* The same without the running sums. */
    int (*sum_total)(const double *x, size_t n, struct scan_pair *pair);
    /* One element of each cell, all SCAN_CELLS of them: x and values are as long. */
    void (*sum_cells)(struct scan_pairs *pairs, const double *x, int odd, int exclusive, double *values);

    /* Values to elements of the result type, every step-th part of them. Zeros become +0 when asked. */
    void (*store_real)(const double *values, size_t n, tally_type result, int step, int positive_zero, void *out);
    void (*store_word)(const int64_t *values, size_t n, int is_signed, tally_type result, void *out);
    /* Sums of powers to their logarithms, in values[0]. */
    void (*add_logarithm)(union scan_values *values, size_t n, int floats);
};

/* n elements along an axis, of one cell. */
struct scan_line {
    const char *x;
    const unsigned char *where;                 /* or NULL */
    char *out;                                  /* NULL: only the state moves */
    int64_t x_stride, where_stride, out_stride; /* in elements */
    int64_t n;
    /* METHOD_USER: the other inputs, or NULL, and from one element of a result to the next. */
    const char *y, *z;
    int64_t y_stride, z_stride, step;
};

/* Carries the state over the line; false when a checked result does not fit. */
int scan_line_run(const struct calculation *calculation, const struct cpu_isa *isa, const struct scan_line *line,
                  struct scan_state *state);

/* A part of a line, gathered if need be: at most SCAN_MOST contiguous elements, and room for their results. */
struct scan_piece {
    const void *x;
    const unsigned char *present; /* NULL: all */
    void *out;                    /* NULL: no results are wanted */
    size_t n;
};

struct scan_buffer {
    _Alignas(64) unsigned char x[SCAN_MOST * 16], out[SCAN_MOST * 16];
    unsigned char present[SCAN_MOST];
};

void scan_piece_open(const struct calculation *calculation, const struct cpu_isa *isa, const struct scan_line *line,
                     int64_t first, struct scan_buffer *buffer, struct scan_piece *piece);
void scan_piece_close(const struct calculation *calculation, const struct scan_line *line, int64_t first,
                      const struct scan_piece *piece);

/* METHOD_EXACT's part of scan_line_run. */
int scan_exact_run(const struct calculation *calculation, const struct cpu_isa *isa, const struct scan_line *line,
                   struct scan_state *state);

/* METHOD_USER's. */
int scan_user_run(const struct calculation *calculation, const struct cpu_isa *isa, const struct scan_line *line,
                  struct scan_state *state);

/* Scans in tiles of cells side by side, with a step for all cells of a tile at once, where shape and operator allow;
 * otherwise *done stays 0. The caller is in the engine's floating-point environment. */
tally_status scan_cells(struct tally_context *context, const struct scan *scan, int *done);

/* Copies a matrix between strides in bytes; inner loops go along its columns. */
void scan_turn_copy(char *to, int64_t to_row, int64_t to_column, const char *from, int64_t from_row,
                    int64_t from_column, int64_t rows, int64_t columns, int size);

/* Copies n elements between strides (in elements). */
void scan_copy_strided(char *to, int64_t to_stride, const char *from, int64_t from_stride, size_t n, int size);

/* How a scan is cut up: scan.c. A tile is a few neighbouring cells along one of the kept loops. */
struct scan_tile {
    int64_t offset[OPERAND_COUNT]; /* of the first cell's first element */
    int64_t step[OPERAND_COUNT];   /* to the next cell */
    int64_t cells;
    int64_t first_cell, cell_step; /* numbers of the cells in C order */
};

/* Blocks of a turned tile: elements of one cell next to each other. */
#define SCAN_TURN 512
#define SCAN_TURN_PITCH (SCAN_TURN + 16) /* not a power of two, so that cells fall into different cache sets */

/* Runs `count` elements from the first on of every cell of a tile. states[c] is state_step bytes after states[c - 1].
 * turn: room of scan_turn_bytes, or NULL: cell after cell. results 0: only states move. False as scan_line_run. */
int scan_tile_run(const struct scan *scan, const struct cpu_isa *isa, const struct scan_tile *tile, int64_t first,
                  int64_t count, struct scan_state *states, size_t state_step, char *turn, int results);
size_t scan_turn_bytes(const struct scan *scan, int64_t cells);

#endif
