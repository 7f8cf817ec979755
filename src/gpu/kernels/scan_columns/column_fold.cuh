/* SPDX-License-Identifier: MIT
 *
 * column_fold.cuh - columns of folds, for scan_columns.cu. No include guard. */
#if PACK == 1
#include "runner_fold.cuh"
#define SIDE_PACK(side, k) side_element(side, k)
#else
#include "runner_packed.cuh"
#define SIDE_PACK(side, k) ((side)->word[k])
#endif

#define HAS_WORDS 0 /* totals that only words know */

/* What stands above an element of a column, or of PACK neighbouring ones. */
struct column {
    runner above;
};

/* Columns that are not what they should be: of folds, none. */
struct strays {
    uint32_t none;
};

DEVICE void strays_begin(const struct scan_parameters *given, struct strays *strays)
{
    (void)given;
    strays->none = 0;
}

/* Whether a column's results are no numbers any more. */
DEVICE_UNUSED int column_is_special(const struct column *column)
{
    (void)column;
    return 0;
}

/* Writes the results of a row. */
DEVICE void column_step(struct column *column, const struct side *side, int k, char *out)
{
    runner next = column->above;
    runner_move(&next, SIDE_PACK(side, k));
    runner_store(EXCLUSIVE ? &column->above : &next, out);
    column->above = next;
}

struct trail {
    uint32_t none;
};

DEVICE struct trail trail_of(const struct column *columns, int apart)
{
    struct trail trail = {0};
    (void)columns, (void)apart;
    return trail;
}

/* Columns as they begin. */
DEVICE struct trail columns_first(const struct scan_parameters *given, int64_t cell, struct column *columns,
                                  struct strays *strays)
{
    (void)strays;
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        struct state first = state_first(given, cell + k * PACK);
        columns[k].above = runner_of(&first);
    }
    return trail_of(columns, 0);
}

/* Absent rows are there, but their results are left out. */
DEVICE void step_rows(struct column *columns, struct strays *strays, struct trail *trail, const struct side *v,
                      int32_t count, char *out, int64_t pitch)
{
    (void)strays, (void)trail;
#pragma unroll
    for (int d = 0; d < DEPTH; d++, out += pitch) {
        struct results results;
#pragma unroll
        for (int k = 0; k < PACKS; k++) column_step(&columns[k], &v[d], k, results.bytes + k * PACK * RESULT_SIZE);
        if (d < count) store_results(out, &results);
    }
}

/* Nothing is lost to folds. */
DEVICE_UNUSED int rows_lost(struct column *columns, struct trail *trail, const struct side *v, int32_t count, char *out,
                            int64_t pitch)
{
    struct strays strays = {0};
    step_rows(columns, &strays, trail, v, count, out, pitch);
    return 0;
}

DEVICE_UNUSED void columns_apart(const struct column *columns, const struct strays *strays, char *from, int32_t count,
                                 char *to)
{
    (void)columns, (void)strays, (void)from, (void)count, (void)to;
}

#if !WALK
#include "board.cuh"

#define MAY_BE_IN_PAIRS 0

/* A column's total in some rows, or that of PACK neighbouring ones. */
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

/* The total, or none. */
DEVICE struct total total_if(int condition, const struct total *total)
{
    return condition ? *total : total_identity();
}

/* Makes of totals what stands above each of them; returns all. */
DEVICE struct total totals_above(struct total *totals, int count)
{
    struct total all = total_identity();
#pragma unroll
    for (int i = 0; i < count; i++) {
        struct total own = totals[i];
        totals[i] = all;
        total_append(&all, &own);
    }
    return all;
}

/* Whether only words know the total: of folds, never. */
DEVICE int total_is_lost(const struct total *total)
{
    (void)total;
    return 0;
}

DEVICE_UNUSED int total_in_pair(const struct total *total)
{
    (void)total;
    return 0;
}

DEVICE_UNUSED int total_is_nan(const struct total *total)
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

/* Of SIDE columns of a run, of which rows are present; the totals are of none yet. */
DEVICE void total_rows(struct total *totals, const char *from, int32_t present)
{
#if PACK == 1
    struct FOLD(lane) lane[SIDE];
#pragma unroll
    for (int k = 0; k < SIDE; k++) lane[k] = FOLD(lane_identity)();
    (void)present;
#pragma unroll DEPTH
    for (int32_t i = 0; i < ROWS_OF_RUN(present); i++) {
        struct side side = side_load(from + i * IN_PITCH);
#pragma unroll
        for (int k = 0; k < SIDE; k++) {
            element x = side_element(&side, k);
            if (counts(x)) FOLD(lane_combine)(&lane[k], FOLD(lift)(x, x));
        }
    }
#pragma unroll
    for (int k = 0; k < SIDE; k++) totals[k].state.total = FOLD(widen)(lane[k]);
#else
    (void)present;
#pragma unroll DEPTH
    for (int32_t i = 0; i < ROWS_OF_RUN(present); i++) {
        struct side side = side_load(from + i * IN_PITCH);
#pragma unroll
        for (int k = 0; k < PACKS; k++) runner_move(&totals[k].state, SIDE_PACK(&side, k));
    }
#endif
}

#if !TILES
/* A thread's runs in chunks: what is seen and learnt of them, which of folds is nothing. */
typedef int32_t seen;

struct learnt {
    int32_t none;
};

DEVICE void learnt_open(struct learnt *learnt)
{
    learnt->none = 0;
}

DEVICE seen enter_run(struct total *totals, struct learnt *learnt, const char *from, int is_there)
{
    if (is_there) total_rows(totals, from, RUN);
    return learnt->none;
}

/* The results of a run's rows, all of which are read before they are written over. */
DEVICE int leave_run(const struct column *columns, struct strays *strays, int apart, seen run, char *from, char *to,
                     int is_there)
{
    struct column next[PACKS];
    struct trail trail = trail_of(columns, apart);
    (void)run;
    if (!is_there) return 1;
#pragma unroll
    for (int k = 0; k < PACKS; k++) next[k] = columns[k];
#pragma unroll 1
    for (int32_t i = 0; i < RUN; i += DEPTH) {
        struct side v[DEPTH];
#pragma unroll
        for (int d = 0; d < DEPTH; d++) v[d] = side_load(from + (i + d) * IN_PITCH);
        step_rows(next, strays, &trail, v, DEPTH, to + i * OUT_PITCH, OUT_PITCH);
    }
    return 1;
}
#endif

DEVICE void total_publish(const struct scan_parameters *given, int64_t cell, int64_t split, const struct total *total,
                          const struct state *words, uint32_t flag)
{
    struct board board = board_of(given, 0, 1);
    (void)words;
    publish(&board, split * given->reduce.cells + cell, total->state, flag);
}

/* What was there to be seen of a chunk. */
struct glimpse {
    struct state state;
    uint32_t flag;
};

DEVICE struct glimpse total_glimpse(const struct scan_parameters *given, int64_t cell, int64_t split, int in_pairs)
{
    (void)in_pairs;
    struct board board = board_of(given, 0, 1);
    struct glimpse glimpse;
    glimpse.flag = peek(&board, split * given->reduce.cells + cell, &glimpse.state);
    return glimpse;
}

DEVICE void total_glimpse_rest(const struct scan_parameters *given, int64_t cell, int64_t split,
                               struct glimpse *glimpse)
{
    (void)given, (void)cell, (void)split, (void)glimpse;
}

DEVICE uint32_t total_seen(const struct glimpse *glimpse, struct total *total)
{
    total->state = glimpse->state;
    return glimpse->flag;
}

/* What those that look upwards add up (see column_total_exact.cuh): of folds, totals as they are. */
#define MAY_BE_NO_LINKS 0

struct link {
    struct total total;
};

DEVICE_UNUSED struct link link_none(void)
{
    struct link none = {total_identity()};
    return none;
}

DEVICE_UNUSED uint32_t link_seen(const struct glimpse *glimpse, struct link *link)
{
    return total_seen(glimpse, &link->total);
}

DEVICE_UNUSED void link_append(struct link *a, const struct link *b, uint64_t *lost)
{
    (void)lost;
    total_append(&a->total, &b->total);
}

DEVICE_UNUSED struct total total_of_link(const struct link *link, uint64_t lost)
{
    (void)lost;
    return link->total;
}
#endif
