/* SPDX-License-Identifier: MIT
 *
 * bench_grid.c - the parts of the grid of tally bench, and the time that each of them may take. */
#include "bench.h"
#include "io/error.h"

#include <string.h>

#define PARTS ((int)(sizeof parts / sizeof parts[0]))

/* In the order in which they run: what is looked at most comes first. seconds: what a part takes on an H200, which is
 * its share where the time is limited. */
static const struct {
    const char *name;
    bench_part *cases;
    bench_runner *run;
    int seconds;
} parts[] = {
    {"reduce", bench_part_reduce, bench_one, 16},
    {"scan", bench_part_scan, bench_one, 35},
    {"jit", bench_part_jit, bench_jit, 17},
    {"scratch", bench_part_scratch, bench_scratch, 5},
    {"exact", bench_part_exact, bench_one, 10},
    {"rows", bench_part_rows, bench_one, 27},
    {"columns", bench_part_columns, bench_one, 37},
    {"axes", bench_part_axes, bench_one, 40},
    {"user", bench_part_user, bench_one, 10},
    {"field", bench_part_field, bench_one, 10},
    {"misaligned", bench_part_misaligned, bench_one, 16},
    {"small", bench_part_small, bench_one, 3},
    {"views", bench_part_views, bench_one, 25},
    {"numbers", bench_part_numbers, bench_one, 15},
};

static bool is_in(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; at != NULL; at = strchr(at, ','), at = at != NULL ? at + 1 : NULL) {
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0')) return true;
    }
    return list == NULL;
}

static bool check_part(const char *name)
{
    cli_nearest nearest = {.wanted = name};
    for (int i = 0; i < PARTS; i++) {
        if (strcmp(parts[i].name, name) == 0) return true;
        cli_nearest_try(&nearest, parts[i].name);
    }
    return cli_fail_unknown("--part: unknown part", &nearest, "tally bench --help lists them");
}

bool bench_grid_check(const char *grid, const char *list)
{
    if (strcmp(grid, "full") != 0 && strcmp(grid, "quick") != 0) {
        return io_fail("--grid '%.80s' is neither full nor quick", grid);
    }
    for (const char *at = list; at != NULL;) {
        char name[32];
        const size_t length = strcspn(at, ",");
        if (length >= sizeof name) return io_fail("--part: '%.80s' is no part of the grid", at);
        memcpy(name, at, length);
        name[length] = '\0';
        if (!check_part(name)) return false;
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    return true;
}

void bench_grid_choose(bench_report *report)
{
    const bench_state *state = &report->state;
    report->largest_power = state->simulated ? 14 : state->gpu ? 30 : 24;
    report->matrix_power = state->simulated ? 12 : state->gpu ? 28 : 22;
    if (!state->quick) return;
    report->largest_power = state->simulated ? 10 : state->gpu ? 24 : 16;
    report->matrix_power = state->simulated ? 10 : state->gpu ? 24 : 16;
}

/* The seconds of this part and of the chosen ones behind it. */
static double seconds_from(const bench_report *report, int part)
{
    double seconds = 0;
    for (int i = part; i < PARTS; i++) {
        if (is_in(report->options->grid_parts, parts[i].name)) seconds += parts[i].seconds;
    }
    return seconds;
}

static bool run_part(bench_report *report, int part, double end)
{
    const double begin = bench_now();
    report->part = parts[part].name;
    report->run = parts[part].run;
    report->late = 0;
    report->part_end = end > 0 ? begin + (end - begin) * parts[part].seconds / seconds_from(report, part) : 0;
    if (!parts[part].cases(report)) return false;
    if (report->state.compile_only) return true;
    printf("-- %s: %.1f s", parts[part].name, 1e-6 * (bench_now() - begin));
    if (report->late > 0) printf(", %d cases left out: its time was over", report->late);
    printf("\n");
    fflush(stdout);
    return true;
}

/* What a part leaves of its time goes to those behind it. */
bool bench_grid_run(bench_report *report)
{
    const double end = report->options->seconds > 0 ? bench_now() + 1e6 * (double)report->options->seconds : 0;
    for (int i = 0; i < PARTS; i++) {
        if (is_in(report->options->grid_parts, parts[i].name) && !run_part(report, i, end)) return false;
    }
    return true;
}
