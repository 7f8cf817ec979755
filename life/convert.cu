/* SPDX-License-Identifier: MIT
 *
 * convert.cu - between pictures (rows of words of 64 bits, cell after cell) and groups (group.cuh). Done once for many
 * generations, so it takes the simplest way: bit by bit. */
#include "group.cuh"

typedef unsigned long long picture_word;

/* A world in groups, as stream.cu has it. */
struct shape {
    long long width, groups;
    unsigned height, stride;
};

DEVICE group *group_at(group *world, const shape &s, unsigned y, long long number)
{
    return (group *)((char *)world + (unsigned long long)y * s.stride) + number + 1;
}

#if WITH_DEAD_EDGES
DEVICE long long column_in(long long column, const shape &s)
{
    return column >= 0 && column < s.width ? column : -1;
}
#else
/* The columns beyond the edges are those of the other side, however often the world is to be repeated for that. */
DEVICE long long column_in(long long column, const shape &s)
{
    column %= s.width;
    return column < 0 ? column + s.width : column;
}
#endif

/* One thread for each group, also those at either end of a row that are to spare. */
extern "C" __global__ void life_pack(const picture_word *picture, long long words, group *world, const shape s)
{
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x, in_row = s.groups + 2;
    if (i >= in_row * s.height) return;
    const unsigned y = (unsigned)(i / in_row);
    const long long number = i % in_row - 1, first = number * GROUP_COLUMNS;
    const picture_word *row = picture + y * words;
    group packed = {};
    if (number >= 0 && first + GROUP_COLUMNS <= s.width) {
        const picture_word low = row[2 * number], high = row[2 * number + 1];
        for (int p = 0; p < 32; p++) {
            const unsigned four = (unsigned)((p < 16 ? low : high) >> 4 * (p % 16));
            for (int k = 0; k < GROUP; k++) packed.x[k] |= (four >> k & 1) << p;
        }
    } else {
        for (int c = 0; c < GROUP_COLUMNS; c++) {
            const long long column = column_in(first + c, s);
            if (column >= 0) packed.x[c % GROUP] |= (word)(row[column / 64] >> column % 64 & 1) << c / GROUP;
        }
    }
    *group_at(world, s, y, number) = packed;
}

/* One thread for each word of the picture. */
extern "C" __global__ void life_unpack(picture_word *picture, long long words, group *world, const shape s)
{
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i >= words * s.height) return;
    const unsigned y = (unsigned)(i / words);
    const long long number = i % words;
    const group packed = *group_at(world, s, y, number / 2);
    const int shift = number % 2 * 16;
    picture_word cells = 0;
    for (int p = 0; p < 16; p++) {
        for (int k = 0; k < GROUP; k++) cells |= (picture_word)(packed.x[k] >> (p + shift) & 1) << (GROUP * p + k);
    }
    const long long left = s.width - number * 64;
    picture[i] = left >= 64 ? cells : cells & ((1ull << left) - 1);
}

/* Columns first, first + 4, ... of a row, all of them in the world. */
DEVICE word cells_from(group *world, const shape &s, unsigned y, long long first)
{
    const group *const at = group_at(world, s, y, first / GROUP_COLUMNS);
    const int k = (int)(first % GROUP), p = (int)(first % GROUP_COLUMNS / GROUP);
    return __funnelshift_r(at[0].x[k], at[1].x[k], p);
}

DEVICE word cells_around(group *world, const shape &s, unsigned y, long long first)
{
    word bits = 0;
    for (int p = 0; p < 32; p++) {
        const long long column = column_in(first + GROUP * p, s);
        if (column < 0) continue;
        const group *from = group_at(world, s, y, column / GROUP_COLUMNS);
        bits |= (from->x[column % GROUP] >> column % GROUP_COLUMNS / GROUP & 1) << p;
    }
    return bits;
}

/* Before a pass over a torus whose width is no multiple of a group's: the groups to spare become what lies there, the
 * other side. One thread for each of their words. */
extern "C" __global__ void life_wrap(group *world, const shape s)
{
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i >= 2ll * GROUP * s.height) return;
    const unsigned y = (unsigned)(i / (2 * GROUP));
    const int k = (int)(i % GROUP);
    const bool right = i / GROUP % 2;
    const long long first = (right ? s.groups * GROUP_COLUMNS - s.width : s.width - GROUP_COLUMNS) + k;
    group_at(world, s, y, right ? s.groups : -1)->x[k] =
        s.width >= 2 * GROUP_COLUMNS ? cells_from(world, s, y, first) : cells_around(world, s, y, first);
}

extern "C" __global__ void life_clear(group *world, long long count)
{
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < count) world[i] = group();
}
