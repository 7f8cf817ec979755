/* SPDX-License-Identifier: MIT
 *
 * board.cuh - where the parts of a scan publish what they know of themselves: their totals, or their whole prefixes.
 * Part of the files that have a `struct state`. No include guard. */

#include "cluster.cuh"

enum { NOTHING_YET, TOTAL_KNOWN, PREFIX_KNOWN, NO_LINK /* columns_exchange.cuh */ };

/* What a split publishes. A state of up to 8 bytes goes with its flag in one access of 16 bytes; larger ones have a
 * place for the total and one for the prefix, and a flag that is stored last. */
#define IS_PACKED (sizeof(struct state) <= 8)

/* Places of one group; cells > 1 share flags. Each block of a cluster has the packed places in its own shared memory,
 * behind a mailbox, for the totals of blocks before it; `splits` blocks have one. */
struct board {
    struct packed *packed;
    struct state *states;
    uint32_t *flags;
    int32_t splits;
};

DEVICE struct board board_of(const struct scan_parameters *p, int64_t group, int32_t cells)
{
    struct board board;
    board.packed = (struct packed *)p->flags + group * p->reduce.splits;
    board.states = (struct state *)p->totals + group * p->reduce.splits * 2 * cells;
    board.flags = p->flags + group * p->reduce.splits;
    board.splits = (int32_t)p->reduce.splits;
    return board;
}

/* To one of the packed places of a split: by one thread; in a cluster by a warp, whose lanes tell a later block each.
 */
DEVICE void place_store(const struct board *board, int64_t split, struct packed *to, uint64_t value, uint64_t seal)
{
#if CLUSTER_BLOCKS > 1
    int32_t block = (int32_t)threadIdx.x & 31;
    struct mailbox *box = (struct mailbox *)board->packed - 1;
    if (block > split && block < board->splits) cluster_post(to, box, (uint32_t)block, value, seal);
#else
    (void)board, (void)split;
    packed_store(to, value, seal);
#endif
}

/* In a cluster, once all that is published before the block's own split has come. */
DEVICE struct packed place_load(const struct packed *from)
{
#if CLUSTER_BLOCKS > 1
    return *from;
#else
    return packed_load(from);
#endif
}

DEVICE void board_await(const struct board *board)
{
#if CLUSTER_BLOCKS > 1
    mailbox_await((const struct mailbox *)board->packed - 1);
#else
    (void)board;
#endif
}

/* Whether a lane of the warp that publishes takes part: the one that knows the total; in a cluster, which have it from
 * that one, all. */
#define IS_PUBLISHER(lane, knows) (CLUSTER_BLOCKS > 1 || (lane) == (knows))

/* By one thread, or the warp of a cluster's block, for a group of one cell. */
DEVICE void publish(const struct board *board, int64_t split, struct state state, uint32_t flag)
{
    if (IS_PACKED) {
        uint64_t value = 0;
        memcpy(&value, &state, sizeof state <= 8 ? sizeof state : 8);
        place_store(board, split, &board->packed[split], value,
                    value ^ (flag == TOTAL_KNOWN ? TOTAL_MARK : PREFIX_MARK));
    } else {
        board->states[2 * split + (flag == PREFIX_KNOWN)] = state;
        __threadfence();
        store_release(&board->flags[split], flag);
    }
}

DEVICE uint32_t peek(const struct board *board, int64_t split, struct state *state)
{
    if (IS_PACKED) {
        struct packed v = place_load(&board->packed[split]);
        uint64_t mark = v.value ^ v.seal;
        memcpy(state, &v.value, sizeof *state <= 8 ? sizeof *state : 8);
        return mark == TOTAL_MARK ? TOTAL_KNOWN : mark == PREFIX_MARK ? PREFIX_KNOWN : NOTHING_YET;
    }
    uint32_t flag = load_acquire(&board->flags[split]);
    if (flag != NOTHING_YET) *state = board->states[2 * split + (flag == PREFIX_KNOWN)];
    return flag;
}

/* Every block's last step: the last of all puts back the zeros that it was started with, where `splits` published. */
DEVICE void leave_zeros(const struct scan_parameters *p, int64_t splits)
{
    struct packed *places = (struct packed *)p->flags, none = {0, 0};
    if (gridDim.x == 1) __syncthreads();
    else if (!last_to_arrive(p->ticket + 1, gridDim.x)) return;
    for (int64_t i = threadIdx.x; i < splits; i += THREADS) places[i] = none;
    if (threadIdx.x == 0) *p->ticket = 0;
}

/* The same by one warp of each block, as soon as the block has read all that it needs. */
DEVICE_UNUSED void leave_zeros_by_warp(const struct scan_parameters *p, int64_t splits)
{
    struct packed *places = (struct packed *)p->flags, none = {0, 0};
    int32_t lane = (int32_t)threadIdx.x & 31, is_last = 1;
    __syncwarp();
    if (gridDim.x > 1) {
        if (lane == 0) is_last = arrive(p->ticket + 1, gridDim.x) == gridDim.x - 1;
        if (!__shfl_sync(FULL_WARP, is_last, 0)) return;
    }
    for (int64_t i = lane; i < splits; i += 32) places[i] = none;
    if (lane == 0) *p->ticket = 0;
}
