/* SPDX-License-Identifier: MIT
 *
 * reduce_plan_rows.c - which reductions reduce_rows.cu takes: logsumexp along many rows of floats. */
#include "reduce_plan.h"
#include "whole.h"

#define THREADS 128
#define LEAST_LENGTH 32       /* elements of a row: a warp whose threads are nearly all idle is no gain */
#define WARPS_OF_PROCESSOR 64 /* before warps have a second row */
#define MOST_EACH 32          /* rows of a warp: a thread has one result */

static int has_powers_of_floats(const struct calculation *calculation)
{
    int kind = type_row(calculation->type)->kind;
    return calculation->ordered && calculation->combine == COMBINE_ADD_POWERS && kind == KIND_REAL;
}

int reduce_plan_has_aligned_fours(const struct reduction *reduction, int64_t length)
{
    int64_t size = type_row(reduction->calculation.type)->size, all = length;
    for (int32_t d = 0; d < reduction->kept_count; d++) all |= reduction->kept[d].stride[OPERAND_X];
    return all % 4 == 0 && (int64_t)((uintptr_t)reduction->x & 15) % least(4 * size, 16) == 0;
}

int reduce_plan_rows(const struct device_limits *limits, const struct reduction *reduction,
                     const struct reduce_plan *usual, struct reduce_plan *plan)
{
    if (!has_powers_of_floats(&reduction->calculation) || reduce_plan_is_masked(reduction)) return 0;
    if (reduction->reduced_count != 1 || reduction->reduced[0].stride[OPERAND_X] != 1) return 0;
    if (reduction->length <= LEAST_LENGTH || reduction->length > TREE_LEAF || reduction->cells < 1) return 0;
    int64_t warps = (int64_t)limits->processors * WARPS_OF_PROCESSOR;
    int64_t each = power_above(least(divide_up(reduction->cells, warps), MOST_EACH));
    *plan = *usual;
    plan->file = "reduce_rows.cu";
    plan->threads = THREADS;
    plan->blocks = divide_up(reduction->cells, THREADS / 32 * each);
    plan->tickets = 0;
    plan->shared_bytes = 0;
    plan->state_bytes = 0;
    plan->parameters.splits = 1;
    program_definitions(&reduction->calculation, 0, &plan->definitions);
    definitions_add_number(&plan->definitions, "CONTIGUOUS", 1);
    definitions_add_number(&plan->definitions, "FULL_LEAVES", 0);
    definitions_add_number(&plan->definitions, "REDUCED_NEST", 0);
    definitions_add_number(&plan->definitions, "THREADS", THREADS);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE",
                           type_row(reduction->calculation.type)->size == 8 ? 3 : 5);
    definitions_add_number(&plan->definitions, "EACH", each);
    definitions_add_number(&plan->definitions, "ROWS_ALIGNED",
                           reduce_plan_has_aligned_fours(reduction, reduction->length));
    return 1;
}
