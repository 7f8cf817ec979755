/* SPDX-License-Identifier: MIT
 *
 * shuffle.cu - lanes of a warp read each other's registers. Each warp reduces its 32 values so, puts one result into
 * shared memory, and the first warp reduces those.
 *
 * What it removes: the traffic with shared memory, and all barriers but one.
 * Its limit: the steps are written by hand, with a mask that names all lanes; and the block still has to meet once.
 * All 32 lanes take part in every shuffle, so a thread without an element brings the identity: it must not leave. */
#include "element.cuh"

#define ALL_LANES 0xffffffffu
#define WARPS (THREADS / 32)

/* Valid in lane 0. Distances grow, so that operands keep their order. */
DEVICE element reduce_warp(element mine)
{
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        mine = combine(mine, shuffle_down(ALL_LANES, mine, distance));
    }
    return mine;
}

extern "C" __global__ void reduce_shuffle(const element *input, element *output, long long n)
{
    __shared__ element shared[WARPS];
    unsigned thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
    long long i = (long long)blockIdx.x * (2 * THREADS) + thread;
    element mine = i < n ? input[i] : identity();
    if (i + THREADS < n) mine = combine(mine, input[i + THREADS]);
    mine = reduce_warp(mine);
    if (lane == 0) shared[warp] = mine;
    __syncthreads();
    if (warp == 0) {
        mine = lane < WARPS ? shared[lane] : identity();
        mine = reduce_warp(mine);
        if (lane == 0) output[blockIdx.x] = mine;
    }
}
