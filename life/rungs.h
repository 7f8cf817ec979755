/* SPDX-License-Identifier: MIT
 *
 * rungs.h - the ladder of Life: the classic kernels, from a byte and a launch to the library's engine. Each rung is one
 * .cu file of this folder; all do Conway's rule on a torus. */
#ifndef LIFE_RUNGS_H
#define LIFE_RUNGS_H

#include "life.h"

struct rung_world;

struct life_rung {
    const char *name;
    const char *file; /* of its kernel; NULL: it is the library's engine */
    const char *kernel;
    bool packed;                                           /* its memory is a picture; else a byte for a cell */
    const char *idea;                                      /* one sentence, for tables */
    const char *removes;                                   /* the limit that the rung before had */
    const char *next;                                      /* the limit that it has itself */
    const char *(*refuses)(int64_t width, int64_t height); /* or NULL: it does all */
    /* Queues generations; the newest is in world->now then. */
    bool (*run)(struct rung_world *world, int64_t generations, struct life_why *why);
};

#define LIFE_RUNGS 6
extern const struct life_rung life_rungs[LIFE_RUNGS];
const struct life_rung *life_find_rung(const char *name); /* NULL when there is none */

/* A mistake that is easily made: a text of a rung's source, and what to put there. */
struct life_mistake {
    const char *name, *rung, *right, *wrong, *what;
};
#define LIFE_MISTAKES 4
extern const struct life_mistake life_mistakes[LIFE_MISTAKES];

/* What came of a rung. */
struct life_rung_result {
    const struct life_rung *rung;
    bool left_out, wrong;
    char why[400];             /* of the two before */
    double milliseconds, rate; /* of all generations, the median; cell updates in a second; 0 on device simt */
    int64_t launches;          /* on device simt; 0: not known */
};

struct life_climb {
    tally_context *context;
    bool simulated;
    int64_t width, height, generations;
    uint64_t seed;               /* of the cells, a quarter of which is alive */
    const char *checked_against; /* the rung that was, or the obvious loop */
    struct life_rung_result results[LIFE_RUNGS];
    int result_count;
};

/* Runs all rungs, or the one of that name. Each is compared with the obvious loop; where that would take too long, with
 * the packed rung, which is compared with the obvious loop on a smaller world first. Fails only where nothing can go
 * on. */
bool life_climb_all(struct life_climb *climb, const char *only, struct life_why *why);

/* Runs a mistake on small worlds until one is wrong: `seen` says where. */
bool life_try_mistake(tally_context *context, const struct life_mistake *mistake, bool *caught, char seen[400],
                      struct life_why *why);

#endif
