/* SPDX-License-Identifier: MIT
 *
 * tile.cuh - the 32 lanes of a warp as one object that knows how to reduce: what cooperative groups call a tile. Their
 * own header is part of the CUDA toolkit, which kernels that are compiled at run time do without. */

#define TILE 32

struct tile {
    unsigned rank;    /* of the calling thread, 0 to 31 */
    long long number; /* of the tile in the grid */
};

DEVICE tile this_tile()
{
    tile t;
    t.rank = threadIdx.x % TILE;
    t.number = ((long long)blockIdx.x * blockDim.x + threadIdx.x) / TILE;
    return t;
}

/* Valid in rank 0; all 32 must call. Operands keep their order. */
DEVICE element tile_reduce(element mine)
{
    for (unsigned distance = 1; distance < TILE; distance *= 2) {
        mine = combine(mine, shuffle_down(0xffffffffu, mine, distance));
    }
    return mine;
}
