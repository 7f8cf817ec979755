/* SPDX-License-Identifier: MIT
 *
 * scan.c - the rungs of the scan ladder. */
#include "scan.h"
#include "launch.h"
#include "library.h"

static int64_t elements_of(const struct ladder_problem *problem)
{
    return problem->rows * problem->columns;
}

/* --- naive: one thread for each element ---------------------------------------------------------------------- */

static const char *refuses_naive(const struct ladder_problem *problem)
{
    return elements_of(problem) > SCAN_NAIVE_MOST ? "one block has at most 1024 threads, one for each element" : NULL;
}

static tally_status run_naive(const struct ladder_run *run)
{
    return LAUNCH(run->kernel[0], 1, (int)elements_of(run->problem), tally_pass_memory(run->input),
                  tally_pass_memory(run->output), tally_pass_i32(run->problem->exclusive));
}

/* --- work-efficient: one launch for each level --------------------------------------------------------------- */

enum { COPY, SWEEP_UP, SWEEP_DOWN };

/* The tree, and the total behind it. */
static size_t scratch_sweeps(const struct ladder_problem *problem)
{
    return ((size_t)elements_of(problem) + 1) * ladder_element_bytes(problem->type);
}

static tally_status copy(const struct ladder_run *run, const void *from, void *to)
{
    const int64_t n = elements_of(run->problem);
    return LAUNCH(run->kernel[COPY], divide_up(n, run->threads), run->threads, tally_pass_memory(from),
                  tally_pass_memory(to), tally_pass_i64(n));
}

static tally_status sweep_up(const struct ladder_run *run, int64_t reach, int32_t last)
{
    const int64_t n = elements_of(run->problem);
    return LAUNCH(run->kernel[SWEEP_UP], divide_up(n, 2 * reach * run->threads), run->threads,
                  tally_pass_memory(run->scratch), tally_pass_i64(n), tally_pass_i64(reach), tally_pass_i32(last));
}

static tally_status sweep_down(const struct ladder_run *run, int64_t reach)
{
    const int64_t n = elements_of(run->problem);
    return LAUNCH(run->kernel[SWEEP_DOWN], divide_up(n, 2 * reach * run->threads), run->threads,
                  tally_pass_memory(run->scratch), tally_pass_i64(n), tally_pass_i64(reach));
}

static tally_status run_sweeps(const struct ladder_run *run)
{
    const int64_t n = elements_of(run->problem);
    const size_t shift = run->problem->exclusive ? 0 : ladder_element_bytes(run->problem->type);
    int64_t reach = 1;
    tally_status status = copy(run, run->input, run->scratch);
    while (status == TALLY_OK && 2 * reach < n) {
        status = sweep_up(run, reach, 0);
        reach *= 2;
    }
    if (status == TALLY_OK) status = sweep_up(run, reach, 1);
    for (; status == TALLY_OK && n > 1 && reach > 0; reach /= 2) status = sweep_down(run, reach);
    if (status != TALLY_OK) return status;
    return copy(run, (const char *)run->scratch + shift, run->output);
}

/* --- work-efficient-block: tiles, their totals, tiles of totals, ... ----------------------------------------- */

enum { SCAN_TILES, SCAN_ADD };

/* Of each level the totals of its tiles, which are the elements of the next. */
static size_t scratch_blocks(const struct ladder_problem *problem)
{
    int64_t tiles = elements_of(problem), totals = 0;
    do totals += tiles = divide_up(tiles, SCAN_TILE);
    while (tiles > 1);
    return (size_t)totals * ladder_element_bytes(problem->type);
}

static tally_status scan_tiles(const struct ladder_run *run, const void *input, void *output, void *totals, int64_t n,
                               int32_t exclusive)
{
    return LAUNCH(run->kernel[SCAN_TILES], divide_up(n, SCAN_TILE), run->threads, tally_pass_memory(input),
                  tally_pass_memory(output), tally_pass_memory(totals), tally_pass_i64(n), tally_pass_i32(exclusive));
}

static tally_status add_before(const struct ladder_run *run, const void *before, void *output, int64_t n)
{
    return LAUNCH(run->kernel[SCAN_ADD], divide_up(n, SCAN_TILE) - 1, run->threads, tally_pass_memory(before),
                  tally_pass_memory(output), tally_pass_i64(n));
}

static tally_status run_blocks(const struct ladder_run *run)
{
    const size_t bytes = ladder_element_bytes(run->problem->type);
    char *elements[SCAN_MOST_LEVELS + 1] = {run->output, run->scratch};
    int64_t n[SCAN_MOST_LEVELS + 1] = {elements_of(run->problem)};
    int level = 0;
    tally_status status = scan_tiles(run, run->input, run->output, run->scratch, n[0], run->problem->exclusive);
    for (; status == TALLY_OK && n[level] > SCAN_TILE; level++) {
        n[level + 1] = divide_up(n[level], SCAN_TILE);
        elements[level + 2] = elements[level + 1] + (size_t)n[level + 1] * bytes;
        status = scan_tiles(run, elements[level + 1], elements[level + 1], elements[level + 2], n[level + 1], 1);
    }
    while (status == TALLY_OK && level-- > 0) {
        status = add_before(run, elements[level + 1], elements[level], n[level]);
    }
    return status;
}

/* --- look-back: one pass --------------------------------------------------------------------------------------- */

enum { LOOK_BACK_CLEAR, SCAN_LOOK_BACK };

/* Bytes of the ticket and the flags, and of anything that comes before elements. */
static size_t flag_bytes(int64_t tiles)
{
    return ((size_t)(tiles + 1) * sizeof(int32_t) + 63) / 64 * 64;
}

static size_t scratch_look_back(const struct ladder_problem *problem)
{
    const int64_t tiles = divide_up(elements_of(problem), SCAN_LOOK_BACK_TILE);
    return flag_bytes(tiles) + 2 * (size_t)tiles * ladder_element_bytes(problem->type);
}

static tally_status run_look_back(const struct ladder_run *run)
{
    const int64_t n = elements_of(run->problem), tiles = divide_up(n, SCAN_LOOK_BACK_TILE);
    char *values = (char *)run->scratch + flag_bytes(tiles);
    tally_status status = LAUNCH(run->kernel[LOOK_BACK_CLEAR], divide_up(tiles + 1, run->threads), run->threads,
                                 tally_pass_memory(run->scratch), tally_pass_i64(tiles + 1));
    if (status != TALLY_OK) return status;
    return LAUNCH(run->kernel[SCAN_LOOK_BACK], tiles, run->threads, tally_pass_memory(run->input),
                  tally_pass_memory(run->output), tally_pass_memory(run->scratch), tally_pass_memory(values),
                  tally_pass_i64(n), tally_pass_i32(run->problem->exclusive));
}

/* --- library --------------------------------------------------------------------------------------------------- */

static tally_status run_library(const struct ladder_run *run)
{
    const tally_type type = library_type(run->problem->type);
    const tally_array input = tally_vector(run->input, type, elements_of(run->problem));
    const tally_array output = tally_vector(run->output, type, elements_of(run->problem));
    tally_options options = TALLY_OPTIONS_INIT;
    options.type = type;
    options.flags = run->problem->exclusive ? TALLY_EXCLUSIVE : 0;
    return tally_scan(run->context, library_op(run->problem->op), &input, &output, &options);
}

/* --- tables ---------------------------------------------------------------------------------------------------- */

static const struct ladder_rung rungs[] = {
    {.name = "naive",
     .file = "scan_naive.cu",
     .kernels = {"scan_naive"},
     .idea = "At step j every element takes in the one 2^j before it (Hillis and Steele), in one block.",
     .removes = "n - 1 steps, one after the other: here they are log2 n",
     .next = "n log2 n - n + 1 applications, and only as many elements as a block has threads",
     .refuses = refuses_naive,
     .run = run_naive,
     .predict = scan_predict_naive},
    {.name = "work-efficient",
     .file = "scan_sweeps.cu",
     .kernels = {"scan_copy", "scan_sweep_up", "scan_sweep_down"},
     .main_kernel = 1,
     .idea =
         "A tree of totals: up to build it, down to hand out what is left of each part (Blelloch); a launch a level.",
     .removes = "work that grows with n log n, and one block: 2 (n - 1) applications for any n",
     .next = "2 log2 n launches, each through memory, most of them with few threads and far strides",
     .scratch = scratch_sweeps,
     .run = run_sweeps,
     .predict = scan_predict_sweeps},
    {.name = "work-efficient-block",
     .file = "scan_blocks.cu",
     .kernels = {"scan_tiles", "scan_add"},
     .idea = "Both sweeps inside of blocks, in shared memory; the blocks' totals are scanned in turn and added back.",
     .removes = "a launch and a trip to memory for each level of the tree",
     .next = "everything is read and written twice; strides of powers of two meet in the same banks",
     .scratch = scratch_blocks,
     .run = run_blocks,
     .predict = scan_predict_blocks},
    {.name = "look-back",
     .file = "scan_look_back.cu",
     .kernels = {"look_back_clear", "scan_look_back"},
     .main_kernel = 1,
     .idea =
         "Blocks publish their totals and look back at those before them while the scan runs (Merrill and Garland).",
     .removes = "the second reading and writing: each element is read once and written once",
     .next = "elements are loaded one at a time, and each tile waits for answers from memory",
     .scratch = scratch_look_back,
     .run = run_look_back,
     .predict = scan_predict_look_back},
    {.name = "library",
     .idea = "tally_scan: one pass with wide loads, float sums exact and rounded once.",
     .removes = "narrow loads, and float results that depend on the order of the additions",
     .next = "the arithmetic of exact sums; for other operators the memory's own speed",
     .refuses = library_refuses,
     .run = run_library},
};

static const struct ladder_mistake mistakes[] = {
    {.name = "exactly-1024",
     .rung = "naive",
     .right = "element result = room[from][i];\n    if (exclusive) result = i > 0 ? room[from][i - 1]",
     .wrong = "element result = room[0][i];\n    if (exclusive) result = i > 0 ? room[0][i - 1]",
     .what = "takes the result from the room that the ten steps of 1024 elements end in; lengths with an odd number of "
             "steps get the results of the step before"},
    {.name = "no-barrier",
     .rung = "naive",
     .right = "        from = !from;\n        __syncthreads();\n",
     .wrong = "        from = !from;\n",
     .what = "has no barrier between steps; a thread reads what its neighbours have not written yet"},
    {.name = "one-room",
     .rung = "naive",
     .right = "room[!from][i] = e;\n        from = !from;",
     .wrong = "room[from][i] = e;",
     .what = "overwrites elements that other threads of the same step have still to read, and they take in too much"},
    {.name = "powers-of-two",
     .rung = "work-efficient",
     .right = "    if (left < n - 1) {\n        const long long right = min(left + reach, n - 1);\n"
              "        tree[right] = combine(tree[left], tree[right]);",
     .wrong = "    const long long right = left + reach;\n    if (right < n) {\n"
              "        tree[right] = combine(tree[left], tree[right]);",
     .what =
         "leaves out subtrees that the end of the array cuts short: other lengths than powers of two lose elements"},
    {.name = "forgotten-total",
     .rung = "work-efficient-block",
     .right = "tree[size] = totals[blockIdx.x] = tree[size - 1];\n        tree[size - 1] = identity();",
     .wrong = "tree[size - 1] = identity();\n        tree[size] = totals[blockIdx.x] = tree[size - 1];",
     .what = "clears the last element before it has written down the tile's total: what follows a tile starts again"},
    {.name = "no-ticket",
     .rung = "look-back",
     .right = "const int tile = ticket;",
     .wrong = "const int tile = blockIdx.x;",
     .what = "takes blocks to start in the order of their numbers: with all places taken by blocks that wait for one "
             "which has not started, nothing goes on"},
    {.name = "flag-first",
     .rung = "look-back",
     .right = "    b.values[2 * (long long)tile + (flag == PREFIX)] = e;\n    __threadfence();\n"
              "    atomicExch(&b.flags[tile], flag);\n",
     .wrong = "    atomicExch(&b.flags[tile], flag);\n    __nanosleep(1000); /* to be seen more often */\n"
              "    b.values[2 * (long long)tile + (flag == PREFIX)] = e;\n",
     .what = "raises the flag before the value is there: who looks in between takes what the memory held before"},
    {.name = "dropped-prefix",
     .rung = "look-back",
     .right = "lane <= nearest",
     .wrong = "lane < nearest",
     .what = "stops in front of the tile whose prefix is known: everything up to that tile is missing"},
};

const struct ladder ladder_scan = {.name = "scan",
                                   .shape = LADDER_ALL,
                                   .rungs = rungs,
                                   .rung_count = sizeof rungs / sizeof rungs[0],
                                   .mistakes = mistakes,
                                   .mistake_count = sizeof mistakes / sizeof mistakes[0]};
