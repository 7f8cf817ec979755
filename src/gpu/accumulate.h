/* SPDX-License-Identifier: MIT
 *
 * accumulate.h - what one pass over elements adds to the states of one calculation, fetched from the device before
 * anything is added. Words are those of kernels/parameters/output_state.h. */
#ifndef TALLY_GPU_ACCUMULATE_H
#define TALLY_GPU_ACCUMULATE_H

#include "reduce_plan.h"
#include "state.h"

struct share {
    const struct calculation *calculation;
    uint64_t *words; /* of each cell, or of each leaf of each cell */
    size_t bytes;
    int64_t first, leaves; /* ordered: complete leaves, and the element where they begin */
    struct exact *sums;    /* of the cells whose words have failed, in order */
    size_t sums_bytes;
};

/* Words of a cell or leaf. */
int64_t share_words(const struct calculation *calculation);
int share_failed(const struct calculation *calculation, const uint64_t *words);

/* The calculation that the kernel is compiled for: what differs only in the finish has one kernel. */
struct calculation share_program(const struct calculation *calculation, struct op_row *row);

/* Words of all cells, or of all leaves; whatever happens, the share's memory is the caller's. */
tally_status share_cells(struct tally_context *context, const struct reduction *reduction, struct share *share);
tally_status share_leaves(struct tally_context *context, const struct reduction *reduction, struct share *share);

/* engine.accumulate of one calculation, by a caller who holds the device's mutex, with all operands on the device. */
tally_status accumulate_on_device(struct tally_context *context, const struct reduction *reduction,
                                  struct state *states);

#endif
