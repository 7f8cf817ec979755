/* SPDX-License-Identifier: MIT
 *
 * strided.cu - the same pairs as before, but the first threads do them: thread t takes the pair at 2 * step * t.
 *
 * What it removes: divergence. Whole warps work or rest; only when fewer than 32 pairs are left does one warp diverge.
 * Its limit: lanes now touch shared memory 2 * step elements apart. It has 32 banks, each 4 bytes wide, and lanes that
 * want different words of one bank wait for each other: two of them at the first step, up to eight later. */
#include "element.cuh"

extern "C" __global__ void reduce_strided(const element *input, element *output, long long n)
{
    __shared__ element shared[THREADS];
    unsigned thread = threadIdx.x;
    long long i = (long long)blockIdx.x * blockDim.x + thread;
    shared[thread] = i < n ? input[i] : identity();
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        __syncthreads();
        unsigned index = 2 * step * thread;
        if (index < blockDim.x) shared[index] = combine(shared[index], shared[index + step]);
    }
    if (thread == 0) output[blockIdx.x] = shared[0];
}
