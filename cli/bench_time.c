/* SPDX-License-Identifier: MIT
 *
 * bench_time.c - how long a case takes: cold, hot, and as a call that is waited for.
 *
 * There is a plan for each of many windows. Long ones run one behind the other with marks between, so that the device
 * is never idle and never finds its input in a cache. Short ones, which a mark would delay, run as one batch between
 * two marks; on a GPU a kernel that only waits goes ahead, so that the batch is all there when it begins and the time
 * is the GPU's alone, not the host's. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include "io/error.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#define RUNS (TALLY_MARKS - 1)
#define WARM 4                       /* runs that are not counted */
#define ROUNDS 7                     /* of a batch */
#define CALLS 41                     /* that are waited for */
#define SHORT ((int64_t)1 << 22)     /* elements */
#define HOT_BYTES ((size_t)24 << 20) /* that stay in a GPU's cache */
#define SPIN_CYCLES (int64_t)1000000 /* of a GPU: 0.5 ms, in which the host starts a batch */
#define TIME_OF_CASE 300             /* milliseconds, about */

double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    return values[count / 2];
}

/* Runs the plans one behind the other; the median of the times between marks, in microseconds, or -1. */
static double time_runs(bench_state *state, tally_plan *const *plans, int count, int runs)
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
    return good ? 1e3 * bench_median(between + warm, runs - warm) : -1;
}

/* What was read before leaves the caches. A GPU reads other memory for that: what it wrote would still have to leave
 * its cache while the next work is timed. */
static tally_status flush(bench_state *state)
{
    const size_t half = state->output_bytes / 2;
    const tally_grid grid = {{8 * (uint32_t)state->about.threads, 1, 1}, {256, 1, 1}, 0, 0};
    const tally_argument arguments[] = {tally_pass_memory(state->outputs), tally_pass_i64((int64_t)(state->cold / 16)),
                                        tally_pass_memory(state->outputs)};
    if (state->reader != NULL) return tally_launch(state->reader, &grid, arguments, 3);
    return tally_copy(state->device, (unsigned char *)state->outputs + half, state->outputs, half);
}

static tally_status wait_ahead(bench_state *state)
{
    const tally_grid one = {{1, 1, 1}, {1, 1, 1}, 0, 0};
    const tally_argument cycles = tally_pass_i64(SPIN_CYCLES);
    return state->spin != NULL ? tally_launch(state->spin, &one, &cycles, 1) : TALLY_OK;
}

/* The mean of a batch, median over rounds, in microseconds, or -1. */
static double time_batch(bench_state *state, tally_plan *const *plans, int count, int batch, int rounds, bool cold)
{
    double times[ROUNDS];
    bool good = true;
    for (int r = 0; good && r < rounds; r++) {
        good = (!cold || flush(state) == TALLY_OK) && wait_ahead(state) == TALLY_OK &&
               tally_mark(state->device, 0) == TALLY_OK;
        for (int i = 0; good && i < batch; i++) good = tally_plan_run(plans[i % count]) == TALLY_OK;
        good = good && tally_mark(state->device, 1) == TALLY_OK &&
               tally_elapsed(state->device, 0, 1, &times[r]) == TALLY_OK;
    }
    return good ? 1e3 * bench_median(times, rounds) / batch : -1;
}

/* As users call: no plan, and then waited for. */
static double time_calls(bench_state *state, const bench_case *wanted, bench_call *call)
{
    double times[CALLS];
    const int calls = state->simulated ? 3 : state->quick ? 9 : CALLS;
    bench_place(state, wanted, 0, state->pool.far, state->outputs, call);
    for (int i = -2; i < calls; i++) { /* two are not counted */
        const double begin = bench_now();
        if (bench_make(state->device, wanted, call) != TALLY_OK) return -1;
        if (tally_synchronize(state->device) != TALLY_OK) return -1;
        if (i >= 0) times[i] = bench_now() - begin;
    }
    return bench_median(times, calls);
}

/* As many runs as fit the time of a case. */
static int runs_for(const bench_state *state, double us)
{
    const double milliseconds = 1e-3 * us;
    const int most = state->simulated ? 3 : state->quick ? 2 * WARM + 3 : RUNS;
    if (milliseconds <= 0 || TIME_OF_CASE / milliseconds > most) return most;
    return milliseconds > TIME_OF_CASE / 3.0 ? 3 : (int)(TIME_OF_CASE / milliseconds);
}

/* Plans that take turns: as many as there are windows between two uses of one. */
static int plan_count(const bench_state *state, const bench_call *call, int runs)
{
    const size_t windows = 2 + state->cold / (call->input_bytes + 1);
    return windows < (size_t)runs ? (int)windows : runs;
}

static int make_plans(bench_state *state, const bench_case *wanted, bench_call *call, tally_plan **plans, int *made,
                      int count)
{
    for (; *made < count; ++*made) {
        bench_place(state, wanted, *made + 1, state->pool.far, state->outputs, call);
        if (bench_plan(state->device, wanted, call, &plans[*made]) != TALLY_OK) {
            cli_fail_call("bench");
            return BENCH_LEFT_OUT;
        }
    }
    return BENCH_DONE;
}

static int time_plans(bench_state *state, const bench_case *wanted, bench_call *call, tally_plan **plans, int *made,
                      bench_result *result)
{
    const bool is_short = bench_elements(wanted) <= SHORT;
    int verdict = make_plans(state, wanted, call, plans, made, 1);
    if (verdict != BENCH_DONE) return verdict;
    const double once = time_runs(state, plans, 1, 1);
    const int runs = runs_for(state, once), count = plan_count(state, call, runs);
    const int rounds = state->quick || state->simulated ? 3 : ROUNDS;
    result->runs = runs;
    if (once >= 0) verdict = make_plans(state, wanted, call, plans, made, count);
    if (verdict != BENCH_DONE) return verdict;
    if (once < 0) result->us = -1;
    else if (!is_short || runs < 3) result->us = time_runs(state, plans, count, runs);
    else result->us = time_batch(state, plans, count, runs, rounds, true);
    if (is_short && result->us >= 0 && call->input_bytes + call->output_bytes <= HOT_BYTES) {
        result->hot_us = time_batch(state, plans, 1, runs, rounds, false);
    }
    if (is_short && result->us >= 0) result->call_us = time_calls(state, wanted, call);
    if (result->us >= 0 && result->hot_us >= 0 && result->call_us >= 0) return BENCH_DONE;
    cli_fail_call("bench");
    return BENCH_FAILED;
}

int bench_prepare(bench_state *state, const bench_case *wanted, bench_call *call)
{
    if (bench_shape(wanted, call) != TALLY_OK) {
        cli_fail_call("bench");
        return BENCH_LEFT_OUT;
    }
    const size_t ahead = (size_t)wanted->offset * tally_type_size(call->output.type);
    return bench_outputs_reserve(state, call->output_bytes + ahead + 512) ? BENCH_DONE : BENCH_LEFT_OUT;
}

int bench_run(bench_state *state, const bench_case *wanted, bench_result *result)
{
    bench_call call;
    tally_plan *plans[RUNS] = {NULL};
    int made = 0;
    int verdict = bench_prepare(state, wanted, &call);
    *result = (bench_result){.first = NAN, .last = NAN};
    result->bytes = (double)call.input_bytes * (wanted->op == TALLY_DOT ? 2 : 1) + (double)call.output_bytes;
    if (verdict == BENCH_DONE) verdict = bench_check(state, wanted, &call, result);
    if (verdict == BENCH_DONE) verdict = time_plans(state, wanted, &call, plans, &made, result);
    for (int i = 0; i < made; i++) tally_plan_free(plans[i]);
    return verdict;
}

int bench_compile(bench_state *state, const bench_case *wanted)
{
    bench_call call;
    tally_plan *plan = NULL;
    int made = 0;
    int verdict = bench_prepare(state, wanted, &call);
    if (verdict == BENCH_DONE) verdict = make_plans(state, wanted, &call, &plan, &made, 1);
    if (made > 0) tally_plan_free(plan);
    return verdict;
}
