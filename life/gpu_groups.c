/* SPDX-License-Identifier: MIT
 *
 * gpu_groups.c - see gpu_groups.h: opens worlds, and puts pictures into them. */
#include "gpu_groups.h"
#include "gpu_rule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 128 /* of a group */
#define GROUP_BYTES 16
#define LEAST_SAVING 14                /* one lane of so many */
#define CHECK_CELLS ((int64_t)1 << 37) /* of passes, before it is checked what stands still: tens of milliseconds */
#define LEAST_CHECK_PASSES 32
#define LEAST_BAND_CELLS ((int64_t)1 << 25)                 /* a generation takes longer than to go by a short list */
#define MOST_STRIDE ((int64_t)UINT32_MAX / GROUP_BYTES - 2) /* groups: a row's bytes are a number of 32 bits */

static const char *const pass_kernels[PASSES] = {"life_stream_deepest", "life_stream_4", "life_stream_2",
                                                 "life_stream_1"};

static const char *refuses(tally_context *context, const struct life_problem *problem)
{
    tally_device device = {.size = sizeof device};
    if (tally_device_info(context, &device) != TALLY_OK) return "there is no such device";
    if (strncmp(device.name, "cuda", 4) != 0 && strcmp(device.name, "simt") != 0)
        return "it needs a GPU: devices cuda and simt";
    if (problem->height > INT32_MAX) return "the GPU's worlds have at most 2^31 - 1 rows";
    if (problem->width > (MOST_STRIDE - 1) * COLUMNS) return "the GPU's worlds have at most 2^34 columns or so";
    return NULL;
}

/* ---- opening ---- */

static void close_world(void *state)
{
    struct groups_world *world = state;
    if (world == NULL) return;
    band_close(world->band);
    settled_close(world->settled);
    tally_module_free(world->conversions);
    tally_module_free(world->stream);
    tally_free(world->context, world->now, world->bytes);
    tally_free(world->context, world->next, world->bytes);
    free(world);
}

/* Dead edges, and rules that count in binary, take registers of their own: eight generations would be slower. */
static int deepest_of(const struct life_problem *problem)
{
    const struct life_rule conway = LIFE_CONWAY;
    const bool is_conway = problem->rule.born == conway.born && problem->rule.survives == conway.survives;
    char text[GPU_RULE_ROOM];
    return problem->edges == LIFE_TORUS && (is_conway || gpu_rule_find(problem->rule, text)) ? 8 : 7;
}

/* The last strip may have fewer lanes, in powers of two. Kernels that know of that are slower by a twentieth; those for
 * dead edges are faster. */
static void plan_strips(struct groups_world *world)
{
    const int64_t groups = world->shape.groups;
    struct pass pass = {.width = world->shape.width,
                        .groups = groups,
                        .height = world->shape.height,
                        .stride = world->shape.stride,
                        .wrapped = world->problem.edges == LIFE_TORUS && world->problem.width % COLUMNS == 0};
    pass.closed = pass.wrapped && groups <= LANES && (groups & (groups - 1)) == 0;
    pass.strips = pass.closed ? 1 : (uint32_t)((groups - 1) / (LANES - 1) + 1);
    const int64_t last = groups - (int64_t)(pass.strips - 1) * (LANES - 1);
    pass.ring = 1;
    while (pass.ring < last + !pass.closed) pass.ring *= 2;
    const bool saves = (LANES - pass.ring) * LEAST_SAVING >= (int64_t)pass.strips * LANES;
    world->with_rings = saves || world->problem.edges == LIFE_DEAD;
    if (!world->with_rings) {
        pass.ring = LANES;
        pass.closed = pass.closed && groups == LANES;
    }
    world->strips = pass;
}

static bool compile(struct groups_world *world, struct life_why *why)
{
    char deepest[32], rings[32];
    const char *const definitions[] = {deepest, rings, NULL};
    snprintf(deepest, sizeof deepest, "DEEPEST=%d", world->generations[0]);
    snprintf(rings, sizeof rings, "WITH_RINGS=%d", world->with_rings);
    struct life_problem any_rule = world->problem; /* conversions are the same for all: compiled once */
    any_rule.rule = LIFE_CONWAY;
    return gpu_compile(world->context, &any_rule, "convert.cu", NULL, &world->conversions, why) &&
           gpu_find(world->conversions, "life_pack", &world->pack, why) &&
           gpu_find(world->conversions, "life_unpack", &world->unpack, why) &&
           gpu_find(world->conversions, "life_wrap", &world->wrap, why) &&
           gpu_find(world->conversions, "life_clear", &world->clear, why) &&
           gpu_compile(world->context, &world->problem, "stream.cu", definitions, &world->stream, why);
}

/* A wave is as many warps as the device runs at once. */
static bool find_passes(struct groups_world *world, int processors, struct life_why *why)
{
    const tally_grid grid = {{1, 1, 1}, {LANES, 1, 1}, 0, 0};
    for (int i = 0; i < PASSES; i++) {
        tally_function_facts facts = {.size = sizeof facts};
        if (!gpu_find(world->stream, pass_kernels[i], &world->pass[i], why)) return false;
        if (tally_function_info(world->pass[i], &grid, &facts) != TALLY_OK) return life_fail_call(why, "life");
        world->warps_at_once[i] = (int64_t)processors * (facts.blocks_at_once > 0 ? facts.blocks_at_once : 1);
    }
    return true;
}

static bool clear(struct groups_world *world, void *buffer, struct life_why *why)
{
    const int64_t count = (int64_t)(world->bytes / GROUP_BYTES);
    const tally_argument arguments[] = {tally_pass_memory(buffer), tally_pass_i64(count)};
    return gpu_launch_for(world->clear, count, arguments, 2, why);
}

static bool set_up(struct groups_world *world, struct life_why *why)
{
    tally_device device = {.size = sizeof device};
    if (tally_device_info(world->context, &device) != TALLY_OK) return life_fail_call(why, "life");
    world->processors = device.threads;
    return compile(world, why) && find_passes(world, device.threads, why) &&
           gpu_take(world->context, world->bytes, &world->now, why) &&
           gpu_take(world->context, world->bytes, &world->next, why) && clear(world, world->now, why) &&
           clear(world, world->next, why) &&
           band_open(world->context, &world->problem, device.threads, &world->band, why);
}

static bool open_world(tally_context *context, const struct life_problem *problem, void **state, struct life_why *why)
{
    struct groups_world *world = calloc(1, sizeof *world);
    if (world == NULL) return life_fail(why, "out of memory");
    world->context = context;
    world->problem = *problem;
    for (int i = 0; i < PASSES; i++) world->generations[i] = i == 0 ? deepest_of(problem) : 8 >> i;
    struct shape *shape = &world->shape;
    shape->width = problem->width;
    shape->groups = (problem->width + COLUMNS - 1) / COLUMNS;
    shape->height = (uint32_t)problem->height;
    shape->stride = (uint32_t)((shape->groups + 2) * GROUP_BYTES);
    world->bytes = (size_t)shape->stride * shape->height;
    plan_strips(world);
    if (!set_up(world, why)) {
        close_world(world);
        return false;
    }
    const int64_t cells = problem->width * problem->height, passes = CHECK_CELLS / cells;
    groups_watch(world, passes < LEAST_CHECK_PASSES ? LEAST_CHECK_PASSES : passes,
                 world->band != NULL && cells < LEAST_BAND_CELLS);
    *state = world;
    return true;
}

/* ---- pictures: they pass through the buffer that holds nothing at the time ---- */

static int64_t words_of(const struct groups_world *world)
{
    return (world->shape.width + 63) / 64;
}

static size_t picture_bytes(const struct groups_world *world)
{
    return (size_t)(words_of(world) * world->shape.height) * sizeof(uint64_t);
}

static bool convert(struct groups_world *world, tally_function *function, int64_t things, struct life_why *why)
{
    const tally_argument arguments[] = {tally_pass_memory(world->next), tally_pass_i64(words_of(world)),
                                        tally_pass_memory(world->now),
                                        tally_pass_bytes(&world->shape, sizeof world->shape)};
    return gpu_launch_for(function, things, arguments, 4, why);
}

static bool write_cells(void *state, const struct life_grid *grid, struct life_why *why)
{
    struct groups_world *world = state;
    groups_watch(world, world->watch.first, world->watch.off);
    const int64_t groups = (world->shape.groups + 2) * world->shape.height;
    return gpu_copy(world->context, world->next, grid->bits, picture_bytes(world), why) &&
           convert(world, world->pack, groups, why) && clear(world, world->next, why);
}

static bool read_cells(void *state, struct life_grid *grid, struct life_why *why)
{
    struct groups_world *world = state;
    world->watch.distance = 0; /* the other buffer is cleared */
    world->watch.listed = false;
    return convert(world, world->unpack, words_of(world) * world->shape.height, why) &&
           gpu_copy(world->context, grid->bits, world->next, picture_bytes(world), why) &&
           clear(world, world->next, why);
}

const struct life_engine gpu_groups = {"gpu-groups", "groups of 128 columns, generation after generation in registers",
                                       refuses,      open_world,
                                       write_cells,  read_cells,
                                       groups_step,  close_world};
