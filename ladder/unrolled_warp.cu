/* SPDX-License-Identifier: MIT
 *
 * unrolled_warp.cu - when 64 values are left, the first warp goes on alone, without the block's barriers.
 *
 * What it removes: the barriers and loop tests of the last six steps, for all eight warps: seven are done by then.
 * Its limit: the loop before, whose end the compiler does not know.
 *
 * The historical form declared `shared` volatile and had no barrier at all here, because the lanes of a warp ran in
 * lock-step. Since sm_70 they need not: a lane may run ahead and read a value that another has not written yet, or
 * overwrite one that another has not read yet. That is a race, and the warp barriers below are what ends it. */
#include "element.cuh"

/* One step of all 32 lanes. Those from `step` on compute what nobody reads; that costs less than a branch. */
DEVICE element step_of_warp(element *shared, unsigned lane, unsigned step)
{
    element mine = combine(shared[lane], shared[lane + step]);
    __syncwarp(); /* everybody has read */
    shared[lane] = mine;
    __syncwarp(); /* everybody has written */
    return mine;
}

extern "C" __global__ void reduce_unrolled_warp(const element *input, element *output, long long n)
{
    __shared__ element shared[THREADS];
    unsigned thread = threadIdx.x;
    long long i = (long long)blockIdx.x * (2 * blockDim.x) + thread;
    element mine = i < n ? input[i] : identity();
    if (i + blockDim.x < n) mine = combine(mine, input[i + blockDim.x]);
    shared[thread] = mine;
    __syncthreads();
    for (unsigned step = blockDim.x / 2; step > 32; step /= 2) {
        if (thread < step) shared[thread] = combine(shared[thread], shared[thread + step]);
        __syncthreads();
    }
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
