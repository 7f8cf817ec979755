/* SPDX-License-Identifier: MIT
 *
 * whole_exact.cuh - how reduce_whole.cu merges exact sums of floats: as spans, which nearly always take them; where one
 * does not, which shows, once more as long sums, which take any. No include guard. */
#include "whole_totals.cuh"

#define SPECIAL_BITS (EXACT_NAN | EXACT_PLUS_INFINITY | EXACT_MINUS_INFINITY)

SHUFFLE(state)

/* Tiles that came before a window moved are in words already. */
DEVICE_CALL struct span_and_loss span_of_words(struct words words)
{
    struct span_and_loss r = {{{0, 0, 0}, 64 * words.low}, (int)(words.special & (SPECIAL_BITS | EXACT_SPILLED))};
    int32_t used = 0;
    uint64_t sign = 0 - (words.w[WORDS - 1] >> 63);
    for (int i = 0; i < WORDS; i++) {
        if (used == 0 && words.w[i] == 0) {
            r.span.place += 64;
            continue;
        }
        if (used < 3) r.span.v[used] = words.w[i];
        else r.lost |= words.w[i] != sign;
        used++;
    }
    for (; used < 3; used++) r.span.v[used] = sign;
    r.lost |= (r.span.v[2] ^ sign) >> 63 != 0;
    return r;
}

DEVICE struct span span_of_pending(const struct pending *pending, int are_floats)
{
    if (!pending->count) return span_none();
    if (are_floats) return span_of((uint64_t)pending->low, pending->low >> 63, FLOAT_PLACE(pending->top, PENDING_BITS));
    uint64_t low = ((uint64_t)pending->high << 48) + (uint64_t)pending->low;
    int64_t high = (pending->high >> 16) + (pending->low >> 63) + (low < (uint64_t)pending->low);
    return span_short(low, high, DOUBLE_PLACE(pending->top));
}

DEVICE struct totals totals_of(const struct open_state *open)
{
    struct totals t = totals_none();
    t.absent = open->rare->absent;
#pragma unroll
    for (int i = 0; i < SUMS; i++) {
        const struct words *words = &open->rare->sum[i];
        uint64_t used = words->special & (SPECIAL_BITS | EXACT_SPILLED);
#pragma unroll
        for (int k = 0; k < WORDS; k++) used |= words->w[k];
        int numbers = sum_is_of_numbers(i), lost = open->far_had;
        t.sum[i] = span_of_pending(&open->pending[i][0], numbers && IS_NARROW);
        if (!numbers && (!IS_NARROW || IS_COMPLEX)) /* errors of products, and of complex norms */
            lost |= span_add(&t.sum[i], span_of_pending(&open->pending[i][1], 0), THREAD_BITS);
        if (used) {
            struct span_and_loss more = span_of_words(*words);
            lost |= more.lost | span_add(&t.sum[i], more.span, THREAD_BITS);
        }
        t.lost |= (uint32_t)(lost != 0);
    }
    return t;
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

/* The block's sums into its long ones. */
DEVICE void long_close(struct open_state *open)
{
#if FAR_HAS_BINS
    far_end(open);
#elif TAKES_TURNS
    copies_gather(open->far_had);
#endif
    long_total(open_close(open));
}

/* Any result of spans, by one thread. */
DEVICE_CALL void finish_spans(const struct reduce_parameters *p, struct totals t)
{
    struct exact_sum *sum = sums_room();
    if (p->has_initial && FINISH_NUMBER == FINISH_TOTAL) {
        long_add_spans(t);
        finish_long(p, t.absent);
        return;
    }
    for (int i = 0; i < SUMS; i++) span_read(&t.sum[i], &sum[i]);
    finish_sums(p, sum, p->length - t.absent);
}

DEVICE void merge_and_finish(const struct reduce_parameters *p, struct open_state *open)
{
    struct published *published = (struct published *)p->states;
    struct totals t = totals_of(open);
    int lost;
#pragma unroll 1
    for (int last = gridDim.x == 1, own = 1;; last = 1, own = 0) {
        lost = merge_totals(&t, own ? THREAD_BITS : BLOCK_BITS);
        if (lost && own) long_close(open);
        if (last) break;
        if (lost) publish_long(&published[blockIdx.x]);
        if (threadIdx.x == 0) published[blockIdx.x].totals = t;
        if (!last_to_arrive(p->tickets, gridDim.x)) return;
        t = totals_none();
        for (uint32_t i = threadIdx.x; i < gridDim.x; i += THREADS) totals_add(&t, &published[i].totals);
    }
    if (lost && gridDim.x > 1) gather_long(published);
    if (threadIdx.x > 0) return;
    if (lost) finish_long(p, t.absent);
    else if (SUMS > 1 || !span_finish(p, t.sum[0], p->length - t.absent)) finish_spans(p, t);
}
