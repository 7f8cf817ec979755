/* SPDX-License-Identifier: MIT
 *
 * columns_ordered.h - ordered reductions whose cells lie side by side, or are too short to be worth a loop each. */
#ifndef TALLY_CPU_COLUMNS_ORDERED_H
#define TALLY_CPU_COLUMNS_ORDERED_H

#include "job.h"

/* Whether a job has the shape and the operator for tiles of ordered columns. */
int columns_ordered_apply(const struct job *job);

tally_status columns_ordered_reduce(struct job *job);

#endif
