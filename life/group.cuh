/* SPDX-License-Identifier: MIT
 *
 * group.cuh - 128 neighbouring columns of a row as four words: bit p of word k holds column 4 p + k. So a word's
 * neighbours to the left and right are whole words, too, and only the first and the last word need a shift: one bit,
 * with a bit of the group beside it coming in. Rows in memory have a group to spare at either end. */
#include "word.cuh"

#define GROUP 4 /* words */
#define GROUP_COLUMNS (32 * GROUP)

struct __align__(16) group
{
    word x[GROUP];
};

/* The words to the left of a group's first and to the right of its last, with the neighbours' lanes. */
struct seams {
    word left, right;
};

DEVICE seams seams_of(const group &own, int lane_left, int lane_right)
{
    seams s;
    s.left = __funnelshift_l(__shfl_sync(ALL_LANES, own.x[GROUP - 1], lane_left), own.x[GROUP - 1], 1);
    s.right = __funnelshift_r(own.x[0], __shfl_sync(ALL_LANES, own.x[0], lane_right), 1);
    return s;
}

DEVICE word left_of(const group &own, const seams &beside, int k)
{
    return k == 0 ? beside.left : own.x[(k + GROUP - 1) % GROUP];
}

DEVICE word right_of(const group &own, const seams &beside, int k)
{
    return k == GROUP - 1 ? beside.right : own.x[(k + 1) % GROUP];
}

/* The bits of a group whose columns, from `first` on, are in a world of that width. */
DEVICE group mask_of(long long first, long long width)
{
    group mask;
    for (int k = 0; k < GROUP; k++) {
        mask.x[k] = 0;
        for (int p = 0; p < 32; p++) {
            const long long column = first + GROUP * p + k;
            if (column >= 0 && column < width) mask.x[k] |= 1u << p;
        }
    }
    return mask;
}
