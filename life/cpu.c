/* SPDX-License-Identifier: MIT
 *
 * cpu.c - the CPU engine: worlds in the words of cpu.h. Small ones are stepped as a whole here, a generation at a
 * time; cpu_tiles.c has the others. */
#include "cpu.h"

#include <stdlib.h>
#include <string.h>

/* Worlds are stepped as a whole up to these sizes of a plane: a thread of its own keeps both in its cache, several
 * threads are worth their meetings only beyond. Tiles would be mostly halo where there are few rows. */
#define WHOLE_BYTES_ALONE (256 << 10)
#define WHOLE_BYTES (48 << 10)
#define TILED_ROWS (2 * CPU_PASS)

/* How often a small world is watched for CPU_PASS generations: whether it repeats. */
#define WATCH_EVERY (20 * CPU_PASS)

static const char *refuses(tally_context *context, const struct life_problem *problem)
{
    tally_device device = {.size = sizeof device};
    (void)problem;
    if (context == NULL || tally_device_info(context, &device) != TALLY_OK || strncmp(device.name, "cpu", 3) != 0)
        return "engine cpu needs a context of device cpu";
    return NULL;
}

static void close_world(void *state)
{
    struct cpu_world *world = state;
    if (world == NULL) return;
    cpu_tiles_close(world);
    for (int i = 0; i < 2; i++) tally_free(world->context, world->memory[i], world->plane_bytes);
    tally_free(world->context, world->snapshot, world->plane_bytes);
    if (world->masks != NULL) free(world->masks - world->halo_words);
    free(world);
}

/* Bits that lie within dead edges, for each word from halo to halo. */
static bool set_masks(struct cpu_world *world)
{
    const int64_t words = world->words, halo = world->halo_words;
    uint64_t *masks = calloc((size_t)(words + 2 * halo), sizeof *masks);
    if (masks == NULL) return false;
    for (int64_t w = -halo; w < words + halo; w++) {
        for (int q = 0; q < 64; q++) {
            const int64_t x = q * words + w;
            if (x >= 0 && x < world->problem.width) masks[w + halo] |= (uint64_t)1 << q;
        }
    }
    world->masks = masks + halo;
    return true;
}

static void set_wrap(struct cpu_world *world)
{
    const int64_t words = world->words, width = world->problem.width;
    struct cpu_wrap *wrap = &world->wrap;
    wrap->words = words;
    wrap->reach = world->halo_words;
    wrap->torus = world->problem.edges == LIFE_TORUS;
    for (int i = 0; i < wrap->reach; i++) {
        const int64_t before = width - 1 - i % width, behind = (64 * words + i) % width;
        wrap->before[i] = (struct cpu_end){before % words, (int)(before / words)};
        wrap->behind[i] = (struct cpu_end){behind % words, (int)(behind / words)};
    }
}

static void set_rule(struct cpu_world *world)
{
    static const struct life_rule known[] = {[CPU_RULE_CONWAY] = {1 << 3, 1 << 2 | 1 << 3},
#define ROW(name, born, survives) [CPU_RULE_##name] = {(born), (survives)},
                                             FOR_EACH_CPU_RULE(ROW)
#undef ROW
    };
    const unsigned born = world->problem.rule.born, survives = world->problem.rule.survives;
    int kind = 0;
    while (kind < CPU_RULE_ANY && (known[kind].born != born || known[kind].survives != survives)) kind++;
    if (kind == CPU_RULE_ANY && ((born ^ born >> 8) & 1 || (survives ^ survives >> 8) & 1)) kind = CPU_RULE_ANY_EIGHT;
    for (int n = 0; n <= 8; n++) {
        world->rule.born[n] = born >> n & 1 ? UINT64_MAX : 0;
        world->rule.change[n] = (born ^ survives) >> n & 1 ? UINT64_MAX : 0;
    }
    world->next = world->masks != NULL ? world->kernels->next_masked[kind] : world->kernels->next[kind];
}

static bool fits_whole(const struct cpu_world *world)
{
    const int64_t bytes = (world->words + 2) * (world->rows + 2) * CPU_WORD_BYTES;
    return world->rows < TILED_ROWS || bytes <= (world->threads == 1 ? WHOLE_BYTES_ALONE : WHOLE_BYTES);
}

static bool open_plane(struct cpu_world *world, uint64_t **memory, struct life_why *why)
{
    void *allocated = NULL;
    if (tally_alloc(world->context, world->plane_bytes, &allocated) != TALLY_OK)
        return life_fail_call(why, "memory of a world");
    memset(allocated, 0, world->plane_bytes);
    *memory = allocated;
    return true;
}

static bool open_planes(struct cpu_world *world, struct life_why *why)
{
    const int64_t row = world->words + 2 * world->halo_words, rows = world->rows + 2 * world->halo_rows;
    world->stride = row * CPU_LANES;
    world->plane_bytes = (size_t)(row * rows) * CPU_WORD_BYTES;
    for (int i = 0; i < 2; i++) {
        if (!open_plane(world, &world->memory[i], why)) return false;
        world->plane[i] = world->memory[i] + world->halo_rows * world->stride + world->halo_words * CPU_LANES;
    }
    return world->tiles.down > 0 || open_plane(world, &world->snapshot, why);
}

static bool open_world(tally_context *context, const struct life_problem *problem, void **state, struct life_why *why)
{
    tally_device device = {.size = sizeof device};
    const char *refused = refuses(context, problem);
    if (refused != NULL) return life_fail(why, "%s", refused);
    if (tally_device_info(context, &device) != TALLY_OK) return life_fail_call(why, "the CPU");
    struct cpu_world *world = calloc(1, sizeof *world);
    if (world == NULL) return life_fail(why, "out of memory");
    world->context = context;
    world->problem = *problem;
    world->threads = device.threads;
    world->kernels = cpu_kernels_of(&device);
    world->words = (problem->width + 63) / 64;
    world->rows = (problem->height + CPU_LANES - 1) / CPU_LANES;
    world->halo_words = world->halo_rows = 1;
    if ((!fits_whole(world) && !cpu_tiles_open(world, why)) || !open_planes(world, why)) {
        close_world(world);
        return false;
    }
    if (problem->edges == LIFE_DEAD && !set_masks(world)) {
        close_world(world);
        return life_fail(why, "out of memory");
    }
    set_wrap(world);
    set_rule(world);
    *state = world;
    return true;
}

static void fill_ends(struct cpu_world *world)
{
    cpu_fill_row(world, world->now, -1);
    cpu_fill_row(world, world->now, world->rows);
}

static bool write_cells(void *state, const struct life_grid *grid, struct life_why *why)
{
    struct cpu_world *world = state;
    if (!cpu_pack(world, grid, why)) return false;
    if (world->tiles.down > 0) cpu_tiles_forget(world);
    else fill_ends(world);
    return true;
}

static bool read_cells(void *state, struct life_grid *grid, struct life_why *why)
{
    return cpu_unpack(state, grid, why);
}

static void make_generations(struct cpu_world *world, int64_t generations)
{
    struct cpu_rows rows = {.in_stride = world->stride,
                            .out_stride = world->stride,
                            .rows = world->rows,
                            .words = world->words,
                            .masks = world->masks};
    const int64_t complete = world->problem.height - (CPU_LANES - 1) * world->rows; /* rows with all of their lanes */
    for (int64_t g = 0; g < generations; g++) {
        rows.in = cpu_row(world, world->now, -1);
        world->now ^= 1;
        rows.out = cpu_row(world, world->now, 0);
        world->next(&rows, &world->rule);
        if (world->masks != NULL)
            for (int64_t row = complete > 0 ? complete : 0; row < world->rows; row++)
                cpu_mask_row(world, cpu_row(world, world->now, row), world->words, row);
        world->kernels->wrap(&world->wrap, rows.out, world->stride, world->rows);
        fill_ends(world);
    }
}

static void step_whole(struct cpu_world *world, int64_t generations)
{
    while (generations >= WATCH_EVERY) {
        memcpy(world->snapshot, world->memory[world->now], world->plane_bytes);
        make_generations(world, CPU_PASS);
        generations -= CPU_PASS;
        if (memcmp(world->snapshot, world->memory[world->now], world->plane_bytes) == 0) {
            generations %= CPU_PASS;
            break;
        }
        make_generations(world, WATCH_EVERY - CPU_PASS);
        generations -= WATCH_EVERY - CPU_PASS;
    }
    make_generations(world, generations);
}

static bool step(void *state, int64_t generations, struct life_why *why)
{
    struct cpu_world *world = state;
    if (world->tiles.down > 0) return cpu_tiles_step(world, generations, why);
    step_whole(world, generations);
    return true;
}

const struct life_engine life_cpu = {
    "cpu",       "64 x 8 parts of the world side by side in vectors, many generations of a tile at a time",
    refuses,     open_world,
    write_cells, read_cells,
    step,        close_world};
