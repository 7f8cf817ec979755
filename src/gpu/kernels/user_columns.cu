/* SPDX-License-Identifier: MIT
 *
 * user_columns.cu - reductions by a user's operator down columns that lie beside each other, without masks: a block has
 * a leaf of COLUMNS of them. A thread reads 16 bytes of a row at a time and has MEMBER_LANES lanes of each of its
 * columns, which it takes in the order that makes neighbours of those that are joined first. The last block of some
 * columns joins their leaves. */
#include "user_operator.cuh"

#include "largest_input.cuh"

enum {
    EACH = LARGEST_INPUT > 4 ? 16 / LARGEST_INPUT : 4, /* columns of a thread */
    COLUMNS = 32 * EACH,
    MEMBERS = THREADS / 32,
    MEMBER_LANES = USER_LANES / MEMBERS,
    LEVELS = 4,
    ROWS = EACH * STATE_BYTES <= 32 ? 8 : 4, /* under way */
    ROW_STEP = COMMUTATIVE ? USER_LANES : 1  /* from a row of a lane to the next */
};
static_assert(MEMBER_LANES == 1 << LEVELS, "lanes of a thread are joined as a tree");

/* Elements of a row. */
struct row_part {
    struct vector16 vector[INPUT_COUNT];
};

DEVICE void row_load(struct row_part *row, const struct place *at)
{
#pragma unroll
    for (int c = 0; c < INPUT_COUNT; c++) {
        int32_t bytes = EACH * input_bytes(c);
        if (bytes == 16) row->vector[c] = load_vector(at->input[c]);
        else copy_element((char *)&row->vector[c], at->input[c], bytes, bytes < 8 ? bytes : 8);
    }
}

/* What a thread knows of its columns: states, or none of any. */
struct cells {
    state value[EACH];
    int32_t some;
};

DEVICE void cells_join(struct cells *a, const struct cells *b)
{
    if (!b->some) return;
#pragma unroll
    for (int e = 0; e < EACH; e++) a->value[e] = a->some ? user_combine(a->value[e], b->value[e]) : b->value[e];
    a->some = 1;
}

DEVICE void cells_append(struct cells *cells, const struct row_part *row, int first, int64_t index)
{
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const void *element[INPUT_COUNT];
        state lifted;
        for (int c = 0; c < INPUT_COUNT; c++) element[c] = (const char *)&row->vector[c] + e * input_bytes(c);
        LIFT(&lifted, element, 0, index);
        cells->value[e] = first ? lifted : user_combine(cells->value[e], lifted);
    }
}

/* The n rows of a lane, the first of them at `at`. */
DEVICE void fold_lane(const struct user_parameters *p, struct place at, int64_t index, int32_t n, struct cells *cells)
{
    cells->some = n > 0;
    for (int32_t k = 0; k < USER_LANE_ELEMENTS; k += ROWS) {
        struct row_part row[ROWS];
        if (k >= n) break;
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            if (k + i < n) row_load(&row[i], &at);
            place_move(&at, &p->along[0], ROW_STEP);
        }
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            if (k + i < n) cells_append(cells, &row[i], k + i == 0, index + (int64_t)(k + i) * ROW_STEP);
        }
    }
}

/* What the thread has of a leaf. */
DEVICE void fold_lanes(const struct user_parameters *p, const struct place *top, int64_t leaf, struct cells *total)
{
    int64_t begin = leaf * USER_LEAF;
    int32_t count = p->length - begin < USER_LEAF ? (int32_t)(p->length - begin) : USER_LEAF;
    int32_t member = (int32_t)threadIdx.x / 32;
    struct cells level[LEVELS + 1];
    for (int32_t j = 0; j < MEMBER_LANES; j++) {
        int32_t turned = (int32_t)(__brev((unsigned)j) >> (32 - LEVELS)), l = 0;
        int32_t lane = COMMUTATIVE ? turned * MEMBERS + member : member * MEMBER_LANES + j;
        int32_t first = COMMUTATIVE ? lane : lane * USER_LANE_ELEMENTS, n = (count - first + ROW_STEP - 1) / ROW_STEP;
        struct place at = *top;
        if (n > 0) place_move(&at, &p->along[0], begin + first);
        fold_lane(p, at, begin + first, n < USER_LANE_ELEMENTS ? n : USER_LANE_ELEMENTS, total);
        for (; j >> l & 1; l++) {
            cells_join(&level[l], total);
            *total = level[l];
        }
        level[l] = *total;
    }
}

/* All members' to the first one's. */
DEVICE void join_members(struct cells *room, struct cells *total)
{
    int32_t thread = (int32_t)threadIdx.x, member = thread / 32;
#pragma unroll
    for (int32_t i = 1; i < MEMBERS; i *= 2) {
        int32_t distance = COMMUTATIVE ? MEMBERS / 2 / i : i;
        int takes = COMMUTATIVE ? member < distance : member % (2 * i) == 0;
        __syncthreads();
        room[thread] = *total;
        __syncthreads();
        if (takes) cells_join(total, &room[thread + distance * 32]);
    }
}

/* The tree of a column's leaves. */
DEVICE state join_leaves(const struct user_parameters *p, int64_t cell)
{
    const state *nodes = (const state *)p->parts + cell;
    state level[USER_COLUMN_LEVELS], total;
    int32_t n = (int32_t)p->units, l = 0;
    for (int32_t i = 0; i < n; i++) {
        total = nodes[i * p->cells];
        for (l = 0; i >> l & 1; l++) total = user_combine(level[l], total);
        level[l] = total;
    }
    for (l = 0; !(n >> l & 1); l++) continue;
    total = level[l];
    for (l++; n >> l; l++)
        if (n >> l & 1) total = user_combine(level[l], total);
    return total;
}

DEVICE void finish_column(const struct user_parameters *p, int64_t cell, const state *total)
{
    struct part result, all;
    part_initial(p, &result);
    all.value = *total;
    all.some = 1;
    all.count = p->length;
    part_join(&result, &all);
    part_finish(&result, result_of_cell(p, cell), p->step);
}

KERNEL(user_columns, struct user_parameters, p)
{
    DYNAMIC_SHARED(struct vector16, shared); /* the cells of each thread */
    int64_t tiles = (p.cells + COLUMNS - 1) / COLUMNS, tile = blockIdx.x % tiles, leaf = blockIdx.x / tiles;
    int64_t cell = tile * COLUMNS + threadIdx.x % 32 * EACH;
    int idle = cell >= p.cells, first = threadIdx.x < 32 && !idle;
    struct place top = place_of_cell(&p, idle ? 0 : cell);
    struct cells total;
    fold_lanes(&p, &top, leaf, &total);
    join_members((struct cells *)shared, &total);
    if (first) {
        for (int e = 0; e < EACH; e++) {
            if (p.units > 1) ((state *)p.parts)[leaf * p.cells + cell + e] = total.value[e];
            else finish_column(&p, cell + e, &total.value[e]);
        }
    }
    if (p.units == 1 || !last_to_arrive(&p.tickets[tile], (uint32_t)p.units)) return;
    for (int64_t c = tile * COLUMNS + threadIdx.x; c < p.cells && c < (tile + 1) * COLUMNS; c += THREADS) {
        state value = join_leaves(&p, c);
        finish_column(&p, c, &value);
    }
}
