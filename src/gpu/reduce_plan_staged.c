/* SPDX-License-Identifier: MIT
 *
 * reduce_plan_staged.c - short rows that go element by element, by way of shared memory: how they are dealt out, and
 * which of those with absent elements, or of products of two arrays, go this way. */
#include "reduce_plan.h"
#include "whole.h"

#define THREADS 256
#define VECTOR 16           /* bytes */
#define STAGE_BYTES 16384   /* of a block, where its rows let it choose */
#define LANE_ELEMENTS 16    /* that are worth a thread; */
#define MORE_ELEMENTS 32    /* where each of them takes longer to find, and so do results, */
#define LANE_BYTES 64       /* or so many bytes, as blocks of more rows leave room for few others */
#define LEAST_SPREAD 32     /* bytes from row to row that are spread over the banks */
#define MOST_ROW_BYTES 4096 /* of an array */
#define CLOSE_BYTES 64      /* from row to row that are read with all between them, */
#define MOST_APART 2        /* and in lengths of a row */

int reduce_plan_rows_are_close(int64_t bytes, int64_t apart)
{
    return apart >= bytes && (apart <= CLOSE_BYTES || apart <= MOST_APART * bytes);
}

/* As room_of in kernels/reduce_short/short_staged.cuh. */
static int64_t room_of(int64_t rows, int64_t apart, int64_t bytes)
{
    int64_t spread = apart >= LEAST_SPREAD && apart % VECTOR == 0 ? rows : 0;
    return (((rows - 1) * apart + bytes + VECTOR - 1) / VECTOR + 1 + spread) * VECTOR;
}

/* Threads of a row. */
static int64_t lanes_of(int64_t bytes, int64_t at_once, int is_plain)
{
    int64_t lanes = 1;
    while (is_plain && lanes < 32 && LANE_ELEMENTS * lanes <= bytes / at_once) lanes *= 2;
    while (!is_plain && lanes < 32 && (MORE_ELEMENTS * lanes <= bytes / at_once || LANE_BYTES * lanes < bytes))
        lanes *= 2;
    return lanes;
}

int reduce_plan_add_stages(const struct device_limits *limits, const struct reduction *reduction, int64_t at_once,
                           struct reduce_plan *plan)
{
    struct reduce_parameters *p = &plan->parameters;
    int is_plain = !reduce_plan_is_masked(reduction) && !(reduction->calculation.op->flags & OP_SECOND);
    int64_t size = type_row(reduction->calculation.type)->size, bytes = p->length * size;
    int64_t lanes = lanes_of(bytes, at_once, is_plain);
    int64_t teams = THREADS / lanes, rounds = STAGE_BYTES / (teams * p->kept[0].x * size);
    int64_t rows = teams * (rounds < 1 ? 1 : rounds), shared = room_of(rows, p->kept[0].x * size, bytes);
    if (reduction->calculation.op->flags & OP_SECOND) shared += room_of(rows, p->kept[0].y * size, bytes);
    if (reduction->where) shared += room_of(rows, p->kept[0].where, p->length);
    p->split_units = rows;
    plan->blocks = divide_up(reduction->cells, rows);
    plan->shared_bytes = (uint32_t)shared;
    definitions_add_number(&plan->definitions, "THREADS", THREADS);
    definitions_add_number(&plan->definitions, "SHORT_STAGED", 1);
    definitions_add_number(&plan->definitions, "STAGED_BYTES", at_once);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE", is_plain ? 4 : 3); /* others take more registers */
    definitions_add_number(&plan->definitions, "LANES", lanes);
    return shared <= (int64_t)limits->shared_bytes;
}

static int is_of_products(const struct reduction *reduction)
{
    const struct calculation *calculation = &reduction->calculation;
    const struct op_row *op = calculation->op;
    if (op->flags & OP_THIRD || op->lift != LIFT_PRODUCT || calculation->ordered) return 0;
    if (calculation->flags & TALLY_CHECK_OVERFLOW || calculation->modulus.p) return 0;
    if (calculation->method == METHOD_FOLD) return calculation->combine == COMBINE_ADD;
    return calculation->method == METHOD_EXACT && type_row(calculation->type)->kind == KIND_REAL &&
           type_row(calculation->result)->kind == KIND_REAL;
}

/* Whether reduce_short.cu has the steps, if no element were absent. */
static int has_steps(const struct reduction *reduction)
{
    struct reduction bare = *reduction;
    bare.where = NULL;
    bare.calculation.flags &= ~(uint32_t)TALLY_SKIP_NAN;
    if (reduction->calculation.op->flags & OP_SECOND) return is_of_products(reduction);
    return reduce_plan_is_masked(reduction) && reduce_plan_has_quick_steps(&bare);
}

/* Whether rows of an operand lie close together, or all at one place. */
static int lie_close(const struct reduction *reduction, int operand, int64_t size)
{
    int64_t apart = reduction->kept[0].stride[operand];
    if (reduction->reduced[0].stride[operand] != 1) return 0;
    return (apart == 0 && operand != OPERAND_X) || reduce_plan_rows_are_close(reduction->length * size, apart * size);
}

int reduce_plan_may_be_staged(const struct reduction *reduction)
{
    int64_t size = type_row(reduction->calculation.type)->size;
    int second = (reduction->calculation.op->flags & OP_SECOND) != 0;
    if (reduction->kept_count != 1 || reduction->reduced_count != 1 || !has_steps(reduction)) return 0;
    if (reduction->cells < 1 || reduction->length * size > MOST_ROW_BYTES) return 0;
    if ((uintptr_t)reduction->x % (uintptr_t)size || !lie_close(reduction, OPERAND_X, size)) return 0;
    if (second && ((uintptr_t)reduction->y % (uintptr_t)size || !lie_close(reduction, OPERAND_Y, size))) return 0;
    return !reduction->where || lie_close(reduction, OPERAND_WHERE, 1);
}

int reduce_plan_staged(const struct device_limits *limits, const struct reduction *reduction,
                       const struct reduce_plan *usual, struct reduce_plan *plan)
{
    int64_t size = type_row(reduction->calculation.type)->size;
    if (!reduce_plan_may_be_staged(reduction)) return 0;
    *plan = *usual;
    plan->file = "reduce_short.cu";
    plan->threads = THREADS;
    plan->state_bytes = 0;
    plan->tickets = 0;
    program_definitions(&reduction->calculation, reduction->where != NULL, &plan->definitions);
    reduce_plan_add_initial(&reduction->calculation, &plan->definitions);
    definitions_add_number(&plan->definitions, "REDUCED_NEST", 0);
    return reduce_plan_add_stages(limits, reduction, size, plan);
}
