/* SPDX-License-Identifier: MIT
 *
 * columns.c - the rungs of the ladder of column results. */
#include "access.h"
#include "launch.h"
#include "library.h"

/* Of columns_atomic.cu: six warps, so that the tree meets an odd number of them. */
enum { ATOMIC_THREADS = 192, ATOMIC_WARPS = ATOMIC_THREADS / 32 };

/* --- running --------------------------------------------------------------------------------------------------- */

static tally_status run_thread(const struct ladder_run *run)
{
    return LAUNCH(run->kernel[0], divide_up(run->problem->columns, run->threads), run->threads,
                  tally_pass_memory(run->input), tally_pass_memory(run->output), tally_pass_i64(run->problem->rows),
                  tally_pass_i64(run->problem->columns));
}

/* A block's stretch is as many rows as it has threads: 32 for each warp. */
static size_t scratch_atomic(const struct ladder_problem *problem)
{
    return (size_t)divide_up(problem->rows, 32) * (size_t)problem->columns * ladder_element_bytes(problem->type);
}

static tally_status run_atomic(const struct ladder_run *run)
{
    const int64_t rows = run->problem->rows, columns = run->problem->columns, across = divide_up(columns, 32);
    const int64_t stretches = divide_up(rows, run->threads);
    tally_status status = LAUNCH(run->kernel[0], across * stretches, run->threads, tally_pass_memory(run->input),
                                 tally_pass_memory(run->scratch), tally_pass_memory(run->output), tally_pass_i64(rows),
                                 tally_pass_i64(columns));
    if (status != TALLY_OK) return status;
    return LAUNCH(run->kernel[1], across * divide_up(stretches, run->threads), run->threads,
                  tally_pass_memory(run->scratch), tally_pass_memory(run->output), tally_pass_i64(stretches),
                  tally_pass_i64(columns));
}

static tally_status run_library(const struct ladder_run *run)
{
    static const int32_t axis = 0;
    const struct ladder_problem *problem = run->problem;
    const tally_type type = library_type(problem->type);
    const tally_array input = tally_matrix(run->input, type, problem->rows, problem->columns);
    const tally_array output = tally_vector(run->output, type, problem->columns);
    tally_options options = TALLY_OPTIONS_INIT;
    options.type = type;
    options.axes = &axis;
    options.axis_count = 1;
    return tally_reduce(run->context, library_op(problem->op), &input, &output, &options);
}

/* --- closed forms ---------------------------------------------------------------------------------------------- */

static void predict_thread(const struct ladder_problem *problem, struct ladder_counts *counts)
{
    const uint64_t rows = (uint64_t)problem->rows, columns = (uint64_t)problem->columns;
    const uint64_t bytes = ladder_element_bytes(problem->type);
    *counts = (struct ladder_counts){.launches = 1,
                                     .divergent_branches = access_divides(columns),
                                     .transactions = access_rows(rows, columns, bytes) + access_grid(0, bytes, columns),
                                     .work = columns * (rows - 1),
                                     .span = rows - 1};
}

/* Applications in one column of a block with n rows: each warp's own, then the tree's, where one side has rows. */
static uint64_t stretch_work(uint64_t n)
{
    uint64_t work = n, with_rows = n < ATOMIC_WARPS ? n : ATOMIC_WARPS;
    for (uint64_t live = ATOMIC_WARPS, half; live > 1; live = half) {
        half = (live + 1) / 2;
        work += with_rows < live / 2 ? with_rows : live / 2;
        with_rows = with_rows < half ? with_rows : half;
    }
    return work;
}

/* In all stretches of a column. */
static uint64_t column_work(uint64_t rows)
{
    return rows / ATOMIC_THREADS * stretch_work(ATOMIC_THREADS) + stretch_work(rows % ATOMIC_THREADS);
}

/* The first warp's rows, then the levels of the tree. */
static uint64_t stretch_span(uint64_t rows)
{
    const uint64_t n = rows < ATOMIC_THREADS ? rows : ATOMIC_THREADS;
    return (n + ATOMIC_WARPS - 1) / ATOMIC_WARPS + (uint64_t)ceil_log2(ATOMIC_WARPS);
}

/* Atomic updates make branches and transactions a matter of timing; and so is the longest chain where a column has
 * several: the last stretch is short, and its update need not be the last. */
static void predict_atomic(const struct ladder_problem *problem, struct ladder_counts *counts)
{
    const uint64_t rows = (uint64_t)problem->rows, columns = (uint64_t)problem->columns;
    const uint64_t across = (columns + 31) / 32;
    const uint64_t stretches = (rows + ATOMIC_THREADS - 1) / ATOMIC_THREADS;
    const uint64_t updates = (stretches + ATOMIC_THREADS - 1) / ATOMIC_THREADS;
    const uint64_t barriers = 1 + (uint64_t)ceil_log2(ATOMIC_WARPS);
    *counts = (struct ladder_counts){.launches = 2,
                                     .barriers = barriers * across * (stretches + updates),
                                     .work = columns * (column_work(rows) + column_work(stretches) + updates),
                                     .timing = true};
    if (updates == 1) counts->span = stretch_span(rows) + stretch_span(stretches) + updates;
}

/* --- tables ---------------------------------------------------------------------------------------------------- */

static const struct ladder_rung rungs[] = {
    {.name = "thread-per-column",
     .file = "columns_thread.cu",
     .kernels = {"columns_thread"},
     .idea = "Every thread walks down a column of its own; neighbours read neighbours.",
     .removes = "one column after the other",
     .next = "as many threads as columns: a narrow matrix is read by a few warps",
     .run = run_thread,
     .predict = predict_thread},
    {.name = "atomic-columns",
     .file = "columns_atomic.cu",
     .kernels = {"columns_partial", "columns_finish"},
     .idea = "Blocks of 32 columns and a stretch of rows, a tree over their warps, and atomic updates of the columns.",
     .removes = "one thread for a column, however long",
     .next = "less than 32 columns leave lanes idle; the order of float updates is not fixed",
     .threads = ATOMIC_THREADS,
     .scratch = scratch_atomic,
     .run = run_atomic,
     .predict = predict_atomic},
    {.name = "library",
     .idea = "tally_reduce along axis 0: threads shared out by the matrix's shape, float sums exact in any order.",
     .removes = "idle lanes of narrow matrices, and results that depend on timing",
     .next = "the arithmetic of exact sums; for other operators the memory's own speed",
     .refuses = library_refuses,
     .run = run_library},
};

static const struct ladder_mistake mistakes[] = {
    {.name = "tree-of-powers-of-two",
     .rung = "atomic-columns",
     .right = "half = (live + 1) / 2;",
     .wrong = "half = live / 2;",
     .what = "rounds halves down: of an odd number of warps one is lost, with all that it found"},
    {.name = "output-not-cleared",
     .rung = "atomic-columns",
     .right = "if (s.stretch == 0) output[s.column] = identity();",
     .wrong = "",
     .what = "finishes columns with atomic updates of what the memory held before"},
    {.name = "first-row-twice",
     .rung = "thread-per-column",
     .right = "long long r = 1;",
     .wrong = "long long r = 0;",
     .what = "begins with a column's first element and then walks over it again"},
};

const struct ladder ladder_columns = {.name = "columns",
                                      .shape = LADDER_PER_COLUMN,
                                      .rungs = rungs,
                                      .rung_count = sizeof rungs / sizeof rungs[0],
                                      .mistakes = mistakes,
                                      .mistake_count = sizeof mistakes / sizeof mistakes[0]};
