/* SPDX-License-Identifier: MIT
 *
 * whole_exact.cuh - how reduce_whole.cu merges exact sums of floats: what waits in threads are doubles for layers
 * (layers.cuh). Where a thread has more, as after numbers that lie far apart, its block goes by long sums. Blocks add
 * to long sums that they share. No include guard. */
#include "whole_finish.cuh"

#define NUMBERS 8 /* of a thread for a sum, at most */

#include "layers.cuh"
#include "long_gather.cuh"

#define SPECIAL_BITS (EXACT_NAN | EXACT_PLUS_INFINITY | EXACT_MINUS_INFINITY)

enum { LOST_TOP = 0x7ff }; /* the exponent field of what is no number */

SHUFFLE(state)

/* x * 2^place, in two steps, as one may leave the range. */
DEVICE double scaled(double x, int32_t place)
{
    int32_t half = place / 2;
    return x * double_from_bits((uint64_t)(half + 1023) << 52) *
           double_from_bits((uint64_t)(place - half + 1023) << 52);
}

DEVICE void put_integer(double *x, int64_t integer, int32_t place)
{
    x[0] = scaled((double)(int32_t)(integer >> 32), place + 32);
    x[1] = scaled((double)(uint32_t)integer, place);
}

/* How many doubles a sum's waiting tiles are. */
DEVICE int waiting_count(int i)
{
    if (sum_is_of_numbers(i)) return IS_NARROW ? 2 : 4;
    return IS_NARROW && !IS_COMPLEX ? 4 : 8; /* errors of products, and of complex norms */
}

/* Returns the largest one's exponent field, LOST_TOP if that is not all of the sum. */
DEVICE int32_t waiting_numbers(const struct open_state *open, int i, double *x)
{
    const struct words *words = &open->rare->sum[i];
    uint64_t used = words->special & (SPECIAL_BITS | EXACT_SPILLED);
#pragma unroll
    for (int k = 0; k < WORDS; k++) used |= words->w[k];
#pragma unroll
    for (int k = 0; k < waiting_count(i); k += 4) {
        const struct pending *pending = &open->pending[i][k / 4];
        int are_floats = waiting_count(i) == 2, count = pending->count;
        int32_t place = are_floats ? FLOAT_PLACE(pending->top, FLOAT_PENDING_BITS) : DOUBLE_PLACE(pending->top);
        put_integer(&x[k], count ? pending->low : 0, count ? place : 0);
        if (!are_floats) put_integer(&x[k + 2], count ? pending->high : 0, count ? place + 48 : 0);
    }
    return used || open->far_had ? LOST_TOP : top_of_all(x, waiting_count(i));
}

/* The same with words. Each is merged once: what does not fit another's goes to the long sums. */
DEVICE_CALL struct state merge_words(struct state s)
{
    __shared__ struct state room[WARPS];
    int32_t lane = (int32_t)threadIdx.x & 31, warp = (int32_t)threadIdx.x >> 5;
#pragma unroll 1
    for (uint32_t half = 16; half > 0; half /= 2) {
        struct state other = state_down(s, half);
        if (lane < (int32_t)half) state_merge(&s, &other);
    }
    if (lane == 0) room[warp] = s;
    __syncthreads();
#pragma unroll 1
    for (int32_t i = 1; i < WARPS && threadIdx.x == 0; i++) state_merge(&s, &room[i]);
    __syncthreads();
    return s;
}

/* The threads' sums into the block's long ones, in all threads' sight. */
DEVICE void long_total(struct state s)
{
    s = merge_words(s);
    for (int i = 0; i < SUMS && threadIdx.x == 0; i++) {
        long_add_words(&long_sums()[i], s.sum[i]);
        long_sums()[i].special |= s.sum[i].special & SPECIAL_BITS;
    }
    __syncthreads();
}

/* The block's sums into its long ones, and these into those of all blocks. */
DEVICE void long_close(const struct reduce_parameters *p, struct open_state *open)
{
#if FAR_HAS_BINS
    far_end(open);
#elif TAKES_TURNS
    copies_gather(open->far_had);
#endif
    long_total(open_close(open));
    if (gridDim.x > 1) long_share(p, THREADS);
    __syncthreads();
}

/* Adds what threads have to the sums; by all threads. */
DEVICE void merge_sums(const struct reduce_parameters *p, struct open_state *open, struct layers *layers)
{
    double x[SUMS][NUMBERS];
    int32_t top[SUMS];
    int lost = 0;
    struct layers l = layers_begin(0);
#pragma unroll
    for (int i = 0; i < SUMS; i++) {
        top[i] = layers_most(&l, waiting_numbers(open, i, x[i]));
        lost |= top[i] == LOST_TOP;
    }
    if (lost) {
        long_close(p, open);
        l.is_alone = 0;
    }
#pragma unroll
    for (int i = 0; i < SUMS; i++) {
        layers[i] = l;
        layers[i].sum = shared_sum(p, i);
        if (!lost) layers_add(&layers[i], x[i], waiting_count(i), top[i]);
        l.turn = layers[i].turn;
    }
}

DEVICE void merge_and_finish(const struct reduce_parameters *p, struct open_state *open)
{
    struct layers layers[SUMS];
    struct span s[SUMS];
    int are_spans = 1;
    if (WITH_WHERE || SKIP_NAN) absent_add(p, open->rare->absent);
    merge_sums(p, open, layers);
    if (!is_last_warp(p)) return;
#pragma unroll
    for (int i = 0; i < SUMS; i++) are_spans &= gather_layers(&layers[i], &long_sums()[i], &s[i]);
    int64_t absent = WITH_WHERE || SKIP_NAN ? absent_take(p) : 0;
    if (threadIdx.x > 0) return;
    if (SUMS == 1 && are_spans && span_finish(p, s[0], p->length - absent)) return;
    finish_spans(p, are_spans, layers, s, absent);
}
