/* SPDX-License-Identifier: MIT
 *
 * timing.h - how long a rung takes. */
#ifndef TALLY_LADDER_TIMING_H
#define TALLY_LADDER_TIMING_H

#include "climb.h"
#include "run.h"

/* Fills in the result's times, and what the compiler made of the kernel. */
tally_status ladder_time_rung(const struct ladder_climb *climb, struct ladder_kernels *kernels, const void *input,
                              void *output, struct ladder_result *result);

/* The times between marks 0 to `runs`, in microseconds; those from number `warm` on are sorted. */
tally_status ladder_read_marks(tally_context *context, int runs, int warm, double *times);

#endif
