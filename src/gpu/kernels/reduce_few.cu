/* SPDX-License-Identifier: MIT
 *
 * reduce_few.cu - an exact sum of not so many floats, with little code and few steps on the way: for so little work,
 * loading instructions and waiting for each other is what takes time. Every thread reads a few numbers, once. They
 * become doubles, and those integers of 128 bits in a window of the block; where one does not, the block takes its long
 * sum. */
#include "team.cuh"

#include "sums.cuh"

#include "finish_exact.cuh"
#include "long_sum.cuh"
#include "pair.cuh"
#include "shuffle.cuh"

enum { WARPS = THREADS / 32 };
#include "whole_totals.cuh"

/* Elements of a thread, and of a block. A window reaches so many binades below the largest number: 60, 53 bits, 2^12
 * numbers and a sign are less than 128 bits. Sums of pieces over all lanes and warps have 32 bits. */
enum { EACH = 4, CHUNK = EACH * THREADS, BELOW = 60, PIECES = 6, PIECE_BITS = 22 };

DEVICE double number_of(const struct reduce_parameters *p, int64_t i)
{
    double x = (double)load_element(p->x, i).v;
    if (LIFT_NUMBER == LIFT_MAGNITUDE) return fabs(x);
    if (LIFT_NUMBER == LIFT_SQUARE) return x * x;
    if (WITH_SECOND) return x * (double)load_element(p->y, i).v;
    return x;
}

DEVICE int32_t block_most(int32_t x)
{
    __shared__ int32_t room[32];
    int32_t lane = (int32_t)threadIdx.x & 31;
    x = most_of_lanes(x);
    if (lane == 0) room[threadIdx.x >> 5] = x;
    __syncthreads();
    return most_of_lanes(lane < WARPS ? room[lane] : 0);
}

/* The block's numbers once more, into its long sum. */
DEVICE_CALL void sum_long(const struct reduce_parameters *p)
{
    int64_t first = (int64_t)blockIdx.x * CHUNK;
    long_clear();
    __syncthreads();
    for (int64_t i = first + threadIdx.x; i < first + CHUNK && i < p->length; i += THREADS)
        long_add_double(&long_sums()[0], number_of(p, i), 0);
    __syncthreads();
}

/* The sum of the block's numbers in thread 0; returns, in all threads, whether they lie too far apart. */
DEVICE int sum_block(const struct reduce_parameters *p, struct span *s)
{
    __shared__ uint32_t room[PIECES][32];
    double x[EACH];
    int32_t lane = (int32_t)threadIdx.x & 31, warp = (int32_t)threadIdx.x >> 5, top = 0, lost;
    uint128 sum = 0;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int64_t i = (int64_t)blockIdx.x * CHUNK + threadIdx.x + k * THREADS;
        x[k] = i < p->length ? number_of(p, i) : 0;
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int32_t field = (int32_t)(double_bits(x[k]) >> 52) & 0x7ff;
        top = field > top ? field : top;
    }
    top = block_most(top);
    lost = top == 0x7ff;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        uint64_t bits = double_bits(x[k]);
        int32_t field = (int32_t)(bits >> 52) & 0x7ff, shift = (field > 0 ? field : 1) - top + BELOW;
        uint64_t m = (bits & 0xfffffffffffffull) | (uint64_t)(field > 0) << 52;
        lost |= shift < 0 && m != 0;
        uint128 number = (uint128)m << (shift & 127);
        sum += bits >> 63 ? 0 - number : number;
    }
    uint64_t low = (uint64_t)sum, high = (uint64_t)(sum >> 64);
#pragma unroll
    for (int k = 0; k < PIECES; k++) {
        uint32_t piece = sum_of_lanes(k < PIECES - 1 ? (uint32_t)low & ((1u << PIECE_BITS) - 1) : (uint32_t)low);
        if (lane == 0) room[k][warp] = piece;
        low = low >> PIECE_BITS | high << (64 - PIECE_BITS);
        high = (uint64_t)((int64_t)high >> PIECE_BITS);
    }
    if (__syncthreads_or(lost)) return 1;
    if (warp > 0) return 0;
    sum = 0;
#pragma unroll
    for (int k = PIECES - 1; k >= 0; k--) {
        uint32_t piece = sum_of_lanes(lane < WARPS ? room[k][lane] : 0);
        sum = (sum << PIECE_BITS) + (k == PIECES - 1 ? (uint128)(__int128)(int32_t)piece : piece);
    }
    *s = span_of((uint64_t)sum, (int64_t)(sum >> 64), top - 1075 - BELOW);
    return 0;
}

/* All blocks' sums in thread 0 of the last one, or in its long sum; -1 in the others. */
DEVICE_CALL int merge_blocks(const struct reduce_parameters *p, struct totals *t)
{
    struct published *published = (struct published *)p->states;
    if (t->lost) publish_long(&published[blockIdx.x]);
    if (threadIdx.x == 0) published[blockIdx.x].totals = *t;
    if (!last_to_arrive(p->tickets, gridDim.x)) return -1;
    *t = threadIdx.x < gridDim.x ? published[threadIdx.x].totals : totals_none();
    if (!merge_totals(t, BLOCK_BITS)) return 0;
    gather_long(published);
    return 1;
}

/* What span_finish leaves, by one thread. */
DEVICE_CALL void finish_alone(const struct reduce_parameters *p, struct totals t)
{
    unsigned long long *words = (unsigned long long *)long_sums();
    for (int i = 0; i < LONG_ALL; i++) words[i] = 0;
    long_add_spans(t);
    finish_long(p, 0);
}

/* At most THREADS blocks. */
KERNEL(reduce, struct reduce_parameters, p)
{
    struct totals t = totals_none();
    int lost = sum_block(&p, &t.sum[0]);
    if (lost) sum_long(&p);
    if (gridDim.x > 1) {
        t.lost = (uint32_t)lost;
        lost = merge_blocks(&p, &t);
    }
    if (threadIdx.x > 0 || lost < 0) return;
    if (lost) finish_long(&p, 0);
    else if (!span_finish(&p, t.sum[0], p.length)) finish_alone(&p, t);
}
