/* SPDX-License-Identifier: MIT
 *
 * scan_plan.c - how a scan is dealt out to blocks. */
#include "scan_plan.h"
#include "scan_state.h"
#include "state.h"
#include "whole.h"

#include <string.h>

#define WARP 32
#define STATIC_BYTES 9216 /* of shared memory, the kernels' own */
#define THREADS 256
#define STEP (THREADS * SCAN_RUN) /* elements of a block that has one cell */
#define BLOCKS_PER_PROCESSOR 8
#define SPLIT_BYTES                                                                                                  \
    65536                 /* of memory, in one split of a long axis: splits that run at once should fit the L2 cache \
                           */
#define SECTOR_BYTES 32   /* that memory moves at least */
#define SIDE 32           /* cells beside each other, where they lie closer than a cell's elements, */
#define SIDE_OF_NARROW 64 /* of types that are narrower than */
#define WIDE 4            /* bytes */

static struct kernel_loop loop_of(const struct loop *loop)
{
    return (struct kernel_loop){loop->extent, loop->stride[OPERAND_X], loop->stride[OPERAND_Y],
                                loop->stride[OPERAND_WHERE], loop->stride[OPERAND_OUT]};
}

/* The elements of x lie from low on, below high. */
static void find_bounds(const struct scan *scan, struct reduce_parameters *p)
{
    int64_t low = 0, high = 1, size = type_row(scan->calculation.type)->size;
    for (int32_t d = -1; d < scan->kept_count; d++) {
        const struct loop *loop = d < 0 ? &scan->axis : &scan->kept[d];
        int64_t reach = (loop->extent - 1) * loop->stride[OPERAND_X];
        if (reach < 0) low += reach;
        else high += reach;
    }
    p->low = (const char *)scan->x + low * size;
    p->high = (const char *)scan->x + high * size;
}

static void fill_parameters(const struct scan *scan, struct scan_parameters *given)
{
    struct reduce_parameters *p = &given->reduce;
    const struct calculation *calculation = &scan->calculation;
    memset(given, 0, sizeof *given);
    p->x = scan->x;
    if (scan->cells > 0 && scan->axis.extent > 0) find_bounds(scan, p);
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

static int64_t distance(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

/* Whether an operand's next cell lies closer to an element than its neighbour along the axis. */
static int cells_lie_closer(const struct scan *scan, enum operand operand)
{
    if (scan->kept_count == 0) return 0;
    int64_t kept = distance(scan->kept[scan->kept_count - 1].stride[operand]);
    int64_t along = distance(scan->axis.stride[operand]);
    return kept != 0 && (along == 0 || kept < along);
}

static size_t state_bytes(const struct calculation *calculation)
{
    size_t parts = (size_t)program_parts(calculation);
    return calculation->method == METHOD_EXACT ? parts * 56 : parts * 8 + 8;
}

/* Cells beside each other: enough for a warp, and for some sectors of memory. */
static int64_t side_of(const struct scan *scan)
{
    const struct calculation *calculation = &scan->calculation;
    if (calculation->ordered) return THREADS / SCAN_GROUP_RUNS;
    int x_is_wide = type_row(calculation->type)->size >= WIDE || !cells_lie_closer(scan, OPERAND_X);
    int out_is_wide = type_row(calculation->result)->size >= WIDE || !cells_lie_closer(scan, OPERAND_OUT);
    return x_is_wide && out_is_wide ? SIDE : SIDE_OF_NARROW;
}

/* Threads of a cell: a run each until the axis is covered, in multiples of the groups of ordered scans. */
static int64_t team_of(const struct scan *scan, const struct reduce_parameters *p)
{
    int64_t team = least(THREADS, power_above(divide_up(p->length, SCAN_RUN)));
    return p->cells_first ? least(team, THREADS / least(side_of(scan), power_above(p->cells))) : team;
}

/* Steps of a split that looks back. More of them mean that the split is read twice, the second time from the L2 cache,
 * but that fewer splits wait for each other; there must still be several for every block that runs. */
static int64_t steps_of_split(const struct device_limits *limits, const struct scan *scan, int64_t groups)
{
    int64_t size = type_row(scan->calculation.type)->size, stride = distance(scan->axis.stride[OPERAND_X]) * size;
    int64_t bytes = STEP * (stride < size ? size : least(stride, SECTOR_BYTES));
    int64_t steps = scan->axis.extent / STEP * groups / (limits->processors * BLOCKS_PER_PROCESSOR);
    int64_t most = SPLIT_BYTES / bytes;
    steps = steps < most ? steps : most;
    return steps < 1 ? 1 : steps;
}

static void choose_splits(const struct device_limits *limits, const struct scan *scan, struct scan_plan *plan)
{
    struct reduce_parameters *p = &plan->parameters.reduce;
    int64_t groups = divide_up(p->cells, THREADS / p->team), step = (int64_t)p->team * SCAN_RUN;
    int64_t wanted = (int64_t)limits->processors * BLOCKS_PER_PROCESSOR,
            unit = scan->calculation.ordered ? SCAN_BLOCK : step;
    int one_cell = p->team == THREADS;
    p->split_units = divide_up(p->length, unit) * unit;
    if (groups < wanted && one_cell && scan->calculation.ordered) {
        p->split_units = STEP;
    } else if (groups < wanted && one_cell) {
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

/* How elements of an operand come to the runs of threads: see kernels/scan/scan_stage.cuh. */
enum way { BY_RUN, ALONG, ACROSS };

static enum way way_of(const struct scan *scan, const struct reduce_parameters *p, enum operand operand)
{
    if (!p->cells_first || !cells_lie_closer(scan, operand)) return ALONG;
    return p->team * WARP <= THREADS ? BY_RUN : ACROSS;
}

/* The stride of an operand whose rows may be copied in vectors, or 0. */
static int64_t unit_of(const struct scan *scan, const struct reduce_parameters *p, enum operand operand, int64_t size)
{
    int64_t stride = scan->axis.stride[operand];
    if (stride != 1 && stride != -1) return 0;
    for (int32_t d = 0; d < scan->kept_count && p->team < THREADS; d++)
        if (scan->kept[d].stride[operand] * size % VECTOR_BYTES) return 0;
    return stride;
}

/* Shared memory of staged runs. */
static size_t room_of_runs(int64_t size)
{
    return THREADS * (size_t)((size * SCAN_RUN / VECTOR_BYTES) | 1) * VECTOR_BYTES;
}

/* Threads go by their runs where shared memory has no room for these. */
static void define_ways(const struct device_limits *limits, const struct scan *scan, struct scan_plan *plan)
{
    static const struct {
        enum operand operand;
        const char *way, *unit;
    } of[] = {{OPERAND_X, "X_WAY", "X_UNIT"},
              {OPERAND_OUT, "OUT_WAY", "OUT_UNIT"},
              {OPERAND_WHERE, "WHERE_WAY", "WHERE_UNIT"}};
    const struct reduce_parameters *p = &plan->parameters.reduce;
    const struct calculation *calculation = &scan->calculation;
    const int64_t sizes[] = {type_row(calculation->type)->size, type_row(calculation->result)->size, 1};
    const int count = scan->where ? 3 : 2;
    size_t states = (THREADS + THREADS / WARP) * state_bytes(calculation); /* with team totals behind those of warps */
    size_t room[] = {0, 0, 0};
    for (int i = 0; i < count; i++)
        if (way_of(scan, p, of[i].operand) != BY_RUN) room[i] = room_of_runs(sizes[i]);
    size_t inputs = room[0] + room[2], runs = inputs > room[1] ? inputs : room[1];
    int fits = (int64_t)runs + STATIC_BYTES <= (int64_t)limits->shared_bytes;
    plan->shared_bytes = (uint32_t)(fits && runs > states ? runs : states);
    for (int i = 0; i < count; i++) {
        definitions_add_number(&plan->definitions, of[i].way, fits ? way_of(scan, p, of[i].operand) : BY_RUN);
        definitions_add_number(&plan->definitions, of[i].unit, unit_of(scan, p, of[i].operand, sizes[i]));
    }
    definitions_add_number(&plan->definitions, "ONE_CELL", p->team == THREADS);
}

/* Blocks of a processor that must find registers at once. */
static int64_t blocks_at_once(const struct calculation *calculation)
{
    int powers = calculation->combine == COMBINE_ADD_POWERS;
    return calculation->method == METHOD_EXACT || powers ? 2 : 3;
}

/* Blocks that look back at each other, or (ordered) walk along; masks, strides and short axes included. */
static void plan_splits(const struct device_limits *limits, const struct scan *scan, struct scan_plan *plan)
{
    struct reduce_parameters *p = &plan->parameters.reduce;
    const struct calculation *calculation = &scan->calculation;
    p->cells_first = cells_lie_closer(scan, OPERAND_X) || cells_lie_closer(scan, OPERAND_OUT);
    p->team = (int32_t)team_of(scan, p);
    choose_splits(limits, scan, plan);
    plan->file = calculation->ordered ? "scan_ordered.cu" : "scan.cu";
    plan->threads = THREADS;
    size_t published = calculation->ordered ? (size_t)(divide_up(p->length, SCAN_BLOCK) * p->cells)
                                            : (size_t)(plan->blocks * 2 * (THREADS / p->team));
    plan->total_bytes = p->splits > 1 ? published * state_bytes(calculation) : 0;
    plan->chains = calculation->ordered && p->splits > 1 ? p->cells : 0;
    definitions_add_number(&plan->definitions, "THREADS", THREADS);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE", blocks_at_once(calculation));
    if (calculation->ordered)
        definitions_add_number(&plan->definitions, "EXCLUSIVE", (calculation->flags & TALLY_EXCLUSIVE) != 0);
    define_ways(limits, scan, plan);
}

int scan_plan_is_general(const struct scan_plan *plan)
{
    return strcmp(plan->file, "scan.cu") == 0 || strcmp(plan->file, "scan_ordered.cu") == 0;
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
    if (scan_plan_rows(limits, scan, 1, plan) || scan_plan_ordered_rows(limits, scan, plan)) return;
    if (scan_plan_columns(limits, scan, state, plan) || scan_plan_blocks(limits, scan, plan)) return;
    plan_splits(limits, scan, plan);
}
