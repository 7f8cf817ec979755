/* SPDX-License-Identifier: MIT
 *
 * area.h - parts of pictures: where the live cells are and how many, cutting out and putting in, soups of random cells,
 * and whether a picture has come back. All of it goes by words of 64 cells. */
#ifndef TALLY_LIFE_AREA_H
#define TALLY_LIFE_AREA_H

#include "life.h"

struct life_box {
    int64_t x, y, width, height; /* 0 x 0: no cell is alive */
};

int64_t life_population(const struct life_grid *grid);
struct life_box life_bounding_box(const struct life_grid *grid);

/* Cells x to x + 63 of a row; what lies outside the picture is dead. */
uint64_t life_cells_at(const struct life_grid *grid, int64_t x, int64_t y);

/* The same where x = width is x = 0 again; 0 <= x < width. */
uint64_t life_cells_around(const struct life_grid *grid, int64_t x, int64_t y);

/* A new picture of a part, which may reach beyond the edges: dead there, or the other side. */
bool life_cut(const struct life_grid *grid, const struct life_box *box, enum life_edges edges, struct life_grid *part,
              struct life_why *why);

/* Makes the live cells of a part live in the picture, which it must lie in. */
void life_put(struct life_grid *grid, int64_t x, int64_t y, const struct life_grid *part);

/* A random cell for each: alive with this probability (0 to 1, rounded to a multiple of 2^-32). Whether a cell is alive
 * depends on the seed, the density, x and y alone, so that a larger soup holds the smaller ones:
 *     mix(z): z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9; z = (z ^ z >> 27) * 0x94d049bb133111eb; return z ^ z >> 31
 *     state = mix(mix(seed + 0x9e3779b97f4a7c15) ^ y) ^ x / 64
 *     word k (k = 1, 2, ...) = mix(mix(state) + k * 0x9e3779b97f4a7c15)
 * Bit x % 64 of the words, from the last that counts, are the binary digits of a number that is compared with the
 * density: with d = density * 2^32 without its t trailing zeros, alive = 0; for digit = t to 31, alive is
 * word | alive where bit `digit` of density * 2^32 is 1, and word & alive where it is 0, with the next word each. */
void life_soup(struct life_grid *grid, double density, uint64_t seed);

uint64_t life_hash(const struct life_grid *grid);
bool life_same(const struct life_grid *a, const struct life_grid *b);

struct life_period {
    int64_t generations; /* 0: none was found */
    int64_t x, y;        /* how far it has moved meanwhile, by the fewest steps that do: on a torus only */
};

/* The fewest generations, up to a limit, after which a world is as it is now; or, on a torus, is that with all cells
 * moved by the same steps. Makes them: the world is that many generations further on, or limit. */
bool life_find_period(const struct life_engine *engine, void *world, const struct life_problem *problem, int64_t limit,
                      struct life_period *period, struct life_why *why);

#endif
