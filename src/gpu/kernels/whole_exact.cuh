/* SPDX-License-Identifier: MIT
 *
 * whole_exact.cuh - how reduce_whole.cu merges exact sums of floats: as pairs of doubles, which is quick and nearly
 * always free of error; where it is not, which shows, once more as words. No include guard. */
#include "short_total.cuh"

/* The sums of a thread, a warp or a block. */
struct totals {
    struct pair sum[SUMS];
    int64_t absent;
    uint32_t lost; /* a sum is not in its pair */
};

/* What a block publishes; the words only when its sums are not in the pairs. */
struct published {
    struct totals totals;
    struct words words[SUMS];
};

SHUFFLE(totals)
SHUFFLE(state)

DEVICE void totals_clear(struct totals *t)
{
    memset(t, 0, sizeof *t);
}

DEVICE int pair_merge(struct pair *a, struct pair b)
{
    double error, lost, lost_too;
    double high = two_sum(a->high, b.high, &error);
    double low = two_sum(a->low, error, &lost);
    low = two_sum(low, b.low, &lost_too);
    a->high = two_sum(high, low, &a->low);
    return !(lost == 0) | !(lost_too == 0);
}

DEVICE void totals_merge(struct totals *a, const struct totals *b)
{
    a->absent += b->absent;
    a->lost |= b->lost;
#pragma unroll
    for (int i = 0; i < SUMS; i++) a->lost |= (uint32_t)pair_merge(&a->sum[i], b->sum[i]);
}

/* Adds q * 2^place; returns whether anything was lost. */
DEVICE int pair_add_integer(struct pair *pair, int64_t q, int32_t place)
{
    if (place < -1000 || place > 900) return 1;
    double unit = double_from_bits((uint64_t)(place + 1023) << 52);
    int lost = pair_add(pair, (double)(int32_t)(q >> 32) * (0x1p32 * unit));
    return lost | pair_add(pair, (double)(uint32_t)q * unit);
}

DEVICE int pair_add_pending(struct pair *pair, const struct pending *pending, int are_floats)
{
    if (!pending->count) return 0;
    if (are_floats) return pair_add_integer(pair, pending->low, FLOAT_PLACE(pending->top, PENDING_BITS));
    int32_t place = DOUBLE_PLACE(pending->top);
    return pair_add_integer(pair, pending->high, place + 48) | pair_add_integer(pair, pending->low, place);
}

struct pair_and_loss {
    struct pair pair;
    int lost;
};

/* Tiles that came before a window moved are in words already; mostly they have a place in the pair all the same. */
DEVICE_CALL struct pair_and_loss pair_add_words(struct pair_and_loss a, struct words words)
{
    struct natural_leading leading = words_leading(&words);
    int32_t place = leading.exponent;
    double sign = words.w[WORDS - 1] >> 63 ? -1.0 : 1.0;
    a.lost |= words.special != 0 || leading.sticky || place < -1000 || place > 700;
    for (int i = 3; i >= 0 && !a.lost; i--) {
        double unit = double_from_bits((uint64_t)(place + 32 * i + 1023) << 52);
        a.lost |= pair_add(&a.pair, sign * ((double)(uint32_t)(leading.bits >> 32 * i) * unit));
    }
    return a;
}

DEVICE struct totals totals_of(const struct open_state *open)
{
    struct totals t;
    totals_clear(&t);
    t.absent = open->rare->s.absent;
#pragma unroll
    for (int i = 0; i < SUMS; i++) {
        const struct words *words = &open->rare->s.sum[i];
        uint64_t used = words->special;
#pragma unroll
        for (int k = 0; k < WORDS; k++) used |= words->w[k];
        int numbers = sum_is_of_numbers(i);
        struct pair_and_loss start = {{0, 0}, 0};
        if (used) start = pair_add_words(start, *words);
        int lost = start.lost;
        t.sum[i] = start.pair;
        lost |= pair_add_pending(&t.sum[i], &open->pending[i][0], numbers && IS_NARROW);
        if (!numbers) lost |= pair_add_pending(&t.sum[i], &open->pending[i][1], 0);
        if (numbers && IS_NARROW) lost |= pair_add_pending(&t.sum[i], &open->rare->far[i], 0);
        t.lost |= (uint32_t)lost;
    }
    return t;
}

/* All threads' sums in thread 0; returns, in all threads, whether any was lost. */
DEVICE int merge_totals(struct totals *t)
{
    __shared__ struct totals room[WARPS];
    int32_t lane = (int32_t)threadIdx.x & 31, warp = (int32_t)threadIdx.x >> 5;
    for (uint32_t half = 16; half > 0; half /= 2) {
        struct totals other = totals_down(*t, half);
        totals_merge(t, &other);
    }
    if (lane == 0) room[warp] = *t;
    __syncthreads();
    if (warp == 0) {
        totals_clear(t);
        if (lane < WARPS) *t = room[lane];
        for (uint32_t half = WARPS / 2; half > 0; half /= 2) {
            struct totals other = totals_down(*t, half);
            totals_merge(t, &other);
        }
    }
    return __syncthreads_or(threadIdx.x == 0 && t->lost);
}

/* The same with words. */
DEVICE_CALL struct state merge_words(struct state s)
{
    __shared__ struct state room[WARPS];
    int32_t lane = (int32_t)threadIdx.x & 31, warp = (int32_t)threadIdx.x >> 5;
    for (uint32_t half = 16; half > 0; half /= 2) {
        struct state other = state_down(s, half);
        if (lane + half < 32) state_merge(&s, &other);
    }
    if (lane == 0) room[warp] = s;
    __syncthreads();
    for (int32_t i = 1; i < WARPS && threadIdx.x == 0; i++) state_merge(&s, &room[i]);
    __syncthreads();
    return s;
}

DEVICE_CALL struct state state_of(struct totals t)
{
    struct state s;
    state_open(&s);
    s.absent = t.absent;
    for (int i = 0; i < SUMS; i++) {
        s.sum[i] = words_add_double(s.sum[i], t.sum[i].high, 0);
        s.sum[i] = words_add_double(s.sum[i], t.sum[i].low, 0);
    }
    return s;
}

/* A thread's part of what the blocks published. */
DEVICE_CALL struct state gather_words(const struct published *published)
{
    struct state all;
    state_open(&all);
    for (uint32_t i = threadIdx.x; i < gridDim.x; i += THREADS) {
        struct state s;
        if (published[i].totals.lost) {
            s.absent = published[i].totals.absent;
            for (int k = 0; k < SUMS; k++) s.sum[k] = published[i].words[k];
        } else {
            s = state_of(published[i].totals);
        }
        state_merge(&all, &s);
    }
    return all;
}

/* Writes a total, mean or root of one sum; returns whether it could. */
DEVICE int totals_finish(const struct reduce_parameters *p, struct totals t)
{
    int64_t n = p->length - t.absent;
    int is_total = FINISH_NUMBER == FINISH_TOTAL;
    if (SUMS > 1 || RESULT_KIND != KIND_REAL || FINISH_NUMBER == FINISH_VARIANCE || FINISH_NUMBER == FINISH_DEVIATION ||
        n == 0)
        return 0;
    if (is_total && p->has_initial && pair_add(&t.sum[0], initial_real(p, 0))) return 0;
    return pair_finish(t.sum[0], n, (char *)p->out);
}

DEVICE void merge_and_finish(const struct reduce_parameters *p, struct open_state *open)
{
    struct published *published = (struct published *)p->states;
    struct totals t = totals_of(open);
    int lost;
#pragma unroll 1
    for (int last = gridDim.x == 1;; last = 1) {
        lost = merge_totals(&t);
        if (last) break;
        if (lost) {
            struct state s = merge_words(open_close(open));
            for (int i = 0; i < SUMS && threadIdx.x == 0; i++) published[blockIdx.x].words[i] = s.sum[i];
        }
        if (threadIdx.x == 0) published[blockIdx.x].totals = t;
        if (!last_to_arrive(p->tickets, gridDim.x)) return;
        totals_clear(&t);
        for (uint32_t i = threadIdx.x; i < gridDim.x; i += THREADS) totals_merge(&t, &published[i].totals);
    }
    if (!lost) {
        if (threadIdx.x > 0 || totals_finish(p, t)) return;
        struct state s = state_of(t);
        finish_cell(p, &s, 0);
        return;
    }
    struct state s = merge_words(gridDim.x == 1 ? open_close(open) : gather_words(published));
    if (threadIdx.x == 0) finish_cell(p, &s, 0);
}
