/* SPDX-License-Identifier: MIT
 *
 * column_ordered.cuh - columns of folds whose order shows in the bits, for threads that walk (scan_columns.cu): the
 * runs of 16, groups of 32 runs and blocks of 8 groups of docs/semantics.md, one element after the other. What stands
 * left of a run in its group is the work of a Kogge-Stone scan, of which a thread needs, at distance d, what the last d
 * runs had: LEVELS distances, 2^LEVELS - 1 totals in shared memory. No include guard. */
#include "ordered_left.cuh"

enum { RUN = 16, GROUP_RUNS = 32, BLOCK_RUNS = 256, SLOTS = (1 << LEVELS) - 1 };

static_assert(DEPTH < RUN || DEPTH % RUN == 0, "runs begin at the same place of every batch");

struct column {
    struct FOLD(lane) local;         /* of the run */
    struct left base, groups, carry; /* before the run, of the block's complete groups, before the block */
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

struct trail {
    uint32_t run; /* number in the block, of those that have begun */
    int32_t rows; /* that were taken of it */
};

DEVICE struct trail columns_first(const struct scan_parameters *given, int64_t cell, struct column *columns,
                                  struct strays *strays)
{
    struct trail trail = {0, 0};
    (void)strays;
    for (int k = 0; k < PACKS; k++) {
        columns[k].local = FOLD(lane_identity)();
        columns[k].groups = no_left();
        columns[k].base = columns[k].carry = first_left(given, cell + k);
    }
    return trail;
}

/* All runs of the group up to this one, whose total is given. */
DEVICE struct FOLD(wide) group_left(struct FOLD(wide) total, uint32_t run, int column)
{
    DYNAMIC_SHARED(struct FOLD(wide), ring);
    struct FOLD(wide) *mine = ring + column * SLOTS * THREADS + (int32_t)threadIdx.x;
#pragma unroll
    for (uint32_t distance = 1; distance < 1 << LEVELS; distance *= 2, mine += distance / 2 * THREADS) {
        struct FOLD(wide) *slot = mine + (run & (distance - 1)) * THREADS, left = *slot;
        *slot = total;
        if (run % GROUP_RUNS < distance) continue;
        FOLD(wide_combine)(&left, total);
        total = left;
    }
    return total;
}

/* Ends run number `run` of the block: what stands left of the next one. */
DEVICE void end_run(struct column *column, uint32_t run, int k)
{
    struct FOLD(wide) runs = group_left(FOLD(widen)(column->local), run, k);
    int group_ends = (run + 1) % GROUP_RUNS == 0, block_ends = run + 1 == BLOCK_RUNS;
    if (group_ends) left_append(&column->groups, runs);
    if (block_ends) {
        left_append(&column->carry, column->groups.value);
        column->groups = no_left();
    }
    column->base = column->carry;
    if (column->groups.some) left_append(&column->base, column->groups.value);
    if (!group_ends) left_append(&column->base, runs);
}

/* Writes an element's result; `is_first` of its run. */
DEVICE void column_step(struct column *column, element x, int is_first, char *out)
{
    struct FOLD(lane) lifted = FOLD(lane_identity)(), before = column->local;
    if (!(SKIP_NAN && element_is_nan(x))) lifted = FOLD(lift)(x, x);
    if (!is_first) FOLD(lane_combine)(&column->local, lifted);
    else column->local = lifted;
    struct left value = column->base;
    if (!EXCLUSIVE || !is_first) left_append(&value, FOLD(widen)(EXCLUSIVE ? before : column->local));
    store_value(value.value, out);
}

/* Absent rows are there, but their results are left out. */
DEVICE void step_rows(struct column *columns, struct strays *strays, struct trail *trail, const struct side *v,
                      int32_t count, char *out, int64_t pitch)
{
    (void)strays;
#pragma unroll
    for (int d = 0; d < DEPTH; d++, out += pitch) {
        struct results results;
        if (d % RUN == 0 && trail->rows == RUN) {
#pragma unroll
            for (int k = 0; k < PACKS; k++) end_run(&columns[k], trail->run, k);
            trail->run = trail->run + 1 & (BLOCK_RUNS - 1);
            trail->rows = 0;
        }
#pragma unroll
        for (int k = 0; k < PACKS; k++)
            column_step(&columns[k], side_element(&v[d], k), d % RUN == 0 && trail->rows == 0,
                        results.bytes + k * RESULT_SIZE);
        if (d < count) store_results(out, &results);
        trail->rows++;
    }
}
