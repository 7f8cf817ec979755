/* SPDX-License-Identifier: MIT
 *
 * ordered_chain_powers.cuh - scan_chain of scan_chain.cu for logsumexp. Which element is the largest so far does not
 * depend on sums: all threads find it for the blocks of a round, and with it what sums are multiplied by and added to.
 * One thread then chains them, by an instruction each. No include guard. */

enum { PER_THREAD = 4, ROUND = THREADS * PER_THREAD, WARPS = THREADS / 32, STEPS = 8 };

/* Of the blocks of a round. */
struct round {
    power_real largest[ROUND]; /* element left of a block */
    power_real scale[ROUND];   /* of the sum left of it, */
    power_real sum[ROUND];     /* and what is added; then, the sum left of it */
    power_real of_warp[WARPS];
};

/* NaN if one of them is. */
DEVICE power_real larger_of(power_real a, power_real b)
{
    return b > a || b != b ? b : a;
}

/* The largest of what lower threads have, and `first`; first becomes that of all. */
DEVICE power_real largest_before(power_real own, power_real *first, struct round *round)
{
    int32_t lane = (int32_t)threadIdx.x & 31, warp = (int32_t)threadIdx.x >> 5;
    power_real upto = own, before = *first;
#pragma unroll
    for (int32_t distance = 1; distance < 32; distance *= 2) {
        power_real left = __shfl_up_sync(FULL_WARP, upto, (uint32_t)distance);
        if (lane >= distance) upto = larger_of(left, upto);
    }
    if (lane == 31) round->of_warp[warp] = upto;
    upto = __shfl_up_sync(FULL_WARP, upto, 1);
    __syncthreads();
    for (int32_t w = 0; w < WARPS; w++) {
        if (w < warp) before = larger_of(before, round->of_warp[w]);
        *first = larger_of(*first, round->of_warp[w]);
    }
    return lane > 0 ? larger_of(before, upto) : before;
}

/* The thread's blocks, whose largest elements and sums are at hand. */
DEVICE void find_steps(const struct FOLD(wide) * total, power_real before, struct round *round)
{
    struct sum upto = {before, OF_POWERS(power_exponent)(before), 0};
#pragma unroll
    for (int i = 0; i < PER_THREAD; i++) {
        struct sum own = sum_of(total[i]);
        int32_t k = (int32_t)threadIdx.x * PER_THREAD + i;
        power_real scale = OF_POWERS(powers_scale_apart)(upto.exponent - own.exponent);
        int grows = own.largest > upto.largest;
        round->largest[k] = upto.largest;
        round->scale[k] = grows ? scale : 1;
        round->sum[k] = grows ? own.sum : own.sum * scale;
        sum_append(&upto, own);
    }
}

/* By one thread: the sum left of each block gives way to what is added. */
DEVICE power_real chain_sums(struct round *round, power_real sum)
{
#pragma unroll 1
    for (int32_t begin = 0; begin < ROUND; begin += STEPS) {
        power_real scale[STEPS], more[STEPS];
#pragma unroll
        for (int k = 0; k < STEPS; k++) {
            scale[k] = round->scale[begin + k];
            more[k] = round->sum[begin + k];
        }
#pragma unroll
        for (int k = 0; k < STEPS; k++) {
            round->sum[begin + k] = sum;
            sum = FUSED(sum, scale[k], more[k]);
        }
    }
    return sum;
}

DEVICE void take_totals(const struct left *totals, int64_t cells, int64_t first, int64_t blocks,
                        struct FOLD(wide) * total)
{
#pragma unroll
    for (int i = 0; i < PER_THREAD; i++) {
        int64_t number = first + (int64_t)threadIdx.x * PER_THREAD + i;
        total[i] = FOLD(wide_identity)();
        if (number < blocks) total[i] = totals[number * cells].value;
    }
}

/* One block for each cell. Every block of the axis has a total, which gives way to what stands left of it. */
KERNEL(scan_chain, struct scan_parameters, given)
{
    __shared__ struct round round;
    const struct reduce_parameters *p = &given.reduce;
    int64_t blocks = (p->length + BLOCK_ELEMENTS - 1) / BLOCK_ELEMENTS;
    struct left *totals = (struct left *)given.totals + blockIdx.x, first = first_left(&given, blockIdx.x);
    struct FOLD(wide) total[PER_THREAD];
    power_real largest = first.value.part[0], sum = first.value.part[1];
    take_totals(totals, p->cells, 0, blocks, total);
    for (int64_t begin = 0; begin < blocks; begin += ROUND) {
        power_real own = total[0].part[0];
#pragma unroll
        for (int i = 1; i < PER_THREAD; i++) own = larger_of(own, total[i].part[0]);
        find_steps(total, largest_before(own, &largest, &round), &round);
        take_totals(totals, p->cells, begin + ROUND, blocks, total); /* on their way in the meantime */
        __syncthreads();
        if (threadIdx.x == 0) sum = chain_sums(&round, sum);
        __syncthreads();
        for (int32_t k = (int32_t)threadIdx.x; k < ROUND && begin + k < blocks; k += THREADS) {
            struct left *left = &totals[(begin + k) * p->cells];
            left->value.part[0] = round.largest[k];
            left->value.part[1] = round.sum[k];
            left->some = begin + k > 0 || first.some;
        }
        __syncthreads();
    }
    struct left last = {{{largest, sum}}, 1};
    if (threadIdx.x == 0) leave_carry(&given, blockIdx.x, &last);
}
