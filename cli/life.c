/* SPDX-License-Identifier: MIT
 *
 * life.c - tally life: opens a world, makes its generations, and reports, writes or shows them. */
#define _POSIX_C_SOURCE 200809L
#include "life_run.h"
#include "io/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define FIRST_NAMES 100    /* of a series that are tried wholly */
#define MOST_NAMES 1000000 /* that are looked at */

bool cli_life_fail(const char *name, const struct life_why *why)
{
    return io_fail("%s: %s", name, why->text);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool cli_life_advance(cli_life_run *run, int64_t generations)
{
    struct life_why why = {""};
    const double begin = now();
    if (!run->engine->step(run->world, generations, &why)) return cli_life_fail("life", &why);
    if (tally_synchronize(run->context) != TALLY_OK) return cli_fail_call("life");
    run->seconds += now() - begin;
    run->generation += generations;
    run->made += generations;
    return run->engine->read(run->world, &run->grid, &why) || cli_life_fail("life", &why);
}

/* "out.rle" and 100 is "out-100.rle", and "v1.5.rle.gz" is "v1.5-100.rle.gz": before the ending, which is known. */
static bool series_name(const char *path, int64_t generation, char *name, size_t room)
{
    size_t stem = strlen(path);
    if (stem > 3 && strcmp(path + stem - 3, ".gz") == 0) stem -= 3;
    do stem--;
    while (stem > 0 && path[stem] != '.');
    const int length = snprintf(name, room, "%.*s-%" PRId64 "%s", (int)stem, path, generation, path + stem);
    return (length > 0 && (size_t)length < room) || io_fail("%.80s...: the name is too long", path);
}

/* A name that is there already may be that of something that is no file. */
static bool try_name(const char *name, bool wholly)
{
    struct stat status;
    return (!wholly && stat(name, &status) != 0) || cli_life_try_output(name);
}

/* Before the long run: whether what is to be written can be. Of a series, the first names and the last by a file, and
 * those between by what is there, which takes a second for a million. */
static bool try_outputs(const cli_life_run *run)
{
    const char *path = run->options->output;
    int64_t generation = run->generation;
    char name[4096];
    if (path == NULL) return true;
    if (run->step == 0 || run->kind == CLI_LIFE_GIF) return cli_life_try_output(path);
    for (int64_t tried = 0; generation < run->last && tried < MOST_NAMES; tried++) {
        if (!series_name(path, generation, name, sizeof name) || !try_name(name, tried < FIRST_NAMES)) return false;
        generation += run->step < run->last - generation ? run->step : run->last - generation;
    }
    return series_name(path, run->last, name, sizeof name) && try_name(name, true);
}

/* What is said and written of a generation on the way, and of the last. */
static bool show(cli_life_run *run)
{
    char name[4096];
    const char *path = run->options->output;
    const bool wanted = run->step > 0 || run->generation == run->last;
    if (wanted && !run->options->quiet && (path == NULL || strcmp(path, "-") != 0)) cli_life_report(run);
    if (path == NULL) return true;
    if (run->gif != NULL) return cli_life_gif_add(run);
    if (run->step == 0) return cli_life_save(run, path);
    return series_name(path, run->generation, name, sizeof name) && cli_life_save(run, name);
}

static bool make_generations(cli_life_run *run)
{
    const bool drawing = run->gif != NULL && run->step == 0;
    const int64_t step = run->step > 0 ? run->step : drawing ? 1 : run->last - run->generation;
    if ((run->step > 0 || drawing) && run->last > run->generation && !show(run)) return false;
    while (run->generation < run->last) {
        const int64_t left = run->last - run->generation;
        if (!cli_life_advance(run, left < step ? left : step)) return false;
        if (run->generation < run->last && !show(run)) return false;
    }
    return show(run);
}

static bool find_period(cli_life_run *run, struct life_period *period)
{
    struct life_why why = {""};
    *period = (struct life_period){0, 0, 0};
    return run->period_limit == 0 ||
           life_find_period(run->engine, run->world, &run->problem, run->period_limit, period, &why) ||
           cli_life_fail("--period", &why);
}

static bool run_and_report(cli_life_run *run)
{
    struct life_period period;
    if (!make_generations(run) || !find_period(run, &period)) {
        cli_life_print_failure(run);
        return false;
    }
    if (!run->options->quiet) cli_life_print_end(run, &period);
    return true;
}

static bool run_world(cli_life_run *run)
{
    if (run->options->live) return cli_life_live(run);
    if (!try_outputs(run)) return false;
    if (run->kind == CLI_LIFE_GIF && !cli_life_gif_open(run, run->options->output)) return false;
    bool sound = run_and_report(run);
    if (run->gif != NULL) sound = cli_life_gif_close(run, sound) && sound;
    return sound;
}

int cli_life(const cli_arguments *arguments)
{
    cli_life_run run = {.options = &arguments->options};
    struct life_pattern pattern = {.placed = false};
    bool usage = false;
    const bool opened = cli_life_open(&run, arguments, &pattern, &usage);
    const bool sound = opened && run_world(&run);
    if (run.engine != NULL) run.engine->close(run.world);
    life_grid_free(&run.grid);
    life_pattern_free(&pattern);
    if (run.context != NULL) tally_close(run.context);
    return sound ? CLI_OK : usage ? cli_bad_usage() : cli_bad_input();
}
