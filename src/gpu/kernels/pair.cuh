/* SPDX-License-Identifier: MIT
 *
 * pair.cuh - exact sums in pairs of doubles: every addition is free of error, or it shows. */
#ifndef TALLY_PAIR_CUH
#define TALLY_PAIR_CUH

#include "finish.cuh"

/* high + low is the exact sum. */
struct pair {
    double high, low;
};

/* The sum rounded, and what that loses; exact whatever the sizes (Knuth's TwoSum). */
DEVICE double two_sum(double a, double b, double *error)
{
    double sum = a + b, part = sum - a;
    *error = (a - (sum - part)) + (b - part);
    return sum;
}

/* Adds x; returns whether anything was lost (also infinities and NaN). */
DEVICE int pair_add(struct pair *pair, double x)
{
    double error, lost;
    double sum = two_sum(pair->high, x, &error);
    double low = two_sum(pair->low, error, &lost);
    pair->high = two_sum(sum, low, &pair->low);
    return !(lost == 0);
}

/* high is the sum rounded to a double; other types are rounded from the odd neighbour (narrow.h). */
DEVICE void pair_store(struct pair pair, int part, char *out)
{
    uint64_t bits;
    if (RESULT_PART == 8) {
        bits = double_bits(pair.high);
    } else {
        double odd = round_to_odd_sum(pair.high, pair.low);
        bits = IS_F16(RESULT_NUMBER)    ? f64_to_f16(odd)
               : IS_BF16(RESULT_NUMBER) ? f64_to_bf16(odd)
                                        : float_bits((float)odd);
    }
    finish_bits(bits, part, out);
}

#endif
