/* SPDX-License-Identifier: MIT
 *
 * reduce_ordered.cu - folds that are not associative in floating point, in the fixed-shape tree of docs/semantics.md:
 * float prod, logsumexp, everything under TALLY_PLAIN.
 *
 * A thread has 4 neighbouring lanes of a leaf, so that 32 threads (or as many as a short cell needs) hold all 128 and
 * read a row of 128 elements at once. A team is one or several such crews; each takes an aligned power of two of the
 * split's leaves, so its result is a complete node of the tree, and so is a split's. CONTIGUOUS as in reduce.cu.
 *   DEALT        1: crews are warps and take nodes of 2^node_level leaves in turn, of a split of any length: no more of
 *                them wait than must where cells have a few leaves more than a power of two
 *   FULL_LEAVES  not 0: the same, where nearly all leaves lie whole in memory; each is a node (full_leaves.cuh) */
#include "team.cuh"

#include "ordered_leaf.cuh"
#include "ordered_nodes.cuh"

/* Where threads of a block are, and what its crews share. */
struct place {
    struct seat seat;
    struct share share;
    int64_t cell;
    int32_t stride; /* from a member of a team to the next */
    int32_t crew, crews, crew_index, crew_member;
};

DEVICE struct place place_of(const struct reduce_parameters *p)
{
    struct place a;
    a.seat = seat_of(p);
    a.share = share_of(p, &a.seat);
    a.cell = a.share.group * a.seat.cells + a.seat.cell;
    a.stride = p->cells_first ? a.seat.cells : 1;
    a.crew = p->team < CREW ? p->team : CREW;
    a.crews = p->team / a.crew;
    a.crew_member = a.seat.member % a.crew;
    a.crew_index = a.seat.member / a.crew;
    return a;
}

/* Nodes of a cell that crews take in turn, or up to one of them. */
DEVICE_UNUSED int64_t nodes_of(const struct reduce_parameters *p, int64_t leaves)
{
    return (leaves + ((int64_t)1 << p->node_level) - 1) >> p->node_level;
}

#if FULL_LEAVES
#include "full_leaves.cuh"
#else
/* The crew's leaf, for its first member; `alone`: the crew is a warp, and waits for no other. */
DEVICE struct node close_leaf(struct lanes *lanes, struct FOLD(lane) * room, int32_t at, int32_t stride,
                              int32_t crew_member, int32_t crew, int alone)
{
    struct node leaf = no_node();
    if (alone) leaf.value = FOLD(widen)(join_lanes_of_warp(lanes, crew_member));
    else leaf.value = FOLD(widen)(join_lanes(lanes, room, at, stride, crew_member, crew));
    leaf.some = 1;
    return leaf;
}

#if DEALT
/* The warp's node that begins at leaf `begin`. */
DEVICE struct node node_at(const struct reduce_parameters *p, const struct place *a, const struct cell *c,
                           int64_t begin, int aligned, struct lanes *lanes, struct node *levels)
{
    struct counter counter = {levels, 0};
    for (int64_t leaf = begin; leaf < begin + ((int64_t)1 << p->node_level) && leaf < p->units; leaf++) {
        absorb_leaf(p, c, a->cell < p->cells ? leaf * TREE_LEAF : p->length, a->crew_member, 1, aligned, lanes);
        struct node node = close_leaf(lanes, 0, 0, 1, a->crew_member, CREW, 1);
        if (a->crew_member == 0) counter_add(&counter, node);
    }
    return counter_root(&counter);
}

/* The split's root; where splits are no nodes, it goes on to the others', and there is none. */
DEVICE struct node root_of_split(const struct reduce_parameters *p, const struct place *a, const struct cell *c,
                                 int aligned, struct lanes *lanes, struct node *levels, struct node *room)
{
    int32_t nodes = (int32_t)(p->split_units >> p->node_level); /* that can be */
    int64_t first = a->share.split * nodes, all = nodes_of(p, p->units);
    int32_t count = all - first < nodes ? (int32_t)(all - first) : nodes; /* that are */
    int32_t pitch = p->nodes_apart ? a->seat.cells : 1;
    struct node *kept = room + a->seat.cell * nodes;
    if (p->nodes_apart) kept = (struct node *)p->states + (a->share.group * all + first) * pitch + a->seat.cell;
    for (int32_t i = a->crew_index; i < count; i += a->crews) {
        struct node node = node_at(p, a, c, (first + i) << p->node_level, aligned, lanes, levels);
        if (a->crew_member == 0) kept[i * pitch] = node;
    }
    __syncthreads();
    if (p->nodes_apart) return no_node();
    return root_of_nodes(kept, 1, count, room, 1, a->seat.member, p->team);
}
#else
/* The split's root, of a run of leaves of each crew. */
DEVICE struct node root_of_split(const struct reduce_parameters *p, const struct place *a, const struct cell *c,
                                 int aligned, struct lanes *lanes, struct node *levels, struct node *room)
{
    int64_t leaves = p->split_units / a->crews; /* of a crew; units are leaves here */
    int64_t begin = a->share.split * p->split_units + a->crew_index * leaves;
    int alone = a->crew == 32 && a->stride == 1;
    struct counter nodes = {levels, 0};
    for (int64_t leaf = begin; leaf < begin + leaves; leaf++) {
        int some = a->cell < p->cells && (leaf < p->units || leaf == 0);
        if (alone ? leaf >= p->units && leaf > 0 : !__syncthreads_or(leaf < p->units || leaf == 0)) break;
        absorb_leaf(p, c, some ? leaf * TREE_LEAF : p->length, a->crew_member, alone, aligned, lanes);
        struct node node = close_leaf(lanes, (struct FOLD(lane) *)room, (int32_t)threadIdx.x, a->stride, a->crew_member,
                                      a->crew, alone);
        if (some && a->crew_member == 0) counter_add(&nodes, node);
    }
    struct node root = counter_root(&nodes);
    join_neighbours(&root, room, (int32_t)threadIdx.x, a->stride * a->crew, a->crew_index, a->crews);
    return root;
}
#endif
#endif

KERNEL(reduce, struct reduce_parameters, p)
{
    DYNAMIC_SHARED(struct node, room); /* THREADS of the larger of a node and four lanes; of whole leaves, nodes */
    __shared__ struct node levels[THREADS / CREW][LEVELS];
    struct node only[1]; /* of a crew that is no warp, whose cells are of one leaf */
    struct place a = place_of(&p);
    struct cell c = cell_of(&p, a.cell < p.cells ? a.cell : 0);
    int aligned = address_is_aligned(c.x) && (!WITH_SECOND || address_is_aligned(c.y));
    struct lanes lanes;
    lanes_open(&lanes);
    struct node root =
        root_of_split(&p, &a, &c, aligned, &lanes,
                      a.crew == CREW ? levels[(a.seat.cell * p.team + a.seat.member) / CREW] : only, room);
    root.absent = sum_over_team(lanes.absent, (int64_t *)room, &a.seat, p.team, a.stride);
    if (p.splits > 1) {
        int64_t of_cell = p.splits, own = a.share.split; /* states, and the one of this split, or its first */
#if DEALT
        if (p.nodes_apart) of_cell = nodes_of(&p, p.units), own *= p.split_units >> p.node_level;
#endif
        struct node *states = (struct node *)p.states + a.share.group * of_cell * a.seat.cells + a.seat.cell;
        if (a.seat.member == 0 && p.nodes_apart) states[own * a.seat.cells].absent = root.absent;
        else if (a.seat.member == 0) states[own * a.seat.cells] = root;
        if (!last_to_arrive(&p.tickets[a.share.group], (uint32_t)p.splits)) return;
#if FULL_LEAVES
        if (of_cell <= p.team)
            root = root_of_few(states, a.seat.cells, (int32_t)of_cell, room, a.seat.cell * p.team, a.seat.member);
        else
#endif
            root = root_of_nodes(states, a.seat.cells, of_cell, room, a.stride, a.seat.member, p.team);
    }
    if (a.seat.member != 0 || a.cell >= p.cells) return;
    struct offsets at = cell_offsets(&p, a.cell);
    uint32_t failure = finish_fold(&p, root.value, p.length - root.absent, (char *)p.out + at.out * RESULT_SIZE);
    if (failure && p.failures) atomicOr(p.failures, failure);
}
