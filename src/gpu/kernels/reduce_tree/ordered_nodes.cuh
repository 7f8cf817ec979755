/* SPDX-License-Identifier: MIT
 *
 * ordered_nodes.cuh - nodes of the fixed-shape tree above its leaves. */
#ifndef TALLY_ORDERED_NODES_CUH
#define TALLY_ORDERED_NODES_CUH

#include "team.cuh"

#include "ordered_steps.cuh"

/* A node of the tree, or none. */
struct node {
    struct FOLD(wide) value;
    int64_t absent;
    int32_t some;
};

DEVICE struct node no_node(void)
{
    struct node node;
    node.value = FOLD(wide_identity)();
    node.absent = 0;
    node.some = 0;
    return node;
}

/* a is left of b, its neighbour under one parent; a node without a right neighbour rises as it is. */
DEVICE void node_join(struct node *a, const struct node *b)
{
    a->absent += b->absent;
    if (!b->some) return;
    if (a->some) a->value = wide_sum(a->value, b->value);
    else a->value = b->value;
    a->some = 1;
}

/* Nodes that came one after the other, as a counter in base two: one for each level whose bit is set. */
struct counter {
    struct node *level;
    int64_t count;
};

enum {
    LEVELS = 24,       /* of the leaves of a crew */
    MERGED_LEVELS = 12 /* of the splits that a thread merges */
};

DEVICE void counter_add(struct counter *c, struct node node)
{
    int32_t level = 0;
    for (; c->count >> level & 1; level++) {
        struct node left = c->level[level];
        node_join(&left, &node);
        node = left;
    }
    c->level[level] = node;
    c->count++;
}

/* The root: from the right, where the small nodes are. */
DEVICE struct node counter_root(const struct counter *c)
{
    struct node root = no_node();
    for (int32_t level = 0; c->count >> level; level++) {
        if (!(c->count >> level & 1)) continue;
        struct node left = c->level[level];
        node_join(&left, &root);
        root = left;
    }
    return root;
}

/* Joins the nodes of `count` neighbours, `stride` threads apart, under one root for the first of them. */
DEVICE void join_neighbours(struct node *node, struct node *room, int32_t at, int32_t stride, int32_t index,
                            int32_t count)
{
    for (int32_t distance = 1; distance < count; distance *= 2) {
        __syncthreads();
        room[at] = *node;
        __syncthreads();
        if (index % (2 * distance) == 0 && index + distance < count) node_join(node, &room[at + distance * stride]);
    }
}

/* The root of `count` nodes, one `pitch` after the other, for the first member of a team whose threads are `stride`
 * apart; they may lie in `room`, which all its threads have come to. */
DEVICE struct node root_of_nodes(const struct node *nodes, int64_t pitch, int64_t count, struct node *room,
                                 int32_t stride, int32_t member, int32_t team)
{
    struct node merged[MERGED_LEVELS];
    struct counter counter = {merged, 0};
    int64_t each = 1;
    while (each * team < count) each *= 2;
    for (int64_t i = member * each; i < (member + 1) * each && i < count; i++) counter_add(&counter, nodes[i * pitch]);
    struct node root = counter_root(&counter);
    join_neighbours(&root, room, (int32_t)threadIdx.x, stride, member, (int32_t)((count + each - 1) / each));
    return root;
}

/* Sums a count of absent elements over the threads of a team. */
DEVICE int64_t sum_over_team(int64_t count, int64_t *room, const struct seat *seat, int32_t team, int32_t stride)
{
    if (!WITH_WHERE && !SKIP_NAN) return 0;
    __syncthreads();
    room[threadIdx.x] = count;
    __syncthreads();
    int64_t sum = 0;
    for (int32_t i = 0; i < team && seat->member == 0; i++) sum += room[(int32_t)threadIdx.x + i * stride];
    return sum;
}

#endif
