/* SPDX-License-Identifier: MIT
 *
 * partial.h - what a partial holds; partial.c, partial_pack.c and partial_finish.c share it. */
#ifndef TALLY_PARTIAL_H
#define TALLY_PARTIAL_H

#include "plan.h"
#include "state.h"

struct tally_partial {
    tally_context *context;
    struct calculation calculation;
    int has_axes;
    int32_t axis_count;
    int32_t axes[TALLY_MAX_RANK];
    int32_t rank;
    int64_t shape[TALLY_MAX_RANK]; /* of the cells */
    int64_t cells;
    int64_t position; /* of the first element */
    int64_t count;    /* elements added to each cell */
    _Alignas(16) unsigned char initial[TALLY_OP_MOST_STATE];
    struct state *states;
    size_t bytes; /* of states */
};

/* A partial without states, from checked parts; partial_allocate then opens the states. */
tally_status partial_allocate(tally_partial *partial);

#endif
