/* SPDX-License-Identifier: MIT
 *
 * loops.cuh - where the elements of a reduction lie: offsets of a cell, and of an element of it, out of loop nests. */
#ifndef TALLY_LOOPS_CUH
#define TALLY_LOOPS_CUH

#include "device.cuh"
#include "reduce_parameters.h"

/* In elements of each operand. */
struct offsets {
    int64_t x, y, where, out;
};

DEVICE void offsets_move(struct offsets *at, const struct kernel_loop *loop, int64_t steps)
{
    at->x += steps * loop->x;
    at->y += steps * loop->y;
    at->where += steps * loop->where;
    at->out += steps * loop->out;
}

/* The offsets of index i of a nest, in C order. */
DEVICE_CALL struct offsets offsets_of(const struct kernel_loop *loops, int32_t count, int64_t i)
{
    struct offsets at = {0, 0, 0, 0};
#pragma unroll 1
    for (int32_t d = count - 1; d > 0; d--) {
        int64_t extent = loops[d].extent;
        int64_t outer = (uint64_t)(i | extent) >> 32 ? i / extent : (int64_t)((uint32_t)i / (uint32_t)extent);
        offsets_move(&at, &loops[d], i - outer * extent);
        i = outer;
    }
    if (count > 0) offsets_move(&at, &loops[0], i);
    return at;
}

DEVICE struct offsets cell_offsets(const struct reduce_parameters *p, int64_t cell)
{
    return offsets_of(p->kept, p->kept_count, cell);
}

/* Of its result alone; OUT_IS_CELL: results lie behind each other. */
#if !defined(OUT_IS_CELL)
#define OUT_IS_CELL 0
#endif
DEVICE_UNUSED int64_t out_of_cell(const struct reduce_parameters *p, int64_t cell)
{
    return OUT_IS_CELL ? cell : cell_offsets(p, cell).out;
}

#endif
