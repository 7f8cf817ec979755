/* SPDX-License-Identifier: MIT
 *
 * reduce_ordered.cu - folds that are not associative in floating point, in the fixed-shape tree of docs/semantics.md:
 * float prod, logsumexp, everything under TALLY_PLAIN.
 *
 * A thread has 4 neighbouring lanes of a leaf, so that 32 threads (or as many as a short cell needs) hold all 128 and
 * read a row of 128 elements at once. A team is one or several such crews; each takes an aligned power of two of the
 * split's leaves, so its result is a complete node of the tree, and so is a split's. CONTIGUOUS as in reduce.cu. */
#include "team.cuh"

#include "finish_fold.cuh"

enum { LANES = 4, CREW = TREE_LANES / LANES, ROWS = TREE_LEAF / TREE_LANES, ROWS_AT_ONCE = ELEMENT_SIZE > 8 ? 4 : 8 };

/* Combining with the identity leaves bits alone, except in these: infinity times its zero part, deviations that
 * overflow. Lanes that a short cell does not reach must then be combined all the same. */
#if defined(PICK_MOMENTS_ADD) || ((defined(ONLY_TYPE_c64) || defined(ONLY_TYPE_c128)) && defined(PICK_VALUE_MULTIPLY))
#define IDENTITY_SHOWS 1
#else
#define IDENTITY_SHOWS 0
#endif

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
    if (a->some) FOLD(wide_combine)(&a->value, b->value);
    else a->value = b->value;
    a->some = 1;
}

/* Nodes that came one after the other, as a counter in base two: one for each level whose bit is set. */
struct counter {
    struct node level[24];
    int64_t count;
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

/* Four neighbouring elements. */
struct four {
    element x[LANES], y[LANES];
    uint32_t present;
};

DEVICE int address_is_aligned(const void *address)
{
    return ((uintptr_t)address & (ELEMENT_SIZE * LANES < 16 ? ELEMENT_SIZE * LANES - 1 : 15)) == 0;
}

DEVICE void load_aligned(element *to, const char *from)
{
    storage stored[LANES * ELEMENT_SIZE / sizeof(storage)];
    if (ELEMENT_SIZE * LANES >= 16) {
#pragma unroll
        for (int i = 0; i < ELEMENT_SIZE * LANES / 16; i++) {
            struct vector16 v = load_vector(from + 16 * i);
            memcpy((char *)stored + 16 * i, &v, 16);
        }
    } else if (ELEMENT_SIZE == 2) {
        uint64_t v = *(const uint64_t *)from;
        memcpy(stored, &v, sizeof stored);
    } else {
        uint32_t v = *(const uint32_t *)from;
        memcpy(stored, &v, sizeof stored);
    }
#pragma unroll
    for (int i = 0; i < LANES; i++) to[i] = OF_ELEMENT(load)(stored, (size_t)i);
}

DEVICE struct offsets element_offsets(const struct reduce_parameters *p, int64_t i)
{
    struct offsets at = {0, 0, 0, 0};
#if REDUCED_NEST
    at = offsets_of(p->reduced, p->reduced_count, i);
#else
    offsets_move(&at, &p->reduced[0], i);
#endif
    return at;
}

/* Elements i to i + 3 of a cell, as far as it has them. */
DEVICE void load_four(const struct reduce_parameters *p, const struct cell *c, int64_t i, int aligned, struct four *four)
{
#if CONTIGUOUS && !REDUCED_NEST
    if (aligned && i + LANES <= p->length && !WITH_WHERE) {
        load_aligned(four->x, c->x + i * ELEMENT_SIZE);
        if (WITH_SECOND) load_aligned(four->y, c->y + i * ELEMENT_SIZE);
        four->present = 15;
    } else
#endif
    {
        four->present = 0;
#pragma unroll
        for (int q = 0; q < LANES; q++) {
            if (i + q >= p->length) continue;
            struct offsets at = element_offsets(p, i + q);
            four->x[q] = load_element(c->x + at.x * ELEMENT_SIZE, 0);
            if (WITH_SECOND) four->y[q] = load_element(c->y + at.y * ELEMENT_SIZE, 0);
            four->present |= (uint32_t)(!WITH_WHERE || c->where[at.where]) << q;
        }
    }
#pragma unroll
    for (int q = 0; q < LANES && SKIP_NAN; q++) {
        if (!(four->present >> q & 1)) continue;
        int nan = element_is_nan(four->x[q]) || (WITH_SECOND && element_is_nan(four->y[q]));
        four->present &= ~((uint32_t)nan << q);
    }
}

struct lanes {
    struct FOLD(lane) lane[LANES];
    int64_t absent;
};

/* The thread's lanes of the leaf that begins at element `first`. */
DEVICE void absorb_leaf(const struct reduce_parameters *p, const struct cell *c, int64_t first, int32_t crew_member,
                        int aligned, struct lanes *lanes)
{
    int64_t i = first + LANES * crew_member;
#pragma unroll
    for (int q = 0; q < LANES; q++) lanes->lane[q] = FOLD(lane_identity)();
    for (int row = 0; row < ROWS && i < p->length; row += ROWS_AT_ONCE, i += ROWS_AT_ONCE * TREE_LANES) {
        struct four four[ROWS_AT_ONCE];
#pragma unroll
        for (int r = 0; r < ROWS_AT_ONCE; r++) {
            four[r].present = 0;
            if (i + r * TREE_LANES < p->length) load_four(p, c, i + r * TREE_LANES, aligned, &four[r]);
        }
#pragma unroll
        for (int r = 0; r < ROWS_AT_ONCE; r++) {
#pragma unroll
            for (int q = 0; q < LANES; q++) {
                if (four[r].present >> q & 1) {
                    struct FOLD(lane) lifted = FOLD(lift)(four[r].x[q], WITH_SECOND ? four[r].y[q] : four[r].x[q]);
                    FOLD(lane_combine)(&lanes->lane[q], lifted);
                } else if ((WITH_WHERE || SKIP_NAN) && i + r * TREE_LANES + q < p->length) {
                    lanes->absent++;
                }
            }
        }
    }
}

/* The lanes of a crew combined in halves, l with l + 64, l + 32, ... l + 1; the first member gets the leaf. `room` has
 * a place for each thread's lanes, `at` is the thread's own and `stride` leads to the next member's. */
DEVICE struct node close_leaf(struct lanes *lanes, struct FOLD(lane) * room, int32_t at, int32_t stride,
                              int32_t crew_member, int32_t crew)
{
    struct node leaf = no_node();
    if (IDENTITY_SHOWS) {
        for (int32_t half = TREE_LANES / 2; half >= crew * LANES; half /= 2)
            for (int q = 0; q < LANES; q++) FOLD(lane_combine)(&lanes->lane[q], FOLD(lane_identity)());
    }
    for (int32_t half = crew / 2; half > 0; half /= 2) {
        __syncthreads();
        if (crew_member >= half && crew_member < 2 * half)
            for (int q = 0; q < LANES; q++) room[q * THREADS + at] = lanes->lane[q];
        __syncthreads();
        if (crew_member < half)
            for (int q = 0; q < LANES; q++)
                FOLD(lane_combine)(&lanes->lane[q], room[q * THREADS + at + half * stride]);
    }
    FOLD(lane_combine)(&lanes->lane[0], lanes->lane[2]);
    FOLD(lane_combine)(&lanes->lane[1], lanes->lane[3]);
    FOLD(lane_combine)(&lanes->lane[0], lanes->lane[1]);
    leaf.value = FOLD(widen)(lanes->lane[0]);
    leaf.some = 1;
    return leaf;
}

/* Joins the nodes of `count` neighbours, `stride` threads apart, under one root for the first of them. */
DEVICE void join_neighbours(struct node *node, struct node *room, int32_t at, int32_t stride, int32_t index, int32_t count)
{
    for (int32_t distance = 1; distance < count; distance *= 2) {
        __syncthreads();
        room[at] = *node;
        __syncthreads();
        if (index % (2 * distance) == 0 && index + distance < count) node_join(node, &room[at + distance * stride]);
    }
}

/* Sums a count over the threads of a team. */
DEVICE int64_t sum_over_team(int64_t count, int64_t *room, const struct seat *seat, int32_t team, int32_t stride)
{
    __syncthreads();
    room[threadIdx.x] = count;
    __syncthreads();
    int64_t sum = 0;
    for (int32_t i = 0; i < team && seat->member == 0; i++) sum += room[(int32_t)threadIdx.x + i * stride];
    return sum;
}

KERNEL(reduce, struct reduce_parameters, p)
{
    DYNAMIC_SHARED(struct node, room); /* THREADS of the larger of a node and four lanes */
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
    nodes.count = 0;
    lanes.absent = 0;
    for (int64_t leaf = begin; leaf < begin + leaves; leaf++) {
        int some = cell < p.cells && (leaf < p.units || leaf == 0);
        if (!__syncthreads_or(leaf < p.units || leaf == 0)) break;
        absorb_leaf(&p, &c, some ? leaf * TREE_LEAF : p.length, crew_member, aligned, &lanes);
        struct node node = close_leaf(&lanes, (struct FOLD(lane) *)room, (int32_t)threadIdx.x, stride, crew_member, crew);
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
