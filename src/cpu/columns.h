/* SPDX-License-Identifier: MIT
 *
 * columns.h - reductions whose cells lie side by side, or are too short to be worth a loop each: tiles of cells at
 * once, so that memory is read once and in order. */
#ifndef TALLY_CPU_COLUMNS_H
#define TALLY_CPU_COLUMNS_H

#include "job.h"

/* Whether a job has the shape and the operator for tiles. */
int columns_apply(const struct job *job);

tally_status columns_reduce(struct job *job);

#endif
