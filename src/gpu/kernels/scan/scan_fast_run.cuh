/* SPDX-License-Identifier: MIT
 *
 * scan_fast_run.cuh - a run of exact running sums in pairs of doubles: every addition is free of error, or it shows,
 * and then the run is done again in words. Part of scan_method_exact.cuh. No include guard. */
#define FAST_RUN

#include "pair.cuh"

#if IS_COMPLEX
#define RUN_PART(x, part) ((part) ? (x).im : (x).re)
#else
#define RUN_PART(x, part) ((x).v)
#endif

/* The total of a run, whose absent elements are zero. */
DEVICE struct state fast_run_total(const element *x)
{
    struct state total = state_identity();
#pragma unroll
    for (int part = 0; part < SUMS; part++) {
#if IS_NARROW
        float number[TILE];
#else
        double number[TILE];
#endif
#pragma unroll
        for (int i = 0; i < TILE; i++) number[i] = RUN_PART(x[i], part);
#if IS_NARROW
        tile_floats_alone(&total.sum[part], number, float_range(number));
#else
        tile_doubles_alone(&total.sum[part], number, double_top(number));
#endif
    }
    return total;
}

DEVICE double power_of_two(int32_t exponent)
{
    return double_from_bits((uint64_t)(exponent + 1023) << 52);
}

/* A number as a pair, of which the high part is the number rounded: 2 when it is one, 1 when bits below the 106 leading
 * ones are left out, 0 when it is too large or too small for that. */
DEVICE int leading_pair(struct natural_leading x, int negative, struct pair *pair)
{
    pair->high = pair->low = 0;
    if (x.bits == 0) return 2;
    int32_t exponent = x.exponent + 22;
    if (exponent < -1000 || exponent > 900) return 0;
    double sign = negative ? -1.0 : 1.0;
    double high = sign * (double)(uint64_t)(x.bits >> 75) * power_of_two(exponent + 53);
    double low = sign * (double)((uint64_t)(x.bits >> 22) & 0x1fffffffffffffull) * power_of_two(exponent);
    pair->high = two_sum(high, low, &pair->low);
    return x.sticky || ((uint64_t)x.bits & 0x3fffff) ? 1 : 2;
}

/* The same of words, which may be no number: 0. */
DEVICE int words_pair(const struct words *a, struct pair *pair)
{
    int kind = leading_pair(words_leading(a), (int)(a->w[WORDS - 1] >> 63), pair);
    return a->special ? 0 : kind;
}
