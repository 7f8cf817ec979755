/* SPDX-License-Identifier: MIT
 *
 * near.h - one cell from its elements to its result: exact where it must be. */
#ifndef TALLY_CPU_NEAR_H
#define TALLY_CPU_NEAR_H

#include "job.h"

/* Whether results do not fall while sums rise, so that the ends of what a sum can be tell the result. */
int near_applies(const struct calculation *calculation);

/* Adds near sums to the exact state of a cell and writes the result, if both ends of what they can be have the same: it
 * is the exact sum's. Otherwise 0, with nothing written, and the state is of no use. */
int near_settles(const struct job *job, struct state *state, const struct exact_near near[NEAR_SUMS], int64_t out);

/* Reduces a cell, on one worker or (NULL) on all of them, and writes its result. The job has one calculation, whose
 * state is room. */
tally_status near_reduce_cell(const struct job *job, struct worker *worker, const struct cell *cell,
                              struct state *state);

#endif
