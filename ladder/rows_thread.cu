/* SPDX-License-Identifier: MIT
 *
 * rows_thread.cu - the results of rows: every thread walks along a row of its own.
 *
 * Its limits: the lanes of a warp read elements that are a row apart, so each moves 32 bytes of memory for the few that
 * it uses; and few rows keep few threads busy. */
#include "element.cuh"

extern "C" __global__ void rows_thread(const element *input, element *output, long long rows, long long columns)
{
    const long long row = blockIdx.x * (long long)THREADS + threadIdx.x;
    if (row < rows) {
        element result = input[row * columns];
        for (long long c = 1; c < columns; c++) result = combine(result, input[row * columns + c]);
        output[row] = result;
    }
}
