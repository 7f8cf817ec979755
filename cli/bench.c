/* SPDX-License-Identifier: MIT
 *
 * bench.c - tally bench: how fast this device is, beside what it can read and copy at most. */
#include "bench.h"
#include "io/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* One run of the command. */
typedef struct bench_report {
    bench_state state;
    const cli_options *options;
    tally_op only; /* 0: all */
    FILE *json;
    int64_t sizes[4];
    int size_count;
    int wrong, done;
} bench_report;

static const tally_type few_types[] = {TALLY_I32, TALLY_F32, TALLY_F64};
static const tally_op reductions[] = {TALLY_SUM, TALLY_MAX,           TALLY_ARGMAX, TALLY_MINMAX, TALLY_MEAN,
                                      TALLY_VAR, TALLY_NORM2,         TALLY_DOT,    TALLY_PROD,   TALLY_LOGSUMEXP,
                                      TALLY_ANY, TALLY_COUNT_NONZERO, TALLY_BIT_XOR};
static const tally_op scans[] = {TALLY_SUM, TALLY_MAX, TALLY_PROD, TALLY_LOGSUMEXP};

enum { REDUCTIONS = sizeof reductions / sizeof reductions[0], SCANS = sizeof scans / sizeof scans[0] };

static bool is_of(tally_type type, const tally_type *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i] == type) return true;
    }
    return false;
}

/* Sums and maxima of every type; other operators of three types, unless one was asked for. */
static bool is_wanted(const bench_report *report, tally_op op, tally_type type)
{
    const bool common = (op == TALLY_SUM || op == TALLY_MAX) && !report->options->quick;
    if (report->only != 0 && report->only != op) return false;
    if (report->options->bench_type != TALLY_DEFAULT_TYPE) return report->options->bench_type == type;
    return common || is_of(type, few_types, sizeof few_types / sizeof few_types[0]);
}

static void shape_text(const bench_case *wanted, char *text, size_t size)
{
    if (wanted->columns == 0) {
        snprintf(text, size, "%" PRId64, wanted->rows);
    } else {
        snprintf(text, size, "%" PRId64 " x %" PRId64 ", axis %" PRId32, wanted->rows, wanted->columns, wanted->axis);
    }
}

static void write_json(const bench_report *report, const bench_case *wanted, const bench_result *result, double gbps,
                       double percent)
{
    if (report->json == NULL) return;
    fprintf(report->json,
            "{\"verb\": \"%s\", \"op\": \"%s\", \"type\": \"%s\", \"rows\": %" PRId64 ", \"columns\": %" PRId64
            ", \"axis\": %" PRId32 ", \"us\": %.2f, \"gbps\": %.1f, \"percent\": %.1f, \"of\": \"%s\", \"runs\": %d}\n",
            wanted->verb == TALLY_REDUCE ? "reduce" : "scan", tally_op_name(wanted->op), tally_type_name(wanted->type),
            wanted->rows, wanted->columns, wanted->axis, result->microseconds, gbps, percent,
            wanted->verb == TALLY_REDUCE ? "read" : "copy", result->runs);
    fflush(report->json);
}

/* False when nothing more should be tried. */
static bool bench_one(bench_report *report, const bench_case *wanted)
{
    char name[48], shape[64];
    bench_result result;
    const int verdict = bench_run(&report->state, wanted, &result);
    snprintf(name, sizeof name, "%s %s", wanted->verb == TALLY_REDUCE ? "reduce" : "scan", tally_op_name(wanted->op));
    shape_text(wanted, shape, sizeof shape);
    printf("%-20s %-5s %-30s ", name, tally_type_name(wanted->type), shape);
    if (verdict == BENCH_DONE) {
        const double gbps = 1e-3 * result.bytes / result.microseconds;
        const double limit = wanted->verb == TALLY_REDUCE ? report->state.read_gbps : report->state.copy_gbps;
        printf("%11.2f us %9.2f GB/s %6.1f %%\n", result.microseconds, gbps, 100 * gbps / limit);
        write_json(report, wanted, &result, gbps, 100 * gbps / limit);
        report->done++;
    } else {
        printf("%s\n", verdict == BENCH_WRONG      ? "WRONG: the result is not the CPU's"
                       : verdict == BENCH_LEFT_OUT ? io_error()
                                                   : "FAILED");
        report->wrong += verdict == BENCH_WRONG;
    }
    fflush(stdout);
    return verdict != BENCH_FAILED;
}

/* Operators that a type lacks have no row. */
static bool has_operator(tally_verb verb, tally_op op, tally_type type)
{
    tally_array one = tally_vector(NULL, type, 1), like;
    tally_options options = TALLY_OPTIONS_INIT;
    one.data = &one;
    if (op == TALLY_DOT) options.second = &one;
    return tally_result_like(verb, op, &one, &options, &like) == TALLY_OK;
}

static bool bench_vectors(bench_report *report, tally_type type)
{
    for (int v = 0; v < 2; v++) {
        const tally_verb verb = v == 0 ? TALLY_REDUCE : TALLY_SCAN;
        for (int i = 0; i < (v == 0 ? REDUCTIONS : SCANS); i++) {
            const tally_op op = v == 0 ? reductions[i] : scans[i];
            if (!is_wanted(report, op, type) || !has_operator(verb, op, type)) continue;
            for (int s = 0; s < report->size_count; s++) {
                const bench_case wanted = {verb, op, type, report->sizes[s], 0, -1};
                if (!bench_pool_fill(&report->state, type, report->sizes[report->size_count - 1])) return false;
                if (!bench_one(report, &wanted)) return false;
            }
        }
    }
    return true;
}

/* Every way of making a matrix of the largest size from powers of two, by rows and by columns. */
static bool bench_matrices(bench_report *report, tally_op op, tally_type type)
{
    const int64_t elements = report->sizes[report->size_count - 1];
    const int step = report->options->quick ? 6 : report->state.simulated ? 4 : 1;
    if (!is_wanted(report, op, type)) return true;
    if (!bench_pool_fill(&report->state, type, elements)) return false;
    for (int v = 0; v < 2; v++) {
        const tally_verb verb = v == 0 ? TALLY_REDUCE : TALLY_SCAN;
        for (int32_t axis = 1; axis >= 0; axis--) {
            for (int power = step == 1 ? 1 : step; (int64_t)2 << power <= elements; power += v == 0 ? step : 3 * step) {
                const bench_case wanted = {verb, op, type, elements >> power, (int64_t)1 << power, axis};
                if (wanted.rows << power == elements && !bench_one(report, &wanted)) return false;
            }
        }
    }
    return true;
}

static void choose_sizes(bench_report *report)
{
    static const int64_t all[3][2][4] = {
        {{1 << 16, 1 << 20, 1 << 24, 1 << 28}, {1 << 20, 1 << 26}}, /* a GPU */
        {{1 << 16, 1 << 20, 1 << 24}, {1 << 16, 1 << 20}},          /* the host */
        {{1 << 10, 1 << 14}, {1 << 12}},                            /* a GPU made of the host */
    };
    const bool gpu = strncmp(report->state.about.instruction_set, "sm_", 3) == 0 && !report->state.simulated;
    const int64_t *sizes = all[report->state.simulated ? 2 : gpu ? 0 : 1][report->options->quick];
    report->state.cold = report->state.simulated          ? (size_t)1 << 16
                         : report->options->quick && !gpu ? (size_t)32 << 20
                                                          : (size_t)256 << 20;
    for (int i = 0; i < 4 && sizes[i] > 0; i++) report->sizes[report->size_count++] = sizes[i];
    if (report->options->size > 0) {
        report->sizes[0] = report->options->size;
        report->size_count = 1;
    }
}

static bool open_devices(bench_report *report)
{
    cli_options with_device = *report->options;
    bench_state *state = &report->state;
    if (with_device.device == NULL && with_device.threads == 0) with_device.device = "auto";
    if (!cli_open_context(&with_device, &state->device)) return false;
    if (tally_open("cpu", &state->cpu) != TALLY_OK) return cli_fail_call("bench");
    state->about.size = sizeof state->about;
    if (tally_device_info(state->device, &state->about) != TALLY_OK) return cli_fail_call("bench");
    state->simulated = strncmp(state->about.name, "simt", 4) == 0;
    state->quick = report->options->quick;
    choose_sizes(report);
    return true;
}

static void print_limits(bench_report *report)
{
    const bench_state *state = &report->state;
    printf("%s: %s\nread limit %.1f GB/s (max of 4-byte elements), copy limit %.1f GB/s (read and written)\n\n",
           state->about.name, state->about.description, state->read_gbps, state->copy_gbps);
    fflush(stdout);
    if (report->json == NULL) return;
    fprintf(report->json, "{\"version\": \"%s\", \"device\": \"%s\", \"description\": \"%s\", ", tally_version(),
            state->about.name, state->about.description);
    fprintf(report->json, "\"read_gbps\": %.1f, \"copy_gbps\": %.1f}\n", state->read_gbps, state->copy_gbps);
}

static bool bench_all(bench_report *report)
{
    if (!bench_limits(&report->state)) return false;
    print_limits(report);
    for (tally_type type = TALLY_BOOL; type <= TALLY_C128; type++) {
        if (!bench_vectors(report, type)) return false;
    }
    return bench_matrices(report, TALLY_SUM, report->options->bench_type ? report->options->bench_type : TALLY_F32) &&
           (report->options->bench_type || bench_matrices(report, TALLY_MAX, TALLY_F32));
}

static bool find_op(bench_report *report)
{
    const char *name = report->options->bench_op;
    if (name == NULL || cli_op_find(name, &report->only)) return true;
    cli_nearest nearest = {.wanted = name};
    for (int i = 0; cli_op_name_at(i) != NULL; i++) cli_nearest_try(&nearest, cli_op_name_at(i));
    return cli_fail_unknown("--op: unknown operator", &nearest, "tally help lists them");
}

int cli_bench(const cli_arguments *arguments)
{
    bench_report report = {.options = &arguments->options};
    const char *file = arguments->options.json_file;
    int status = CLI_BAD_USAGE;
    if (find_op(&report) && open_devices(&report)) {
        status = CLI_BAD_INPUT;
        report.json = file != NULL ? fopen(file, "a") : NULL;
        if (file != NULL && report.json == NULL) io_fail("--json: cannot open '%.200s' for writing", file);
        else if (bench_all(&report)) status = CLI_OK;
    }
    if (status == CLI_BAD_USAGE) cli_bad_usage();
    if (status == CLI_BAD_INPUT) cli_bad_input();
    if (report.json != NULL && fclose(report.json) != 0 && status == CLI_OK) {
        io_fail("--json: cannot write '%.200s'", file);
        status = cli_bad_input();
    }
    bench_free(&report.state);
    if (status != CLI_OK) return status;
    printf("\n%d timed, %d wrong\n", report.done, report.wrong);
    return report.wrong > 0 ? CLI_BAD_INPUT : CLI_OK;
}
