/* SPDX-License-Identifier: MIT
 *
 * wave_board_fold.cuh - what the blocks of scan_wave.cu tell each other of folds: states. All by the last warp. No
 * include guard. */

enum { PLACES_OF_SPLIT = 1 };

/* Amounts of folds need nothing beside. */
struct beside {
    struct state base;
};

DEVICE struct state *beside_total(struct beside *beside, uint32_t slot)
{
    (void)slot;
    return &beside->base;
}

/* The base and what was published of the chunks [from, to), which is waited for. */
DEVICE struct amount add_published(const struct board *board, int64_t from, int64_t to, struct amount base,
                                   struct beside *beside)
{
    enum { LOOKS = CLUSTER_BLOCKS > 1 ? 1 : 5 };
    struct state sum = state_identity();
    (void)beside;
    if (from == to) return base;
    board_await(board);
    for (int64_t i = from + ((int32_t)threadIdx.x & 31); i < to; i += 32 * LOOKS) {
        struct state seen[LOOKS];
        int all_seen;
        do { /* all of them are asked for before the first answer is looked at */
            all_seen = 1;
#pragma unroll
            for (int k = 0; k < LOOKS; k++)
                all_seen &= peek(board, i + 32 * k < to ? i + 32 * k : i, &seen[k]) != NOTHING_YET;
        } while (!all_seen);
#pragma unroll
        for (int k = 0; k < LOOKS; k++) {
            if (i + 32 * k < to) state_append(&sum, &seen[k]);
        }
    }
    for (uint32_t distance = 16; distance > 0; distance /= 2) {
        struct state other = state_down(sum, distance);
        if ((threadIdx.x & 31) + distance < 32) state_append(&sum, &other);
    }
    sum = state_from(sum, 0);
    state_append(&base.state, &sum);
    return base;
}

/* Publishes the chunk's total, and leaves of each warp's what stands left of it. */
DEVICE void publish_chunk(const struct board *board, int64_t number, struct amount *totals, struct beside *beside,
                          uint32_t slot)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    struct state upto = state_identity();
    (void)beside, (void)slot;
    if (lane < WARPS) upto = totals[lane].state;
    upto = warp_scan(upto, lane, WARPS);
    struct state total = CLUSTER_BLOCKS > 1 ? state_from(upto, WARPS - 1) : upto;
    if (IS_PUBLISHER(lane, WARPS - 1)) publish(board, number, total, TOTAL_KNOWN);
    struct state left = state_up(upto, 1);
    if (lane == 0) left = state_identity();
    if (lane < WARPS) totals[lane].state = left;
    __syncwarp();
}

/* What stands left of a warp. */
typedef struct amount kept_left;

/* What stands left of the chunk's warps: the base, and of the chunk what publish_chunk left. */
DEVICE void leave_left(const struct amount *base, const struct amount *totals, kept_left *left, struct beside *beside,
                       uint32_t slot)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    struct amount sum = *base;
    (void)beside, (void)slot;
    if (lane >= WARPS) return;
    state_append(&sum.state, &totals[lane].state);
    left[lane] = sum;
}

/* Of the thread's warp, as that was left. */
DEVICE struct left left_of_warp(const kept_left *left, const struct amount *totals, struct beside *beside,
                                uint32_t slot)
{
    (void)totals, (void)beside, (void)slot;
    return left_of(&left[threadIdx.x >> 5], 0);
}
