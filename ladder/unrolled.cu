/* SPDX-License-Identifier: MIT
 *
 * unrolled.cu - the whole tree without a loop: the size of the block is a constant, so the compiler keeps the steps
 * that it has and drops the others.
 *
 * What it removes: the loop, its counter and its tests.
 * Its limit: every step still goes through shared memory, twice to read and once to write, and waits for it. */
#include "element.cuh"

/* See unrolled_warp.cu. */
DEVICE element step_of_warp(element *shared, unsigned lane, unsigned step)
{
    element mine = combine(shared[lane], shared[lane + step]);
    __syncwarp();
    shared[lane] = mine;
    __syncwarp();
    return mine;
}

DEVICE void step_of_block(element *shared, unsigned thread, unsigned step)
{
    if (thread < step) shared[thread] = combine(shared[thread], shared[thread + step]);
    __syncthreads();
}

extern "C" __global__ void reduce_unrolled(const element *input, element *output, long long n)
{
    __shared__ element shared[THREADS];
    unsigned thread = threadIdx.x;
    long long i = (long long)blockIdx.x * (2 * THREADS) + thread;
    element mine = i < n ? input[i] : identity();
    if (i + THREADS < n) mine = combine(mine, input[i + THREADS]);
    shared[thread] = mine;
    __syncthreads();
    if (THREADS >= 1024) step_of_block(shared, thread, 512);
    if (THREADS >= 512) step_of_block(shared, thread, 256);
    if (THREADS >= 256) step_of_block(shared, thread, 128);
    if (THREADS >= 128) step_of_block(shared, thread, 64);
    if (thread < 32) {
        step_of_warp(shared, thread, 32);
        step_of_warp(shared, thread, 16);
        step_of_warp(shared, thread, 8);
        step_of_warp(shared, thread, 4);
        step_of_warp(shared, thread, 2);
        mine = step_of_warp(shared, thread, 1);
        if (thread == 0) output[blockIdx.x] = mine;
    }
}
