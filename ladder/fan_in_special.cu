/* SPDX-License-Identifier: MIT
 *
 * fan_in_special.cu - the pyramid of fan_in.cu for a fan-in that the compiler knows, FAN_IN: 2 or 4, without a loop.
 *
 * What it removes: the loop, and the test before each element.
 * Its limit: the last thread may have fewer elements, and must not be forgotten: without that, n has to be a power of
 * FAN_IN. */
#include "element.cuh"

#if FAN_IN == 2
DEVICE element combine_all(const element *input)
{
    return combine(input[0], input[1]);
}
#else
DEVICE element combine_all(const element *input)
{
    return combine(combine(input[0], input[1]), combine(input[2], input[3]));
}
#endif

extern "C" __global__ void reduce_fan_in_special(const element *input, element *output, long long n)
{
    long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x, first = thread * FAN_IN;
    if (first >= n) return;
    element mine;
    if (first + FAN_IN <= n) {
        mine = combine_all(input + first);
    } else {
        mine = input[first];
        for (long long i = first + 1; i < n; i++) mine = combine(mine, input[i]);
    }
    output[thread] = mine;
}
