/* SPDX-License-Identifier: MIT
 *
 * few_cluster.cuh - how the blocks of a cluster merge their sums in reduce_few.cu: all post them to the first one, as
 * spans. What is none goes by the long sum that blocks share in global memory. No include guard. */
#include "cluster.cuh"

/* The first block's: a mailbox, and of each block a span's bits, its place, and whether the long sum has more. */
struct posted_spans {
    struct mailbox box;
    struct packed piece[CLUSTER_BLOCKS][2];
};

static_assert(sizeof(struct posted_spans) + sizeof(struct packed) <= CLUSTER_ROOM, "the host leaves room, to align it");

DEVICE struct posted_spans *posted_spans(void)
{
    uintptr_t behind = (uintptr_t)(long_sums() + SUMS);
    return (struct posted_spans *)((behind + sizeof(struct packed) - 1) / sizeof(struct packed) *
                                   sizeof(struct packed));
}

/* Whether the block has something to do. All threads call it. */
DEVICE int begin_together(const struct reduce_parameters *p)
{
    long_clear(); /* used behind the next barrier at the earliest */
    if (blockIdx.x == 0 && threadIdx.x == 0) mailbox_open(&posted_spans()->box, 2 * (uint32_t)(p->splits - 1));
    __syncwarp();
    cluster_arrive();
    return (int64_t)blockIdx.x < p->splits;
}

DEVICE void post_span(struct span s, int has_more)
{
    struct posted_spans *posted = posted_spans();
    struct packed *to = posted->piece[blockIdx.x];
    cluster_await();
    if (threadIdx.x > 0) return;
    cluster_post(&to[0], &posted->box, 0, s.v[0], s.v[1]);
    cluster_post(&to[1], &posted->box, 0, (uint64_t)(int64_t)s.place, (uint64_t)has_more);
}

/* The sum of all lanes' spans of 128 bits, if it has as many. */
DEVICE int add_spans(const struct span *mine, struct span *sum)
{
    enum { MOST_BITS = 122 }; /* beside a sign, of each of 32 */
    int is_none = mine->place == NO_PLACE;
    int32_t place = least_of_lanes(mine->place), shift = is_none ? 0 : mine->place - place;
    if (__any_sync(FULL_WARP, !is_none && (shift > MOST_BITS || span_bits(mine) + shift > MOST_BITS))) return 0;
    uint128 value = is_none ? 0 : ((uint128)mine->v[1] << 64 | mine->v[0]) << shift;
#pragma unroll
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        unsigned long long low = __shfl_xor_sync(FULL_WARP, (unsigned long long)value, lanes);
        unsigned long long high = __shfl_xor_sync(FULL_WARP, (unsigned long long)(value >> 64), lanes);
        value += (uint128)high << 64 | low;
    }
    *sum = span_of((uint64_t)value, (int64_t)(uint64_t)(value >> 64), place);
    return 1;
}

/* All lanes' spans, and what blocks shared, into the block's own long sum. */
DEVICE_CALL void add_shared(const struct reduce_parameters *p, struct span mine)
{
    unsigned long long *own = (unsigned long long *)long_sums(), *all = (unsigned long long *)shared_sum(p, 0);
    __threadfence();
    long_add_span(long_sums(), &mine);
    __syncwarp();
    for (int32_t i = (int32_t)threadIdx.x; i <= LONG_WORDS; i += 32) {
        if (i == LONG_WORDS) own[i] |= all[i];
        else own[i] += all[i];
        all[i] = 0;
    }
    __syncwarp();
}

/* By the first warp, once the block has added all; whether it is the first block, whose layers then have the sum of
 * all. */
DEVICE int merge_cluster(const struct reduce_parameters *p, struct layers *l)
{
    int has_more = l->count > 1 || long_sums()->special != 0;
    struct span mine = l->alone;
    if (blockIdx.x > 0) {
        if (has_more) {
            if (threadIdx.x == 0) long_add_span(long_sums(), &mine);
            mine = span_none();
            __syncwarp();
            long_share(p, 32);
            __threadfence();
            __syncwarp();
        }
        post_span(mine, has_more);
        return 0;
    }
    mailbox_await(&posted_spans()->box);
    if (threadIdx.x > 0) mine = span_none();
    if (threadIdx.x > 0 && threadIdx.x < p->splits) {
        const struct packed *piece = posted_spans()->piece[threadIdx.x];
        mine = span_of(piece[0].value, (int64_t)piece[0].seal, (int32_t)(int64_t)piece[1].value);
        has_more = (int)piece[1].seal;
    }
    l->count = 1;
    if (!__any_sync(FULL_WARP, has_more) && add_spans(&mine, &l->alone)) return 1;
    add_shared(p, mine);
    l->is_alone = 0;
    return 1;
}
