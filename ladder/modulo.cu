/* SPDX-License-Identifier: MIT
 *
 * modulo.cu - the first idea: each thread brings one element into shared memory; then neighbours are combined, then
 * pairs of neighbours, and so on, until thread 0 has the block's result. The results of all blocks are the input of the
 * next pass, until one is left.
 *
 * Its limit: the threads that work are those whose number is a multiple of 2 * step. They are spread over all warps, so
 * every warp diverges in each of the first five steps and works for ever fewer of its lanes; and % is slow. */
#include "element.cuh"

extern "C" __global__ void reduce_modulo(const element *input, element *output, long long n)
{
    __shared__ element shared[THREADS];
    unsigned thread = threadIdx.x;
    long long i = (long long)blockIdx.x * blockDim.x + thread;
    shared[thread] = i < n ? input[i] : identity();
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        __syncthreads();
        if (thread % (2 * step) == 0) shared[thread] = combine(shared[thread], shared[thread + step]);
    }
    if (thread == 0) output[blockIdx.x] = shared[0];
}
