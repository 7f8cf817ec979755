/* SPDX-License-Identifier: MIT
 *
 * full_leaves.cuh - nodes of the fixed-shape tree by warps whose leaves nearly all lie whole in memory, side by side. A
 * warp goes from one leaf to the next in a function that calls no other, so that nothing of what others want is in
 * registers or spilled: that would be memory which is written and read for each leaf. No include guard. */

#include "shuffle.cuh"

#include "full_rows.cuh"

#if !SUMS_TOGETHER
#include "full_fold.cuh"
#elif POWERS_ARE_FLOATS || defined(ONLY_TYPE_f64)
#include "full_powers.cuh"
#else
#include "full_integer_powers.cuh"
#endif

DEVICE struct node node_of_value(struct FOLD(wide) value)
{
    struct node node = no_node();
    node.value = value;
    node.some = 1;
    return node;
}

DEVICE struct node node_of_leaf(struct FOLD(lane) leaf)
{
    return node_of_value(FOLD(widen)(leaf));
}

/* Which leaves of a run a warp takes, one after the other: from `next` on, in steps, below `count`. */
struct turn {
    int32_t next, step, count;
};

struct kept_leaves {
    int32_t next; /* leaf that is not kept */
    struct leaf_memory memory;
};

/* Keeps the leaves of a run at x, all of them whole, up to one that wants steps. */
DEVICE_CALL struct kept_leaves keep_full_leaves(const char *x, struct turn turn, struct leaf_memory memory,
                                                struct node *kept, int32_t pitch)
{
    const int32_t member = (int32_t)threadIdx.x % CREW;
    const int64_t away = (int64_t)turn.step * (TREE_LEAF * ELEMENT_SIZE);
    struct full_walk walk;
    walk.x = x + (int64_t)turn.next * (TREE_LEAF * ELEMENT_SIZE) + LANES * ELEMENT_SIZE * member;
    if (turn.next < turn.count) walk_again(&walk);
#pragma unroll 1
    for (; turn.next < turn.count; turn.next += turn.step) {
        struct FOLD(lane) leaf;
        walk.next = turn.next + turn.step < turn.count ? walk.x + away : ALWAYS_LOADS ? walk.x : 0;
        if (!full_leaf(&walk, member, &memory, &leaf)) break;
        if (member == 0) kept[turn.next * pitch] = node_of_leaf(leaf);
        walk.x = walk.next;
    }
    struct kept_leaves after = {turn.next, memory};
    return after;
}

/* A leaf that is not whole, or whose elements lie too far apart for the short way. */
DEVICE_CALL struct FOLD(lane) leaf_in_steps(const struct reduce_parameters *p, const struct cell *c, int64_t first,
                                            int32_t member, int aligned, struct leaf_memory memory)
{
    struct lanes lanes;
    lanes_open(&lanes);
#if SUMS_TOGETHER
    lanes.memory = memory.powers;
#else
    (void)memory;
#endif
    absorb_leaf(p, c, first, member, 1, aligned, &lanes);
    return join_lanes_of_warp(&lanes, member);
}

/* Keeps those of `count` leaves from `first` on that are the warp's; of cells that are not, there are none. */
DEVICE void keep_leaves(const struct reduce_parameters *p, const struct place *a, const struct cell *c, int64_t first,
                        int32_t count, int aligned, struct leaf_memory *memory, struct node *kept, int32_t pitch)
{
    const int some = a->cell < p->cells;
    int64_t whole = some && (aligned || FULL_LEAVES == 2) ? p->length / TREE_LEAF - first : 0;
    struct turn turn = {a->crew_index, a->crews, whole < count ? (int32_t)whole : count};
    for (; turn.next < count; turn.next += turn.step) {
        struct node node = no_node();
        if (turn.next < turn.count) {
            struct kept_leaves after =
                keep_full_leaves(c->x + first * (TREE_LEAF * ELEMENT_SIZE), turn, *memory, kept, pitch);
            *memory = after.memory;
            turn.next = after.next;
            if (turn.next >= count) break;
        }
        if (some)
            node = node_of_leaf(leaf_in_steps(p, c, (first + turn.next) * TREE_LEAF, a->crew_member, aligned, *memory));
        if (a->crew_member == 0) kept[turn.next * pitch] = node;
    }
}

/* What nodes are joined as: sums of powers know their exponents, which take long to find. */
struct joined {
#if SUMS_TOGETHER
    struct sum sum;
#else
    struct FOLD(wide) sum;
#endif
};

SHUFFLE(joined)

DEVICE struct joined joined_of(struct FOLD(wide) value)
{
#if SUMS_TOGETHER
    struct joined joined = {sum_of(value)};
#else
    struct joined joined = {value};
#endif
    return joined;
}

DEVICE struct FOLD(wide) value_of_joined(struct joined joined)
{
#if SUMS_TOGETHER
    return value_of(joined.sum);
#else
    return joined.sum;
#endif
}

/* The node of `count` neighbouring lanes of a warp, each with one of its own, for the first one. */
DEVICE struct joined join_in_warp(struct joined own, int32_t lane, int32_t count)
{
#pragma unroll 1
    for (int32_t distance = 1; distance < CREW && distance < count; distance *= 2) {
        struct joined right = joined_xor(own, (uint32_t)distance), both = own;
#if SUMS_TOGETHER
        sum_append(&both.sum, right.sum);
#else
        both.sum = wide_sum(both.sum, right.sum);
#endif
        if (lane % (2 * distance) == 0 && lane + distance < count) own = both;
    }
    return own;
}

/* As root_of_nodes, of no more nodes than the team has threads, by warps: of the first of them, which the block waits
 * for once. `at` is the team's first thread. */
DEVICE struct node root_of_few(const struct node *nodes, int64_t pitch, int32_t count, struct node *room, int32_t at,
                               int32_t member)
{
    const int32_t lane = member % CREW, warp = member / CREW, warps = (count + CREW - 1) / CREW;
    struct joined own = joined_of(member < count ? nodes[member * pitch].value : FOLD(wide_identity)());
    own = join_in_warp(own, lane, warp < warps ? count - warp * CREW : 0);
    if (warps > 1) {
        __syncthreads();
        if (lane == 0 && warp < warps) room[at + warp] = node_of_value(value_of_joined(own));
        __syncthreads();
        own = joined_of(member < warps ? room[at + member].value : FOLD(wide_identity)());
        own = join_in_warp(own, lane, warp == 0 ? warps : 0);
    }
    return node_of_value(value_of_joined(own));
}

enum { KEPT_LEAVES = 32 }; /* of a warp, as there is room for one of each thread */

/* The split's root; where splits are no nodes, it goes on to the others', and there is none. */
DEVICE struct node root_of_split(const struct reduce_parameters *p, const struct place *a, const struct cell *c,
                                 int aligned, struct lanes *lanes, struct node *levels, struct node *room)
{
    struct leaf_memory memory = leaf_memory_none();
    struct counter parts = {levels, 0};
    const int64_t first = a->share.split * p->split_units;
    const int64_t end = first + p->split_units < p->units ? first + p->split_units : p->units;
    const int32_t most = a->crews * KEPT_LEAVES;
    struct node *kept = room + a->seat.cell * most;
    (void)lanes;
    full_prepare(p);
    if (p->nodes_apart) {
        kept = (struct node *)p->states + (a->share.group * p->units + first) * a->seat.cells + a->seat.cell;
        keep_leaves(p, a, c, first, (int32_t)(end - first), aligned, &memory, kept, a->seat.cells);
        __syncthreads();
        return no_node();
    }
    for (int64_t at = first; at < end; at += most) {
        const int32_t count = end - at < most ? (int32_t)(end - at) : most;
        keep_leaves(p, a, c, at, count, aligned, &memory, kept, 1);
        __syncthreads();
        struct node root = root_of_few(kept, 1, count, room, a->seat.cell * most, a->seat.member);
        if (end - first <= most) return root;
        if (a->seat.member == 0) counter_add(&parts, root);
        __syncthreads();
    }
    return counter_root(&parts);
}
