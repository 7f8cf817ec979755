/* SPDX-License-Identifier: MIT
 *
 * near_logarithms.cuh - logarithms of floats, near enough to be nearly always sure of how they round to a float. No
 * include guard. */

enum { LOGARITHMS = 128 };

/* Of numbers in the middle of the 128th parts of [1, 2). */
struct logarithm {
    double reciprocal, logarithm;
};

struct logarithms {
    struct logarithm middle[LOGARITHMS];
};

DEVICE void logarithms_open(struct logarithms *logarithms)
{
    for (int i = (int)threadIdx.x; i < LOGARITHMS; i += THREADS) {
        double middle = 1 + (i + 0.5) / LOGARITHMS;
        logarithms->middle[i].reciprocal = 1 / middle;
        logarithms->middle[i].logarithm = log_nonnegative_double(middle);
    }
}

/* Beside a number in [1, 2). */
DEVICE struct logarithm middle_beside(const struct logarithms *logarithms, float x)
{
    return logarithms->middle[float_bits(x) >> 16 & (LOGARITHMS - 1)];
}

/* log(x / middle) + more, off by less than 2^-44 where they are within 2^-7 of each other. */
DEVICE double log_beside(double x, double reciprocal, double more)
{
    double rest = __fma_rn(x, reciprocal, -1);
    double series = __fma_rn(rest, __fma_rn(rest, 0.2, -0.25), 0.3333333333333333);
    return __fma_rn(rest, __fma_rn(rest, __fma_rn(rest, series, -0.5), 1), more);
}

/* log(x) + more, of normal x. */
DEVICE double near_log(float x, double more, const struct logarithms *logarithms)
{
    uint32_t bits = float_bits(x);
    double exponent = double_from_bits((uint64_t)((bits >> 23) + 0x41300000u) << 32) - 1048703.0 /* 2^20 + 127 */;
    struct logarithm middle = middle_beside(logarithms, x);
    double part = double_of(float_from_bits((bits & 0x7fffffu) | 0x3f800000u));
    return log_beside(part, middle.reciprocal, __fma_rn(exponent, LN2, middle.logarithm) + more);
}
