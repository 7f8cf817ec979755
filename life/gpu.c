/* SPDX-License-Identifier: MIT
 *
 * gpu.c - the engine for GPUs, and for the simulated device: finds the way to run a world. */
#include "gpu.h"

#include <stdlib.h>
#include <string.h>

struct gpu_world {
    const struct life_engine *way;
    void *state;
};

/* The fastest first. */
static const struct life_engine *const ways[] = {&gpu_warp, &gpu_groups};

static const char *refuses(tally_context *context, const struct life_problem *problem)
{
    return gpu_groups.refuses(context, problem); /* which can do all that others can */
}

static const struct life_engine *way_of(tally_context *context, const struct life_problem *problem)
{
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (ways[i]->refuses(context, problem) == NULL) return ways[i];
    return NULL;
}

static bool open_world(tally_context *context, const struct life_problem *problem, void **world, struct life_why *why)
{
    const char *refusal = refuses(context, problem);
    if (refusal != NULL) return life_fail(why, "%s", refusal);
    struct gpu_world *made = calloc(1, sizeof *made);
    if (made == NULL) return life_fail(why, "out of memory");
    made->way = way_of(context, problem);
    if (!made->way->open(context, problem, &made->state, why)) {
        free(made);
        return false;
    }
    *world = made;
    return true;
}

static bool write_cells(void *state, const struct life_grid *grid, struct life_why *why)
{
    const struct gpu_world *world = state;
    return world->way->write(world->state, grid, why);
}

static bool read_cells(void *state, struct life_grid *grid, struct life_why *why)
{
    const struct gpu_world *world = state;
    return world->way->read(world->state, grid, why);
}

static bool step(void *state, int64_t generations, struct life_why *why)
{
    const struct gpu_world *world = state;
    return generations == 0 || world->way->step(world->state, generations, why);
}

void gpu_check_after(void *state, int64_t passes)
{
    const struct gpu_world *world = state;
    if (world->way == &gpu_groups) gpu_groups_check_after(world->state, passes);
}

static void close_world(void *state)
{
    struct gpu_world *world = state;
    if (world == NULL) return;
    world->way->close(world->state);
    free(world);
}

const struct life_engine life_gpu = {"gpu",       "32 cells in a word, generation after generation in registers",
                                     refuses,     open_world,
                                     write_cells, read_cells,
                                     step,        close_world};
