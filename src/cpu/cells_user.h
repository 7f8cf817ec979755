/* SPDX-License-Identifier: MIT
 *
 * cells_user.h - reductions by users' operators whose cells lie side by side, or are short: tiles of cells at once. */
#ifndef TALLY_CPU_CELLS_USER_H
#define TALLY_CPU_CELLS_USER_H

#include "job.h"

/* Whether a job has the shape for it. */
int cells_user_apply(const struct job *job);

tally_status cells_user_reduce(struct job *job);

#endif
