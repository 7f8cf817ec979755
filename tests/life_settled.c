/* SPDX-License-Identifier: MIT
 *
 * life_settled.c - worlds of which the GPU's engine leaves out what stands still or repeats: what wakes it, over all
 * edges, in steps of all kinds; and worlds that rest. On simt, or TALLY_TEST_DEVICE. */
#include "device.h"
#include "gpu.h"
#include "life_worlds.h"

static int simulated;

static const char *const block[] = {"OO", "OO", NULL};
static const char *const pulsar[] = {"..OOO...OOO..", ".............",
                                     "O....O.O....O", "O....O.O....O",
                                     "O....O.O....O", "..OOO...OOO..",
                                     ".............", "..OOO...OOO..",
                                     "O....O.O....O", "O....O.O....O",
                                     "O....O.O....O", ".............",
                                     "..OOO...OOO..", NULL};
static const char *const glider_up[] = {"OOO", "O..", ".O.", NULL};

/* What stands still, blinks, and repeats after three generations; and gliders that fly into it, over all edges. */
static void settle(struct life_grid *grid)
{
    const int64_t width = grid->width, height = grid->height;
    for (int64_t y = 3; y + 8 < height; y += 24) {
        for (int64_t x = 5; x + 8 < width; x += 40) {
            put(grid, x, y, block);
            put(grid, x + 12, y, blinker);
        }
    }
    put(grid, width / 2 + 20, height / 2 + 8, pulsar);
    put(grid, width - 9, height - 9, glider);
    put(grid, 9, 9, glider_up);
    put(grid, 130, 50, glider);
    put(grid, 120, 70, glider_up);
}

/* Where the GPU leaves out what stands still from the beginning: the same cells as the obvious loop. */
static void agrees_while_settled(const struct life_problem *problem)
{
    static const int64_t steps[] = {8, 48, 1, 2, 59, 24, 64, 4, 16, 13, 120};
    const int count = (int)(sizeof steps / sizeof steps[0]);
    struct life_why why = {""};
    struct pair pair;
    if (!pair_open(&pair, device, problem, &life_gpu, &life_naive)) return;
    settle(&pair.want);
    pair_write(&pair);
    gpu_check_after(pair.world, 0);
    for (int i = 0; i < count; i++) {
        check(life_gpu.step(pair.world, steps[i], &why), &why);
        check(life_naive.step(pair.other, steps[i], &why), &why);
        if (i % 4 == 1) continue; /* reading takes what is known of the generation before */
        check(life_gpu.read(pair.world, &pair.got, &why) && life_naive.read(pair.other, &pair.want, &why), &why);
        pair_compare(&pair, i, steps[i]);
    }
    pair_close(&pair);
}

/* A glider by itself wakes each tile and edge that it comes to, in all four directions. */
static void flies_while_settled(int64_t width, int64_t height, int64_t x, int64_t y)
{
    for (int way = 0; way < 4; way++) {
        const struct life_problem problem = {width, height, LIFE_CONWAY, LIFE_TORUS};
        struct life_why why = {""};
        struct life_grid got, want;
        void *world = NULL;
        check(two_grids(&got, &want, width, height, &why), &why);
        for (int i = 0; i < 9; i++) {
            const int64_t u = way & 1 ? 2 - i % 3 : i % 3, v = way & 2 ? 2 - i / 3 : i / 3;
            const int64_t steps_x = way & 1 ? width - 28 : 28, steps_y = way & 2 ? height - 28 : 28;
            if (glider[i / 3][i % 3] != 'O') continue;
            life_set(&got, (x + u) % width, (y + v) % height, true);
            life_set(&want, (x + u + steps_x) % width, (y + v + steps_y) % height, true);
        }
        check(life_gpu.open(device, &problem, &world, &why) && life_gpu.write(world, &got, &why), &why);
        if (world == NULL) return;
        gpu_check_after(world, 0);
        check(life_gpu.step(world, 4 * 28, &why) && life_gpu.read(world, &got, &why), &why);
        if (!CHECK(same(&got, &want)))
            fprintf(stderr, "    way %d from %d, %d of %d x %d\n", way, (int)x, (int)y, (int)width, (int)height);
        life_gpu.close(world);
        life_grid_free(&got);
        life_grid_free(&want);
    }
}

/* Once all repeats, any number of generations takes no time: simt would need years. */
static void rests(int64_t width, int64_t height, enum life_edges edges)
{
    const struct life_problem problem = {width, height, LIFE_CONWAY, edges};
    struct life_why why = {""};
    struct life_grid got, want;
    void *world = NULL;
    check(two_grids(&got, &want, width, height, &why), &why);
    for (int64_t x = 2; x + 4 < width; x += 11) {
        put(&want, x, 2, block);
        put(&want, x + 4, 2, blinker);
    }
    check(life_gpu.open(device, &problem, &world, &why), &why);
    if (world == NULL) return;
    check(life_gpu.write(world, &want, &why), &why);
    gpu_check_after(world, 0);
    check(life_gpu.step(world, 4 * (int64_t)1000000000000, &why) && life_gpu.read(world, &got, &why), &why);
    CHECK(same(&got, &want));
    life_gpu.close(world);
    life_grid_free(&got);
    life_grid_free(&want);
}

static void checks_settled(void)
{
    static const int64_t sizes[][2] = {{640, 200}, {600, 150}, {645, 129}, {512, 128}, {400, 65}, {1920, 300}};
    const int count = (int)(sizeof sizes / sizeof sizes[0]) - simulated;
    for (int i = 0; i < count; i++) {
        struct life_problem problem = {sizes[i][0], sizes[i][1], LIFE_CONWAY, LIFE_TORUS};
        agrees_while_settled(&problem);
        problem.edges = LIFE_DEAD;
        agrees_while_settled(&problem);
        problem.rule = (struct life_rule){1 << 3 | 1 << 6, 1 << 2 | 1 << 3};
        if (i < 2) agrees_while_settled(&problem);
        problem.edges = LIFE_TORUS;
        if (i < 2) agrees_while_settled(&problem);
    }
    flies_while_settled(384, 140, 380, 136);
    flies_while_settled(384, 140, 126, 66);
    flies_while_settled(400, 140, 393, 70);
    flies_while_settled(258, 200, 250, 100);
    flies_while_settled(640, 200, 6, 70);
    rests(384, 40, LIFE_TORUS);
    rests(256, 64, LIFE_TORUS);
    rests(400, 70, LIFE_TORUS);
    rests(130, 100, LIFE_DEAD);
}

int main(void)
{
    if (tally_open(device_name(), &device) != TALLY_OK) return test_left_out("life_settled", tally_last_error());
    simulated = device_simulated();
    CASE("settled") checks_settled();
    CHECK(tally_close(device) == TALLY_OK);
    return test_finish("life_settled");
}
