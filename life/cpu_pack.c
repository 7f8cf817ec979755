/* SPDX-License-Identifier: MIT
 *
 * cpu_pack.c - pictures to the words of cpu.h and back, 64 x 64 bits at a time. */
#include "cpu.h"

#include <stdlib.h>
#include <string.h>

/* Rows that a task moves: enough that writing their lanes shares lines of the cache. */
#define TASK_ROWS 4

struct packing {
    const struct cpu_world *world;
    const struct life_grid *from;
    struct life_grid *to;
    uint64_t **line; /* of each worker: a row of the world, with room to read and write behind its end */
};

/* Swaps rows and columns of a square of bits (Hacker's Delight 7-3, for 64). */
static void transpose(uint64_t square[64])
{
    uint64_t mask = 0x00000000ffffffff;
    for (int distance = 32; distance > 0; distance /= 2, mask ^= mask << distance) {
        for (int i = 0; i < 64; i = ((i | distance) + 1) & ~distance) {
            const uint64_t swapped = (square[i] >> distance ^ square[i | distance]) & mask;
            square[i] ^= swapped << distance;
            square[i | distance] ^= swapped;
        }
    }
}

static uint64_t bits_at(const uint64_t *line, int64_t at)
{
    const int shift = (int)(at % 64);
    const uint64_t low = line[at / 64] >> shift;
    return shift == 0 ? low : low | line[at / 64 + 1] << (64 - shift);
}

static void put_bits_at(uint64_t *line, int64_t at, uint64_t bits)
{
    const int shift = (int)(at % 64);
    line[at / 64] |= bits << shift;
    if (shift != 0) line[at / 64 + 1] |= bits >> (64 - shift);
}

/* The row that a lane's row stands for; NULL: dead cells. */
static const uint64_t *row_of_picture(const struct packing *packing, int64_t y)
{
    const struct life_grid *grid = packing->from;
    if (y >= grid->height && packing->world->problem.edges == LIFE_DEAD) return NULL;
    return grid->bits + y % grid->height * grid->words;
}

static void pack_task(void *argument, int64_t index, int32_t worker)
{
    const struct packing *packing = argument;
    const struct cpu_world *world = packing->world;
    const int64_t words = world->words, width = world->problem.width, first = index * TASK_ROWS;
    uint64_t *line = packing->line[worker], square[64];
    for (int64_t row = first; row < first + TASK_ROWS && row < world->rows; row++) {
        uint64_t *to = cpu_row(world, world->now, row);
        for (int lane = 0; lane < CPU_LANES; lane++) {
            const uint64_t *from = row_of_picture(packing, lane * world->rows + row);
            memset(line, 0, (size_t)(words + 2) * sizeof *line);
            if (from != NULL) memcpy(line, from, (size_t)words * sizeof *line);
            if (world->masks == NULL)
                for (int64_t x = width; x < words * 64; x++)
                    line[x / 64] |= (line[x % width / 64] >> x % width % 64 & 1) << x % 64;
            for (int64_t w = 0; w < words; w += 64) {
                for (int q = 0; q < 64; q++) square[q] = bits_at(line, q * words + w);
                transpose(square);
                for (int64_t i = 0; i < 64 && w + i < words; i++) to[(w + i) * CPU_LANES + lane] = square[i];
            }
        }
        world->kernels->wrap(&world->wrap, to, world->stride, 1);
    }
}

static void unpack_task(void *argument, int64_t index, int32_t worker)
{
    const struct packing *packing = argument;
    const struct cpu_world *world = packing->world;
    const int64_t words = world->words, width = world->problem.width, height = world->problem.height;
    uint64_t *line = packing->line[worker], square[64];
    for (int64_t y = index * TASK_ROWS; y < (index + 1) * TASK_ROWS && y < height; y++) {
        const uint64_t *from = cpu_row(world, world->now, y % world->rows) + y / world->rows;
        uint64_t *to = packing->to->bits + y * packing->to->words;
        memset(line, 0, (size_t)(words + 2) * sizeof *line);
        for (int64_t w = 0; w < words; w += 64) {
            for (int64_t i = 0; i < 64; i++) square[i] = w + i < words ? from[(w + i) * CPU_LANES] : 0;
            transpose(square);
            for (int q = 0; q < 64; q++) put_bits_at(line, q * words + w, square[q]);
        }
        memcpy(to, line, (size_t)words * sizeof *line);
        if (width % 64 != 0) to[words - 1] &= ((uint64_t)1 << width % 64) - 1;
    }
}

static bool run(struct packing *packing, int64_t rows, void (*task)(void *, int64_t, int32_t), struct life_why *why)
{
    const struct cpu_world *world = packing->world;
    const size_t words = (size_t)world->words + 2;
    uint64_t *lines = malloc((size_t)world->threads * words * sizeof *lines);
    packing->line = malloc((size_t)world->threads * sizeof *packing->line);
    bool done = lines != NULL && packing->line != NULL;
    if (!done) life_fail(why, "out of memory");
    for (int32_t t = 0; done && t < world->threads; t++) packing->line[t] = lines + (size_t)t * words;
    if (done && tally_parallel_for(world->context, (rows + TASK_ROWS - 1) / TASK_ROWS, task, packing) != TALLY_OK)
        done = life_fail_call(why, "moving a picture");
    free(lines);
    free(packing->line);
    return done;
}

bool cpu_pack(const struct cpu_world *world, const struct life_grid *grid, struct life_why *why)
{
    struct packing packing = {.world = world, .from = grid};
    return run(&packing, world->rows, pack_task, why);
}

bool cpu_unpack(const struct cpu_world *world, struct life_grid *grid, struct life_why *why)
{
    struct packing packing = {.world = world, .to = grid};
    return run(&packing, world->problem.height, unpack_task, why);
}
