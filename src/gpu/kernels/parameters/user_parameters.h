/* SPDX-License-Identifier: MIT
 *
 * user_parameters.h - what the host tells the kernels of users' operators. Read by the C compiler and by NVRTC, so
 * everything has one size on both sides. */
#ifndef TALLY_USER_PARAMETERS_H
#define TALLY_USER_PARAMETERS_H

#include "reduce_parameters.h"

#define USER_KERNEL_INPUTS 3
#define USER_STATE_WORDS 32 /* of 64 bits: the largest state */

/* The kernels of user_scan.cu. */
#define USER_SCAN_RESULTS 0
#define USER_SCAN_TOTALS 1
#define USER_SCAN_CHAIN 2

/* Bytes of a part (user_operator.cuh), at most. */
#define USER_PART_BYTES(state_bytes) (((state_bytes) + 15) / 16 * 16 + 16)

/* One dimension of a loop nest; strides in elements. */
struct user_loop {
    int64_t extent;
    int64_t input[USER_KERNEL_INPUTS];
    int64_t where, out;
};

struct user_parameters {
    const void *inputs[USER_KERNEL_INPUTS];
    const unsigned char *where; /* or NULL */
    void *out;
    void *parts; /* reductions of several leaves: nodes, [leaf][cell]; scans of several splits: [block][cell], first
                  * the totals of blocks, then what stands left of them */
    uint32_t *tickets;  /* reductions of several splits: one zero per group */
    uint32_t *failures; /* or NULL: bits of reduce_parameters.h */
    const void *lines;  /* scans that go on: of each cell a line (user/kernels.h) at the start of a block; or NULL */
    void *lines_out;    /* first the same, then as the scan leaves them; its length is one of whole blocks */
    struct user_loop kept[KERNEL_LOOPS];
    struct user_loop along[KERNEL_LOOPS]; /* reduced loops, at least one; of scans the axis alone */
    int32_t kept_count, along_count;
    int64_t cells;
    int64_t length;      /* elements of a cell */
    int64_t first;       /* reductions: where the leaves begin */
    int64_t position;    /* of the first element, for lift */
    int64_t units;       /* leaves or blocks of a cell */
    int64_t split_units; /* of one split; of reductions a power of two */
    int64_t splits;
    int64_t step;        /* from one element of a result to the next, in elements */
    int32_t lanes;       /* of a leaf, those that may have elements: a power of two */
    int32_t team;        /* scans: threads of a cell, a power of two */
    int32_t cells_first; /* neighbouring threads have neighbouring cells, not neighbouring elements */
    int32_t skip_nan, exclusive, has_initial;
    int32_t stage_inputs, stage_results; /* by way of shared memory, so that neighbouring threads touch neighbours */
    uint64_t initial[USER_STATE_WORDS];  /* the bytes of a state */
};

#endif
