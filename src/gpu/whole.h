/* SPDX-License-Identifier: MIT
 *
 * whole.h - whole numbers, for dealing work out. */
#ifndef TALLY_GPU_WHOLE_H
#define TALLY_GPU_WHOLE_H

#include <stdint.h>

/* a / b rounded up; a >= 0, b > 0. */
static inline int64_t divide_up(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

/* The first power of two that is n or more. */
static inline int64_t power_above(int64_t n)
{
    int64_t power = 1;
    while (power < n) power *= 2;
    return power;
}

static inline int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

#endif
