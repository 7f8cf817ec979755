/* SPDX-License-Identifier: MIT
 *
 * blocks_logadd.cuh - what scan_blocks.cu does with elements for logsumexp: LOGADD without what changes no result, and
 * results from logarithms that are near enough to be sure of how they round. No include guard. */

#if defined(ONLY_TYPE_f64)
typedef double real;
#define POWER exp_nonpositive_double
#else
typedef float real;
#define POWER exp_nonpositive_float
#endif

/* e^-x for x >= 0; below the normal range, and for NaN, any that is as small. */
DEVICE real power_of_distance(real x)
{
#if defined(ONLY_TYPE_f64)
    x = fabs(x);
    return exp_normal_double(x < -EXP_NORMAL_DOUBLE ? -x : EXP_NORMAL_DOUBLE);
#else
    return exp_normal_float(max(-fabsf(x), EXP_NORMAL_FLOAT));
#endif
}

/* NaN if one of them is; of zeros, either. */
DEVICE real larger_or_nan(real a, real b)
{
#if !defined(TALLY_SIMT) && !defined(ONLY_TYPE_f64) && __CUDA_ARCH__ >= 800
    float larger;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
    return larger;
#else
    return b > a || b != b ? b : a;
#endif
}

/* a becomes a * b. On the side of the larger exponent, if that is finite, the sum is at least one, so that no power
 * below the normal range changes it. If it is infinite or NaN, so is the result, whatever the sum is. */
DEVICE void append(real *a, const real *b)
{
    real power = power_of_distance(a[0] - b[0]);
    int more = b[0] > a[0];
    a[1] = a[1] * (more ? power : 1) + b[1] * (more ? 1 : power);
    a[0] = larger_or_nan(a[0], b[0]);
}

DEVICE void append_lane(struct FOLD(lane) * a, struct FOLD(lane) b)
{
    append(a->part, b.part);
}

DEVICE void append_wide(struct FOLD(wide) * a, struct FOLD(wide) b)
{
    append(a->part, b.part);
}

/* ---- what is kept of a run from its entering on: the sums, as the exponents follow from the elements ---- */

#define KEPT (KEEPS_SUMS * RUN * (int)sizeof(real) / 16) /* vectors, 32 apart */
#define KEPT_TOGETHER (16 / (int)sizeof(real))

DEVICE void keep_locals(const struct FOLD(lane) * locals, struct vector16 *kept)
{
#pragma unroll
    for (int i = 0; i < KEPT; i++) {
        real sums[KEPT_TOGETHER];
        struct vector16 v;
        for (int k = 0; k < KEPT_TOGETHER; k++) sums[k] = locals[i * KEPT_TOGETHER + k].part[1];
        memcpy(&v, sums, sizeof v);
        kept[32 * i] = v;
    }
}

DEVICE struct FOLD(lane)
    kept_local(const struct FOLD(lane) * before, const struct FOLD(lane) * own, const struct vector16 *kept, int i)
{
    struct FOLD(lane) local;
    real sums[KEPT_TOGETHER];
    memcpy(sums, &kept[i / KEPT_TOGETHER], sizeof sums);
    local.part[0] = larger_or_nan(before->part[0], own->part[0]);
    local.part[1] = sums[i % KEPT_TOGETHER];
    return local;
}

/* ---- results ---- */

#if ELEMENT_BYTES == 2
struct logarithms {
    int none;
};

DEVICE void logarithms_open(struct logarithms *logarithms)
{
    logarithms->none = 0;
}

/* log2(x) for 1 <= x < 2, to 2^-22. */
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

/* Whether the result is sure. v is off by less than 2^-21 + |v| 2^-23, the sums beside it by 2^-24 of themselves. */
DEVICE int quick_result(const struct logarithms *logarithms, struct FOLD(wide) total, char *to)
{
    uint32_t bits = float_bits(total.part[1]);
    float exponent = float_from_bits((bits >> 23) + 0x4b000000u) - 8388735.0f /* 2^23 + 127 */;
    float log2 = near_log2(float_from_bits((bits & 0x7fffffu) | 0x3f800000u));
    float v = __fmaf_rn(log2, 0.693147182f, __fmaf_rn(exponent, 0.693147182f, total.part[0]));
    float far = __fmaf_rn(fabsf(v), 1.8e-7f, 5e-7f);
    uint32_t pair = narrow_pair(v - far, v + far);
    (void)logarithms;
    *(uint16_t *)to = (uint16_t)pair;
    return fabsf(v) < 3e38f && (pair & 0xffff) == pair >> 16;
}
#elif ELEMENT_BYTES == 4
enum { LOGARITHMS = 128 };

/* Of numbers in the middle of the 128th parts of [1, 2). */
struct logarithms {
    struct {
        double reciprocal, logarithm;
    } middle[LOGARITHMS];
};

DEVICE void logarithms_open(struct logarithms *logarithms)
{
    for (int i = (int)threadIdx.x; i < LOGARITHMS; i += THREADS) {
        double middle = 1 + (i + 0.5) / LOGARITHMS;
        logarithms->middle[i].reciprocal = 1 / middle;
        logarithms->middle[i].logarithm = log_nonnegative_double(middle);
    }
}

/* Whether the result is sure. v is off by less than 2^-41, which is 2^13 units of a double from 2^-2 on; a float's
 * middle between two is 2^28 units from either. */
DEVICE int quick_result(const struct logarithms *logarithms, struct FOLD(wide) total, char *to)
{
    uint32_t bits = float_bits(total.part[1]), part = bits >> 16 & (LOGARITHMS - 1), unsure = 1u << 14;
    double z = float_from_bits((bits & 0x7fffffu) | 0x3f800000u);
    double exponent = double_from_bits((uint64_t)((bits >> 23) + 0x41300000u) << 32) - 1048703.0 /* 2^20 + 127 */;
    double rest = __fma_rn(z, logarithms->middle[part].reciprocal, -1);
    double series = __fma_rn(rest, __fma_rn(rest, -0.25, 0.3333333333333333), -0.5);
    double whole = __fma_rn(exponent, 0.6931471805599453, logarithms->middle[part].logarithm);
    double v = (total.part[0] + whole) + __fma_rn(rest * rest, series, rest);
    uint32_t low = (uint32_t)double_bits(v) & 0x1fffffffu, size = (uint32_t)(double_bits(v) >> 32) & 0x7fffffffu;
    *(float *)to = (float)v;
    return low - ((1u << 28) - unsure) > 2 * unsure && size - 0x3fd00000u /* 2^-2 */ < 0x08000000u /* below 2^126 */;
}
#else
struct logarithms {
    int none;
};

DEVICE void logarithms_open(struct logarithms *logarithms)
{
    logarithms->none = 0;
}

/* a / b for b in [1, 4) and a from 2^-53 on, or 0: as the compiler divides, without the way for all other numbers. */
DEVICE double quotient(double a, double b)
{
#if defined(TALLY_SIMT)
    return a / b;
#else
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(b));
    double error = __fma_rn(-b, y, 1.0);
    y = __fma_rn(y, __fma_rn(error, error, error), y);
    y = __fma_rn(y, __fma_rn(-b, y, 1.0), y);
    double q = a * y;
    return __fma_rn(y, __fma_rn(-b, q, a), q);
#endif
}

/* log_nonnegative_double(x) for finite x >= 1. */
DEVICE double log_of_sum(double x)
{
    uint64_t bits = double_bits(x), offset = bits - 0x3fe6a09e667f3bcdull;
    double k = double_from_bits(0x4330000000000000ull | offset >> 52) - 4503599627370496.0;
    double z = double_from_bits(bits - (offset & 0xfff0000000000000ull));
    double t = quotient(z - 1.0, z + 1.0);
    double q = t * t, p = artanh_series_double(q);
    double tail = __fma_rn(2.0, (p * q) * t, k * 1.9082149292705877e-10); /* here and below products are exact */
    return __fma_rn(k, 0.69314718036912382, __fma_rn(2.0, t, tail));
}

DEVICE int quick_result(const struct logarithms *logarithms, struct FOLD(wide) total, char *to)
{
    double sum = total.part[1], v = total.part[0] + log_of_sum(sum > 1 ? sum : 1); /* not of infinity's */
    (void)logarithms;
    *(uint64_t *)to = v != v ? 0x7ff8000000000000ull : double_bits(v);
    return 1;
}
#endif

/* Of the few that are not sure. */
DEVICE_CALL uint64_t sure_result(struct FOLD(wide) total)
{
    uint64_t bits = 0;
    finish_value(total, (char *)&bits);
    return bits;
}
