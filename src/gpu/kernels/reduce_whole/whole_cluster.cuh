/* SPDX-License-Identifier: MIT
 *
 * whole_cluster.cuh - how the blocks of a cluster merge their states in reduce_whole.cu: all post them to the first
 * one. No include guard. */
#include "cluster.cuh"

enum { PIECES_OF_STATE = (sizeof(struct state) + sizeof(struct packed) - 1) / sizeof(struct packed) };

/* The first block's: a mailbox, and a place for each block's state. */
struct posted_states {
    struct mailbox box;
    struct packed piece[CLUSTER_BLOCKS][PIECES_OF_STATE];
};

static_assert(sizeof(struct posted_states) <= CLUSTER_ROOM, "the host leaves room");

DEVICE struct posted_states *posted_states(void)
{
    DYNAMIC_SHARED_LINES(struct posted_states, shared);
    return shared;
}

/* Blocks that have a chunk. */
DEVICE int32_t busy_blocks(const struct array *a)
{
    return a->chunks < CLUSTER_BLOCKS ? (int32_t)a->chunks : CLUSTER_BLOCKS;
}

/* Whether the block has something to do. All threads call it. */
DEVICE int begin_together(const struct array *a)
{
    int32_t busy = busy_blocks(a);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        mailbox_open(&posted_states()->box, (uint32_t)(busy - 1) * PIECES_OF_STATE);
    __syncwarp();
    cluster_arrive();
    return (int32_t)blockIdx.x < busy;
}

/* By the first warp, whose first thread has the block's state, and the whole array's then in the first block. */
DEVICE struct state merge_cluster(const struct array *a, struct state s)
{
    struct posted_states *posted = posted_states();
    int32_t lane = (int32_t)threadIdx.x;
    struct packed piece[PIECES_OF_STATE];
    if (blockIdx.x > 0) {
        memset(piece, 0, sizeof piece);
        memcpy(piece, &s, sizeof s);
        cluster_await();
#pragma unroll
        for (int k = 0; k < PIECES_OF_STATE; k++) {
            if (lane == 0) cluster_post(&posted->piece[blockIdx.x][k], &posted->box, 0, piece[k].value, piece[k].seal);
        }
        return s;
    }
    mailbox_await(&posted->box);
    if (lane > 0) state_open(&s);
    if (lane > 0 && lane < busy_blocks(a)) {
#pragma unroll
        for (int k = 0; k < PIECES_OF_STATE; k++) piece[k] = posted->piece[lane][k];
        memcpy(&s, piece, sizeof s);
    }
    return merge_lanes(s, CLUSTER_BLOCKS);
}
