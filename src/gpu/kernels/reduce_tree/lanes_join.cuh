/* SPDX-License-Identifier: MIT
 *
 * lanes_join.cuh - where a team of reduce_lanes.cu has what its members found of its SIDE cells joined; each cell is
 * then another thread's. No include guard. */

enum {
    BLOCK_CELLS = CELLS * SIDE, /* of the teams of a block */
    OWNERS = TEAM / SIDE        /* threads of a cell then, of which the first one has the total */
};

static_assert(OWNERS > 0, "a thread for each cell");

/* What a thread owns: a cell of the block, of which it is the first owner or another. */
DEVICE struct seat owner_seat(void)
{
    struct seat seat = {BLOCK_CELLS, (int32_t)threadIdx.x % BLOCK_CELLS, (int32_t)threadIdx.x / BLOCK_CELLS};
    return seat;
}

/* Joins the members' shares of a leaf, of each cell; its first owner gets it. `room`: SIDE lanes of each thread. */
DEVICE lane join_members(lane *total, lane *room, const struct seat *seat)
{
#pragma unroll 1
    for (int32_t half = TEAM / 2; half > 0; half /= 2) {
        __syncthreads();
        if (seat->member >= half && seat->member < 2 * half) {
#pragma unroll
            for (int k = 0; k < SIDE; k++) room[k * THREADS + (int32_t)threadIdx.x] = total[k];
        }
        __syncthreads();
        if (seat->member < half) {
#pragma unroll
            for (int k = 0; k < SIDE; k++)
                lane_append(&total[k], room[k * THREADS + (int32_t)threadIdx.x + half * CELLS]);
        }
    }
    if (SIDE == 1) return *total;
    __syncthreads();
    if (seat->member == 0) {
#pragma unroll
        for (int k = 0; k < SIDE; k++) room[seat->cell * SIDE + k] = total[k];
    }
    __syncthreads();
    return room[(int32_t)threadIdx.x % BLOCK_CELLS];
}

/* The number of elements that all members left out of a cell, for its first owner. */
DEVICE int64_t absent_of_members(const int32_t *absent, int32_t *room, const struct seat *seat,
                                 const struct seat *owner)
{
    if (!HAS_ABSENT) return 0;
    int64_t sum = 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < SIDE; k++) room[seat->member * BLOCK_CELLS + seat->cell * SIDE + k] = absent[k];
    __syncthreads();
    for (int32_t i = 0; i < TEAM && owner->member == 0; i++) sum += room[i * BLOCK_CELLS + owner->cell];
    return sum;
}

#if SPLIT
/* What is left of a split of a cell. */
struct state {
    struct FOLD(wide) value;
#if HAS_ABSENT
    int64_t absent;
#endif
};

static_assert(sizeof(struct state) == STATE_BYTES, "as the host has room for");

/* Splits that are read at once. */
enum { AT_ONCE = sizeof(struct state) > 16 ? 4 : sizeof(struct state) > 8 ? 8 : sizeof(struct state) > 4 ? 16 : 32 };

DEVICE void publish(struct state *states, const struct node *node)
{
    states->value = node->value;
#if HAS_ABSENT
    states->absent = node->absent;
#endif
}

DEVICE struct node node_of_state(const struct state *state)
{
    struct node node = {state->value, 0, 1};
#if HAS_ABSENT
    node.absent = state->absent;
#endif
    return node;
}

/* The node above AT_ONCE neighbours. */
DEVICE struct node node_above(const struct state *states, int64_t first, int64_t end)
{
    struct node some[AT_ONCE];
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++)
        some[k] = first + k < end ? node_of_state(&states[(first + k) * BLOCK_CELLS]) : no_node();
#pragma unroll
    for (int distance = 1; distance < AT_ONCE; distance *= 2) {
#pragma unroll
        for (int k = 0; k < AT_ONCE; k += 2 * distance) node_join(&some[k], &some[k + distance]);
    }
    return some[0];
}

/* The splits of a cell, by all of its owners. */
DEVICE struct node merge_splits(const struct reduce_parameters *p, const struct state *states, const struct seat *owner,
                                struct node *room)
{
    struct node merged[MERGED_LEVELS];
    struct counter nodes = {merged, 0};
    int64_t each = AT_ONCE;
    while (each * OWNERS < p->splits) each *= 2;
    int64_t end = (owner->member + 1) * each < p->splits ? (owner->member + 1) * each : p->splits;
    for (int64_t i = owner->member * each; i < end; i += AT_ONCE) counter_add(&nodes, node_above(states, i, end));
    struct node root = counter_root(&nodes);
    join_neighbours(&root, room, (int32_t)threadIdx.x, BLOCK_CELLS, owner->member, OWNERS);
    return root;
}
#endif
