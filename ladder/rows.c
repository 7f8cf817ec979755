/* SPDX-License-Identifier: MIT
 *
 * rows.c - the rungs of the ladder of row results. */
#include "access.h"
#include "launch.h"
#include "library.h"

enum { THREADS = 256, WARPS = THREADS / 32 };

/* --- running --------------------------------------------------------------------------------------------------- */

static tally_status run_rows(const struct ladder_run *run, int64_t blocks)
{
    return LAUNCH(run->kernel[0], blocks, run->threads, tally_pass_memory(run->input), tally_pass_memory(run->output),
                  tally_pass_i64(run->problem->rows), tally_pass_i64(run->problem->columns));
}

static tally_status run_thread(const struct ladder_run *run)
{
    return run_rows(run, divide_up(run->problem->rows, run->threads));
}

static tally_status run_warp(const struct ladder_run *run)
{
    return run_rows(run, divide_up(run->problem->rows, run->threads / 32));
}

static tally_status run_block(const struct ladder_run *run)
{
    return run_rows(run, run->problem->rows);
}

static tally_status run_library(const struct ladder_run *run)
{
    static const int32_t axis = 1;
    const struct ladder_problem *problem = run->problem;
    const tally_type type = library_type(problem->type);
    const tally_array input = tally_matrix(run->input, type, problem->rows, problem->columns);
    const tally_array output = tally_vector(run->output, type, problem->rows);
    tally_options options = TALLY_OPTIONS_INIT;
    options.type = type;
    options.axes = &axis;
    options.axis_count = 1;
    return tally_reduce(run->context, library_op(problem->op), &input, &output, &options);
}

/* --- closed forms ---------------------------------------------------------------------------------------------- */

/* Lanes read elements that are a row apart. */
static void predict_thread(const struct ladder_problem *problem, struct ladder_counts *counts)
{
    const uint64_t rows = (uint64_t)problem->rows, columns = (uint64_t)problem->columns;
    const uint64_t bytes = ladder_element_bytes(problem->type);
    *counts = (struct ladder_counts){.launches = 1,
                                     .divergent_branches = access_divides(rows),
                                     .transactions = access_grid(0, bytes, rows),
                                     .work = rows * (columns - 1),
                                     .span = columns - 1};
    /* Further apart than a sector, all columns cost the same. */
    const uint64_t different = columns * bytes < 32 ? columns : 1;
    for (uint64_t c = 0; c < different; c++) {
        counts->transactions += columns / different * access_grid(c * bytes, columns * bytes, rows);
    }
}

/* A warp's shuffles: at each of 5 distances every lane applies the operator; what comes of lanes without elements does
 * not count. */
static uint64_t shuffle_work(uint64_t lanes)
{
    return 5 * lanes;
}

/* For each row: in the warp that has the row's last elements, lanes stop at different times; and one lane writes. */
static void predict_warp(const struct ladder_problem *problem, struct ladder_counts *counts)
{
    const uint64_t rows = (uint64_t)problem->rows, columns = (uint64_t)problem->columns;
    const uint64_t busy = columns < 32 ? columns : 32, steps = (columns + 31) / 32;
    *counts = (struct ladder_counts){.launches = 1,
                                     .divergent_branches = rows * (access_divides(columns) + 1),
                                     .transactions = access_rows(rows, columns, ladder_element_bytes(problem->type)),
                                     .work = rows * (columns + shuffle_work(busy)),
                                     .span = steps + 5};
    counts->transactions += rows;
}

/* The same with all warps of a block for a row, of which each writes to shared memory; then the first one reads that
 * with as many lanes as there are warps. */
static void predict_block(const struct ladder_problem *problem, struct ladder_counts *counts)
{
    const uint64_t rows = (uint64_t)problem->rows, columns = (uint64_t)problem->columns;
    const uint64_t busy = columns < THREADS ? columns : THREADS, steps = (columns + THREADS - 1) / THREADS;
    *counts = (struct ladder_counts){.launches = 1,
                                     .barriers = 2 * rows,
                                     .divergent_branches = rows * (access_divides(columns) + WARPS + 2),
                                     .transactions = access_rows(rows, columns, ladder_element_bytes(problem->type)),
                                     .work = rows * (columns + shuffle_work(busy) + shuffle_work((busy + 31) / 32)),
                                     .span = steps + 5 + 5};
    counts->transactions += rows;
}

/* --- tables ---------------------------------------------------------------------------------------------------- */

static const struct ladder_rung rungs[] = {
    {.name = "thread-per-row",
     .file = "rows_thread.cu",
     .kernels = {"rows_thread"},
     .idea = "Every thread walks along a row of its own.",
     .removes = "one row after the other",
     .next = "lanes read a row apart: 32 bytes move for each element; few rows keep few threads busy",
     .run = run_thread,
     .predict = predict_thread},
    {.name = "warp-per-row",
     .file = "rows_warp.cu",
     .kernels = {"rows_warp"},
     .idea = "Every warp walks along a row, 32 neighbours at a time, and shuffles combine its lanes.",
     .removes = "lanes that read far apart",
     .next = "a row shorter than a warp leaves lanes idle; few long rows keep few warps busy",
     .run = run_warp,
     .predict = predict_warp},
    {.name = "block-per-row",
     .file = "rows_block.cu",
     .kernels = {"rows_block"},
     .idea =
         "Every block walks along a row, its threads' results combined by shuffles in warps, then in the first warp.",
     .removes = "a long row that one warp alone has to read",
     .next = "a short row leaves most of a block idle; one long row is still read by one block",
     .run = run_block,
     .predict = predict_block},
    {.name = "library",
     .idea = "tally_reduce along axis 1: as many threads for a row as its length asks for, float sums exact.",
     .removes = "one fixed share of threads for rows of any length",
     .next = "the arithmetic of exact sums; for other operators the memory's own speed",
     .refuses = library_refuses,
     .run = run_library},
};

static const struct ladder_mistake mistakes[] = {
    {.name = "first-column-twice",
     .rung = "thread-per-row",
     .right = "long long c = 1;",
     .wrong = "long long c = 0;",
     .what = "begins with a row's first element and then walks over it again"},
    {.name = "no-bounds",
     .rung = "warp-per-row",
     .right = "c < columns; c += 32",
     .wrong = "c - lane < columns; c += 32",
     .what = "takes rows to be multiples of 32: the last lanes read on, into the next row (31 elements at most)"},
    {.name = "row-of-whole-blocks",
     .rung = "block-per-row",
     .right = "for (long long c = threadIdx.x; c < columns; c += THREADS)",
     .wrong = "for (long long c = threadIdx.x; c < columns / THREADS * THREADS; c += THREADS)",
     .what = "takes rows to be whole multiples of the block: the rest of every other row is left out"},
};

const struct ladder ladder_rows = {.name = "rows",
                                   .shape = LADDER_PER_ROW,
                                   .rungs = rungs,
                                   .rung_count = sizeof rungs / sizeof rungs[0],
                                   .mistakes = mistakes,
                                   .mistake_count = sizeof mistakes / sizeof mistakes[0]};
