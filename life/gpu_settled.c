/* SPDX-License-Identifier: MIT
 *
 * gpu_settled.c - see gpu_settled.h. */
#include "gpu_settled.h"

#include <stdlib.h>
#include <string.h>

#define TILE_ROWS 64 /* the most, as in settled.cu */
#define BLOCK 128
#define COUNTS 3

/* As in settled.cu. */
struct tiles {
    const void *from;
    void *to;
    int64_t width;
    uint32_t height, stride, groups, down;
    void *marks, *lists, *counts;
    uint32_t list;
    int32_t wrapped;
};

struct settled {
    tally_context *context;
    struct tiles tiles;
    size_t count; /* tiles */
    uint32_t blocks;
    tally_module *module;
    tally_function *pass, *compare;
};

static bool clear_memory(const struct settled *settled, void *memory, size_t words, struct life_why *why)
{
    uint32_t *zeros = calloc(words, sizeof *zeros);
    if (zeros == NULL) return life_fail(why, "out of memory");
    const bool done = gpu_copy(settled->context, memory, zeros, words * sizeof *zeros, why);
    free(zeros);
    return done;
}

static bool take_memory(struct settled *settled, struct life_why *why)
{
    struct tiles *tiles = &settled->tiles;
    return gpu_take(settled->context, settled->count * sizeof(uint32_t), &tiles->marks, why) &&
           gpu_take(settled->context, 2 * settled->count * sizeof(uint32_t), &tiles->lists, why) &&
           gpu_take(settled->context, COUNTS * sizeof(uint32_t), &tiles->counts, why) &&
           clear_memory(settled, tiles->marks, settled->count, why);
}

/* As many blocks as run at once: they share what is on a list. */
static bool find_kernels(struct settled *settled, int processors, struct life_why *why)
{
    const tally_grid grid = {{1, 1, 1}, {BLOCK, 1, 1}, 0, 0};
    tally_function_facts facts = {.size = sizeof facts};
    if (!gpu_find(settled->module, "life_settled", &settled->pass, why) ||
        !gpu_find(settled->module, "life_compare", &settled->compare, why))
        return false;
    if (tally_function_info(settled->pass, &grid, &facts) != TALLY_OK) return life_fail_call(why, "life");
    settled->blocks = (uint32_t)processors * (uint32_t)(facts.blocks_at_once > 0 ? facts.blocks_at_once : 1);
    return true;
}

bool settled_open(tally_context *context, const struct life_problem *problem, const struct settled_shape *shape,
                  int processors, struct settled **settled, struct life_why *why)
{
    struct settled *made = calloc(1, sizeof *made);
    if (made == NULL) return life_fail(why, "out of memory");
    made->context = context;
    made->tiles = (struct tiles){.width = shape->width,
                                 .height = shape->height,
                                 .stride = shape->stride,
                                 .groups = shape->groups,
                                 .down = (shape->height - 1) / TILE_ROWS + 1,
                                 .wrapped = shape->wrapped};
    made->count = (size_t)shape->groups * made->tiles.down;
    if (!take_memory(made, why) || !gpu_compile(context, problem, "settled.cu", NULL, &made->module, why) ||
        !find_kernels(made, processors, why)) {
        settled_close(made);
        return false;
    }
    *settled = made;
    return true;
}

static bool launch(struct settled *settled, tally_function *function, uint32_t blocks, const void *from, const void *to,
                   struct life_why *why)
{
    struct tiles tiles = settled->tiles;
    tiles.from = from;
    memcpy(&tiles.to, &to, sizeof to);
    const tally_argument arguments[] = {tally_pass_bytes(&tiles, sizeof tiles)};
    if (!gpu_launch(function, blocks, BLOCK, 0, arguments, 1, why)) return false;
    settled->tiles.list++;
    return true;
}

bool settled_is_worn(const struct settled *settled)
{
    return settled->tiles.list > UINT32_MAX / 2;
}

bool settled_compare(struct settled *settled, const void *now, const void *before, struct life_why *why)
{
    struct tiles *tiles = &settled->tiles;
    if (settled_is_worn(settled)) {
        tiles->list = 0;
        if (!clear_memory(settled, tiles->marks, settled->count, why)) return false;
    }
    const uint32_t blocks = (uint32_t)((settled->count + BLOCK - 1) / BLOCK);
    return clear_memory(settled, tiles->counts, COUNTS, why) &&
           launch(settled, settled->compare, blocks, now, before, why);
}

bool settled_part(struct settled *settled, double *part, struct life_why *why)
{
    uint32_t counts[COUNTS];
    if (!gpu_copy(settled->context, counts, settled->tiles.counts, sizeof counts, why)) return false;
    *part = (double)counts[settled->tiles.list % COUNTS] / (double)settled->count;
    return true;
}

bool settled_pass(struct settled *settled, const void *from, void *to, struct life_why *why)
{
    return launch(settled, settled->pass, settled->blocks, from, to, why);
}

void settled_close(struct settled *settled)
{
    if (settled == NULL) return;
    const struct tiles *tiles = &settled->tiles;
    tally_module_free(settled->module);
    tally_free(settled->context, tiles->marks, settled->count * sizeof(uint32_t));
    tally_free(settled->context, tiles->lists, 2 * settled->count * sizeof(uint32_t));
    tally_free(settled->context, tiles->counts, COUNTS * sizeof(uint32_t));
    free(settled);
}
