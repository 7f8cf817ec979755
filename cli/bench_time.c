/* SPDX-License-Identifier: MIT
 *
 * bench_time.c - verifies a call, then times it: a plan for each of many windows, run one behind the other with marks
 * between, so that the device is never idle and never finds its input in a cache. */
#include "bench.h"
#include "io/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS (TALLY_MARKS - 1)
#define WARM 4 /* runs that are not counted */
#define ALIGNMENT 256

typedef struct bench_call {
    tally_array input, output;
    tally_options options;
    tally_array second;
    size_t input_bytes, output_bytes;
} bench_call;

static size_t bytes_of(const tally_array *array)
{
    size_t bytes = tally_type_size(array->type);
    for (int32_t d = 0; d < array->rank; d++) bytes *= (size_t)array->shape[d];
    return bytes;
}

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* The call on windows number `window` of input and output. base: the pool's memory on one side. */
static void place_call(const bench_state *state, const bench_case *wanted, int window, const void *base, void *outputs,
                       bench_call *call)
{
    const size_t step = aligned(call->input_bytes), results = aligned(call->output_bytes);
    const size_t windows = state->pool.bytes / step, slots = results ? state->output_bytes / results : 1;
    const unsigned char *bytes = base;
    const size_t first = windows > 1 ? (size_t)window % windows : 0, next = windows > 1 ? (first + 1) % windows : 0;
    call->input.data = (void *)(uintptr_t)(bytes + first * step);
    call->second = call->input;
    call->second.data = (void *)(uintptr_t)(bytes + next * step);
    call->output.data = (unsigned char *)outputs + (slots > 1 ? (size_t)window % slots : 0) * results;
    call->options.second = wanted->op == TALLY_DOT ? &call->second : NULL;
}

static tally_status shape_call(const bench_state *state, const bench_case *wanted, bench_call *call)
{
    *call = (bench_call){.options = TALLY_OPTIONS_INIT};
    call->input = wanted->columns > 0 ? tally_matrix(state->pool.far, wanted->type, wanted->rows, wanted->columns)
                                      : tally_vector(state->pool.far, wanted->type, wanted->rows);
    if (wanted->axis >= 0) {
        call->options.axes = &wanted->axis;
        call->options.axis_count = 1;
    }
    call->second = call->input;
    call->options.second = wanted->op == TALLY_DOT ? &call->second : NULL;
    call->input_bytes = bytes_of(&call->input);
    const tally_status status =
        tally_result_like(wanted->verb, wanted->op, &call->input, &call->options, &call->output);
    call->output_bytes = bytes_of(&call->output);
    return status;
}

static tally_status make_call(tally_context *context, const bench_case *wanted, const bench_call *call)
{
    return wanted->verb == TALLY_REDUCE ? tally_reduce(context, wanted->op, &call->input, &call->output, &call->options)
                                        : tally_scan(context, wanted->op, &call->input, &call->output, &call->options);
}

static tally_status plan_call(tally_context *context, const bench_case *wanted, const bench_call *call,
                              tally_plan **plan)
{
    return wanted->verb == TALLY_REDUCE
               ? tally_plan_reduce(context, wanted->op, &call->input, &call->output, &call->options, plan)
               : tally_plan_scan(context, wanted->op, &call->input, &call->output, &call->options, plan);
}

/* The same bits as the CPU's? */
static int verify(bench_state *state, const bench_case *wanted, bench_call *call)
{
    unsigned char *want = malloc(call->output_bytes + 1), *got = malloc(call->output_bytes + 1);
    int verdict = BENCH_FAILED;
    if (want == NULL || got == NULL) {
        io_fail("bench: no memory left for %zu bytes of results", call->output_bytes);
        goto done;
    }
    place_call(state, wanted, 0, state->pool.near, want, call);
    tally_status status = make_call(state->cpu, wanted, call);
    place_call(state, wanted, 0, state->pool.far, state->outputs, call);
    if (status == TALLY_OK) status = make_call(state->device, wanted, call);
    if (status == TALLY_OK) status = tally_copy(state->device, got, call->output.data, call->output_bytes);
    if (status != TALLY_OK) {
        cli_fail_call("bench");
        verdict = status == TALLY_UNSUPPORTED || status == TALLY_OUT_OF_MEMORY ? BENCH_LEFT_OUT : BENCH_FAILED;
        goto done;
    }
    verdict = memcmp(want, got, call->output_bytes) == 0 ? BENCH_DONE : BENCH_WRONG;
done:
    free(want);
    free(got);
    return verdict;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    return values[count / 2];
}

/* Plans that take turns: as many as there are windows between two uses of one. */
static int plan_count(const bench_state *state, const bench_call *call, int runs)
{
    const size_t windows = 2 + state->cold / (call->input_bytes + 1);
    return windows < (size_t)runs ? (int)windows : runs;
}

/* Runs the plans one behind the other; the median of the times between marks, in milliseconds, or -1. */
static double time_plans(bench_state *state, tally_plan *const *plans, int count, int runs)
{
    double between[RUNS];
    const int warm = runs > 2 * WARM ? WARM : 0;
    bool good = tally_mark(state->device, 0) == TALLY_OK;
    for (int i = 0; good && i < runs; i++) {
        good = tally_plan_run(plans[i % count]) == TALLY_OK && tally_mark(state->device, i + 1) == TALLY_OK;
    }
    for (int i = 0; good && i < runs; i++) {
        good = tally_elapsed(state->device, i, i + 1, &between[i]) == TALLY_OK;
    }
    return good ? median(between + warm, runs - warm) : -1;
}

/* As many runs as take about a third of a second on a slow device. */
static int runs_for(const bench_state *state, double milliseconds)
{
    const int most = state->quick ? 2 * WARM + 3 : RUNS;
    if (milliseconds <= 0 || 300 / milliseconds > most) return most;
    return milliseconds > 100 ? 3 : (int)(300 / milliseconds);
}

static int time_case(bench_state *state, const bench_case *wanted, bench_call *call, bench_result *result)
{
    tally_plan *plans[RUNS] = {NULL};
    double milliseconds = 0;
    int made = 0, runs = 1, verdict = BENCH_DONE;
    for (int round = 0; round < 2 && verdict == BENCH_DONE; round++) {
        const int count = plan_count(state, call, runs);
        for (; made < count && verdict == BENCH_DONE; made++) {
            place_call(state, wanted, made + 1, state->pool.far, state->outputs, call);
            if (plan_call(state->device, wanted, call, &plans[made]) != TALLY_OK) verdict = BENCH_LEFT_OUT;
        }
        if (verdict == BENCH_DONE) milliseconds = time_plans(state, plans, count, runs);
        if (milliseconds < 0) verdict = BENCH_FAILED;
        runs = round == 0 ? runs_for(state, milliseconds) : runs;
    }
    if (verdict != BENCH_DONE) cli_fail_call("bench");
    for (int i = 0; i < made; i++) tally_plan_free(plans[i]);
    result->microseconds = 1e3 * milliseconds;
    result->runs = runs;
    return verdict;
}

int bench_run(bench_state *state, const bench_case *wanted, bench_result *result)
{
    bench_call call;
    if (shape_call(state, wanted, &call) != TALLY_OK) {
        cli_fail_call("bench");
        return BENCH_LEFT_OUT;
    }
    if (!bench_outputs_reserve(state, aligned(call.output_bytes))) return BENCH_LEFT_OUT;
    result->bytes = (double)call.input_bytes * (wanted->op == TALLY_DOT ? 2 : 1) + (double)call.output_bytes;
    const int verdict = verify(state, wanted, &call);
    return verdict == BENCH_DONE ? time_case(state, wanted, &call, result) : verdict;
}

/* Copies wait for their end, so a short one's time is taken off a long one's. */
static double time_copy(bench_state *state, size_t bytes)
{
    double times[9];
    const int count = state->quick ? 3 : 9;
    for (int i = 0; i < count; i++) {
        if (tally_mark(state->device, 0) != TALLY_OK ||
            tally_copy(state->device, state->outputs, state->pool.far, bytes) != TALLY_OK ||
            tally_mark(state->device, 1) != TALLY_OK || tally_elapsed(state->device, 0, 1, &times[i]) != TALLY_OK) {
            cli_fail_call("bench");
            return -1;
        }
    }
    return median(times, count);
}

bool bench_limits(bench_state *state)
{
    const bool gpu = strncmp(state->about.instruction_set, "sm_", 3) == 0 && !state->simulated;
    const int64_t elements = (int64_t)(state->cold / 4) * (gpu ? 4 : 1); /* a GiB on a GPU */
    const tally_type types[] = {TALLY_F32, TALLY_I32};
    for (int i = 0; i < 2; i++) {
        const bench_case read = {TALLY_REDUCE, TALLY_MAX, types[i], elements, 0, -1};
        bench_result result;
        if (!bench_pool_fill(state, types[i], elements)) return false;
        if (bench_run(state, &read, &result) != BENCH_DONE) return false;
        const double gbps = 1e-3 * result.bytes / result.microseconds;
        if (gbps > state->read_gbps) state->read_gbps = gbps;
    }
    const size_t bytes = 4 * (size_t)elements;
    if (!bench_outputs_reserve(state, bytes)) return false;
    const double all = time_copy(state, bytes), least = time_copy(state, 64);
    if (all < 0 || least < 0) return false;
    state->copy_gbps = 2e-6 * (double)bytes / (all > least ? all - least : all);
    return true;
}
