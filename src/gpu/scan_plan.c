/* SPDX-License-Identifier: MIT
 *
 * scan_plan.c - how a scan is dealt out to blocks. */
#include "scan_plan.h"
#include "scan_state.h"
#include "state.h"
#include "whole.h"

#include <string.h>

#define THREADS 256
#define STEP (THREADS * SCAN_RUN) /* elements of a block that has one cell */
#define BLOCKS_PER_PROCESSOR 8
#define SPLIT_BYTES 131072 /* of input, in one split of a long axis */
#define SIDE 32            /* cells beside each other, where they lie closer than a cell's elements */

static struct kernel_loop loop_of(const struct loop *loop)
{
    return (struct kernel_loop){loop->extent, loop->stride[OPERAND_X], loop->stride[OPERAND_Y],
                                loop->stride[OPERAND_WHERE], loop->stride[OPERAND_OUT]};
}

/* Where the elements of x begin. */
static const char *low_of(const struct scan *scan)
{
    int64_t low = 0;
    for (int32_t d = -1; d < scan->kept_count; d++) {
        const struct loop *loop = d < 0 ? &scan->axis : &scan->kept[d];
        if (loop->stride[OPERAND_X] < 0) low += (loop->extent - 1) * loop->stride[OPERAND_X];
    }
    return (const char *)scan->x + low * type_row(scan->calculation.type)->size;
}

static void fill_parameters(const struct scan *scan, struct scan_parameters *given)
{
    struct reduce_parameters *p = &given->reduce;
    const struct calculation *calculation = &scan->calculation;
    memset(given, 0, sizeof *given);
    p->x = scan->x;
    if (scan->cells > 0 && scan->axis.extent > 0) p->low = low_of(scan);
    p->where = scan->where;
    p->out = scan->out;
    for (int32_t d = 0; d < scan->kept_count; d++) p->kept[d] = loop_of(&scan->kept[d]);
    p->kept_count = scan->kept_count;
    p->reduced[0] = loop_of(&scan->axis);
    p->reduced_count = 1;
    p->cells = scan->cells;
    p->length = scan->axis.extent;
    p->has_initial = calculation->initial && !scan->states; /* states have it in them */
    if (p->has_initial) memcpy(p->initial, calculation->initial, (size_t)type_row(calculation->result)->size);
    given->exclusive = (calculation->flags & TALLY_EXCLUSIVE) != 0;
}

static int cells_lie_closer(const struct scan *scan)
{
    if (scan->kept_count == 0) return 0;
    int64_t kept = scan->kept[scan->kept_count - 1].stride[OPERAND_X], along = scan->axis.stride[OPERAND_X];
    kept = kept < 0 ? -kept : kept;
    along = along < 0 ? -along : along;
    return kept != 0 && (along == 0 || kept < along);
}

static size_t state_bytes(const struct calculation *calculation)
{
    size_t parts = (size_t)program_parts(calculation);
    return calculation->method == METHOD_EXACT ? parts * 56 : parts * 8 + 8;
}

/* Threads of a cell: a run each until the axis is covered, in multiples of the groups of ordered scans. */
static int64_t team_of(const struct scan *scan, const struct reduce_parameters *p, int contiguous)
{
    int64_t team = least(THREADS, power_above(divide_up(p->length, SCAN_RUN)));
    if (contiguous || !p->cells_first) return contiguous ? THREADS : team;
    int64_t side = least(scan->calculation.ordered ? THREADS / SCAN_GROUP_RUNS : SIDE, power_above(p->cells));
    return least(team, THREADS / side);
}

/* Steps of a split that looks back. More of them mean that the split is read twice, the second time from the L2 cache,
 * but that fewer splits wait for each other; there must still be several for every block that runs. */
static int64_t steps_of_split(const struct device_limits *limits, const struct scan *scan, int64_t groups)
{
    int64_t bytes = STEP * type_row(scan->calculation.type)->size;
    int64_t steps = scan->axis.extent / STEP * groups / (limits->processors * BLOCKS_PER_PROCESSOR);
    int64_t most = SPLIT_BYTES / bytes;
    steps = steps < most ? steps : most;
    return steps < 1 ? 1 : steps;
}

static void choose_splits(const struct device_limits *limits, const struct scan *scan, int contiguous,
                          struct scan_plan *plan)
{
    struct reduce_parameters *p = &plan->parameters.reduce;
    int64_t groups = divide_up(p->cells, THREADS / p->team), step = (int64_t)p->team * SCAN_RUN;
    int64_t wanted = (int64_t)limits->processors * BLOCKS_PER_PROCESSOR,
            unit = scan->calculation.ordered ? SCAN_BLOCK : step;
    p->split_units = divide_up(p->length, unit) * unit;
    if (groups < wanted && contiguous && scan->calculation.ordered) {
        p->split_units = STEP;
    } else if (groups < wanted && contiguous) {
        p->split_units = STEP * steps_of_split(limits, scan, groups);
    } else if (groups < wanted) {
        int64_t each = divide_up(divide_up(p->length, divide_up(wanted, groups)), unit) * unit;
        p->split_units = each < p->split_units ? each : p->split_units;
    }
    p->splits = divide_up(p->length, p->split_units);
    plan->blocks = groups * p->splits;
    plan->leaves_zeros = p->splits > 1 && !scan->calculation.ordered;
    plan->flag_bytes = plan->leaves_zeros ? (size_t)(groups * p->splits) * 16 + 256 : 0;
}

size_t scan_wide_bytes(const struct calculation *calculation)
{
    return (size_t)program_parts(calculation) * (SCAN_WIDE_DIGITS * 8) + 8;
}

/* Blocks that look back at each other, or (ordered) walk along; masks, strides and short axes included. */
static void plan_splits(const struct device_limits *limits, const struct scan *scan, struct scan_plan *plan)
{
    struct reduce_parameters *p = &plan->parameters.reduce;
    const struct calculation *calculation = &scan->calculation;
    int64_t size = type_row(calculation->type)->size, result = type_row(calculation->result)->size;
    int64_t larger = size > result ? size : result;
    p->cells_first = cells_lie_closer(scan);
    int contiguous = scan->axis.stride[OPERAND_X] == 1 && scan->axis.stride[OPERAND_OUT] == 1 && p->length > STEP / 4;
    if (contiguous) p->cells_first = 0;
    p->team = (int32_t)team_of(scan, p, contiguous);
    choose_splits(limits, scan, contiguous, plan);
    plan->file = calculation->ordered ? "scan_ordered.cu" : "scan.cu";
    plan->threads = THREADS;
    size_t states = (THREADS + THREADS / 32) * state_bytes(calculation); /* with team totals behind those of warps */
    size_t runs = contiguous ? THREADS * (size_t)((larger * SCAN_RUN / 16) | 1) * 16 : 0;
    plan->shared_bytes = (uint32_t)(states > runs ? states : runs);
    size_t published = calculation->ordered ? (size_t)(divide_up(p->length, SCAN_BLOCK) * p->cells)
                                            : (size_t)(plan->blocks * 2 * (THREADS / p->team));
    plan->total_bytes = p->splits > 1 ? published * state_bytes(calculation) : 0;
    definitions_add_number(&plan->definitions, "CONTIGUOUS", contiguous);
    definitions_add_number(&plan->definitions, "THREADS", THREADS);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE", calculation->method == METHOD_EXACT ? 2 : 3);
}

void scan_plan(const struct device_limits *limits, const struct scan *scan, struct scan_plan *plan)
{
    const struct calculation *calculation = &scan->calculation;
    int kind = type_row(calculation->type)->kind;
    int narrow = calculation->type == TALLY_F16 || calculation->type == TALLY_BF16 || calculation->type == TALLY_F32 ||
                 calculation->type == TALLY_C64 || !(kind & KIND_FLOAT);
    memset(plan, 0, sizeof *plan);
    fill_parameters(scan, &plan->parameters);
    plan->wide = calculation->method == METHOD_EXACT && (!narrow || calculation->initial) &&
                 type_row(calculation->result)->kind & KIND_FLOAT;
    program_definitions(calculation, scan->where != NULL, &plan->definitions);
    definitions_add_number(&plan->definitions, "REDUCED_NEST", 0);
    if (scan->states) definitions_add_number(&plan->definitions, "WITH_CARRY", 1);
    size_t state = state_bytes(calculation);
    if (scan_plan_few(limits, scan, 0, state, plan)) return;
    if (scan_plan_rows(limits, scan, 0, plan) || scan_plan_wave(limits, scan, state, plan)) return;
    if (scan_plan_few(limits, scan, 1, state, plan)) return;
    if (scan_plan_rows(limits, scan, 1, plan) || scan_plan_columns(limits, scan, state, plan)) return;
    if (scan_plan_blocks(limits, scan, plan)) return;
    plan_splits(limits, scan, plan);
}
