/* SPDX-License-Identifier: MIT
 *
 * finish_powers.cuh - the result of a sum of powers. Those that take at most four bytes are found near, and by the
 * definition (power.h) only where it is not sure how they round. No include guard. */

#include "largest_power.cuh"
#include "near_results.cuh"

/* By the definition. */
DEVICE double log_of_powers(struct FOLD(wide) total)
{
    power_real m = (power_real)total.part[0];
    struct largest largest = largest_of(m);
    return is_finite(m) ? log_of((double)total.part[1], &largest) : (double)m;
}

#if POWERS_ARE_FLOATS

/* log2(x), off by less than 2^-22, and 2^-22 of itself. */
DEVICE float near_log2(float x)
{
#if defined(TALLY_SIMT)
    return log2f(x);
#else
    float y;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#endif
}

/* Its bits. */
DEVICE_CALL uint32_t sure_bits(struct FOLD(wide) total)
{
    uint64_t bits = 0;
    finish_real(log_of_powers(total), 0, (char *)&bits);
    return (uint32_t)bits;
}

/* log(s / p) + m, off by less than 2^-44 and 2^-52 of itself, for s no less than p, which is near 1. */
DEVICE double near_log_of_powers(float m, float s, float p)
{
    uint32_t beyond = float_bits(s) - float_bits(p * 0.70710678f), doublings = beyond >> 23;
    double x = double_of(float_from_bits(float_bits(s) - (doublings << 23))), y = double_of(p);
    double sum = x + y, inverse = inverse_nearly(sum), error = __fma_rn(-sum, inverse, 1.0);
    double t = (x - y) * __fma_rn(inverse, __fma_rn(error, error, error), inverse), q = t * t;
    double series = 1.0 / 15;
    double exponent = double_from_bits((uint64_t)(doublings + 0x41300000u) << 32) - 1048576.0; /* 2^20 */
#pragma unroll
    for (int i = 4; i < 10; i++) series = __fma_rn(series, q, artanh_factors[i]);
    return __fma_rn(2 * t, __fma_rn(series, q, 1.0), __fma_rn(exponent, LN2, (double)m));
}

/* In float, where results are narrow: a pair of what the result is at least and at most. */
DEVICE uint32_t near_pair(float m, float s, float p)
{
    float log2 = near_log2(s) - near_log2(p), v = FUSED_FLOAT(log2, 0.693147182f, m);
    float reach = FUSED_FLOAT(log2 + fabsf(v), 0x1p-22f, 0x1p-20f);
    return narrowed_pair(v - reach, v + reach);
}

/* Beside a finite largest element. */
DEVICE uint32_t near_bits(struct FOLD(wide) total)
{
    float m = (float)total.part[0], s = (float)total.part[1], p = power_factor_float(m);
    if (RESULT_PART == 2) {
        uint32_t pair = near_pair(m, s, p);
        return (pair & 0xffff) == pair >> 16 ? pair & 0xffff : sure_bits(total);
    }
    double v = near_log_of_powers(m, s, p);
    return rounds_surely(v, 0) ? float_bits((float)v) : sure_bits(total);
}

DEVICE void finish_powers(struct FOLD(wide) total, char *out)
{
    if (RESULT_PART == 8) finish_real(log_of_powers(total), 0, out);
    else finish_bits(is_finite((float)total.part[0]) ? near_bits(total) : sure_bits(total), 0, out);
}
#else
DEVICE void finish_powers(struct FOLD(wide) total, char *out)
{
    finish_real(log_of_powers(total), 0, out);
}
#endif
