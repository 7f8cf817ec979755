/* SPDX-License-Identifier: MIT
 *
 * append.h - adding runs of elements to a state. */
#ifndef TALLY_CPU_APPEND_H
#define TALLY_CPU_APPEND_H

#include "exact_window.h"
#include "leaf.h"

/* What a worker keeps while it adds to one state after another. */
struct append_scratch {
    union {
        struct leaf_buffer leaf;
        struct tile_lanes tile; /* columns_ordered.c reads no leaves */
    };
    struct lanes lanes;
    unsigned char masked[2][TREE_LEAF * 16];
    struct exact_window windows[EXACT_WINDOWS];
    struct exact_scatter scatter[EXACT_WINDOWS];
    struct exact_near near[NEAR_SUMS]; /* near.c's; zeros while no cell is at work */
};

void append_scratch_open(struct append_scratch *scratch);

/* Adds a run that follows what the state has. */
void append_leaf(const struct cpu_kernels *kernels, const struct calculation *calculation,
                 struct append_scratch *scratch, struct state *state, const struct leaf *leaf);

/* Makes element i of the run that comes next the one that was found. */
void arg_take(const struct calculation *calculation, struct state *state, const void *x, size_t i);

/* Closes the open leaf of an ordered state that nothing will be added to: what state_finish does a lane at a time. */
void append_close(const struct cpu_kernels *kernels, const struct calculation *calculation, struct state *state);

/* To be called when the last run of a state, or of several with one calculation in turn, is in. */
void append_done(const struct calculation *calculation, struct append_scratch *scratch, struct state *state);

#endif
