/* SPDX-License-Identifier: MIT
 *
 * period.c - whether a world has come back, in place or moved. */
#include "area.h"

#include <stdlib.h>

uint64_t life_hash(const struct life_grid *grid)
{
    const int64_t words = grid->words * grid->height;
    uint64_t hash = (uint64_t)grid->width;
    for (int64_t i = 0; i < words; i++) {
        hash = (hash ^ grid->bits[i]) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 29;
    }
    return hash;
}

/* A flag per column or row: is any of its cells alive? */
static void mark_lines(const struct life_grid *grid, bool *columns, bool *rows)
{
    for (int64_t y = 0; y < grid->height; y++) {
        const uint64_t *row = grid->bits + y * grid->words;
        rows[y] = false;
        for (int64_t w = 0; w < grid->words; w++) {
            if (row[w] != 0) rows[y] = true;
            for (uint64_t left = row[w]; left != 0; left &= left - 1) columns[w * 64 + __builtin_ctzll(left)] = true;
        }
    }
}

/* The shortest stretch around the torus that holds all marked lines: what is left without the longest gap. */
static void find_stretch(const bool *marked, int64_t size, int64_t *from, int64_t *length)
{
    int64_t longest = 0, run = 0;
    *from = 0, *length = size;
    for (int64_t i = 0; i < 2 * size; i++) {
        if (!marked[i % size]) {
            run++;
            continue;
        }
        if (run > longest && run < size) {
            longest = run;
            *from = i % size;
            *length = size - run;
        }
        run = 0;
    }
}

/* The live cells of a torus, wherever they lie on it: a box that may reach over the edges. Not for a dead one. */
static bool box_around(const struct life_grid *grid, struct life_box *box, struct life_why *why)
{
    bool *marks = calloc((size_t)(grid->words * 64 + grid->height), sizeof *marks);
    if (marks == NULL) return life_fail(why, "period: out of memory");
    bool *rows = marks + grid->words * 64;
    mark_lines(grid, marks, rows);
    find_stretch(marks, grid->width, &box->x, &box->width);
    find_stretch(rows, grid->height, &box->y, &box->height);
    free(marks);
    return true;
}

/* What a world is compared with. */
struct memory {
    struct life_grid start, now, shape; /* shape: the live cells of start */
    struct life_box box;
    int64_t alive;
    uint64_t hash;
};

/* The way from a to b around a torus, of the two that with fewer steps. */
static int64_t steps_between(int64_t a, int64_t b, int64_t size)
{
    const int64_t forward = ((b - a) % size + size) % size;
    return forward > size / 2 ? forward - size : forward;
}

/* Whether the world is what it was, moved. */
static bool has_moved(struct memory *memory, bool *moved, struct life_period *period, struct life_why *why)
{
    struct life_box box;
    struct life_grid shape;
    *moved = false;
    if (memory->alive == 0 || life_population(&memory->now) != memory->alive) return true;
    if (!box_around(&memory->now, &box, why)) return false;
    if (box.width != memory->box.width || box.height != memory->box.height) return true;
    if (!life_cut(&memory->now, &box, LIFE_TORUS, &shape, why)) return false;
    *moved = life_same(&shape, &memory->shape);
    life_grid_free(&shape);
    period->x = steps_between(memory->box.x, box.x, memory->now.width);
    period->y = steps_between(memory->box.y, box.y, memory->now.height);
    return true;
}

static bool remember(const struct life_engine *engine, void *world, const struct life_problem *problem,
                     struct memory *memory, struct life_why *why)
{
    if (!life_grid_new(&memory->start, problem->width, problem->height, why) ||
        !life_grid_new(&memory->now, problem->width, problem->height, why) || !engine->read(world, &memory->start, why))
        return false;
    memory->hash = life_hash(&memory->start);
    memory->alive = life_population(&memory->start);
    return memory->alive == 0 || problem->edges == LIFE_DEAD ||
           (box_around(&memory->start, &memory->box, why) &&
            life_cut(&memory->start, &memory->box, LIFE_TORUS, &memory->shape, why));
}

static bool compare(const struct life_problem *problem, struct memory *memory, int64_t generations,
                    struct life_period *period, struct life_why *why)
{
    bool moved = false;
    struct life_period found = {generations, 0, 0};
    if (life_hash(&memory->now) == memory->hash && life_same(&memory->now, &memory->start)) moved = true;
    else if (problem->edges == LIFE_TORUS && !has_moved(memory, &moved, &found, why)) return false;
    if (moved) *period = found;
    return true;
}

bool life_find_period(const struct life_engine *engine, void *world, const struct life_problem *problem, int64_t limit,
                      struct life_period *period, struct life_why *why)
{
    struct memory memory = {.alive = 0};
    *period = (struct life_period){0, 0, 0};
    bool sound = remember(engine, world, problem, &memory, why);
    for (int64_t g = 1; sound && g <= limit && period->generations == 0; g++)
        sound = engine->step(world, 1, why) && engine->read(world, &memory.now, why) &&
                compare(problem, &memory, g, period, why);
    life_grid_free(&memory.start);
    life_grid_free(&memory.now);
    life_grid_free(&memory.shape);
    return sound;
}
