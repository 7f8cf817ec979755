/* SPDX-License-Identifier: MIT
 *
 * powers_sum.cuh - sums of powers that have the exponent of their largest element with them, which takes longer to find
 * than two sums to be added; the bits are those of powers_add_* (power.h). No include guard. */

struct sum {
    power_real largest, exponent, sum;
};

#if POWERS_ARE_FLOATS || defined(ONLY_TYPE_f64)
#define ALWAYS_NEAR 0
#define NUMBER_OF(x) ((x).v + 0) /* of zeros, the positive one */
#else
#define ALWAYS_NEAR (ELEMENT_BYTES <= 4) /* no exponent is beyond what one addition rounds */
#define NUMBER_OF(x) ((power_real)(ELEMENT_KIND == KIND_BOOLEAN ? (x).v != 0 : (x).v))
#endif

DEVICE_UNUSED int is_near(power_real v)
{
#if ALWAYS_NEAR
    (void)v;
    return 1;
#elif POWERS_ARE_FLOATS
    return fabsf(v) <= POWER_FAR_FLOAT;
#else
    return (uint32_t)(double_bits(v) >> 32) * 2 < (uint32_t)(double_bits(POWER_FAR_DOUBLE) >> 32) * 2;
#endif
}

DEVICE_UNUSED struct sum no_sum(void)
{
    struct sum none = {-(power_real)INFINITY, POWERS_ARE_FLOATS ? (power_real)-3e38f : (power_real)-1e308, 0};
    return none;
}

DEVICE_UNUSED struct sum sum_of(struct FOLD(wide) value)
{
    struct sum sum = {value.part[0], OF_POWERS(power_exponent)(value.part[0]), value.part[1]};
    return sum;
}

DEVICE_UNUSED struct FOLD(wide) value_of(struct sum sum)
{
    struct FOLD(wide) value = {{sum.largest, sum.sum}};
    return value;
}

DEVICE_UNUSED struct sum sum_of_element(element x)
{
    power_real v = NUMBER_OF(x);
    struct sum sum = {v, OF_POWERS(power_near_exponent)(v), 0};
    sum.sum = OF_POWERS(power_near_factor)(v, sum.exponent);
    if (!is_near(v)) {
        sum.exponent = OF_POWERS(power_exponent)(v);
        sum.sum = OF_POWERS(power_factor)(v);
    }
    return sum;
}

/* a becomes a + b: as powers_add_*, whose product is exact. */
DEVICE_UNUSED void sum_append(struct sum *a, struct sum b)
{
    power_real scale = OF_POWERS(powers_scale_apart)(a->exponent - b.exponent);
    int grows = b.largest > a->largest, takes = grows || b.largest != b.largest;
    a->sum = FUSED(grows ? a->sum : b.sum, scale, grows ? b.sum : a->sum);
    a->largest = takes ? b.largest : a->largest;
    a->exponent = takes ? b.exponent : a->exponent;
}
