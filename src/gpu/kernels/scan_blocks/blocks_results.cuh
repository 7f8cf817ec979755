/* SPDX-License-Identifier: MIT
 *
 * blocks_results.cuh - the results of a run for blocks_by_powers.cuh. A result that is not sure is found by the
 * definition. No include guard. */

/* The run's sums, after what stands left of it: all of them, before the element or behind it. */
DEVICE void run_sums(const struct base *base, const power_real *own, power_real *sums)
{
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        if (EXCLUSIVE) sums[i] = i > 0 ? with_left(base, own[i > 0 ? i - 1 : 0]) : base->left;
        else sums[i] = with_left(base, own[i]);
    }
}

#if POWERS_ARE_FLOATS
/* So that the first of the run's sums is in [1, 2). What then leaves the normal range does not show beside others. */
DEVICE struct base base_at(const struct base *base, float first)
{
    uint32_t bits = float_bits(first) & 0x7f800000u;
    float shrink = float_from_bits((254u << 23) - bits);
    struct base near = *base;
    near.scale *= shrink;
    near.left *= shrink;
    near.upto *= shrink;
    near.exponent += float_from_bits((bits >> 23) + 0x4b000000u) - 8388735.0f /* 2^23 + 127 */;
    return near;
}

DEVICE float first_sum(const struct base *base, float own)
{
    return EXCLUSIVE ? base->left : with_left(base, own);
}
#endif

struct own_sums {
    power_real sum[RUN];
};

/* The run's own sums: as they were kept, or found again where elements are still in their place. */
DEVICE struct own_sums own_sums(const struct vector16 *memory, const struct entered *entered)
{
    int32_t first = ((int32_t)threadIdx.x & 31) * RUN_VECTORS;
    struct own_sums own;
    if (SUMS_FIT && entered->how == FROM_SUMS) {
#pragma unroll
        for (int i = 0; i < RUN / SUMS; i++) {
            struct vector16 v = memory[place_of(first + i)];
            memcpy(&own.sum[i * SUMS], &v, sizeof v);
        }
    } else {
        struct run run = run_load(memory);
        struct sums sums;
        if (!SKIP_NAN && entered->how == FROM_ELEMENTS) sum_near(&run, entered->guess, &sums);
        else sum_with_gaps(&run, entered->guess, &sums);
        memcpy(own.sum, sums.sum, sizeof own.sum);
    }
    return own;
}

struct run_results {
    struct vector16 vectors[RUN_VECTORS];
};

DEVICE void store_run(const struct run_results *results, struct vector16 *memory)
{
    int32_t first = ((int32_t)threadIdx.x & 31) * RUN_VECTORS;
#pragma unroll
    for (int i = 0; i < RUN_VECTORS; i++) memory[place_of(first + i)] = results->vectors[i];
}

#if ELEMENT_BYTES == 2
#include "blocks_results_narrow.cuh"
#elif POWERS_ARE_FLOATS
#include "blocks_results_f32.cuh"
#else
#include "blocks_results_f64.cuh"
#endif
