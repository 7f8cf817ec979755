/* SPDX-License-Identifier: MIT
 *
 * cpu_tiles.c - larger worlds: tiles of rows and words, CPU_PASS generations of each at a time in the cache.
 *
 * The generations of a tile are stages behind each other. A stage takes rows from the one before and gives all but the
 * first and the last of them, so with enough rows around a tile for all stages the last one gives the tile. Only a few
 * rows lie between two stages. Where a world is several tiles across, words are lost at both sides in the same way;
 * otherwise each stage completes its own rows.
 *
 * What a pass left as it was, and all around it too, stays so in the next pass: its cells in the other plane, from a
 * pass ago, are what they will be, so nothing is done. That is known of slabs of a few rows; a tile is as many of them
 * as lie side by side and may change. */
#include "cpu.h"

#include <stdlib.h>
#include <string.h>

struct pass {
    struct cpu_world *world;
    int generations;
};

/* Rows that a stage made and the next one has not used up. */
struct stage {
    uint64_t *cells; /* word 0 of the tile in the first of them */
    int64_t stride, filled;
    int64_t row; /* of the world: the next to be made */
};

struct tile {
    int64_t top, bottom, left, right;
    struct stage stage[CPU_PASS + 1];
};

/* How far from the tile a stage's words reach. */
static int64_t margin(const struct pass *pass, int stage)
{
    return pass->world->tiles.across > 1 ? pass->generations - stage : 0;
}

/* From `from` to the next stage: all rows that it allows, from word -margin on. */
static void advance(const struct pass *pass, struct tile *tile, int number)
{
    const struct cpu_world *world = pass->world;
    struct stage *from = &tile->stage[number - 1], *to = &tile->stage[number];
    const int64_t extra = margin(pass, number), words = tile->right - tile->left + 2 * extra;
    const int64_t rows = from->filled - 2;
    uint64_t *out = to->cells + to->filled * to->stride;
    if (rows <= 0) return;
    const struct cpu_rows request = {.in = from->cells - extra * CPU_LANES,
                                     .out = out - extra * CPU_LANES,
                                     .in_stride = from->stride,
                                     .out_stride = to->stride,
                                     .rows = rows,
                                     .words = words,
                                     .masks = world->masks != NULL ? world->masks + tile->left - extra : NULL};
    world->next(&request, &world->rule);
    for (int64_t y = 0; y < rows; y++)
        if (cpu_row_is_masked(world, to->row + y))
            cpu_mask_row(world, out + y * to->stride - extra * CPU_LANES, words, to->row + y);
    if (world->tiles.across == 1) world->kernels->wrap(&world->wrap, out, to->stride, rows);
    to->filled += rows;
    to->row += rows;
}

/* The last two rows of a stage come first. */
static void keep_two(struct stage *stage)
{
    if (stage->filled <= 2) return;
    uint64_t *first = stage->cells - (CPU_PASS + 1) * CPU_LANES;
    memmove(first, first + (stage->filled - 2) * stage->stride, (size_t)(2 * stage->stride) * sizeof *first);
    stage->filled = 2;
}

static int64_t slab_row(const struct cpu_world *world, int64_t slab)
{
    return world->rows * slab / world->tiles.down;
}

static void open_tile(const struct pass *pass, struct tile *tile, const struct cpu_task *task, int32_t worker)
{
    const struct cpu_world *world = pass->world;
    const struct cpu_tiles *tiles = &world->tiles;
    const int last = pass->generations;
    tile->left = world->words * task->panel / tiles->across;
    tile->right = world->words * (task->panel + 1) / tiles->across;
    tile->top = slab_row(world, task->first), tile->bottom = slab_row(world, task->end);
    uint64_t *memory = tiles->scratch[worker] + (CPU_PASS + 1) * CPU_LANES;
    for (int i = 0; i <= last; i++) {
        tile->stage[i] = (struct stage){memory, tiles->stage_stride, 0, tile->top - last + i};
        if (i > 0 && i < last) memory += (tiles->block + 2) * tiles->stage_stride;
    }
    tile->stage[0].cells = cpu_row(world, world->now, tile->top - last) + tile->left * CPU_LANES;
    tile->stage[last].cells = cpu_row(world, world->now ^ 1, tile->top) + tile->left * CPU_LANES;
    tile->stage[0].stride = tile->stage[last].stride = world->stride;
}

/* Whether the pass changed a slab of a tile. */
static bool differs(const struct cpu_world *world, const struct tile *tile, int64_t slab)
{
    const size_t bytes = (size_t)(tile->right - tile->left) * CPU_WORD_BYTES;
    for (int64_t y = slab_row(world, slab); y < slab_row(world, slab + 1); y++) {
        const int64_t at = tile->left * CPU_LANES;
        if (memcmp(cpu_row(world, 0, y) + at, cpu_row(world, 1, y) + at, bytes) != 0) return true;
    }
    return false;
}

static void tile_task(void *argument, int64_t index, int32_t worker)
{
    const struct pass *pass = argument;
    const struct cpu_world *world = pass->world;
    const int last = pass->generations;
    const struct cpu_task *task = &world->tiles.task[index];
    const int64_t block = world->tiles.block;
    struct tile tile;
    open_tile(pass, &tile, task, worker);
    for (int64_t left = tile.bottom - tile.top + 2 * last - 2; left > 0; left -= block) {
        tile.stage[0].filled = (left < block ? left : block) + 2;
        for (int i = 1; i <= last; i++) {
            advance(pass, &tile, i);
            if (i > 1) keep_two(&tile.stage[i - 1]);
        }
        tile.stage[0].cells += block * world->stride;
    }
    for (int64_t slab = task->first; slab < task->end; slab++)
        world->tiles.changed[slab * world->tiles.across + task->panel] = differs(world, &tile, slab);
}

static void wrap_task(void *argument, int64_t slab, int32_t worker)
{
    const struct cpu_world *world = ((const struct pass *)argument)->world;
    const int64_t first = slab_row(world, slab);
    (void)worker;
    if (world->tiles.read[slab])
        world->kernels->wrap(&world->wrap, cpu_row(world, world->now, first), world->stride,
                             slab_row(world, slab + 1) - first);
}

static void halo_task(void *argument, int64_t index, int32_t worker)
{
    const struct pass *pass = argument;
    const struct cpu_world *world = pass->world;
    (void)worker;
    cpu_fill_row(world, world->now, index < pass->generations ? -1 - index : world->rows + index - pass->generations);
}

/* Whether a slab of a panel may change: it did, or one around it. */
static bool is_active(const struct cpu_tiles *tiles, int64_t slab, int64_t panel)
{
    const int64_t down = tiles->down, across = tiles->across;
    for (int64_t y = slab + down - 1; y <= slab + down + 1; y++)
        for (int64_t x = panel + across - 1; x <= panel + across + 1; x++)
            if (tiles->changed[y % down * across + x % across]) return true;
    return false;
}

/* Cuts slabs that follow each other into tasks of much the same size. */
static void add_tasks(struct cpu_tiles *tiles, int64_t panel, int64_t first, int64_t end)
{
    const int64_t slabs = end - first, parts = (slabs + tiles->most - 1) / tiles->most;
    for (int64_t i = 0; i < parts; i++)
        tiles->task[tiles->task_count++] =
            (struct cpu_task){panel, first + slabs * i / parts, first + slabs * (i + 1) / parts};
    for (int64_t slab = first - 1; slab <= end && slabs > 0; slab++)
        tiles->read[(slab + tiles->down) % tiles->down] = 1;
}

static void find_tasks(struct cpu_tiles *tiles)
{
    tiles->task_count = 0;
    memset(tiles->read, 0, (size_t)tiles->down);
    for (int64_t panel = 0; panel < tiles->across; panel++) {
        int64_t first = 0;
        for (int64_t slab = 0; slab < tiles->down; slab++) {
            if (is_active(tiles, slab, panel)) continue;
            add_tasks(tiles, panel, first, slab);
            first = slab + 1;
        }
        add_tasks(tiles, panel, first, tiles->down);
    }
    memset(tiles->changed, 0, (size_t)(tiles->down * tiles->across));
}

void cpu_tiles_forget(struct cpu_world *world)
{
    memset(world->tiles.changed, 1, (size_t)(world->tiles.down * world->tiles.across));
}

static bool run_pass(struct cpu_world *world, int generations, struct life_why *why)
{
    struct pass pass = {world, generations};
    struct cpu_tiles *tiles = &world->tiles;
    const bool odd = generations < CPU_PASS; /* the planes are no whole pass apart, before and afterwards */
    if (odd) cpu_tiles_forget(world);
    find_tasks(tiles);
    if (tiles->task_count == 0) return true;
    if ((tiles->across > 1 && tally_parallel_for(world->context, tiles->down, wrap_task, &pass) != TALLY_OK) ||
        tally_parallel_for(world->context, 2 * generations, halo_task, &pass) != TALLY_OK ||
        tally_parallel_for(world->context, tiles->task_count, tile_task, &pass) != TALLY_OK) {
        cpu_tiles_forget(world);
        return life_fail_call(why, "generations");
    }
    world->now ^= 1;
    if (odd) cpu_tiles_forget(world);
    return true;
}

bool cpu_tiles_step(struct cpu_world *world, int64_t generations, struct life_why *why)
{
    for (; generations >= CPU_PASS; generations -= CPU_PASS) {
        if (!run_pass(world, CPU_PASS, why)) return false;
        if (world->tiles.task_count == 0) {
            generations %= CPU_PASS;
            break;
        }
    }
    return generations == 0 || run_pass(world, (int)generations, why);
}

/* How large tiles are, and how many rows lie between stages: measured on a Xeon with 48 KiB and 2 MiB of cache. Tiles
 * lose work at their sides, wide ones leave the nearer cache; more rows at a time are fewer steps in a larger space. */
#define PANEL_WORDS 96 /* more than a pass reaches, on a torus whose last bit may be 63 columns short as well */
#define TASK_ROWS 512
#define LEAST_TASK_ROWS 96
#define TASKS_OF_THREAD 4
#define SLAB_ROWS 32 /* more than a pass reaches, on a torus whose last lane may be 7 rows short as well */
#define BLOCK_BYTES (64 << 10)
#define LEAST_BLOCK 12
#define MOST_BLOCK 40

static void set_shape(struct cpu_world *world)
{
    struct cpu_tiles *tiles = &world->tiles;
    const int64_t words = world->words, rows = world->rows;
    tiles->across = words < 2 * PANEL_WORDS ? 1 : words / PANEL_WORDS;
    tiles->down = rows / SLAB_ROWS > 0 ? rows / SLAB_ROWS : 1;
    const int64_t tasks = world->threads > 1 ? (TASKS_OF_THREAD * world->threads - 1) / tiles->across + 1 : 1;
    int64_t task_rows = rows / tasks < TASK_ROWS ? rows / tasks : TASK_ROWS;
    if (task_rows < LEAST_TASK_ROWS) task_rows = LEAST_TASK_ROWS;
    tiles->most = task_rows * tiles->down / rows;
    if (tiles->most < 1) tiles->most = 1;
    const int64_t panel = (words + tiles->across - 1) / tiles->across + 2 * (CPU_PASS + 1);
    const int64_t block = BLOCK_BYTES / (panel * CPU_WORD_BYTES);
    tiles->block = (int)(block < LEAST_BLOCK ? LEAST_BLOCK : block > MOST_BLOCK ? MOST_BLOCK : block);
    tiles->stage_stride = (panel | 1) * CPU_LANES; /* rows that lie a power of two apart share too little cache */
}

bool cpu_tiles_open(struct cpu_world *world, struct life_why *why)
{
    struct cpu_tiles *tiles = &world->tiles;
    set_shape(world);
    world->halo_rows = CPU_PASS;
    world->halo_words = tiles->across > 1 ? CPU_PASS : 1;
    const size_t count = (size_t)(tiles->down * tiles->across);
    const size_t bytes = (CPU_PASS - 1) * (size_t)((tiles->block + 2) * tiles->stage_stride) * sizeof(uint64_t);
    tiles->changed = malloc(count);
    tiles->read = malloc((size_t)tiles->down);
    tiles->task = malloc(count * sizeof *tiles->task);
    tiles->scratch = calloc((size_t)world->threads, sizeof *tiles->scratch);
    bool done = tiles->changed != NULL && tiles->read != NULL && tiles->task != NULL && tiles->scratch != NULL;
    for (int32_t t = 0; done && t < world->threads; t++) {
        tiles->scratch[t] = aligned_alloc(CPU_WORD_BYTES, bytes);
        done = tiles->scratch[t] != NULL;
    }
    if (!done) return life_fail(why, "out of memory");
    cpu_tiles_forget(world);
    return true;
}

void cpu_tiles_close(struct cpu_world *world)
{
    for (int32_t t = 0; world->tiles.scratch != NULL && t < world->threads; t++) free(world->tiles.scratch[t]);
    free(world->tiles.scratch);
    free(world->tiles.task);
    free(world->tiles.read);
    free(world->tiles.changed);
}
