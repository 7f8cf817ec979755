/* SPDX-License-Identifier: MIT
 *
 * add_on_load.cu - each thread loads two elements, a block's length apart, and combines them on the way.
 *
 * What it removes: the threads that only load. Half as many blocks do the same work, and each thread has two loads on
 * their way to memory at the same time.
 * Its limit: the last steps. One warp is left, yet the whole block waits at a barrier in each of them. */
#include "element.cuh"

extern "C" __global__ void reduce_add_on_load(const element *input, element *output, long long n)
{
    __shared__ element shared[THREADS];
    unsigned thread = threadIdx.x;
    long long i = (long long)blockIdx.x * (2 * blockDim.x) + thread;
    element mine = i < n ? input[i] : identity();
    if (i + blockDim.x < n) mine = combine(mine, input[i + blockDim.x]);
    shared[thread] = mine;
    for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
        __syncthreads();
        if (thread < step) shared[thread] = combine(shared[thread], shared[thread + step]);
    }
    if (thread == 0) output[blockIdx.x] = shared[0];
}
