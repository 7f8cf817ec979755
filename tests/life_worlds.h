/* SPDX-License-Identifier: MIT
 *
 * life_worlds.h - what the tests of engines share: known patterns, pictures, and pairs of worlds that must have the
 * same cells. */
#ifndef TALLY_TEST_LIFE_WORLDS_H
#define TALLY_TEST_LIFE_WORLDS_H

#include "life.h"
#include "test.h"

static inline void check(bool done, const struct life_why *why)
{
    if (!CHECK(done)) fprintf(stderr, "    %s\n", why->text);
}

/* ---- pictures ---- */

static const char *const r_pentomino[] = {".OO", "OO.", ".O.", NULL};
static const char *const acorn[] = {".O.....", "...O...", "OO..OOO", NULL};
static const char *const diehard[] = {"......O.", "OO......", ".O...OOO", NULL};
static const char *const glider[] = {".O.", "..O", "OOO", NULL};
static const char *const blinker[] = {"OOO", NULL};

/* Not the library's life_same and life_population: what judges an engine takes nothing from it. */
static inline bool same(const struct life_grid *a, const struct life_grid *b)
{
    return memcmp(a->bits, b->bits, (size_t)(a->words * a->height) * sizeof *a->bits) == 0;
}

static inline int64_t population(const struct life_grid *grid)
{
    int64_t alive = 0;
    for (int64_t i = 0; i < grid->words * grid->height; i++) alive += __builtin_popcountll(grid->bits[i]);
    return alive;
}

/* Brings a pattern's cells to life, over all edges; the others stay as they are. */
static inline void put(struct life_grid *grid, int64_t x, int64_t y, const char *const *rows)
{
    for (int64_t v = 0; rows[v] != NULL; v++)
        for (int64_t u = 0; rows[v][u] != '\0'; u++)
            if (rows[v][u] == 'O') life_set(grid, (x + u) % grid->width, (y + v) % grid->height, true);
}

/* What an engine makes, and what it should. */
static inline bool two_grids(struct life_grid *got, struct life_grid *want, int64_t width, int64_t height,
                             struct life_why *why)
{
    return life_grid_new(got, width, height, why) && life_grid_new(want, width, height, why);
}

/* ---- pairs of worlds ---- */

struct pair {
    const struct life_problem *problem;
    const struct life_engine *engine, *judge;
    void *world, *other; /* of the judge */
    struct life_grid got, want;
};

static inline bool pair_open(struct pair *pair, tally_context *context, const struct life_problem *problem,
                             const struct life_engine *engine, const struct life_engine *judge)
{
    struct life_why why = {""};
    *pair = (struct pair){.problem = problem, .engine = engine, .judge = judge};
    check(two_grids(&pair->got, &pair->want, problem->width, problem->height, &why) &&
              engine->open(context, problem, &pair->world, &why) && judge->open(context, problem, &pair->other, &why),
          &why);
    return pair->world != NULL && pair->other != NULL;
}

/* Both begin with the cells of `want`. */
static inline void pair_write(struct pair *pair)
{
    struct life_why why = {""};
    check(pair->engine->write(pair->world, &pair->want, &why) && pair->judge->write(pair->other, &pair->want, &why),
          &why);
}

/* Of what was read after a step of so many generations. */
static inline void pair_compare(const struct pair *pair, int step, int64_t generations)
{
    if (!CHECK(same(&pair->got, &pair->want)))
        fprintf(stderr, "    %s of %d x %d, step %d of %d generations\n",
                pair->problem->edges == LIFE_TORUS ? "torus" : "dead edges", (int)pair->problem->width,
                (int)pair->problem->height, step, (int)generations);
}

static inline void pair_close(struct pair *pair)
{
    pair->engine->close(pair->world);
    pair->judge->close(pair->other);
    life_grid_free(&pair->got);
    life_grid_free(&pair->want);
}

#endif
