/* SPDX-License-Identifier: MIT
 *
 * bitmask.cu - as modulo.cu, but the multiples of 2 * step, a power of two, are found by their low bits.
 *
 * What it removes: the slow %.
 * Its limit: the same threads work, so the same warps diverge. */
#include "element.cuh"

extern "C" __global__ void reduce_bitmask(const element *input, element *output, long long n)
{
    __shared__ element shared[THREADS];
    unsigned thread = threadIdx.x;
    long long i = (long long)blockIdx.x * blockDim.x + thread;
    shared[thread] = i < n ? input[i] : identity();
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        __syncthreads();
        if ((thread & (2 * step - 1)) == 0) shared[thread] = combine(shared[thread], shared[thread + step]);
    }
    if (thread == 0) output[blockIdx.x] = shared[0];
}
