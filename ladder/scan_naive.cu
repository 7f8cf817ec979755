/* SPDX-License-Identifier: MIT
 *
 * scan_naive.cu - Hillis and Steele's scan: at step j every element takes in the one 2^j before it, and so has the
 * total of twice as many elements as before. One block, one thread for each element.
 *
 * Look at the two rooms: a step reads one and writes the other, so one barrier for each step will do. In a single room
 * a thread would read what its neighbour has written already, or has not yet.
 *
 * Its own limits: n log2 n - n + 1 applications of the operator where n - 1 would do for a loop, and one block. */
#include "element.cuh"

enum { MOST = 1024 };

extern "C" __global__ void scan_naive(const element *input, element *output, int exclusive)
{
    __shared__ element room[2][MOST];
    const int i = threadIdx.x, n = blockDim.x;
    int from = 0;
    room[0][i] = input[i];
    __syncthreads();
    for (int step = 1; step < n; step *= 2) {
        element e = room[from][i];
        if (i >= step) e = combine(room[from][i - step], e);
        room[!from][i] = e;
        from = !from;
        __syncthreads();
    }
    element result = room[from][i];
    if (exclusive) result = i > 0 ? room[from][i - 1] : identity();
    output[i] = result;
}
