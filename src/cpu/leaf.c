/* SPDX-License-Identifier: MIT
 *
 * leaf.c - reading a cell's elements: any strides and masks come out as contiguous runs. */
#include "leaf.h"

#include <string.h>

struct wide_element {
    uint64_t part[2];
};

struct cell leaf_cell(const struct reduction *reduction, int64_t index)
{
    int64_t offset[OPERAND_COUNT] = {0};
    for (int32_t d = reduction->kept_count - 1; d >= 0; d--) {
        const struct loop *loop = &reduction->kept[d];
        int64_t i = index % loop->extent;
        index /= loop->extent;
        for (int o = 0; o < OPERAND_COUNT; o++) offset[o] += i * loop->stride[o];
    }
    int64_t size = type_row(reduction->calculation.type)->size;
    struct cell cell = {
        .x = (const char *)reduction->x + offset[OPERAND_X] * size,
        .y = reduction->y ? (const char *)reduction->y + offset[OPERAND_Y] * size : NULL,
        .where = reduction->where ? reduction->where + offset[OPERAND_WHERE] : NULL,
        .out = offset[OPERAND_OUT],
    };
    return cell;
}

/* n elements `stride` apart, one line per element size so that each is a plain loop. */
static void gather_run(void *restrict to, const void *restrict from, size_t size, int64_t stride, int64_t n)
{
#define GATHER(bytes, type)                                                                             \
    case bytes:                                                                                         \
        for (int64_t i = 0; i < n; i++) memcpy((type *)to + i, (const type *)from + i * stride, bytes); \
        break;
    switch (size) {
        GATHER(1, uint8_t)
        GATHER(2, uint16_t)
        GATHER(4, uint32_t)
        GATHER(8, uint64_t)
        GATHER(16, struct wide_element)
    default: break;
    }
#undef GATHER
}

/* Elements [first, first + n) along the reduced loops, of one operand. */
static void gather(const struct reduction *reduction, enum operand operand, const void *base, size_t size,
                   int64_t first, int64_t n, unsigned char *to)
{
    int32_t inner = reduction->reduced_count - 1;
    const struct loop *run = &reduction->reduced[inner];
    while (n > 0) {
        int64_t rest = first / run->extent, begin = first % run->extent;
        int64_t offset = begin * run->stride[operand];
        for (int32_t d = inner - 1; d >= 0; d--) {
            offset += rest % reduction->reduced[d].extent * reduction->reduced[d].stride[operand];
            rest /= reduction->reduced[d].extent;
        }
        int64_t count = run->extent - begin < n ? run->extent - begin : n;
        gather_run(to, (const char *)base + offset * (int64_t)size, size, run->stride[operand], count);
        to += (size_t)count * size;
        first += count;
        n -= count;
    }
}

/* An operand's run: in place when it lies there contiguously. */
static const void *read_operand(const struct reduction *reduction, enum operand operand, const void *base, size_t size,
                                int64_t first, size_t n, unsigned char *buffer)
{
    if (!base) return NULL;
    if (reduction->reduced_count == 0) return base;
    if (reduction->reduced_count == 1 && reduction->reduced[0].stride[operand] == 1)
        return (const char *)base + first * (int64_t)size;
    gather(reduction, operand, base, size, first, (int64_t)n, buffer);
    return buffer;
}

/* Takes NaNs out of the mask, which is made when there is none. */
static void skip_nans(const struct reduction *reduction, const struct cpu_kernels *kernels, struct leaf_buffer *buffer,
                      struct leaf *leaf)
{
    tally_type type = reduction->calculation.type;
    if (!kernels->any_nan[type](leaf->x, leaf->n) && !(leaf->y && kernels->any_nan[type](leaf->y, leaf->n))) return;
    if (!leaf->mask) memset(buffer->mask, 1, leaf->n);
    else if (leaf->mask != buffer->mask) memcpy(buffer->mask, leaf->mask, leaf->n);
    leaf->mask = buffer->mask;
    kernels->mask_nan[type](leaf->x, leaf->n, buffer->mask);
    if (leaf->y) kernels->mask_nan[type](leaf->y, leaf->n, buffer->mask);
}

void leaf_read(const struct reduction *reduction, const struct cpu_kernels *kernels, const struct cell *cell,
               int64_t first, size_t n, struct leaf_buffer *buffer, struct leaf *leaf)
{
    size_t size = (size_t)type_row(reduction->calculation.type)->size;
    leaf->n = leaf->present = n;
    leaf->x = read_operand(reduction, OPERAND_X, cell->x, size, first, n, buffer->x);
    leaf->y = read_operand(reduction, OPERAND_Y, cell->y, size, first, n, buffer->y);
    leaf->mask = read_operand(reduction, OPERAND_WHERE, cell->where, 1, first, n, buffer->mask);
    if (reduction->calculation.flags & TALLY_SKIP_NAN) skip_nans(reduction, kernels, buffer, leaf);
    if (!leaf->mask) return;
    leaf->present = 0;
    for (size_t i = 0; i < n; i++) leaf->present += leaf->mask[i] != 0;
    if (leaf->present == n) leaf->mask = NULL;
}
