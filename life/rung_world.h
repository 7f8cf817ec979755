/* SPDX-License-Identifier: MIT
 *
 * rung_world.h - a world that a rung of the ladder runs. */
#ifndef LIFE_RUNG_WORLD_H
#define LIFE_RUNG_WORLD_H

#include "gpu.h"
#include "rungs.h"

struct rung_world {
    tally_context *context;
    const struct life_rung *rung;
    int64_t width, height;
    size_t bytes; /* of a buffer */
    void *now, *next, *arrived;
    uint32_t blocks_at_once; /* of 256 threads, on the whole device */
    tally_module *module;
    tally_function *kernel;
    void *library; /* world of life_gpu, or NULL */
};

/* A world of dead cells. mistake may be NULL. */
bool rung_open(tally_context *context, const struct life_rung *rung, int64_t width, int64_t height,
               const struct life_mistake *mistake, struct rung_world **world, struct life_why *why);
bool rung_write(struct rung_world *world, const struct life_grid *grid, struct life_why *why);
bool rung_read(struct rung_world *world, struct life_grid *grid, struct life_why *why);
bool rung_step(struct rung_world *world, int64_t generations, struct life_why *why);
void rung_close(struct rung_world *world);

#endif
