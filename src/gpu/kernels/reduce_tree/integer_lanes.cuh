/* SPDX-License-Identifier: MIT
 *
 * integer_lanes.cuh - lanes of logsumexp of integers, one element after the other. Of two integers FAR apart the sum is
 * that of the larger one, so what came before such an element does not matter, and what comes after a larger one
 * neither: most lanes never need a power. No include guard. */

#if ELEMENT_BYTES == 8
#if defined(ONLY_TYPE_i64)
typedef int64_t wide_integer;
#else
typedef uint64_t wide_integer;
#endif
typedef uint64_t wide_distance;
enum { FAR = 4096, LONE = 8192 }; /* doubles near them may be 2048 apart */
#else
#if defined(ONLY_TYPE_i8) || defined(ONLY_TYPE_i16) || defined(ONLY_TYPE_i32)
typedef int32_t wide_integer;
#else
typedef uint32_t wide_integer;
#endif
typedef uint32_t wide_distance;
enum { FAR = 48, LONE = 48 }; /* e^-48 times a lane of them changes no sum */
#endif

DEVICE wide_integer integer_of(element x)
{
    return ELEMENT_KIND == KIND_BOOLEAN ? (wide_integer)(x.v != 0) : (wide_integer)x.v;
}

/* The least and the largest wide_integer. */
#define INTEGER_LEAST \
    ((wide_integer)(ELEMENT_KIND == KIND_SIGNED ? (wide_distance)1 << (8 * sizeof(wide_distance) - 1) : 0))
#define INTEGER_MOST ((wide_integer)((wide_distance)INTEGER_LEAST - 1))

DEVICE int is_far(wide_integer a, wide_integer b)
{
    return (a > b ? (wide_distance)a - (wide_distance)b : (wide_distance)b - (wide_distance)a) >= FAR;
}

/* The power of two of a double that is such an integer. */
DEVICE double exponent_of(wide_integer v)
{
    return ELEMENT_BYTES == 8 ? power_exponent_double((double)v) : power_near_exponent_double((double)v);
}

DEVICE double factor_of(wide_integer v, double exponent)
{
    return ELEMENT_BYTES == 8 ? power_factor_double((double)v) : power_near_factor_double((double)v, exponent);
}

#if ELEMENT_BYTES > 1
typedef struct {
    wide_integer largest;
    double sum; /* divided by two to the largest one's exponent; 0: it is alone; negative: there is none */
} lane;

DEVICE lane lane_none(void)
{
    lane none = {INTEGER_LEAST, -1};
    return none;
}

DEVICE lane lane_of(element x, element y)
{
    lane one = {integer_of(x), 0};
    (void)y;
    return one;
}

DEVICE int lane_is_none(const lane *a)
{
    return (int32_t)(double_bits(a->sum) >> 32) < 0;
}

/* Beside a largest one that is there. */
DEVICE double sum_of_lane(const lane *a)
{
    return a->sum != 0 ? a->sum : factor_of(a->largest, exponent_of(a->largest));
}

DEVICE_CALL double sum_of_near(lane a, lane b)
{
    struct sum sum = {(double)a.largest, exponent_of(a.largest), sum_of_lane(&a)};
    struct sum other = {(double)b.largest, exponent_of(b.largest), sum_of_lane(&b)};
    sum_append(&sum, other);
    return sum.sum;
}

DEVICE void lane_append(lane *a, lane b)
{
    int more = b.largest > a->largest, none = lane_is_none(a);
    if (lane_is_none(&b)) return;
    if (!none && !is_far(a->largest, b.largest)) a->sum = sum_of_near(*a, b);
    else a->sum = more || none ? b.sum : a->sum;
    a->largest = more ? b.largest : a->largest;
}

DEVICE struct FOLD(lane) lane_close(lane a)
{
    struct FOLD(lane) value = FOLD(lane_identity)();
    if (lane_is_none(&a)) return value;
    value.part[0] = (double)a.largest;
    value.part[1] = sum_of_lane(&a);
    return value;
}
#endif
