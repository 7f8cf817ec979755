/* SPDX-License-Identifier: MIT
 *
 * sweep.h - the rungs of a ladder of vectors over all lengths, with inputs that are in the device's cache and ones that
 * are not. */
#ifndef TALLY_LADDER_SWEEP_H
#define TALLY_LADDER_SWEEP_H

#include "climb.h"

#define LADDER_LENGTHS 12

struct ladder_sweep {
    int length_count;
    int64_t lengths[LADDER_LENGTHS];
    /* Microseconds of the device's clock, whole job, median; 0: left out, or wrong. In the order of climb->results. */
    double warm[LADDER_MOST_RUNGS][LADDER_LENGTHS]; /* the same input each time */
    double cold[LADDER_MOST_RUNGS][LADDER_LENGTHS]; /* inputs in turn, together larger than the cache */
};

/* Lengths 2^10, 2^12 and so on, up to `longest` or what the device's memory takes. Each result is checked before it is
 * timed. climb->results says which rungs; those that were left out or wrong are left out here. */
tally_status ladder_sweep_lengths(struct ladder_climb *climb, int64_t longest, struct ladder_sweep *sweep);

#endif
