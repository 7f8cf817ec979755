/* SPDX-License-Identifier: MIT
 *
 * reduce_plan_spread.c - which reductions reduce_spread.cu takes: variances and norms along long runs of floats and
 * wide integers. */
#include "reduce_plan.h"
#include "whole.h"

#define THREADS 256
#define VECTOR_BYTES 16
#define VECTORS 4        /* of a thread at once */
#define SHORTEST 4096    /* bytes of a run that a block is kept busy with, where there are many */
#define BLOCKS_AT_ONCE 3 /* of one multiprocessor; of floats more where blocks end soon */
#define CHUNKS_ALONE 4   /* that one block goes through sooner than two would merge */
#define MOST_TICKETS 16384
#define LONGEST_OF_DOUBLES (1 << 20) /* sums of 33 bits that are doubles */
#define REDONE (1 << 16)             /* elements that a block sums exactly before another kernel could begin to */

/* Far beyond any length, corrections are taken for less than they are. */
static int is_moderate(double correction)
{
    const double most = 1 << 30;
    return correction < most && correction > -most;
}

/* What sums are of pairs of doubles: doubles, and integers that have no short squares (kernels/common/sums.cuh). */
static int is_of_pairs(const struct type_row *type)
{
    if (type->kind & KIND_FLOAT) return type->size == (type->kind == KIND_COMPLEX ? 16 : 8);
    return type->kind & KIND_INTEGER && type->size >= 4;
}

int reduce_plan_has_spread(const struct calculation *calculation)
{
    const struct op_row *op = calculation->op;
    const struct type_row *type = type_row(calculation->type), *result = type_row(calculation->result);
    if (calculation->method != METHOD_EXACT || (op->lift != LIFT_MOMENTS && op->lift != LIFT_SQUARE)) return 0;
    if (result->kind != KIND_REAL || (!is_of_pairs(type) && (!(type->kind & KIND_FLOAT) || result->size > 4))) return 0;
    if (calculation->initial || calculation->flags & (TALLY_SKIP_NAN | TALLY_CHECK_OVERFLOW)) return 0;
    return is_moderate(calculation->correction);
}

int reduce_plan_is_spread(const struct reduction *reduction)
{
    struct calculation bare = reduction->calculation;
    bare.flags &= ~(uint32_t)TALLY_SKIP_NAN;
    return reduce_plan_has_spread(&bare) &&
           (!reduce_plan_is_masked(reduction) || reduce_plan_has_masked_strips(reduction));
}

int reduce_plan_has_moments(const struct reduction *reduction)
{
    const struct calculation *calculation = &reduction->calculation;
    const struct type_row *type = type_row(calculation->type);
    if (calculation->method != METHOD_EXACT || calculation->op->lift != LIFT_MOMENTS || reduction->where) return 0;
    if (type->kind & KIND_FLOAT || type->size > 2 || calculation->initial) return 0;
    if (calculation->flags & (TALLY_SKIP_NAN | TALLY_CHECK_OVERFLOW)) return 0;
    return type_row(calculation->result)->kind == KIND_REAL && is_moderate(calculation->correction);
}

int reduce_plan_has_pairs(const struct calculation *calculation)
{
    return is_of_pairs(type_row(calculation->type)) && calculation->op->lift == LIFT_MOMENTS;
}

int reduce_plan_has_long_cells(const struct reduction *reduction)
{
    const struct type_row *type = type_row(reduction->calculation.type);
    return reduction->length > LONGEST_OF_DOUBLES && type->kind & KIND_INTEGER &&
           reduction->calculation.op->lift == LIFT_MOMENTS;
}

static int is_suitable(const struct reduction *reduction, int64_t size)
{
    struct calculation bare = reduction->calculation;
    bare.flags &= ~(uint32_t)TALLY_SKIP_NAN;
    if (!reduce_plan_has_spread(&bare)) return 0;
    if (reduction->cells < 1 || reduction->length < 1 || reduction->reduced_count > 1) return 0;
    if ((uintptr_t)reduction->x % (uintptr_t)size) return 0;
    if (reduction->cells > 1 && reduction->length * size <= SHORTEST) return 0;
    int is_whole = reduction->cells == 1 && !reduce_plan_is_masked(reduction);
    if (is_whole && !(type_row(reduction->calculation.type)->kind & KIND_FLOAT)) return 0; /* words are faster */
    if (reduction->reduced_count == 0) return !reduction->where;
    if (reduction->where && reduction->reduced[0].stride[OPERAND_WHERE] != 1) return 0;
    return reduction->reduced[0].stride[OPERAND_X] == 1;
}

int reduce_plan_spread(const struct device_limits *limits, const struct reduction *reduction,
                       const struct reduce_plan *usual, struct reduce_plan *plan)
{
    const struct calculation *calculation = &reduction->calculation;
    int64_t size = type_row(calculation->type)->size;
    if (!is_suitable(reduction, size)) return 0;
    struct reduce_parameters *p = &plan->parameters;
    int pairs = reduce_plan_has_pairs(calculation);
    *plan = *usual;
    int64_t chunks = divide_up(reduction->length * size, THREADS * VECTORS * VECTOR_BYTES);
    int64_t most = reduction->cells > MOST_TICKETS || chunks <= CHUNKS_ALONE ? 1 : chunks;
    p->splits = least(most, divide_up(limits->processors * (BLOCKS_AT_ONCE - pairs), reduction->cells));
    int is_short =
        p->splits == 1 && !reduce_plan_is_masked(reduction) && type_row(calculation->type)->kind == KIND_REAL;
    int at_once = pairs ? BLOCKS_AT_ONCE - 1 : BLOCKS_AT_ONCE + is_short;
    plan->file = "reduce_spread.cu";
    plan->threads = THREADS;
    plan->blocks = reduction->cells * p->splits;
    plan->tickets = reduction->cells;
    plan->wide = reduction->length > REDONE;
    plan->shared_bytes = plan->wide ? 0 : (uint32_t)wide_state_bytes(calculation);
    plan->state_bytes = p->splits > 1 ? (size_t)plan->blocks * REDUCE_SPREAD_BYTES : 0;
    program_definitions(calculation, reduction->where != NULL, &plan->definitions);
    reduce_plan_add_mask(reduction, &plan->definitions);
    definitions_add_number(&plan->definitions, "THREADS", THREADS);
    definitions_add_number(&plan->definitions, "VECTORS", VECTORS);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE", at_once);
    definitions_add_number(&plan->definitions, "REDOES", !plan->wide);
    return 1;
}
