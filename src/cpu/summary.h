/* SPDX-License-Identifier: MIT
 *
 * summary.h - several calculations on a leaf in one pass, where one kernel serves them all: a variance (with the sum
 * and the mean that it holds), the extremes with their places, and the count of non-zeros. */
#ifndef TALLY_CPU_SUMMARY_H
#define TALLY_CPU_SUMMARY_H

#include "append.h"

/* Where in a list of calculations each part is; -1 where it is missing. */
struct summary {
    int32_t moments, lowest, highest, nonzero;
};

/* Whether these calculations, all of them, are a summary that the kernels have. */
int summary_applies(const struct cpu_kernels *kernels, const struct calculation *calculations, int32_t count,
                    struct summary *summary);

/* Adds a run to all states; 0, with nothing done, when the run does not suit the kernel. */
int summary_append(const struct cpu_kernels *kernels, const struct calculation *calculations,
                   const struct summary *summary, struct append_scratch *scratch, struct state *const *states,
                   const struct leaf *leaf);

#endif
