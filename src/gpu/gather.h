/* SPDX-License-Identifier: MIT
 *
 * gather.h - elements of a view on the device, in host memory side by side, for what the host computes itself. */
#ifndef TALLY_GPU_GATHER_H
#define TALLY_GPU_GATHER_H

#include "gpu.h"

/* Loops over cells and over a cell's elements; of each cell elements [0, head) and [tail, length). */
struct walk {
    const struct loop *kept, *reduced;
    int32_t kept_count, reduced_count;
    int64_t cells, length;
    int64_t head, tail;
};

/* The offset of index i of a nest, in elements of an operand. */
int64_t walk_offset(const struct loop *loops, int32_t count, enum operand operand, int64_t i);

/* Elements of a cell that are walked over. */
int64_t walk_each(const struct walk *walk);

/* From a view on the device to host memory; returns when done. */
tally_status gather_from_device(struct tally_context *context, const struct walk *walk, enum operand operand,
                                tally_type type, const void *view, void *dense);

/* The way back, through `room` of as many bytes on the device, or memory of its own where that is NULL. */
tally_status scatter_to_device(struct tally_context *context, const struct walk *walk, enum operand operand,
                               tally_type type, void *view, const void *dense, void *room);

#endif
