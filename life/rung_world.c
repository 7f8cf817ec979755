/* SPDX-License-Identifier: MIT
 *
 * rung_world.c - see rung_world.h. */
#include "rung_world.h"

#include <stdlib.h>
#include <string.h>

#define THREADS 256

static bool is_library(const struct life_rung *rung)
{
    return rung->file == NULL;
}

/* The source with a mistake in it, to be freed. */
static char *make_mistake(const char *source, const struct life_mistake *mistake, struct life_why *why)
{
    const char *at = strstr(source, mistake->right);
    if (at == NULL || strstr(at + 1, mistake->right) != NULL) {
        life_fail(why, "%s: its text is not in the source once", mistake->name);
        return NULL;
    }
    const size_t before = (size_t)(at - source), wrong = strlen(mistake->wrong);
    const char *rest = at + strlen(mistake->right);
    char *changed = malloc(before + wrong + strlen(rest) + 1);
    if (changed == NULL) {
        life_fail(why, "out of memory");
        return NULL;
    }
    memcpy(changed, source, before);
    memcpy(changed + before, mistake->wrong, wrong);
    strcpy(changed + before + wrong, rest);
    return changed;
}

static bool compile(struct rung_world *world, const struct life_mistake *mistake, struct life_why *why)
{
    const tally_header headers[] = {{"rung.cuh", gpu_file_text("rung.cuh")}, {NULL, NULL}};
    tally_module_options options = TALLY_MODULE_OPTIONS_INIT;
    options.name = world->rung->file;
    options.headers = headers;
    char *changed = NULL;
    const char *source = gpu_file_text(world->rung->file);
    if (mistake != NULL && (changed = make_mistake(source, mistake, why)) == NULL) return false;
    const bool compiled =
        tally_module_compile(world->context, changed != NULL ? changed : source, &options, &world->module) == TALLY_OK;
    free(changed);
    return (compiled || life_fail_call(why, world->rung->file)) &&
           gpu_find(world->module, world->rung->kernel, &world->kernel, why);
}

static bool count_blocks(struct rung_world *world, struct life_why *why)
{
    const tally_grid grid = {{1, 1, 1}, {THREADS, 1, 1}, 0, 0};
    tally_function_facts facts = {.size = sizeof facts};
    tally_device device = {.size = sizeof device};
    if (tally_function_info(world->kernel, &grid, &facts) != TALLY_OK ||
        tally_device_info(world->context, &device) != TALLY_OK)
        return life_fail_call(why, "life");
    world->blocks_at_once = (uint32_t)(device.threads * (facts.blocks_at_once > 0 ? facts.blocks_at_once : 1));
    return true;
}

static bool open_kernel(struct rung_world *world, const struct life_mistake *mistake, struct life_why *why)
{
    const int64_t words = (world->width + 63) / 64;
    world->bytes = (size_t)(world->rung->packed ? words * 8 * world->height : world->width * world->height);
    return compile(world, mistake, why) && count_blocks(world, why) &&
           gpu_take(world->context, world->bytes, &world->now, why) &&
           gpu_take(world->context, world->bytes, &world->next, why) &&
           gpu_take(world->context, sizeof(uint32_t), &world->arrived, why);
}

bool rung_open(tally_context *context, const struct life_rung *rung, int64_t width, int64_t height,
               const struct life_mistake *mistake, struct rung_world **world, struct life_why *why)
{
    const struct life_problem problem = {width, height, LIFE_CONWAY, LIFE_TORUS};
    struct rung_world *made = calloc(1, sizeof *made);
    if (made == NULL) return life_fail(why, "out of memory");
    *made = (struct rung_world){.context = context, .rung = rung, .width = width, .height = height};
    if (is_library(rung) ? !life_gpu.open(context, &problem, &made->library, why) : !open_kernel(made, mistake, why)) {
        rung_close(made);
        return false;
    }
    *world = made;
    return true;
}

void rung_close(struct rung_world *world)
{
    if (world == NULL) return;
    if (world->library != NULL) life_gpu.close(world->library);
    tally_module_free(world->module);
    tally_free(world->context, world->now, world->bytes);
    tally_free(world->context, world->next, world->bytes);
    tally_free(world->context, world->arrived, sizeof(uint32_t));
    free(world);
}

bool rung_write(struct rung_world *world, const struct life_grid *grid, struct life_why *why)
{
    if (world->library != NULL) return life_gpu.write(world->library, grid, why);
    if (world->rung->packed) return gpu_copy(world->context, world->now, grid->bits, world->bytes, why);
    uint8_t *cells = malloc(world->bytes);
    if (cells == NULL) return life_fail(why, "out of memory");
    for (int64_t y = 0; y < grid->height; y++)
        for (int64_t x = 0; x < grid->width; x++) cells[y * grid->width + x] = life_get(grid, x, y);
    const bool done = gpu_copy(world->context, world->now, cells, world->bytes, why);
    free(cells);
    return done;
}

bool rung_read(struct rung_world *world, struct life_grid *grid, struct life_why *why)
{
    if (world->library != NULL) return life_gpu.read(world->library, grid, why);
    if (world->rung->packed) return gpu_copy(world->context, grid->bits, world->now, world->bytes, why);
    uint8_t *cells = malloc(world->bytes);
    if (cells == NULL) return life_fail(why, "out of memory");
    const bool done = gpu_copy(world->context, cells, world->now, world->bytes, why);
    for (int64_t y = 0; done && y < grid->height; y++)
        for (int64_t x = 0; x < grid->width; x++) life_set(grid, x, y, cells[y * grid->width + x] != 0);
    free(cells);
    return done;
}

bool rung_step(struct rung_world *world, int64_t generations, struct life_why *why)
{
    if (world->library != NULL) return life_gpu.step(world->library, generations, why);
    return world->rung->run(world, generations, why);
}
