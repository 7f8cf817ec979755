/* SPDX-License-Identifier: MIT
 *
 * sequential.cu - the pairs are other ones: thread t combines elements t and t + step, and step halves instead of
 * doubling. This changes the order of the operands, so the operator must be commutative from here on.
 *
 * What it removes: bank conflicts. Neighbouring lanes touch neighbouring words.
 * Its limit: half of the threads rest from the first step on; they did nothing but load one element. */
#include "element.cuh"

extern "C" __global__ void reduce_sequential(const element *input, element *output, long long n)
{
    __shared__ element shared[THREADS];
    unsigned thread = threadIdx.x;
    long long i = (long long)blockIdx.x * blockDim.x + thread;
    shared[thread] = i < n ? input[i] : identity();
    for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
        __syncthreads();
        if (thread < step) shared[thread] = combine(shared[thread], shared[thread + step]);
    }
    if (thread == 0) output[blockIdx.x] = shared[0];
}
