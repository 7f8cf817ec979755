/* SPDX-License-Identifier: MIT
 *
 * reduce_plan_matrices.c - which reductions down columns reduce_short.cu takes by way of shared memory: of matrices
 * that lie behind each other, whose rows are narrow, or vectors do not divide them. */
#include "reduce_plan.h"
#include "whole.h"

#include <math.h>

#define VECTOR 16                    /* bytes */
#define SIDE_BYTES 8                 /* that a thread takes at once of elements narrower than a word, */
#define NARROW_SIDE_BYTES 4          /* or, of rows that have no more, */
#define AT_ONCE 8                    /* rows */
#define NARROW_BYTES 56              /* of rows whose columns may have any length; */
#define MOST_ROWS 256                /* others' strips take longer ones sooner, */
#define MOST_SEARCHED_ROWS 16        /* and searches of bytes sooner still; */
#define MOST_WIDE_ROWS 512           /* of variances of integers that are words or more */
#define PROCESSOR_THREADS 1024       /* of a multiprocessor, */
#define CLOSE(bytes) ((bytes)*5 / 4) /* from matrix to matrix, or row to row, that are read with all between */
#define MOST_TEAM 32
#define SOME 64               /* matrices, of which some more or fewer make no difference */
#define WORTH_MATRICES 1.03   /* how much busier threads are that a block has more matrices for, */
#define WORTH_TEAM 1.2        /* or larger teams, which have to be merged */
#define BUSY 0.6              /* at least; */
#define BUSY_HALVES 0.75      /* where sums of 2-byte floats take long */
#define MOST_PACKED_ROWS 32   /* of narrow rows, which other ways take well if vectors divide them, or */
#define USEFUL_PACKED 0.15    /* so small a part of the threads' time would add rows; */
#define MOST_STRANGE_ROWS 512 /* up to here no other way is any good; */
#define USEFUL 0.28           /* and then the least part, */
#define USEFUL_HALVES 0.4     /* and of elements narrower than words, which take longer */
#define ROWS_TO_SETTLE 16     /* that a thread adds while another writes its columns' results, */
#define ROWS_TO_MERGE 4       /* or merges them with one of its team */
#define WARP 32
#define BANKS 32         /* of shared memory, a word each */
#define FREE_CONFLICTS 2 /* threads of a warp that may wait for one bank before loads take longer than the rest; */
#define FREE_CONFLICTS_OF_WORDS 6 /* of elements that are words or more */

/* As kernels/reduce_short/short_matrices.cuh has them. */
struct shape {
    int64_t rows, columns, matrices, size, side;
    int64_t pitch, apart; /* bytes */
};

static struct shape shape_of(const struct reduction *reduction)
{
    const struct loop *outer = &reduction->kept[0], *inner = &reduction->kept[1], *down = &reduction->reduced[0];
    int64_t size = type_row(reduction->calculation.type)->size;
    int64_t side = inner->extent * size < SIDE_BYTES ? NARROW_SIDE_BYTES : SIDE_BYTES;
    struct shape s = {down->extent,
                      inner->extent,
                      outer->extent,
                      size,
                      size < 4 ? side / size : 1,
                      down->stride[OPERAND_X] * size,
                      outer->stride[OPERAND_X] * size};
    return s;
}

static int64_t bytes_of_matrix(const struct shape *s)
{
    return (s->rows - 1) * s->pitch + s->columns * s->size;
}

static int is_narrow(const struct shape *s)
{
    return s->columns * s->size <= NARROW_BYTES;
}

static int lies_well(const struct reduction *reduction, const struct shape *s)
{
    const struct loop *outer = &reduction->kept[0], *inner = &reduction->kept[1];
    int64_t row = s->columns * s->size, matrix = bytes_of_matrix(s);
    if (inner->stride[OPERAND_X] != 1 || inner->stride[OPERAND_OUT] != 1) return 0;
    if (outer->stride[OPERAND_OUT] != s->columns) return 0;
    if (s->pitch < row || s->pitch > CLOSE(row) || s->apart < matrix || s->apart > CLOSE(matrix)) return 0;
    return is_narrow(s) || (s->pitch | s->apart | (int64_t)(uintptr_t)reduction->x) % VECTOR != 0;
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
    double worth;                            /* of narrow rows, part that adds them; else the same */
};

/* Whether all members of a team have rows, and no fewer than are read at once. */
static int is_team(const struct shape *s, int64_t team)
{
    int64_t rows = divide_up(s->rows, team);
    return team == 1 || (rows >= AT_ONCE && (team - 1) * rows < s->rows);
}

/* From row to row of a member of a team: next to each other, members find narrow rows in different banks of shared
 * memory. */
static int64_t row_step(const struct shape *s, int64_t team)
{
    return is_narrow(s) ? team : 1;
}

/* Threads of a block's first warp that wait for the same bank of shared memory, as their words differ. */
static int64_t conflicts_of(const struct shape *s, int64_t team)
{
    int64_t groups = WARP / team, in_row = divide_up(s->columns, s->side), waits[BANKS] = {0}, most = 0, words[WARP];
    int64_t first_step = s->pitch * (row_step(s, team) == 1 ? divide_up(s->rows, team) : 1);
    int at_once = s->size > 4 ? WARP * 4 / (int)s->size : WARP; /* lanes */
    for (int lane = 0; lane < at_once; lane++) {
        int64_t group = lane % groups, column = group % in_row * s->side, known = 0;
        words[lane] = (group / in_row * s->apart + lane / groups * first_step + column * s->size) / 4;
        for (int before = 0; before < lane; before++) known |= words[before] == words[lane];
        int64_t *waiting = &waits[words[lane] % BANKS];
        *waiting += !known;
        most = *waiting > most ? *waiting : most;
    }
    return most;
}

/* Of so many matrices, where so many threads wait for the same bank. */
static void measure_deal(const struct shape *s, int64_t conflicts, struct deal *deal)
{
    double groups = (double)(deal->matrices * divide_up(s->columns, s->side));
    double rounds = ceil(groups * (double)deal->team / (double)deal->threads), all = rounds * (double)deal->threads;
    double rows = (double)divide_up(s->rows, deal->team), merges = log2((double)deal->team);
    deal->worth = deal->busy = groups * (double)deal->team / all;
    if (!is_narrow(s)) return;
    deal->worth = groups * (double)s->rows / (all * (rows + ROWS_TO_SETTLE + ROWS_TO_MERGE * merges));
    double waits = (double)conflicts / (s->side > 1 ? FREE_CONFLICTS : FREE_CONFLICTS_OF_WORDS);
    if (waits > 1) deal->worth /= waits;
}

/* As many matrices as a block has room for, or some fewer, by teams of this size; and enough blocks for all. */
static void try_team(const struct shape *s, int64_t size, const struct device_limits *limits, int64_t blocks,
                     int64_t team, struct deal *best)
{
    struct deal deal = {0, team, PROCESSOR_THREADS / blocks, blocks, 0, 0};
    int is_quick = is_narrow(s) && blocks == best->blocks; /* what it costs counts already */
    double least_worth = best->worth * (is_quick ? WORTH_MATRICES : WORTH_TEAM);
    int64_t stage = device_room_of_block(limits, blocks), one = shared_bytes(s, 1, size);
    int64_t more = divide_up(shared_bytes(s, 1 + SOME, size) - one, SOME);
    int64_t most = least(1 + (stage - one) / more, divide_up(s->matrices, limits->processors * blocks));
    int64_t conflicts = is_narrow(s) ? conflicts_of(s, team) : 0;
    while (most > 1 && shared_bytes(s, most, size) > stage) most--;
    for (deal.matrices = most > SOME ? most : divide_up(most * 3, 4); deal.matrices <= most; deal.matrices++) {
        measure_deal(s, conflicts, &deal);
        if (deal.worth <= least_worth) continue;
        *best = deal;
        least_worth = deal.worth * WORTH_MATRICES;
    }
}

/* By as many blocks on a multiprocessor as have room for a matrix each: what some read others' computing hides. Narrow
 * ones may leave too few rows for that many threads. */
static struct deal deal_of(const struct shape *s, int64_t size, const struct device_limits *limits)
{
    struct deal deal = {0};
    for (int64_t blocks = 8; blocks >= (s->size < 4 ? 4 : 2); blocks /= 2) {
        if (shared_bytes(s, 1, size) > device_room_of_block(limits, blocks)) continue;
        for (int64_t team = 1; team <= MOST_TEAM && is_team(s, team); team *= 2)
            try_team(s, size, limits, blocks, team, &deal);
        if (!is_narrow(s)) break;
    }
    return deal;
}

/* Whether rows are so many that it may be worth it. */
static int may_be_worth(const struct reduction *reduction, const struct shape *s)
{
    int method = reduction->calculation.method, kind = type_row(reduction->calculation.type)->kind;
    int is_wide_spread = reduce_plan_has_spread(&reduction->calculation) && !(kind & KIND_FLOAT) && s->size >= 4;
    if (method == METHOD_ARG && s->size == 1 && (s->rows > MOST_SEARCHED_ROWS || s->columns < SIDE_BYTES)) return 0;
    if (!is_narrow(s)) return s->rows >= 2 && s->rows <= MOST_ROWS;
    if (s->rows <= MOST_PACKED_ROWS) return s->rows >= 2 && s->pitch % VECTOR != 0;
    return !is_wide_spread || s->rows <= MOST_WIDE_ROWS;
}

static int is_worth(const struct reduction *reduction, const struct shape *s, const struct deal *deal)
{
    int method = reduction->calculation.method, kind = type_row(reduction->calculation.type)->kind;
    int halves = method == METHOD_EXACT && kind & KIND_FLOAT && s->size == 2;
    if (!is_narrow(s)) return deal->busy >= (halves ? BUSY_HALVES : BUSY);
    if (s->rows <= AT_ONCE || (s->rows > MOST_PACKED_ROWS && s->rows <= MOST_STRANGE_ROWS)) return deal->matrices > 0;
    return deal->worth >= (s->rows <= MOST_PACKED_ROWS ? USEFUL_PACKED : s->size < 4 ? USEFUL_HALVES : USEFUL);
}

int reduce_plan_matrices(const struct device_limits *limits, const struct reduction *reduction,
                         const struct reduce_plan *usual, struct reduce_plan *plan)
{
    if (reduction->kept_count != 2 || reduction->reduced_count != 1 || !reduce_plan_may_be_short(reduction)) return 0;
    int is_complex = type_row(reduction->calculation.type)->kind == KIND_COMPLEX;
    if (is_complex && !reduce_plan_has_spread(&reduction->calculation)) return 0;
    const struct shape s = shape_of(reduction);
    int64_t size = type_row(reduction->calculation.result)->size;
    if (!lies_well(reduction, &s) || !may_be_worth(reduction, &s)) return 0;
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
    definitions_add_number(&plan->definitions, "WHOLE_SIDES", s.columns >= s.side);
    definitions_add_number(&plan->definitions, "IN_ROW", 1);
    definitions_add_number(&plan->definitions, "TEAM", deal.team);
    definitions_add_number(&plan->definitions, "ROW_STEP", row_step(&s, deal.team));
    definitions_add_number(&plan->definitions, "DEPTH", least(AT_ONCE, s.rows));
    definitions_add_number(&plan->definitions, "IN_ONE_PASS", s.rows <= AT_ONCE);
    return 1;
}
