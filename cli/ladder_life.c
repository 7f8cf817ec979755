/* SPDX-License-Identifier: MIT
 *
 * ladder_life.c - tally ladder life: the kernels of Life, rung by rung. */
#include "gpu.h"
#include "io/error.h"
#include "io/number.h"
#include "ladder.h"
#include "rungs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool check_options(const cli_options *options)
{
    cli_nearest nearest = {.wanted = options->rung};
    const char *alien = options->ladder_type      ? "type"
                        : options->ladder_op      ? "op"
                        : options->ladder_size    ? "size"
                        : options->ladder_rows    ? "rows"
                        : options->ladder_columns ? "columns"
                        : options->exclusive      ? "exclusive"
                        : options->html_file      ? "html"
                        : options->counters       ? "counters"
                        : options->once           ? "once"
                        : options->csv            ? "csv"
                                                  : NULL;
    if (alien != NULL) return io_fail("--%s is for the ladders of reductions and scans, not for life", alien);
    if (options->source && options->rung == NULL) return io_fail("--source needs a rung: --rung R");
    if (options->rung == NULL || life_find_rung(options->rung) != NULL) return true;
    for (int i = 0; i < LIFE_RUNGS; i++) cli_nearest_try(&nearest, life_rungs[i].name);
    return cli_fail_unknown("--rung: unknown rung", &nearest, "tally ladder life shows them");
}

static bool parse_number(const char *option, const char *text, int64_t least, int64_t *number)
{
    if (text == NULL) return true;
    return (io_number_parse(text, strlen(text), TALLY_I64, number) == IO_NUMBER_OK && *number >= least &&
            *number <= INT32_MAX) ||
           io_fail("--%s '%.80s' is not a number from %" PRId64 " to 2^31 - 1", option, text, least);
}

/* Small on device simt, where every cell of most rungs is a fibre. */
static bool choose_world(const cli_options *options, struct life_climb *climb)
{
    climb->width = climb->height = climb->simulated ? 64 : 256;
    climb->generations = climb->simulated ? 8 : 1000;
    climb->seed = 1;
    return parse_number("width", options->width, 1, &climb->width) &&
           parse_number("height", options->height, 1, &climb->height) &&
           parse_number("generations", options->generations, 1, &climb->generations);
}

static void print_source(const struct life_rung *rung)
{
    if (rung->file == NULL) printf("/* %s is the library's own engine: see life/gpu.c */\n", rung->name);
    else printf("%s", gpu_file_text(rung->file));
}

static void print_result(const struct life_climb *climb, const struct life_rung_result *r, double before)
{
    if (r->left_out || r->wrong) {
        printf("%-8s %s: %s\n", r->rung->name, r->wrong ? "WRONG" : "left out", r->why);
        return;
    }
    if (climb->simulated) {
        printf("%-8s right %9" PRId64 " launches", r->rung->name, r->launches);
    } else {
        printf("%-8s right %9.3f ms %11.3e", r->rung->name, r->milliseconds, r->rate);
        if (before > 0) printf(" %8.2fx", r->rate / before);
        else printf("         -");
    }
    printf("  %s\n", r->rung->idea);
}

static void print_table(const struct life_climb *climb, const tally_device *device)
{
    double before = 0;
    printf("%s: %s\n", device->name, device->description);
    printf("life, torus of %" PRId64 " x %" PRId64 ", %" PRId64 " generations, checked against %s\n\n", climb->width,
           climb->height, climb->generations, climb->checked_against);
    if (!climb->simulated) printf("%-8s %5s %12s %11s %9s\n", "", "", "time", "updates/s", "step");
    for (int i = 0; i < climb->result_count; i++) {
        print_result(climb, &climb->results[i], before);
        if (climb->results[i].rate > 0) before = climb->results[i].rate;
    }
}

static void print_json(const struct life_climb *climb, const tally_device *device)
{
    printf("{\"ladder\": \"life\", \"device\": \"%s\", \"description\": \"%s\", \"width\": %" PRId64
           ", \"height\": %" PRId64 ", \"generations\": %" PRId64 ", \"checked_against\": \"%s\", \"rungs\": [",
           device->name, device->description, climb->width, climb->height, climb->generations, climb->checked_against);
    for (int i = 0; i < climb->result_count; i++) {
        const struct life_rung_result *r = &climb->results[i];
        printf("%s\n  {\"rung\": \"%s\", \"state\": \"%s\"", i > 0 ? "," : "", r->rung->name,
               r->wrong      ? "wrong"
               : r->left_out ? "left out"
                             : "right");
        if (r->wrong || r->left_out) printf(", \"why\": \"%s\"", r->why);
        else if (climb->simulated) printf(", \"launches\": %" PRId64, r->launches);
        else printf(", \"milliseconds\": %.6g, \"updates_per_second\": %.6g", r->milliseconds, r->rate);
        printf("}");
    }
    printf("\n]}\n");
}

/* Makes every mistake; how many of them were not seen, or -1. */
static int inject_bugs(const struct life_climb *climb, const char *rung)
{
    struct life_why why = {""};
    int missed = 0, made = 0;
    for (int i = 0; i < LIFE_MISTAKES; i++) {
        const struct life_mistake *mistake = &life_mistakes[i];
        char seen[400] = "";
        bool caught = false;
        if (rung != NULL && strcmp(rung, mistake->rung) != 0) continue;
        if (!life_try_mistake(climb->context, mistake, &caught, seen, &why)) {
            io_fail("ladder: %s", why.text);
            return -1;
        }
        printf("%-26s %-20s %s\n    %s\n    %s\n", mistake->name, mistake->rung, caught ? "caught" : "NOT CAUGHT",
               mistake->what, seen);
        missed += !caught;
        made++;
    }
    printf("%d mistakes made, %d caught\n", made, made - missed);
    return missed;
}

static int climb_and_show(struct life_climb *climb, const cli_options *options)
{
    struct life_why why = {""};
    tally_device device = {.size = sizeof device};
    if (options->inject_bug) {
        const int missed = inject_bugs(climb, options->rung);
        return missed < 0 ? cli_bad_input() : missed > 0 ? CLI_BAD_INPUT : CLI_OK;
    }
    if (tally_device_info(climb->context, &device) != TALLY_OK) cli_fail_call("ladder");
    else if (!life_climb_all(climb, options->rung, &why)) io_fail("ladder: %s", why.text);
    else {
        if (options->json) print_json(climb, &device);
        else print_table(climb, &device);
        for (int i = 0; i < climb->result_count; i++)
            if (climb->results[i].wrong) return CLI_BAD_INPUT;
        return CLI_OK;
    }
    return cli_bad_input();
}

int cli_ladder_life(const cli_arguments *arguments)
{
    const cli_options *options = &arguments->options;
    struct life_climb climb = {.simulated = options->device != NULL && strcmp(options->device, "simt") == 0};
    if (!check_options(options) || !ladder_check_device(options->device)) return cli_bad_usage();
    if (options->source) {
        print_source(life_find_rung(options->rung));
        return CLI_OK;
    }
    tally_status status = tally_open(options->device != NULL ? options->device : "cuda", &climb.context);
    if (options->device == NULL && status == TALLY_NO_DEVICE) {
        climb.simulated = true;
        status = tally_open("simt", &climb.context);
    }
    if (status != TALLY_OK) {
        io_fail("--device: %s", tally_last_error());
        return cli_bad_usage();
    }
    const int done = choose_world(options, &climb) ? climb_and_show(&climb, options) : cli_bad_usage();
    tally_close(climb.context);
    return done;
}
