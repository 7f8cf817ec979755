/* SPDX-License-Identifier: MIT
 *
 * life_gpu.c - the GPU's engine of Life against the obvious loop: every neighbourhood at every kind of edge, worlds of
 * all shapes, rules, depths, and worlds whose future is known. On simt, or TALLY_TEST_DEVICE, where there is more of
 * all. */
#include "device.h"
#include "gpu_band.h"
#include "life_worlds.h"

static int simulated;

static void fill(struct life_grid *grid, int density)
{
    for (int64_t y = 0; y < grid->height; y++)
        for (int64_t x = 0; x < grid->width; x++) life_set(grid, x, y, (int)test_random_below(100) < density);
}

static void run(const struct life_engine *engine, const struct life_problem *problem, struct life_grid *grid,
                int64_t generations)
{
    struct life_why why = {""};
    void *world = NULL;
    check(engine->open(device, problem, &world, &why), &why);
    if (world == NULL) return;
    check(engine->write(world, grid, &why) && engine->step(world, generations, &why) && engine->read(world, grid, &why),
          &why);
    engine->close(world);
}

static void copy_grid(struct life_grid *to, const struct life_grid *from)
{
    memcpy(to->bits, from->bits, (size_t)(from->words * from->height) * sizeof *from->bits);
}

/* After every one of these numbers of generations, the same cells as the obvious loop. */
static void agrees(const struct life_problem *problem, const int64_t *steps, int count)
{
    struct life_why why = {""};
    struct pair pair;
    if (!pair_open(&pair, device, problem, &life_gpu, &life_naive)) return;
    fill(&pair.want, 35);
    pair_write(&pair);
    for (int i = 0; i < count; i++) {
        check(life_gpu.step(pair.world, steps[i], &why) && life_gpu.read(pair.world, &pair.got, &why), &why);
        check(life_naive.step(pair.other, steps[i], &why) && life_naive.read(pair.other, &pair.want, &why), &why);
        pair_compare(&pair, i, steps[i]);
    }
    pair_close(&pair);
}

/* All 512 neighbourhoods in a world, four rows and columns each, so that they come to lie at every bit, word and lane.
 */
static void checks_neighbourhoods(void)
{
    for (int edges = 0; edges < 2; edges++) {
        for (int shift = 0; shift < (simulated ? 2 : 5); shift++) {
            const struct life_problem problem = {128 * 4 + shift, 17 * 4 - shift, LIFE_CONWAY, (enum life_edges)edges};
            struct life_why why = {""};
            struct life_grid got, want;
            check(two_grids(&got, &want, problem.width, problem.height, &why), &why);
            for (int n = 0; n < 512; n++) {
                for (int i = 0; i < 9; i++) {
                    const int64_t x = (n * 4 + i % 3 + shift) % problem.width;
                    const int64_t y = (n * 4 / problem.width * 4 + i / 3 + shift) % problem.height;
                    life_set(&got, x, y, n >> i & 1);
                }
            }
            copy_grid(&want, &got);
            run(&life_gpu, &problem, &got, 1);
            run(&life_naive, &problem, &want, 1);
            CHECK(same(&got, &want));
            life_grid_free(&got);
            life_grid_free(&want);
        }
    }
}

static void checks_widths(void)
{
    static const int64_t few[] = {1, 2, 3, 31, 33, 64, 127, 129, 200}, steps[] = {1, 11};
    const int count = simulated ? (int)(sizeof few / sizeof few[0]) : 200;
    for (int i = 0; i < count; i++) {
        struct life_problem problem = {simulated ? few[i] : i + 1, 1 + (int64_t)test_random_below(40), LIFE_CONWAY,
                                       LIFE_TORUS};
        agrees(&problem, steps, 2);
        problem.edges = LIFE_DEAD;
        agrees(&problem, steps, 2);
    }
}

/* Worlds of many strips; a ring of 32 groups; heights of one and two rows. */
static void checks_shapes(void)
{
    static const int64_t sizes[][2] = {{4096, 5}, {4095, 3}, {4097, 9}, {3968, 4},         {128 * 33, 7}, {128, 1},
                                       {256, 2},  {5, 200},  {384, 30}, {128 * 62 + 1, 2}, {8192, 40},    {1000, 333}};
    static const int64_t steps[] = {8, 5};
    const int count = (int)(sizeof sizes / sizeof sizes[0]) - (simulated ? 2 : 0);
    for (int i = 0; i < count; i++) {
        for (int edges = 0; edges < 2; edges++) {
            const struct life_problem problem = {sizes[i][0], sizes[i][1], LIFE_CONWAY, (enum life_edges)edges};
            agrees(&problem, steps, 2);
        }
    }
}

static void checks_depths(void)
{
    int64_t steps[33];
    for (int i = 0; i < 33; i++) steps[i] = i + 1;
    const struct life_problem problem = {150, 37, LIFE_CONWAY, LIFE_TORUS};
    agrees(&problem, steps, simulated ? 17 : 33);
}

/* Also with births among none, and with what eight neighbours do unlike none. */
static void checks_rules(void)
{
    static const struct life_rule rules[] = {
        {1 << 3 | 1 << 6, 1 << 2 | 1 << 3}, {1, 1 << 8}, {1 << 2, 0}, {0x1c8, 0x1d8}};
    const int known = (int)(sizeof rules / sizeof rules[0]);
    static const int64_t steps[] = {1, 4, 9};
    const int more = simulated ? 1 : 9;
    for (int i = 0; i < known + more; i++) {
        const struct life_rule any = {(uint16_t)test_random_below(512), (uint16_t)test_random_below(512)};
        struct life_problem problem = {70, 33, i < known ? rules[i] : any, i % 2 ? LIFE_DEAD : LIFE_TORUS};
        agrees(&problem, steps, 3);
        problem.width = problem.height = 64;
        agrees(&problem, steps, 3);
    }
}

static void checks_one_warp(void)
{
    static const int64_t steps[] = {0, 1, 2, 33};
    for (int i = 0; i < 8; i++) {
        const struct life_problem problem = {32 << (i & 1), 32 << (i >> 1 & 1), LIFE_CONWAY, (enum life_edges)(i >> 2)};
        agrees(&problem, steps, 4);
    }
}

/* Many generations at once and one by one are the same; for worlds that are long work for the obvious loop. */
static void agrees_with_single_steps(const struct life_problem *problem, int64_t generations)
{
    struct life_why why = {""};
    struct pair pair; /* at once, and one by one */
    if (!pair_open(&pair, device, problem, &life_gpu, &life_gpu)) return;
    fill(&pair.want, 35);
    pair_write(&pair);
    check(life_gpu.step(pair.world, generations, &why) && life_gpu.read(pair.world, &pair.got, &why), &why);
    for (int64_t g = 0; g < generations; g++) check(life_gpu.step(pair.other, 1, &why), &why);
    check(life_gpu.read(pair.other, &pair.want, &why), &why);
    pair_compare(&pair, 0, generations);
    pair_close(&pair);
}

/* Toruses that fit the registers of all blocks: one round, several, a few generations more, and again. */
static void checks_bands(void)
{
    static const int64_t sizes[][2] = {{128, 32}, {256, 64}, {512, 128}, {4096, 16}, {2048, 48}, {512, 1056}};
    static const int64_t large[][2] = {{1024, 1024}, {4096, 4096}, {2048, 2048}, {128, 6000}, {4096, 1056}};
    static const int64_t steps[] = {1, 70, 131};
    const int count = (int)(sizeof sizes / sizeof sizes[0]) - simulated;
    for (int i = 0; i < count; i++) {
        const struct life_problem problem = {sizes[i][0], sizes[i][1], LIFE_CONWAY, LIFE_TORUS};
        agrees(&problem, steps, 3);
    }
    const struct life_problem wide = {8192, simulated ? 32 : 8192, LIFE_CONWAY, LIFE_TORUS};
    agrees_with_single_steps(&wide, simulated ? 45 : 333);
    for (int i = 0; i < (int)(sizeof large / sizeof large[0]) && !simulated; i++) {
        const struct life_problem problem = {large[i][0], large[i][1], LIFE_CONWAY, LIFE_TORUS};
        agrees_with_single_steps(&problem, 333);
    }
}

/* A block's warps hold its rows and two halos, no more and no less, and a halo is of one neighbour. */
static void checks_plans(void)
{
    for (int64_t width = 128; width <= 16384; width *= 2) {
        for (int64_t height = 1; height <= 9000; height = height * 3 / 2 + 1) {
            const struct life_problem problem = {width, height, LIFE_CONWAY, LIFE_TORUS};
            struct band_plan plan;
            if (!band_plan_find(&problem, 132, &plan)) continue;
            const int64_t own = height / plan.blocks, lanes = plan.groups / plan.wide;
            CHECK(plan.blocks <= 132 && plan.blocks * own == height && plan.halo % 2 == 0 && plan.halo <= own);
            CHECK(plan.groups * 128 == width && lanes <= 32 && lanes * plan.wide == plan.groups);
            CHECK(plan.warps * 32 * plan.rows == (own + 2 * plan.halo) * lanes && plan.warps <= 16);
        }
    }
    struct band_plan plan;
    struct life_problem problem = {8192, 8192, LIFE_CONWAY, LIFE_TORUS};
    CHECK(band_plan_find(&problem, 132, &plan) && plan.wide == 2);
    problem.width = 384;
    CHECK(!band_plan_find(&problem, 132, &plan));
    problem.width = problem.height = 16384;
    CHECK(!band_plan_find(&problem, 132, &plan));
    problem.width = 1024, problem.edges = LIFE_DEAD;
    CHECK(!band_plan_find(&problem, 132, &plan));
}

static int64_t population_after(const struct life_problem *problem, const char *const *rows, int64_t generations)
{
    struct life_why why = {""};
    struct life_grid grid;
    check(life_grid_new(&grid, problem->width, problem->height, &why), &why);
    put(&grid, problem->width / 2, problem->height / 2, rows);
    run(&life_gpu, problem, &grid, generations);
    const int64_t alive = population(&grid);
    life_grid_free(&grid);
    return alive;
}

static void checks_known_futures(void)
{
    const struct life_problem small = {150, 140, LIFE_CONWAY, LIFE_TORUS};
    const struct life_problem large = {2048, 2048, LIFE_CONWAY, LIFE_TORUS};
    CHECK_EQUAL_I64(population_after(&small, r_pentomino, 69), 52);
    if (simulated) return;
    CHECK_EQUAL_I64(population_after(&small, diehard, 129), 2);
    CHECK_EQUAL_I64(population_after(&small, diehard, 130), 0);
    CHECK_EQUAL_I64(population_after(&large, r_pentomino, 1102), 118);
    CHECK_EQUAL_I64(population_after(&large, r_pentomino, 1103), 116);
    CHECK_EQUAL_I64(population_after(&large, acorn, 5205), 635);
    CHECK_EQUAL_I64(population_after(&large, acorn, 5206), 633);
}

/* A glider goes one cell down and to the right in four generations, around the torus as often as it takes. */
static void flies_far(int64_t width, int64_t height, int64_t generations)
{
    const struct life_problem problem = {width, height, LIFE_CONWAY, LIFE_TORUS};
    struct life_why why = {""};
    struct life_grid got, want;
    check(two_grids(&got, &want, width, height, &why), &why);
    put(&got, 0, 0, glider);
    put(&want, generations / 4, generations / 4, glider);
    run(&life_gpu, &problem, &got, generations);
    CHECK(same(&got, &want));
    life_grid_free(&got);
    life_grid_free(&want);
}

static void checks_gliders(void)
{
    const int64_t far = simulated ? 1000 : 1000000;
    flies_far(64, 64, far);
    flies_far(32, 64, far);
    flies_far(64, 32, far);
    flies_far(32, 32, far);
    flies_far(128, 96, simulated ? 1000 : far);
    flies_far(67, 41, simulated ? 400 : 100000);
    if (!simulated) flies_far(1024, 1024, far);
}

static void refuses_what_it_cannot(void)
{
    struct life_problem problem = {5, (int64_t)1 << 33, LIFE_CONWAY, LIFE_TORUS};
    struct life_why why = {""};
    tally_context *cpu = NULL;
    void *world = NULL;
    CHECK(life_gpu.refuses(device, &problem) != NULL && !life_gpu.open(device, &problem, &world, &why));
    CHECK(strstr(why.text, "rows") != NULL && world == NULL);
    problem.height = 5;
    CHECK(life_gpu.refuses(device, &problem) == NULL);
    problem.width = (int64_t)1 << 39;
    CHECK(life_gpu.refuses(device, &problem) != NULL);
    CHECK(tally_open("cpu:1", &cpu) == TALLY_OK);
    problem.width = 5;
    CHECK(life_gpu.refuses(cpu, &problem) != NULL);
    CHECK(tally_close(cpu) == TALLY_OK);
    life_gpu.close(NULL);
}

int main(void)
{
    if (tally_open(device_name(), &device) != TALLY_OK) return test_left_out("life_gpu", tally_last_error());
    simulated = device_simulated();
    CASE("neighbourhoods") checks_neighbourhoods();
    CASE("widths") checks_widths();
    CASE("shapes") checks_shapes();
    CASE("depths") checks_depths();
    CASE("rules") checks_rules();
    CASE("one warp") checks_one_warp();
    CASE("bands") checks_bands();
    CASE("plans") checks_plans();
    CASE("known futures") checks_known_futures();
    CASE("gliders") checks_gliders();
    CASE("refusals") refuses_what_it_cannot();
    CHECK(tally_close(device) == TALLY_OK);
    return test_finish("life_gpu");
}
