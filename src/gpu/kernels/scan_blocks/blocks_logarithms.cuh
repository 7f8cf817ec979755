/* SPDX-License-Identifier: MIT
 *
 * blocks_logarithms.cuh - logarithms for the results of blocks_by_powers.cuh, near enough to be nearly always sure of
 * how they round; of doubles, which are not rounded any more, the very ones. A sum S whose largest element is m has the
 * result log(S) + n ln 2 + (m - k ln 2 - log(p(m))), whatever n it is divided by two to: the last part, of less than
 * 2^-23, follows from m alone. No include guard. */

#if POWERS_ARE_FLOATS
#include "near_logarithms.cuh"

/* m - k ln 2 - log(p(m)) */
DEVICE double offset_of(float largest, const struct logarithms *logarithms)
{
    float exponent = power_near_exponent_float(largest);
    return __fma_rn((double)exponent, -LN2, (double)largest) -
           near_log(power_near_factor_float(largest, exponent), 0, logarithms);
}
#endif

#if ELEMENT_BYTES == 2
/* What follows from the largest element: little beside a narrow result's last place. */
struct factor {
    int32_t none;
};

DEVICE struct factor factor_of(float largest, const struct logarithms *logarithms)
{
    struct factor factor = {0};
    (void)largest, (void)logarithms;
    return factor;
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
#elif POWERS_ARE_FLOATS
struct factor {
    double offset;
};

DEVICE_CALL struct factor factor_of(float largest, const struct logarithms *logarithms)
{
    struct factor factor = {offset_of(largest, logarithms)};
    return factor;
}
#else
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
