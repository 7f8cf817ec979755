/* SPDX-License-Identifier: MIT
 *
 * fan_in_special.cu - the pyramid of fan_in.cu for a fan-in that the compiler knows, FAN_IN: 2 or 4, without a loop.
 *
 * What it removes: the loop, and the test before each element.
 * Its limit: the last thread may have fewer elements, and must not be forgotten: without that, n has to be a power of
 * FAN_IN. */
#include "element.cuh"

/* The first element is loaded, the others are there. */
DEVICE element combine_all(element first, const element *input)
{
#if FAN_IN == 2
    return combine(first, input[1]);
#else
    return combine(combine(first, input[1]), combine(input[2], input[3]));
#endif
}

extern "C" __global__ void reduce_fan_in_special(const element *input, element *output, long long n)
{
    long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x, first = thread * FAN_IN;
    if (first >= n) return;
    element mine = input[first];
    if (first + FAN_IN <= n) {
        mine = combine_all(mine, input + first);
    } else {
        for (long long i = first + 1; i < n; i++) mine = combine(mine, input[i]);
    }
    output[thread] = mine;
}
