/* SPDX-License-Identifier: MIT
 *
 * bench.c - tally bench: how fast this device is, beside what it can read and copy at most. */
#include "bench.h"
#include "io/error.h"

#include <stdlib.h>
#include <string.h>

bool bench_has_operator(const bench_case *wanted)
{
    bench_call call;
    return bench_shape(wanted, &call) == TALLY_OK;
}

/* Every shards-th case, from number shard on. */
static bool compile_one(bench_report *report, const bench_case *wanted)
{
    if (report->seen++ % report->shards != report->shard) return true;
    if (!bench_pool_fill(&report->state, wanted->type, wanted->spread, bench_pool_bytes(wanted))) return false;
    report->done += bench_compile(&report->state, wanted) == BENCH_DONE;
    return true;
}

bool bench_count(bench_report *report, int verdict)
{
    report->done += verdict == BENCH_DONE;
    report->wrong += verdict == BENCH_WRONG;
    report->left_out += verdict == BENCH_LEFT_OUT;
    return verdict != BENCH_FAILED;
}

bool bench_one(bench_report *report, const bench_case *wanted)
{
    bench_result result;
    if (report->state.compile_only) return compile_one(report, wanted);
    if (!bench_pool_fill(&report->state, wanted->type, wanted->spread, bench_pool_bytes(wanted))) return false;
    const int verdict = bench_run(&report->state, wanted, &result);
    bench_print_case(report, wanted, &result, verdict);
    return bench_count(report, verdict);
}

static bool find_op(bench_report *report)
{
    const char *name = report->options->bench_op;
    if (name == NULL || cli_op_find(name, &report->only)) return true;
    cli_nearest nearest = {.wanted = name};
    for (int i = 0; cli_op_name_at(i) != NULL; i++) cli_nearest_try(&nearest, cli_op_name_at(i));
    return cli_fail_unknown("--op: unknown operator", &nearest, "tally help lists them");
}

static bool find_shard(bench_report *report)
{
    const char *text = report->options->compile_shard;
    char *end;
    if (text == NULL) return true;
    const long shard = strtol(text, &end, 10), shards = *end == '/' ? strtol(end + 1, &end, 10) : 0;
    if (*end != '\0' || shard < 1 || shards < shard || shards > 1024) {
        return io_fail("--compile '%.80s' is not N/M with 1 <= N <= M <= 1024", text);
    }
    report->shard = (int)shard - 1;
    report->shards = (int)shards;
    report->state.compile_only = true;
    return true;
}

/* The name of a commit goes into JSON as it is. */
static bool find_commit(bench_report *report)
{
    const char *text = report->options->commit;
    if (text == NULL) text = getenv("TALLY_COMMIT");
    if (text == NULL || *text == '\0') text = "unknown";
    report->commit = text;
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\' || *text < ' ') return io_fail("--commit: quotes and the like are no name");
    }
    return true;
}

static bool check_options(bench_report *report)
{
    const cli_options *options = report->options;
    if (!find_op(report) || !find_shard(report) || !find_commit(report) || !bench_shape_check(report)) return false;
    if (options->grid == NULL) {
        return (options->grid_parts == NULL && options->compile_shard == NULL && options->seconds == 0 &&
                options->first_call == 0) ||
               io_fail("--part, --seconds, --compile and --first-call are for a grid; say --grid full or --grid quick, "
                       "too");
    }
    if (options->compile_shard != NULL && options->first_call > 0) {
        return io_fail("--compile and --first-call exclude each other");
    }
    return bench_grid_check(options->grid, options->grid_parts) && bench_first_call_check(report);
}

static bool open_devices(bench_report *report)
{
    cli_options with_device = *report->options;
    bench_state *state = &report->state;
    if (with_device.device == NULL && with_device.threads == 0) with_device.device = "auto";
    const double begin = bench_now();
    if (!cli_open_context(&with_device, &state->device)) return false;
    state->open_us = bench_now() - begin;
    if (tally_open("cpu", &state->cpu) != TALLY_OK) return cli_fail_call("bench");
    state->about.size = sizeof state->about;
    if (tally_device_info(state->device, &state->about) != TALLY_OK) return cli_fail_call("bench");
    state->simulated = strncmp(state->about.name, "simt", 4) == 0;
    state->gpu = strncmp(state->about.instruction_set, "sm_", 3) == 0 && !state->simulated;
    state->quick = report->options->quick || (report->options->grid != NULL && report->options->grid[0] == 'q');
    state->cold = state->simulated              ? (size_t)1 << 16
                  : state->quick && !state->gpu ? (size_t)32 << 20
                                                : (size_t)256 << 20;
    if (report->options->grid != NULL) bench_grid_choose(report);
    else bench_sizes_choose(report);
    return true;
}

static bool bench_all(bench_report *report)
{
    if (!report->state.compile_only) {
        if (!bench_kernels(&report->state) || !bench_limits(&report->state)) return false;
        bench_print_head(report);
    }
    if (report->options->request.raw_rank > 0) return bench_shape_run(report);
    return report->options->grid != NULL ? bench_grid_run(report) : bench_sizes_run(report);
}

/* --data: what peers need to work on the same elements. */
static int write_data(const cli_options *options)
{
    bench_spread spread;
    if (options->bench_type == TALLY_DEFAULT_TYPE) {
        io_fail("--data needs --type");
        return cli_bad_usage();
    }
    if (!bench_spread_parse(options->spread, &spread)) return cli_bad_usage();
    return bench_pool_write(options->data_file, options->bench_type, spread) ? CLI_OK : cli_bad_input();
}

/* Opens the file of JSON, does the work. */
static int run(bench_report *report)
{
    const char *file = report->options->json_file;
    int status = CLI_BAD_INPUT;
    report->json = file != NULL ? fopen(file, "a") : NULL;
    if (file != NULL && report->json == NULL) io_fail("--json: cannot open '%.200s' for writing", file);
    else if (report->options->first_call > 0 ? bench_first_call(report) : bench_all(report)) status = CLI_OK;
    if (status != CLI_OK) cli_bad_input();
    if (report->json != NULL && fclose(report->json) != 0 && status == CLI_OK) {
        io_fail("--json: cannot write '%.200s'", file);
        status = cli_bad_input();
    }
    return status;
}

int cli_bench(const cli_arguments *arguments)
{
    bench_report report = {.options = &arguments->options};
    if (arguments->options.data_file != NULL) return write_data(&arguments->options);
    const int status = check_options(&report) && open_devices(&report) ? run(&report) : cli_bad_usage();
    bench_free(&report.state);
    if (status != CLI_OK) return status;
    if (report.state.compile_only) printf("%d cases compiled\n", report.done);
    else if (report.options->first_call == 0) printf("\n%d timed, %d wrong\n", report.done, report.wrong);
    return report.wrong > 0 ? CLI_BAD_INPUT : CLI_OK;
}
