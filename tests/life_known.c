/* SPDX-License-Identifier: MIT
 *
 * life_known.c - every engine on patterns whose histories are published: populations, gliders that come home, periods.
 * The long ones are for fast engines in builds that are fast. */
#include "engines.h"
#include "pattern.h"
#include "test.h"

/* What engines of a kind are asked for, in cells times generations. */
#define FEW 400000
#define MANY 20000000
#ifdef NDEBUG
#define ALL INT64_MAX
#else
#define ALL MANY
#endif

static const char
    r_pentomino[] = "b2o$2o$bo!",
    acorn[] = "bo$3bo$2o2b3o!", diehard[] = "6bo$2o$bo3b3o!", glider[] = "bo$2bo$3o!", blinker[] = "3o!",
    gun[] = "24bo$22bobo$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o$2o8bo3bob2o4bobo$10bo5bo7bo$11bo3bo$12b2o!",
    pulsar[] = "2b3o3b3o2$o4bobo4bo$o4bobo4bo$o4bobo4bo$2b3o3b3o2$2b3o3b3o$o4bobo4bo$o4bobo4bo$o4bobo4bo2$"
               "2b3o3b3o!";

struct history {
    const char *name, *pattern;
    int64_t side;
    enum life_edges edges;
    int64_t known[8][2]; /* generation, population; the end is 0 0 */
};

static const struct history histories[] = {
    {"R-pentomino", r_pentomino, 256, LIFE_TORUS, {{0, 5}, {69, 52}, {100, 121}, {200, 120}}},
    {"R-pentomino", r_pentomino, 1024, LIFE_TORUS, {{500, 174}, {1000, 156}, {1102, 118}, {1103, 116}, {1200, 116}}},
    {"acorn", acorn, 2048, LIFE_TORUS, {{5205, 635}, {5206, 633}}},
    {"diehard", diehard, 128, LIFE_DEAD, {{0, 7}, {129, 2}, {130, 0}}},
    {"Gosper's gun", gun, 160, LIFE_DEAD, {{0, 36}, {30, 41}, {60, 46}, {90, 51}, {120, 56}}},
    {"Gosper's gun", gun, 1024, LIFE_TORUS, {{300, 86}, {3000, 536}}},
    {"pulsar", pulsar, 32, LIFE_TORUS, {{0, 48}, {1, 56}, {2, 72}, {3, 48}, {300, 48}}},
    {"blinker", blinker, 5, LIFE_DEAD, {{0, 3}, {1, 3}, {1000, 3}}},
    {"glider", glider, 64, LIFE_TORUS, {{0, 5}, {1, 5}, {2, 5}, {3, 5}, {4, 5}}},
};

/* The pattern in the middle of a world of an engine; false when the engine does not do that. */
static bool open_world(const struct life_engine *engine, tally_context *context, const struct life_problem *problem,
                       const char *file, void **world, struct life_grid *grid)
{
    struct life_pattern pattern;
    struct life_why why = {""};
    *world = NULL;
    if (engine->refuses(context, problem) != NULL) return false;
    CHECK(life_pattern_read(file, strlen(file), LIFE_PATTERN_CELLS, &pattern, &why));
    CHECK(life_grid_new(grid, problem->width, problem->height, &why) && life_pattern_place(&pattern, grid, &why));
    life_pattern_free(&pattern);
    CHECK(engine->open(context, problem, world, &why) && engine->write(*world, grid, &why));
    return true;
}

static void check_history(const struct life_engine *engine, tally_context *context, const struct history *history)
{
    const struct life_problem problem = {history->side, history->side, LIFE_CONWAY, history->edges};
    struct life_why why = {""};
    struct life_grid grid;
    void *world;
    int64_t generation = 0;
    if (!open_world(engine, context, &problem, history->pattern, &world, &grid)) return;
    for (int i = 0; i < 8 && (history->known[i][0] != 0 || history->known[i][1] != 0); i++) {
        CHECK(engine->step(world, history->known[i][0] - generation, &why) && engine->read(world, &grid, &why));
        generation = history->known[i][0];
        if (!CHECK_EQUAL_I64(life_population(&grid), history->known[i][1]))
            fprintf(stderr, "    %s of %s at %" PRId64 "\n", history->name, engine->name, generation);
    }
    engine->close(world);
    life_grid_free(&grid);
}

/* A glider goes one step down and to the right every four generations, around the torus. */
static void check_glider(const struct life_engine *engine, tally_context *context, int64_t width, int64_t height,
                         int64_t generations)
{
    const struct life_problem problem = {width, height, LIFE_CONWAY, LIFE_TORUS};
    struct life_why why = {""};
    struct life_grid grid, want;
    void *world;
    if (!open_world(engine, context, &problem, glider, &world, &grid)) return;
    const struct life_box moved = {-(generations / 4), -(generations / 4), width, height};
    CHECK(life_cut(&grid, &moved, LIFE_TORUS, &want, &why));
    CHECK(engine->step(world, generations, &why) && engine->read(world, &grid, &why));
    CHECK(life_same(&grid, &want));
    engine->close(world);
    life_grid_free(&grid);
    life_grid_free(&want);
}

/* Cells times generations. */
static int64_t updates_of(const struct history *history)
{
    int64_t last = 0;
    for (int i = 0; i < 8; i++) last = history->known[i][0] > last ? history->known[i][0] : last;
    return history->side * history->side * last;
}

static void check_engine(const struct life_engine *engine, tally_context *context, int64_t most_updates)
{
    for (size_t i = 0; i < sizeof histories / sizeof histories[0]; i++)
        if (updates_of(&histories[i]) <= most_updates) check_history(engine, context, &histories[i]);
    check_glider(engine, context, 12, 9, 4);
    check_glider(engine, context, 12, 9, 144);
    if (most_updates >= MANY) check_glider(engine, context, 67, 130, 1000);
    if (most_updates == INT64_MAX) check_glider(engine, context, 128, 48, 1000000);
}

int main(void)
{
    static const char *const devices[] = {"cpu", "simt"};
    for (size_t d = 0; d < sizeof devices / sizeof devices[0]; d++) {
        tally_context *context = NULL;
        if (tally_open(devices[d], &context) != TALLY_OK) continue; /* not in this build */
        const bool simulated = strcmp(devices[d], "simt") == 0;
        for (int i = 0; life_engines[i] != NULL; i++) {
            const bool naive = life_engines[i] == &life_naive;
            if (naive && simulated) continue; /* the same as on the CPU */
            test.section = life_engines[i]->name;
            check_engine(life_engines[i], context, simulated ? FEW : naive ? MANY : ALL);
        }
        tally_close(context);
    }
    return test_finish("life_known");
}
