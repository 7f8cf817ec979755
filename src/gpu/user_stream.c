/* SPDX-License-Identifier: MIT
 *
 * user_stream.c - which reductions by users' operators go through kernels/user/user_stream.cu, a warp for each leaf,
 * and how they are dealt out to blocks. */
#include "user_stream.h"
#include "scratch.h"
#include "whole.h"

#define WARPS 8
#define STAGES 3
#define BLOCKS_PER_PROCESSOR 32
#define BLOCKS_AT_ONCE 2
#define LARGEST_STATE 32 /* bytes: lanes hand states to each other in registers */
#define SMALL_STATE 8    /* then so many blocks run at once where elements commute */
#define SMALL_BLOCKS 4
#define MOST_TICKETS 16384
#define MOST_NODES 32 /* of a split */
#define MOST_RUN_BYTES 128
#define STATIC_BYTES 3072 /* of shared memory, beside the stages */
#define VECTOR_BYTES 16

static const enum operand operands[] = {OPERAND_X, OPERAND_Y, OPERAND_Z};

/* Of an operator whose elements' order counts: elements that a lane has one after the other, at hand at once, by the
 * bytes of those of its widest input; the most that fit shared memory. 0: none do. */
static int64_t run_bytes_of(const struct device_limits *limits, const struct user_op *op, size_t *stage_bytes)
{
    int64_t largest = 1, smallest = VECTOR_BYTES, all = 0, bytes = MOST_RUN_BYTES;
    *stage_bytes = 0;
    if (op->flags & TALLY_OP_COMMUTATIVE) return bytes;
    for (int32_t c = 0; c < op->input_count; c++) {
        int64_t size = type_row(op->inputs[c])->size;
        largest = size > largest ? size : largest;
        smallest = least(smallest, size);
        all += size;
    }
    for (;; bytes /= 2) {
        int64_t run = least(USER_LANE_ELEMENTS, bytes / largest);
        if (run * smallest < VECTOR_BYTES) return 0;
        *stage_bytes = (size_t)(32 * run * all);
        if (WARPS * STAGES * *stage_bytes + STATIC_BYTES <= limits->shared_bytes) return bytes;
    }
}

/* Leaves begin at vectors, and runs are whole ones. */
static int is_aligned(const struct reduction *reduction)
{
    const struct user_op *op = reduction->calculation.user;
    const void *const inputs[] = {reduction->x, reduction->y, reduction->z};
    for (int32_t c = 0; c < op->input_count; c++) {
        int64_t size = type_row(op->inputs[c])->size;
        if ((uintptr_t)inputs[c] % VECTOR_BYTES) return 0;
        for (int32_t d = 0; d < reduction->kept_count; d++)
            if (reduction->kept[d].stride[operands[c]] * size % VECTOR_BYTES) return 0;
    }
    return 1;
}

int user_stream_suits(const struct device_limits *limits, const struct reduction *reduction)
{
    const struct user_op *op = reduction->calculation.user;
    int64_t leaves = divide_up(reduction->length, USER_LEAF);
    if (reduction->reduced_count != 1 || reduction->where || reduction->calculation.flags & TALLY_SKIP_NAN) return 0;
    if (reduction->length < USER_LEAF / 4 || user_kernels(op)->state_bytes > LARGEST_STATE) return 0;
    if (leaves > MOST_NODES && reduction->cells > MOST_TICKETS) return 0;
    if (leaves * reduction->cells < limits->processors) return 0;
    for (int32_t c = 0; c < op->input_count; c++)
        if (reduction->reduced[0].stride[operands[c]] != 1) return 0;
    size_t stage_bytes;
    return is_aligned(reduction) && run_bytes_of(limits, op, &stage_bytes) > 0;
}

/* Several blocks for each cell where cells are few; several cells for each block where they have few leaves. */
static void deal_out(const struct device_limits *limits, struct user_parameters *p)
{
    int64_t wanted = limits->processors * BLOCKS_PER_PROCESSOR, warps = wanted * WARPS / 2;
    p->units = divide_up(p->length, USER_LEAF);
    p->team = WARPS;
    p->split_units = power_above(p->units);
    if (p->units <= WARPS) {
        p->team = (int32_t)least(p->split_units, power_above(divide_up(warps, p->cells)));
    } else if (p->cells <= MOST_TICKETS) {
        p->split_units = least(MOST_NODES, power_above(divide_up(p->units * p->cells, wanted)));
        p->split_units = least(p->split_units, power_above(p->units));
    }
    p->splits = divide_up(p->units, p->split_units);
}

static tally_status kernel_of(struct machine *machine, const struct user_op *op, int64_t run_bytes,
                              const struct kernel **kernel)
{
    struct definitions definitions;
    int small = op->flags & TALLY_OP_COMMUTATIVE && user_kernels(op)->state_bytes <= SMALL_STATE;
    user_definitions(op, &definitions);
    definitions_add_number(&definitions, "USER_THREADS", 32 * WARPS);
    definitions_add_number(&definitions, "USER_RUN_BYTES", run_bytes);
    definitions_add_number(&definitions, "USER_STAGES", STAGES);
    definitions_add_number(&definitions, "USER_BLOCKS_AT_ONCE", small ? SMALL_BLOCKS : BLOCKS_AT_ONCE);
    return user_kernel(machine, op, "user_stream.cu", "user_stream", &definitions, kernel);
}

tally_status user_stream_launch(struct tally_context *context, const struct reduction *reduction)
{
    struct machine *machine = gpu_device(context)->machine;
    const struct user_op *op = reduction->calculation.user;
    struct user_parameters p;
    struct scratch scratch;
    const struct kernel *kernel;
    user_fill_reduction(reduction, &p);
    deal_out(&machine->limits, &p);
    size_t stage_bytes;
    int64_t run_bytes = run_bytes_of(&machine->limits, op, &stage_bytes);
    TRY(kernel_of(machine, op, run_bytes, &kernel));
    TRY(scratch_take(context, p.splits > 1 ? (size_t)(p.cells * p.splits) * user_kernels(op)->state_bytes : 0,
                     &scratch));
    p.parts = scratch.room;
    p.tickets = scratch.tickets;
    return user_launch(machine, kernel, divide_up(p.cells * p.splits, WARPS / p.team), 32 * WARPS,
                       WARPS * STAGES * stage_bytes, &p);
}
