/* SPDX-License-Identifier: MIT
 *
 * gpu_settled.h - worlds of groups of which much stands still or repeats: passes over the rest (settled.cu). */
#ifndef LIFE_GPU_SETTLED_H
#define LIFE_GPU_SETTLED_H

#include "gpu.h"

#define SETTLED_GENERATIONS 8 /* of a pass */

/* How the world lies in memory, as in stream.cu. */
struct settled_shape {
    int64_t width;
    uint32_t height, stride, groups;
    bool wrapped;
};

struct settled;

bool settled_open(tally_context *context, const struct life_problem *problem, const struct settled_shape *shape,
                  int processors, struct settled **settled, struct life_why *why);

/* Lists what a pass must go through, from the world now and as it was a number of generations before: 1, 2, 4 or 8. */
bool settled_compare(struct settled *settled, const void *now, const void *before, struct life_why *why);

/* The part of the world that is on the list: 0 to 1. Waits for the GPU. */
bool settled_part(struct settled *settled, double *part, struct life_why *why);

/* Lists are numbered. After 2^31, which are hours, another comparison begins anew. */
bool settled_is_worn(const struct settled *settled);

/* A pass over the list; makes the next one. `to` has the world of the list's other time, or of one pass before. */
bool settled_pass(struct settled *settled, const void *from, void *to, struct life_why *why);

void settled_close(struct settled *settled);

#endif
