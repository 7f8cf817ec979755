/* SPDX-License-Identifier: MIT
 *
 * soup.c - random cells, 64 at a time; area.h defines them exactly. */
#include "area.h"

#define GOLDEN 0x9e3779b97f4a7c15ull

static inline uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

/* 64 cells, each alive when its random binary fraction is below threshold / 2^32. */
static uint64_t random_cells(uint64_t state, uint64_t threshold, int trailing)
{
    uint64_t alive = 0, counter = mix(state);
    for (int digit = trailing; digit < 32; digit++) {
        const uint64_t word = mix(counter += GOLDEN);
        alive = threshold >> digit & 1 ? word | alive : word & alive;
    }
    return alive;
}

void life_soup(struct life_grid *grid, double density, uint64_t seed)
{
    const uint64_t threshold = (uint64_t)(density * 4294967296.0 + 0.5);
    const int trailing = threshold == 0 ? 32 : __builtin_ctzll(threshold);
    for (int64_t y = 0; y < grid->height; y++) {
        const uint64_t of_row = mix(mix(seed + GOLDEN) ^ (uint64_t)y);
        uint64_t *row = grid->bits + y * grid->words;
        for (int64_t w = 0; w < grid->words; w++)
            row[w] = threshold >> 32 ? ~(uint64_t)0 : random_cells(of_row ^ (uint64_t)w, threshold, trailing);
        if (grid->width % 64 != 0) row[grid->words - 1] &= ~(uint64_t)0 >> (64 - grid->width % 64);
    }
}
