/* SPDX-License-Identifier: MIT
 *
 * columns_atomic.cu - the results of columns, in two launches. A block has 32 columns, one for each lane, and a stretch
 * of rows, some for each warp; a tree in shared memory combines its warps. The first launch writes what every block
 * found; the second does the same with these partial results, and finishes each column with atomic updates.
 *
 * Removes from the walk before: one thread for each column. The rows are shared out, too.
 *
 * Look at the tree: when an odd number of warps is left, the one in the middle waits for the next step. Halves rounded
 * down would lose it, and with it every result but those of 2, 4, 8, ... warps.
 *
 * Its own limits: a matrix of less than 32 columns leaves lanes idle, and float results depend on the order in which
 * blocks finish. */
#include "element.cuh"

enum { WARPS = THREADS / 32, ROWS = 32 * WARPS }; /* ROWS: of a block */

/* Where the thread is: its column, and the block's stretch of rows. */
struct seat {
    long long column, stretch;
    int lane, warp;
};

DEVICE seat seat_of(long long columns)
{
    const long long across = (columns + 31) / 32;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const seat s = {blockIdx.x % across * 32 + lane, blockIdx.x / across, lane, warp};
    return s;
}

/* The result of the stretch's rows, for the first warp's threads. */
DEVICE element reduce_stretch(seat s, const element *input, long long rows, long long columns)
{
    __shared__ element room[WARPS][32];
    const long long end = min(rows, (s.stretch + 1) * ROWS);
    element result = identity();
    if (s.column < columns) {
        for (long long r = s.stretch * ROWS + s.warp; r < end; r += WARPS) {
            result = combine(result, input[r * columns + s.column]);
        }
    }
    room[s.warp][s.lane] = result;
    __syncthreads();
    for (int live = WARPS, half; live > 1; live = half) {
        half = (live + 1) / 2;
        if (s.warp < live / 2) {
            room[s.warp][s.lane] = combine(room[s.warp][s.lane], room[s.warp + half][s.lane]);
        }
        __syncthreads();
    }
    return room[0][s.lane];
}

extern "C" __global__ void columns_partial(const element *input, element *partial, element *output, long long rows,
                                           long long columns)
{
    const seat s = seat_of(columns);
    const element result = reduce_stretch(s, input, rows, columns);
    if (s.warp == 0 && s.column < columns) {
        partial[s.stretch * columns + s.column] = result;
        if (s.stretch == 0) output[s.column] = identity(); /* what the second launch adds to */
    }
}

extern "C" __global__ void columns_finish(const element *partial, element *output, long long rows, long long columns)
{
    const seat s = seat_of(columns);
    const element result = reduce_stretch(s, partial, rows, columns);
    if (s.warp == 0 && s.column < columns) atomic_combine(&output[s.column], result);
}
