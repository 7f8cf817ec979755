/* SPDX-License-Identifier: MIT
 *
 * rung_cells.cu - the first idea: a thread for each cell, blocks of 32 x 32, a byte for each cell, two buffers, and a
 * launch for each generation. The end of a launch is the only moment at which all threads of a grid have come as far
 * as each other, so a launch is the barrier between generations.
 *
 * Look at the guard: blocks cover more than the world where its sides are no multiples of 32.
 *
 * Its limits: each launch costs some microseconds, and a byte is moved for what is one bit. */
#include "rung.cuh"

extern "C" __global__ void life_cells(const cell *now, cell *next, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) next[(long long)y * width + x] = next_of(now, width, height, x, y);
}
