/* SPDX-License-Identifier: MIT
 *
 * whole_index.cuh - argmin and argmax of reduce_whole.cu. Where blocks have one chunk each, threads say where in their
 * tile their best value stands first, and that is merged. Elsewhere threads and blocks merge their best values with the
 * numbers of the chunks where these stand first; the last block goes through that chunk again. No include guard. */

#include "lanes.cuh"

#define HAS_PLACES(a) ((a).chunks <= (int64_t)gridDim.x)

/* Counted from vector 0's first element on, the place of a tile's first one that is as good as `best`; -1: there is
 * none. */
DEVICE int64_t place_in_tile(const struct tile *tile, int64_t chunk, element best)
{
    int32_t at = -1;
#pragma unroll
    for (int i = TILE - 1; i >= 0; i--) {
        element x = chunk_element(&tile->x[i / VECTOR], i % VECTOR);
        int counts = (tile->inside >> i & 1) != 0 && !(SKIP_NAN && element_is_nan(x));
        if (counts && !index_beats(best, x)) at = i;
    }
    if (at < 0) return -1;
    return (chunk * CHUNK + (int64_t)threadIdx.x + at / VECTOR * THREADS) * VECTOR + at % VECTOR;
}

/* A block's only chunk. */
DEVICE void absorb_with_place(const struct array *a, struct open_state *open, int64_t chunk)
{
    if (chunk >= a->chunks) return;
    struct tile tile = load_tile(a, chunk);
    absorb(open, &tile);
    open->place = place_in_tile(&tile, chunk, open->best);
}

/* With the element's place as its index, or the chunk's number. */
DEVICE struct state close_with_place(const struct array *a, const struct open_state *open)
{
    struct state s = open->s;
    if (open->tile == NO_TILE) return s;
    s.value = open->best;
    s.index = HAS_PLACES(*a) ? open->place : (open->tile - a->first) / VECTOR / CHUNK;
    return s;
}

struct candidate {
    element value;
};

SHUFFLE(candidate)

/* The best of a warp's states, the one with the lowest index of several, in all lanes; indices are below 2^31 - 1. */
DEVICE struct state merge_lanes(struct state s, int32_t lanes)
{
    const int32_t none = INT32_MAX;
    struct candidate best = {s.index < 0 ? index_worst() : s.value};
    for (int32_t bit = lanes / 2; bit > 0; bit /= 2) {
        struct candidate other = candidate_xor(best, (uint32_t)bit);
        if (index_beats(other.value, best.value)) best = other;
    }
    best = candidate_from(best, 0);
    int is_best = s.index >= 0 && !index_beats(best.value, s.value);
    int32_t index = least_of_lanes(is_best ? (int32_t)s.index : none);
    struct state merged = {s.absent, index == none ? -1 : index, best.value};
    for (int32_t bit = lanes / 2; SKIP_NAN && bit > 0; bit /= 2)
        merged.absent += (int64_t)__shfl_xor_sync(FULL_WARP, (unsigned long long)merged.absent, bit);
    return merged;
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
    state_open(&s);
    if (lane < WARPS) s = room[lane];
    return merge_lanes(s, WARPS);
}

DEVICE_CALL int64_t find_in_chunk(struct array a, int64_t chunk, element best)
{
    struct tile tile = load_tile(&a, chunk);
    return place_in_tile(&tile, chunk, best);
}

/* From the state of the whole array, in thread 0, to the same with the element's index; every thread of the block comes
 * here. The chunk's places are small numbers. */
DEVICE struct state locate(const struct array *a, struct state s)
{
    __shared__ struct state all;
    if (threadIdx.x == 0) all = s;
    __syncthreads();
    struct state found = {0, -1, all.value};
    int64_t chunk_begin = all.index * CHUNK * VECTOR;
    if (all.index >= 0) found.index = find_in_chunk(*a, all.index, all.value);
    if (found.index >= 0) found.index -= chunk_begin;
    found = merge_block(found);
    if (found.index >= 0) found.index += chunk_begin + a->first;
    found.absent = all.absent;
    return found;
}
