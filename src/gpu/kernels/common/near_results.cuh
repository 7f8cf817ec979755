/* SPDX-License-Identifier: MIT
 *
 * near_results.cuh - results of f32, f16 and bf16 from logarithms that are near enough to be nearly always sure of how
 * they round. No include guard. */

#define LN2 0.6931471805599453

/* x of normal size, as a double: conversions would wait for each other. */
DEVICE double double_of(float x)
{
    return double_from_bits((uint64_t)float_bits(x) * (1u << 29) + (896ull << 52));
}

/* The float below a number, and above, or itself. */
DEVICE_UNUSED float float_down(double v)
{
#if defined(TALLY_SIMT)
    return nextafterf((float)v, -INFINITY);
#else
    return __double2float_rd(v);
#endif
}

DEVICE_UNUSED float float_up(double v)
{
#if defined(TALLY_SIMT)
    return nextafterf((float)v, INFINITY);
#else
    return __double2float_ru(v);
#endif
}

/* Eighths of what a double's last place is off by at most, of results that are at least this far from zero; 0 where
 * that is too much. A float's middle between two is 2^28 places from either. */
DEVICE uint32_t eighths_unsure(float least, float exponent)
{
    float error = __fmaf_rn(fabsf(exponent), 0x1p-48f, 0x1p-42f);
    uint32_t bits = float_bits(least) & 0x7f800000u;
    float places = error * float_from_bits((306u << 23) - bits); /* 2^52 divided by the power of two below it */
    return least >= 0x1p-14f ? (uint32_t)(places * 8) + 64 : 0;
}

/* Whether what is near v, beside an exponent or a number of this size, rounds to the same float. */
DEVICE int rounds_surely(double v, float exponent)
{
    uint32_t eighths = eighths_unsure(fabsf((float)v), exponent), begin = eighths - (1u << 31);
    return eighths > 0 && ((uint32_t)double_bits(v) << 3) + begin >= 2 * eighths;
}

/* A float's bits as a result's, in the low half. */
DEVICE_UNUSED uint32_t narrowed(float v)
{
    return IS_F16(RESULT_NUMBER) ? NARROWED_F16(v) : NARROWED_BF16(v);
}

/* The same of what is near v; in the high half, whether that is sure. What v is off by is less than 2^-42 and 2^-48 of
 * the largest element, and a quarter of what is allowed for. */
DEVICE_CALL uint32_t narrowed_surely(double v, float largest)
{
    double error = __fma_rn(fabs((double)largest), 0x1p-46, 0x1p-40);
    uint32_t least = narrowed(float_down(v - error)), most = narrowed(float_up(v + error));
    return least | (uint32_t)(least == most) << 16;
}

/* Writes a result that is near v, beside a finite largest element; whether it is sure. */
DEVICE_UNUSED int store_near(double v, float largest, char *to)
{
    float rounded = (float)v;
    if (RESULT_PART == 2) {
        float reach = __fmaf_rn(fabsf(rounded), 0x1p-22f, 0x1p-38f);
        uint32_t least = narrowed(rounded - reach), result = least | 1u << 16;
        if (least != narrowed(rounded + reach)) result = narrowed_surely(v, largest);
        finish_bits(result & 0xffff, 0, to);
        return (int)(result >> 16);
    }
    finish_bits(float_bits(rounded), 0, to);
    return rounds_surely(v, largest);
}
