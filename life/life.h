/* SPDX-License-Identifier: MIT
 *
 * life.h - Conway's Life and its relatives: rules, pictures of cells, and the engines that run them. It builds on
 * tally's public interface alone. Functions that can fail return false and say why; nothing here prints or exits. */
#ifndef TALLY_LIFE_H
#define TALLY_LIFE_H

#include <tally.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why something failed, for people. */
struct life_why {
    char text[400];
};

/* Writes the text like printf, and returns false. */
bool life_fail(struct life_why *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A call of tally failed: "what: " and tally_last_error(). Returns false. */
bool life_fail_call(struct life_why *why, const char *what);

/* ---- Rules: outer-totalistic, two states, the eight neighbours of a cell ---- */

/* Bit n: with n of its eight neighbours alive a dead cell is born, or a live one survives. */
struct life_rule {
    uint16_t born, survives;
};

#define LIFE_CONWAY ((struct life_rule){1u << 3, 1u << 2 | 1u << 3}) /* B3/S23 */

/* What lies beyond the edges of a world: its other side, or cells that are always dead. On a torus of width or height
 * 1 or 2 a neighbour counts as often as it is met: a lone cell of a 1 x 1 torus has eight live neighbours. */
enum life_edges { LIFE_TORUS, LIFE_DEAD };

/* ---- Pictures: cells in rows of words ---- */

#define LIFE_MOST_CELLS ((int64_t)1 << 40)

/* Cell x of row y is bit x % 64 of bits[y * words + x / 64]; the bits from width on are 0. */
struct life_grid {
    int64_t width, height; /* 0 x 0 or both 1 or more */
    int64_t words;         /* of a row: width / 64, rounded up */
    uint64_t *bits;
};

/* All dead. Fails on sizes below 0 or of more than LIFE_MOST_CELLS, and without memory; the grid is empty then. */
bool life_grid_new(struct life_grid *grid, int64_t width, int64_t height, struct life_why *why);
void life_grid_free(struct life_grid *grid); /* leaves it empty; an empty one is allowed */

static inline bool life_get(const struct life_grid *grid, int64_t x, int64_t y)
{
    return grid->bits[y * grid->words + x / 64] >> (x % 64) & 1;
}

static inline void life_set(struct life_grid *grid, int64_t x, int64_t y, bool alive)
{
    uint64_t *word = &grid->bits[y * grid->words + x / 64];
    const uint64_t bit = (uint64_t)1 << (x % 64);
    *word = alive ? *word | bit : *word & ~bit;
}

/* ---- Engines: what makes generations ---- */

struct life_problem {
    int64_t width, height; /* 1 or more */
    struct life_rule rule;
    enum life_edges edges;
};

/* A way to run worlds on a device. Each call fails with a reason and leaves the world as it was. A world is used by one
 * thread at a time. */
struct life_engine {
    const char *name; /* "naive" */
    const char *idea; /* one sentence, for tables */

    /* Why it cannot do a problem on that device, or NULL: it can. */
    const char *(*refuses)(tally_context *context, const struct life_problem *problem);

    /* A world of dead cells at generation 0. */
    bool (*open)(tally_context *context, const struct life_problem *problem, void **world, struct life_why *why);

    /* Puts cells of a picture of the world's size into it, or takes them out. */
    bool (*write)(void *world, const struct life_grid *grid, struct life_why *why);
    bool (*read)(void *world, struct life_grid *grid, struct life_why *why);

    /* Makes generations, 0 or more. On a GPU they are queued: read, and tally_synchronize, wait for them. */
    bool (*step)(void *world, int64_t generations, struct life_why *why);

    void (*close)(void *world); /* NULL is allowed */
};

extern const struct life_engine life_naive; /* the obvious loop that all others are tested against: any context */
extern const struct life_engine life_cpu;   /* the fast one for contexts "cpu" */
extern const struct life_engine life_gpu;   /* the fast one for contexts "cuda" and "simt" */

#endif
