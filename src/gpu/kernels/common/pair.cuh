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

DEVICE_UNUSED int is_finite(double x)
{
    return ((uint32_t)(double_bits(x) >> 32) & 0x7ff00000u) != 0x7ff00000u;
}

/* The sum rounded, and what that loses; exact whatever the sizes (Knuth's TwoSum). */
DEVICE double two_sum(double a, double b, double *error)
{
    double sum = a + b, part = sum - a;
    *error = (a - (sum - part)) + (b - part);
    return sum;
}

/* What additions lost, where the pair is a number; NaN where its sum, rounded, has left the range of doubles, though
 * nothing was lost. That does not happen to narrow numbers. */
DEVICE double lost_of_pair(const struct pair *pair, double lost)
{
#if IS_NARROW
    (void)pair;
    return lost;
#else
    return lost + (pair->low - pair->low);
#endif
}

/* Adds x; returns whether anything was lost (also infinities and NaN). */
DEVICE int pair_add(struct pair *pair, double x)
{
    double error, lost;
    double sum = two_sum(pair->high, x, &error);
    double low = two_sum(pair->low, error, &lost);
    pair->high = two_sum(sum, low, &pair->low);
    return !(lost_of_pair(pair, lost) == 0);
}

/* A sum in three doubles, and what it is off at most: NaN after infinities and NaN. */
struct near_sum {
    struct pair pair;
    double rest, off;
};

DEVICE_UNUSED void near_add(struct near_sum *sum, double x)
{
    double error, lost, off;
    double high = two_sum(sum->pair.high, x, &error);
    double low = two_sum(sum->pair.low, error, &lost);
    sum->pair.high = two_sum(high, low, &sum->pair.low);
    sum->rest = two_sum(sum->rest, lost, &off);
    sum->off += fabs(off);
}

DEVICE_UNUSED void near_merge(struct near_sum *a, const struct near_sum *b)
{
    near_add(a, b->pair.high);
    near_add(a, b->pair.low);
    near_add(a, b->rest);
    a->off += b->off;
}

/* Rounds a double, or the odd one of the two around a sum (narrow.h), to the result's type. */
DEVICE uint64_t double_result(double x)
{
    return RESULT_PART == 8         ? double_bits(x)
           : IS_F16(RESULT_NUMBER)  ? f64_to_f16(x)
           : IS_BF16(RESULT_NUMBER) ? f64_to_bf16(x)
                                    : float_bits((float)x);
}

/* NaN's bits, as all results have them. */
DEVICE_UNUSED uint64_t nan_result(void)
{
    return RESULT_PART == 8         ? 0x7ff8000000000000ull
           : IS_F16(RESULT_NUMBER)  ? 0x7e00
           : IS_BF16(RESULT_NUMBER) ? 0x7fc0
                                    : 0x7fc00000;
}

DEVICE void double_store(double x, int part, char *out)
{
    finish_bits(double_result(x), part, out);
}

#if defined(TALLY_SIMT) || !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 900
#define NEAREST_F16(x) f64_to_f16(x)
#define NEAREST_BF16(x) f64_to_bf16(x)
#else
DEVICE uint16_t nearest_f16(double x)
{
    uint16_t h;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(h) : "d"(x));
    return h;
}

DEVICE uint16_t nearest_bf16(double x)
{
    uint16_t h;
    asm("cvt.rn.bf16.f64 %0, %1;" : "=h"(h) : "d"(x));
    return h;
}
#define NEAREST_F16(x) nearest_f16(x)
#define NEAREST_BF16(x) nearest_bf16(x)
#endif

/* Bits of the result type; x is finite. */
DEVICE_UNUSED uint64_t nearest(double x)
{
    if (IS_F16(RESULT_NUMBER)) return NEAREST_F16(x);
    if (IS_BF16(RESULT_NUMBER)) return NEAREST_BF16(x);
    return RESULT_PART == 8 ? double_bits(x) : float_bits((float)x);
}

/* high is the sum rounded to a double; other types are rounded from the odd neighbour. */
DEVICE void pair_store(struct pair pair, int part, char *out)
{
    double_store(RESULT_PART == 8 ? pair.high : round_to_odd_sum(pair.high, pair.low), part, out);
}

#endif
