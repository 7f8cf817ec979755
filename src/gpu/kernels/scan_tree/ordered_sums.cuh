/* SPDX-License-Identifier: MIT
 *
 * ordered_sums.cuh - what scan_ordered.cu and scan_ordered_rows.cu combine: states of folds. ordered_sums_powers.cuh
 * has the same names for logsumexp. No include guard. */

struct sum {
    struct FOLD(wide) value;
};

DEVICE struct sum no_sum(void)
{
    struct sum none = {FOLD(wide_identity)()};
    return none;
}

DEVICE struct sum sum_of(struct FOLD(wide) value)
{
    struct sum sum = {value};
    return sum;
}

DEVICE struct FOLD(wide) value_of(struct sum sum)
{
    return sum.value;
}

/* a becomes a * b. */
DEVICE void sum_append(struct sum *a, struct sum b)
{
    FOLD(wide_combine)(&a->value, b.value);
}

#include "ordered_standing.cuh"

/* The run's totals up to each element: total[i] = x0 * ... * xi. */
struct local {
    struct FOLD(lane) total[RUN];
};

/* Finds them, and returns the last. Absent elements are the identity. */
DEVICE struct sum enter_run(const element *x, uint32_t present, struct local *local)
{
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        struct FOLD(lane) lifted = FOLD(lane_identity)();
        if (present >> i & 1) lifted = FOLD(lift)(x[i], x[i]);
        if (i > 0) {
            local->total[i] = local->total[i - 1];
            FOLD(lane_combine)(&local->total[i], lifted);
        } else {
            local->total[i] = lifted;
        }
    }
    return sum_of(FOLD(widen)(local->total[RUN - 1]));
}

DEVICE void prepare_results(void) {}

/* Writes the results of `count` elements, which lie `apart` bytes from each other. */
DEVICE void write_results(const element *x, uint32_t present, struct local *local, const struct standing *base,
                          char *to, int64_t apart, int64_t count)
{
    (void)x, (void)present;
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        struct standing value = *base;
        if (i >= count) continue;
        if (!EXCLUSIVE || i > 0)
            standing_append(&value, sum_of(FOLD(widen)(local->total[EXCLUSIVE ? (i > 0 ? i - 1 : 0) : i])));
        store_value(value.value.value, to + i * apart);
    }
}
