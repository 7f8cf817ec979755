/* SPDX-License-Identifier: MIT
 *
 * blocks_results_narrow.cuh - of blocks_results.cuh, for f16 and bf16: a logarithm in float lies between two numbers
 * that nearly always round alike. No include guard. */

#define NARROW_LN2 0.693147182f

/* Between two numbers that are added to logarithms, results are sure. */
struct bounds {
    float low, high;
};

DEVICE struct bounds bounds_of(const struct base *near, float last)
{
    /* what logarithms, what follows from the largest element, and ln 2 are off by */
    float error = FUSED_FLOAT(fabsf(near->exponent), 2e-9f, FUSED_FLOAT(near_log2(last), 1.7e-7f, 3e-7f));
    struct bounds bounds;
    bounds.low = fused_down(near->exponent, NARROW_LN2, -error);
    bounds.high = fused_up(near->exponent, NARROW_LN2, error);
    return bounds;
}

/* Two results as they are rounded at least, and at most. */
struct narrow_results {
    uint32_t low, high;
};

DEVICE struct narrow_results narrow_results(struct bounds bounds, float sum, float other)
{
    float log2 = near_log2(sum), other_log2 = near_log2(other);
    struct narrow_results results;
    results.low = narrow_pair(fused_down(log2, NARROW_LN2, bounds.low), fused_down(other_log2, NARROW_LN2, bounds.low));
    results.high = narrow_pair(fused_up(log2, NARROW_LN2, bounds.high), fused_up(other_log2, NARROW_LN2, bounds.high));
    return results;
}

DEVICE float *kept_place(struct vector16 *kept, int i)
{
    return (float *)&kept[32 * (i / SUMS)] + i % SUMS;
}

/* The largest element before the n-th of the run, and left of the run. */
DEVICE float largest_before(const struct vector16 *memory, const struct base *base, int n)
{
    float largest = base->largest;
    if (!base->grows) return largest;
    struct run run = run_load(memory);
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        float v = run_value(&run, i);
        if (i < n && v > largest) largest = v + 0;
    }
    return largest;
}

/* The sum of n elements of the run and all that stands left of it. */
DEVICE float sum_before(struct vector16 *kept, const struct base *base, int n)
{
    return n > 0 ? with_left(base, *kept_place(kept, n - 1)) : base->left;
}

/* Results of which pairs are not sure: these are found, from the last one on, in place of sums, and take the places of
 * elements when no element is needed any more. */
DEVICE_CALL void store_made_sure(struct run_results results, struct vector16 *memory, struct vector16 *kept,
                                 struct base base, uint32_t unsure)
{
    int32_t first = ((int32_t)threadIdx.x & 31) * RUN_VECTORS;
    for (uint32_t rest = unsure; rest;) {
        int i = 31 - __clz((int)rest), n = EXCLUSIVE ? i : i + 1;
        uint64_t bits = sure_result(sum_before(kept, &base, n), base.exponent, largest_before(memory, &base, n));
        *kept_place(kept, i) = float_from_bits((uint32_t)bits);
        rest ^= 1u << i;
    }
    store_run(&results, memory);
    for (uint32_t rest = unsure; rest; rest &= rest - 1) {
        int i = __ffs((int)rest) - 1;
        uint16_t *to = (uint16_t *)&memory[place_of(first + i / 8)] + i % 8;
        *to = (uint16_t)float_bits(*kept_place(kept, i));
    }
}

/* Of pairs that are not sure, the results that are not. */
DEVICE uint32_t unsure_of_pairs(struct vector16 *kept, const struct base *near, struct bounds bounds, uint32_t pairs)
{
    uint32_t unsure = 0;
    for (uint32_t rest = pairs; rest; rest &= rest - 1) {
        int i = __ffs((int)rest) - 1;
        float sum = sum_before(kept, near, EXCLUSIVE ? i : i + 1);
        struct narrow_results pair = narrow_results(bounds, sum, sum);
        unsure |= (uint32_t)(pair.low != pair.high) << i;
    }
    return unsure;
}

DEVICE void run_results(struct vector16 *memory, struct vector16 *kept, const struct entered *entered,
                        const struct base *base, const struct factor *factor, const struct logarithms *logarithms)
{
    struct own_sums own = own_sums(memory, kept, entered);
    struct run_results results;
    uint32_t unsure = 0;
    float sums[RUN], first = first_sum(base, own.sum[0]);
    struct base near = base_at(base, first);
    (void)factor, (void)logarithms;
    run_sums(&near, own.sum, sums);
    struct bounds bounds = bounds_of(&near, sums[RUN - 1]);
#pragma unroll
    for (int i = 0; i < RUN; i += 2) {
        struct narrow_results pair = narrow_results(bounds, sums[i], sums[i + 1]);
        results.vectors[i / 8].word[i % 8 / 2] = pair.low;
        unsure |= pair.low != pair.high ? 3u << i : 0;
    }
    if (unsure) unsure = unsure_of_pairs(kept, &near, bounds, unsure);
    if (!(first >= 0x1p-126f && sums[RUN - 1] < 0x1p64f)) unsure = 0xffff;
    if (unsure) store_made_sure(results, memory, kept, *base, unsure);
    else store_run(&results, memory);
}
