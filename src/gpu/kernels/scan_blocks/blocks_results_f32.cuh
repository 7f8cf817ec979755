/* SPDX-License-Identifier: MIT
 *
 * blocks_results_f32.cuh - of blocks_results.cuh, for f32. No include guard. */

/* Sums that grow by little in a run share the middle that they are compared to. */
#define LITTLE 0x1p-8f

/* Bits of those that are not sure. */
DEVICE uint32_t near_results(const struct base *base, const struct own_sums *own, const struct factor *factor,
                             const struct logarithms *logarithms, struct run_results *results)
{
    float sums[RUN], first = first_sum(base, own->sum[0]);
    struct base near = base_at(base, first);
    uint32_t unsure = 0;
    run_sums(&near, own->sum, sums);
    struct logarithm middle = middle_beside(logarithms, sums[0]);
    double offset = __fma_rn((double)near.exponent, LN2, middle.logarithm) + factor->offset;
    float lowest = (float)log_beside(double_of(sums[0]), middle.reciprocal, offset);
    float least = lowest > 0 ? lowest : -lowest - LITTLE;
    uint32_t eighths = eighths_unsure(least, near.exponent), begin = eighths - (1u << 31);
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        double v = log_beside(double_of(sums[i]), middle.reciprocal, offset);
        float rounded = (float)v;
        results->vectors[i / 4].word[i % 4] = float_bits(rounded);
        unsure |= ((uint32_t)double_bits(v) << 3) + begin < 2 * eighths ? 1u << i : 0;
    }
    return eighths > 0 ? unsure : 0xffff;
}

/* Element after element, where the largest one changes or sums grow. */
DEVICE_CALL void growing_results(struct vector16 *memory, struct base base, struct entered entered,
                                 const struct logarithms *logarithms)
{
    int32_t first = ((int32_t)threadIdx.x & 31) * RUN_VECTORS;
    float own = 0, largest = base.largest, shift = POWER_INTEGER - entered.guess, of = NAN;
    double offset = 0;
#pragma unroll 1
    for (int i = 0; i < RUN; i++) {
        float *place = (float *)&memory[place_of(first + i / 4)] + i % 4, v = *place;
        float sum = with_left(&base, own), m = largest;
        if (entered.how == FROM_SUMS) {
            own = v;
        } else if (v > -INFINITY) {
            own += power_of(v, shift);
            largest = v > largest ? v + 0 : largest;
        }
        if (!EXCLUSIVE) sum = with_left(&base, own), m = largest;
        if (m != of && m > -INFINITY) {
            offset = __fma_rn((double)base.exponent, LN2, factor_of(m, logarithms).offset);
            of = m;
        }
        double result = near_log(sum, offset, logarithms);
        int sure = m > -INFINITY && rounds_surely(result, base.exponent);
        *place = sure ? (float)result : float_from_bits((uint32_t)sure_result(sum, base.exponent, m));
    }
}

/* Those of the results that are not sure, where the largest element does not change. */
DEVICE_CALL struct run_results results_made_sure(struct run_results results, const struct vector16 *memory,
                                                 const struct entered *entered, struct base base, uint32_t unsure)
{
    struct own_sums own = own_sums(memory, entered);
    float sum = base.left;
    for (int i = 0; i < RUN; i++) {
        if (!EXCLUSIVE) sum = with_left(&base, own.sum[i]);
        if (unsure >> i & 1)
            results.vectors[i / 4].word[i % 4] = (uint32_t)sure_result(sum, base.exponent, base.largest);
        if (EXCLUSIVE) sum = with_left(&base, own.sum[i]);
    }
    return results;
}

DEVICE void run_results(struct vector16 *memory, const struct entered *entered, const struct base *base,
                        const struct factor *factor, const struct logarithms *logarithms)
{
    struct own_sums own = own_sums(memory, entered);
    struct run_results results;
    float first = first_sum(base, own.sum[0]), last = with_left(base, own.sum[RUN - 1]);
    int near = !base->grows && last - first <= LITTLE * first;
    if (!__all_sync(FULL_WARP, near)) {
        growing_results(memory, *base, *entered, logarithms);
        return;
    }
    uint32_t unsure = near_results(base, &own, factor, logarithms, &results);
    if (unsure) results = results_made_sure(results, memory, entered, *base, unsure);
    store_run(&results, memory);
}
