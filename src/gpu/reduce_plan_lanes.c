/* SPDX-License-Identifier: MIT
 *
 * reduce_plan_lanes.c - which reductions in the fixed-shape tree reduce_lanes.cu takes: of cells side by side, and of
 * many short ones that are no rows of floats (reduce_plan_ordered_rows.c); and how they are dealt out. */
#include "reduce_plan.h"
#include "whole.h"

#include <stdlib.h>

#define THREADS 256
#define MOST_DEPTH 8       /* lanes that a thread goes through at once, */
#define MOST_DEPTH_LARGE 4 /* and where these are large, */
#define AT_ONCE 8          /* and elements that it has under way */
#define MOST_CELLS 32      /* of a block whose threads share cells: together as wide as a line, or several */
#define SHORT_CELL 32      /* elements that a thread reads sooner than a team merges, wherever they lie; */
#define SHORT_BYTES 256    /* bytes of a row, of which the first level cache keeps what is not read yet */
#define LEAST_BESIDE 32    /* bytes of cells that lie side by side, for a team: fewer leave the rest of a sector, */
#define LEAST_OF_POWERS 8  /* which matters less where there is more to do */
#define MANY_NEAR 2048     /* elements of logsumexp */
#define THREADS_OF_PROCESSOR 1024
#define BLOCKS_OF_PROCESSOR 16 /* enough for the last ones to even out */
#define MOST_TICKETS 16384

static int64_t size_of(const struct reduction *reduction)
{
    return type_row(reduction->calculation.type)->size;
}

/* Whether neighbouring cells lie no farther apart than a cell's elements. */
static int lie_side_by_side(const struct reduction *reduction)
{
    if (reduction->reduced_count == 0) return 1;
    int64_t kept = llabs(reduction->kept[reduction->kept_count - 1].stride[OPERAND_X]);
    int64_t reduced = llabs(reduction->reduced[reduction->reduced_count - 1].stride[OPERAND_X]);
    return kept < reduced;
}

static int has_large_lanes(const struct reduction *reduction)
{
    int powers_of_bytes = reduction->calculation.combine == COMBINE_ADD_POWERS && size_of(reduction) == 1;
    return (program_parts(&reduction->calculation) > 1 && !powers_of_bytes) || size_of(reduction) > 8;
}

/* Threads that share a cell; 0: this is not the way. */
static int64_t team_of(const struct device_limits *limits, const struct reduction *reduction, int64_t *cells)
{
    int64_t length = reduction->length, all = reduction->cells;
    int side = lie_side_by_side(reduction);
    int many = all >= (int64_t)limits->processors * THREADS_OF_PROCESSOR && length <= TREE_LEAF;
    *cells = THREADS;
    if (length <= SHORT_CELL) return many || side || length <= 1;
    if (many && (side || length * size_of(reduction) <= SHORT_BYTES)) return 1;
    int64_t beside = reduction->kept[reduction->kept_count - 1].extent * size_of(reduction);
    int powers = reduction->calculation.combine == COMBINE_ADD_POWERS;
    if (!side || all < 2 || beside < (powers ? LEAST_OF_POWERS : LEAST_BESIDE)) return 0;
    *cells = divide_up(all, divide_up(all, MOST_CELLS));
    int64_t team = 1;
    while (2 * team * *cells <= THREADS && 2 * team <= length) team *= 2;
    return least(team, TREE_LANES);
}

static int takes_registers(const struct reduction *reduction)
{
    return program_parts(&reduction->calculation) > 1 || size_of(reduction) > 4 || reduction->reduced_count > 1 ||
           reduction->calculation.combine == COMBINE_MULTIPLY_REAL;
}

/* Elements of a lane that are read at once where nobody looks at each: more for longer lanes, where hardly any are left
 * over. Measured on an H200. */
static int64_t near_rows(int64_t length)
{
    return length < TREE_LANES ? 1 : length < MANY_NEAR ? 2 : 4;
}

static void define_lanes(const struct reduction *reduction, int64_t team, struct reduce_plan *plan)
{
    int64_t length = plan->parameters.length, lanes = least(power_above(length), TREE_LANES);
    int64_t depth = least(lanes / team, has_large_lanes(reduction) ? MOST_DEPTH_LARGE : MOST_DEPTH);
    int64_t free = depth < AT_ONCE && !has_large_lanes(reduction) ? AT_ONCE / depth : 1;
    int64_t rows = least(free, power_above(divide_up(length, TREE_LANES)));
    int64_t groups = team == 1 && depth == lanes && rows == 1 ? free : 1;
    plan->blocks = divide_up(plan->blocks, groups);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE", takes_registers(reduction) ? 3 : 4);
    definitions_add_number(&plan->definitions, "TEAM", team);
    definitions_add_number(&plan->definitions, "GROUPS", groups);
    definitions_add_number(&plan->definitions, "LEAF_LANES", lanes);
    definitions_add_number(&plan->definitions, "DEPTH", depth);
    definitions_add_number(&plan->definitions, "ROWS", rows);
    definitions_add_number(&plan->definitions, "NEAR_ROWS", near_rows(length));
    definitions_add_number(&plan->definitions, "ONE_LEAF", length <= TREE_LEAF);
}

/* Splits of a power of two of leaves, so that blocks are enough. */
static int share_splits(const struct device_limits *limits, int64_t groups, struct reduce_plan *plan)
{
    struct reduce_parameters *p = &plan->parameters;
    int64_t wanted = divide_up((int64_t)limits->processors * BLOCKS_OF_PROCESSOR, groups);
    p->units = divide_up(p->length, TREE_LEAF);
    p->split_units = power_above(divide_up(p->units, wanted));
    p->splits = divide_up(p->units, p->split_units);
    return p->splits == 1 || groups <= MOST_TICKETS;
}

int reduce_plan_lanes(const struct device_limits *limits, const struct reduction *reduction,
                      const struct reduce_plan *usual, struct reduce_plan *plan)
{
    const struct calculation *calculation = &reduction->calculation;
    if (!calculation->ordered || reduction->cells < 1 || reduction->length < 1 || reduction->kept_count < 1) return 0;
    int64_t cells, team = team_of(limits, reduction, &cells), groups;
    if (team < 1) return 0;
    *plan = *usual;
    groups = divide_up(reduction->cells, cells);
    if (!share_splits(limits, groups, plan)) return 0;
    struct reduce_parameters *p = &plan->parameters;
    size_t node = 24 + (size_t)program_parts(calculation) * 8;
    p->team = (int32_t)team;
    p->cells_first = 1;
    plan->file = "reduce_lanes.cu";
    plan->threads = (uint32_t)(team * cells);
    plan->blocks = groups * p->splits;
    plan->tickets = groups;
    plan->shared_bytes = team > 1 ? (uint32_t)(plan->threads * node) : 0;
    plan->state_bytes = p->splits > 1 ? (size_t)(groups * p->splits * cells) * node : 0;
    program_definitions(calculation, reduction->where != NULL, &plan->definitions);
    define_lanes(reduction, team, plan);
    definitions_add_number(&plan->definitions, "THREADS", plan->threads);
    definitions_add_number(&plan->definitions, "REDUCED_NEST", p->reduced_count > 1 ? p->reduced_count : 0);
    return 1;
}
