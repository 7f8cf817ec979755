/* SPDX-License-Identifier: MIT
 *
 * cpu_halo.c - rows above the first and below the last, and cells beyond dead edges. */
#include "cpu.h"

#include <string.h>

/* Row `row` of lane `lane` as a row of the world; -1: beyond a dead edge. */
static int64_t row_of_world(const struct cpu_world *world, int lane, int64_t row)
{
    const int64_t height = world->problem.height, y = lane * world->rows + row;
    if (y >= 0 && y < height) return y;
    if (world->problem.edges == LIFE_DEAD) return -1;
    return (y % height + height) % height;
}

static void fill_lane(const struct cpu_world *world, int plane, int64_t row, int lane)
{
    const int64_t y = row_of_world(world, lane, row);
    uint64_t *to = cpu_row(world, plane, row);
    const uint64_t *from = y < 0 ? NULL : cpu_row(world, plane, y % world->rows) + y / world->rows - lane;
    for (int64_t w = -world->halo_words; w < world->words + world->halo_words; w++)
        to[w * CPU_LANES + lane] = from == NULL ? 0 : from[w * CPU_LANES + lane];
}

/* Seven lanes of a row are another row's, one lane on or back. */
static void fill_shifted(const struct cpu_world *world, int plane, int64_t row, int64_t from_row)
{
    const size_t bytes = (CPU_LANES - 1) * sizeof(uint64_t);
    const int up = row < 0;
    uint64_t *to = cpu_row(world, plane, row) + up;
    const uint64_t *from = cpu_row(world, plane, from_row) + 1 - up;
    for (int64_t w = -world->halo_words; w < world->words + world->halo_words; w++)
        memcpy(to + w * CPU_LANES, from + w * CPU_LANES, bytes);
    fill_lane(world, plane, row, up ? 0 : CPU_LANES - 1);
}

void cpu_fill_row(const struct cpu_world *world, int plane, int64_t row)
{
    const int64_t from = row < 0 ? row + world->rows : row - world->rows;
    if (from >= 0 && from < world->rows) {
        fill_shifted(world, plane, row, from);
        return;
    }
    for (int lane = 0; lane < CPU_LANES; lane++) fill_lane(world, plane, row, lane);
}

bool cpu_row_is_masked(const struct cpu_world *world, int64_t row)
{
    return world->masks != NULL && (row < 0 || (CPU_LANES - 1) * world->rows + row >= world->problem.height);
}

void cpu_mask_row(const struct cpu_world *world, uint64_t *cells, int64_t words, int64_t row)
{
    for (int lane = 0; lane < CPU_LANES; lane++) {
        if (row_of_world(world, lane, row) >= 0) continue;
        for (int64_t w = 0; w < words; w++) cells[w * CPU_LANES + lane] = 0;
    }
}
