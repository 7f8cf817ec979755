/* SPDX-License-Identifier: MIT
 *
 * fan_in.cu - a pyramid: each thread combines fan_in neighbours by itself, and the next pass does the same with the
 * results. How many, 2, 4, 8 or 16, is chosen at run time.
 *
 * What it removes: everything that threads do together; there is no shared memory, no shuffle, no barrier, no atomic.
 * Its limit: traffic. Each pass writes its results to memory and reads them again, and lanes read fan_in elements
 * apart, so that one load of a warp touches up to 32 sectors. A larger fan-in makes fewer passes of more widespread
 * loads. */
#include "element.cuh"

extern "C" __global__ void reduce_fan_in(const element *input, element *output, long long n, int fan_in)
{
    long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x, first = thread * fan_in;
    if (first >= n) return;
    long long end = first + fan_in < n ? first + fan_in : n;
    element mine = input[first];
    for (long long i = first + 1; i < end; i++) mine = combine(mine, input[i]);
    output[thread] = mine;
}
