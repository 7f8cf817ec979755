/* SPDX-License-Identifier: MIT
 *
 * elementary.h - exp and log from additions, multiplications and divisions alone, each rounded as IEEE 754 says, so
 * that every machine and compiler gives the same bits (with contraction off). Read by the C compiler and by NVRTC.
 * Relative error below 2 units in the last place (log: 4). Branch-free, so that loops over them vectorise. */
#ifndef TALLY_ELEMENTARY_H
#define TALLY_ELEMENTARY_H

#include "narrow.h"

#ifndef ELEMENTARY_FUNCTION
#define ELEMENTARY_FUNCTION static inline __attribute__((always_inline))
#endif

/* x - k c, where k c is exact: kernels have one instruction for both. */
#ifndef MINUS_EXACT
#define MINUS_EXACT(x, k, c) ((x) - (k) * (c))
#endif

/* e^x / 2^k for x = k ln 2 + r with |r| <= ln 2 / 2, by Taylor's series to r^13. *shifted is k + 1.5 * 2^52, which
 * rounds to an integer and leaves it in the low bits. */
ELEMENTARY_FUNCTION double exp_series_double(double x, double *shifted)
{
    *shifted = x * 1.4426950408889634 + 6755399441055744.0;
    double k = *shifted - 6755399441055744.0;
    double r = MINUS_EXACT(x, k, 0.69314718036912382) - k * 1.9082149292705877e-10;
    double p = 1.0 / 6227020800.0;
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    return p * r + 1.0;
}

/* e^x for x <= 0 (or NaN); 2^k in two factors, so that results below the normal range round once. */
ELEMENTARY_FUNCTION double exp_nonpositive_double(double x)
{
    double shifted, p = exp_series_double(x < -746.0 ? -746.0 : x, &shifted);
    uint64_t n = (0 - double_bits(shifted)) & 2047; /* -k */
    uint64_t half = n >> 1;
    double scale = double_from_bits((1023 - half) << 52) * p;
    return scale * double_from_bits((1023 - (n - half)) << 52);
}

/* The same where the result is normal, for x >= EXP_NORMAL_DOUBLE (or NaN): 2^k in one factor, of whatever bits if x is
 * NaN. */
#define EXP_NORMAL_DOUBLE (-700.0)
ELEMENTARY_FUNCTION double exp_normal_double(double x)
{
    double shifted, p = exp_series_double(x, &shifted);
    return p * double_from_bits((double_bits(shifted) << 52) + (1023ull << 52));
}

/* All of this in float: Taylor's series to r^7. */
ELEMENTARY_FUNCTION float exp_series_float(float x, float *shifted)
{
    *shifted = x * 1.44269504f + 12582912.0f;
    float k = *shifted - 12582912.0f;
    float r = MINUS_EXACT(x, k, 0.693145752f) - k * 1.42860677e-6f;
    float p = 1.0f / 5040.0f;
    p = p * r + 1.0f / 720.0f;
    p = p * r + 1.0f / 120.0f;
    p = p * r + 1.0f / 24.0f;
    p = p * r + 1.0f / 6.0f;
    p = p * r + 0.5f;
    p = p * r + 1.0f;
    return p * r + 1.0f;
}

ELEMENTARY_FUNCTION float exp_nonpositive_float(float x)
{
    float shifted, p = exp_series_float(x < -105.0f ? -105.0f : x, &shifted);
    uint32_t n = (0 - float_bits(shifted)) & 255; /* -k */
    uint32_t half = n >> 1;
    float scale = float_from_bits((127 - half) << 23) * p;
    return scale * float_from_bits((127 - (n - half)) << 23);
}

#define EXP_NORMAL_FLOAT (-86.0f)
ELEMENTARY_FUNCTION float exp_normal_float(float x)
{
    float shifted, p = exp_series_float(x, &shifted);
    return p * float_from_bits((float_bits(shifted) << 23) + (127u << 23));
}

/* 1/3 + q/5 + ... + q^9/21. */
ELEMENTARY_FUNCTION double artanh_series_double(double q)
{
    double p = 1.0 / 21.0;
    p = p * q + 1.0 / 19.0;
    p = p * q + 1.0 / 17.0;
    p = p * q + 1.0 / 15.0;
    p = p * q + 1.0 / 13.0;
    p = p * q + 1.0 / 11.0;
    p = p * q + 1.0 / 9.0;
    p = p * q + 1.0 / 7.0;
    p = p * q + 1.0 / 5.0;
    p = p * q + 1.0 / 3.0;
    return p;
}

/* log(x) for finite x >= 0. x = 2^k z with z in [sqrt(1/2), sqrt(2)); log z = 2 artanh((z - 1) / (z + 1)) by its
 * series to the 21st power. */
ELEMENTARY_FUNCTION double log_nonnegative_double(double x)
{
    int tiny = x < 0x1p-1022;
    uint64_t bits = double_bits(tiny ? x * 0x1p54 : x);
    uint64_t offset = bits - 0x3fe6a09e667f3bcdull;
    double k = (double)((int64_t)offset >> 52) - (tiny ? 54.0 : 0.0);
    double z = double_from_bits(bits - (offset & 0xfff0000000000000ull));
    double t = (z - 1.0) / (z + 1.0);
    double q = t * t, p = artanh_series_double(q);
    double tail = (p * q) * (2.0 * t) + k * 1.9082149292705877e-10;
    double value = k * 0.69314718036912382 + (2.0 * t + tail);
    return x == 0 ? -double_from_bits(0x7ff0000000000000ull) : value;
}

#endif
