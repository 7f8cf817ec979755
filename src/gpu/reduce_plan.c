/* SPDX-License-Identifier: MIT
 *
 * reduce_plan.c - how a reduction is dealt out to blocks. */
#include "reduce_plan.h"
#include "whole.h"

#include <math.h>
#include <string.h>

#define THREADS 256
#define BLOCKS_PER_PROCESSOR 16 /* enough for the last ones to even out */
#define MOST_TICKETS 16384

static void copy_loops(const struct loop *from, int32_t count, struct kernel_loop *to)
{
    for (int32_t d = 0; d < count; d++) {
        to[d] = (struct kernel_loop){from[d].extent, from[d].stride[OPERAND_X], from[d].stride[OPERAND_Y],
                                     from[d].stride[OPERAND_WHERE], from[d].stride[OPERAND_OUT]};
    }
}

/* The memory that the elements of x lie in. */
static void find_range(const struct reduction *reduction, struct reduce_parameters *p)
{
    int64_t size = type_row(reduction->calculation.type)->size, low = 0, high = 1;
    for (int32_t d = 0; d < reduction->kept_count + reduction->reduced_count; d++) {
        const struct loop *loop =
            d < reduction->kept_count ? &reduction->kept[d] : &reduction->reduced[d - reduction->kept_count];
        int64_t reach = loop->stride[OPERAND_X] * (loop->extent - 1);
        if (reach < 0) low += reach;
        else high += reach;
    }
    p->low = (const char *)reduction->x + low * size;
    p->high = (const char *)reduction->x + high * size;
}

static void fill_parameters(const struct reduction *reduction, struct reduce_parameters *p)
{
    const struct calculation *calculation = &reduction->calculation;
    memset(p, 0, sizeof *p);
    p->x = reduction->x;
    p->y = reduction->y;
    p->where = reduction->where;
    p->out = reduction->out;
    copy_loops(reduction->kept, reduction->kept_count, p->kept);
    copy_loops(reduction->reduced, reduction->reduced_count, p->reduced);
    p->kept_count = reduction->kept_count;
    p->reduced_count = reduction->reduced_count;
    if (reduction->cells > 0 && reduction->length > 0) find_range(reduction, p);
    p->cells = reduction->cells;
    p->length = reduction->length;
    p->step = reduction->step;
    p->correction = calculation->correction;
    if (fabs(p->correction) < 1) p->correction = trunc(p->correction * 0x1p63) * 0x1p-63; /* it counts to 2^-63 */
    p->share = 1 / (double)p->length;
    p->inverse = (double)p->length > p->correction ? 1 / ((double)p->length - p->correction) : (double)NAN;
    p->has_initial = calculation->initial != NULL;
    if (calculation->initial) memcpy(p->initial, calculation->initial, (size_t)type_row(calculation->result)->size);
    if (p->reduced_count == 0) { /* one element, or none: a loop all the same */
        p->reduced[0] = (struct kernel_loop){.extent = p->length};
        p->reduced_count = 1;
    }
}

/* Whether neighbouring threads had better take neighbouring cells. */
static int cells_lie_closer(const struct reduction *reduction)
{
    if (reduction->kept_count == 0) return 0;
    if (reduction->reduced_count == 0) return 1;
    int64_t kept = reduction->kept[reduction->kept_count - 1].stride[OPERAND_X];
    int64_t reduced = reduction->reduced[reduction->reduced_count - 1].stride[OPERAND_X];
    kept = kept < 0 ? -kept : kept;
    reduced = reduced < 0 ? -reduced : reduced;
    return kept != 0 && (reduced == 0 || kept < reduced);
}

/* Whether rows of 16-byte vectors can be read: y must lie on the same alignment as x, which the kernel looks at. */
static int is_contiguous(const struct reduce_parameters *p, int64_t size, int second)
{
    const struct kernel_loop *inner = &p->reduced[p->reduced_count - 1];
    return inner->x == 1 && (!second || inner->y == 1) && inner->extent * size >= 32;
}

/* Aligned vectors that a run of the innermost loop touches, at most. */
static int64_t row_vectors(const struct reduce_parameters *p, int64_t size, int64_t vector)
{
    int64_t inner = p->reduced[p->reduced_count - 1].extent, all = 0;
    for (int32_t d = 0; d < p->kept_count; d++) all |= p->kept[d].x;
    for (int32_t d = 0; d + 1 < p->reduced_count; d++) all |= p->reduced[d].x;
    if (all % vector) return inner / vector + 2;
    return divide_up((int64_t)((uintptr_t)p->x & 15) / size + inner, vector);
}

/* Elements that a thread reads at once where they lie apart. */
static int64_t size_of_tile(const struct calculation *calculation)
{
    return type_row(calculation->type)->size <= 2 && calculation->method == METHOD_FOLD ? 32 : 16;
}

/* Vectors of a thread's tile: many loads under way, but no more numbers than the method has room for. */
int64_t reduce_plan_vectors(const struct calculation *calculation, int64_t vector)
{
    int packed = calculation->op->lift == LIFT_VALUE && calculation->combine == COMBINE_ADD; /* four bytes at a time */
    if (calculation->method == METHOD_EXACT) packed = calculation->op->lift != LIFT_PRODUCT;
    int kind = type_row(calculation->type)->kind;
    int64_t most = (vector == 16 && packed ? 64 : 32) / vector, parts = program_parts(calculation);
    if (calculation->method == METHOD_EXACT && kind & KIND_FLOAT) {
        int lift = calculation->op->lift;
        int narrow = calculation->type != TALLY_F64 && calculation->type != TALLY_C128;
        if (!(narrow && lift == LIFT_VALUE)) most = 16 / vector; /* what tile_doubles takes */
        if (lift == LIFT_PRODUCT || parts > 1) most = 8 / vector;
        if (lift == LIFT_PRODUCT && calculation->type == TALLY_F16) most = 32 / vector;  /* they are floats */
        if (lift == LIFT_PRODUCT && calculation->type == TALLY_BF16) most = 16 / vector; /* and these are watched */
    } else {
        most = least(most, 4);
    }
    if (vector == 1) most = least(most, size_of_tile(calculation));
    return most < 1 ? 1 : most;
}

size_t reduce_plan_state_bytes(const struct calculation *calculation)
{
    size_t parts = (size_t)program_parts(calculation);
    switch (calculation->method) {
    case METHOD_EXACT: return 8 + parts * 56;
    case METHOD_FOLD: return 8 + parts * 8;
    default: return 32;
    }
}

/* Whether a thread's words take every sum, as kernels/common/words_of_type.cuh has them. */
static int has_fixed_window(const struct calculation *calculation)
{
    int kind = type_row(calculation->type)->kind, lift = calculation->op->lift;
    if (calculation->initial && calculation->result != calculation->type) return 0;
    if (!(kind & KIND_FLOAT) || calculation->type == TALLY_F16) return 1;
    if (calculation->type == TALLY_F64 || calculation->type == TALLY_C128) return 0;
    return lift == LIFT_VALUE || (lift == LIFT_MAGNITUDE && kind == KIND_REAL);
}

void reduce_plan_add_initial(const struct calculation *calculation, struct definitions *definitions)
{
    if (calculation->method == METHOD_EXACT && calculation->initial)
        definitions_add_number(definitions, "HAS_INITIAL", 1);
}

/* Blocks that should fit a multiprocessor: enough loads under way, and registers enough for a tile. Measured on an H200
 * by `tally bench --op sum --op max`. */
int reduce_plan_blocks_at_once(const struct calculation *calculation, int contiguous)
{
    if (calculation->method != METHOD_EXACT) return 4;
    if (!(type_row(calculation->type)->kind & KIND_FLOAT)) return program_parts(calculation) > 1 ? 3 : 4;
    return contiguous ? 2 : 3;
}

/* Threads of a cell: one where its tile takes the cell, else at least 8, so that they read whole lines, and then as
 * many as have 8 tiles each: merging a team costs more than looping. */
static int64_t team_of(int64_t units, int64_t vectors)
{
    int64_t tiles = divide_up(units ? units : 1, vectors), team = 1;
    if (tiles == 1) return 1;
    while (team < THREADS && (team < 8 ? team < tiles : 16 * team <= tiles)) team *= 2;
    return team;
}

/* Teams that together cover a cell's units once, and splits until there are blocks enough. */
static void plan_unordered(const struct device_limits *limits, const struct reduction *reduction,
                           struct reduce_plan *plan)
{
    struct reduce_parameters *p = &plan->parameters;
    const struct calculation *calculation = &reduction->calculation;
    int64_t size = type_row(calculation->type)->size;
    int second = (calculation->op->flags & OP_SECOND) != 0;
    int contiguous = is_contiguous(p, size, second);
    int64_t vector = contiguous ? 16 / size : 1;
    int64_t inner = p->reduced[p->reduced_count - 1].extent;
    p->row_units = contiguous ? row_vectors(p, size, vector) : inner;
    p->units = inner ? p->length / inner * p->row_units : 0;
    p->cells_first = !contiguous && cells_lie_closer(reduction);

    int64_t most = reduce_plan_vectors(calculation, vector), vectors = 1;
    while (2 * vectors <= least(most, p->units)) vectors *= 2;
    int64_t team = team_of(p->units, vectors);
    if (p->cells_first) {
        int64_t side = least(p->cells >= (int64_t)limits->processors * 4096 ? THREADS : 32, power_above(p->cells));
        team = least(team, THREADS / side);
    }
    p->team = (int32_t)team;
    int64_t groups = divide_up(p->cells, THREADS / team);
    int64_t wanted = divide_up((int64_t)limits->processors * BLOCKS_PER_PROCESSOR, groups);
    int64_t step = team * vectors, most_splits = divide_up(p->units, 4 * step);
    if (groups > MOST_TICKETS || wanted < 2) wanted = 1;
    if (wanted > most_splits) wanted = most_splits;
    if (wanted < 1) wanted = 1;
    p->split_units = divide_up(divide_up(p->units ? p->units : 1, wanted), step) * step;
    p->splits = p->units ? divide_up(p->units, p->split_units) : 1;
    plan->threads = THREADS;
    plan->blocks = groups * p->splits;
    plan->tickets = groups;
    plan->shared_bytes = (uint32_t)(THREADS * reduce_plan_state_bytes(calculation));
    plan->state_bytes =
        p->splits > 1 ? (size_t)(groups * p->splits * (THREADS / team)) * reduce_plan_state_bytes(calculation) : 0;
    plan->wide = calculation->method == METHOD_EXACT && !has_fixed_window(calculation);
    definitions_add_number(&plan->definitions, "CONTIGUOUS", contiguous);
    if (contiguous) reduce_plan_add_mask(reduction, &plan->definitions);
    definitions_add_number(&plan->definitions, "TILE_VECTORS", vectors);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE", reduce_plan_blocks_at_once(calculation, contiguous));
}

size_t wide_state_bytes(const struct calculation *calculation)
{
    return (size_t)program_parts(calculation) * (284 * 12 + 16) + 64;
}

void reduce_plan(const struct device_limits *limits, const struct reduction *reduction, struct reduce_plan *plan)
{
    memset(plan, 0, sizeof *plan);
    plan->file = "reduce.cu";
    fill_parameters(reduction, &plan->parameters);
    program_definitions(&reduction->calculation, reduction->where != NULL, &plan->definitions);
    if (reduction->calculation.ordered) {
        struct reduce_parameters *p = &plan->parameters;
        int second = (reduction->calculation.op->flags & OP_SECOND) != 0;
        int contiguous = is_contiguous(p, type_row(reduction->calculation.type)->size, second);
        p->cells_first = !contiguous && cells_lie_closer(reduction) && p->cells > 1;
        reduce_plan_ordered(limits, reduction, contiguous, plan);
    } else {
        plan_unordered(limits, reduction, plan);
    }
    definitions_add_number(&plan->definitions, "THREADS", plan->threads);
    definitions_add_number(&plan->definitions, "REDUCED_NEST",
                           plan->parameters.reduced_count > 1 ? plan->parameters.reduced_count : 0);
}
