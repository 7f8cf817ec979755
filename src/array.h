/* SPDX-License-Identifier: MIT
 *
 * array.h - views: checks, element counts, memory ranges, overlap, and loops collapsed to the fewest dimensions. */
#ifndef TALLY_ARRAY_H
#define TALLY_ARRAY_H

#include "status.h"

/* The operands that a loop walks at once. */
enum operand { OPERAND_X, OPERAND_Y, OPERAND_WHERE, OPERAND_OUT, OPERAND_Z, OPERAND_COUNT };

/* One dimension of a loop nest: its length, and each operand's stride in elements (0 where it has none). */
struct loop {
    int64_t extent;
    int64_t stride[OPERAND_COUNT];
};

/* Refuses what no verb can take; `name` is the argument's name for the message. */
tally_status array_check(const char *name, const tally_array *array);

/* Elements of a checked array. */
int64_t array_elements(const tally_array *array);

/* Refuses an output that is read-only or maps two indices to one element. */
tally_status array_check_output(const char *name, const tally_array *array);

/* False only when the two checked arrays cannot share a byte. Interleaved views (a column beside another) are told
 * apart by the greatest common divisor of their strides. */
int array_may_overlap(const tally_array *a, const tally_array *b);

/* True when both have the same data, shape and strides in bytes. */
int array_same_view(const tally_array *a, const tally_array *b);

/* Refuses a view whose shape is not the given one; `what` says where the expected shape comes from. */
tally_status array_check_shape(const char *name, const tally_array *array, int32_t rank, const int64_t *shape,
                               const char *what);

/* Strides of `array` broadcast to a shape: dimensions are aligned at the end, length 1 stretches with stride 0.
 * False when it does not fit. */
int array_broadcast(const tally_array *array, int32_t rank, const int64_t *shape, int64_t *strides);

/* Drops dimensions of length 1 and joins neighbours that every operand walks without a gap. With `reorder` (the
 * order of the elements does not matter) dimensions are first sorted by x's stride, and ones that every operand walks
 * backwards are turned: base[] then moves to the new first element, in elements. Returns the new count. */
int32_t loops_collapse(struct loop *loops, int32_t count, int reorder, int64_t base[OPERAND_COUNT]);

/* Copies between two views of one shape and type. */
void array_copy(const tally_array *from, const tally_array *to);

/* "(2, 3)" into a buffer, for messages. */
const char *array_shape_text(int32_t rank, const int64_t *shape, char *text, size_t size);

#endif
