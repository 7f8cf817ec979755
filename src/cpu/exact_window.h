/* SPDX-License-Identifier: MIT
 *
 * exact_window.h - the buckets that wide-ranging data wait in, and how they are emptied. */
#ifndef TALLY_CPU_EXACT_WINDOW_H
#define TALLY_CPU_EXACT_WINDOW_H

#include "kernels.h"

/* Signed significands in two halves, a bucket for each exponent of a double. */
struct exact_scatter {
    int64_t bucket[2048][2];
    uint64_t touched[2048 / 64];
};

/* Empties the window's buckets into the accumulator. */
void exact_flush(struct exact *sum, struct exact_window *window);

#endif
