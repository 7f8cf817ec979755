/* SPDX-License-Identifier: MIT
 *
 * sweep.c - see sweep.h. */
#include "sweep.h"

#include "data.h"
#include "timing.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define WARM 2 /* runs that are not counted */
#define MOST_RUNS 19
#define COLD_BYTES ((size_t)256 << 20) /* more than any cache */
#define ALIGNMENT 256

struct buffers {
    size_t bytes, result_bytes, cold_bytes;
    size_t
        next; /* where cold windows go on: all series share the ring, so a byte is read again only after all others */
    void *host, *want, *got; /* host memory */
    char *input;             /* on the device */
    void *output;
};

static void close_buffers(const struct ladder_climb *climb, struct buffers *b)
{
    free(b->host), free(b->want), free(b->got);
    tally_free(climb->context, b->input, b->bytes);
    tally_free(climb->context, b->output, b->result_bytes);
}

/* For the longest problem; the device's input is filled over and over with the data of that one. */
static tally_status open_buffers(const struct ladder_climb *climb, const struct ladder_problem *longest,
                                 struct buffers *b)
{
    const size_t size = ladder_element_bytes(longest->type);
    const size_t filled = (size_t)longest->columns * size, host = filled + LADDER_POISON * size;
    void *input = NULL;
    b->result_bytes = (size_t)ladder_result_count(longest, climb->ladder->shape) * size;
    b->cold_bytes = climb->simulated ? 4 * filled : COLD_BYTES > filled ? COLD_BYTES / filled * filled : filled;
    b->bytes = b->cold_bytes + LADDER_POISON * size;
    b->host = malloc(host), b->want = malloc(b->result_bytes), b->got = malloc(b->result_bytes);
    tally_status status = b->host && b->want && b->got ? TALLY_OK : TALLY_OUT_OF_MEMORY;
    if (status == TALLY_OK) status = tally_alloc(climb->context, b->bytes, &input);
    b->input = input;
    if (status == TALLY_OK) status = tally_alloc(climb->context, b->result_bytes, &b->output);
    if (status == TALLY_OK) ladder_fill(longest, 3, b->host);
    for (size_t at = 0; status == TALLY_OK && at < b->cold_bytes; at += filled)
        status = tally_copy(climb->context, b->input + at, b->host, filled);
    return status;
}

static tally_status is_right(const struct ladder_climb *climb, struct ladder_kernels *kernels,
                             const struct ladder_problem *problem, const struct buffers *b, bool *right)
{
    const size_t bytes =
        (size_t)ladder_result_count(problem, climb->ladder->shape) * ladder_element_bytes(problem->type);
    tally_status status = ladder_run_once(kernels, problem, b->input, b->output);
    if (status == TALLY_OK) status = tally_copy(climb->context, b->got, b->output, bytes);
    *right = status == TALLY_OK && memcmp(b->got, b->want, bytes) == 0;
    return status;
}

/* The input of the next run: the first window, or the next one of the ring. */
static const char *next_window(struct buffers *b, size_t bytes, bool cold)
{
    if (!cold) return b->input;
    if (b->next + bytes > b->cold_bytes) b->next = 0;
    const char *window = b->input + b->next;
    b->next += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return window;
}

/* The median of some runs, in microseconds. */
static tally_status time_windows(const struct ladder_climb *climb, struct ladder_kernels *kernels,
                                 const struct ladder_problem *problem, struct buffers *b, bool cold, double *median)
{
    const size_t bytes = (size_t)problem->columns * ladder_element_bytes(problem->type);
    const int runs = bytes > COLD_BYTES ? WARM + 5 : MOST_RUNS;
    double times[MOST_RUNS];
    tally_status status = tally_mark(climb->context, 0);
    for (int i = 0; status == TALLY_OK && i < runs; i++) {
        status = ladder_run_once(kernels, problem, next_window(b, bytes, cold), b->output);
        if (status == TALLY_OK) status = tally_mark(climb->context, i + 1);
    }
    if (status == TALLY_OK) status = ladder_read_marks(climb->context, runs, WARM, times);
    if (status != TALLY_OK) return status;
    *median = times[WARM + (runs - WARM) / 2];
    return TALLY_OK;
}

static tally_status time_length(const struct ladder_climb *climb, struct ladder_kernels *kernels,
                                const struct ladder_problem *problem, struct buffers *b, double *warm, double *cold)
{
    bool right = false;
    tally_status status = is_right(climb, kernels, problem, b, &right);
    if (status != TALLY_OK || !right) return status;
    status = time_windows(climb, kernels, problem, b, false, warm);
    return status == TALLY_OK ? time_windows(climb, kernels, problem, b, true, cold) : status;
}

/* All rungs at one length. */
static tally_status sweep_length(struct ladder_climb *climb, int at, struct ladder_kernels *kernels, struct buffers *b,
                                 struct ladder_sweep *sweep)
{
    struct ladder_problem problem = climb->problem;
    problem.columns = sweep->lengths[at];
    ladder_answer(&problem, climb->ladder->shape, b->host, b->want);
    for (int i = 0; i < climb->result_count; i++) {
        const struct ladder_rung *rung = climb->results[i].rung;
        if (!kernels[i].rung || ladder_refusal(rung, &problem)) continue;
        const tally_status status =
            time_length(climb, &kernels[i], &problem, b, &sweep->warm[i][at], &sweep->cold[i][at]);
        if (status != TALLY_OK) return status;
    }
    return TALLY_OK;
}

static void choose_lengths(const struct ladder_climb *climb, int64_t longest, struct ladder_sweep *sweep)
{
    const int64_t room = climb->device.memory_bytes / 8 / (int64_t)ladder_element_bytes(climb->problem.type);
    if (room > 0 && longest > room) longest = room;
    for (int64_t n = 1024; n <= longest && sweep->length_count < LADDER_LENGTHS; n *= 4)
        sweep->lengths[sweep->length_count++] = n;
}

tally_status ladder_sweep_lengths(struct ladder_climb *climb, int64_t longest, struct ladder_sweep *sweep)
{
    struct ladder_kernels kernels[LADDER_MOST_RUNGS] = {{.context = NULL}};
    struct ladder_problem largest = climb->problem;
    struct buffers buffers = {.bytes = 0};
    memset(sweep, 0, sizeof *sweep);
    choose_lengths(climb, longest, sweep);
    if (sweep->length_count == 0) return TALLY_OK;
    largest.columns = sweep->lengths[sweep->length_count - 1];
    tally_status status = open_buffers(climb, &largest, &buffers);
    for (int i = 0; status == TALLY_OK && i < climb->result_count; i++) {
        const struct ladder_result *result = &climb->results[i];
        struct ladder_problem small = climb->problem;
        small.columns = 1;
        if (result->left_out || result->wrong) continue;
        status = ladder_open_rung(climb->context, result->rung, &small, NULL, false, &kernels[i]);
    }
    for (int at = 0; status == TALLY_OK && at < sweep->length_count; at++)
        status = sweep_length(climb, at, kernels, &buffers, sweep);
    for (int i = 0; i < climb->result_count; i++) {
        if (kernels[i].context) ladder_close_rung(&kernels[i]);
    }
    close_buffers(climb, &buffers);
    return status;
}
