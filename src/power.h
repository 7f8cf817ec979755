/* SPDX-License-Identifier: MIT
 *
 * power.h - sums of e^x without a largest exponent to wait for. e^x is 2^k p, where k is an integer and p lies near 1;
 * a sum is {m, s}: the largest x, and the sum divided by 2^k(m). Scaling by powers of two is exact, so that the bits of
 * s do not depend on which m came when: s is what additions of numbers of unbounded exponents give. Read by the C
 * compiler and by NVRTC.
 *
 * p is off by less than 2^-23 of itself (double: 2^-52). Where neighbouring numbers lie so far apart that k is not
 * found in their arithmetic, from 2^21 on (double: 2^50), p is that of 2^21, and k an integer near x / ln 2: logarithms
 * of sums are off by up to three times the distance of neighbours there. */
#ifndef TALLY_POWER_H
#define TALLY_POWER_H

#include "elementary.h"

/* x y + z, rounded once */
#ifndef FUSED_FLOAT
#define FUSED_FLOAT(x, y, z) __builtin_fmaf(x, y, z)
#define FUSED_DOUBLE(x, y, z) __builtin_fma(x, y, z)
#endif

#define POWER_FAR_FLOAT 2097152.0f          /* 2^21 */
#define POWER_FAR_DOUBLE 1125899906842624.0 /* 2^50 */
#define POWER_INTEGER_FLOAT 12582912.0f     /* 1.5 * 2^23: added, it rounds to an integer */
#define POWER_INTEGER_DOUBLE 6755399441055744.0
#define POWER_PER_UNIT_FLOAT 1.44269502f /* 1 / ln 2 */
#define POWER_PER_UNIT_DOUBLE 1.4426950408889634

/* The nearest number to x that is not far; of NaN, NaN. Picked from values at hand: compilers would make branches, and
 * no vectors, of what is computed on one side only. */
ELEMENTARY_FUNCTION float power_near_float(float x)
{
    float below = x > POWER_FAR_FLOAT ? POWER_FAR_FLOAT : x;
    return below < -POWER_FAR_FLOAT ? -POWER_FAR_FLOAT : below;
}

ELEMENTARY_FUNCTION double power_near_double(double x)
{
    double below = x > POWER_FAR_DOUBLE ? POWER_FAR_DOUBLE : x;
    return below < -POWER_FAR_DOUBLE ? -POWER_FAR_DOUBLE : below;
}

/* k of what is not far */
ELEMENTARY_FUNCTION float power_near_exponent_float(float near)
{
    return FUSED_FLOAT(near, POWER_PER_UNIT_FLOAT, POWER_INTEGER_FLOAT) - POWER_INTEGER_FLOAT;
}

ELEMENTARY_FUNCTION double power_near_exponent_double(double near)
{
    return FUSED_DOUBLE(near, POWER_PER_UNIT_DOUBLE, POWER_INTEGER_DOUBLE) - POWER_INTEGER_DOUBLE;
}

/* k of x; of NaN, NaN */
ELEMENTARY_FUNCTION float power_exponent_float(float x)
{
    float shift = float_from_bits((float_bits(x) & 0x80000000u) | 0x4b000000u); /* 2^23: what is larger are integers */
    float near = power_near_float(x), far = (x - near) * POWER_PER_UNIT_FLOAT;
    far = far > 3e38f ? 3e38f : far;
    far = far < -3e38f ? -3e38f : far;
    return power_near_exponent_float(near) + ((far + shift) - shift);
}

ELEMENTARY_FUNCTION double power_exponent_double(double x)
{
    double shift = double_from_bits((double_bits(x) & 0x8000000000000000ull) | 0x4330000000000000ull); /* 2^52 */
    double near = power_near_double(x), far = (x - near) * POWER_PER_UNIT_DOUBLE;
    far = far > 1e308 ? 1e308 : far;
    far = far < -1e308 ? -1e308 : far;
    return power_near_exponent_double(near) + ((far + shift) - shift);
}

/* e^r for |r| <= ln 2 / 2, and a little beyond: the polynomial whose largest relative error is the least. */
ELEMENTARY_FUNCTION float power_series_float(float r)
{
    float p = 0.00138145965f;
    p = FUSED_FLOAT(p, r, 0.00836871658f);
    p = FUSED_FLOAT(p, r, 0.041668389f);
    p = FUSED_FLOAT(p, r, 0.166665211f);
    p = FUSED_FLOAT(p, r, 0.49999994f);
    p = FUSED_FLOAT(p, r, 1.0f);
    return FUSED_FLOAT(p, r, 1.0f);
}

ELEMENTARY_FUNCTION double power_series_double(double r)
{
    double p = 2.5000042896524453e-08;
    p = FUSED_DOUBLE(p, r, 2.7630248066541834e-07);
    p = FUSED_DOUBLE(p, r, 2.7557586430346135e-06);
    p = FUSED_DOUBLE(p, r, 2.4801493099877013e-05);
    p = FUSED_DOUBLE(p, r, 0.00019841269506519688);
    p = FUSED_DOUBLE(p, r, 0.0013888888943629077);
    p = FUSED_DOUBLE(p, r, 0.008333333333494486);
    p = FUSED_DOUBLE(p, r, 0.04166666666653016);
    p = FUSED_DOUBLE(p, r, 0.16666666666666413);
    p = FUSED_DOUBLE(p, r, 0.5000000000000011);
    p = FUSED_DOUBLE(p, r, 1.0);
    return FUSED_DOUBLE(p, r, 1.0);
}

/* e^x / 2^k for x that is not far */
ELEMENTARY_FUNCTION float power_near_factor_float(float x, float k)
{
    return power_series_float(FUSED_FLOAT(k, 1.9046542e-9f, FUSED_FLOAT(k, -0.693147182f, x)));
}

ELEMENTARY_FUNCTION double power_near_factor_double(double x, double k)
{
    return power_series_double(FUSED_DOUBLE(k, -2.3190468138462996e-17, FUSED_DOUBLE(k, -0.6931471805599453, x)));
}

/* p of x */
ELEMENTARY_FUNCTION float power_factor_float(float x)
{
    float near = power_near_float(x);
    return power_near_factor_float(near, power_near_exponent_float(near));
}

ELEMENTARY_FUNCTION double power_factor_double(double x)
{
    double near = power_near_double(x);
    return power_near_factor_double(near, power_near_exponent_double(near));
}

/* What the sum beside the smaller of two exponents is multiplied by, which lie so far apart. Beside a sum, which is no
 * less than 0.7, what is halved 120 times (double: 1000) changes nothing. In this order, and with a minimum of
 * integers, compilers make vectors of it. */
ELEMENTARY_FUNCTION float powers_scale_apart_float(float apart)
{
    uint32_t size = float_bits(apart) & 0x7fffffffu;
    uint32_t halvings = float_bits(float_from_bits(size < 0x42f00000u /* 120 */ ? size : 0x42f00000u) + 8388608.0f);
    return float_from_bits((127u << 23) - (halvings << 23));
}

ELEMENTARY_FUNCTION float powers_scale_float(float a, float b)
{
    return powers_scale_apart_float(power_exponent_float(a) - power_exponent_float(b));
}

ELEMENTARY_FUNCTION double powers_scale_apart_double(double apart)
{
    uint64_t size = double_bits(apart) & 0x7fffffffffffffffull, most = 0x408f400000000000ull; /* 1000 */
    uint64_t halvings = double_bits(double_from_bits(size < most ? size : most) + 4503599627370496.0);
    return double_from_bits((1023ull << 52) - (halvings << 52));
}

ELEMENTARY_FUNCTION double powers_scale_double(double a, double b)
{
    return powers_scale_apart_double(power_exponent_double(a) - power_exponent_double(b));
}

/* {m, s} after another sum is added to it. */
ELEMENTARY_FUNCTION void powers_add_float(float *a, const float *b)
{
    float scale = powers_scale_float(a[0], b[0]);
    float largest = b[0] != b[0] ? b[0] : a[0];
    largest = b[0] > a[0] ? b[0] : largest;
    float larger = b[0] > a[0] ? b[1] : a[1], smaller = b[0] > a[0] ? a[1] : b[1];
    a[1] = larger + smaller * scale;
    a[0] = largest;
}

ELEMENTARY_FUNCTION void powers_add_double(double *a, const double *b)
{
    double scale = powers_scale_double(a[0], b[0]);
    double largest = b[0] != b[0] ? b[0] : a[0];
    largest = b[0] > a[0] ? b[0] : largest;
    double larger = b[0] > a[0] ? b[1] : a[1], smaller = b[0] > a[0] ? a[1] : b[1];
    a[1] = larger + smaller * scale;
    a[0] = largest;
}

/* ---- sums of what lies near each other: no element looks at another ----
 *
 * They are divided by two to some exponent, which all elements' lie at most so many halvings below and doublings above:
 * then the smallest power is a normal number, and the sum of 4096 of them is finite. From the largest guess on, an
 * exponent is no longer found by the addition of both constants at once. */
enum {
    POWER_BELOW_FLOAT = 125,
    POWER_ABOVE_FLOAT = 113,
    POWER_BELOW_DOUBLE = 1000,
    POWER_ABOVE_DOUBLE = 900,
    POWER_LARGEST_GUESS = 1 << 20
};

ELEMENTARY_FUNCTION float power_fused_float(float x, float y, float z)
{
    return FUSED_FLOAT(x, y, z);
}

ELEMENTARY_FUNCTION double power_fused_double(double x, double y, double z)
{
    return FUSED_DOUBLE(x, y, z);
}

/* p 2^j where the low bits of `shifted` are those of j */
ELEMENTARY_FUNCTION float power_scaled_float(float p, float shifted)
{
    return float_from_bits(float_bits(p) + (float_bits(shifted) << 23));
}

ELEMENTARY_FUNCTION double power_scaled_double(double p, double shifted)
{
    return double_from_bits(double_bits(p) + (double_bits(shifted) << 52));
}

/* The logarithm of a sum whose m is finite. */
ELEMENTARY_FUNCTION double powers_log_float(float m, float s)
{
    return (double)m + log_nonnegative_double((double)s / (double)power_factor_float(m));
}

ELEMENTARY_FUNCTION double powers_log_double(double m, double s)
{
    return m + log_nonnegative_double(s / power_factor_double(m));
}

#endif
