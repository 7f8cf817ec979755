/* SPDX-License-Identifier: MIT
 *
 * look_back.cuh - the total of everything before a split, from what the splits before it published: their totals, or,
 * once they know, their whole prefixes. Part of scan.cu. No include guard. */

#include "board.cuh"

/* Splits that a lane looks at in one go: all loads are under way at once, and each go takes the time of a round trip.
 */
enum { LOOKS = IS_PACKED ? 4 : 1 };

/* What a lane finds from `last` backwards: the total of its splits up to the first whose prefix is known. */
struct found {
    struct state total;
    int32_t complete; /* a prefix is in it, or there is nothing before */
    int32_t missing;  /* a split that is needed has published nothing */
};

DEVICE struct found look(const struct board *board, int64_t last)
{
    struct state state[LOOKS];
    uint32_t flag[LOOKS];
    struct found found = {state_identity(), 0, 0};
#pragma unroll
    for (int k = 0; k < LOOKS; k++) {
        flag[k] = PREFIX_KNOWN;
        state[k] = state_identity();
        if (last - k >= 0) flag[k] = peek(board, last - k, &state[k]);
    }
#pragma unroll
    for (int k = 0; k < LOOKS; k++) {
        if (found.complete || found.missing) continue;
        found.missing = flag[k] == NOTHING_YET;
        found.complete = flag[k] == PREFIX_KNOWN;
        if (!found.missing) state_append(&found.total, &state[k]);
    }
    return found;
}

/* One warp looks at 32 * LOOKS splits at a time, the nearest in lane 0, which gets the prefix. */
DEVICE struct state look_back_warp(const struct scan_parameters *p, int64_t group, int64_t split, struct state total)
{
    struct board board = board_of(p, group, 1);
    int32_t lane = (int32_t)threadIdx.x & 31;
    struct state prefix = state_identity();
    if (split == 0) prefix = state_first(p, group);
    if (split > 0 && lane == 0) publish(&board, split, total, TOTAL_KNOWN);
    for (int64_t last = split - 1; last >= 0; last -= 32 * LOOKS) {
        struct found found;
        uint32_t complete, needed;
        do {
            found = look(&board, last - lane * LOOKS);
            complete = __ballot_sync(FULL_WARP, found.complete);
            needed = complete ? (complete & (0 - complete)) * 2 - 1 : FULL_WARP;
            needed &= __ballot_sync(FULL_WARP, found.missing);
        } while (needed);
        if (complete && lane > __ffs((int)complete) - 1) found.total = state_identity();
        ROUNDS_UNROLL
        for (uint32_t distance = 16; distance > 0; distance /= 2) {
            struct state other = state_down(found.total, distance);
            if (lane + distance < 32) state_append(&found.total, &other);
        }
        state_append(&prefix, &found.total);
        if (complete) break;
    }
    if (lane == 0) {
        struct state upto = prefix;
        state_append(&upto, &total);
        publish(&board, split, upto, PREFIX_KNOWN);
    }
    return prefix;
}

/* Groups of several cells: the thread that leads a cell walks back alone. */
DEVICE struct state look_back_cells(const struct scan_parameters *p, const struct seat *seat, int64_t group,
                                    int64_t split, struct state total, struct state *room)
{
    struct board board = board_of(p, group, seat->cells);
    struct state *published = board.states + seat->cell;
    int32_t leader = p->reduce.cells_first ? seat->cell : seat->cell * p->reduce.team;
    struct state prefix = state_identity();
    int64_t cell = group * seat->cells + seat->cell;
    if (split == 0 && cell < p->reduce.cells) prefix = state_first(p, cell);
    if (split > 0) {
        if (seat->member == 0) published[2 * split * seat->cells] = total;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) store_release(&board.flags[split], TOTAL_KNOWN);
        for (int64_t i = split - 1; seat->member == 0; i--) {
            uint32_t flag;
            while ((flag = load_acquire(&board.flags[i])) == NOTHING_YET) {
            }
            struct state left = published[(2 * i + (flag == PREFIX_KNOWN)) * seat->cells];
            state_append(&left, &prefix);
            prefix = left;
            if (flag == PREFIX_KNOWN) break;
        }
    }
    if (seat->member == 0) {
        struct state upto = prefix;
        state_append(&upto, &total);
        published[(2 * split + 1) * seat->cells] = upto;
        room[threadIdx.x] = prefix;
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) store_release(&board.flags[split], PREFIX_KNOWN);
    prefix = room[leader];
    __syncthreads();
    return prefix;
}

/* Every thread of the block calls it with its cell's total, and gets what stands left of the split. */
DEVICE_CALL struct state look_back(const struct scan_parameters *p, struct seat seat, int64_t group, int64_t split,
                                   struct state total, struct state *room)
{
    if (seat.cells > 1) return look_back_cells(p, &seat, group, split, total, room);
    if (threadIdx.x < 32) {
        struct state prefix = look_back_warp(p, group, split, total);
        if (threadIdx.x == 0) room[0] = prefix;
    }
    __syncthreads();
    struct state prefix = room[0];
    __syncthreads();
    return prefix;
}
