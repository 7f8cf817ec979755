/* SPDX-License-Identifier: MIT
 *
 * reduce_lanes.cu - folds in the fixed-shape tree, as in reduce_ordered.cu, of cells that lie side by side, and of
 * short ones that lie anywhere: neighbouring threads have neighbouring sides, which are SIDE cells next to each other.
 * TEAM threads share a side, or a thread has GROUPS of them. Member m has the lanes m, m + TEAM, ... of a leaf; which
 * of these are joined first lie farthest apart, so it goes through DEPTH of them at once, and joins what it has before
 * it looks at others.
 *   LEAF_LANES   the lanes that have elements, rounded up to a power of two
 *   ROWS         elements of a lane that are read at once
 *   ONE_LEAF     1: a block has no more than that of a cell
 *   SPLIT        1: cells may have several splits
 *   ONE_ROW      1: a lane has no more than one element
 *   SHIFTED      1: sides begin anywhere, the last one of a row of cells so early that the row has all of it
 *   OUT_ALIGN    bytes at whose multiples the results of a side lie behind each other; 0: they lie apart */
#define STEPS_ARE_INLINE
#include "ordered_nodes.cuh"

#define HAS_ABSENT (WITH_WHERE || SKIP_NAN)

enum {
    CELLS = THREADS / TEAM,     /* sides of a block, times GROUPS */
    MINE = GROUPS * SIDE,       /* cells of a thread */
    APART = LEAF_LANES / DEPTH, /* lanes of a round */
    ROUNDS = APART / TEAM,      /* of a member */
    ROUND_LEVELS = (ROUNDS > 1) + (ROUNDS > 2) + (ROUNDS > 4) + (ROUNDS > 8) + (ROUNDS > 16)
};

static_assert(ROUNDS == 1 << ROUND_LEVELS, "a level for each bit of a round's number");

#include "side.cuh"

#include "ordered_lane.cuh"

#include "lanes_load.cuh"

#include "lanes_leaf.cuh"

#include "store_bytes.cuh"

/* A side's first cell, of which the last ones of a row of cells may be the side's before it, too; -1: there is no such
 * side. */
DEVICE int64_t first_cell(const struct reduce_parameters *p, int64_t number)
{
    if (number >= p->all_units) return -1;
#if SHIFTED
    int64_t extent = p->kept[p->kept_count - 1].extent, outer = number / p->row_units;
    int64_t column = (number - outer * p->row_units) * SIDE;
    return outer * extent + (column < extent - SIDE ? column : extent - SIDE);
#else
    return number * SIDE;
#endif
}

DEVICE struct node node_of(lane total)
{
    struct node node = no_node();
    node.value = FOLD(widen)(lane_close(total));
    node.some = 1;
    return node;
}

DEVICE uint32_t finish_cell(const struct reduce_parameters *p, const struct node *node, char *out)
{
    return finish_fold(p, node->value, p->length - node->absent, out);
}

DEVICE void report(const struct reduce_parameters *p, uint32_t failure)
{
    if (failure && p->failures) atomicOr(p->failures, failure);
}

DEVICE void begin(const struct reduce_parameters *p)
{
#if HAS_NEAR_LEAVES && POWERS_OF_INTEGERS
    prepare_table(integer_of(load_element(p->x, 0)));
#endif
    (void)p;
}

#if TEAM == 1
/* Bytes that are stored at once: shifted sides have them at their multiples or not. */
enum { OUT_WHOLE = SHIFTED ? (SIDE * RESULT_SIZE < 16 ? SIDE * RESULT_SIZE : 16) : OUT_ALIGN > 0 ? OUT_ALIGN : 1 };

/* Writes the results of the side that begins at a cell. */
DEVICE void finish_side(const struct reduce_parameters *p, int64_t cell, const lane *total, const int32_t *absent)
{
    __align__(16) char results[SIDE * RESULT_SIZE];
    char *out = (char *)p->out + cell_offsets(p, cell).out * RESULT_SIZE;
    int64_t step = p->kept[p->kept_count - 1].out * RESULT_SIZE;
    uint32_t failure = 0;
#pragma unroll
    for (int k = 0; k < SIDE; k++) {
        struct node node = node_of(total[k]);
        node.absent = absent[k];
        failure |= finish_cell(p, &node, OUT_ALIGN ? results + k * RESULT_SIZE : out + k * step);
    }
    if (OUT_ALIGN) {
        int whole = !SHIFTED || (uintptr_t)out % OUT_WHOLE == 0;
        if (whole) store_bytes(out, results, SIDE * RESULT_SIZE, OUT_WHOLE);
        else store_bytes(out, results, SIDE * RESULT_SIZE, RESULT_PART);
    }
    report(p, failure);
}

KERNEL(reduce, struct reduce_parameters, p)
{
    int64_t number = (p.first_block + blockIdx.x) * GROUPS * CELLS + threadIdx.x, first[GROUPS];
    struct mine mine = mine_begin();
    lane total[MINE];
    begin(&p);
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
        first[g] = first_cell(&p, number + g * CELLS);
        mine.cell[g] = cell_of(&p, first[g] < 0 ? 0 : first[g]);
    }
    absorb_leaf(&p, &mine, 0, 0, total);
#pragma unroll
    for (int g = 0; g < GROUPS; g++)
        if (first[g] >= 0) finish_side(&p, first[g], total + g * SIDE, mine.absent + g * SIDE);
}
#else
#include "lanes_join.cuh"

DEVICE struct share share_of_sides(const struct reduce_parameters *p)
{
    int64_t block = p->first_block + blockIdx.x, groups = (p->all_units + CELLS - 1) / CELLS;
    struct share share = {block % groups, block / groups};
    return share;
}

/* Writes the result of an owner's cell, of the block's group of sides. */
DEVICE void finish_owned(const struct reduce_parameters *p, int64_t group, const struct seat *owner,
                         const struct node *node)
{
    int64_t first = first_cell(p, group * CELLS + owner->cell / SIDE);
    if (owner->member > 0 || first < 0) return;
    struct offsets at = cell_offsets(p, first + owner->cell % SIDE);
    report(p, finish_cell(p, node, (char *)p->out + at.out * RESULT_SIZE));
}

KERNEL(reduce, struct reduce_parameters, p)
{
    DYNAMIC_SHARED(struct node, room);
    struct seat seat = {CELLS, (int32_t)threadIdx.x % CELLS, (int32_t)threadIdx.x / CELLS}, owner = owner_seat();
    struct share share = share_of_sides(&p);
    int64_t first = first_cell(&p, share.group * CELLS + seat.cell);
    struct mine mine = mine_begin();
    lane total[SIDE];
    begin(&p);
    mine.cell[0] = cell_of(&p, first < 0 ? 0 : first);
#if ONE_LEAF
    absorb_leaf(&p, &mine, share.split * TREE_LEAF, seat.member, total);
    struct node root = node_of(join_members(total, (lane *)room, &seat));
#else
    int64_t begin = share.split * p.split_units, end = begin + p.split_units;
    struct node levels[LEVELS];
    struct counter nodes = {levels, 0};
#pragma unroll 1
    for (int64_t leaf = begin; leaf < end && leaf < p.units; leaf++) {
        absorb_leaf(&p, &mine, leaf * TREE_LEAF, seat.member, total);
        lane joined = join_members(total, (lane *)room, &seat);
        if (owner.member == 0) counter_add(&nodes, node_of(joined));
    }
    struct node root = counter_root(&nodes);
#endif
    root.absent = absent_of_members(mine.absent, (int32_t *)room, &seat, &owner);
#if SPLIT
    struct state *states = (struct state *)p.states + share.group * p.splits * BLOCK_CELLS + owner.cell;
    if (owner.member == 0) publish(&states[share.split * BLOCK_CELLS], &root);
    if (!last_to_arrive(&p.tickets[share.group], (uint32_t)p.splits)) return;
    root = merge_splits(&p, states, &owner, room);
#endif
    finish_owned(&p, share.group, &owner, &root);
}
#endif
