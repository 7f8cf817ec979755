/* SPDX-License-Identifier: MIT
 *
 * column_ordered.cuh - columns of folds whose order shows in the bits, for threads that walk (scan_columns.cu): the
 * runs of 16, groups of 32 runs and blocks of 8 groups of docs/semantics.md, one element after the other. What stands
 * left of a run in its group is the work of a Kogge-Stone scan, of which a thread needs, at distance d, what the last d
 * runs had: LEVELS distances, 2^LEVELS - 1 totals in shared memory. No include guard. */
#include "ordered_left.cuh"

enum { RUN = 16, GROUP_RUNS = 32, BLOCK_RUNS = 256, SLOTS = (1 << LEVELS) - 1 };

static_assert(sizeof(struct FOLD(wide)) <= STATE_BYTES, "shared memory has room for the totals");
static_assert(DEPTH < RUN || DEPTH % RUN == 0, "runs begin at the same place of every batch");

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

#if defined(PICK_VALUE_ADD_POWERS)
#include "column_powers.cuh"
#else
#include "column_steps_ordered.cuh"
#endif

DEVICE struct trail columns_first(const struct scan_parameters *given, int64_t cell, struct column *columns,
                                  struct strays *strays)
{
    struct trail trail = {0, 0};
    (void)strays;
    for (int k = 0; k < PACKS; k++) columns[k] = column_first(first_left(given, cell + k));
    return trail;
}

/* Ends the run that is complete, if one is. */
DEVICE void end_runs(struct column *columns, struct trail *trail)
{
    if (trail->rows != RUN) return;
#pragma unroll
    for (int k = 0; k < PACKS; k++) end_run(&columns[k], trail->run, k);
    trail->run = trail->run + 1 & (BLOCK_RUNS - 1);
    trail->rows = 0;
}

/* Absent rows are there, but their results are left out. */
DEVICE void step_rows(struct column *columns, struct strays *strays, struct trail *trail, const struct side *v,
                      int32_t count, char *out, int64_t pitch)
{
    (void)strays;
#pragma unroll
    for (int d = 0; d < DEPTH; d++, out += pitch) {
        struct results results;
        if (d % RUN == 0) end_runs(columns, trail);
#pragma unroll
        for (int k = 0; k < PACKS; k++)
            column_step(&columns[k], side_element(&v[d], k), d % RUN == 0 && trail->rows == 0,
                        results.bytes + k * RESULT_SIZE);
        if (d < count) store_results(out, &results);
        trail->rows++;
    }
}

#if SPLITS
static_assert(RUN % DEPTH == 0 || DEPTH % RUN == 0, "a block has whole batches");

/* The same without results; a block has all its rows. */
DEVICE void total_rows(struct column *columns, struct trail *trail, const struct side *v)
{
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
        if (d % RUN == 0) end_runs(columns, trail);
#pragma unroll
        for (int k = 0; k < PACKS; k++)
            column_enter(&columns[k], side_element(&v[d], k), d % RUN == 0 && trail->rows == 0);
        trail->rows++;
    }
}

DEVICE struct left *totals_of(const struct scan_parameters *given, int64_t split, int64_t cell)
{
    return (struct left *)given->totals + split * given->reduce.cells + cell;
}

/* What stands left of a block, or of a group, which the chain has left. */
DEVICE void columns_go_on(const struct scan_parameters *given, int64_t split, int64_t cell, struct column *columns)
{
#pragma unroll
    for (int k = 0; k < PACKS; k++) column_go_on(&columns[k], totals_of(given, split, cell)[k]);
}

DEVICE void columns_none(struct column *columns)
{
#pragma unroll
    for (int k = 0; k < PACKS; k++) column_go_on(&columns[k], no_left());
}

/* The totals of a block, or of a group, whose last run is complete. */
DEVICE void columns_leave(const struct scan_parameters *given, int64_t split, int64_t cell, struct column *columns,
                          struct trail *trail)
{
    end_runs(columns, trail);
#pragma unroll
    for (int k = 0; k < PACKS; k++) totals_of(given, split, cell)[k] = column_carry(&columns[k]);
}
#endif
