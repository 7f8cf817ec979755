/* SPDX-License-Identifier: MIT
 *
 * reduce_plan_whole.c - which reductions reduce_whole.cu takes: those of one contiguous array to one result. */
#include "reduce_plan.h"
#include "whole.h"

#define THREADS 256
#define VECTOR_BYTES 16

static int is_suitable(const struct reduction *reduction)
{
    const struct calculation *calculation = &reduction->calculation;
    int64_t size = type_row(calculation->type)->size;
    int second = (calculation->op->flags & OP_SECOND) != 0;
    uintptr_t x = (uintptr_t)reduction->x % VECTOR_BYTES, y = (uintptr_t)reduction->y % VECTOR_BYTES;
    const struct loop *loop = &reduction->reduced[0];
    if (calculation->ordered || calculation->method == METHOD_END || reduction->where) return 0;
    if (reduction->cells != 1 || reduction->length < 1 || reduction->reduced_count > 1) return 0;
    if (x % (uintptr_t)size || (second && x != y)) return 0;
    if (reduction->reduced_count == 0) return 1;
    return loop->stride[OPERAND_X] == 1 && (!second || loop->stride[OPERAND_Y] == 1);
}

int reduce_plan_whole(const struct device_limits *limits, const struct reduction *reduction,
                      const struct reduce_plan *usual, struct reduce_plan *plan)
{
    const struct calculation *calculation = &reduction->calculation;
    if (!is_suitable(reduction)) return 0;
    int64_t size = type_row(calculation->type)->size, vector = VECTOR_BYTES / size;
    int64_t vectors = reduce_plan_vectors(calculation, vector), chunk = THREADS * vectors;
    int64_t ahead = (int64_t)((uintptr_t)reduction->x % VECTOR_BYTES) / size;
    int at_once = reduce_plan_blocks_at_once(calculation, 1);
    *plan = *usual;
    plan->file = "reduce_whole.cu";
    plan->threads = THREADS;
    plan->blocks = least(divide_up(divide_up(reduction->length + ahead, vector), chunk), limits->processors * at_once);
    plan->tickets = 1;
    plan->shared_bytes = 0;
    /* What a block publishes: its state, and for exact sums of floats a pair for each part and a little more. */
    plan->state_bytes = (size_t)plan->blocks *
                        (reduce_plan_state_bytes(calculation) + (size_t)program_parts(calculation) * VECTOR_BYTES + 32);
    program_definitions(calculation, 0, &plan->definitions);
    definitions_add_number(&plan->definitions, "CONTIGUOUS", 1);
    definitions_add_number(&plan->definitions, "TILE_VECTORS", vectors);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE", at_once);
    definitions_add_number(&plan->definitions, "THREADS", THREADS);
    definitions_add_number(&plan->definitions, "REDUCED_NEST", 0);
    return 1;
}
