/* SPDX-License-Identifier: MIT
 *
 * gpu_groups.c - worlds of any size in groups of 128 columns (group.cuh), in two buffers. Passes of up to eight
 * generations go from one to the other (stream.cu); what fits the GPU's registers stays there for longer (band.cu). */
#include "gpu_band.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 128 /* of a group */
#define GROUP_BYTES 16
#define LANES 32
#define LONG_SEGMENT                                                                                 \
    96 /* rows for each generation of a pass: two waves balance better, and read a little more twice \
        */
#define MOST_ROUNDS (1 << 30)
#define MOST_STRIDE ((int64_t)UINT32_MAX / GROUP_BYTES - 2) /* groups: a row's bytes are a number of 32 bits */

/* As in convert.cu and stream.cu. */
struct shape {
    int64_t width, groups;
    uint32_t height, stride; /* bytes of a row */
};
struct pass {
    const void *from;
    void *to;
    int64_t width, groups;
    uint32_t height, stride, strips, segments;
    int32_t useful, wrapped;
};

/* Passes by their generations, the most first. */
enum { PASSES = 4 };
static const char *const pass_kernels[PASSES] = {"life_stream_deepest", "life_stream_4", "life_stream_2",
                                                 "life_stream_1"};

struct groups_world {
    tally_context *context;
    struct life_problem problem;
    struct shape shape;
    size_t bytes;
    void *now, *next;
    tally_module *conversions, *stream;
    tally_function *pack, *unpack, *wrap, *clear, *pass[PASSES];
    int64_t warps_at_once[PASSES];
    int generations[PASSES]; /* of each pass */
    struct band *band;       /* or NULL */
};

static bool is_whole_groups(const struct groups_world *world)
{
    return world->problem.width % COLUMNS == 0;
}

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
    tally_module_free(world->conversions);
    tally_module_free(world->stream);
    tally_free(world->context, world->now, world->bytes);
    tally_free(world->context, world->next, world->bytes);
    free(world);
}

/* Other rules than Conway's and dead edges take registers of their own, and eight generations would spill some. */
static int deepest_of(const struct life_problem *problem)
{
    const struct life_rule conway = LIFE_CONWAY;
    const bool is_conway = problem->rule.born == conway.born && problem->rule.survives == conway.survives;
    return is_conway && problem->edges == LIFE_TORUS ? 8 : 7;
}

static bool compile(struct groups_world *world, struct life_why *why)
{
    char deepest[32];
    const char *const definitions[] = {deepest, NULL};
    snprintf(deepest, sizeof deepest, "DEEPEST=%d", world->generations[0]);
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
    if (!set_up(world, why)) {
        close_world(world);
        return false;
    }
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
    const int64_t groups = (world->shape.groups + 2) * world->shape.height;
    return gpu_copy(world->context, world->next, grid->bits, picture_bytes(world), why) &&
           convert(world, world->pack, groups, why) && clear(world, world->next, why);
}

static bool read_cells(void *state, struct life_grid *grid, struct life_why *why)
{
    struct groups_world *world = state;
    return convert(world, world->unpack, words_of(world) * world->shape.height, why) &&
           gpu_copy(world->context, grid->bits, world->next, picture_bytes(world), why) &&
           clear(world, world->next, why);
}

/* ---- generations ---- */

static void swap(struct groups_world *world)
{
    void *now = world->next;
    world->next = world->now;
    world->now = now;
}

static struct pass plan_pass(const struct groups_world *world, int which)
{
    const struct shape *shape = &world->shape;
    const bool wrapped = world->problem.edges == LIFE_TORUS && is_whole_groups(world);
    struct pass pass = {.from = world->now,
                        .to = world->next,
                        .width = shape->width,
                        .groups = shape->groups,
                        .height = shape->height,
                        .stride = shape->stride,
                        .wrapped = wrapped};
    pass.useful = wrapped && shape->groups == LANES ? LANES : LANES - 1;
    pass.strips = (uint32_t)((shape->groups + pass.useful - 1) / pass.useful);
    int64_t segments = world->warps_at_once[which] / pass.strips;
    if (segments * LONG_SEGMENT * world->generations[which] <= shape->height) segments *= 2;
    pass.segments = segments < 1 ? 1 : segments > shape->height ? shape->height : (uint32_t)segments;
    return pass;
}

/* On a torus that is not made of whole groups, the groups to spare become what lies beyond the edges. */
static bool wrap(struct groups_world *world, struct life_why *why)
{
    const tally_argument arguments[] = {tally_pass_memory(world->now),
                                        tally_pass_bytes(&world->shape, sizeof world->shape)};
    if (world->problem.edges != LIFE_TORUS || is_whole_groups(world)) return true;
    return gpu_launch_for(world->wrap, (int64_t)world->shape.height * 8, arguments, 2, why);
}

static bool run_pass(struct groups_world *world, int which, struct life_why *why)
{
    if (!wrap(world, why)) return false;
    const struct pass pass = plan_pass(world, which);
    const tally_argument arguments[] = {tally_pass_bytes(&pass, sizeof pass)};
    if (!gpu_launch(world->pass[which], pass.strips * pass.segments, LANES, 0, arguments, 1, why)) return false;
    swap(world);
    return true;
}

/* As many whole rounds as there are; takes them off. */
static bool run_band(struct groups_world *world, int64_t *generations, struct life_why *why)
{
    const int halo = band_halo(world->band);
    while (halo > 0 && *generations >= halo) {
        const int64_t all = *generations / halo, rounds = all < MOST_ROUNDS ? all : MOST_ROUNDS;
        if (!band_step(world->band, world->now, world->next, world->shape.stride, (int)rounds, why)) return false;
        swap(world);
        *generations -= rounds * halo;
    }
    return true;
}

static bool step(void *state, int64_t generations, struct life_why *why)
{
    struct groups_world *world = state;
    if (!run_band(world, &generations, why)) return false;
    for (int i = 0; i < PASSES; i++) {
        for (; generations >= world->generations[i]; generations -= world->generations[i])
            if (!run_pass(world, i, why)) return false;
    }
    return true;
}

const struct life_engine gpu_groups = {"gpu-groups", "groups of 128 columns, generation after generation in registers",
                                       refuses,      open_world,
                                       write_cells,  read_cells,
                                       step,         close_world};
