/* SPDX-License-Identifier: MIT
 *
 * whole_state.cuh - how reduce_whole.cu merges the states of threads and blocks. No include guard. */
SHUFFLE(state)

#if defined(VALUES_FIRST)
#include "whole_index.cuh"
#else
/* The states of so many lanes of a warp, merged, in the first. */
DEVICE struct state merge_lanes(struct state s, int32_t lanes)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    for (int32_t half = lanes / 2; half > 0; half /= 2) {
        struct state other = state_down(s, (uint32_t)half);
        if (lane + half < lanes) state_merge(&s, &other);
    }
    return s;
}

/* All threads' states, merged, in thread 0. */
DEVICE struct state merge_block(struct state s)
{
    __shared__ struct state room[WARPS];
    int32_t lane = (int32_t)threadIdx.x & 31, warp = (int32_t)threadIdx.x >> 5;
    s = merge_lanes(s, 32);
    if (lane == 0) room[warp] = s;
    __syncthreads();
    if (warp > 0) return s;
    if (lane < WARPS) s = room[lane];
    return merge_lanes(s, WARPS);
}
#endif

#if CLUSTER_BLOCKS > 1
#include "whole_cluster.cuh"
#endif

/* The threads' states to the result: in one block, or in the last of several. */
DEVICE void merge_and_finish(const struct reduce_parameters *p, const struct open_state *open)
{
#if defined(VALUES_FIRST) || CLUSTER_BLOCKS > 1
    struct array a = array_of(p);
#endif
#if defined(VALUES_FIRST)
    struct state s = close_with_place(&a, open);
#else
    struct state s = open_close(open);
#endif
#if CLUSTER_BLOCKS > 1
    s = merge_block(s);
    if (threadIdx.x < 32) s = merge_cluster(&a, s);
    if (blockIdx.x > 0) return;
#else
    struct state *published = (struct state *)p->states;
#pragma unroll 1
    for (int last = gridDim.x == 1;; last = 1) {
        s = merge_block(s);
        if (last) break;
        if (threadIdx.x == 0) published[blockIdx.x] = s;
        if (!last_to_arrive(p->tickets, gridDim.x)) return;
        if (threadIdx.x == 0) p->tickets[CLAIMS] = 0;
        state_open(&s);
        for (uint32_t i = threadIdx.x; i < gridDim.x; i += THREADS) state_merge(&s, &published[i]);
    }
#endif
#if defined(VALUES_FIRST)
    if (!HAS_PLACES(a)) s = locate(&a, s);
    else if (s.index >= 0) s.index += a.first;
#endif
    if (threadIdx.x == 0) finish_cell(p, &s, 0);
}
