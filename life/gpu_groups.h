/* SPDX-License-Identifier: MIT
 *
 * gpu_groups.h - worlds of any size in groups of 128 columns (group.cuh), in two buffers: what opens them and what
 * makes their generations share. */
#ifndef LIFE_GPU_GROUPS_H
#define LIFE_GPU_GROUPS_H

#include "gpu_band.h"
#include "gpu_settled.h"

#define LANES 32 /* of a warp */

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
    int32_t ring, closed, wrapped;
};

enum { PASSES = 4 }; /* by their generations, the most first */

/* When to leave out what stands still. */
struct watch {
    int64_t first, passes; /* from check to check of a world that is busy: at first, and now */
    int64_t left;          /* passes until the next check, or look */
    int distance;          /* generations between the two buffers; 0: one holds nothing */
    bool settled, listed;  /* it pays; there is a list for the two buffers */
    bool off;              /* what is small enough for registers is made faster than it is searched */
};

struct groups_world {
    tally_context *context;
    int processors;
    struct life_problem problem;
    struct shape shape;
    size_t bytes;
    void *now, *next;
    tally_module *conversions, *stream;
    tally_function *pack, *unpack, *wrap, *clear, *pass[PASSES];
    int64_t warps_at_once[PASSES];
    int generations[PASSES]; /* of each pass */
    struct pass strips;      /* how all passes divide rows */
    bool with_rings;         /* as in stream.cu */
    struct band *band;       /* or NULL */
    struct settled *settled; /* or NULL, until the first check */
    struct watch watch;
};

/* From now on, as if the world were new: check after so many passes, or never. */
void groups_watch(struct groups_world *world, int64_t passes, bool off);

bool groups_step(void *world, int64_t generations, struct life_why *why);

#endif
