/* SPDX-License-Identifier: MIT
 *
 * timing.c - how long a rung takes, and what the device can do at most. */
#define _POSIX_C_SOURCE 200809L
#include "timing.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#define RUNS (TALLY_MARKS - 1)
#define WARM 4 /* runs that are not counted */
#define BLOCK_THREADS 256

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

tally_status ladder_read_marks(tally_context *context, int runs, int warm, double *times)
{
    for (int i = 0; i < runs; i++) {
        const tally_status status = tally_elapsed(context, i, i + 1, &times[i]);
        if (status != TALLY_OK) return status;
        times[i] *= 1e3;
    }
    qsort(times + warm, (size_t)(runs - warm), sizeof times[0], compare_doubles);
    return TALLY_OK;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

/* One call at a time, waited for. */
static tally_status time_calls(const struct ladder_climb *climb, struct ladder_kernels *kernels, const void *input,
                               void *output, double *median)
{
    double times[WARM + 5];
    for (int i = 0; i < WARM + 5; i++) {
        const double begin = now();
        tally_status status = ladder_run_once(kernels, &climb->problem, input, output);
        if (status == TALLY_OK) status = tally_synchronize(climb->context);
        if (status != TALLY_OK) return status;
        times[i] = now() - begin;
    }
    qsort(times + WARM, 5, sizeof times[0], compare_doubles);
    *median = times[WARM + 2];
    return TALLY_OK;
}

/* Runs one behind the other with marks between, so that the device is never idle. */
static tally_status time_jobs(const struct ladder_climb *climb, struct ladder_kernels *kernels, const void *input,
                              void *output, struct ladder_result *result)
{
    double times[RUNS];
    const int runs = result->call > 20000 ? WARM + 5 : RUNS, counted = runs - WARM;
    tally_status status = tally_mark(climb->context, 0);
    for (int i = 0; status == TALLY_OK && i < runs; i++) {
        status = ladder_run_once(kernels, &climb->problem, input, output);
        if (status == TALLY_OK) status = tally_mark(climb->context, i + 1);
    }
    if (status == TALLY_OK) status = ladder_read_marks(climb->context, runs, WARM, times);
    if (status != TALLY_OK) return status;
    result->low = times[WARM + counted / 4];
    result->median = times[WARM + counted / 2];
    result->high = times[WARM + 3 * counted / 4];
    return TALLY_OK;
}

static tally_status read_facts(struct ladder_kernels *kernels, struct ladder_result *result)
{
    const struct ladder_rung *rung = kernels->rung;
    const uint32_t threads = rung->threads > 0 ? (uint32_t)rung->threads : BLOCK_THREADS;
    const tally_grid grid = {{1, 1, 1}, {threads, 1, 1}, 0, 0};
    tally_function_facts facts = {.size = (uint32_t)sizeof facts};
    tally_function *function = kernels->kernel[rung->main_kernel];
    if (!function) return TALLY_OK;
    const tally_status status = tally_function_info(function, &grid, &facts);
    if (status != TALLY_OK) return status;
    result->facts = facts;
    if (facts.threads_at_once > 0) result->occupancy = (double)facts.blocks_at_once * threads / facts.threads_at_once;
    return TALLY_OK;
}

tally_status ladder_time_rung(const struct ladder_climb *climb, struct ladder_kernels *kernels, const void *input,
                              void *output, struct ladder_result *result)
{
    tally_status status = read_facts(kernels, result);
    if (status == TALLY_OK) status = time_calls(climb, kernels, input, output, &result->call);
    if (status == TALLY_OK) status = time_jobs(climb, kernels, input, output, result);
    if (status != TALLY_OK) return status;
    const bool copies = climb->ladder->shape == LADDER_ALL;
    result->has_times = true;
    result->gbps = 1e-3 * ladder_least_bytes(&climb->problem, climb->ladder->shape) / result->median;
    const double limit = copies ? climb->limits.copy : climb->limits.read;
    if (limit > 0) result->percent = 100 * result->gbps / limit;
    return TALLY_OK;
}

/* ---- limits ---- */

static tally_status time_library(tally_context *context, tally_op op, const tally_array *input, void *output,
                                 double *microseconds)
{
    double times[WARM + 9];
    tally_array like;
    tally_status status = tally_result_like(TALLY_REDUCE, op, input, NULL, &like);
    like.data = output;
    if (status == TALLY_OK) status = tally_mark(context, 0);
    for (int i = 0; status == TALLY_OK && i < WARM + 9; i++) {
        status = tally_reduce(context, op, input, &like, NULL);
        if (status == TALLY_OK) status = tally_mark(context, i + 1);
    }
    if (status == TALLY_OK) status = ladder_read_marks(context, WARM + 9, WARM, times);
    if (status != TALLY_OK) return status;
    *microseconds = times[WARM + 4];
    return TALLY_OK;
}

/* Copies wait for their end, so a short one's time is taken off a long one's. */
static tally_status time_copy(tally_context *context, void *to, const void *from, size_t bytes, double *microseconds)
{
    double times[9];
    for (int i = 0; i < 9; i++) {
        tally_status status = tally_mark(context, 0);
        if (status == TALLY_OK) status = tally_copy(context, to, from, bytes);
        if (status == TALLY_OK) status = tally_mark(context, 1);
        if (status == TALLY_OK) status = tally_elapsed(context, 0, 1, &times[i]);
        if (status != TALLY_OK) return status;
    }
    qsort(times, 9, sizeof times[0], compare_doubles);
    *microseconds = 1e3 * times[4];
    return TALLY_OK;
}

static tally_status measure(struct ladder_climb *climb, size_t bytes, void *memory)
{
    static const tally_type types[] = {TALLY_F32, TALLY_I32};
    double time = 0, least = 0;
    char *output = (char *)memory + bytes;
    for (int i = 0; i < 2; i++) {
        const tally_array input = tally_vector(memory, types[i], (int64_t)(bytes / 4));
        const tally_status status = time_library(climb->context, TALLY_MAX, &input, output, &time);
        if (status != TALLY_OK) return status;
        climb->limits.read = fmax(climb->limits.read, 1e-3 * (double)bytes / time);
    }
    tally_status status = time_copy(climb->context, (char *)memory + bytes / 2, memory, bytes / 2, &time);
    if (status == TALLY_OK) status = time_copy(climb->context, output, memory, 64, &least);
    climb->limits.copy = 1e-3 * (double)bytes / (time > least ? time - least : time);
    return status;
}

tally_status ladder_measure_limits(struct ladder_climb *climb)
{
    const size_t bytes = (size_t)1 << 30;
    void *memory = NULL;
    if (climb->simulated || climb->once) return TALLY_OK;
    tally_status status = tally_alloc(climb->context, bytes + 256, &memory);
    if (status == TALLY_OK) status = measure(climb, bytes, memory);
    tally_free(climb->context, memory, bytes + 256);
    return status;
}
