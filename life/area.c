/* SPDX-License-Identifier: MIT
 *
 * area.c - parts of pictures: counting, boxes, cutting out and putting in. */
#include "area.h"

#include <string.h>

int64_t life_population(const struct life_grid *grid)
{
    const int64_t words = grid->words * grid->height;
    int64_t alive = 0;
    for (int64_t i = 0; i < words; i++) alive += __builtin_popcountll(grid->bits[i]);
    return alive;
}

/* Widens [first, last], in cells of a row, to the row's live ones. */
static bool widen(const struct life_grid *grid, int64_t y, int64_t *first, int64_t *last)
{
    const uint64_t *row = grid->bits + y * grid->words;
    int64_t left = 0, right = grid->words - 1;
    while (left <= right && row[left] == 0) left++;
    if (left > right) return false;
    while (row[right] == 0) right--;
    const int64_t from = left * 64 + __builtin_ctzll(row[left]), to = right * 64 + 63 - __builtin_clzll(row[right]);
    if (from < *first) *first = from;
    if (to > *last) *last = to;
    return true;
}

struct life_box life_bounding_box(const struct life_grid *grid)
{
    int64_t first = INT64_MAX, last = -1, top = -1, bottom = -1;
    for (int64_t y = 0; y < grid->height; y++) {
        if (!widen(grid, y, &first, &last)) continue;
        if (top < 0) top = y;
        bottom = y;
    }
    if (top < 0) return (struct life_box){0, 0, 0, 0};
    return (struct life_box){first, top, last - first + 1, bottom - top + 1};
}

uint64_t life_cells_at(const struct life_grid *grid, int64_t x, int64_t y)
{
    if (y < 0 || y >= grid->height || x <= -64 || x >= grid->width) return 0;
    const uint64_t *row = grid->bits + y * grid->words;
    if (x < 0) return row[0] << -x;
    const int64_t word = x / 64;
    const int shift = (int)(x % 64);
    const uint64_t low = row[word] >> shift;
    return shift == 0 || word + 1 >= grid->words ? low : low | row[word + 1] << (64 - shift);
}

uint64_t life_cells_around(const struct life_grid *grid, int64_t x, int64_t y)
{
    uint64_t cells = life_cells_at(grid, x, y);
    for (int64_t have = grid->width - x; have < 64; have += grid->width) cells |= life_cells_at(grid, 0, y) << have;
    return cells;
}

static int64_t modulo(int64_t a, int64_t size)
{
    const int64_t rest = a % size;
    return rest < 0 ? rest + size : rest;
}

bool life_cut(const struct life_grid *grid, const struct life_box *box, enum life_edges edges, struct life_grid *part,
              struct life_why *why)
{
    if (!life_grid_new(part, box->width, box->height, why)) return false;
    for (int64_t y = 0; y < part->height; y++) {
        uint64_t *row = part->bits + y * part->words;
        for (int64_t w = 0; w < part->words; w++)
            row[w] = edges == LIFE_DEAD ? life_cells_at(grid, box->x + w * 64, box->y + y)
                                        : life_cells_around(grid, modulo(box->x + w * 64, grid->width),
                                                            modulo(box->y + y, grid->height));
        if (part->width % 64 != 0) row[part->words - 1] &= ~(uint64_t)0 >> (64 - part->width % 64);
    }
    return true;
}

void life_put(struct life_grid *grid, int64_t x, int64_t y, const struct life_grid *part)
{
    const int64_t first = x / 64, last = (x + part->width - 1) / 64;
    for (int64_t v = 0; v < part->height; v++) {
        uint64_t *row = grid->bits + (y + v) * grid->words;
        for (int64_t w = first; w <= last; w++) row[w] |= life_cells_at(part, w * 64 - x, v);
    }
}

bool life_same(const struct life_grid *a, const struct life_grid *b)
{
    return a->width == b->width && a->height == b->height &&
           (a->bits == NULL || memcmp(a->bits, b->bits, (size_t)(a->words * a->height) * sizeof *a->bits) == 0);
}
