/* SPDX-License-Identifier: MIT
 *
 * rungs.c - the table of rungs: what each is about, and how its kernel is launched. */
#include "rungs.h"
#include "rung_world.h"

#include <string.h>

#define SIDE 32 /* of a block of cells */
#define THREADS 256
#define MOST_CELLS 65536 /* of one block: a bit in a word of each of its 1024 threads */
#define MOST_AT_ONCE (1 << 20)

static uint32_t blocks_of(int64_t things, uint32_t threads)
{
    return (uint32_t)((things + threads - 1) / threads);
}

static void swap(struct rung_world *world)
{
    void *now = world->next;
    world->next = world->now;
    world->now = now;
}

static bool launch(struct rung_world *world, tally_grid grid, const tally_argument *arguments, int32_t count,
                   struct life_why *why)
{
    return tally_launch(world->kernel, &grid, arguments, count) == TALLY_OK || life_fail_call(why, world->rung->name);
}

/* A launch for each generation: cells, and words of 64. */
static bool run_launches(struct rung_world *world, int64_t generations, struct life_why *why)
{
    const uint32_t side = world->rung->packed ? 8 : SIDE; /* threads down */
    const int64_t across = world->rung->packed ? (world->width + 63) / 64 : world->width;
    const tally_grid grid = {{blocks_of(across, SIDE), blocks_of(world->height, side), 1}, {SIDE, side, 1}, 0, 0};
    for (int64_t g = 0; g < generations; g++) {
        const tally_argument arguments[] = {tally_pass_memory(world->now), tally_pass_memory(world->next),
                                            tally_pass_i32((int32_t)world->width),
                                            tally_pass_i32((int32_t)world->height)};
        if (!launch(world, grid, arguments, 4, why)) return false;
        swap(world);
    }
    return true;
}

static bool run_block(struct rung_world *world, int64_t generations, struct life_why *why)
{
    const bool shared = strcmp(world->rung->name, "shared") == 0;
    const tally_grid grid = {{1, 1, 1}, {SIDE, SIDE, 1}, shared ? (uint32_t)world->bytes : 0, 0};
    while (generations > 0) {
        const int32_t now = generations < MOST_AT_ONCE ? (int32_t)generations : MOST_AT_ONCE;
        const tally_argument arguments[] = {tally_pass_memory(world->now), tally_pass_i32((int32_t)world->width),
                                            tally_pass_i32((int32_t)world->height), tally_pass_i32(now)};
        if (!launch(world, grid, arguments, 4, why)) return false;
        generations -= now;
    }
    return true;
}

static bool run_grid(struct rung_world *world, int64_t generations, struct life_why *why)
{
    const uint32_t wanted = blocks_of(world->width * world->height, THREADS), none = 0;
    const uint32_t blocks = wanted < world->blocks_at_once ? wanted : world->blocks_at_once;
    while (generations > 0) {
        const int32_t now = generations < MOST_AT_ONCE ? (int32_t)generations : MOST_AT_ONCE;
        const tally_argument arguments[] = {tally_pass_memory(world->now),
                                            tally_pass_memory(world->next),
                                            tally_pass_i32((int32_t)world->width),
                                            tally_pass_i32((int32_t)world->height),
                                            tally_pass_i32(now),
                                            tally_pass_memory(world->arrived)};
        const tally_grid grid = {{blocks, 1, 1}, {THREADS, 1, 1}, 0, 0};
        if (!gpu_copy(world->context, world->arrived, &none, sizeof none, why) ||
            !launch(world, grid, arguments, 6, why))
            return false;
        if (now % 2 != 0) swap(world);
        generations -= now;
    }
    return true;
}

static const char *refuses_much(int64_t width, int64_t height)
{
    return width > INT32_MAX / 64 || height > 65535 * 8 ? "too many cells in a row or column" : NULL;
}

static const char *refuses_cells(int64_t width, int64_t height)
{
    if (width * height > (int64_t)1 << 34) return "a byte for each of so many cells";
    return height > 65535 * SIDE ? "too many rows for a grid" : refuses_much(width, height);
}

static const char *refuses_more_than_a_block(int64_t width, int64_t height)
{
    return width * height > MOST_CELLS ? "one block takes at most 65536 cells" : NULL;
}

const struct life_rung life_rungs[LIFE_RUNGS] = {
    {"cells", "rung_cells.cu", "life_cells", false, "a thread and a byte for each cell, a launch for each generation",
     "", "launches, and eight bits for one", refuses_cells, run_launches},
    {"block", "rung_block.cu", "life_block", false, "all generations in one block, with two barriers for each",
     "launches", "one multiprocessor, and global memory", refuses_more_than_a_block, run_block},
    {"shared", "rung_shared.cu", "life_shared", false, "the same with the world in shared memory", "global memory",
     "one multiprocessor", refuses_more_than_a_block, run_block},
    {"grid", "rung_grid.cu", "life_grid", false, "all generations in one launch, with a barrier for the whole grid",
     "one multiprocessor", "a byte for each cell", refuses_cells, run_grid},
    {"packed", "rung_packed.cu", "life_packed", true, "64 cells in a word, a launch for each generation",
     "a byte for each cell", "memory in each generation", refuses_much, run_launches},
    {"library", NULL, NULL, true, "generations in registers: this library's engine", "memory in each generation",
     "the arithmetic", NULL, NULL},
};

const struct life_mistake life_mistakes[LIFE_MISTAKES] = {
    {"one-barrier", "block", "        __syncthreads(); /* all have looked */\n", "",
     "threads write while others still look: their neighbours are of two generations"},
    {"in-place", "shared",
     "            alive |= (unsigned long long)next_of(world, width, height, i % width, i / width) << bit;\n",
     "            alive |= (unsigned long long)(world[i] = next_of(world, width, height, i % width, i / width)) << "
     "bit;\n",
     "cells are written while the block still looks: one buffer needs what was seen to be kept apart"},
    {"no-waiting", "grid", "        while (atomicAdd(arrived, 0u) < count)\n            ;\n", "",
     "blocks count themselves in and go on: the grid's barrier is none"},
    {"loose-bits", "packed", "    if (i == words - 1) alive &= ~0ull >> (63 - last_bit);\n", "",
     "bits beyond the last column come alive, and are neighbours of that column"},
};

const struct life_rung *life_find_rung(const char *name)
{
    for (int i = 0; i < LIFE_RUNGS; i++)
        if (strcmp(life_rungs[i].name, name) == 0) return &life_rungs[i];
    return NULL;
}
