/* SPDX-License-Identifier: MIT
 *
 * ordered_sums_powers.cuh - the names of ordered_sums.cuh for logsumexp. No include guard. */

#include "largest_power.cuh"

#include "powers_sum.cuh"
#include "ordered_standing.cuh"

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
    double result = log_of((double)sum.sum, &top);
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
