/* SPDX-License-Identifier: MIT
 *
 * user_reduce.cu - reductions by a user's operator, in the fixed-shape tree of docs/semantics.md: the same leaves,
 * lanes and nodes as user/kernels_tmpl.h and user/tree.c make on the CPU.
 *
 * A team of TEAM threads takes the leaves of a split one after the other. A thread has some lanes of each, neighbours
 * where the order of elements counts, and combines them as it goes; then the team joins what its threads have. Nodes of
 * leaves go to memory, where the team joins those of its split, and the last block of a group those of all splits.
 *   LEAVES   1: user_leaves is wanted, else user_reduce: compiling takes time in proportion to the code */
#include "user_operator.cuh"

#include "largest_input.cuh"

/* Elements that a lane has one after the other are read by way of shared memory: at most 128 bytes of each input. */
#define STAGE_RUN (LARGEST_INPUT < 4 ? USER_LANE_ELEMENTS : 128 / LARGEST_INPUT)
#include "user_stage.cuh"

enum { CELLS = THREADS / TEAM, MOST_LEVELS = TEAM == 1 ? 7 : TEAM == 4 ? 5 : TEAM == 16 ? 3 : TEAM == 32 ? 2 : 0 };
static_assert(TEAM << MOST_LEVELS == USER_LANES, "a thread has a power of two of lanes");

/* Where a thread stands. */
struct seat {
    int64_t group, split, cell;
    int32_t member;
    int32_t stride; /* from a member of the team to the next, in threads */
    int32_t alone;  /* the team is in one warp, and waits for no other */
    int32_t idle;   /* there is no such cell */
};

DEVICE struct seat seat_of(const struct user_parameters *p)
{
    struct seat seat;
    int32_t thread = (int32_t)threadIdx.x;
    int64_t groups = (p->cells + CELLS - 1) / CELLS, block = blockIdx.x;
    seat.group = p->cells_first ? block % groups : block / p->splits;
    seat.split = p->cells_first ? block / groups : block % p->splits;
    seat.member = p->cells_first ? thread / CELLS : thread % TEAM;
    seat.cell = seat.group * CELLS + (p->cells_first ? thread % CELLS : thread / TEAM);
    seat.stride = p->cells_first ? CELLS : 1;
    seat.alone = TEAM <= 32 && !p->cells_first;
    seat.idle = seat.cell >= p->cells;
    return seat;
}

DEVICE void wait_for_team(const struct seat *seat)
{
    if (seat->alone) __syncwarp();
    else __syncthreads();
}

/* ---- a leaf ---- */

enum { LOADED_AT_ONCE = STATE_BYTES <= 8 ? 16 : STATE_BYTES <= 32 ? 8 : 2 };

/* The elements first, first + step, ... of the cell, below end. Several are under way before one is combined. */
DEVICE void fold_elements(const struct user_parameters *p, const struct place *cell, int64_t first, int64_t end,
                          int32_t step, struct part *total)
{
    part_clear(total);
    if (p->along_count > 1 || is_masked(p)) {
        for (int64_t i = first; i < end; i += step) {
            struct place at = *cell;
            place_walk(&at, p->along, p->along_count, i);
            if (is_present(p, &at)) part_append(total, &at, p->position + i);
        }
        return;
    }
    if (first >= end) return;
    struct place at = *cell;
    int32_t count = (int32_t)((end - first + step - 1) / step);
    place_move(&at, &p->along[0], first);
    part_append(total, &at, p->position + first);
    for (int32_t k = 1; k < count; k += LOADED_AT_ONCE) {
        state value[LOADED_AT_ONCE];
#pragma unroll
        for (int j = 0; j < LOADED_AT_ONCE; j++) {
            place_move(&at, &p->along[0], step);
            if (k + j < count) LIFT(&value[j], at.input, 0, p->position + first + (int64_t)(k + j) * step);
        }
#pragma unroll
        for (int j = 0; j < LOADED_AT_ONCE; j++) {
            if (k + j < count) total->value = user_combine(total->value, value[j]);
        }
    }
    total->count = count;
}

/* The elements from first on that are in one lane, of an operator that keeps their order. */
DEVICE void fold_staged(const struct user_parameters *p, const struct place *cell, int64_t first, int64_t end,
                        char *area, struct part *total)
{
    struct place at = *cell;
    int32_t lane = (int32_t)(threadIdx.x % 32);
    int32_t n = first >= end ? 0 : end - first < USER_LANE_ELEMENTS ? (int32_t)(end - first) : USER_LANE_ELEMENTS;
    part_clear(total);
    if (n > 0) place_move(&at, &p->along[0], first);
    for (int32_t k = 0; k < USER_LANE_ELEMENTS && __any_sync(FULL_WARP, n > k); k += STAGE_RUN) {
        struct place staged;
        __syncwarp();
        stage_inputs(&p->along[0], &at, k, n, area);
        __syncwarp();
        for (int c = 0; c < INPUT_COUNT; c++) staged.input[c] = area + stage_at(c) + lane * STAGE_ROW(input_bytes(c));
#pragma unroll 8
        for (int32_t j = 0; j < STAGE_RUN; j++) {
            if (k + j < n) part_append(total, &staged, p->position + first + k + j);
            for (int c = 0; c < INPUT_COUNT; c++) staged.input[c] += input_bytes(c);
        }
    }
}

/* What a thread has of a leaf. Its lanes come in the order that makes neighbours of those that are joined first. */
DEVICE void fold_lanes(const struct user_parameters *p, const struct seat *seat, const struct place *cell, int64_t leaf,
                       char *shared, struct part *total)
{
    int64_t begin = p->first + leaf * USER_LEAF, end = begin + USER_LEAF < p->length ? begin + USER_LEAF : p->length;
    int32_t each = p->lanes / TEAM, bits = 31 - __clz(each);
    struct part level[MOST_LEVELS + 1];
    if (seat->idle) end = begin;
    for (int32_t j = 0; j < each; j++) {
        int32_t turned = bits > 0 ? (int32_t)(__brev((unsigned)j) >> (32 - bits)) : 0;
        int32_t lane = COMMUTATIVE ? turned * TEAM + seat->member : seat->member * each + j, l = 0;
        if (COMMUTATIVE) fold_elements(p, cell, begin + lane, end, USER_LANES, total);
        else if (p->stage_inputs)
            fold_staged(p, cell, begin + lane * USER_LANE_ELEMENTS, end, shared + threadIdx.x / 32 * STAGE_BYTES,
                        total);
        else {
            int64_t first = begin + lane * USER_LANE_ELEMENTS, stop = first + USER_LANE_ELEMENTS;
            fold_elements(p, cell, first, stop < end ? stop : end, 1, total);
        }
        for (; MOST_LEVELS > 0 && j >> l & 1; l++) {
            part_join(&level[l], total);
            *total = level[l];
        }
        if (MOST_LEVELS > 0) level[l] = *total;
    }
}

/* The team's total, for its first member. */
DEVICE void join_team(const struct seat *seat, struct part *room, struct part *total)
{
    int32_t thread = (int32_t)threadIdx.x, member = seat->member;
#pragma unroll 1
    for (int32_t i = 1; i < TEAM; i *= 2) {
        int32_t distance = COMMUTATIVE ? TEAM / 2 / i : i;
        int gives = COMMUTATIVE ? member >= distance && member < 2 * distance : member % (2 * i) == i;
        int takes = COMMUTATIVE ? member < distance : member % (2 * i) == 0;
        wait_for_team(seat);
        if (gives) room[thread] = *total;
        wait_for_team(seat);
        if (takes) part_join(total, &room[thread + distance * seat->stride]);
    }
}

#if LEAVES

/* All leaves are complete, and a split is one of them: their states for the host, cell by cell, as the number of
 * present elements, whether there are any, and the state. */
KERNEL(user_leaves, struct user_parameters, p)
{
    DYNAMIC_SHARED(struct vector16, shared);
    struct seat seat = seat_of(&p);
    struct place cell = place_of_cell(&p, seat.idle ? 0 : seat.cell);
    struct part total;
    fold_lanes(&p, &seat, &cell, seat.split, (char *)shared, &total);
    if (p.stage_inputs) __syncthreads();
    join_team(&seat, (struct part *)shared, &total);
    if (seat.member != 0 || seat.idle) return;
    uint64_t *out = (uint64_t *)p.parts + (seat.cell * p.units + seat.split) * (USER_PART_BYTES(STATE_BYTES) / 8);
    out[0] = (uint64_t)total.count;
    out[1] = (uint64_t)total.some;
    if (total.some) memcpy(out + 2, &total.value, sizeof total.value);
}

#else

/* ---- nodes ---- */

/* Nodes [begin, end) of leaves, of which those at multiples of `distance` are complete, to the first: neighbours under
 * one parent at each level; a node without one rises as it is. */
DEVICE void join_nodes(const struct user_parameters *p, const struct seat *seat, int64_t begin, int64_t end,
                       int64_t distance)
{
    struct part *nodes = (struct part *)p->parts + seat->cell;
#pragma unroll 1
    for (; distance < end - begin; distance *= 2) {
        __syncthreads();
#pragma unroll 1
        for (int64_t i = begin + 2 * distance * seat->member; i + distance < end; i += 2 * distance * TEAM) {
            if (!seat->idle) part_join(&nodes[i * p->cells], &nodes[(i + distance) * p->cells]);
        }
    }
    __syncthreads();
}

KERNEL(user_reduce, struct user_parameters, p)
{
    DYNAMIC_SHARED(struct vector16, shared); /* a part for each thread, or rows for each warp */
    struct seat seat = seat_of(&p);
    struct place cell = place_of_cell(&p, seat.idle ? 0 : seat.cell);
    struct part total;
    part_clear(&total);
    int64_t begin = seat.split * p.split_units;
    int64_t end = begin + p.split_units < p.units ? begin + p.split_units : p.units;
#pragma unroll 1
    for (int64_t leaf = begin; leaf < end; leaf++) {
        __syncthreads();
        fold_lanes(&p, &seat, &cell, leaf, (char *)shared, &total);
        if (p.stage_inputs) __syncthreads();
        join_team(&seat, (struct part *)shared, &total);
        if (p.units > 1 && seat.member == 0 && !seat.idle) ((struct part *)p.parts)[leaf * p.cells + seat.cell] = total;
    }
    if (p.units > 1) join_nodes(&p, &seat, begin, end, 1);
    if (p.splits > 1) {
        if (!last_to_arrive(&p.tickets[seat.group], (uint32_t)p.splits)) return;
        join_nodes(&p, &seat, 0, p.units, p.split_units);
    }
    if (seat.member != 0 || seat.idle) return;
    if (p.units > 1) total = ((const struct part *)p.parts)[seat.cell];
    struct part result;
    part_initial(&p, &result);
    part_join(&result, &total);
    if (!part_finish(&result, result_of_cell(&p, seat.cell), p.step) && p.failures) atomicOr(p.failures, FAILED_EMPTY);
}

#endif
