/* SPDX-License-Identifier: MIT
 *
 * full_leaf.cuh - a whole leaf whose elements lie side by side, by a warp whose threads have 4 lanes each; the bits are
 * those of lane_combine. No include guard. */

/* Rows that are loaded at once: more instructions than those of a few come no faster. */
enum { FULL_ROWS = ELEMENT_SIZE == 1 ? 16 : ELEMENT_SIZE <= 4 ? 8 : ELEMENT_SIZE == 8 ? 4 : 2 };

#if SUMS_TOGETHER
enum { REST = 7 }; /* leaves for which what did not do for one is not tried again */

#if !POWERS_ARE_FLOATS && !defined(ONLY_TYPE_f64)
#include "full_integer_powers.cuh"
#else
DEVICE void full_prepare(const struct reduce_parameters *p)
{
    (void)p;
}
#include "full_powers.cuh"
#endif

#else

DEVICE void full_prepare(const struct reduce_parameters *p)
{
    (void)p;
}

struct full_lanes {
    struct FOLD(lane) lane[LANES];
};

/* Out of line, where nothing else takes registers. */
DEVICE_CALL struct full_lanes fold_full_leaf(const char *x)
{
    struct full_lanes full;
#pragma unroll
    for (int q = 0; q < LANES; q++) full.lane[q] = FOLD(lane_identity)();
#pragma unroll 1
    for (int row = 0; row < ROWS; row += FULL_ROWS, x += FULL_ROWS * TREE_LANES * ELEMENT_SIZE) {
        element four[FULL_ROWS][LANES];
#pragma unroll
        for (int r = 0; r < FULL_ROWS; r++) load_aligned(four[r], x + r * TREE_LANES * ELEMENT_SIZE);
#pragma unroll
        for (int r = 0; r < FULL_ROWS; r++) {
#pragma unroll
            for (int q = 0; q < LANES; q++) FOLD(lane_combine)(&full.lane[q], FOLD(lift)(four[r][q], four[r][q]));
        }
    }
    return full;
}

/* Brings the leaf into the thread's lanes; x is the thread's first element, `begin` the leaf's. */
DEVICE int absorb_full_leaf(const char *x, const char *begin, struct lanes *lanes)
{
    struct full_lanes full = fold_full_leaf(x);
    (void)begin;
    memcpy(lanes->lane, full.lane, sizeof full.lane);
    return 1;
}
#endif
