/* SPDX-License-Identifier: MIT
 *
 * cooperative.cu - a tile of 32 threads is an object that reduces by itself, and its result is one of the next pass's
 * inputs: one per tile, not one per block.
 *
 * What it removes: shuffles by hand, shared memory, and the last barrier; tiles have nothing to do with each other.
 * Its limit: a pass leaves a 64th of the elements, not a 512th, so there are more passes, and each is a launch. */
#include "element.cuh"
#include "tile.cuh"

extern "C" __global__ void reduce_cooperative(const element *input, element *output, long long n)
{
    tile warp = this_tile();
    long long i = warp.number * (2 * TILE) + warp.rank;
    if (warp.number * (2 * TILE) >= n) return; /* the whole tile, which has neither an element nor a result */
    element mine = i < n ? input[i] : identity();
    if (i + TILE < n) mine = combine(mine, input[i + TILE]);
    mine = tile_reduce(mine);
    if (warp.rank == 0) output[warp.number] = mine;
}
