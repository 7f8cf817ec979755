/* SPDX-License-Identifier: MIT
 *
 * leaf.h - reading a cell's elements: any strides and masks come out as contiguous runs, which is all that kernels
 * take. */
#ifndef TALLY_CPU_LEAF_H
#define TALLY_CPU_LEAF_H

#include "kernels.h"

/* A run of contiguous elements, at most TREE_LEAF. */
struct leaf {
    const void *x, *y, *z;
    const unsigned char *mask; /* NULL: all are present */
    size_t n;
    size_t present;
};

/* Room for a run that has to be gathered. */
struct leaf_buffer {
    _Alignas(64) unsigned char x[TREE_LEAF * 16];
    _Alignas(64) unsigned char y[TREE_LEAF * 16];
    _Alignas(64) unsigned char z[TREE_LEAF * 16];
    _Alignas(64) unsigned char mask[TREE_LEAF];
};

/* The operands' first elements for one cell. */
struct cell {
    const char *x, *y, *z;
    const unsigned char *where;
    int64_t out; /* in elements from reduction->out, or in states */
};

/* Copies elements [first, first + n) along at least one loop, of one operand, to contiguous memory. */
void leaf_gather(const struct loop *loops, int32_t count, enum operand operand, const void *base, size_t size,
                 int64_t first, int64_t n, unsigned char *to);

struct cell leaf_cell(const struct reduction *reduction, int64_t index);

/* Elements [first, first + n) of a cell, n up to TREE_LEAF. */
void leaf_read(const struct reduction *reduction, const struct cpu_kernels *kernels, const struct cell *cell,
               int64_t first, size_t n, struct leaf_buffer *buffer, struct leaf *leaf);

#endif
