/* SPDX-License-Identifier: MIT
 *
 * scan_look_back.cu - Merrill and Garland's decoupled look-back: one pass. A block publishes the total of its tile as
 * soon as it knows it, and finds what stands left of the tile by looking back: at the totals of the tiles before, as
 * far as the nearest tile that has published its whole prefix already. Then it publishes its own prefix.
 *
 * Removes from the scan before: the second reading and writing of everything, and the launches between.
 *
 * Look at three things. A block takes its tile from a ticket: a block that waits for an earlier tile knows that a block
 * works on it, whatever order the GPU starts blocks in. A value is written before its flag, with a fence between, and
 * read after it, with a fence between. And every thread has an odd number of neighbouring elements, so that the lanes
 * of a warp find their elements in different banks of shared memory.
 *
 * Its own limits: elements are loaded one at a time, and a tile waits for a chain of memory round trips. */
#include "element.cuh"

enum { ITEMS = 7, TILE = ITEMS * THREADS, WARPS = THREADS / 32 };
enum { NOTHING, TOTAL, PREFIX };

#define ALL_LANES 0xffffffffu

/* What tiles tell each other. */
struct board {
    int *flags;      /* of tiles */
    element *values; /* of a tile: its total, then its prefix */
};

/* Clears the ticket and the flags, which lie behind it. */
extern "C" __global__ void look_back_clear(int *words, long long count)
{
    const long long i = blockIdx.x * (long long)THREADS + threadIdx.x;
    if (i < count) words[i] = NOTHING;
}

DEVICE void publish(board b, int tile, element e, int flag)
{
    b.values[2 * (long long)tile + (flag == PREFIX)] = e;
    __threadfence();
    atomicExch(&b.flags[tile], flag);
}

/* By one warp, each lane with a tile, the nearest in lane 0, which gets the total of all tiles before this one. */
DEVICE element look_back(board b, int tile, int lane)
{
    element before = identity();
    for (int last = tile - 1; last >= 0; last -= 32) {
        const int other = last - lane;
        int flag = PREFIX; /* of the nothing before the first tile */
        do {
            if (other >= 0) flag = atomicAdd(&b.flags[other], 0);
        } while (__any_sync(ALL_LANES, flag == NOTHING));
        __threadfence();
        const unsigned complete = __ballot_sync(ALL_LANES, flag == PREFIX);
        const int nearest = complete ? __ffs(complete) - 1 : 31;
        element e = identity();
        if (other >= 0 && lane <= nearest) e = b.values[2 * (long long)other + (flag == PREFIX)];
        for (int distance = 1; distance < 32; distance *= 2) {
            const element farther = shuffle_down(ALL_LANES, e, distance);
            if (lane + distance < 32) e = combine(farther, e);
        }
        before = combine(e, before);
        if (complete) break;
    }
    return before;
}

/* The total of the lanes up to this one. */
DEVICE element scan_warp(element e, int lane)
{
    for (int distance = 1; distance < 32; distance *= 2) {
        const element other = shuffle_up(ALL_LANES, e, distance);
        if (lane >= distance) e = combine(other, e);
    }
    return e;
}

/* By the first warp: from the totals of the block's warps to what stands left of each, in this tile and all before. */
DEVICE void scan_warps(board b, int tile, element *warps, int lane)
{
    const element upto = scan_warp(lane < WARPS ? warps[lane] : identity(), lane);
    if (tile > 0 && lane == WARPS - 1) publish(b, tile, upto, TOTAL);
    const element before = look_back(b, tile, lane);
    if (lane == 0) warps[0] = before;
    __syncwarp();
    const element with_this = combine(warps[0], upto);
    if (lane < WARPS - 1) warps[lane + 1] = with_this;
    if (lane == WARPS - 1) publish(b, tile, with_this, PREFIX);
}

/* words: the ticket, then the flags of tiles. */
extern "C" __global__ void scan_look_back(const element *input, element *output, int *words, element *values,
                                          long long n, int exclusive)
{
    __shared__ element room[TILE], warps[WARPS];
    __shared__ int ticket;
    const board b = {words + 1, values};
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0) ticket = atomicAdd(words, 1);
    __syncthreads();
    const int tile = ticket;
    const long long first = tile * (long long)TILE;
    for (int k = threadIdx.x; k < TILE; k += THREADS) room[k] = first + k < n ? input[first + k] : identity();
    __syncthreads();

    element *own = room + threadIdx.x * ITEMS;
    element total = own[0];
    for (int k = 1; k < ITEMS; k++) total = combine(total, own[k]);
    const element upto = scan_warp(total, lane);
    if (lane == 31) warps[warp] = upto;
    __syncthreads();
    if (warp == 0) scan_warps(b, tile, warps, lane);
    __syncthreads();

    const element neighbour = shuffle_up(ALL_LANES, upto, 1);
    element before = warps[warp];
    if (lane > 0) before = combine(before, neighbour);
    for (int k = 0; k < ITEMS; k++) {
        const element after = combine(before, own[k]);
        own[k] = exclusive ? before : after;
        before = after;
    }
    __syncthreads();
    for (int k = threadIdx.x; k < TILE; k += THREADS) {
        if (first + k < n) output[first + k] = room[k];
    }
}
