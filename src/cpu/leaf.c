/* SPDX-License-Identifier: MIT
 *
 * leaf.c - reading a cell's elements: any strides and masks come out as contiguous runs. */
#include "leaf.h"
#include "../user/operator.h"

#include <string.h>

struct wide_element {
    uint64_t part[2];
};

/* Type of the elements of an input. */
static tally_type input_type(const struct calculation *calculation, enum operand operand)
{
    if (!calculation->user) return calculation->type;
    return calculation->user->inputs[operand == OPERAND_X ? 0 : operand == OPERAND_Y ? 1 : 2];
}

static int64_t input_size(const struct reduction *reduction, enum operand operand)
{
    return type_row(input_type(&reduction->calculation, operand))->size;
}

static const char *input_at(const struct reduction *reduction, enum operand operand, const void *memory,
                            const int64_t *offset)
{
    return memory ? (const char *)memory + offset[operand] * input_size(reduction, operand) : NULL;
}

struct cell leaf_cell(const struct reduction *reduction, int64_t index)
{
    int64_t offset[OPERAND_COUNT] = {0};
    for (int32_t d = reduction->kept_count - 1; d >= 0; d--) {
        const struct loop *loop = &reduction->kept[d];
        int64_t i = index % loop->extent;
        index /= loop->extent;
        for (int o = 0; o < OPERAND_COUNT; o++) offset[o] += i * loop->stride[o];
    }
    struct cell cell = {
        .x = input_at(reduction, OPERAND_X, reduction->x, offset),
        .y = input_at(reduction, OPERAND_Y, reduction->y, offset),
        .z = input_at(reduction, OPERAND_Z, reduction->z, offset),
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

void leaf_gather(const struct loop *loops, int32_t count, enum operand operand, const void *base, size_t size,
                 int64_t first, int64_t n, unsigned char *to)
{
    int32_t inner = count - 1;
    const struct loop *run = &loops[inner];
    while (n > 0) {
        int64_t rest = first / run->extent, begin = first % run->extent;
        int64_t offset = begin * run->stride[operand];
        for (int32_t d = inner - 1; d >= 0; d--) {
            offset += rest % loops[d].extent * loops[d].stride[operand];
            rest /= loops[d].extent;
        }
        int64_t length = run->extent - begin < n ? run->extent - begin : n;
        gather_run(to, (const char *)base + offset * (int64_t)size, size, run->stride[operand], length);
        to += (size_t)length * size;
        first += length;
        n -= length;
    }
}

/* An operand's run: in place when it lies there contiguously. */
static const void *read_operand(const struct reduction *reduction, enum operand operand, const void *base, size_t size,
                                int64_t first, size_t n, unsigned char *buffer)
{
    if (reduction->reduced_count == 0) return base;
    if (reduction->reduced_count == 1 && reduction->reduced[0].stride[operand] == 1)
        return (const char *)base + first * (int64_t)size;
    leaf_gather(reduction->reduced, reduction->reduced_count, operand, base, size, first, (int64_t)n, buffer);
    return buffer;
}

/* Takes NaNs out of the mask, which is made when there is none. */
static void skip_nans(const struct reduction *reduction, const struct cpu_kernels *kernels, struct leaf_buffer *buffer,
                      struct leaf *leaf)
{
    static const enum operand operands[] = {OPERAND_X, OPERAND_Y, OPERAND_Z};
    const void *const inputs[] = {leaf->x, leaf->y, leaf->z};
    for (int i = 0; i < 3; i++) {
        tally_type type = input_type(&reduction->calculation, operands[i]);
        if (!inputs[i] || !kernels->any_nan[type] || !kernels->any_nan[type](inputs[i], leaf->n)) continue;
        if (!leaf->mask) memset(buffer->mask, 1, leaf->n);
        else if (leaf->mask != buffer->mask) memcpy(buffer->mask, leaf->mask, leaf->n);
        leaf->mask = buffer->mask;
        kernels->mask_nan[type](inputs[i], leaf->n, buffer->mask);
    }
}

void leaf_read(const struct reduction *reduction, const struct cpu_kernels *kernels, const struct cell *cell,
               int64_t first, size_t n, struct leaf_buffer *buffer, struct leaf *leaf)
{
    leaf->n = leaf->present = n;
    leaf->x =
        read_operand(reduction, OPERAND_X, cell->x, (size_t)input_size(reduction, OPERAND_X), first, n, buffer->x);
    leaf->y = leaf->z = NULL;
    if (cell->y)
        leaf->y =
            read_operand(reduction, OPERAND_Y, cell->y, (size_t)input_size(reduction, OPERAND_Y), first, n, buffer->y);
    if (cell->z)
        leaf->z =
            read_operand(reduction, OPERAND_Z, cell->z, (size_t)input_size(reduction, OPERAND_Z), first, n, buffer->z);
    leaf->mask = NULL;
    if (cell->where) leaf->mask = read_operand(reduction, OPERAND_WHERE, cell->where, 1, first, n, buffer->mask);
    if (reduction->calculation.flags & TALLY_SKIP_NAN) skip_nans(reduction, kernels, buffer, leaf);
    if (!leaf->mask) return;
    leaf->present = 0;
    for (size_t i = 0; i < n; i++) leaf->present += leaf->mask[i] != 0;
    if (leaf->present == n) leaf->mask = NULL;
}
