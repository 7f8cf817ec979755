/* SPDX-License-Identifier: MIT
 *
 * column_ordered.cuh - columns of folds whose order shows in the bits, for threads that walk (scan_columns.cu): the
 * runs of 16, groups of 32 runs and blocks of 8 groups of docs/semantics.md, one element after the other. What stands
 * left of a run in its group is the work of a Kogge-Stone scan, of which a thread needs, at distance d, what the last d
 * runs had: LEVELS distances, 2^LEVELS - 1 totals in shared memory. No include guard. */
#include "ordered_left.cuh"

enum { RUN = 16, GROUP_RUNS = 32, BLOCK_RUNS = 256, SLOTS = (1 << LEVELS) - 1 };

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
