/* SPDX-License-Identifier: MIT
 *
 * gpu_warp.c - small worlds in the registers of one warp: warp.cu. Their memory is the picture itself. */
#include "gpu.h"

#include <stdio.h>
#include <stdlib.h>

struct warp_world {
    tally_context *context;
    size_t bytes;
    void *picture;
    tally_module *module;
    tally_function *generations;
};

static const char *refuses(tally_context *context, const struct life_problem *problem)
{
    const char *refusal = gpu_groups.refuses(context, problem);
    if (refusal != NULL) return refusal;
    const bool fits =
        (problem->width == 32 || problem->width == 64) && (problem->height == 32 || problem->height == 64);
    return fits ? NULL : "one warp takes 32 or 64 columns and rows";
}

static void close_world(void *state)
{
    struct warp_world *world = state;
    if (world == NULL) return;
    tally_module_free(world->module);
    tally_free(world->context, world->picture, world->bytes);
    free(world);
}

static bool clear(struct warp_world *world, const struct life_problem *problem, struct life_why *why)
{
    struct life_grid dead;
    if (!life_grid_new(&dead, problem->width, problem->height, why)) return false;
    const bool done = gpu_copy(world->context, world->picture, dead.bits, world->bytes, why);
    life_grid_free(&dead);
    return done;
}

static bool open_world(tally_context *context, const struct life_problem *problem, void **state, struct life_why *why)
{
    char words[32], rows[32];
    const char *const definitions[] = {words, rows, NULL};
    struct warp_world *world = calloc(1, sizeof *world);
    if (world == NULL) return life_fail(why, "out of memory");
    world->context = context;
    world->bytes = (size_t)problem->height * sizeof(uint64_t);
    snprintf(words, sizeof words, "WORDS=%d", (int)(problem->width / 32));
    snprintf(rows, sizeof rows, "ROWS=%d", (int)(problem->height / 32));
    if (!gpu_take(context, world->bytes, &world->picture, why) || !clear(world, problem, why) ||
        !gpu_compile(context, problem, "warp.cu", definitions, &world->module, why) ||
        !gpu_find(world->module, "life_warp", &world->generations, why)) {
        close_world(world);
        return false;
    }
    *state = world;
    return true;
}

static bool write_cells(void *state, const struct life_grid *grid, struct life_why *why)
{
    struct warp_world *world = state;
    return gpu_copy(world->context, world->picture, grid->bits, world->bytes, why);
}

static bool read_cells(void *state, struct life_grid *grid, struct life_why *why)
{
    const struct warp_world *world = state;
    return gpu_copy(world->context, grid->bits, world->picture, world->bytes, why);
}

static bool step(void *state, int64_t generations, struct life_why *why)
{
    const struct warp_world *world = state;
    const tally_argument arguments[] = {tally_pass_memory(world->picture), tally_pass_i64(generations)};
    return gpu_launch(world->generations, 1, 32, 0, arguments, 2, why);
}

const struct life_engine gpu_warp = {
    "gpu-warp", "a world in the registers of one warp", refuses, open_world, write_cells, read_cells, step,
    close_world};
