/* SPDX-License-Identifier: MIT
 *
 * rung_grid.cu - all generations in one launch, on the whole GPU: a barrier for the grid, made of an atomic counter.
 * The last thread of each block to come counts its block in; then it looks until all blocks have been counted. With
 * two buffers there is one barrier for a generation: who writes generation g + 1 writes where g - 1 was, which everyone
 * has done with.
 *
 * A block that waits keeps its place on the GPU: there may be no more blocks than run at the same time, or those that
 * wait would wait for those that cannot start. So blocks walk over the world in a loop.
 *
 * Removes the launches, for worlds of any size. Its limit: a byte for a cell, and nine loads for a byte. */
#include "rung.cuh"

/* The counter only grows: after generation g it is (g + 1) times the number of blocks. The fence before the count makes
 * the block's cells visible to others; the one behind the wait makes others' cells visible to the block. */
DEVICE void wait_for_all(unsigned *arrived, unsigned count)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1u);
        while (atomicAdd(arrived, 0u) < count)
            ;
        __threadfence();
    }
    __syncthreads();
}

extern "C" __global__ void life_grid(cell *now, cell *next, int width, int height, int generations, unsigned *arrived)
{
    const long long cells = (long long)width * height, first = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    const long long step = gridDim.x * (long long)blockDim.x;
    for (int g = 0; g < generations; g++) {
        for (long long i = first; i < cells; i += step)
            next[i] = next_of(now, width, height, (int)(i % width), (int)(i / width));
        wait_for_all(arrived, (g + 1u) * gridDim.x);
        cell *const other = now;
        now = next;
        next = other;
    }
}
