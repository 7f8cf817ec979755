/* SPDX-License-Identifier: MIT
 *
 * rung_shared.cu - the same, with the world in shared memory from the first generation to the last.
 *
 * Removes the way through global memory: a shared load takes some 30 cycles, one from the L2 cache ten times that, and
 * a block of a thousand threads has nothing else to do meanwhile.
 *
 * Its limits: still one multiprocessor, and a world that fits its shared memory. */
#include "rung.cuh"

extern "C" __global__ void __launch_bounds__(1024) life_shared(cell *memory, int width, int height, int generations)
{
    extern __shared__ cell world[];
    const int cells = width * height, first = threadIdx.y * blockDim.x + threadIdx.x, step = blockDim.x * blockDim.y;
    for (int i = first; i < cells; i += step) world[i] = memory[i];
    __syncthreads();
    for (int g = 0; g < generations; g++) {
        unsigned long long alive = 0;
        for (int i = first, bit = 0; i < cells; i += step, bit++)
            alive |= (unsigned long long)next_of(world, width, height, i % width, i / width) << bit;
        __syncthreads(); /* all have looked */
        for (int i = first, bit = 0; i < cells; i += step, bit++) world[i] = alive >> bit & 1;
        __syncthreads(); /* all have written */
    }
    for (int i = first; i < cells; i += step) memory[i] = world[i];
}
