/* SPDX-License-Identifier: MIT
 *
 * reduce_plan_rows.c - which reductions reduce_rows.cu takes: logsumexp of many short cells of floats that are no rows
 * of reduce_plan_ordered_rows.c, such as those over two axes; and where kernels/reduce_tree/row_powers.cuh has leaves.
 */
#include "reduce_plan.h"
#include "whole.h"

#define THREADS 128
#define LEAST_LENGTH 32       /* elements of a row: a warp whose threads are nearly all idle is no gain */
#define MOST_INNER (1 << 30)  /* elements of the inner one of two loops, whose numbers are of 32 bits */
#define WARPS_OF_PROCESSOR 64 /* before warps have a second row */
#define MOST_EACH 32          /* rows of a warp: a thread has one result */

int reduce_plan_has_aligned_fours(const struct reduction *reduction, int64_t length)
{
    int64_t size = type_row(reduction->calculation.type)->size, bytes = least(4 * size, 16), strides = 0;
    int32_t inner = reduction->reduced_count - 1;
    if (inner < 0 || reduction->reduced[inner].stride[OPERAND_X] != 1) return 0;
    for (int32_t d = 0; d < reduction->kept_count; d++) strides |= reduction->kept[d].stride[OPERAND_X];
    for (int32_t d = 0; d < inner; d++) strides |= reduction->reduced[d].stride[OPERAND_X];
    if (inner > 0) length |= reduction->reduced[inner].extent;
    return length % 4 == 0 && strides * size % bytes == 0 && (int64_t)((uintptr_t)reduction->x & 15) % bytes == 0;
}

int reduce_plan_has_rows_of_powers(const struct reduction *reduction)
{
    const struct calculation *calculation = &reduction->calculation;
    int32_t count = reduction->reduced_count;
    if (calculation->combine != COMBINE_ADD_POWERS || type_row(calculation->type)->kind != KIND_REAL) return 0;
    if (!calculation->ordered || reduce_plan_is_masked(reduction) || count < 1 || count > 2) return 0;
    int64_t inner = reduction->reduced[count - 1].extent;
    return count == 1 || (inner > 1 && inner <= MOST_INNER);
}

int reduce_plan_walk_of_rows(const struct reduction *reduction)
{
    if (reduction->reduced_count == 1) return reduction->reduced[0].stride[OPERAND_X] != 1;
    return reduce_plan_has_aligned_fours(reduction, reduction->length) ? 2 : 1;
}

int reduce_plan_rows(const struct device_limits *limits, const struct reduction *reduction,
                     const struct reduce_plan *usual, struct reduce_plan *plan)
{
    if (!reduce_plan_has_rows_of_powers(reduction)) return 0;
    if (reduction->length <= LEAST_LENGTH || reduction->length > TREE_LEAF || reduction->cells < 1) return 0;
    int64_t warps = (int64_t)limits->processors * WARPS_OF_PROCESSOR;
    int64_t each = power_above(least(divide_up(reduction->cells, warps), MOST_EACH));
    int32_t nest = reduction->reduced_count > 1 ? reduction->reduced_count : 0,
            walk = reduce_plan_walk_of_rows(reduction);
    *plan = *usual;
    plan->file = "reduce_rows.cu";
    plan->threads = THREADS;
    plan->blocks = divide_up(reduction->cells, THREADS / 32 * each);
    plan->tickets = 0;
    plan->shared_bytes = 0;
    plan->state_bytes = 0;
    plan->parameters.splits = 1;
    program_definitions(&reduction->calculation, 0, &plan->definitions);
    definitions_add_number(&plan->definitions, "CONTIGUOUS", walk == 0);
    definitions_add_number(&plan->definitions, "WALK", walk);
    definitions_add_number(&plan->definitions, "FULL_LEAVES", 0);
    definitions_add_number(&plan->definitions, "REDUCED_NEST", nest);
    definitions_add_number(&plan->definitions, "THREADS", THREADS);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE",
                           type_row(reduction->calculation.type)->size == 8 ? 3
                           : walk                                           ? 4
                                                                            : 5);
    definitions_add_number(&plan->definitions, "EACH", each);
    definitions_add_number(&plan->definitions, "ROWS_ALIGNED",
                           reduce_plan_has_aligned_fours(reduction, reduction->length));
    return 1;
}
