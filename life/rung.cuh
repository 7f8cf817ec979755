/* SPDX-License-Identifier: MIT
 *
 * rung.cuh - what the rungs that have a byte for a cell share: the rule, on a torus. */
#define DEVICE static __device__ __forceinline__

typedef unsigned char cell; /* 0 or 1 */

/* The next generation of cell x of row y. Each neighbour is read by itself: nine loads for a cell, eight of which the
 * cells beside it make, too. */
DEVICE cell next_of(const cell *world, int width, int height, int x, int y)
{
    const int left = x > 0 ? x - 1 : width - 1, right = x < width - 1 ? x + 1 : 0;
    const cell *row = world + (long long)y * width;
    const cell *above = world + (long long)(y > 0 ? y - 1 : height - 1) * width;
    const cell *below = world + (long long)(y < height - 1 ? y + 1 : 0) * width;
    const int neighbours =
        above[left] + above[x] + above[right] + row[left] + row[right] + below[left] + below[x] + below[right];
    return neighbours == 3 || (neighbours == 2 && row[x]);
}
