/* SPDX-License-Identifier: MIT
 *
 * ordered_lane.cuh - what the lanes of a leaf have in registers, one element after the other: states, or for logsumexp
 * what takes fewer instructions to be added. No include guard. */

#if defined(PICK_VALUE_ADD_POWERS)
#include "powers_sum.cuh"

#if POWERS_OF_INTEGERS
#include "integer_lanes.cuh"
#endif

#if ELEMENT_BYTES == 1
/* Powers of bytes, and sums of them, are doubles as they are. */
typedef struct {
    int32_t largest; /* element; INT32_MIN if there is none */
    double sum;
} lane;

DEVICE lane lane_none(void)
{
    lane none = {INT32_MIN, 0};
    return none;
}

DEVICE lane lane_of(element x, element y)
{
    int32_t v = (int32_t)NUMBER_OF(x);
    double exponent = power_near_exponent_double((double)v);
    lane one = {v, scaled(power_near_factor_double((double)v, exponent), POWER_INTEGER + exponent)};
    (void)y;
    if (ELEMENT_KIND == KIND_BOOLEAN) one.sum = v ? scaled(power_factor_double(1), POWER_INTEGER + 1) : 1;
    return one;
}

DEVICE void lane_append(lane *a, lane b)
{
    a->largest = max(a->largest, b.largest);
    a->sum += b.sum;
}

DEVICE struct FOLD(lane) lane_close(lane a)
{
    struct FOLD(lane) value = FOLD(lane_identity)();
    if (a.largest == INT32_MIN) return value;
    value.part[0] = (double)a.largest;
    value.part[1] = scaled(a.sum, POWER_INTEGER - power_near_exponent_double((double)a.largest));
    return value;
}
#elif !POWERS_OF_INTEGERS
typedef struct sum lane;

DEVICE lane lane_none(void)
{
    return no_sum();
}

DEVICE lane lane_of(element x, element y)
{
    (void)y;
    return sum_of_element(x);
}

DEVICE void lane_append(lane *a, lane b)
{
    sum_append(a, b);
}

DEVICE struct FOLD(lane) lane_close(lane a)
{
    struct FOLD(lane) value = {{a.largest, a.sum}};
    return value;
}
#endif

#else
typedef struct FOLD(lane) lane;

DEVICE lane lane_none(void)
{
    return FOLD(lane_identity)();
}

DEVICE lane lane_of(element x, element y)
{
    return FOLD(lift)(x, y);
}

DEVICE void lane_append(lane *a, lane b)
{
    FOLD(lane_combine)(a, b);
}

DEVICE struct FOLD(lane) lane_close(lane a)
{
    return a;
}
#endif
