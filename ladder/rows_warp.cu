/* SPDX-License-Identifier: MIT
 *
 * rows_warp.cu - the results of rows: every warp walks along a row of its own, 32 elements at a time, and the lanes'
 * results are combined by shuffles.
 *
 * Removes from the walk before: lanes that read far apart. What a warp reads lies together.
 *
 * Its own limits: a row shorter than a warp leaves lanes idle, and few long rows keep few warps busy. */
#include "element.cuh"

extern "C" __global__ void rows_warp(const element *input, element *output, long long rows, long long columns)
{
    const int lane = threadIdx.x % 32;
    const long long row = (blockIdx.x * (long long)THREADS + threadIdx.x) / 32;
    if (row >= rows) return; /* the whole warp does */
    element result = identity();
    for (long long c = lane; c < columns; c += 32) result = combine(result, input[row * columns + c]);
    for (int distance = 16; distance > 0; distance /= 2) {
        result = combine(result, shuffle_down(0xffffffffu, result, distance));
    }
    if (lane == 0) output[row] = result;
}
