/* SPDX-License-Identifier: MIT
 *
 * scan_blocks.cu - the two sweeps inside of a block, in shared memory. Every block scans a tile of two elements for
 * each thread and writes down the tile's total; the totals are scanned in turn, by the same kernel; then every tile
 * gets the total of the tiles before it.
 *
 * Removes from the sweeps before: a launch for each level, and the trips to memory between them.
 *
 * Its own limits: everything is read and written twice. And look at the strides: halves that are `reach` apart fall
 * into the same banks of shared memory, at worst all 32 lanes into one. */
#include "element.cuh"

enum { TILE = 2 * THREADS };

/* The index of the last element of the left half that this thread has, and of the right half. */
struct halves {
    int left, right;
};

DEVICE halves halves_of(int reach, int size)
{
    const int left = (2 * threadIdx.x + 1) * reach - 1;
    const halves h = {left, min(left + reach, size - 1)};
    return h;
}

/* input may be output: a block has read its tile before it writes it. */
extern "C" __global__ void scan_tiles(const element *input, element *output, element *totals, long long n,
                                      int exclusive)
{
    __shared__ element tree[TILE + 1];
    const long long first = blockIdx.x * (long long)TILE;
    const int i = threadIdx.x, size = (int)min(n - first, (long long)TILE);
    for (int k = i; k < size; k += THREADS) tree[k] = input[first + k];
    __syncthreads();
    int reach = 1;
    for (; reach < size; reach *= 2) {
        const halves h = halves_of(reach, size);
        if (h.left < h.right) tree[h.right] = combine(tree[h.left], tree[h.right]);
        __syncthreads();
    }
    if (i == 0) {
        tree[size] = totals[blockIdx.x] = tree[size - 1];
        tree[size - 1] = identity();
    }
    __syncthreads();
    for (reach /= 2; reach > 0; reach /= 2) {
        const halves h = halves_of(reach, size);
        if (h.left < h.right) {
            const element total = tree[h.left], before = tree[h.right];
            tree[h.left] = before;
            tree[h.right] = combine(before, total);
        }
        __syncthreads();
    }
    for (int k = i; k < size; k += THREADS) output[first + k] = tree[exclusive ? k : k + 1];
}

/* before[t]: the total of all tiles left of tile t. Nothing is left of the first, which no block is started for. */
extern "C" __global__ void scan_add(const element *before, element *output, long long n)
{
    const long long tile = blockIdx.x + 1ll, end = min(n, (tile + 1) * TILE);
    const element left = before[tile];
    for (long long i = tile * TILE + threadIdx.x; i < end; i += THREADS) output[i] = combine(left, output[i]);
}
