/* SPDX-License-Identifier: MIT
 *
 * ordered_sums_powers.cuh - the names of ordered_sums.cuh for logsumexp. A sum has the exponent of its largest element
 * with it, which takes longer to find than two sums to be added. No include guard. */

#include "exact_logarithms.cuh"

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

DEVICE int is_near(power_real v)
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

DEVICE struct sum no_sum(void)
{
    struct sum none = {-(power_real)INFINITY, POWERS_ARE_FLOATS ? (power_real)-3e38f : (power_real)-1e308, 0};
    return none;
}

DEVICE struct sum sum_of(struct FOLD(wide) value)
{
    struct sum sum = {value.part[0], OF_POWERS(power_exponent)(value.part[0]), value.part[1]};
    return sum;
}

DEVICE struct FOLD(wide) value_of(struct sum sum)
{
    struct FOLD(wide) value = {{sum.largest, sum.sum}};
    return value;
}

DEVICE power_real exponent_of(power_real v)
{
    power_real exponent = OF_POWERS(power_near_exponent)(v);
    if (!is_near(v)) exponent = OF_POWERS(power_exponent)(v);
    return exponent;
}

DEVICE struct sum sum_of_element(element x)
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
DEVICE void sum_append(struct sum *a, struct sum b)
{
    power_real scale = OF_POWERS(powers_scale_apart)(a->exponent - b.exponent);
    int grows = b.largest > a->largest, takes = grows || b.largest != b.largest;
    a->sum = FUSED(grows ? a->sum : b.sum, scale, grows ? b.sum : a->sum);
    a->largest = takes ? b.largest : a->largest;
    a->exponent = takes ? b.exponent : a->exponent;
}

#include "ordered_standing.cuh"

/* What results follow from beside a sum: the largest element, and its power in the sum's unit. */
struct largest {
    power_real value;
    double power, inverse;
};

DEVICE struct largest largest_with(power_real value, double power)
{
    struct largest largest = {value, power, inverse_of(power)};
    return largest;
}

DEVICE struct largest largest_of(power_real value)
{
    return largest_with(value, (double)OF_POWERS(power_factor)(value));
}

DEVICE int is_finite(power_real v)
{
    return POWERS_ARE_FLOATS ? (float_bits((float)v) & 0x7f800000u) != 0x7f800000u
                             : ((uint32_t)(double_bits((double)v) >> 32) & 0x7ff00000u) != 0x7ff00000u;
}

/* Sums of the run up to each element, in the unit of the last. */
struct local {
    power_real sum[RUN];
    struct sum last;
    int32_t near; /* of all runs of a warp; else there are no sums but the last */
};

#include "ordered_sums_near.cuh"

/* ---- by steps: any elements ---- */

struct elements {
    element x[RUN];
};

DEVICE struct elements elements_of(const element *x)
{
    struct elements elements;
#pragma unroll
    for (int i = 0; i < RUN; i++) elements.x[i] = x[i];
    return elements;
}

DEVICE_CALL struct sum enter_by_steps(struct elements elements, uint32_t present)
{
    struct sum upto = no_sum();
#pragma unroll 1
    for (int i = 0; i < RUN; i++) {
        if (present >> i & 1) sum_append(&upto, sum_of_element(elements.x[i]));
    }
    return upto;
}

/* The result of a sum. */
DEVICE void write_sum(struct sum sum, char *to)
{
    struct largest top = largest_of(sum.largest);
    double result = (double)sum.largest + log_of_sum(quotient((double)sum.sum, top.power, top.inverse));
    finish_real(is_finite(sum.largest) ? result : (double)sum.largest, 0, to);
}

DEVICE_CALL void write_by_steps(struct elements elements, uint32_t present, struct sum left, char *to, int64_t apart,
                                int32_t count)
{
    struct sum own = no_sum();
#pragma unroll 1
    for (int32_t i = 0; i < RUN && i < count; i++) {
        struct sum before = left, behind = left;
        sum_append(&before, own);
        if (present >> i & 1) sum_append(&own, sum_of_element(elements.x[i]));
        sum_append(&behind, own);
        write_sum(EXCLUSIVE ? before : behind, to + i * apart);
    }
}

/* ---- runs ---- */

DEVICE struct sum enter_run(const element *x, uint32_t present, struct local *local)
{
    local->near = __all_sync(FULL_WARP, enter_near(x, present, local));
    if (!local->near) local->last = enter_by_steps(elements_of(x), present);
    return local->last;
}

/* Results before an element are those behind the one before it; before the first, there is none. */
DEVICE uint32_t move_on(element *x, uint32_t present, struct local *local)
{
#pragma unroll
    for (int i = RUN - 1; i > 0; i--) {
        x[i] = x[i - 1];
        local->sum[i] = local->sum[i - 1];
    }
    local->sum[0] = 0;
    return present << 1;
}

/* Writes what is not NaN. */
DEVICE void finish_number(double v, char *to)
{
    if (RESULT_PART == 8) *(double *)to = v;
    else finish_real(v, 0, to);
}

/* Writes the results of `count` elements (in shared memory, where there is room for all, of all: without branches that
 * logarithms would wait in), which lie
 * `apart` bytes from each other. */
DEVICE void write_results(element *x, uint32_t present, struct local *local, const struct standing *base, char *to,
                          int64_t apart, int64_t count)
{
    struct sum left = base->value;
    power_real largest = left.largest;
    int grows = !(is_finite(largest) && local->last.largest <= largest);
    if (!local->near || !__all_sync(FULL_WARP, is_right(x, present, local, left))) {
        write_by_steps(elements_of(x), present, left, to, apart, count < RUN ? (int32_t)count : RUN);
        return;
    }
    if (EXCLUSIVE) present = move_on(x, present, local);
    struct beside beside = beside_of(local, left);
    grows = __any_sync(FULL_WARP, grows);
#pragma unroll
    for (int first = 0; first < RUN; first += RESULTS) {
        double quotients[RESULTS];
        if (grows) growing_quotients(x, present, local, &beside, first, quotients);
        else find_quotients(local, &beside, first, quotients);
#pragma unroll
        for (int i = 0; i < RESULTS; i++) {
            power_real v = NUMBER_OF(x[first + i]);
            if (present >> (first + i) & 1 && v > largest) largest = v;
            double result = (double)largest + log_of_sum(quotients[i]);
            if (OUT_WAY != BY_RUN || first + i < count)
                finish_number(is_finite(largest) ? result : (double)largest, to + (first + i) * apart);
        }
    }
}
