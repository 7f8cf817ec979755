/* SPDX-License-Identifier: MIT
 *
 * user_stream.cu - reductions by a user's operator of contiguous elements without masks, whose leaves are aligned to 16
 * bytes: a warp for each leaf of the fixed-shape tree.
 *
 * Where elements commute, a thread has 4 lanes of a leaf beside each other and reads a row of all 128 at a time. Where
 * their order counts, a thread has one lane of 32 neighbours after the other; these come through shared memory, copied
 * ahead by the warp. A team of warps takes the leaves of a split, whose nodes its first warp joins; the last block of a
 * cell joins those of all splits.
 *   STAGES      of a warp: pieces of leaves under way and at hand
 *   RUN_BYTES   of a lane in a piece, at most */
#include "user_vectors.cuh"

#include "largest_input.cuh"

enum {
    WARPS = THREADS / 32,
    NODES = 64, /* of a block's splits */
    PIECE_RUN = LARGEST_INPUT * USER_LANE_ELEMENTS > RUN_BYTES ? RUN_BYTES / LARGEST_INPUT : USER_LANE_ELEMENTS,
    PIECES = USER_LANE_ELEMENTS / PIECE_RUN,
    ROWS = 32 / LARGEST_INPUT,                        /* under way, of those that commute */
    STAGE_AT_1 = 32 * PIECE_RUN * INPUT_BYTES_0 / 16, /* of a stage: vectors of one input behind those of another */
    STAGE_AT_2 = STAGE_AT_1 + (INPUT_COUNT > 1 ? 32 * PIECE_RUN * INPUT_BYTES_1 / 16 : 0),
    STAGE_VECTORS = STAGE_AT_2 + (INPUT_COUNT > 2 ? 32 * PIECE_RUN * INPUT_BYTES_2 / 16 : 0),
    STAGES_OF_WARP = COMMUTATIVE ? 0 : STAGES * STAGE_VECTORS
};

DEVICE int32_t stage_at(int c)
{
    return c == 0 ? 0 : c == 1 ? STAGE_AT_1 : STAGE_AT_2;
}

/* ---- leaves ---- */

/* One level of a leaf's tree, of lanes that far apart. `whole`, a constant: the leaf has all elements, else the first
 * `count`. */
DEVICE void close_level(state value[4], int whole, int32_t distance, int32_t count)
{
    int32_t thread = (int32_t)threadIdx.x & 31;
#pragma unroll
    for (int k = 0; k < 4; k++) {
#if COMMUTATIVE
        int32_t lane = 4 * thread + k;
        state other = state_shuffled(value[k], thread + distance / 4);
        if (whole || (lane < distance && lane + distance < count)) value[k] = user_combine(value[k], other);
#else
        int32_t right = 32 * k + thread + distance;
        state other = state_shuffled(value[k], thread + distance);
        if (whole || (thread % (2 * distance) == 0 && right * USER_LANE_ELEMENTS < count))
            value[k] = user_combine(value[k], other);
#endif
    }
}

/* The lanes of a thread to the total of a leaf, for lane 0. */
DEVICE state close_leaf(state value[4], int whole, int32_t count)
{
#if COMMUTATIVE
    if (whole) {
#pragma unroll
        for (int32_t width = 64; width >= 4; width /= 2) close_level(value, 1, width, count);
    } else {
#pragma unroll 1
        for (int32_t width = 64; width >= 4; width /= 2) close_level(value, 0, width, count);
    }
    if (whole || count > 2) value[0] = user_combine(value[0], value[2]);
    if (whole || count > 3) value[1] = user_combine(value[1], value[3]);
    if (whole || count > 1) value[0] = user_combine(value[0], value[1]);
#else
#pragma unroll 1
    for (int32_t distance = 1; distance < 32; distance *= 2) close_level(value, whole, distance, count);
    if (whole || count > 1 * USER_LEAF / 4) value[0] = user_combine(value[0], value[1]);
    if (whole || count > 3 * USER_LEAF / 4) value[2] = user_combine(value[2], value[3]);
    if (whole || count > 2 * USER_LEAF / 4) value[0] = user_combine(value[0], value[2]);
#endif
    return value[0];
}

/* Element i of lane k of a thread, in the leaf. */
DEVICE int32_t element_of_lane(int k, int32_t i)
{
    int32_t thread = (int32_t)threadIdx.x & 31;
    return COMMUTATIVE ? i * USER_LANES + 4 * thread + k : (32 * k + thread) * USER_LANE_ELEMENTS + i;
}

/* A leaf that is not full, the cell's last one; `at`: its first element. The four lanes' next elements are under way
 * together. */
DEVICE_CALL state part_of_leaf(struct place at, int64_t index, int32_t count)
{
    state value[4];
#pragma unroll 1
    for (int32_t i = 0; i < USER_LANE_ELEMENTS && (!COMMUTATIVE || i * USER_LANES < count); i++) {
        state lifted[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const void *element[INPUT_COUNT];
            int32_t e = element_of_lane(k, i);
            for (int c = 0; c < INPUT_COUNT; c++) element[c] = at.input[c] + e * input_bytes(c);
            if (e < count) LIFT(&lifted[k], element, 0, index + e);
        }
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (element_of_lane(k, i) >= count) continue;
            value[k] = i == 0 ? lifted[k] : user_combine(value[k], lifted[k]);
        }
    }
    __syncwarp();
    return close_leaf(value, 0, count);
}

#if COMMUTATIVE

/* A thread's 4 neighbours of a row. */
struct row_part {
    struct vector16 vector[INPUT_COUNT][LARGEST_INPUT > 4 ? LARGEST_INPUT / 4 : 1];
};

DEVICE void row_load(struct row_part *row, const struct place *at, int32_t r)
{
#pragma unroll
    for (int c = 0; c < INPUT_COUNT; c++) {
        int32_t bytes = 4 * input_bytes(c);
        const char *from = at->input[c] + (r * 32 + ((int32_t)threadIdx.x & 31)) * bytes;
        if (bytes == 4) row->vector[c][0].word[0] = *(const uint32_t *)from;
        else if (bytes == 8) memcpy(&row->vector[c][0], (const uint64_t *)from, 8);
        for (int v = 0; v < bytes / 16; v++) row->vector[c][v] = load_vector(from + 16 * v);
    }
}

DEVICE state row_lift(const struct row_part *row, int k, int64_t index)
{
    const void *element[INPUT_COUNT];
    state value;
    for (int c = 0; c < INPUT_COUNT; c++) element[c] = (const char *)row->vector[c] + k * input_bytes(c);
    LIFT(&value, element, 0, index);
    return value;
}

DEVICE state whole_leaf(struct place at, int64_t index)
{
    state value[4];
    index += 4 * (threadIdx.x & 31);
#pragma unroll
    for (int32_t r = 0; r < USER_LANE_ELEMENTS; r += ROWS) {
        struct row_part row[ROWS];
#pragma unroll
        for (int i = 0; i < ROWS; i++) row_load(&row[i], &at, r + i);
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
#pragma unroll
            for (int k = 0; k < 4; k++) {
                state lifted = row_lift(&row[i], k, index + (r + i) * USER_LANES + k);
                value[k] = r + i == 0 ? lifted : user_combine(value[k], lifted);
            }
        }
    }
    return close_leaf(value, 1, USER_LEAF);
}

/* Totals of whole leaves first, first + step, ... to nodes. */
DEVICE void whole_leaves(const struct place *cell, int64_t first, int64_t end, int32_t step, struct vector16 *room,
                         state *nodes)
{
    (void)room;
    for (int64_t leaf = first; leaf < end; leaf += step, nodes += step) {
        struct place at = *cell;
        for (int c = 0; c < INPUT_COUNT; c++) at.input[c] += leaf * USER_LEAF * input_bytes(c);
        state total = whole_leaf(at, leaf * USER_LEAF);
        if ((threadIdx.x & 31) == 0) *nodes = total;
    }
}

#else

/* Piece s of a warp's leaves, a part of a quarter of one: each lane of the leaf there has a run in shared memory. */
DEVICE void piece_load(const struct place *cell, int64_t first, int32_t step, uint32_t s, struct vector16 *stage)
{
    int64_t leaf = first + (int64_t)(s / (4 * PIECES)) * step;
    int64_t begin = leaf * USER_LEAF + s / PIECES % 4 * (USER_LEAF / 4) + s % PIECES * PIECE_RUN;
#pragma unroll
    for (int c = 0; c < INPUT_COUNT; c++) {
        int32_t bytes = input_bytes(c), vectors = PIECE_RUN * bytes / 16, runs = 32 / vectors;
        int32_t lane = (int32_t)threadIdx.x & 31, run = lane / vectors, v = lane % vectors;
        int32_t place = vector_place(vectors, run, v);
        const char *from = cell->input[c] + (begin + run * USER_LANE_ELEMENTS) * bytes + v * 16;
#pragma unroll
        for (int32_t k = 0; k < vectors; k++)
            copy_async((char *)(stage + stage_at(c) + vector_place_behind(vectors, place, k)),
                       from + k * runs * USER_LANE_ELEMENTS * bytes, 16);
    }
}

/* Adds the piece to the thread's lane, of which it is number `piece`, a constant. */
DEVICE void piece_fold(const struct vector16 *stage, int first, int64_t index, state *value)
{
    int32_t run = (int32_t)threadIdx.x & 31;
    struct vector16 window[INPUT_COUNT];
#pragma unroll
    for (int j = 0; j < PIECE_RUN; j++) {
        const void *element[INPUT_COUNT];
        state lifted;
#pragma unroll
        for (int c = 0; c < INPUT_COUNT; c++) {
            int32_t bytes = input_bytes(c), inside = j * bytes % 16;
            if (inside == 0) window[c] = stage[stage_at(c) + vector_place(PIECE_RUN * bytes / 16, run, j * bytes / 16)];
            element[c] = (const char *)&window[c] + inside;
        }
        LIFT(&lifted, element, 0, index + j);
        *value = first && j == 0 ? lifted : user_combine(*value, lifted);
    }
}

DEVICE void whole_leaves(const struct place *cell, int64_t first, int64_t end, int32_t step, struct vector16 *room,
                         state *nodes)
{
    uint32_t leaves = first < end ? (uint32_t)((end - first + step - 1) / step) : 0, pieces = leaves * 4 * PIECES;
    int32_t thread = (int32_t)threadIdx.x & 31;
#pragma unroll 1
    for (uint32_t s = 0; s < STAGES - 1; s++) {
        if (s < pieces) piece_load(cell, first, step, s, room + s * STAGE_VECTORS);
        copy_group();
    }
    uint32_t s = 0, stage = 0;
    for (uint32_t k = 0; k < leaves; k++) {
        state value[4];
        int64_t index = (first + (int64_t)k * step) * USER_LEAF + thread * USER_LANE_ELEMENTS;
#pragma unroll 1
        for (int i = 0; i < 4; i++) {
            state lane;
#pragma unroll
            for (int q = 0; q < PIECES; q++, s++) {
                uint32_t before = stage ? stage - 1 : STAGES - 1;
                __syncwarp();
                if (s + STAGES - 1 < pieces)
                    piece_load(cell, first, step, s + STAGES - 1, room + before * STAGE_VECTORS);
                copy_group();
                COPY_AWAIT_BUT(STAGES - 1);
                __syncwarp();
                piece_fold(room + stage * STAGE_VECTORS, q == 0, index + i * (USER_LEAF / 4) + q * PIECE_RUN, &lane);
                stage = stage + 1 < STAGES ? stage + 1 : 0;
            }
#pragma unroll
            for (int k = 0; k < 3; k++) value[k] = value[k + 1]; /* registers have no index */
            value[3] = lane;
        }
        state total = close_leaf(value, 1, USER_LEAF);
        if (thread == 0) nodes[k * step] = total;
    }
}

#endif

/* ---- nodes ---- */

/* The values of the first `count` lanes to the first: neighbours under one parent; one without a neighbour rises. */
DEVICE state join_lanes(state value, int32_t count)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
#pragma unroll
    for (int32_t distance = 1; distance < 32; distance *= 2) {
        state right = state_shuffled(value, lane + distance);
        if (lane % (2 * distance) == 0 && lane + distance < count) value = user_combine(value, right);
    }
    return value;
}

enum { NODES_AT_ONCE = STATE_BYTES <= 8 ? 8 : 4, SERIES_LEVELS = 24 };

/* The tree of n nodes, n > 0, of which several are under way before one is combined. */
DEVICE state join_series(const state *nodes, int32_t n)
{
    state level[SERIES_LEVELS], total;
    for (int32_t first = 0; first < n; first += NODES_AT_ONCE) {
        state node[NODES_AT_ONCE];
#pragma unroll
        for (int j = 0; j < NODES_AT_ONCE; j++)
            if (first + j < n) node[j] = nodes[first + j];
#pragma unroll
        for (int j = 0; j < NODES_AT_ONCE; j++) {
            int32_t l = 0;
            if (first + j >= n) continue;
            for (total = node[j]; (first + j) >> l & 1; l++) total = user_combine(level[l], total);
            level[l] = total;
        }
    }
    int32_t l = 0;
    while (!(n >> l & 1)) l++;
    total = level[l];
    for (l++; n >> l; l++)
        if (n >> l & 1) total = user_combine(level[l], total);
    return total;
}

/* All nodes of a cell's splits, by the block, for thread 0. */
DEVICE state join_splits(const state *nodes, int64_t count, state *room)
{
    int32_t thread = (int32_t)threadIdx.x, each = 1;
    while ((int64_t)each * THREADS < count) each *= 2;
    int32_t threads = (int32_t)((count + each - 1) / each), warps = (threads + 31) / 32, first = thread - thread % 32;
    int64_t rest = count - (int64_t)thread * each;
    state total;
    if (rest > 0) total = join_series(nodes + (int64_t)thread * each, rest < each ? (int32_t)rest : each);
    __syncwarp();
    total = join_lanes(total, threads - first);
    if (thread % 32 == 0) room[thread / 32] = total;
    __syncthreads();
    if (thread < 32) {
        if (thread < warps) total = room[thread];
        __syncwarp();
        total = join_lanes(total, warps);
    }
    return total;
}

DEVICE void finish_cell(const struct user_parameters *p, int64_t cell, const state *total)
{
    struct part result, all;
    part_initial(p, &result);
    all.value = *total;
    all.some = 1;
    all.count = p->length;
    part_join(&result, &all);
    part_finish(&result, result_of_cell(p, cell), p->step);
}

KERNEL(user_stream, struct user_parameters, p)
{
    DYNAMIC_SHARED(struct vector16, shared); /* of each warp: stages */
    __shared__ state nodes[NODES];
    int32_t warp = (int32_t)threadIdx.x / 32, lane = (int32_t)threadIdx.x % 32;
    int32_t team = warp / p.team, member = warp % p.team;
    int64_t task = (int64_t)blockIdx.x * (WARPS / p.team) + team, cell = p.splits > 1 ? task / p.splits : task;
    int64_t begin = (task - cell * p.splits) * p.split_units, end = begin + p.split_units;
    state *own = nodes + team * (NODES / WARPS * p.team), total;
    if (end > p.units) end = p.units;
    if (cell < p.cells) {
        struct place at = place_of_cell(&p, cell);
        int64_t whole = p.length / USER_LEAF < end ? p.length / USER_LEAF : end;
        whole_leaves(&at, begin + member, whole, p.team, shared + warp * STAGES_OF_WARP, own + member);
        if (whole < end && (whole - begin) % p.team == member) {
            for (int c = 0; c < INPUT_COUNT; c++) at.input[c] += whole * USER_LEAF * input_bytes(c);
            total = part_of_leaf(at, whole * USER_LEAF, (int32_t)(p.length - whole * USER_LEAF));
            if (lane == 0) own[whole - begin] = total;
        }
    }
    __syncthreads();
    if (member == 0 && cell < p.cells) {
        int32_t count = (int32_t)(end - begin);
        if (lane < count) total = own[lane];
        __syncwarp();
        total = join_lanes(total, count);
        if (lane == 0 && p.splits > 1) ((state *)p.parts)[task] = total;
    }
    if (p.splits > 1) { /* then a block is one team */
        if (!last_to_arrive(&p.tickets[cell], (uint32_t)p.splits)) return;
        total = join_splits((const state *)p.parts + cell * p.splits, p.splits, nodes);
    }
    if (member == 0 && lane == 0 && cell < p.cells) finish_cell(&p, cell, &total);
}
