/* SPDX-License-Identifier: MIT
 *
 * naive.c - the obvious loop: every cell counts its eight neighbours. All other engines are tested against it. */
#include "life.h"

#include <stdlib.h>
#include <string.h>

struct naive_world {
    struct life_problem problem;
    struct life_grid now, next;
};

static const char *refuses(tally_context *context, const struct life_problem *problem)
{
    (void)context, (void)problem;
    return NULL;
}

static void close_world(void *state)
{
    struct naive_world *world = state;
    if (world == NULL) return;
    life_grid_free(&world->now);
    life_grid_free(&world->next);
    free(world);
}

static bool open_world(tally_context *context, const struct life_problem *problem, void **state, struct life_why *why)
{
    struct naive_world *world = calloc(1, sizeof *world);
    (void)context;
    if (world == NULL) return life_fail(why, "out of memory");
    world->problem = *problem;
    if (!life_grid_new(&world->now, problem->width, problem->height, why) ||
        !life_grid_new(&world->next, problem->width, problem->height, why)) {
        close_world(world);
        return false;
    }
    *state = world;
    return true;
}

static void copy_cells(struct life_grid *to, const struct life_grid *from)
{
    memcpy(to->bits, from->bits, (size_t)(from->words * from->height) * sizeof *from->bits);
}

static bool write_cells(void *state, const struct life_grid *grid, struct life_why *why)
{
    struct naive_world *world = state;
    (void)why;
    copy_cells(&world->now, grid);
    return true;
}

static bool read_cells(void *state, struct life_grid *grid, struct life_why *why)
{
    const struct naive_world *world = state;
    (void)why;
    copy_cells(grid, &world->now);
    return true;
}

static int64_t wrap(int64_t at, int64_t size)
{
    return at < 0 ? at + size : at >= size ? at - size : at;
}

static bool is_alive(const struct naive_world *world, int64_t x, int64_t y)
{
    const int64_t width = world->problem.width, height = world->problem.height;
    if (world->problem.edges == LIFE_TORUS) return life_get(&world->now, wrap(x, width), wrap(y, height));
    return x >= 0 && x < width && y >= 0 && y < height && life_get(&world->now, x, y);
}

static bool next_of(const struct naive_world *world, int64_t x, int64_t y)
{
    const bool alive = is_alive(world, x, y);
    int neighbours = -alive;
    for (int64_t v = y - 1; v <= y + 1; v++)
        for (int64_t u = x - 1; u <= x + 1; u++) neighbours += is_alive(world, u, v);
    return (alive ? world->problem.rule.survives : world->problem.rule.born) >> neighbours & 1;
}

static bool step(void *state, int64_t generations, struct life_why *why)
{
    struct naive_world *world = state;
    (void)why;
    for (int64_t g = 0; g < generations; g++) {
        for (int64_t y = 0; y < world->problem.height; y++)
            for (int64_t x = 0; x < world->problem.width; x++) life_set(&world->next, x, y, next_of(world, x, y));
        const struct life_grid now = world->now;
        world->now = world->next;
        world->next = now;
    }
    return true;
}

const struct life_engine life_naive = {
    "naive", "every cell counts its eight neighbours", refuses, open_world, write_cells, read_cells, step, close_world};
