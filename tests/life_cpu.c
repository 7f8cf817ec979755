/* SPDX-License-Identifier: MIT
 *
 * life_cpu.c - the fast CPU engine against the obvious loop, with every instruction set, several numbers of threads,
 * sizes around its words, lanes and tiles, and worlds whose future is known. */
#define _POSIX_C_SOURCE 200809L
#include "life_worlds.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SLOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SLOW 1
#endif
#endif
#ifndef SLOW
#define SLOW 0
#endif

static const char *const isas[] = {"base", "avx2", "avx512"};
#define ISAS (sizeof isas / sizeof isas[0])
#define MOST_THREADS 4

/* Of each instruction set, or the best one of the machine in its place, by the number of threads; and those in use. */
static tally_context *of_isa[ISAS][MOST_THREADS + 1], **contexts = of_isa[ISAS - 1];
static struct life_why why;

static const struct life_rule rules[] = {
    {1 << 3, 1 << 2 | 1 << 3},          /* Conway */
    {1 << 3 | 1 << 6, 1 << 2 | 1 << 3}, /* HighLife */
    {0x1c8, 0x1d8},                     /* Day & Night */
    {1 << 2, 0},                        /* Seeds */
    {0xaa, 0xaa},                       /* Replicator */
    {1 << 3, 0x1ff},                    /* Life without Death */
    {0x88, 0x0c},                       /* DryLife */
    {1 << 3, 0x3e},                     /* Maze */
    {0x48, 0x26},                       /* 2x2 */
    {0x148, 0x34},                      /* Morley */
    {0x1e8, 0x1e0},                     /* Diamoeba */
    {1 << 0 | 1 << 8, 1 << 1 | 1 << 3}, /* B08: dead edges stay dead */
    {1 << 0 | 1 << 1, 1 << 0 | 1 << 8}, /* 0 and 8 differ */
    {0, 0},
    {0x1ff, 0x1ff},
};
#define RULES (sizeof rules / sizeof rules[0])

static struct life_grid new_grid(int64_t width, int64_t height)
{
    struct life_grid grid;
    CHECK(life_grid_new(&grid, width, height, &why));
    return grid;
}

static struct life_grid soup(int64_t width, int64_t height)
{
    struct life_grid grid = new_grid(width, height);
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++) life_set(&grid, x, y, test_random() & 1);
    return grid;
}

static void *open_with(const struct life_engine *engine, tally_context *context, const struct life_problem *problem,
                       const struct life_grid *cells)
{
    void *world = NULL;
    CHECK(engine->open(context, problem, &world, &why) && engine->write(world, cells, &why));
    return world;
}

/* The picture after some generations, made in steps of at most `most`. */
static struct life_grid after(const struct life_engine *engine, tally_context *context,
                              const struct life_problem *problem, const struct life_grid *cells, int64_t generations,
                              int64_t most)
{
    struct life_grid grid = new_grid(problem->width, problem->height);
    void *world = open_with(engine, context, problem, cells);
    for (int64_t left = generations; left > 0; left -= most)
        CHECK(engine->step(world, left < most ? left : most, &why));
    CHECK(engine->read(world, &grid, &why));
    engine->close(world);
    return grid;
}

static void describe(const struct life_problem *problem, const char *isa, int threads, int64_t generations)
{
    fprintf(stderr, "  %d x %d, edges %d, rule %x/%x, %s, %d threads, %d generations\n", (int)problem->width,
            (int)problem->height, (int)problem->edges, (unsigned)problem->rule.born, (unsigned)problem->rule.survives,
            isa, threads, (int)generations);
}

/* A soup by all instruction sets, with one number of threads, against the obvious loop. */
static void agree(const struct life_problem *problem, int threads, int64_t generations, int64_t most)
{
    struct life_grid start = soup(problem->width, problem->height);
    struct life_grid want = after(&life_naive, NULL, problem, &start, generations, generations + 1);
    for (size_t i = 0; i < ISAS; i++) {
        struct life_grid got = after(&life_cpu, of_isa[i][threads], problem, &start, generations, most);
        if (!CHECK(same(&got, &want))) describe(problem, isas[i], threads, generations);
        life_grid_free(&got);
    }
    life_grid_free(&want);
    life_grid_free(&start);
}

static struct life_rule some_rule(void)
{
    if (test_random_below(3) == 0)
        return (struct life_rule){(uint16_t)test_random_below(512), (uint16_t)test_random_below(512)};
    return rules[test_random_below(RULES)];
}

static void check_sizes(void)
{
    for (int64_t width = 1; width <= 200; width += SLOW ? 3 : 1) {
        for (int edges = 0; edges < 2; edges++) {
            const int64_t generations = 1 + (int64_t)test_random_below(33);
            const struct life_problem problem = {width, 1 + (int64_t)test_random_below(40),
                                                 edges ? some_rule() : LIFE_CONWAY,
                                                 test_random() & 1 ? LIFE_DEAD : LIFE_TORUS};
            agree(&problem, 1 + (int)(width % MOST_THREADS), generations, 1 + (int64_t)test_random_below(33));
        }
    }
    for (int64_t height = 1; height <= 70; height += SLOW ? 5 : 1) {
        const struct life_problem problem = {1 + (int64_t)test_random_below(150), height, some_rule(),
                                             height % 2 ? LIFE_DEAD : LIFE_TORUS};
        agree(&problem, 1, height % 34, 34);
    }
}

/* Several threads have tiles from some hundreds of rows on; from 12,289 columns on these lie side by side, too. */
static void check_tiles(void)
{
    static const struct life_problem problems[] = {
        {520, 901, {1 << 3, 1 << 2 | 1 << 3}, LIFE_TORUS},
        {577, 1000, {1 << 3, 1 << 2 | 1 << 3}, LIFE_DEAD},
        {64, 6001, {0x48, 0x0c}, LIFE_TORUS},
        {3001, 197, {1 << 0 | 1 << 8, 0x0a}, LIFE_DEAD},
        {12289, 200, {1 << 3, 1 << 2 | 1 << 3}, LIFE_TORUS},
        {13001, 201, {1 << 3, 0x3e}, LIFE_DEAD},
    };
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        if (SLOW && i % 3 != 1) continue;
        agree(&problems[i], 2 + (int)i % 3, i < 4 ? 27 : 13, i < 4 ? 27 : 14);
    }
}

/* 3 x 3 cells whose middle becomes what the rule says, at every fourth place, moved over words and lanes. */
static void check_neighbourhoods(int64_t width, int64_t height, struct life_rule rule)
{
    const struct life_problem problem = {width, height, rule, LIFE_TORUS};
    const int64_t across = width / 4;
    struct life_grid got = new_grid(width, height);
    void *world = open_with(&life_cpu, contexts[1], &problem, &got);
    for (int64_t moved = 0; moved < (SLOW ? 40 : 4 * width); moved++) {
        const int64_t left = moved, top = (moved * 5 + moved / width) % height;
        struct life_grid start = new_grid(width, height);
        for (int64_t i = 0; i < across * (height / 4); i++)
            for (int c = 0; c < 9; c++)
                life_set(&start, (i % across * 4 + c % 3 + left) % width, (i / across * 4 + c / 3 + top) % height,
                         i % 512 >> c & 1);
        CHECK(life_cpu.write(world, &start, &why) && life_cpu.step(world, 1, &why));
        CHECK(life_cpu.read(world, &got, &why));
        int wrong = 0;
        for (int64_t i = 0; i < across * (height / 4); i++) {
            const int cells = (int)(i % 512), neighbours = __builtin_popcount((unsigned)cells & 0x1ef);
            const unsigned next = (cells >> 4 & 1 ? rule.survives : rule.born) >> neighbours & 1;
            wrong += life_get(&got, (i % across * 4 + 1 + left) % width, (i / across * 4 + 1 + top) % height) != next;
        }
        CHECK_EQUAL_I64(wrong, 0);
        life_grid_free(&start);
    }
    life_cpu.close(world);
    life_grid_free(&got);
}

static int64_t population_after(int threads, int64_t size, const char *const *pattern, int64_t generations)
{
    const struct life_problem problem = {size, size, LIFE_CONWAY, LIFE_TORUS};
    struct life_grid start = new_grid(size, size);
    put(&start, size / 2, size / 2, pattern);
    struct life_grid end = after(&life_cpu, contexts[threads], &problem, &start, generations, generations);
    const int64_t alive = population(&end);
    life_grid_free(&start);
    life_grid_free(&end);
    return alive;
}

static const char *const gun[] = {"........................O...........", "......................O.O...........",
                                  "............OO......OO............OO", "...........O...O....OO............OO",
                                  "OO........O.....O...OO..............", "OO........O...O.OO....O.O...........",
                                  "..........O.....O.......O...........", "...........O...O....................",
                                  "............OO......................", NULL};

/* A million generations move a glider by 250,000 cells each way. */
static void check_glider(int64_t width, int64_t height, int threads)
{
    const int64_t generations = SLOW ? 10000 : 1000000;
    const struct life_problem problem = {width, height, LIFE_CONWAY, LIFE_TORUS};
    struct life_grid start = new_grid(width, height), want = new_grid(width, height);
    put(&start, width - 2, height - 2, glider);
    put(&want, width - 2 + generations / 4, height - 2 + generations / 4, glider);
    struct life_grid end = after(&life_cpu, contexts[threads], &problem, &start, generations, generations);
    CHECK(same(&end, &want));
    life_grid_free(&start);
    life_grid_free(&want);
    life_grid_free(&end);
}

/* What stands still is skipped where steps are long enough, and never where each makes one generation. Steps of 101 end
 * with an odd pass, in which blinkers must not be skipped. */
static void check_skipping(int64_t width, int64_t height, int64_t generations)
{
    const struct life_problem problem = {width, height, LIFE_CONWAY, LIFE_TORUS};
    struct life_grid start = new_grid(width, height);
    for (int64_t i = 0; i < 12; i++)
        put(&start, (int64_t)test_random_below((uint64_t)width), (int64_t)test_random_below((uint64_t)height), blinker);
    put(&start, width / 3, 10, glider);
    put(&start, width - 20, height - 20, r_pentomino);
    struct life_grid want = after(&life_cpu, contexts[2], &problem, &start, generations, 1);
    struct life_grid got = after(&life_cpu, contexts[2], &problem, &start, generations, generations);
    CHECK(same(&got, &want));
    life_grid_free(&got);
    got = after(&life_cpu, contexts[3], &problem, &start, generations, 101);
    CHECK(same(&got, &want));
    life_grid_free(&got);
    life_grid_free(&want);
    life_grid_free(&start);
}

/* Soups on small tori soon repeat, and are then not made any further; with 1 generation a step they are. */
static void check_repeating(int64_t width, int64_t height, int64_t generations)
{
    const struct life_problem problem = {width, height, LIFE_CONWAY, LIFE_TORUS};
    struct life_grid start = soup(width, height);
    struct life_grid want = after(&life_cpu, contexts[1], &problem, &start, generations, 1);
    struct life_grid got = after(&life_cpu, contexts[1], &problem, &start, generations, generations);
    CHECK(same(&got, &want));
    life_grid_free(&got);
    life_grid_free(&want);
    life_grid_free(&start);
}

static void open_contexts(void)
{
    tally_device device = {.size = sizeof device};
    char name[16];
    for (size_t i = 0; i < ISAS; i++) {
        setenv("TALLY_CPU_ISA", isas[i], 1);
        for (int t = 1; t <= MOST_THREADS; t++) {
            snprintf(name, sizeof name, "cpu:%d", t);
            CHECK(tally_open(name, &of_isa[i][t]) == TALLY_OK);
        }
    }
    unsetenv("TALLY_CPU_ISA");
    CHECK(tally_device_info(of_isa[0][1], &device) == TALLY_OK);
#if defined(HAVE_ISA_base)
    CHECK_EQUAL_TEXT(device.instruction_set, "base");
#endif
}

int main(void)
{
    open_contexts();
    CASE("pictures go in and come out")
    for (int64_t width = 1; width <= 200; width++) {
        const struct life_problem problem = {width, 1 + width % 19, LIFE_CONWAY, width % 2 ? LIFE_DEAD : LIFE_TORUS};
        struct life_grid start = soup(problem.width, problem.height);
        struct life_grid end = after(&life_cpu, contexts[1], &problem, &start, 0, 1);
        CHECK(same(&start, &end));
        life_grid_free(&start);
        life_grid_free(&end);
    }
    CASE("widths, heights, generations, rules") check_sizes();
    CASE("tiles") check_tiles();
    CASE("all neighbourhoods")
    for (size_t i = 0; i < ISAS; i++) {
        contexts = of_isa[i];
        check_neighbourhoods(132, 68, LIFE_CONWAY);
        for (size_t r = 0; r < RULES; r += SLOW ? 4 : 1) check_neighbourhoods(64, 128, rules[r]);
    }
    CASE("what stands still")
    {
        check_skipping(600, 6000, SLOW ? 101 : 1501);
        if (!SLOW) check_skipping(20000, 1600, 245);
        for (int64_t i = 0; i < 20; i++) check_repeating(20 + i, 30 - i, SLOW ? 300 : 3000 + i);
    }
    CASE("known futures")
    {
        CHECK_EQUAL_I64(population_after(1, 512, diehard, 129), 2);
        CHECK_EQUAL_I64(population_after(1, 512, diehard, 130), 0);
        if (!SLOW) {
            CHECK_EQUAL_I64(population_after(2, 2048, r_pentomino, 1102), 118);
            CHECK_EQUAL_I64(population_after(2, 2048, r_pentomino, 1103), 116);
            CHECK_EQUAL_I64(population_after(1, 4096, acorn, 5205), 635);
            CHECK_EQUAL_I64(population_after(1, 4096, acorn, 5206), 633);
            CHECK_EQUAL_I64(population_after(4, 2048, gun, 3000), 536);
        }
        CHECK_EQUAL_I64(population_after(3, 1024, gun, 300), 86);
        check_glider(64, 64, 1);
        check_glider(37, 50, 1);
        check_glider(7, 130, 2);
        check_glider(65, 9, 1);
    }
    CASE("other devices are refused")
    {
        const struct life_problem problem = {8, 8, LIFE_CONWAY, LIFE_TORUS};
        tally_context *reference;
        void *world = NULL;
        CHECK(tally_open("reference", &reference) == TALLY_OK);
        CHECK(life_cpu.refuses(reference, &problem) != NULL && life_cpu.refuses(contexts[1], &problem) == NULL);
        CHECK(!life_cpu.open(reference, &problem, &world, &why) && world == NULL);
        CHECK_EQUAL_TEXT(why.text, "engine cpu needs a context of device cpu");
        CHECK(tally_close(reference) == TALLY_OK);
        life_cpu.close(NULL);
    }
    for (size_t i = 0; i < ISAS; i++)
        for (int t = 1; t <= MOST_THREADS; t++) CHECK(tally_close(of_isa[i][t]) == TALLY_OK);
    return test_finish("life_cpu");
}
