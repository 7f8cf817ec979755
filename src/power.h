/* SPDX-License-Identifier: MIT
 *
 * power.h - sums of e^x without a largest exponent to wait for. e^x is 2^k p, where k is an integer and p lies near 1;
 * a sum is {m, s}: the largest x, and the sum divided by 2^k(m). Scaling by powers of two is exact, so that the bits of
 * s do not depend on which m came when: s is what additions of numbers of unbounded exponents give. Read by the C
 * compiler and by NVRTC.
 *
 * p is off by less than 2^-23 of itself (double: 2^-52). Where neighbouring numbers lie so far apart that k is not
 * found in their arithmetic, from 2^21 on (double: 2^50), p is 1 and k any number near x / ln 2. */
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

/* k of x; of NaN, NaN */
ELEMENTARY_FUNCTION float power_exponent_float(float x)
{
    float shift = x < 0 ? -8388608.0f : 8388608.0f; /* 2^23: what is larger are integers */
    float near = FUSED_FLOAT(x, POWER_PER_UNIT_FLOAT, POWER_INTEGER_FLOAT) - POWER_INTEGER_FLOAT;
    float far = x * POWER_PER_UNIT_FLOAT;
    far = far > 3e38f ? 3e38f : far;
    far = far < -3e38f ? -3e38f : far;
    far = (far + shift) - shift;
    return (x < 0 ? -x : x) < POWER_FAR_FLOAT ? near : far;
}

ELEMENTARY_FUNCTION double power_exponent_double(double x)
{
    double shift = x < 0 ? -4503599627370496.0 : 4503599627370496.0;
    double near = FUSED_DOUBLE(x, POWER_PER_UNIT_DOUBLE, POWER_INTEGER_DOUBLE) - POWER_INTEGER_DOUBLE;
    double far = x * POWER_PER_UNIT_DOUBLE;
    far = far > 1e308 ? 1e308 : far;
    far = far < -1e308 ? -1e308 : far;
    far = (far + shift) - shift;
    return (x < 0 ? -x : x) < POWER_FAR_DOUBLE ? near : far;
}

/* e^x / 2^k for k of an x below POWER_FAR: a polynomial in x - k ln 2 whose largest relative error is the least. */
ELEMENTARY_FUNCTION float power_near_factor_float(float x, float k)
{
    float r = FUSED_FLOAT(k, 1.9046542e-9f, FUSED_FLOAT(k, -0.693147182f, x));
    float p = 0.00138145965f;
    p = FUSED_FLOAT(p, r, 0.00836871658f);
    p = FUSED_FLOAT(p, r, 0.041668389f);
    p = FUSED_FLOAT(p, r, 0.166665211f);
    p = FUSED_FLOAT(p, r, 0.49999994f);
    p = FUSED_FLOAT(p, r, 1.0f);
    return FUSED_FLOAT(p, r, 1.0f);
}

ELEMENTARY_FUNCTION double power_near_factor_double(double x, double k)
{
    double r = FUSED_DOUBLE(k, -2.3190468138462996e-17, FUSED_DOUBLE(k, -0.6931471805599453, x));
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

/* p of x */
ELEMENTARY_FUNCTION float power_factor_float(float x)
{
    float p = power_near_factor_float(x, power_exponent_float(x));
    return (x < 0 ? -x : x) >= POWER_FAR_FLOAT ? 1.0f : p;
}

ELEMENTARY_FUNCTION double power_factor_double(double x)
{
    double p = power_near_factor_double(x, power_exponent_double(x));
    return (x < 0 ? -x : x) >= POWER_FAR_DOUBLE ? 1.0 : p;
}

/* {m, s} after another sum is added to it. Beside a sum, which is no less than 0.7, what is halved 120 times (double:
 * 1000) changes nothing. */
ELEMENTARY_FUNCTION void powers_add_float(float *a, const float *b)
{
    float apart = power_exponent_float(a[0]) - power_exponent_float(b[0]);
    float halvings = apart < 0 ? -apart : apart;
    uint32_t bits = float_bits((halvings < 120.0f ? halvings : 120.0f) + 8388608.0f);
    float scale = float_from_bits((127u << 23) - (bits << 23));
    int more = b[0] > a[0];
    a[1] = (more ? a[1] * scale : a[1]) + (more ? b[1] : b[1] * scale);
    a[0] = more || b[0] != b[0] ? b[0] : a[0];
}

ELEMENTARY_FUNCTION void powers_add_double(double *a, const double *b)
{
    double apart = power_exponent_double(a[0]) - power_exponent_double(b[0]);
    double halvings = apart < 0 ? -apart : apart;
    uint64_t bits = double_bits((halvings < 1000.0 ? halvings : 1000.0) + 4503599627370496.0);
    double scale = double_from_bits((1023ull << 52) - (bits << 52));
    int more = b[0] > a[0];
    a[1] = (more ? a[1] * scale : a[1]) + (more ? b[1] : b[1] * scale);
    a[0] = more || b[0] != b[0] ? b[0] : a[0];
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
