/* SPDX-License-Identifier: MIT
 *
 * reduce_ordered.cu - folds that are not associative in floating point, in the fixed-shape tree of docs/semantics.md:
 * float prod, logsumexp, everything under TALLY_PLAIN.
 *
 * A thread has 4 neighbouring lanes of a leaf, so that 32 threads (or as many as a short cell needs) hold all 128 and
 * read a row of 128 elements at once. A team is one or several such crews; each takes an aligned power of two of the
 * split's leaves, so its result is a complete node of the tree, and so is a split's. CONTIGUOUS as in reduce.cu. */
#include "team.cuh"

#include "ordered_leaf.cuh"
#include "ordered_nodes.cuh"

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

KERNEL(reduce, struct reduce_parameters, p)
{
    DYNAMIC_SHARED(struct node, room); /* THREADS of the larger of a node and four lanes */
    __shared__ struct node levels[THREADS / CREW][LEVELS];
    struct node only[MERGED_LEVELS]; /* of a crew that is no warp, whose cells are of one leaf; and of merged splits */
    struct seat seat = seat_of(&p);
    struct share share = share_of(&p, &seat);
    int64_t cell = share.group * seat.cells + seat.cell;
    int32_t stride = p.cells_first ? seat.cells : 1, crew = p.team < CREW ? p.team : CREW, crews = p.team / crew;
    int32_t crew_member = seat.member % crew, crew_index = seat.member / crew;
    int64_t leaves = p.split_units / crews; /* of a crew; units are leaves here */
    int64_t begin = share.split * p.split_units + crew_index * leaves;
    struct cell c = cell_of(&p, cell < p.cells ? cell : 0);
    int aligned = address_is_aligned(c.x) && (!WITH_SECOND || address_is_aligned(c.y));
    struct counter nodes;
    struct lanes lanes;
    int alone = crew == 32 && stride == 1;
    full_prepare(&p);
    nodes.level = crew == CREW ? levels[(seat.cell * p.team + seat.member) / CREW] : only;
    nodes.count = 0;
    lanes_open(&lanes);
    for (int64_t leaf = begin; leaf < begin + leaves; leaf++) {
        int some = cell < p.cells && (leaf < p.units || leaf == 0);
        if (alone ? leaf >= p.units && leaf > 0 : !__syncthreads_or(leaf < p.units || leaf == 0)) break;
        absorb_leaf(&p, &c, some ? leaf * TREE_LEAF : p.length, crew_member, alone, aligned, &lanes);
        struct node node =
            close_leaf(&lanes, (struct FOLD(lane) *)room, (int32_t)threadIdx.x, stride, crew_member, crew, alone);
        if (some && crew_member == 0) counter_add(&nodes, node);
    }
    struct node root = counter_root(&nodes);
    join_neighbours(&root, room, (int32_t)threadIdx.x, stride * crew, crew_index, crews);
    root.absent = sum_over_team(lanes.absent, (int64_t *)room, &seat, p.team, stride);
    if (p.splits > 1) {
        struct node *states = (struct node *)p.states + share.group * p.splits * seat.cells + seat.cell;
        if (seat.member == 0) states[share.split * seat.cells] = root;
        if (!last_to_arrive(&p.tickets[share.group], (uint32_t)p.splits)) return;
        int64_t each = 1;
        while (each * p.team < p.splits) each *= 2;
        nodes.level = only;
        nodes.count = 0;
        int64_t absent = 0;
        for (int64_t i = seat.member * each; i < (seat.member + 1) * each && i < p.splits; i++) {
            struct node node = states[i * seat.cells];
            absent += node.absent;
            node.absent = 0;
            counter_add(&nodes, node);
        }
        root = counter_root(&nodes);
        join_neighbours(&root, room, (int32_t)threadIdx.x, stride, seat.member, p.team);
        root.absent = sum_over_team(absent, (int64_t *)room, &seat, p.team, stride);
    }
    if (seat.member != 0 || cell >= p.cells) return;
    struct offsets at = cell_offsets(&p, cell);
    uint32_t failure = finish_fold(&p, root.value, p.length - root.absent, (char *)p.out + at.out * RESULT_SIZE);
    if (failure && p.failures) atomicOr(p.failures, failure);
}
