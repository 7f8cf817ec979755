/* SPDX-License-Identifier: MIT
 *
 * user_columns.c - which reductions by users' operators go down columns beside each other (kernels/user_columns.cu). */
#include "user_columns.h"
#include "scratch.h"
#include "whole.h"

#define MEMBERS 8 /* warps that share a leaf of some columns */
#define LARGEST_STATE 32
#define MOST_TICKETS 16384
#define VECTOR_BYTES 16
#define MOST_EACH 4
#define MOST_LEAVES ((1 << USER_COLUMN_LEVELS) - 1)

static const enum operand operands[] = {OPERAND_X, OPERAND_Y, OPERAND_Z};

/* Columns of a thread, which reads at most a vector of each input. */
static int64_t each_of(const struct user_op *op)
{
    int64_t largest = 1;
    for (int32_t c = 0; c < op->input_count; c++)
        if (type_row(op->inputs[c])->size > largest) largest = type_row(op->inputs[c])->size;
    return least(MOST_EACH, VECTOR_BYTES / largest);
}

/* Whether a thread's elements of a row are neighbours that one access may read. */
static int is_dense(const struct reduction *reduction)
{
    const struct user_op *op = reduction->calculation.user;
    const void *const inputs[] = {reduction->x, reduction->y, reduction->z};
    const struct loop *inner = &reduction->kept[reduction->kept_count - 1];
    int64_t each = each_of(op);
    int dense = inner->extent % each == 0;
    for (int32_t c = 0; c < op->input_count && dense; c++) {
        int64_t size = type_row(op->inputs[c])->size, bytes = each * size;
        dense = inner->stride[operands[c]] == 1 && (uintptr_t)inputs[c] % (uintptr_t)bytes == 0 &&
                reduction->reduced[0].stride[operands[c]] * size % bytes == 0;
        for (int32_t d = 0; d + 1 < reduction->kept_count; d++)
            dense &= reduction->kept[d].stride[operands[c]] * size % bytes == 0;
    }
    return dense;
}

int user_columns_suit(const struct device_limits *limits, const struct reduction *reduction)
{
    const struct user_op *op = reduction->calculation.user;
    int64_t leaves = divide_up(reduction->length, USER_LEAF), tiles = divide_up(reduction->cells, 32 * each_of(op));
    if (reduction->reduced_count != 1 || reduction->kept_count == 0 || reduction->where) return 0;
    if (reduction->calculation.flags & TALLY_SKIP_NAN || reduction->length < USER_LEAF / 4) return 0;
    if (user_kernels(op)->state_bytes > LARGEST_STATE || leaves > MOST_LEAVES || tiles > MOST_TICKETS) return 0;
    return leaves * tiles >= limits->processors && is_dense(reduction);
}

tally_status user_columns_launch(struct tally_context *context, const struct reduction *reduction)
{
    struct machine *machine = gpu_device(context)->machine;
    const struct user_op *op = reduction->calculation.user;
    struct definitions definitions;
    struct user_parameters p;
    struct scratch scratch;
    const struct kernel *kernel;
    size_t state = user_kernels(op)->state_bytes;
    int64_t each = each_of(op);
    user_fill_reduction(reduction, &p);
    p.units = divide_up(p.length, USER_LEAF);
    user_definitions(op, &definitions);
    definitions_add_number(&definitions, "USER_THREADS", 32 * MEMBERS);
    definitions_add_number(&definitions, "USER_BLOCKS_AT_ONCE", (size_t)each * state <= 16 ? 4 : 2);
    TRY(user_kernel(machine, op, "user_columns.cu", "user_columns", &definitions, &kernel));
    TRY(scratch_take(context, p.units > 1 ? (size_t)(p.cells * p.units) * state : 0, &scratch));
    p.parts = scratch.room;
    p.tickets = scratch.tickets;
    size_t room = ((size_t)each * state + 15) / 16 * 16 + 16; /* states and whether there are any */
    return user_launch(machine, kernel, divide_up(p.cells, 32 * each) * p.units, 32 * MEMBERS, 32 * MEMBERS * room, &p);
}
