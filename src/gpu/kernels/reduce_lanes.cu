/* SPDX-License-Identifier: MIT
 *
 * reduce_lanes.cu - folds in the fixed-shape tree, as in reduce_ordered.cu, of cells that lie side by side, and of
 * short ones that lie anywhere: neighbouring threads have neighbouring cells. TEAM threads share a cell, or a thread
 * has GROUPS cells. Member m has the lanes m, m + TEAM, ... of a leaf; which of these are joined first lie farthest
 * apart, so it goes through DEPTH of them at once, and joins what it has before it looks at others.
 *   LEAF_LANES   the lanes that have elements, rounded up to a power of two
 *   ROWS         elements of a lane that are read at once
 *   ONE_LEAF     1: a cell is no more than that */
#define STEPS_ARE_INLINE
#include "ordered_nodes.cuh"

enum {
    CELLS = THREADS / TEAM,     /* of a block, times GROUPS */
    APART = LEAF_LANES / DEPTH, /* lanes of a round */
    ROUNDS = APART / TEAM,      /* of a member */
    ROUND_LEVELS = (ROUNDS > 1) + (ROUNDS > 2) + (ROUNDS > 4) + (ROUNDS > 8) + (ROUNDS > 16)
};

static_assert(ROUNDS == 1 << ROUND_LEVELS, "a level for each bit of a round's number");

#include "ordered_lane.cuh"

/* Of doubles, they would leave too few registers. */
#if defined(PICK_VALUE_ADD_POWERS) && POWERS_ARE_FLOATS
#define NEAR_ROUNDS (GROUPS == 1 && !WITH_WHERE && !SKIP_NAN && !REDUCED_NEST)
#else
#define NEAR_ROUNDS 0
#endif
#if NEAR_ROUNDS
#include "lanes_near.cuh"
#endif

/* Elements of ROWS rows of a round's lanes. */
struct some {
    element x[ROWS][DEPTH], y[ROWS][DEPTH];
    uint32_t inside, present; /* bits: of the cell, and not left out */
};

/* Where an element of a cell lies, in bytes from the first one. */
struct spot {
    int64_t x, y, where;
};

DEVICE struct spot spot_of(const struct reduce_parameters *p, int64_t i)
{
    struct offsets at = {0, 0, 0, 0};
#if REDUCED_NEST
    at = offsets_of(p->reduced, p->reduced_count, i);
#else
    offsets_move(&at, &p->reduced[0], i);
#endif
    struct spot spot = {at.x * ELEMENT_SIZE, at.y * ELEMENT_SIZE, at.where};
    return spot;
}

/* From element i to the one `steps` behind it, whose number is the same in all threads. */
DEVICE void spot_on(const struct reduce_parameters *p, struct spot *spot, int64_t i, int32_t steps)
{
#if REDUCED_NEST
    *spot = spot_of(p, i + steps);
#else
    (void)i;
    spot->x += p->reduced[0].x * (steps * ELEMENT_SIZE);
    if (WITH_SECOND) spot->y += p->reduced[0].y * (steps * ELEMENT_SIZE);
    if (WITH_WHERE) spot->where += p->reduced[0].where * steps;
#endif
}

/* From element i of a cell on, of the `left` ones of its leaf from there on. */
DEVICE void load_some(const struct reduce_parameters *p, const struct cell *c, int64_t i, int32_t left,
                      struct some *some)
{
    struct spot spot = spot_of(p, i);
    some->inside = some->present = 0;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
#pragma unroll
        for (int m = 0; m < DEPTH; m++) {
            int place = r * TREE_LANES + m * APART, next = m + 1 < DEPTH ? APART : TREE_LANES - m * APART;
            if (place < left) {
                some->inside |= 1u << (r * DEPTH + m);
                some->x[r][m] = load_element(c->x + spot.x, 0);
                if (WITH_SECOND) some->y[r][m] = load_element(c->y + spot.y, 0);
                if (WITH_WHERE) some->present |= (uint32_t)(c->where[spot.where] != 0) << (r * DEPTH + m);
            }
            if (place + next < left) spot_on(p, &spot, i + place, next);
        }
    }
    if (!WITH_WHERE) some->present = some->inside;
}

DEVICE void add_some(lane *lanes, const struct some *some, int64_t *absent)
{
    uint32_t present = some->present;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
#pragma unroll
        for (int m = 0; m < DEPTH; m++) {
            uint32_t bit = 1u << (r * DEPTH + m);
            if (!(present & bit)) continue;
            element x = some->x[r][m], y = WITH_SECOND ? some->y[r][m] : x;
            if (SKIP_NAN && (element_is_nan(x) || (WITH_SECOND && element_is_nan(y)))) {
                present &= ~bit;
                continue;
            }
            lane_append(&lanes[m], lane_of(x, y));
        }
    }
    if (WITH_WHERE || SKIP_NAN) *absent += __popc(some->inside) - __popc(present);
}

/* Joins a round's lanes in halves; the leaf has `left` elements from the first one on. */
DEVICE lane join_round(lane *lanes, int32_t left)
{
    for (int half = TREE_LANES / 2; IDENTITY_SHOWS && half >= LEAF_LANES; half /= 2) {
#pragma unroll
        for (int m = 0; m < DEPTH; m++) lane_append(&lanes[m], lane_none());
    }
#pragma unroll
    for (int half = DEPTH / 2; half > 0; half /= 2) {
#pragma unroll
        for (int m = 0; m < half; m++) {
            if (IDENTITY_SHOWS || (m + half) * APART < left) lane_append(&lanes[m], lanes[m + half]);
        }
    }
    return lanes[0];
}

/* Where round k begins: its bits the other way round, so that neighbours in time are joined in halves, too. */
DEVICE int32_t begin_of_round(int32_t k)
{
    return ROUNDS > 1 ? (int32_t)(__brev((uint32_t)k) >> (32 - ROUND_LEVELS) % 32) * TEAM : 0;
}

/* A member's share of a round of lanes of the leaf that begins at element `first`, of each of its cells. */
DEVICE void absorb_round(const struct reduce_parameters *p, const struct cell *c, int64_t first, int32_t base,
                         int32_t length, lane *total, int64_t *absent)
{
    lane lanes[GROUPS][DEPTH];
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
#pragma unroll
        for (int m = 0; m < DEPTH; m++) lanes[g][m] = lane_none();
    }
#pragma unroll 1
    for (int32_t i = base; i < length; i += ROWS * TREE_LANES) {
        struct some some[GROUPS];
#pragma unroll
        for (int g = 0; g < GROUPS; g++) load_some(p, &c[g], first + i, length - i, &some[g]);
#pragma unroll
        for (int g = 0; g < GROUPS; g++) add_some(lanes[g], &some[g], &absent[g]);
    }
#pragma unroll
    for (int g = 0; g < GROUPS; g++) total[g] = join_round(lanes[g], length - base);
}

/* A member's share of the leaf that begins at element `first`, of each of its cells. */
DEVICE void absorb_leaf(const struct reduce_parameters *p, const struct cell *c, int64_t first, int32_t member,
                        lane *total, int64_t *absent)
{
    int32_t length = p->length - first < TREE_LEAF ? (int32_t)(p->length - first) : TREE_LEAF;
    lane levels[GROUPS][ROUND_LEVELS + 1];
#if NEAR_ROUNDS
    struct guess guess = {0, 0, 0};
#endif
#pragma unroll 1
    for (int32_t k = 0; k < ROUNDS; k++) {
        int32_t base = begin_of_round(k) + member;
#if NEAR_ROUNDS
        if (!near_round(p, c, first + base, length - base, &guess, total))
#endif
            absorb_round(p, c, first, base, length, total, absent);
#pragma unroll
        for (int g = 0; g < GROUPS; g++) {
            int rises = 1;
#pragma unroll
            for (int level = 0; level < ROUND_LEVELS; level++) {
                if (!rises) continue;
                rises = k >> level & 1;
                if (rises) {
                    lane_append(&levels[g][level], total[g]);
                    total[g] = levels[g][level];
                } else {
                    levels[g][level] = total[g];
                }
            }
        }
    }
}

/* Joins the members' shares of a leaf; member 0 gets it. */
DEVICE void join_members(lane *total, lane *room, int32_t member)
{
#pragma unroll 1
    for (int32_t half = TEAM / 2; half > 0; half /= 2) {
        __syncthreads();
        if (member >= half && member < 2 * half) room[threadIdx.x] = *total;
        __syncthreads();
        if (member < half) lane_append(total, room[(int32_t)threadIdx.x + half * CELLS]);
    }
}

DEVICE struct node node_of(lane total)
{
    struct node node = no_node();
    node.value = FOLD(widen)(lane_close(total));
    node.some = 1;
    return node;
}

DEVICE void finish_node(const struct reduce_parameters *p, const struct node *node, int64_t cell)
{
    struct offsets at = cell_offsets(p, cell);
    uint32_t failure = finish_fold(p, node->value, p->length - node->absent, (char *)p->out + at.out * RESULT_SIZE);
    if (failure && p->failures) atomicOr(p->failures, failure);
}

#if ONE_LEAF
KERNEL(reduce, struct reduce_parameters, p)
{
    DYNAMIC_SHARED(struct node, room);
    struct seat seat = {CELLS, (int32_t)threadIdx.x % CELLS, (int32_t)threadIdx.x / CELLS};
    int64_t first = (p.first_block + blockIdx.x) * GROUPS * CELLS + seat.cell, absent[GROUPS];
    struct cell c[GROUPS];
    lane total[GROUPS];
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
        int64_t cell = first + g * CELLS;
        c[g] = cell_of(&p, cell < p.cells ? cell : 0);
        absent[g] = 0;
    }
    absorb_leaf(&p, c, 0, seat.member, total, absent);
    if (TEAM > 1) join_members(total, (lane *)room, seat.member);
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
        struct node node = node_of(total[g]);
        node.absent = TEAM > 1 ? sum_over_team(absent[g], (int64_t *)room, &seat, TEAM, CELLS) : absent[g];
        if (seat.member == 0 && first + g * CELLS < p.cells) finish_node(&p, &node, first + g * CELLS);
    }
}
#else
/* The splits of a cell, by all of its team. */
DEVICE struct node merge_splits(const struct reduce_parameters *p, const struct node *states, const struct seat *seat,
                                struct node *room)
{
    struct node merged[MERGED_LEVELS];
    struct counter nodes = {merged, 0};
    int64_t each = 1, absent = 0;
    while (each * TEAM < p->splits) each *= 2;
    for (int64_t i = seat->member * each; i < (seat->member + 1) * each && i < p->splits; i++) {
        struct node node = states[i * CELLS];
        absent += node.absent;
        node.absent = 0;
        counter_add(&nodes, node);
    }
    struct node root = counter_root(&nodes);
    join_neighbours(&root, room, (int32_t)threadIdx.x, CELLS, seat->member, TEAM);
    root.absent = sum_over_team(absent, (int64_t *)room, seat, TEAM, CELLS);
    return root;
}

KERNEL(reduce, struct reduce_parameters, p)
{
    DYNAMIC_SHARED(struct node, room);
    struct seat seat = {CELLS, (int32_t)threadIdx.x % CELLS, (int32_t)threadIdx.x / CELLS};
    struct share share = share_of(&p, &seat);
    int64_t cell = share.group * CELLS + seat.cell, absent = 0;
    int64_t begin = share.split * p.split_units, end = begin + p.split_units;
    struct cell c = cell_of(&p, cell < p.cells ? cell : 0);
    struct node levels[LEVELS];
    struct counter nodes = {levels, 0};
#pragma unroll 1
    for (int64_t leaf = begin; leaf < end && leaf < p.units; leaf++) {
        lane total;
        absorb_leaf(&p, &c, leaf * TREE_LEAF, seat.member, &total, &absent);
        join_members(&total, (lane *)room, seat.member);
        if (seat.member == 0) counter_add(&nodes, node_of(total));
    }
    struct node root = counter_root(&nodes);
    root.absent = sum_over_team(absent, (int64_t *)room, &seat, TEAM, CELLS);
    if (p.splits > 1) {
        struct node *states = (struct node *)p.states + share.group * p.splits * CELLS + seat.cell;
        if (seat.member == 0) states[share.split * CELLS] = root;
        if (!last_to_arrive(&p.tickets[share.group], (uint32_t)p.splits)) return;
        root = merge_splits(&p, states, &seat, room);
    }
    if (seat.member == 0 && cell < p.cells) finish_node(&p, &root, cell);
}
#endif
