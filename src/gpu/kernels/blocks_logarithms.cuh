/* SPDX-License-Identifier: MIT
 *
 * blocks_logarithms.cuh - logarithms for the results of blocks_by_powers.cuh, near enough to be nearly always sure of
 * how they round; of doubles, which are not rounded any more, the very ones. A sum S whose largest element is m has the
 * result log(S) + n ln 2 + (m - k ln 2 - log(p(m))), whatever n it is divided by two to: the last part, of less than
 * 2^-23, follows from m alone. No include guard. */

#if ELEMENT_BYTES == 2
/* What follows from the largest element: little beside a narrow result's last place. */
struct factor {
    int32_t none;
};

struct logarithms {
    int32_t none;
};

DEVICE void logarithms_open(struct logarithms *logarithms)
{
    logarithms->none = 0;
}

DEVICE struct factor factor_of(float largest, const struct logarithms *logarithms)
{
    struct factor factor = {0};
    (void)largest, (void)logarithms;
    return factor;
}

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

/* x y + z, rounded down, and up. */
DEVICE float fused_down(float x, float y, float z)
{
#if defined(TALLY_SIMT)
    float v = FUSED_FLOAT(x, y, z);
    return v - fabsf(v) * 0x1p-23f;
#else
    return __fmaf_rd(x, y, z);
#endif
}

DEVICE float fused_up(float x, float y, float z)
{
#if defined(TALLY_SIMT)
    float v = FUSED_FLOAT(x, y, z);
    return v + fabsf(v) * 0x1p-23f;
#else
    return __fmaf_ru(x, y, z);
#endif
}

/* Both rounded, the first one in the low half. */
DEVICE uint32_t narrow_pair(float first, float second)
{
    uint32_t pair = 0;
#if defined(TALLY_SIMT)
    pair = IS_F16(RESULT_NUMBER) ? (uint32_t)f32_to_f16(second) << 16 | f32_to_f16(first)
                                 : (uint32_t)f32_to_bf16(second) << 16 | f32_to_bf16(first);
#elif __CUDA_ARCH__ >= 800
    if (IS_F16(RESULT_NUMBER)) asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
    else asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
#endif
    return pair;
}
#elif POWERS_ARE_FLOATS
enum { LOGARITHMS = 128 };

#define LN2 0.6931471805599453

/* Of numbers in the middle of the 128th parts of [1, 2). */
struct logarithm {
    double reciprocal, logarithm;
};

struct logarithms {
    struct logarithm middle[LOGARITHMS];
};

struct factor {
    double offset; /* m - k ln 2 - log(p(m)) */
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

/* x of normal size, as a double: conversions would wait for each other. */
DEVICE double double_of(float x)
{
    return double_from_bits((uint64_t)float_bits(x) * (1u << 29) + (896ull << 52));
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

DEVICE_CALL struct factor factor_of(float largest, const struct logarithms *logarithms)
{
    float exponent = power_near_exponent_float(largest);
    struct factor factor;
    factor.offset = __fma_rn((double)exponent, -LN2, (double)largest) -
                    near_log(power_near_factor_float(largest, exponent), 0, logarithms);
    return factor;
}
#else
#include "exact_logarithms.cuh"

struct factor {
    double power, inverse; /* p(m), and 1 / p(m) */
};

struct logarithms {
    int32_t none;
};

DEVICE void logarithms_open(struct logarithms *logarithms)
{
    logarithms->none = 0;
}

DEVICE_CALL struct factor factor_of(double largest, const struct logarithms *logarithms)
{
    struct factor factor;
    (void)logarithms;
    factor.power = power_factor_double(largest);
    factor.inverse = inverse_of(factor.power);
    return factor;
}
#endif
