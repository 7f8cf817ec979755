/* SPDX-License-Identifier: MIT
 *
 * whole_totals.cuh - exact sums of threads, warps and blocks, and how blocks hand them to each other: as spans, or as
 * long sums where these do not take them. No include guard. */
#include "whole_finish.cuh"

/* The sums of a thread, a warp or a block. */
struct totals {
    struct span sum[SUMS];
    int64_t absent;
    uint32_t lost; /* a sum is not in its span */
};

/* What a block publishes; the long sums only when its sums are not in the spans. */
struct published {
    struct totals totals;
    struct long_sum sum[SUMS];
};

enum { LONG_ALL = SUMS * (LONG_WORDS + 1) }; /* words of all long sums, special ones too */

DEVICE struct totals totals_none(void)
{
    struct totals t;
    for (int i = 0; i < SUMS; i++) t.sum[i] = span_none();
    t.absent = 0;
    t.lost = 0;
    return t;
}

DEVICE void totals_add(struct totals *a, const struct totals *b)
{
    a->absent += b->absent;
    a->lost |= b->lost;
#pragma unroll
    for (int i = 0; i < SUMS; i++) a->lost |= (uint32_t)span_add(&a->sum[i], b->sum[i], BLOCK_BITS);
}

DEVICE_CALL struct totals totals_of_warp(struct totals t, int32_t most)
{
#pragma unroll
    for (int i = 0; i < SUMS; i++) t.lost |= (uint32_t)span_merge_warp(&t.sum[i], most);
    t.lost = (uint32_t)__any_sync(FULL_WARP, (int)t.lost);
    if (SKIP_NAN) t.absent = (int64_t)sum_of_lanes(t.absent & 0xffffff) + ((int64_t)sum_of_lanes(t.absent >> 24) << 24);
    return t;
}

/* All threads' sums in thread 0; returns, in all threads, whether any was lost. */
DEVICE int merge_totals(struct totals *t, int32_t most)
{
    __shared__ struct totals room[WARPS];
    int32_t lane = (int32_t)threadIdx.x & 31, warp = (int32_t)threadIdx.x >> 5;
    *t = totals_of_warp(*t, most);
    if (lane == 0) room[warp] = *t;
    __syncthreads();
    if (warp == 0) {
        if (lane < WARPS) *t = room[lane];
        else *t = totals_none();
        *t = totals_of_warp(*t, most + 5);
    }
    return __syncthreads_or(threadIdx.x == 0 && t->lost);
}

/* What is above 32 bits goes up a word: the words of many blocks can then be added. */
DEVICE_CALL void publish_long(struct published *published)
{
    for (int32_t i = (int32_t)threadIdx.x; i < LONG_ALL; i += THREADS) {
        const struct long_sum *sum = &long_sums()[i / (LONG_WORDS + 1)];
        int32_t k = i % (LONG_WORDS + 1);
        int64_t word = (int64_t)((const unsigned long long *)sum)[k], below = k > 0 ? (int64_t)sum->word[k - 1] : 0;
        if (k == LONG_WORDS) below = 0;
        else if (k < LONG_WORDS - 1) word &= 0xffffffff;
        ((unsigned long long *)published->sum)[i] = (unsigned long long)(word + (below >> 32));
    }
}

/* Totals that are in their spans. */
DEVICE_CALL void long_add_spans(struct totals t)
{
    for (int i = 0; i < SUMS; i++) {
        struct span *s = &t.sum[i];
        int negative = (int)(s->v[2] >> 63);
        struct natural_leading size = {0, 0, 0};
        uint64_t flip = 0 - (uint64_t)negative;
        size.bits = (((uint128)(s->v[1] ^ flip) << 64) | (s->v[0] ^ flip)) + (uint64_t)negative;
        uint64_t top = (s->v[2] ^ flip) + (negative && size.bits == 0);
        if (s->place == NO_PLACE) continue;
        long_add(&long_sums()[i], (uint64_t)size.bits, (uint64_t)(size.bits >> 64), negative, s->place);
        long_add(&long_sums()[i], top, 0, negative, s->place + 128);
    }
}

/* All that the blocks published, in the long sums of this one. */
DEVICE_CALL void gather_long(const struct published *published)
{
    struct totals t = totals_none();
    __syncthreads();
    long_clear();
    for (uint32_t i = threadIdx.x; i < gridDim.x; i += THREADS) {
        struct totals other = published[i].totals;
        if (other.lost) continue;
        totals_add(&t, &other);
        if (t.lost) break; /* see below */
    }
    int too_wide = merge_totals(&t, BLOCK_BITS);
    for (uint32_t i = threadIdx.x; too_wide && i < gridDim.x; i += THREADS) {
        if (!published[i].totals.lost) long_add_spans(published[i].totals);
    }
    if (threadIdx.x == 0 && !too_wide) long_add_spans(t);
    /* Some threads share a word. */
    enum { SHARES = LONG_ALL < THREADS ? THREADS / LONG_ALL : 1 };
    for (int32_t i = (int32_t)threadIdx.x; i < SHARES * LONG_ALL; i += THREADS) {
        int32_t place = i % LONG_ALL;
        unsigned long long sum = 0, special = 0;
#pragma unroll 8
        for (uint32_t b = (uint32_t)(i / LONG_ALL); b < gridDim.x; b += SHARES) {
            unsigned long long word =
                ((const unsigned long long *)published[b].sum)[place]; /* of any value if not lost */
            if (!published[b].totals.lost) word = 0;
            sum += word;
            special |= word;
        }
        unsigned long long *to = (unsigned long long *)long_sums() + place;
        if (place % (LONG_WORDS + 1) == LONG_WORDS) atomicOr(to, special);
        else atomicAdd(to, sum);
    }
    __syncthreads();
}
