/* SPDX-License-Identifier: MIT
 *
 * exact_window.h - the buckets that wide-ranging data wait in, and how they are emptied. */
#ifndef TALLY_CPU_EXACT_WINDOW_H
#define TALLY_CPU_EXACT_WINDOW_H

#include "kernels.h"

/* Signed pieces of significands, a bucket for each exponent of their lowest bit. A significand of a double is split at
 * its bit 29, so that a bucket has room for 2^36 pieces. */
#define SCATTER_SPLIT 29
#define SCATTER_BUCKETS (2048 + SCATTER_SPLIT)
struct exact_scatter {
    int64_t bucket[SCATTER_BUCKETS];
    int64_t first, last; /* exponents [first, last] of doubles that came; none while first > last */
};

/* At least the bound that this is, rounded. */
static inline double near_up(double bound)
{
    return bound * (1 + 0x1p-50);
}

/* Adds a value to the pair; what the low one loses is added to the bound. */
static inline void near_add(struct exact_near *near, double value)
{
    double sum = near->high + value, back = sum - near->high;
    double lost = (near->high - (sum - back)) + (value - back);
    near->high = sum;
    sum = near->low + lost;
    back = sum - near->low;
    lost = (near->low - (sum - back)) + (lost - back);
    near->low = sum;
    near->off = near_up(near->off + (lost < 0 ? -lost : lost));
}

void exact_scatter_open(struct exact_scatter *scatter);
void exact_flush(struct exact *sum, struct exact_window *window);

#endif
