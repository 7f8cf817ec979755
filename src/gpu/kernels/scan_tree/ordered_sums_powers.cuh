/* SPDX-License-Identifier: MIT
 *
 * ordered_sums_powers.cuh - the names of ordered_sums.cuh for logsumexp. No include guard. */

#include "near_logarithms.cuh"

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

/* The other way, but for the last element, of which no result here knows. */
DEVICE uint32_t move_back(element *x, uint32_t present)
{
#pragma unroll
    for (int i = 0; i + 1 < RUN; i++) x[i] = x[i + 1];
    return present >> 1;
}

/* Writes what is not NaN. */
DEVICE void finish_number(double v, char *to)
{
    if (RESULT_PART == 8) *(double *)to = v;
    else finish_real(v, 0, to);
}

/* By all threads, once. */
DEVICE void prepare_results(void)
{
    if (ARE_NEAR) logarithms_open(shared_logarithms());
    __syncthreads();
}

/* Writes results of a run, from what is near; returns bits of those that are not sure. In shared memory, where there is
 * room, all are written: without branches that logarithms would wait in. */
DEVICE uint32_t write_near(const element *x, uint32_t present, const struct local *local, struct sum left, int grows,
                           char *to, int64_t apart, int64_t count)
{
    struct beside beside = beside_of(local, left);
    power_real largest = left.largest;
    uint32_t unsure = 0;
#pragma unroll
    for (int first = 0; first < RUN; first += RESULTS) {
        double found[RESULTS];
        if (grows) find_growing(x, present, local, &beside, first, found);
        else find(local, &beside, first, found);
#pragma unroll
        for (int k = 0; k < RESULTS; k++) {
            int i = first + k;
            power_real v = NUMBER_OF(x[i]);
            if (present >> i & 1 && v > largest) largest = v;
            double result = ARE_NEAR ? found[k] : (double)largest + log_of_sum(found[k]);
            if (!is_finite(largest)) result = (double)largest;
            if (OUT_WAY == BY_RUN && i >= count) continue;
            if (!ARE_NEAR) finish_number(result, to + i * apart);
            else if (!store_near(result, (float)largest, to + i * apart) && is_finite(largest)) unsure |= 1u << i;
        }
    }
    return unsure;
}

/* Writes the results of `count` elements, which lie `apart` bytes from each other. */
DEVICE void write_results(element *x, uint32_t present, struct local *local, const struct standing *base, char *to,
                          int64_t apart, int64_t count)
{
    struct sum left = base->value;
    int grows = !(is_finite(left.largest) && local->last.largest <= left.largest);
    int32_t here = count < 0 ? 0 : count < RUN ? (int32_t)count : RUN;
    if (local->near && __all_sync(FULL_WARP, is_right(x, present, local, left))) {
        if (EXCLUSIVE) present = move_on(x, present, local);
        grows = __any_sync(FULL_WARP, grows);
        uint32_t unsure = write_near(x, present, local, left, grows, to, apart, count);
        if (!ARE_NEAR || !(unsure & ((1u << here) - 1))) return;
        if (EXCLUSIVE) present = move_back(x, present);
    }
    write_by_steps(elements_of(x), present, left, to, apart, here);
}
