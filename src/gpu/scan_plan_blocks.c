/* SPDX-License-Identifier: MIT
 *
 * scan_plan_blocks.c - which scans go by the blocks of docs/semantics.md in one pass
 * (kernels/scan_blocks/scan_blocks.cu). */
#include "scan_plan.h"
#include "scan_state.h"
#include "whole.h"

#define THREADS 288 /* a warp for each group of a block, and one more */
#define GROUPS 8    /* of a block */
#define FEWEST_STAGES 5
#define MOST_STAGES 13
#define CHAIN_BYTES 64
#define MANY_BLOCKS 4096 /* of an axis */
#define MOST_BLOCKS 2    /* of a processor: more would have few stages each */

static int is_dense(const struct scan *scan, enum operand operand)
{
    return scan->axis.stride[operand] == 1 || scan->axis.stride[operand] == -1;
}

/* Whether the last element lies lowest. */
static int is_backward(const struct scan *scan, enum operand operand)
{
    return scan->axis.stride[operand] < 0;
}

/* Whether blocks begin, or those that lie backward end, inside of vectors. */
static int shifts(const struct scan *scan, enum operand operand)
{
    uintptr_t first = (uintptr_t)(operand == OPERAND_X ? scan->x : scan->out);
    return (first + (is_backward(scan, operand) ? type_row(scan->calculation.type)->size : 0)) % VECTOR_BYTES != 0;
}

static int is_suitable(const struct device_limits *limits, const struct scan *scan)
{
    const struct calculation *calculation = &scan->calculation;
    int64_t size = type_row(calculation->type)->size;
    if (!calculation->ordered || calculation->method != METHOD_FOLD || limits->architecture < 80) return 0;
    if (scan->where || calculation->flags & TALLY_CHECK_OVERFLOW || scan->cells != 1) return 0;
    if (!is_dense(scan, OPERAND_X) || !is_dense(scan, OPERAND_OUT)) return 0;
    if (size != (int64_t)type_row(calculation->result)->size || size < 2 || size > 8) return 0;
    return ((uintptr_t)scan->x | (uintptr_t)scan->out) % (uintptr_t)size == 0 && scan->axis.extent > SCAN_BLOCK;
}

/* Totals that one thread chains at once. Of narrow elements it chains more often than memory brings others, and is 0.92
 * of the time in doing so by larger parts; those of few blocks would wait for each other, 1.14 times as long. Measured
 * on an H200. */
static int64_t chain_bytes(const struct scan *scan, int64_t blocks)
{
    int is_narrow = type_row(scan->calculation.type)->size == 2;
    return is_narrow && blocks >= MANY_BLOCKS ? 2 * CHAIN_BYTES : CHAIN_BYTES;
}

int scan_plan_blocks(const struct device_limits *limits, const struct scan *scan, struct scan_plan *plan)
{
    struct reduce_parameters *p = &plan->parameters.reduce;
    const struct calculation *calculation = &scan->calculation;
    if (!is_suitable(limits, scan)) return 0;
    int64_t stage = SCAN_BLOCK * type_row(calculation->type)->size, stages, blocks = MOST_BLOCKS;
    if (shifts(scan, OPERAND_X)) stage += GROUPS * VECTOR_BYTES;
    while ((stages = (device_room_of_block(limits, blocks) - SCAN_BLOCKS_STATIC_BYTES) / stage) < FEWEST_STAGES) {
        if (--blocks == 0) return 0;
    }
    if (limits->processors * blocks < 2) return 0; /* one block chains, and waits for others */
    stages = least(stages, MOST_STAGES);
    int64_t blocks_of_axis = divide_up(p->length, SCAN_BLOCK);
    p->splits = 1;
    p->split_units = p->length;
    plan->file = "scan_blocks.cu";
    plan->threads = THREADS;
    plan->blocks = least(blocks_of_axis + 1, limits->processors * blocks);
    plan->shared_bytes = (uint32_t)(stage * stages);
    plan->flag_bytes = (size_t)blocks_of_axis * 2 * 16 * (size_t)program_parts(calculation) + 256;
    plan->leaves_zeros = 1;
    definitions_add_number(&plan->definitions, "THREADS", THREADS);
    definitions_add_number(&plan->definitions, "EXCLUSIVE", (calculation->flags & TALLY_EXCLUSIVE) != 0);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE", blocks);
    definitions_add_number(&plan->definitions, "STAGES", stages);
    definitions_add_number(&plan->definitions, "CHAIN_BYTES", chain_bytes(scan, blocks_of_axis));
    definitions_add_number(&plan->definitions, "IN_SHIFTS", shifts(scan, OPERAND_X));
    definitions_add_number(&plan->definitions, "IN_BACKWARD", is_backward(scan, OPERAND_X));
    definitions_add_number(&plan->definitions, "OUT_SHIFTS", shifts(scan, OPERAND_OUT));
    definitions_add_number(&plan->definitions, "OUT_BACKWARD", is_backward(scan, OPERAND_OUT));
    return 1;
}
