/* SPDX-License-Identifier: MIT
 *
 * atomic_finish.cu - each tile adds its result to the one result in memory, atomically, and does not wait for the
 * outcome. A grid of limited size goes over the input in rounds, so that there are not more such updates than needed.
 *
 * What it removes: the passes, and the memory for their results.
 * Its limit: all tiles update one address, one after the other, in an order that no two runs share: sums of floats that
 * are rounded differ from run to run. And where the hardware has no such update (products, minima of floats) a tile
 * tries until nobody came between. Someone must also write the identity there before. */
#include "element.cuh"
#include "tile.cuh"

extern "C" __global__ void clear_result(element *result)
{
    *result = identity();
}

extern "C" __global__ void reduce_atomic_finish(const element *input, element *result, long long n)
{
    tile warp = this_tile();
    long long threads = (long long)gridDim.x * blockDim.x;
    if (warp.number * TILE >= n) return; /* the whole tile, which never has an element */
    element mine = identity();
    for (long long i = warp.number * TILE + warp.rank, first = 0; first < n; first += threads, i += threads) {
        mine = combine(mine, i < n ? input[i] : identity());
    }
    mine = tile_reduce(mine);
    if (warp.rank == 0) atomic_combine(result, mine);
}
