/* SPDX-License-Identifier: MIT
 *
 * column_fold.cuh - columns of folds, for scan_columns.cu. No include guard. */
#include "runner_fold.cuh"

#define HAS_WORDS 0 /* totals that only words know */

/* What stands above an element of a column. */
struct column {
    runner above;
};

/* Columns that are not what they should be: of folds, none. */
struct strays {
    uint32_t none;
};

DEVICE void strays_begin(struct strays *strays)
{
    strays->none = 0;
}

DEVICE void strays_end(const struct scan_parameters *given, const struct strays *strays)
{
    (void)given, (void)strays;
}

DEVICE struct column column_first(const struct scan_parameters *given, int64_t cell, struct strays *strays, int k)
{
    struct state first = state_first(given, cell);
    struct column column = {runner_of(&first)};
    (void)strays, (void)k;
    return column;
}

/* Writes the element's result. */
DEVICE void column_step(struct column *column, struct strays *strays, int k, element x, char *out)
{
    runner next = column->above;
    (void)strays, (void)k;
    runner_move(&next, x);
    runner_store(EXCLUSIVE ? &column->above : &next, out);
    column->above = next;
}

struct trail {
    uint32_t none;
};

DEVICE struct trail trail_of(const struct column *columns)
{
    struct trail trail = {0};
    (void)columns;
    return trail;
}

/* Absent rows are there, but their results are left out. */
DEVICE void step_rows(struct column *columns, struct strays *strays, struct trail *trail, const struct side *v,
                      int32_t count, char *out, int64_t pitch)
{
    (void)trail;
#pragma unroll
    for (int d = 0; d < DEPTH; d++, out += pitch) {
        struct results results;
#pragma unroll
        for (int k = 0; k < SIDE; k++)
            column_step(&columns[k], strays, k, side_element(&v[d], k), results.bytes + k * RESULT_SIZE);
        if (d < count) store_results(out, &results);
    }
}

#if !WALK
#include "board.cuh"

/* A column's total in some rows. */
struct total {
    struct state state;
};

SHUFFLE(total)

DEVICE struct total total_identity(void)
{
    struct total total = {state_identity()};
    return total;
}

DEVICE struct total total_of_state(const struct state *state)
{
    struct total total = {*state};
    return total;
}

DEVICE void total_append(struct total *a, const struct total *b)
{
    state_append(&a->state, &b->state);
}

/* Whether only words know the total: of folds, never. */
DEVICE int total_is_lost(const struct total *total)
{
    (void)total;
    return 0;
}

DEVICE struct state state_of_total(const struct total *total, const struct state *words)
{
    (void)words;
    return total->state;
}

DEVICE struct column column_below(const struct total *above)
{
    struct column column = {runner_of(&above->state)};
    return column;
}

/* SIDE columns of `count` rows that lie `stride` sides apart. */
DEVICE void total_rows(struct total *totals, const struct side *from, int32_t stride, int32_t count)
{
    struct FOLD(lane) lane[SIDE];
#pragma unroll
    for (int k = 0; k < SIDE; k++) lane[k] = FOLD(lane_identity)();
#pragma unroll 8
    for (int32_t i = 0; i < count; i++) {
        struct side side = from[i * stride];
#pragma unroll
        for (int k = 0; k < SIDE; k++) {
            element x = side_element(&side, k);
            if (counts(x)) FOLD(lane_combine)(&lane[k], FOLD(lift)(x, x));
        }
    }
#pragma unroll
    for (int k = 0; k < SIDE; k++) totals[k].state.total = FOLD(widen)(lane[k]);
}

DEVICE void total_publish(const struct scan_parameters *given, int64_t cell, int64_t split, const struct total *total,
                          const struct state *words, uint32_t flag)
{
    struct board board = board_of(given, 0, 1);
    (void)words;
    publish(&board, split * given->reduce.cells + cell, total->state, flag);
}

DEVICE uint32_t total_peek(const struct scan_parameters *given, int64_t cell, int64_t split, struct total *total)
{
    struct board board = board_of(given, 0, 1);
    return peek(&board, split * given->reduce.cells + cell, &total->state);
}
#endif
