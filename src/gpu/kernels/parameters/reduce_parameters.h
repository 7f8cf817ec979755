/* SPDX-License-Identifier: MIT
 *
 * reduce_parameters.h - what the host tells the reduction kernels. Read by the C compiler and by NVRTC, so everything
 * has one size on both sides. */
#ifndef TALLY_REDUCE_PARAMETERS_H
#define TALLY_REDUCE_PARAMETERS_H

#define KERNEL_LOOPS 8

/* One dimension of a loop nest; strides in elements. */
struct kernel_loop {
    int64_t extent;
    int64_t x, y, where, out;
};

/* Why a cell has no result (yet). The first two are bits of reduce_parameters.failures. */
enum {
    FAILED_EMPTY = 1,
    FAILED_OVERFLOW = 2,
    FAILED_WINDOW = 4 /* an exact sum left the window of a thread: the cell is in wide_cells */
};

/* Most of what reduce_spread.cu publishes of a split: sums in pairs, how far off they are, and absent elements. */
#define REDUCE_SPREAD_BYTES 64

struct reduce_parameters {
    const void *x, *y;
    const char *low, *high; /* the elements of x lie from the one on, below the other */
    const unsigned char *where;
    void *out;
    void *states;         /* splits > 1: one per cell and split, [group][split][cell of the group] */
    uint32_t *tickets;    /* splits > 1: one zero per group */
    uint32_t *failures;   /* or NULL */
    uint32_t *wide_count; /* exact sums: how many cells' sums did not fit the window of a thread; when they are more */
    int64_t *wide_cells;  /* than this list takes, all are summed again */
    int64_t wide_capacity;
    struct kernel_loop kept[KERNEL_LOOPS], reduced[KERNEL_LOOPS];
    int32_t kept_count, reduced_count;
    int64_t cells;
    int64_t length;      /* elements of a cell */
    int64_t units;       /* of work in a cell: vectors or elements */
    int64_t row_units;   /* vectors of one run of the innermost loop */
    int64_t split_units; /* of one split, a multiple of the team */
    int64_t splits;
    int64_t first_block; /* blocks are counted from here: a launch may be a part of the whole */
    int64_t step;        /* minmax: from a minimum to its maximum, in elements */
    double correction;
    double share, inverse; /* 1 / length; 1 / (length - correction), NaN where no variance is */
    uint64_t initial[2];   /* the bytes of an element of the result type */
    int32_t has_initial;
    int32_t team;                 /* threads of a cell, a power of two */
    int32_t cells_first;          /* neighbouring threads have neighbouring cells, not neighbouring elements */
    int64_t run_units, all_units; /* reduce_tall.cu, reduce_long.cu: of the innermost of a nest of loops, and of all */
    /* reduce_ordered.cu, DEALT: */
    int32_t node_level;  /* a crew's node has 2^this leaves */
    int32_t nodes_apart; /* splits are no nodes of the tree: they publish those of their crews */
    /* reduce_tall.cu: */
    int64_t columns, width; /* of a matrix, and of a tile of it */
    int64_t totals;         /* that all splits publish */
    int64_t pieces;         /* WHOLE_COLUMNS: tiles of all matrices, of which blocks have several */
    int32_t tiles;          /* side by side */
    int32_t fan;            /* splits that are merged at once, and then what became of them, when there are more */
    int32_t period;         /* TALL_FLAT: vectors after which columns recur; else: rows after which alignments do */
};

#endif
