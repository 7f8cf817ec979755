/* SPDX-License-Identifier: MIT
 *
 * warp.cu - a world of 32 or 64 columns and as many rows as it has lanes, or twice as many, in the registers of one
 * warp for any number of generations: no memory and no barrier in between, only shuffles. What a generation takes is
 * not work but waiting: for the sums of the rows above and below, and then for four operations one after the other.
 *
 * WORDS of a row (bit p of word k is column WORDS p + k), ROWS of a lane. */
#include "word.cuh"

typedef unsigned long long picture_word;

/* One column to the left or right. The other side comes in, or nothing. */
DEVICE word from_left(word x)
{
    return WITH_DEAD_EDGES ? x << 1 : __funnelshift_l(x, x, 1);
}

DEVICE word from_right(word x)
{
    return WITH_DEAD_EDGES ? x >> 1 : __funnelshift_r(x, x, 1);
}

struct line {
    word x[WORDS];
};

DEVICE word left_of(const line &row, int k)
{
    return k == 0 ? from_left(row.x[WORDS - 1]) : row.x[k - 1];
}

DEVICE word right_of(const line &row, int k)
{
    return k == WORDS - 1 ? from_right(row.x[0]) : row.x[(k + 1) % WORDS];
}

DEVICE sum sum_from(const sum &s, int lane, bool outside)
{
    sum from;
    from.odd = __shfl_sync(ALL_LANES, s.odd, lane);
    from.two = __shfl_sync(ALL_LANES, s.two, lane);
    if (WITH_DEAD_EDGES && outside) from.odd = from.two = 0;
    return from;
}

DEVICE void next_generation(line *rows, int lane)
{
    sum sums[ROWS + 2][WORDS];
    line next[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
#pragma unroll
        for (int k = 0; k < WORDS; k++)
            sums[r + 1][k] = sum_of(left_of(rows[r], k), rows[r].x[k], right_of(rows[r], k));
    }
#pragma unroll
    for (int k = 0; k < WORDS; k++) {
        sums[0][k] = sum_from(sums[ROWS][k], (lane + 31) % 32, lane == 0);
        sums[ROWS + 1][k] = sum_from(sums[1][k], (lane + 1) % 32, lane == 31);
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
#pragma unroll
        for (int k = 0; k < WORDS; k++)
            next[r].x[k] = next_of(sums[r][k], left_of(rows[r], k), rows[r].x[k], right_of(rows[r], k), sums[r + 2][k]);
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) rows[r] = next[r];
}

/* A picture of 32 ROWS rows, one word of 64 bits each. */
extern "C" __global__ void __launch_bounds__(32) life_warp(picture_word *picture, long long generations)
{
    const int lane = threadIdx.x;
    line rows[ROWS];
    for (int r = 0; r < ROWS; r++) {
        const picture_word cells = picture[lane * ROWS + r];
        for (int k = 0; k < WORDS; k++) {
            rows[r].x[k] = 0;
            for (int p = 0; p < 32; p++) rows[r].x[k] |= (word)(cells >> (WORDS * p + k) & 1) << p;
        }
    }
#pragma unroll 2
    for (long long g = 0; g < generations; g++) next_generation(rows, lane);
    for (int r = 0; r < ROWS; r++) {
        picture_word cells = 0;
        for (int k = 0; k < WORDS; k++) {
            for (int p = 0; p < 32; p++) cells |= (picture_word)(rows[r].x[k] >> p & 1) << (WORDS * p + k);
        }
        picture[lane * ROWS + r] = cells;
    }
}
