/* SPDX-License-Identifier: MIT
 *
 * rungs_climb.c - runs the rungs: each is checked first, then timed. */
#include "rung_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAIVE_UPDATES ((int64_t)1 << 28) /* that the obvious loop does in some seconds */
#define RUNS 5                           /* that are timed, after one that is not */

/* A quarter of the cells is alive: bits that are set in both of two random words (splitmix64). */
static void fill(struct life_grid *grid, uint64_t seed)
{
    for (int64_t i = 0; i < grid->words * grid->height; i++) {
        uint64_t z[2];
        for (int k = 0; k < 2; k++) {
            z[k] = seed += 0x9e3779b97f4a7c15u;
            z[k] = (z[k] ^ z[k] >> 30) * 0xbf58476d1ce4e5b9u;
            z[k] = (z[k] ^ z[k] >> 27) * 0x94d049bb133111ebu;
            z[k] ^= z[k] >> 31;
        }
        const int64_t left = grid->width - i % grid->words * 64;
        grid->bits[i] = z[0] & z[1] & (left < 64 ? ((uint64_t)1 << left) - 1 : ~(uint64_t)0);
    }
}

/* The right cells after some generations, by a rung or, without one, by the obvious loop. */
static bool answer(tally_context *context, const struct life_rung *rung, const struct life_grid *start,
                   int64_t generations, struct life_grid *want, struct life_why *why)
{
    if (rung != NULL) {
        struct rung_world *world = NULL;
        const bool done = rung_open(context, rung, start->width, start->height, NULL, &world, why) &&
                          rung_write(world, start, why) && rung_step(world, generations, why) &&
                          rung_read(world, want, why);
        rung_close(world);
        return done;
    }
    const struct life_problem problem = {start->width, start->height, LIFE_CONWAY, LIFE_TORUS};
    void *world = NULL;
    const bool done = life_naive.open(context, &problem, &world, why) && life_naive.write(world, start, why) &&
                      life_naive.step(world, generations, why) && life_naive.read(world, want, why);
    life_naive.close(world);
    return done;
}

/* Where a picture is not what it should be. */
static bool differs(const struct life_grid *got, const struct life_grid *want, char why[400])
{
    for (int64_t i = 0; i < want->words * want->height; i++) {
        const uint64_t wrong = got->bits[i] ^ want->bits[i];
        if (wrong == 0) continue;
        snprintf(why, 400, "row %lld, columns from %lld on are wrong", (long long)(i / want->words),
                 (long long)(i % want->words * 64 + __builtin_ctzll(wrong)));
        return true;
    }
    return false;
}

static bool wait_for(tally_context *context, struct life_why *why)
{
    return tally_synchronize(context) == TALLY_OK || life_fail_call(why, "life");
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool time_rung(const struct life_climb *climb, struct rung_world *world, struct life_rung_result *result,
                      struct life_why *why)
{
    double times[RUNS];
    for (int i = -1; i < RUNS; i++) {
        const bool set = tally_mark(climb->context, 0) == TALLY_OK;
        if (!rung_step(world, climb->generations, why)) return false;
        double milliseconds = 0;
        if (!set || tally_mark(climb->context, 1) != TALLY_OK ||
            tally_elapsed(climb->context, 0, 1, &milliseconds) != TALLY_OK)
            return life_fail_call(why, "life");
        if (i >= 0) times[i] = milliseconds;
    }
    qsort(times, RUNS, sizeof times[0], compare_doubles);
    result->milliseconds = times[RUNS / 2];
    const double updates = (double)climb->width * (double)climb->height * (double)climb->generations;
    result->rate = result->milliseconds > 0 ? updates / (1e-3 * result->milliseconds) : 0;
    return true;
}

/* Kernels that were launched, since this was asked before. */
static bool count_launches(const struct life_climb *climb, int64_t *launches, struct life_why *why)
{
    tally_counts counts = {.size = sizeof counts};
    if (!climb->simulated) return true;
    if (tally_launch_counts(climb->context, &counts) != TALLY_OK) return life_fail_call(why, "life");
    *launches = (int64_t)counts.launches;
    return true;
}

static bool check_and_time(const struct life_climb *climb, struct rung_world *world, const struct life_grid *start,
                           struct life_grid *got, const struct life_grid *want, struct life_rung_result *result,
                           struct life_why *why)
{
    int64_t before = 0;
    if (!rung_write(world, start, why) || !count_launches(climb, &before, why) ||
        !rung_step(world, climb->generations, why) || !wait_for(climb->context, why) ||
        !count_launches(climb, &result->launches, why) || !rung_read(world, got, why))
        return false;
    result->wrong = differs(got, want, result->why);
    return result->wrong || climb->simulated || time_rung(climb, world, result, why);
}

static bool run_rung(const struct life_climb *climb, const struct life_grid *start, struct life_grid *got,
                     const struct life_grid *want, struct life_rung_result *result, struct life_why *why)
{
    const struct life_rung *rung = result->rung;
    const char *refusal = rung->refuses != NULL ? rung->refuses(climb->width, climb->height) : NULL;
    if (refusal != NULL) {
        result->left_out = true;
        snprintf(result->why, sizeof result->why, "%s", refusal);
        return true;
    }
    struct rung_world *world = NULL;
    const bool done = rung_open(climb->context, rung, climb->width, climb->height, NULL, &world, why) &&
                      check_and_time(climb, world, start, got, want, result, why);
    rung_close(world);
    return done;
}

/* The obvious loop for small worlds. For others a rung that is right on a world of odd sides. */
static bool choose_reference(struct life_climb *climb, const struct life_rung **reference, struct life_why *why)
{
    *reference = NULL;
    climb->checked_against = life_naive.name;
    if (climb->width * climb->height <= NAIVE_UPDATES / (climb->generations + 1)) return true;
    struct life_climb small = {.context = climb->context, .width = 1003, .height = 777, .generations = 20, .seed = 1};
    *reference = life_find_rung("packed");
    climb->checked_against = (*reference)->name;
    if (!life_climb_all(&small, (*reference)->name, why)) return false;
    return !small.results[0].wrong || life_fail(why, "the packed rung is wrong: %s", small.results[0].why);
}

static bool climb_rungs(struct life_climb *climb, const char *only, struct life_grid grids[3], struct life_why *why)
{
    const struct life_rung *reference;
    for (int i = 0; i < 3; i++)
        if (!life_grid_new(&grids[i], climb->width, climb->height, why)) return false;
    fill(&grids[0], climb->seed);
    if (!choose_reference(climb, &reference, why) ||
        !answer(climb->context, reference, &grids[0], climb->generations, &grids[1], why))
        return false;
    for (int i = 0; i < LIFE_RUNGS; i++) {
        if (only != NULL && strcmp(only, life_rungs[i].name) != 0) continue;
        struct life_rung_result *result = &climb->results[climb->result_count++];
        *result = (struct life_rung_result){.rung = &life_rungs[i]};
        if (!run_rung(climb, &grids[0], &grids[2], &grids[1], result, why)) return false;
    }
    return true;
}

bool life_climb_all(struct life_climb *climb, const char *only, struct life_why *why)
{
    struct life_grid grids[3] = {{0, 0, 0, NULL}, {0, 0, 0, NULL}, {0, 0, 0, NULL}};
    climb->result_count = 0;
    const bool done = climb_rungs(climb, only, grids, why);
    for (int i = 0; i < 3; i++) life_grid_free(&grids[i]);
    return done;
}

bool life_try_mistake(tally_context *context, const struct life_mistake *mistake, bool *caught, char seen[400],
                      struct life_why *why)
{
    static const int64_t sizes[][2] = {{67, 45}, {100, 64}, {255, 255}};
    *caught = false;
    for (int i = 0; i < 3 && !*caught; i++) {
        const int64_t width = sizes[i][0], height = sizes[i][1], generations = 8;
        struct life_grid start, got, want;
        struct rung_world *world = NULL;
        char where[400];
        if (!life_grid_new(&start, width, height, why)) return false;
        bool done = life_grid_new(&got, width, height, why);
        done = life_grid_new(&want, width, height, why) && done;
        fill(&start, 5);
        done = done && answer(context, NULL, &start, generations, &want, why) &&
               rung_open(context, life_find_rung(mistake->rung), width, height, mistake, &world, why) &&
               rung_write(world, &start, why) && rung_step(world, generations, why) && rung_read(world, &got, why);
        if (done && (*caught = differs(&got, &want, where)))
            snprintf(seen, 400, "%d x %d: %.300s", (int)width, (int)height, where);
        rung_close(world);
        life_grid_free(&start), life_grid_free(&got), life_grid_free(&want);
        if (!done) return false;
    }
    return true;
}
