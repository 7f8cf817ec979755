/* SPDX-License-Identifier: MIT
 *
 * reduce_run.c - the launches of the reductions: passes until one value is left. */
#include "launch.h"
#include "library.h"
#include "reduce.h"

/* A pass leaves one result of per_result elements. */
struct pass {
    int64_t per_result, per_block;
    int32_t fan_in; /* the kernel's last argument; 0: it has none */
};

#define HALF_ALIGNMENT 256

static size_t half_bytes(const struct ladder_problem *problem, int64_t results)
{
    const size_t bytes = (size_t)results * ladder_element_bytes(problem->type);
    return (bytes + HALF_ALIGNMENT - 1) / HALF_ALIGNMENT * HALF_ALIGNMENT;
}

/* The results of the first pass, and beside them those of the second; the third may overwrite the first. */
static size_t scratch(const struct ladder_problem *problem, int64_t per_result)
{
    const int64_t results = divide_up(problem->rows * problem->columns, per_result);
    return half_bytes(problem, results) + half_bytes(problem, divide_up(results, per_result));
}

size_t reduce_scratch_2(const struct ladder_problem *problem)
{
    return scratch(problem, 2);
}

size_t reduce_scratch_64(const struct ladder_problem *problem)
{
    return scratch(problem, 64);
}

static tally_status run_passes(const struct ladder_run *run, struct pass pass)
{
    int64_t n = run->problem->rows * run->problem->columns;
    char *const first_half = run->scratch;
    char *const halves[2] = {first_half, first_half + half_bytes(run->problem, divide_up(n, pass.per_result))};
    const void *from = run->input;
    tally_status status = TALLY_OK;
    for (int half = 0, done = 0; status == TALLY_OK && !done; half ^= 1) {
        const int64_t results = divide_up(n, pass.per_result);
        void *to = results == 1 ? run->output : halves[half];
        const tally_argument arguments[] = {tally_pass_memory(from), tally_pass_memory(to), tally_pass_i64(n),
                                            tally_pass_i32(pass.fan_in)};
        status = launch(run->kernel[0], divide_up(n, pass.per_block), REDUCE_THREADS, arguments, pass.fan_in ? 4 : 3);
        done = results == 1;
        from = to;
        n = results;
    }
    return status;
}

tally_status reduce_run_one(const struct ladder_run *run)
{
    return run_passes(run, (struct pass){REDUCE_THREADS, REDUCE_THREADS, 0});
}

tally_status reduce_run_two(const struct ladder_run *run)
{
    return run_passes(run, (struct pass){2 * REDUCE_THREADS, 2 * REDUCE_THREADS, 0});
}

tally_status reduce_run_tiles(const struct ladder_run *run)
{
    return run_passes(run, (struct pass){2 * REDUCE_TILE, 2 * REDUCE_THREADS, 0});
}

tally_status reduce_run_atomic(const struct ladder_run *run)
{
    const int64_t n = run->problem->rows * run->problem->columns, blocks = divide_up(n, REDUCE_THREADS);
    const tally_argument result = tally_pass_memory(run->output);
    tally_status status = LAUNCH(run->kernel[0], 1, 1, result);
    if (status != TALLY_OK) return status;
    return LAUNCH(run->kernel[1], blocks < REDUCE_MOST_BLOCKS ? blocks : REDUCE_MOST_BLOCKS, REDUCE_THREADS,
                  tally_pass_memory(run->input), result, tally_pass_i64(n));
}

static tally_status run_pyramid(const struct ladder_run *run, int64_t fan_in)
{
    return run_passes(run, (struct pass){fan_in, fan_in * REDUCE_THREADS, (int32_t)fan_in});
}

tally_status reduce_run_fan_in(const struct ladder_run *run)
{
    return run_pyramid(run, reduce_fan_in(run->problem));
}

tally_status reduce_run_fan_in_2(const struct ladder_run *run)
{
    return run_pyramid(run, 2);
}

tally_status reduce_run_fan_in_4(const struct ladder_run *run)
{
    return run_pyramid(run, 4);
}

tally_status reduce_run_fan_in_8(const struct ladder_run *run)
{
    return run_pyramid(run, 8);
}

tally_status reduce_run_fan_in_16(const struct ladder_run *run)
{
    return run_pyramid(run, 16);
}

tally_status reduce_run_special_2(const struct ladder_run *run)
{
    return run_passes(run, (struct pass){2, 2 * REDUCE_THREADS, 0});
}

tally_status reduce_run_special_4(const struct ladder_run *run)
{
    return run_passes(run, (struct pass){4, 4 * REDUCE_THREADS, 0});
}

tally_status reduce_run_library(const struct ladder_run *run)
{
    const struct ladder_problem *problem = run->problem;
    const tally_type type = library_type(problem->type);
    const tally_array input = tally_vector(run->input, type, problem->rows * problem->columns);
    const tally_array output = tally_shaped(run->output, type, 0, NULL);
    tally_options options = TALLY_OPTIONS_INIT;
    options.type = type; /* sums and products of i32 would be i64 */
    return tally_reduce(run->context, library_op(problem->op), &input, &output, &options);
}
