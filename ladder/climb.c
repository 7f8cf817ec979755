/* SPDX-License-Identifier: MIT
 *
 * climb.c - see climb.h. */
#include "climb.h"

#include "data.h"
#include "timing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_TRACE ((int64_t)1 << 17)

/* Host and device memory of one problem. */
struct buffers {
    size_t bytes, result_bytes, output_bytes; /* the output has room for mistakes */
    void *host, *want, *got;                  /* host memory */
    void *input, *output;                     /* on the device */
};

/* As in element.cuh. */
struct traced {
    uint64_t *work;
    int32_t span, value;
};

tally_status ladder_open(const char *device, struct ladder_climb *climb)
{
    tally_status status = tally_open(device ? device : "cuda", &climb->context);
    if (!device && status == TALLY_NO_DEVICE) status = tally_open("simt", &climb->context);
    if (status != TALLY_OK) return status;
    climb->device.size = (uint32_t)sizeof climb->device;
    status = tally_device_info(climb->context, &climb->device);
    climb->simulated = strcmp(climb->device.name, "simt") == 0;
    if (status != TALLY_OK) tally_close(climb->context);
    return status;
}

tally_status ladder_close(struct ladder_climb *climb)
{
    return tally_close(climb->context);
}

const struct ladder_rung *ladder_find_rung(const struct ladder *ladder, const char *name)
{
    for (int i = 0; i < ladder->rung_count; i++) {
        if (strcmp(ladder->rungs[i].name, name) == 0) return &ladder->rungs[i];
    }
    return NULL;
}

double ladder_least_bytes(const struct ladder_problem *problem, enum ladder_shape shape)
{
    const double size = (double)ladder_element_bytes(problem->type);
    return size * ((double)problem->rows * (double)problem->columns + (double)ladder_result_count(problem, shape));
}

/* ---- memory ---- */

static void close_buffers(const struct ladder_climb *climb, struct buffers *b)
{
    free(b->host), free(b->want), free(b->got);
    tally_free(climb->context, b->input, b->bytes);
    tally_free(climb->context, b->output, b->output_bytes);
}

/* Filled, answered, and on the device. */
static tally_status open_buffers(const struct ladder_climb *climb, uint64_t seed, struct buffers *b)
{
    const struct ladder_problem *problem = &climb->problem;
    const size_t size = ladder_element_bytes(problem->type);
    *b = (struct buffers){.bytes = (size_t)(problem->rows * problem->columns + LADDER_POISON) * size,
                          .result_bytes = (size_t)ladder_result_count(problem, climb->ladder->shape) * size};
    b->output_bytes = b->result_bytes + LADDER_POISON * size;
    b->host = malloc(b->bytes), b->want = malloc(b->result_bytes + 1), b->got = malloc(b->result_bytes + 1);
    tally_status status = b->host && b->want && b->got ? TALLY_OK : TALLY_OUT_OF_MEMORY;
    if (status == TALLY_OK) status = tally_alloc(climb->context, b->bytes, &b->input);
    if (status == TALLY_OK) status = tally_alloc(climb->context, b->output_bytes, &b->output);
    if (status == TALLY_OK) {
        ladder_fill(problem, seed, b->host);
        ladder_answer(problem, climb->ladder->shape, b->host, b->want);
        status = tally_copy(climb->context, b->input, b->host, b->bytes);
    }
    if (status != TALLY_OK) close_buffers(climb, b);
    return status;
}

/* ---- checking ---- */

static double value_at(enum ladder_type type, const void *memory, size_t i)
{
    switch ((int)type) {
    case LADDER_F32: return (double)((const float *)memory)[i];
    case LADDER_F64: return ((const double *)memory)[i];
    case LADDER_I64: return (double)((const int64_t *)memory)[i];
    case LADDER_I32: return ((const int32_t *)memory)[i];
    default: return ((const uint32_t *)memory)[i];
    }
}

static const char *text_of(tally_status status)
{
    const char *text = tally_last_error();
    return *text ? text : tally_status_name(status);
}

static tally_status run_once(const struct ladder_climb *climb, struct ladder_kernels *kernels, struct buffers *b)
{
    memset(b->got, 0xee, b->result_bytes);
    tally_status status = tally_copy(climb->context, b->output, b->got, b->result_bytes);
    if (status == TALLY_OK) status = ladder_run_once(kernels, &climb->problem, b->input, b->output);
    if (status == TALLY_OK) status = tally_synchronize(climb->context);
    if (status == TALLY_OK) status = tally_copy(climb->context, b->got, b->output, b->result_bytes);
    return status;
}

/* Runs once into memory that holds something else. Where it is not right, or fails, `why` says what happened. */
static tally_status run_is_right(const struct ladder_climb *climb, struct ladder_kernels *kernels, struct buffers *b,
                                 bool *right, char why[LADDER_WHY])
{
    const tally_status status = run_once(climb, kernels, b);
    *right = status == TALLY_OK && memcmp(b->got, b->want, b->result_bytes) == 0;
    if (status != TALLY_OK) snprintf(why, LADDER_WHY, "%s", text_of(status));
    if (*right || status != TALLY_OK) return status;
    const size_t size = ladder_element_bytes(climb->problem.type);
    size_t i = 0;
    while (memcmp((char *)b->got + i * size, (char *)b->want + i * size, size) == 0) i++;
    snprintf(why, LADDER_WHY, "result %zu is %.17g, not %.17g", i, value_at(climb->problem.type, b->got, i),
             value_at(climb->problem.type, b->want, i));
    return TALLY_OK;
}

/* ---- counting ---- */

static tally_status count_run(const struct ladder_climb *climb, struct ladder_kernels *kernels, struct buffers *b,
                              struct ladder_counts *counts)
{
    tally_counts got = {.size = (uint32_t)sizeof got};
    tally_status status = tally_launch_counts(climb->context, &got); /* forgets what was before */
    if (status == TALLY_OK) status = ladder_run_once(kernels, &climb->problem, b->input, b->output);
    if (status == TALLY_OK) status = tally_launch_counts(climb->context, &got);
    counts->launches = got.launches;
    counts->barriers = got.barriers;
    counts->divergent_branches = got.divergent_branches;
    counts->bank_conflicts = got.bank_conflicts;
    counts->transactions = got.transactions;
    return status;
}

/* Work and span: the same rung with elements that count. Device memory of simt is the host's to read. */
static tally_status trace_run(const struct ladder_climb *climb, struct ladder_kernels *kernels,
                              const struct ladder_problem *problem, struct ladder_counts *counts)
{
    const int64_t n = problem->rows * problem->columns, results = ladder_result_count(problem, climb->ladder->shape);
    const size_t bytes = (size_t)n * sizeof(struct traced), result_bytes = (size_t)results * sizeof(struct traced);
    struct traced *input = malloc(bytes), *output = malloc(result_bytes);
    void *far_input = NULL, *far_output = NULL, *work = NULL;
    const uint64_t none = 0;
    tally_status status = input && output ? TALLY_OK : TALLY_OUT_OF_MEMORY;
    if (status == TALLY_OK) status = tally_alloc(climb->context, sizeof none, &work);
    if (status == TALLY_OK) status = tally_copy(climb->context, work, &none, sizeof none);
    if (status == TALLY_OK) status = tally_alloc(climb->context, bytes, &far_input);
    if (status == TALLY_OK) status = tally_alloc(climb->context, result_bytes, &far_output);
    for (int64_t i = 0; status == TALLY_OK && i < n; i++) input[i] = (struct traced){work, 0, 1};
    if (status == TALLY_OK) status = tally_copy(climb->context, far_input, input, bytes);
    if (status == TALLY_OK) status = ladder_run_once(kernels, problem, far_input, far_output);
    if (status == TALLY_OK) status = tally_copy(climb->context, output, far_output, result_bytes);
    if (status == TALLY_OK) status = tally_copy(climb->context, &counts->work, work, sizeof none);
    for (int64_t i = 0; status == TALLY_OK && i < results; i++) {
        if (output[i].span > 0 && (uint64_t)output[i].span > counts->span) counts->span = (uint64_t)output[i].span;
    }
    tally_free(climb->context, work, sizeof none);
    tally_free(climb->context, far_input, bytes);
    tally_free(climb->context, far_output, result_bytes);
    free(input), free(output);
    return status;
}

static tally_status count_work(const struct ladder_climb *climb, const struct ladder_rung *rung,
                               struct ladder_counts *counts)
{
    struct ladder_problem problem = climb->problem;
    struct ladder_kernels kernels;
    problem.type = LADDER_TRACE;
    problem.op = LADDER_SUM;
    if (!rung->file || problem.rows * problem.columns > LONGEST_TRACE) return TALLY_OK;
    if (ladder_refusal(rung, &problem)) return TALLY_OK;
    tally_status status = ladder_open_rung(climb->context, rung, &problem, NULL, false, &kernels);
    if (status != TALLY_OK) return status;
    status = trace_run(climb, &kernels, &problem, counts);
    const tally_status closed = ladder_close_rung(&kernels);
    return status == TALLY_OK ? closed : status;
}

static tally_status count_rung(const struct ladder_climb *climb, struct ladder_kernels *kernels, struct buffers *b,
                               struct ladder_result *result)
{
    const struct ladder_rung *rung = result->rung;
    result->has_counts = rung->file != NULL;
    result->has_prediction = rung->predict != NULL;
    if (rung->predict) rung->predict(&climb->problem, &result->predicted);
    if (!result->has_counts) return TALLY_OK;
    const tally_status status = count_run(climb, kernels, b, &result->counted);
    return status == TALLY_OK ? count_work(climb, rung, &result->counted) : status;
}

/* ---- the ladder ---- */

static tally_status run_rung(struct ladder_climb *climb, struct buffers *b, struct ladder_result *result)
{
    struct ladder_kernels kernels;
    const struct ladder_rung *rung = result->rung;
    const char *refusal = ladder_refusal(rung, &climb->problem);
    if (refusal) {
        result->left_out = true;
        snprintf(result->why, sizeof result->why, "%s", refusal);
        return TALLY_OK;
    }
    bool right = false;
    tally_status status =
        ladder_open_rung(climb->context, rung, &climb->problem, NULL, climb->simulated && !climb->once, &kernels);
    if (status != TALLY_OK) return status;
    status = run_is_right(climb, &kernels, b, &right, result->why);
    /* What does not fit this device is no mistake of the rung. */
    result->left_out = status == TALLY_OUT_OF_MEMORY || status == TALLY_UNSUPPORTED || status == TALLY_INVALID_ARGUMENT;
    if (result->left_out) status = TALLY_OK;
    result->wrong = status == TALLY_OK && !result->left_out && !right;
    const bool done = !right || climb->once || climb->problem.rows == 0 || climb->problem.columns == 0;
    if (!done && climb->simulated) status = count_rung(climb, &kernels, b, result);
    else if (!done) status = ladder_time_rung(climb, &kernels, b->input, b->output, result);
    const tally_status closed = ladder_close_rung(&kernels);
    return status == TALLY_OK ? closed : status;
}

tally_status ladder_run_all(struct ladder_climb *climb, const char *only)
{
    struct buffers buffers;
    tally_status status = open_buffers(climb, 1, &buffers);
    if (status != TALLY_OK) return status;
    climb->result_count = 0;
    for (int i = 0; i < climb->ladder->rung_count && climb->result_count < LADDER_MOST_RUNGS; i++) {
        const struct ladder_rung *rung = &climb->ladder->rungs[i];
        struct ladder_result *result = &climb->results[climb->result_count];
        if (only && strcmp(only, rung->name) != 0) continue;
        *result = (struct ladder_result){.rung = rung};
        status = run_rung(climb, &buffers, result);
        if (status != TALLY_OK) break;
        climb->result_count++;
    }
    close_buffers(climb, &buffers);
    return status;
}

/* ---- mistakes ---- */

/* Other data each time: some mistakes show only in some orders of blocks. */
static tally_status try_size(struct ladder_climb *climb, struct ladder_kernels *kernels, bool *caught,
                             char why[LADDER_WHY])
{
    for (uint64_t i = 0; i < 6 && !*caught; i++) {
        struct buffers buffers;
        bool right = false;
        const tally_status status = open_buffers(climb, i, &buffers);
        if (status != TALLY_OK) return status;
        *caught = run_is_right(climb, kernels, &buffers, &right, why) != TALLY_OK || !right;
        close_buffers(climb, &buffers);
    }
    return TALLY_OK;
}

static tally_status try_sizes(struct ladder_climb *climb, struct ladder_kernels *kernels, bool *caught,
                              char seen[LADDER_WHY])
{
    static const int64_t sizes[][2] = {{1, 33},   {1, 255},   {1, 256},  {1, 5},     {1, 1000}, {33, 65},
                                       {257, 31}, {100, 100}, {1, 1025}, {1, 20000}, {1, 60000}};
    const bool vector = climb->ladder->shape == LADDER_ONE || climb->ladder->shape == LADDER_ALL;
    char why[LADDER_WHY] = "";
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && !*caught; i++) {
        climb->problem.rows = sizes[i][0], climb->problem.columns = sizes[i][1];
        if (ladder_refusal(kernels->rung, &climb->problem)) continue;
        if (vector && climb->problem.rows > 1) continue;
        const tally_status status = try_size(climb, kernels, caught, why);
        if (status != TALLY_OK) return status;
    }
    if (*caught && vector) snprintf(seen, LADDER_WHY, "n = %" PRId64 ": %.500s", climb->problem.columns, why);
    if (*caught && !vector)
        snprintf(seen, LADDER_WHY, "%" PRId64 " x %" PRId64 ": %.500s", climb->problem.rows, climb->problem.columns,
                 why);
    return TALLY_OK;
}

tally_status ladder_try_mistake(struct ladder_climb *climb, const struct ladder_mistake *mistake, bool *caught,
                                char seen[LADDER_WHY])
{
    const struct ladder_problem problem = climb->problem;
    const struct ladder_rung *rung = ladder_find_rung(climb->ladder, mistake->rung);
    struct ladder_kernels kernels;
    *caught = false;
    if (!rung) return TALLY_INVALID_ARGUMENT;
    climb->problem.rows = climb->problem.columns = 1;
    tally_status status = ladder_open_rung(climb->context, rung, &climb->problem, mistake, false, &kernels);
    if (status == TALLY_OK) {
        status = try_sizes(climb, &kernels, caught, seen);
        const tally_status closed = ladder_close_rung(&kernels);
        if (status == TALLY_OK) status = closed;
    }
    climb->problem = problem;
    return status;
}
