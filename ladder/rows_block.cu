/* SPDX-License-Identifier: MIT
 *
 * rows_block.cu - the results of rows: every block walks along a row, all threads together, and the threads' results
 * are combined by shuffles in each warp, then in the first warp.
 *
 * Removes from the walk before: a row that one warp alone has to read.
 *
 * Its own limits: a short row leaves most of a block idle, and a matrix of one long row still has one block. */
#include "element.cuh"

enum { WARPS = THREADS / 32 };

/* In lane 0. */
DEVICE element reduce_warp(element e)
{
    for (int distance = 16; distance > 0; distance /= 2) e = combine(e, shuffle_down(0xffffffffu, e, distance));
    return e;
}

extern "C" __global__ void rows_block(const element *input, element *output, long long rows, long long columns)
{
    __shared__ element warps[WARPS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (long long row = blockIdx.x; row < rows; row += gridDim.x) { /* a grid may have fewer blocks than rows */
        element result = identity();
        for (long long c = threadIdx.x; c < columns; c += THREADS) result = combine(result, input[row * columns + c]);
        result = reduce_warp(result);
        if (lane == 0) warps[warp] = result;
        __syncthreads();
        if (warp == 0) {
            result = reduce_warp(threadIdx.x < WARPS ? warps[threadIdx.x] : identity());
            if (threadIdx.x == 0) output[row] = result;
        }
        __syncthreads(); /* the next row's results may come */
    }
}
