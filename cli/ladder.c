/* SPDX-License-Identifier: MIT
 *
 * ladder.c - tally ladder: the classic kernels, rung by rung, on the device at hand. */
#include "ladder.h"
#include "io/error.h"
#include "io/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct ladder *const ladders[] = {&ladder_reduce, &ladder_scan, &ladder_rows, &ladder_columns,
                                               &ladder_fan_in};

enum { LADDERS = sizeof ladders / sizeof ladders[0] };

static bool find_ladder(const cli_arguments *arguments, struct ladder_climb *climb)
{
    const char *name = arguments->count > 0 ? arguments->words[0] : "reduce";
    cli_nearest nearest = {.wanted = name};
    for (int i = 0; i < LADDERS; i++) {
        if (strcmp(ladders[i]->name, name) == 0) climb->ladder = ladders[i];
        cli_nearest_try(&nearest, ladders[i]->name);
    }
    cli_nearest_try(&nearest, "life");
    return climb->ladder != NULL || cli_fail_unknown("ladder: there is no ladder", &nearest,
                                                     "there are reduce, scan, rows, columns, fan-in and life");
}

static bool find_type(const cli_options *options, struct ladder_problem *problem)
{
    cli_nearest nearest = {.wanted = options->ladder_type};
    if (options->ladder_type == NULL) return true;
    for (int type = 0; type < LADDER_TRACE; type++) {
        problem->type = (enum ladder_type)type;
        if (strcmp(ladder_type_name(problem->type), options->ladder_type) == 0) return true;
        cli_nearest_try(&nearest, ladder_type_name(problem->type));
    }
    return cli_fail_unknown("--type: unknown type", &nearest, "known are f32, f64, i32, i64 and field");
}

static bool find_op(const cli_options *options, struct ladder_problem *problem)
{
    cli_nearest nearest = {.wanted = options->ladder_op};
    if (options->ladder_op == NULL) return true;
    for (int op = 0; op < LADDER_OPS; op++) {
        problem->op = (enum ladder_op)op;
        if (strcmp(ladder_op_name(problem->op), options->ladder_op) == 0) return true;
        cli_nearest_try(&nearest, ladder_op_name(problem->op));
    }
    return cli_fail_unknown("--op: unknown operator", &nearest, "known are sum, min, max and product");
}

bool ladder_check_device(const char *device)
{
    if (device == NULL || strncmp(device, "cuda", 4) == 0 || strcmp(device, "simt") == 0) return true;
    return io_fail("--device '%.80s' runs no kernels; cuda, cuda:N and simt do", device);
}

static bool check_rung(const cli_options *options, const struct ladder_climb *climb)
{
    cli_nearest nearest = {.wanted = options->rung};
    if (options->source && options->rung == NULL) return io_fail("--source needs a rung: --rung R");
    if (options->rung == NULL || ladder_find_rung(climb->ladder, options->rung) != NULL) return true;
    for (int i = 0; i < climb->ladder->rung_count; i++) cli_nearest_try(&nearest, climb->ladder->rungs[i].name);
    return cli_fail_unknown("--rung: unknown rung", &nearest, "tally ladder NAME shows them");
}

#define MOST_ELEMENTS ((int64_t)1 << 40)

static bool parse_length(const char *option, const char *text, int64_t *length)
{
    if (text == NULL) return true;
    return (io_number_parse(text, strlen(text), TALLY_I64, length) == IO_NUMBER_OK && *length >= 0 &&
            *length <= MOST_ELEMENTS) ||
           io_fail("--%s '%.80s' is not a number from 0 to 2^40", option, text);
}

static bool is_of_vectors(const struct ladder *ladder)
{
    return ladder->shape == LADDER_ONE || ladder->shape == LADDER_ALL;
}

static bool check_size(const cli_options *options, const struct ladder *ladder)
{
    if (options->width != NULL || options->height != NULL || options->generations != NULL)
        return io_fail("--width, --height and --generations are for the ladder life");
    const bool vector = is_of_vectors(ladder);
    if (vector && (options->ladder_rows != NULL || options->ladder_columns != NULL))
        return io_fail("--rows and --columns are for the ladders rows and columns; %s takes --size", ladder->name);
    if (!vector && options->ladder_size != NULL)
        return io_fail("--size is for vectors; %s takes --rows and --columns", ladder->name);
    return !options->exclusive || ladder->shape == LADDER_ALL || io_fail("--exclusive is for the ladder scan");
}

/* Large on a GPU; on device simt small, since every thread is a fibre. */
static bool choose_size(const cli_options *options, struct ladder_climb *climb)
{
    struct ladder_problem *problem = &climb->problem;
    if (is_of_vectors(climb->ladder)) {
        problem->rows = 1;
        problem->columns = !climb->simulated ? (int64_t)1 << 27 : climb->ladder->shape == LADDER_ALL ? 1024 : 16384;
        return parse_length("size", options->ladder_size, &problem->columns);
    }
    problem->rows = climb->simulated ? 128 : 16384;
    problem->columns = climb->simulated ? 128 : 8192;
    if (!parse_length("rows", options->ladder_rows, &problem->rows) ||
        !parse_length("columns", options->ladder_columns, &problem->columns))
        return false;
    return problem->rows == 0 || problem->columns <= MOST_ELEMENTS / problem->rows ||
           io_fail("--rows and --columns: %" PRId64 " x %" PRId64 " are more than 2^40 elements", problem->rows,
                   problem->columns);
}

static bool check_looking_on(const cli_options *options)
{
    if (options->once && options->html_file != NULL)
        return io_fail("--once times and counts nothing that --html could show");
    if ((options->once || options->counters) && (options->source || options->inject_bug))
        return io_fail("--%s is for rungs as they are: leave --%s out", options->once ? "once" : "counters",
                       options->source ? "source" : "inject-bug");
    return !options->counters || options->device == NULL || strcmp(options->device, "simt") != 0 ||
           io_fail("--counters is for GPUs: on the device simt the counts in the table are exact without it");
}

/* Where no device was named, the one that was opened decides. */
static bool check_opened(const cli_options *options, const struct ladder_climb *climb)
{
    return !options->counters || !climb->simulated ||
           io_fail(
               "--counters needs a GPU, and there is none here; on the device simt the counts in the table are exact "
               "without it");
}

static void print_source(const struct ladder_rung *rung)
{
    const struct ladder_file *file = ladder_files;
    while (rung->file != NULL && file->name != NULL && strcmp(file->name, rung->file) != 0) file++;
    if (rung->file == NULL) printf("/* %s is the library's own call: see src/gpu/kernels */\n", rung->name);
    else printf("%s", file->text);
}

/* Makes every mistake; how many of them were not seen. */
static int inject_bugs(struct ladder_climb *climb, const char *rung)
{
    int missed = 0, made = 0;
    for (int i = 0; i < climb->ladder->mistake_count; i++) {
        const struct ladder_mistake *mistake = &climb->ladder->mistakes[i];
        char seen[LADDER_WHY] = "";
        bool caught = false;
        if (rung != NULL && strcmp(rung, mistake->rung) != 0) continue;
        if (ladder_try_mistake(climb, mistake, &caught, seen) != TALLY_OK) {
            cli_fail_call("ladder");
            return -1;
        }
        printf("%-26s %-20s %s\n    %s\n    %s\n", mistake->name, mistake->rung, caught ? "caught" : "NOT CAUGHT",
               mistake->what, seen);
        fflush(stdout);
        missed += !caught;
        made++;
    }
    printf("%d mistakes made, %d caught\n", made, made - missed);
    return missed;
}

#define LONGEST_SWEEP ((int64_t)1 << 28)

static bool write_page(struct ladder_climb *climb, const char *file)
{
    struct ladder_sweep sweep = {.length_count = 0};
    if (is_of_vectors(climb->ladder) && !climb->simulated &&
        ladder_sweep_lengths(climb, LONGEST_SWEEP, &sweep) != TALLY_OK)
        return cli_fail_call("ladder");
    return ladder_write_page(climb, &sweep, file);
}

/* Counters are an extra: without them the ladder is as right as with them. */
static void show_missing_counters(const struct ladder_climb *climb)
{
    if (climb->no_counters[0] == '\0') return;
    fflush(stdout);
    io_fail("--counters: %s", climb->no_counters);
    fprintf(stderr, "tally: %s\n", io_error());
}

/* A wrong rung, or a mistake that passes, is a failure of the command. */
static int climb_and_show(struct ladder_climb *climb, const cli_options *options)
{
    if (options->inject_bug) {
        const int missed = inject_bugs(climb, options->rung);
        return missed < 0 ? cli_bad_input() : missed > 0 ? CLI_BAD_INPUT : CLI_OK;
    }
    climb->once = options->once;
    tally_status done = ladder_measure_limits(climb);
    if (done == TALLY_OK) done = ladder_run_all(climb, options->rung);
    if (done != TALLY_OK) {
        if (*tally_last_error() == '\0') io_fail("ladder: %s", tally_status_name(done));
        else cli_fail_call("ladder");
        return cli_bad_input();
    }
    if (options->counters) ladder_measure_all_counters(climb);
    if (options->json) ladder_print_json(climb);
    else if (options->csv) ladder_print_csv(climb);
    else ladder_print_table(climb);
    if (options->html_file != NULL && !write_page(climb, options->html_file)) return cli_bad_input();
    show_missing_counters(climb);
    int status = CLI_OK;
    for (int i = 0; i < climb->result_count; i++) {
        if (climb->results[i].wrong) status = CLI_BAD_INPUT;
    }
    return status;
}

int cli_ladder(const cli_arguments *arguments)
{
    const cli_options *options = &arguments->options;
    struct ladder_climb climb = {.problem = {.exclusive = options->exclusive}};
    if (arguments->count > 0 && strcmp(arguments->words[0], "life") == 0) return cli_ladder_life(arguments);
    if (!find_ladder(arguments, &climb) || !find_type(options, &climb.problem) || !find_op(options, &climb.problem) ||
        !check_rung(options, &climb) || !check_size(options, climb.ladder) || !ladder_check_device(options->device) ||
        !check_looking_on(options))
        return cli_bad_usage();
    if (options->source) {
        print_source(ladder_find_rung(climb.ladder, options->rung));
        return CLI_OK;
    }
    if (ladder_open(options->device, &climb) != TALLY_OK) {
        io_fail("--device: %s", tally_last_error());
        return cli_bad_usage();
    }
    const bool sound = check_opened(options, &climb) && choose_size(options, &climb);
    const int status = sound ? climb_and_show(&climb, options) : cli_bad_usage();
    ladder_close(&climb);
    return status;
}
