/* SPDX-License-Identifier: MIT
 *
 * life.c - times Conway's Life on a device: soups that are dense all over, and worlds that have mostly settled, each
 * after a check of its cells. JSON lines on standard output.
 *
 *     bench_life [DEVICE [RULE]]      default: cpu:1; a rule is its masks of born and survives in hexadecimal: 48/c
 *     bench_life --rle WIDTH HEIGHT   the soup of that size, for other programs
 *
 * Worlds of up to 2^20 cells are checked against the obvious loop, larger ones against the same engine at one
 * generation a step, which uses neither its blocking in time nor what it knows of cells that stand still. Worlds that
 * have settled are checked once more by that at the end, after all that was timed. */
#define _POSIX_C_SOURCE 200809L
#include "engines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 9
#define CHECKED_GENERATIONS 25
#define NAIVE_CELLS (1 << 20)

enum world { SOUP, SETTLED, METHUSELAH };
static const char *const world_names[] = {"soup", "settled soup", "r-pentomino"};

/* before: generations that are made first and not timed. */
static const struct bench_case {
    enum world world;
    int64_t width, height, before, generations;
} cpu_cases[] = {
    {SOUP, 64, 64, 0, 228},
    {SOUP, 256, 256, 0, 228},
    {SOUP, 1000, 1000, 0, 240},
    {SOUP, 1024, 1024, 0, 240},
    {SOUP, 2048, 2048, 0, 240},
    {SOUP, 4096, 1024, 0, 240},
    {SOUP, 4096, 4096, 0, 120},
    {SOUP, 16384, 16384, 0, 24},
    {SOUP, 65536, 8192, 0, 24},
    {SETTLED, 512, 512, 20000, 600},
    {SETTLED, 2048, 2048, 20000, 600},
    {SETTLED, 16384, 4096, 3000, 600},
    {METHUSELAH, 16384, 16384, 0, 1200},
};

static const struct bench_case gpu_cases[] = {
    {SOUP, 64, 64, 0, 100000},           {SOUP, 256, 256, 0, 48000},          {SOUP, 1024, 1024, 0, 48000},
    {SOUP, 2048, 2048, 0, 24000},        {SOUP, 4096, 4096, 0, 24000},        {SOUP, 5000, 5000, 0, 4000},
    {SOUP, 8192, 8192, 0, 8000},         {SOUP, 16384, 16384, 0, 1600},       {SOUP, 32768, 32768, 0, 480},
    {SOUP, 65536, 65536, 0, 160},        {SOUP, 65537, 65535, 0, 160},        {SETTLED, 16384, 16384, 20000, 800},
    {SETTLED, 65536, 65536, 20000, 800}, {METHUSELAH, 65536, 65536, 0, 1200},
};

static struct life_why why;

static void stop(const char *what)
{
    fprintf(stderr, "bench_life: %s: %s\n", what, why.text);
    exit(1);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static struct life_grid new_grid(int64_t width, int64_t height)
{
    struct life_grid grid;
    if (!life_grid_new(&grid, width, height, &why)) stop("a picture");
    return grid;
}

static struct life_grid make_cells(enum world world, int64_t width, int64_t height)
{
    struct life_grid grid = new_grid(width, height);
    uint64_t state = 1;
    if (world == METHUSELAH) {
        static const int64_t cells[][2] = {{1, 0}, {2, 0}, {0, 1}, {1, 1}, {1, 2}};
        for (int i = 0; i < 5; i++) life_set(&grid, width / 2 + cells[i][0], height / 2 + cells[i][1], true);
        return grid;
    }
    for (int64_t y = 0; y < height; y++) {
        uint64_t *row = grid.bits + y * grid.words;
        for (int64_t w = 0; w < grid.words; w++) row[w] = random_bits(&state);
        if (width % 64 != 0) row[grid.words - 1] &= ((uint64_t)1 << width % 64) - 1;
    }
    return grid;
}

static void *open_world(const struct life_engine *engine, tally_context *context, const struct life_problem *problem,
                        const struct life_grid *cells)
{
    void *world = NULL;
    if (!engine->open(context, problem, &world, &why) || !engine->write(world, cells, &why)) stop("opening a world");
    return world;
}

static struct life_grid after(const struct life_engine *engine, tally_context *context,
                              const struct life_problem *problem, const struct life_grid *cells, int64_t generations,
                              int64_t most)
{
    struct life_grid grid = new_grid(problem->width, problem->height);
    void *world = open_world(engine, context, problem, cells);
    for (int64_t left = generations; left > 0; left -= most)
        if (!engine->step(world, left < most ? left : most, &why)) stop("a step");
    if (!engine->read(world, &grid, &why)) stop("reading");
    engine->close(world);
    return grid;
}

/* Says by what a case's cells were checked, or ends the program. */
static const char *check(const struct life_engine *engine, tally_context *context, const struct life_problem *problem,
                         const struct life_grid *cells)
{
    const bool small = problem->width * problem->height <= NAIVE_CELLS;
    const struct life_engine *other = small ? &life_naive : engine;
    struct life_grid got = after(engine, context, problem, cells, CHECKED_GENERATIONS, CHECKED_GENERATIONS);
    struct life_grid want = after(other, context, problem, cells, CHECKED_GENERATIONS, 1);
    if (memcmp(got.bits, want.bits, (size_t)(got.words * got.height) * sizeof *got.bits) != 0) {
        fprintf(stderr, "bench_life: wrong cells at %" PRId64 " x %" PRId64 "\n", problem->width, problem->height);
        exit(1);
    }
    life_grid_free(&got);
    life_grid_free(&want);
    return small ? "naive" : "steps of 1";
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* All that was timed, in steps of 1. */
static void check_settled(const struct life_engine *engine, tally_context *context, const struct life_problem *problem,
                          const struct life_grid *cells, int64_t generations, void *world)
{
    struct life_grid got = new_grid(problem->width, problem->height);
    if (!engine->read(world, &got, &why)) stop("reading");
    struct life_grid want = after(engine, context, problem, cells, generations, 1);
    if (memcmp(got.bits, want.bits, (size_t)(got.words * got.height) * sizeof *got.bits) != 0) {
        fprintf(stderr, "bench_life: wrong cells at the end, %" PRId64 " x %" PRId64 "\n", problem->width,
                problem->height);
        exit(1);
    }
    life_grid_free(&got);
    life_grid_free(&want);
}

static void time_case(tally_context *context, struct life_rule rule, const struct bench_case *row)
{
    const struct life_problem problem = {row->width, row->height, rule, LIFE_TORUS};
    const struct life_engine *engine = life_engine_for(context, &problem);
    tally_device device = {.size = sizeof device};
    double seconds[ROUNDS];
    struct life_grid cells = make_cells(row->world, row->width, row->height);
    const char *checked = check(engine, context, &problem, &cells);
    void *world = open_world(engine, context, &problem, &cells);
    if (row->before > 0 && (!engine->step(world, row->before, &why) || !engine->read(world, &cells, &why)))
        stop("a step");
    for (int i = 0; i < ROUNDS; i++) {
        if (row->world != SETTLED && !engine->write(world, &cells, &why)) stop("writing");
        tally_synchronize(context);
        const double start = now();
        if (!engine->step(world, row->generations, &why)) stop("a step");
        tally_synchronize(context);
        seconds[i] = now() - start;
    }
    if (row->world == SETTLED) check_settled(engine, context, &problem, &cells, ROUNDS * row->generations, world);
    qsort(seconds, ROUNDS, sizeof *seconds, by_value);
    const double updates = (double)(row->width * row->height * row->generations);
    tally_device_info(context, &device);
    printf("{\"life\": \"%s\", \"engine\": \"%s\", \"device\": \"%s\", \"set\": \"%s\", \"rule\": \"%x/%x\", "
           "\"width\": %" PRId64 ", \"height\": %" PRId64 ", \"generations\": %" PRId64 ", \"checked\": \"%s\", "
           "\"seconds\": %.3e, \"updates_per_second\": %.3e, \"best_updates_per_second\": %.3e}\n",
           world_names[row->world], engine->name, device.name, device.instruction_set, (unsigned)rule.born,
           (unsigned)rule.survives, row->width, row->height, row->generations, checked, seconds[ROUNDS / 2],
           updates / seconds[ROUNDS / 2], updates / seconds[0]);
    fflush(stdout);
    engine->close(world);
    life_grid_free(&cells);
}

static void write_rle(int64_t width, int64_t height)
{
    struct life_grid grid = make_cells(SOUP, width, height);
    printf("x = %" PRId64 ", y = %" PRId64 ", rule = B3/S23:T%" PRId64 ",%" PRId64 "\n", width, height, width, height);
    for (int64_t y = 0; y < height; y++) {
        for (int64_t x = 0; x < width; x++) {
            putchar(life_get(&grid, x, y) ? 'o' : 'b');
            if (x % 70 == 69) putchar('\n');
        }
        printf("%c\n", y + 1 < height ? '$' : '!');
    }
    life_grid_free(&grid);
}

int main(int count, char **arguments)
{
    tally_context *context;
    struct life_rule rule = LIFE_CONWAY;
    if (count == 4 && strcmp(arguments[1], "--rle") == 0) {
        write_rle(atoll(arguments[2]), atoll(arguments[3]));
        return 0;
    }
    if (tally_open(count > 1 ? arguments[1] : "cpu:1", &context) != TALLY_OK) {
        fprintf(stderr, "bench_life: %s\n", tally_last_error());
        return 1;
    }
    if (count > 2) {
        char *survives = NULL;
        rule.born = (uint16_t)strtoul(arguments[2], &survives, 16);
        if (*survives == '/') rule.survives = (uint16_t)strtoul(survives + 1, NULL, 16);
    }
    tally_device device = {.size = sizeof device};
    const bool on_gpu = tally_device_info(context, &device) == TALLY_OK && strncmp(device.name, "cpu", 3) != 0;
    const struct bench_case *cases = on_gpu ? gpu_cases : cpu_cases;
    const size_t case_count = on_gpu ? sizeof gpu_cases / sizeof gpu_cases[0] : sizeof cpu_cases / sizeof cpu_cases[0];
    for (size_t i = 0; i < case_count; i++) time_case(context, rule, &cases[i]);
    tally_close(context);
    return 0;
}
