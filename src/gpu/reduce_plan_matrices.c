/* SPDX-License-Identifier: MIT
 *
 * reduce_plan_matrices.c - which reductions down columns reduce_short.cu takes by way of shared memory: of matrices
 * that lie behind each other, whose rows vectors do not divide. */
#include "reduce_plan.h"
#include "whole.h"

#define VECTOR 16                    /* bytes */
#define SIDE_BYTES 8                 /* that a thread takes at once of elements narrower than a word */
#define AT_ONCE 8                    /* rows */
#define MOST_ROWS 256                /* strips take longer columns sooner, */
#define MOST_SEARCHED_ROWS 16        /* and searches of bytes sooner still */
#define PROCESSOR_THREADS 1024       /* of a multiprocessor, */
#define CLOSE(bytes) ((bytes)*5 / 4) /* from matrix to matrix, or row to row, that are read with all between */
#define MOST_TEAM 32
#define SOME 64             /* matrices, of which some more or fewer make no difference */
#define WORTH_MATRICES 1.03 /* how much busier threads are that a block has more matrices for, */
#define WORTH_TEAM 1.2      /* or larger teams, which have to be merged */
#define BUSY 0.6            /* at least; */
#define BUSY_HALVES 0.75    /* where sums of 2-byte floats take long */

/* As kernels/short_matrices.cuh has them. */
struct shape {
    int64_t rows, columns, matrices, size, side;
    int64_t pitch, apart; /* bytes */
};

static struct shape shape_of(const struct reduction *reduction)
{
    const struct loop *outer = &reduction->kept[0], *inner = &reduction->kept[1], *down = &reduction->reduced[0];
    int64_t size = type_row(reduction->calculation.type)->size;
    struct shape s = {down->extent,
                      inner->extent,
                      outer->extent,
                      size,
                      size < 4 ? SIDE_BYTES / size : 1,
                      down->stride[OPERAND_X] * size,
                      outer->stride[OPERAND_X] * size};
    return s;
}

static int64_t bytes_of_matrix(const struct shape *s)
{
    return (s->rows - 1) * s->pitch + s->columns * s->size;
}

static int lies_well(const struct reduction *reduction, const struct shape *s)
{
    const struct loop *outer = &reduction->kept[0], *inner = &reduction->kept[1];
    int64_t row = s->columns * s->size, matrix = bytes_of_matrix(s);
    if (inner->stride[OPERAND_X] != 1 || inner->stride[OPERAND_OUT] != 1) return 0;
    if (outer->stride[OPERAND_OUT] != s->columns) return 0;
    if (s->pitch < row || s->pitch > CLOSE(row) || s->apart < matrix || s->apart > CLOSE(matrix)) return 0;
    return (s->pitch | s->apart | (int64_t)(uintptr_t)reduction->x) % VECTOR != 0;
}

/* Vectors of shared memory that so many matrices take, wherever they begin, and what is read behind them. */
static int64_t room_of_elements(const struct shape *s, int64_t matrices)
{
    return divide_up((matrices - 1) * s->apart + bytes_of_matrix(s), VECTOR) + 2;
}

/* The same of their results, with gaps. */
static int64_t room_of_results(const struct shape *s, int64_t matrices, int64_t size)
{
    int64_t results = matrices * s->columns;
    if (s->side == 1) return 0;
    if (size > 2) results += divide_up(results, s->side);
    return divide_up(results * size, VECTOR) + 1;
}

static int64_t shared_bytes(const struct shape *s, int64_t matrices, int64_t size)
{
    return (room_of_elements(s, matrices) + room_of_results(s, matrices, size)) * VECTOR;
}

/* How a block's threads share out its matrices. */
struct deal {
    int64_t matrices, team, threads, blocks; /* blocks: on a multiprocessor */
    double busy;                             /* part of the threads' time that has groups */
};

static double busy_part(const struct shape *s, int64_t matrices, int64_t team, int64_t threads)
{
    int64_t groups = matrices * divide_up(s->columns, s->side) * team;
    return (double)groups / (double)(divide_up(groups, threads) * threads);
}

/* Members of a team that have rows, as many each but the last. */
static int is_team(const struct shape *s, int64_t team)
{
    int64_t rows = divide_up(s->rows, team);
    return team == 1 || (rows >= AT_ONCE && (team - 1) * rows < s->rows);
}

/* As many matrices as a block has room for, or some fewer, by teams of this size; and enough blocks for all. */
static void try_team(const struct shape *s, int64_t size, const struct device_limits *limits, int64_t blocks,
                     int64_t team, struct deal *best)
{
    int64_t threads = PROCESSOR_THREADS / blocks, stage = device_room_of_block(limits, blocks);
    int64_t one = shared_bytes(s, 1, size), more = divide_up(shared_bytes(s, 1 + SOME, size) - one, SOME);
    int64_t most = least(1 + (stage - one) / more, divide_up(s->matrices, limits->processors * blocks));
    while (most > 1 && shared_bytes(s, most, size) > stage) most--;
    double least_busy = best->busy * WORTH_TEAM;
    if (!is_team(s, team)) return;
    for (int64_t matrices = most > SOME ? most : divide_up(most * 3, 4); matrices <= most; matrices++) {
        double busy = busy_part(s, matrices, team, threads);
        if (busy <= least_busy) continue;
        *best = (struct deal){matrices, team, threads, blocks, busy};
        least_busy = busy * WORTH_MATRICES;
    }
}

/* By as many blocks on a multiprocessor as have room for a matrix each: what some read others' computing hides. */
static struct deal deal_of(const struct shape *s, int64_t size, const struct device_limits *limits)
{
    struct deal deal = {0, 1, 0, 0, 0};
    for (int64_t blocks = 8; blocks >= (s->size < 4 ? 4 : 2); blocks /= 2) {
        if (shared_bytes(s, 1, size) > device_room_of_block(limits, blocks)) continue;
        for (int64_t team = 1; team <= MOST_TEAM; team *= 2) try_team(s, size, limits, blocks, team, &deal);
        break;
    }
    return deal;
}

static int is_worth(const struct reduction *reduction, const struct shape *s, const struct deal *deal)
{
    int method = reduction->calculation.method, kind = type_row(reduction->calculation.type)->kind;
    if (s->rows < 2 || s->rows > MOST_ROWS) return 0;
    if (method == METHOD_ARG && s->size == 1 && s->rows > MOST_SEARCHED_ROWS) return 0;
    return deal->busy >= (method == METHOD_EXACT && kind & KIND_FLOAT && s->size == 2 ? BUSY_HALVES : BUSY);
}

int reduce_plan_matrices(const struct device_limits *limits, const struct reduction *reduction,
                         const struct reduce_plan *usual, struct reduce_plan *plan)
{
    if (reduction->kept_count != 2 || reduction->reduced_count != 1 || !reduce_plan_may_be_short(reduction)) return 0;
    if (type_row(reduction->calculation.type)->kind == KIND_COMPLEX) return 0;
    const struct shape s = shape_of(reduction);
    int64_t size = type_row(reduction->calculation.result)->size;
    if (s.columns < s.side || !lies_well(reduction, &s)) return 0;
    const struct deal deal = deal_of(&s, size, limits);
    if (!is_worth(reduction, &s, &deal)) return 0;
    reduce_plan_begin_short(reduction, usual, plan);
    plan->threads = (uint32_t)deal.threads;
    plan->blocks = divide_up(s.matrices, deal.matrices);
    plan->shared_bytes = (uint32_t)shared_bytes(&s, deal.matrices, size);
    plan->parameters.split_units = deal.matrices;
    plan->parameters.row_units = divide_up(s.columns, s.side);
    plan->parameters.units = divide_up(s.rows, deal.team);
    plan->parameters.all_units = room_of_elements(&s, deal.matrices);
    definitions_add_number(&plan->definitions, "THREADS", deal.threads);
    definitions_add_number(&plan->definitions, "REDUCED_NEST", 0);
    definitions_add_number(&plan->definitions, "SHORT_MATRICES", 1);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE", deal.blocks);
    definitions_add_number(&plan->definitions, "SIDE", s.side);
    definitions_add_number(&plan->definitions, "IN_ROW", 1);
    definitions_add_number(&plan->definitions, "TEAM", deal.team);
    definitions_add_number(&plan->definitions, "DEPTH", least(AT_ONCE, s.rows));
    definitions_add_number(&plan->definitions, "IN_ONE_PASS", s.rows <= AT_ONCE);
    return 1;
}
