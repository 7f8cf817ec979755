/* SPDX-License-Identifier: MIT
 *
 * reduce_plan_lanes.c - which reductions in the fixed-shape tree reduce_lanes.cu takes: of cells side by side, and of
 * many short ones that are no rows of floats (reduce_plan_ordered_rows.c); and how they are dealt out. */
#include "reduce_plan.h"
#include "whole.h"

#include <stdlib.h>

#define THREADS 256
#define MOST_DEPTH 8           /* lanes that a thread goes through at once, */
#define AT_ONCE 8              /* and elements that it has under way */
#define MOST_WORDS 32          /* registers for lanes */
#define SIDE_BYTES 8           /* of neighbouring cells that a thread reads at once, */
#define SHORT_SIDE_BYTES 16    /* where it has a short cell alone */
#define MOST_MASKED 4          /* cells whose masks are a word */
#define SHIFTED_BYTES 8        /* of cells that begin anywhere, */
#define MOST_SHIFTED 8         /* for short ones and */
#define LEAST_SHIFTED 2048     /* long ones: between these, cells one by one are as fast */
#define MOST_BESIDE 32         /* sides of a block whose threads share them: together as wide as a line, or several */
#define SHORT_CELL 32          /* elements that a thread reads sooner than a team merges, wherever they lie; */
#define SHORT_BYTES 256        /* bytes of a row, of which the first level cache keeps what is not read yet */
#define LEAST_BESIDE 32        /* bytes of cells that lie side by side, for a team: fewer leave the rest of a sector, */
#define LEAST_OF_POWERS 8      /* which matters less where there is more to do */
#define MANY_NEAR 2048         /* elements of logsumexp */
#define SPLITS_OF_PROCESSOR 16 /* of a cell, at most */
#define THREADS_OF_PROCESSOR 1024
#define MOST_TICKETS 16384
#define LANE_OF_POWERS 24 /* bytes */

static int64_t size_of(const struct reduction *reduction)
{
    return type_row(reduction->calculation.type)->size;
}

/* How cells are dealt out, in the words of the kernel. */
struct deal {
    int64_t side, sides;  /* cells that a thread reads at once; sides of them */
    int shifted;          /* these begin anywhere */
    int64_t team, beside; /* threads of a side; sides of a block, before a thread has several */
};

/* Whether neighbouring cells lie no farther apart than a cell's elements. */
static int lie_side_by_side(const struct reduction *reduction)
{
    if (reduction->reduced_count == 0) return 1;
    int64_t kept = llabs(reduction->kept[reduction->kept_count - 1].stride[OPERAND_X]);
    int64_t reduced = llabs(reduction->reduced[reduction->reduced_count - 1].stride[OPERAND_X]);
    return kept < reduced;
}

/* Whether all cells begin at multiples of `side` elements of an operand, of `size` bytes. */
static int is_even(const struct reduction *reduction, int operand, const void *address, int64_t size, int64_t side)
{
    int64_t strides = 0;
    if (reduction->kept[reduction->kept_count - 1].stride[operand] != 1) return 0;
    for (int32_t d = 0; d + 1 < reduction->kept_count; d++) strides |= reduction->kept[d].stride[operand];
    for (int32_t d = 0; d < reduction->reduced_count; d++) strides |= reduction->reduced[d].stride[operand];
    return strides % side == 0 && (uintptr_t)address % (uintptr_t)(side * size) == 0;
}

static int are_powers(const struct reduction *reduction)
{
    return reduction->calculation.combine == COMBINE_ADD_POWERS;
}

/* Whether the kernel adds powers as they are, of all elements; and whether these are integers, whose powers may be
 * looked up. */
static int are_near(const struct reduction *reduction)
{
    return are_powers(reduction) && !reduce_plan_is_masked(reduction) && reduction->reduced_count <= 1;
}

static int are_looked_up(const struct reduction *reduction)
{
    return are_near(reduction) && type_row(reduction->calculation.type)->kind != KIND_REAL;
}

/* Whether lanes are of doubles. */
static int has_wide_parts(const struct reduction *reduction)
{
    int kind = type_row(reduction->calculation.type)->kind;
    if (reduction->calculation.combine == COMBINE_MULTIPLY_REAL) return 1;
    return !(kind & KIND_FLOAT) || (size_of(reduction) > 4 && reduction->calculation.type != TALLY_C64);
}

/* Registers of a lane. */
static int64_t words_of_lane(const struct reduction *reduction)
{
    return program_parts(&reduction->calculation) * (has_wide_parts(reduction) ? 2 : 1);
}

/* Bytes of neighbouring cells that a thread reads at once. */
static int64_t side_bytes(const struct reduction *reduction)
{
    int64_t size = size_of(reduction), length = reduction->length;
    if (are_powers(reduction) && !are_near(reduction)) return size;
    if (size == 1) return MOST_MASKED;
    if (size == 2 && are_looked_up(reduction)) return SIDE_BYTES;
    if (size == 2 && (reduce_plan_is_masked(reduction) || (are_powers(reduction) && length > TREE_LANES))) return 4;
    return size >= 4 && length <= SHORT_CELL && !are_powers(reduction) ? SHORT_SIDE_BYTES : SIDE_BYTES;
}

/* Neighbouring cells that a thread reads at once. */
static int64_t side_of(const struct reduction *reduction)
{
    int64_t size = size_of(reduction), side = side_bytes(reduction) / size;
    int has_second = (reduction->calculation.op->flags & OP_SECOND) != 0;
    for (; side > 1; side /= 2) {
        if (reduction->kept[reduction->kept_count - 1].extent % side) continue;
        if (!is_even(reduction, OPERAND_X, reduction->x, size, side)) continue;
        if (has_second && !is_even(reduction, OPERAND_Y, reduction->y, size, side)) continue;
        if (reduction->where && !is_even(reduction, OPERAND_WHERE, reduction->where, 1, side)) continue;
        return side;
    }
    return 1;
}

/* Whether sides may begin at any element: those of eight bytes are two words then. */
static int may_be_shifted(const struct reduction *reduction)
{
    const struct loop *kept = &reduction->kept[reduction->kept_count - 1];
    if (size_of(reduction) != 2 || are_powers(reduction) || words_of_lane(reduction) > 1) return 0;
    if (reduce_plan_is_masked(reduction)) return 0;
    if (reduction->reduced_count != 1 || reduction->calculation.op->flags & OP_SECOND) return 0;
    if (reduction->length > MOST_SHIFTED && reduction->length < LEAST_SHIFTED) return 0;
    return kept->stride[OPERAND_X] == 1 && kept->extent >= SHIFTED_BYTES / size_of(reduction);
}

/* Threads that share a side, and how many of these a block has; 0: this is not the way. */
static int64_t team_of(const struct device_limits *limits, const struct reduction *reduction, struct deal *deal)
{
    int64_t length = reduction->length;
    int side = lie_side_by_side(reduction);
    int many = deal->sides >= (int64_t)limits->processors * THREADS_OF_PROCESSOR && length <= TREE_LEAF;
    deal->beside = THREADS;
    if (length <= SHORT_CELL) return many || side || length <= 1;
    if (many && (side || length * size_of(reduction) <= SHORT_BYTES)) return 1;
    int64_t beside = reduction->kept[reduction->kept_count - 1].extent * size_of(reduction);
    if (!side || reduction->cells < 2 || beside < (are_powers(reduction) ? LEAST_OF_POWERS : LEAST_BESIDE)) return 0;
    deal->beside = divide_up(deal->sides, divide_up(deal->sides, MOST_BESIDE));
    int64_t team = 1;
    while (2 * team * deal->beside <= THREADS && 2 * team <= length) team *= 2;
    return least(team, TREE_LANES);
}

/* Lanes that a thread goes through at once. */
static int64_t most_depth(const struct reduction *reduction, const struct deal *deal)
{
    int64_t size = size_of(reduction), depth = MOST_DEPTH;
    if (are_looked_up(reduction)) return 4;
    if (are_near(reduction)) return size == 4 || deal->team == 1 ? 4 : MOST_DEPTH;
    if (are_powers(reduction) || size > 8) return 4;
    if (deal->shifted && deal->team == 1) return 4;
    while (depth * deal->side * words_of_lane(reduction) > MOST_WORDS) depth /= 2;
    return depth;
}

/* Elements of a lane that are read at once where nobody looks at each: more for longer lanes, where hardly any are left
 * over. */
static int64_t near_rows(const struct reduction *reduction, int64_t depth)
{
    if (reduction->length < TREE_LANES) return 1;
    return depth == 4 && reduction->length >= MANY_NEAR ? 4 : 2;
}

/* Blocks of a processor, which bound the registers of a thread. */
static int64_t blocks_at_once(const struct reduction *reduction, const struct deal *deal)
{
    int64_t size = size_of(reduction);
    int many = reduction->length >= MANY_NEAR;
    if (are_looked_up(reduction)) return size == 1 ? 3 : 2;
    if (are_near(reduction) && deal->team == 1) return deal->side > 2 && reduction->length > SHORT_CELL ? 3 : 4;
    if (are_near(reduction) && (size == 8 || (size == 2 && deal->side > 1 && many))) return 2;
    if (are_near(reduction) && size == 4 && deal->side == 1) return 4;
    if (size == 2 && reduction->calculation.flags & TALLY_SKIP_NAN && !reduction->where) return 4;
    if (deal->shifted) return deal->team == 1 ? 3 : 2;
    return deal->side > 1 || words_of_lane(reduction) > 1 || reduction->reduced_count > 1 ? 3 : 4;
}

/* Bytes at whose multiples the results of a side lie, next to each other; 0: these are written one by one. */
static int64_t align_of_results(const struct reduction *reduction, int64_t side)
{
    const struct type_row *row = type_row(reduction->calculation.result);
    int64_t size = row->size, part = row->kind == KIND_COMPLEX ? size / 2 : size;
    int64_t strides = 0, align = least(side * size, 16);
    if (side == 1 || reduction->kept[reduction->kept_count - 1].stride[OPERAND_OUT] != 1) return 0;
    if (reduction->calculation.op->empty == EMPTY_ERROR) return 0;
    for (int32_t d = 0; d + 1 < reduction->kept_count; d++) strides |= reduction->kept[d].stride[OPERAND_OUT];
    while (align > part && (strides * size % align || (uintptr_t)reduction->out % (uintptr_t)align)) align /= 2;
    return align;
}

/* What is left of a split of a cell. */
static size_t state_bytes(const struct reduction *reduction)
{
    size_t value = (size_t)program_parts(&reduction->calculation) * (has_wide_parts(reduction) ? 8 : 4);
    return reduce_plan_is_masked(reduction) ? (value + 7) / 8 * 8 + 8 : value;
}

/* Whether complex elements lie at multiples of their parts alone. */
static int lie_in_parts(const struct reduction *reduction)
{
    uintptr_t address = (uintptr_t)reduction->x;
    if (reduction->calculation.op->flags & OP_SECOND) address |= (uintptr_t)reduction->y;
    return type_row(reduction->calculation.type)->kind == KIND_COMPLEX && address % (uintptr_t)size_of(reduction) != 0;
}

static void define_lanes(const struct reduction *reduction, const struct deal *deal, struct reduce_plan *plan)
{
    int64_t length = plan->parameters.length, lanes = least(power_above(length), TREE_LANES);
    int64_t depth = least(lanes / deal->team, most_depth(reduction, deal));
    int large = are_looked_up(reduction) ? deal->team == 1 : are_powers(reduction) || words_of_lane(reduction) > 2;
    int64_t free = depth < AT_ONCE && !large ? AT_ONCE / depth : 1;
    int64_t rows = deal->shifted ? 1 : least(free, power_above(divide_up(length, TREE_LANES)));
    int64_t groups = deal->team == 1 && depth == lanes && rows == 1 ? free : 1;
    plan->blocks = divide_up(plan->blocks, groups);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE", blocks_at_once(reduction, deal));
    definitions_add_number(&plan->definitions, "TEAM", deal->team);
    definitions_add_number(&plan->definitions, "SIDE", deal->side);
    definitions_add_number(&plan->definitions, "GROUPS", groups);
    definitions_add_number(&plan->definitions, "LEAF_LANES", lanes);
    definitions_add_number(&plan->definitions, "DEPTH", depth);
    definitions_add_number(&plan->definitions, "ROWS", rows);
    definitions_add_number(&plan->definitions, "NEAR_ROWS", near_rows(reduction, depth));
    definitions_add_number(&plan->definitions, "ONE_LEAF", plan->parameters.split_units == 1);
    definitions_add_number(&plan->definitions, "SPLIT", plan->parameters.splits > 1);
    definitions_add_number(&plan->definitions, "STATE_BYTES", (int64_t)state_bytes(reduction));
    definitions_add_number(&plan->definitions, "ONE_ROW", length <= TREE_LANES);
    definitions_add_number(&plan->definitions, "SHIFTED", deal->shifted);
    definitions_add_number(&plan->definitions, "SIDE_IN_PARTS", lie_in_parts(reduction));
    definitions_add_number(&plan->definitions, "OUT_ALIGN", align_of_results(reduction, deal->side));
}

/* Splits of a leaf, or of a power of two of them where these are too many for one block to merge. */
static int share_splits(const struct device_limits *limits, int64_t groups, struct reduce_plan *plan)
{
    struct reduce_parameters *p = &plan->parameters;
    p->units = divide_up(p->length, TREE_LEAF);
    p->split_units = power_above(divide_up(p->units, (int64_t)limits->processors * SPLITS_OF_PROCESSOR));
    p->splits = divide_up(p->units, p->split_units);
    return p->splits == 1 || groups <= MOST_TICKETS;
}

/* Shared memory: SIDE lanes of each thread, or a node. */
static size_t room_of_thread(const struct reduction *reduction, int64_t side, size_t node)
{
    size_t lane = (size_t)program_parts(&reduction->calculation) * 8;
    if (lane < LANE_OF_POWERS) lane = LANE_OF_POWERS;
    return (size_t)side * lane > node ? (size_t)side * lane : node;
}

int reduce_plan_lanes(const struct device_limits *limits, const struct reduction *reduction,
                      const struct reduce_plan *usual, struct reduce_plan *plan)
{
    const struct calculation *calculation = &reduction->calculation;
    if (!calculation->ordered || reduction->cells < 1 || reduction->length < 1 || reduction->kept_count < 1) return 0;
    struct deal deal = {.side = side_of(reduction)};
    int64_t in_row = reduction->kept[reduction->kept_count - 1].extent / deal.side;
    if (deal.side == 1 && may_be_shifted(reduction)) {
        deal.shifted = 1;
        deal.side = SHIFTED_BYTES / size_of(reduction);
        in_row = divide_up(reduction->kept[reduction->kept_count - 1].extent, deal.side);
    }
    deal.sides = reduction->cells / reduction->kept[reduction->kept_count - 1].extent * in_row;
    deal.team = team_of(limits, reduction, &deal);
    if (deal.team < 1) return 0;
    *plan = *usual;
    int64_t groups = divide_up(deal.sides, deal.beside);
    if (!share_splits(limits, groups, plan)) return 0;
    struct reduce_parameters *p = &plan->parameters;
    size_t node = 24 + (size_t)program_parts(calculation) * 8;
    p->team = (int32_t)deal.team;
    p->cells_first = 1;
    p->all_units = deal.sides;
    p->row_units = in_row;
    plan->file = "reduce_lanes.cu";
    plan->threads = (uint32_t)(deal.team * deal.beside);
    plan->blocks = groups * p->splits;
    plan->tickets = groups;
    plan->shared_bytes = deal.team > 1 ? (uint32_t)(plan->threads * room_of_thread(reduction, deal.side, node)) : 0;
    plan->state_bytes =
        p->splits > 1 ? (size_t)(groups * p->splits * deal.beside * deal.side) * state_bytes(reduction) : 0;
    program_definitions(calculation, reduction->where != NULL, &plan->definitions);
    define_lanes(reduction, &deal, plan);
    definitions_add_number(&plan->definitions, "THREADS", plan->threads);
    definitions_add_number(&plan->definitions, "REDUCED_NEST", p->reduced_count > 1 ? p->reduced_count : 0);
    return 1;
}
