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

/* The columns, or the rows, of a torus: how many cells of each are alive. A world that has moved has the counts of the
 * start, rotated; few other worlds have, and the counts cost little. */
struct lines {
    int64_t size;
    int64_t *start, *now;  /* counts */
    int64_t *border;       /* of start up to each line: how much of its end is its beginning, too */
    int64_t *steps, found; /* by which start's counts, rotated, are now's */
};

static bool make_lines(struct lines *lines, int64_t size, struct life_why *why)
{
    int64_t *room = calloc((size_t)size, 4 * sizeof *room);
    if (room == NULL) return life_fail(why, "period: out of memory");
    *lines = (struct lines){size, room, room + size, room + 2 * size, room + 3 * size, 0};
    return true;
}

static void count_rows(const struct life_grid *grid, int64_t *counts)
{
    for (int64_t y = 0; y < grid->height; y++) {
        counts[y] = 0;
        for (int64_t w = 0; w < grid->words; w++) counts[y] += __builtin_popcountll(grid->bits[y * grid->words + w]);
    }
}

static void count_columns(const struct life_grid *grid, int64_t *counts)
{
    for (int64_t x = 0; x < grid->width; x++) counts[x] = 0;
    for (int64_t i = 0; i < grid->words * grid->height; i++) {
        int64_t *here = counts + i % grid->words * 64;
        for (uint64_t left = grid->bits[i]; left != 0; left &= left - 1) here[__builtin_ctzll(left)]++;
    }
}

static void find_borders(struct lines *lines)
{
    for (int64_t i = 1, same = 0; i < lines->size; i++) {
        while (same > 0 && lines->start[i] != lines->start[same]) same = lines->border[same - 1];
        if (lines->start[i] == lines->start[same]) same++;
        lines->border[i] = same;
    }
}

/* Looks for start's counts in now's, once around (Knuth, Morris and Pratt). False when they are not there. */
static bool find_steps(struct lines *lines)
{
    lines->found = 0;
    for (int64_t i = 0, same = 0; i < 2 * lines->size - 1; i++) {
        const int64_t count = lines->now[i % lines->size];
        while (same > 0 && (same == lines->size || count != lines->start[same])) same = lines->border[same - 1];
        if (count == lines->start[same]) same++;
        if (same == lines->size) lines->steps[lines->found++] = i - lines->size + 1;
    }
    return lines->found > 0;
}

/* What a world is compared with. */
struct memory {
    struct life_grid start, now;
    struct lines columns, rows;
    int64_t alive;
    uint64_t hash;
};

/* Whether cell x + right, y + down is now what x,y was at the start. Rows without live cells need no look: the counts
 * agree already. */
static bool is_moved(const struct memory *memory, int64_t right, int64_t down)
{
    const struct life_grid *start = &memory->start;
    const uint64_t last = ~(uint64_t)0 >> (63 - (start->width - 1) % 64);
    for (int64_t y = 0; y < start->height; y++) {
        const uint64_t *row = start->bits + y * start->words;
        const int64_t now_y = (y + down) % start->height;
        for (int64_t w = 0; memory->rows.start[y] > 0 && w < start->words; w++) {
            const uint64_t mask = w == start->words - 1 ? last : ~(uint64_t)0;
            const uint64_t now = life_cells_around(&memory->now, (w * 64 + right) % start->width, now_y);
            if (((now ^ row[w]) & mask) != 0) return false;
        }
    }
    return true;
}

/* The shorter way around a torus. */
static int64_t shorter(int64_t steps, int64_t size)
{
    return steps > size / 2 ? steps - size : steps;
}

/* Whether the world is what it was, moved: of several ways, by the fewest steps. */
static bool has_moved(struct memory *memory, struct life_period *period)
{
    const struct lines *columns = &memory->columns, *rows = &memory->rows;
    int64_t fewest = INT64_MAX;
    if (life_population(&memory->now) != memory->alive) return false;
    count_rows(&memory->now, rows->now);
    if (!find_steps(&memory->rows)) return false;
    count_columns(&memory->now, columns->now);
    if (!find_steps(&memory->columns)) return false;
    for (int64_t i = 0; i < columns->found; i++) {
        for (int64_t j = 0; j < rows->found; j++) {
            const int64_t x = shorter(columns->steps[i], columns->size), y = shorter(rows->steps[j], rows->size);
            const int64_t steps = (x < 0 ? -x : x) + (y < 0 ? -y : y);
            if (steps >= fewest || !is_moved(memory, columns->steps[i], rows->steps[j])) continue;
            fewest = steps;
            period->x = x;
            period->y = y;
        }
    }
    return fewest < INT64_MAX;
}

static bool remember(const struct life_engine *engine, void *world, const struct life_problem *problem,
                     struct memory *memory, struct life_why *why)
{
    if (!life_grid_new(&memory->start, problem->width, problem->height, why) ||
        !life_grid_new(&memory->now, problem->width, problem->height, why) || !engine->read(world, &memory->start, why))
        return false;
    memory->hash = life_hash(&memory->start);
    memory->alive = life_population(&memory->start);
    if (problem->edges == LIFE_DEAD) return true;
    if (!make_lines(&memory->columns, problem->width, why) || !make_lines(&memory->rows, problem->height, why))
        return false;
    count_columns(&memory->start, memory->columns.start);
    count_rows(&memory->start, memory->rows.start);
    find_borders(&memory->columns);
    find_borders(&memory->rows);
    return true;
}

static bool has_come_back(const struct life_problem *problem, struct memory *memory, struct life_period *period)
{
    if (life_hash(&memory->now) == memory->hash && life_same(&memory->now, &memory->start)) return true;
    return problem->edges == LIFE_TORUS && has_moved(memory, period);
}

bool life_find_period(const struct life_engine *engine, void *world, const struct life_problem *problem, int64_t limit,
                      struct life_period *period, struct life_why *why)
{
    struct memory memory = {.alive = 0};
    *period = (struct life_period){0, 0, 0};
    bool sound = remember(engine, world, problem, &memory, why);
    for (int64_t g = 1; sound && g <= limit && period->generations == 0; g++) {
        sound = engine->step(world, 1, why) && engine->read(world, &memory.now, why);
        if (sound && has_come_back(problem, &memory, period)) period->generations = g;
    }
    life_grid_free(&memory.start);
    life_grid_free(&memory.now);
    free(memory.columns.start);
    free(memory.rows.start);
    return sound;
}
