/* SPDX-License-Identifier: MIT
 *
 * full_fold.cuh - whole leaves of folds that go one element after the other; the bits are those of lane_combine. No
 * include guard. */

/* Nothing is to be learned from leaves. */
struct leaf_memory {};

DEVICE struct leaf_memory leaf_memory_none(void)
{
    struct leaf_memory memory;
    return memory;
}

DEVICE void full_prepare(const struct reduce_parameters *p)
{
    (void)p;
}

/* The leaf where the warp is. */
DEVICE int full_leaf(struct full_walk *walk, int32_t member, struct leaf_memory *memory, struct FOLD(lane) * leaf)
{
    struct lanes lanes;
    (void)memory;
#pragma unroll
    for (int q = 0; q < LANES; q++) lanes.lane[q] = FOLD(lane_identity)();
#pragma unroll 2
    for (int row = 0; row < ROWS; row += FULL_ROWS) {
        struct full_rows rows = next_rows(walk, row);
#pragma unroll
        for (int r = 0; r < FULL_ROWS; r++) {
#pragma unroll
            for (int q = 0; q < LANES; q++) {
                element v = of_full_row(rows.row[r], q);
                FOLD(lane_combine)(&lanes.lane[q], FOLD(lift)(v, v));
            }
        }
    }
    *leaf = join_lanes_of_warp(&lanes, member);
    return 1;
}
