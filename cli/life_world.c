/* SPDX-License-Identifier: MIT
 *
 * life_world.c - tally life: from options and a file to a world: its size, rule, engine and first cells. */
#include "life_run.h"
#include "engines.h"
#include "io/error.h"
#include "io/number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_GENERATIONS 1000000000000000 /* no machine makes more */

/* NULL leaves the number as it is. */
static bool parse_whole(const char *option, const char *text, int64_t least, int64_t most, int64_t *number)
{
    int64_t value = 0;
    if (text == NULL) return true;
    if (io_number_parse(text, strlen(text), TALLY_I64, &value) != IO_NUMBER_OK || value < least || value > most)
        return io_fail("--%s '%.80s' is not a number from %" PRId64 " to %" PRId64, option, text, least, most);
    *number = value;
    return true;
}

/* "30,20", or "30" for 30 x 30. */
static bool parse_sizes(const char *option, const char *text, struct life_problem *problem)
{
    const size_t comma = strcspn(text, ",");
    int64_t width = 0, height = 0;
    const bool sound = io_number_parse(text, comma, TALLY_I64, &width) == IO_NUMBER_OK &&
                       (text[comma] == '\0' || io_number_parse(text + comma + 1, strlen(text + comma + 1), TALLY_I64,
                                                               &height) == IO_NUMBER_OK);
    if (text[comma] == '\0') height = width;
    if (!sound || width < 1 || height < 1 || height > LIFE_MOST_CELLS / width)
        return io_fail("--%s '%.80s' is not a size such as 640,480 (up to 2^40 cells)", option, text);
    problem->width = width;
    problem->height = height;
    return true;
}

static bool parse_style(const char *text, enum life_style *style)
{
    static const char *const names[] = {"half", "braille", "ascii"};
    cli_nearest nearest = {.wanted = text};
    for (int i = 0; text != NULL && i < 3; i++) {
        cli_nearest_try(&nearest, names[i]);
        if (strcmp(text, names[i]) != 0) continue;
        *style = (enum life_style)i;
        return true;
    }
    return text == NULL ||
           cli_fail_unknown("--cells: unknown characters", &nearest, "known are half, braille and ascii");
}

/* "4", "1/16" */
static bool parse_scale(const char *text, cli_life_colours *colours)
{
    const bool down = text != NULL && strncmp(text, "1/", 2) == 0;
    if (text == NULL) return true;
    colours->enlarge = colours->shrink = 1;
    if (parse_whole("scale", down ? text + 2 : text, 1, down ? 65536 : 64, down ? &colours->shrink : &colours->enlarge))
        return true;
    return io_fail("--scale '%.80s' is not 1 to 64, or 1/2 to 1/65536", text);
}

static bool parse_colour(const char *text, uint8_t *colour)
{
    char *end = NULL;
    if (*text == '#') text++;
    const unsigned long value = strtoul(text, &end, 16);
    if (end != text + 6 || strspn(text, "0123456789abcdefABCDEF") < 6) return false;
    for (int i = 0; i < 3; i++) colour[i] = (uint8_t)(value >> (16 - 8 * i));
    return true;
}

static bool parse_colours(const char *text, cli_life_colours *colours)
{
    if (text == NULL) return true;
    const char *comma = strchr(text, ',');
    return (comma != NULL && parse_colour(text, colours->dead) && parse_colour(comma + 1, colours->alive) &&
            comma - text == 6 + (*text == '#') && strlen(comma + 1) == 6u + (comma[1] == '#')) ||
           io_fail("--colours '%.80s' is not two colours such as 000000,ffffff", text);
}

static bool parse_run(cli_life_run *run)
{
    const cli_options *options = run->options;
    enum life_format format = LIFE_RLE;
    bool compressed = false;
    run->rate = 10;
    run->last = options->live ? -1 : 0;
    memset(run->colours.alive, 0xff, sizeof run->colours.alive);
    if (!parse_whole("generations", options->generations, 0, MOST_GENERATIONS, &run->last) ||
        !parse_whole("step", options->life_step, 1, MOST_GENERATIONS, &run->step) ||
        !parse_whole("period", options->period, 1, MOST_GENERATIONS, &run->period_limit) ||
        !parse_whole("rate", options->rate, 1, 60, &run->rate) || !parse_style(options->characters, &run->style) ||
        !parse_scale(options->scale, &run->colours) || !parse_colours(options->colours, &run->colours))
        return false;
    if (options->live && (options->output != NULL || options->json || run->period_limit > 0))
        return io_fail("--live shows the world and writes nothing: leave --output, --json and --period out");
    if (options->output != NULL && strcmp(options->output, "-") == 0) {
        if (options->json || options->benchmark || options->life_stats || run->period_limit > 0)
            return io_fail(
                "--output - writes the pattern alone: leave --json, --stats, --period and --benchmark out, or name a "
                "file");
        if (run->step > 0) return io_fail("--output - writes one pattern: leave --step out, or name a file");
    }
    if (options->torus != NULL && options->dead_edges != NULL)
        return io_fail("--torus and --dead are two kinds of world: choose one");
    return options->output == NULL ||
           (cli_life_kind_of(options->output, &run->kind, &format, &compressed) && cli_life_can_draw(run->kind));
}

/* A size that the user gave, for the pattern or the soup to fit into. */
static bool parse_world(const cli_options *options, struct life_rule_text *rule, bool *ruled,
                        struct life_problem *problem)
{
    struct life_why why = {""};
    if (options->rule != NULL) {
        if (!life_rule_parse(options->rule, strlen(options->rule), rule, &why)) return cli_life_fail("--rule", &why);
        *ruled = true;
        if (rule->bounded) {
            problem->edges = rule->edges;
            problem->width = rule->width;
            problem->height = rule->height;
        }
    }
    if (options->torus != NULL) {
        problem->edges = LIFE_TORUS;
        return parse_sizes("torus", options->torus, problem);
    }
    if (options->dead_edges == NULL) return true;
    problem->edges = LIFE_DEAD;
    return parse_sizes("dead", options->dead_edges, problem);
}

/* Cells from side to side of the smallest world that holds the pattern where it lies. */
static int64_t reach_of(int64_t size, bool placed, int64_t at)
{
    const int64_t before = at < 0 ? -at : 0, behind = at + size > 0 ? at + size : 0;
    if (!placed) return size;
    return before >= behind ? 2 * before : 2 * behind - 1; /* cell 0 is the first of the larger half */
}

/* The lowest power of two, 256 or more, that is at least as large. */
static int64_t round_up(int64_t size)
{
    int64_t room = 256;
    while (room < size) room *= 2;
    return room;
}

/* Where nobody gave a size: a torus of four times the pattern, or of once when that is large, and in the last resort
 * one that just holds it. */
static bool choose_size(const char *name, const struct life_pattern *pattern, struct life_problem *problem)
{
    const bool placed = pattern->placed && pattern->cells.width > 0;
    const int64_t width = reach_of(pattern->cells.width, placed, pattern->x);
    const int64_t height = reach_of(pattern->cells.height, placed, pattern->y);
    for (int64_t times = 4; times >= 0; times -= times == 4 ? 3 : 1) {
        problem->width = times > 0 ? round_up(times * width) : width;
        problem->height = times > 0 ? round_up(times * height) : height;
        if (problem->height <= LIFE_PATTERN_CELLS / problem->width) return true;
    }
    return io_fail("%s: a world of %" PRId64 " x %" PRId64
                   " cells would hold it, expected at most 2^32 cells; --torus W,H gives a size",
                   name, width, height);
}

static bool parse_soup(const cli_options *options, double *density, uint64_t *seed)
{
    *density = 0.25;
    *seed = 1;
    if (options->soup != NULL &&
        (io_number_parse(options->soup, strlen(options->soup), TALLY_F64, density) != IO_NUMBER_OK ||
         !(*density >= 0 && *density <= 1)))
        return io_fail("--soup '%.80s' is not a probability from 0 to 1", options->soup);
    return options->seed == NULL ||
           io_number_parse(options->seed, strlen(options->seed), TALLY_U64, seed) == IO_NUMBER_OK ||
           io_fail("--seed '%.80s' is not a number from 0 to 2^64 - 1", options->seed);
}

static bool choose_engine(cli_life_run *run)
{
    const char *name = run->options->engine, *refused = NULL;
    if (name == NULL || strcmp(name, "auto") == 0) {
        run->engine = life_engine_for(run->context, &run->problem);
        return true;
    }
    const struct life_engine *engine = life_engine_named(name);
    cli_nearest nearest = {.wanted = name};
    cli_nearest_try(&nearest, "auto");
    for (int i = 0; life_engines[i] != NULL; i++) cli_nearest_try(&nearest, life_engines[i]->name);
    if (engine == NULL) return cli_fail_unknown("--engine: unknown engine", &nearest, "tally life --help lists them");
    refused = engine->refuses(run->context, &run->problem);
    if (refused != NULL) return io_fail("--engine %s: %s", name, refused);
    run->engine = engine;
    return true;
}

/* The first cells, into a world of the engine's. */
static bool fill_world(cli_life_run *run, const char *file, const struct life_pattern *pattern, double density,
                       uint64_t seed)
{
    struct life_why why = {""};
    if (!life_grid_new(&run->grid, run->problem.width, run->problem.height, &why)) return cli_life_fail("life", &why);
    if (file == NULL) life_soup(&run->grid, density, seed);
    else if (!life_pattern_place(pattern, &run->grid, &why)) return cli_life_fail(cli_life_name(file), &why);
    const struct life_engine *engine = run->engine;
    run->engine = NULL; /* nothing to close until it is open */
    if (!engine->open(run->context, &run->problem, &run->world, &why)) return cli_life_fail("life", &why);
    run->engine = engine;
    return engine->write(run->world, &run->grid, &why) || cli_life_fail("life", &why);
}

static bool take_pattern(cli_life_run *run, const char *file, struct life_pattern *pattern, bool ruled,
                         struct life_rule_text *rule)
{
    struct life_problem *problem = &run->problem;
    const int64_t given = problem->width * problem->height;
    if (!cli_life_load(file, given > LIFE_PATTERN_CELLS ? given : LIFE_PATTERN_CELLS, pattern)) return false;
    run->comments = pattern->comments;
    run->generation = pattern->generation;
    if (pattern->has_rule && !ruled) *rule = pattern->rule;
    if (problem->width == 0 && pattern->has_rule && pattern->rule.bounded) {
        problem->width = pattern->rule.width;
        problem->height = pattern->rule.height;
        problem->edges = pattern->rule.edges;
    }
    if (problem->width == 0) {
        if (!choose_size(cli_life_name(file), pattern, problem)) return false;
        run->size_chosen = true;
    }
    if (run->last >= 0) run->last += run->generation;
    return true;
}

bool cli_life_open(cli_life_run *run, const cli_arguments *arguments, struct life_pattern *pattern, bool *usage)
{
    const cli_options *options = run->options;
    const char *file = arguments->count > 0 ? arguments->words[0] : NULL;
    struct life_rule_text rule = {.rule = LIFE_CONWAY};
    bool ruled = false;
    double density;
    uint64_t seed;
    *usage = true;
    if (!parse_run(run) || !parse_world(options, &rule, &ruled, &run->problem) || !parse_soup(options, &density, &seed))
        return false;
    if (file != NULL && (options->soup != NULL || options->seed != NULL))
        return io_fail("--soup and --seed are in place of a file: leave '%.80s' out", file);
    if (options->live && !cli_life_live_ready(run)) return false;
    if (!cli_open_context(options, &run->context)) return false;
    *usage = false;
    if (file != NULL && !take_pattern(run, file, pattern, ruled, &rule)) return false;
    if (run->problem.width == 0) {
        run->problem.width = run->problem.height = 256;
        run->size_chosen = true;
    }
    run->problem.rule = rule.rule;
    cli_life_fit(&run->colours, &(struct life_grid){run->problem.width, run->problem.height, 0, NULL});
    if (!cli_life_pixels_fit(run)) return false;
    *usage = true;
    if (!choose_engine(run)) return false;
    *usage = false;
    return fill_world(run, file, pattern, density, seed);
}
