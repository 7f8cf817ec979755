/* SPDX-License-Identifier: MIT
 *
 * rung_block.cu - all generations in one launch: one block of 32 x 32 threads, which has a barrier of its own. One
 * buffer is enough. All threads look at the world, and remember what they saw; then a barrier, since nobody may write
 * before all have looked; then they write; then a barrier, since nobody may look before all have written. A thread has
 * a cell of every 1024, up to 64, one bit each.
 *
 * Removes the launches. Its limits: one multiprocessor works, and each generation goes through global memory. */
#include "rung.cuh"

extern "C" __global__ void __launch_bounds__(1024) life_block(cell *world, int width, int height, int generations)
{
    const int cells = width * height, first = threadIdx.y * blockDim.x + threadIdx.x, step = blockDim.x * blockDim.y;
    for (int g = 0; g < generations; g++) {
        unsigned long long alive = 0;
        for (int i = first, bit = 0; i < cells; i += step, bit++)
            alive |= (unsigned long long)next_of(world, width, height, i % width, i / width) << bit;
        __syncthreads(); /* all have looked */
        for (int i = first, bit = 0; i < cells; i += step, bit++) world[i] = alive >> bit & 1;
        __syncthreads(); /* all have written */
    }
}
