/* SPDX-License-Identifier: MIT
 *
 * columns_thread.cu - the results of columns: every thread walks down a column of its own. The lanes of a warp have
 * neighbouring columns, so what they read lies together.
 *
 * Its limit: as many threads as columns. A tall and narrow matrix is read by a few warps, one row after the other. */
#include "element.cuh"

extern "C" __global__ void columns_thread(const element *input, element *output, long long rows, long long columns)
{
    const long long column = blockIdx.x * (long long)THREADS + threadIdx.x;
    if (column < columns) {
        element result = input[column];
        for (long long r = 1; r < rows; r++) result = combine(result, input[r * columns + column]);
        output[column] = result;
    }
}
