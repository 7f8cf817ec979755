/* SPDX-License-Identifier: MIT
 *
 * blocks_results_narrow.cuh - of blocks_results.cuh, for f16 and bf16. A logarithm in float lies between two numbers
 * that nearly always round alike. Where those of what stands left of a run and of its end do, all results between them
 * are the same: after some ten thousand elements of one size nearly all runs are such. No include guard. */

#define NARROW_LN2 0.693147182f

/* Between two numbers that are added to logarithms, results are sure. */
struct bounds {
    float low, high;
};

/* more: what sums are off by, of themselves */
DEVICE struct bounds bounds_of(const struct base *near, float last, float more)
{
    /* what logarithms, what follows from the largest element, and ln 2 are off by */
    float error = FUSED_FLOAT(fabsf(near->exponent), 2e-9f, FUSED_FLOAT(near_log2(last), 1.7e-7f, 3e-7f + more));
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
    results.low =
        narrowed_pair(fused_down(log2, NARROW_LN2, bounds.low), fused_down(other_log2, NARROW_LN2, bounds.low));
    results.high =
        narrowed_pair(fused_up(log2, NARROW_LN2, bounds.high), fused_up(other_log2, NARROW_LN2, bounds.high));
    return results;
}

/* Whether sums of the run are numbers of which bounds hold. */
DEVICE int is_in_range(float first, float last)
{
    return first >= 0x1p-126f && last < 0x1p64f;
}

/* Whether all results are the same: a pair of it, or 0. */
DEVICE uint32_t result_of_all(const struct base *base)
{
    struct base near = base_at(base, base->left);
    /* sums up to a lane are added otherwise: five sums each, and three additions to what stands left, off by 2^-24 */
    struct bounds bounds = bounds_of(&near, near.upto, 1e-6f);
    struct narrow_results ends = narrow_results(bounds, near.left, near.upto);
    uint32_t low = ends.low & 0xffff, high = ends.high >> 16;
    return low == high && is_in_range(base->left, near.upto) ? low | low << 16 : 0;
}

/* A result whose sum and largest element are known, near enough to be nearly always sure. */
DEVICE_CALL uint32_t surer_result(float sum, float exponent, float largest, const struct logarithms *logarithms)
{
    if (sum >= 0x1p-126f && sum < INFINITY && largest > -INFINITY) {
        double v = near_log(sum, __fma_rn((double)exponent, LN2, offset_of(largest, logarithms)), logarithms);
        double error = __fma_rn(fabs((double)exponent), 0x1p-48, 0x1p-42);
        uint32_t pair = narrowed_pair(float_down(v - error), float_up(v + error));
        if ((pair & 0xffff) == pair >> 16) return pair & 0xffff;
    }
    return (uint32_t)sure_result(sum, exponent, largest);
}

/* The results that are not sure; where the largest element stays and the first and the last one are the same, at
 * once. */
DEVICE_CALL struct run_results results_made_sure(struct run_results results, const struct vector16 *memory,
                                                 const struct entered *entered, struct base base,
                                                 const struct logarithms *logarithms, uint32_t unsure)
{
    struct own_sums own = own_sums(memory, entered);
    struct run run = run_load(memory);
    float sum = base.left, largest = base.largest, last = with_left(&base, own.sum[RUN - 1]);
    uint32_t end = 0, all = 0;
    if (!base.grows) end = surer_result(last, base.exponent, largest, logarithms);
    if (!base.grows) all = end == surer_result(first_sum(&base, own.sum[0]), base.exponent, largest, logarithms);
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        float v = run_value(&run, i), upto = with_left(&base, own.sum[i]), most = v > largest ? v + 0 : largest;
        if (!base.grows) most = largest;
        if (!EXCLUSIVE) sum = upto, largest = most;
        if (unsure >> i & 1) {
            uint32_t half = all ? end : surer_result(sum, base.exponent, largest, logarithms);
            uint32_t *word = &results.vectors[i / 8].word[i % 8 / 2];
            *word = i % 2 ? (*word & 0xffff) | half << 16 : (*word & 0xffff0000u) | half;
        }
        if (EXCLUSIVE) sum = upto, largest = most;
    }
    return results;
}

DEVICE void store_result_of_all(uint32_t pair, struct vector16 *memory)
{
    const struct vector16 v = {{pair, pair, pair, pair}};
    struct run_results results;
#pragma unroll
    for (int i = 0; i < RUN_VECTORS; i++) results.vectors[i] = v;
    store_run(&results, memory);
}

DEVICE void run_results(struct vector16 *memory, const struct entered *entered, const struct base *base,
                        const struct factor *factor, const struct logarithms *logarithms)
{
    struct run_results results;
    uint32_t unsure = 0, all = result_of_all(base);
    float sums[RUN];
    (void)factor;
    if (all) {
        store_result_of_all(all, memory);
        return;
    }
    struct own_sums own = own_sums(memory, entered);
    float first = first_sum(base, own.sum[0]);
    struct base near = base_at(base, first);
    run_sums(&near, own.sum, sums);
    struct bounds bounds = bounds_of(&near, sums[RUN - 1], 0);
#pragma unroll
    for (int i = 0; i < RUN; i += 2) {
        struct narrow_results pair = narrow_results(bounds, sums[i], sums[i + 1]);
        uint32_t differs = pair.low ^ pair.high;
        results.vectors[i / 8].word[i % 8 / 2] = pair.low;
        unsure |= (uint32_t)((differs & 0xffff) != 0) << i | (uint32_t)(differs > 0xffff) << (i + 1);
    }
    if (!is_in_range(first, sums[RUN - 1])) unsure = 0xffff;
    if (unsure) results = results_made_sure(results, memory, entered, *base, logarithms, unsure);
    store_run(&results, memory);
}
