/* SPDX-License-Identifier: MIT
 *
 * gpu_band.h - worlds that fit the registers of the whole GPU: many generations in one launch (band.cu). */
#ifndef LIFE_GPU_BAND_H
#define LIFE_GPU_BAND_H

#include "gpu.h"

/* How a world is divided. */
struct band_plan {
    int blocks, warps; /* of a block */
    int groups, wide;  /* of a row, of a thread's row */
    int rows;          /* of a thread */
    int halo;          /* rows at either end of a block's own; also the generations of a round */
};

/* False: it does not fit so many multiprocessors, or its rows are not 1, 2, 4, ... 32 groups. */
bool band_plan_find(const struct life_problem *problem, int processors, struct band_plan *plan);

struct band;

/* No band, and no failure, where there is no plan. */
bool band_open(tally_context *context, const struct life_problem *problem, int processors, struct band **band,
               struct life_why *why);

/* Generations that it makes at a time; 0: there is none. */
int band_halo(const struct band *band);

/* Makes rounds, 1 or more, of that many; rows have `stride` bytes. */
bool band_step(struct band *band, const void *from, void *to, uint32_t stride, int rounds, struct life_why *why);

void band_close(struct band *band);

#endif
