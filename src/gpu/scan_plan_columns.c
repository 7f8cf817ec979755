/* SPDX-License-Identifier: MIT
 *
 * scan_plan_columns.c - which scans down columns kernels/scan_columns.cu takes, and how they are dealt out: a thread
 * walks down a few neighbouring columns where there are many of them, or few rows; elsewhere blocks share columns, in
 * chunks of rows. */
#include "scan_plan.h"
#include "whole.h"

#define VECTOR 16 /* bytes */
#define WALK_THREADS 128
#define WALK_BYTES 8      /* of a row that a thread takes of exact sums, at most */
#define WALK_SHORT 8      /* rows */
#define WALK_DEPTH 8      /* rows of a thread under way, at least */
#define WALKERS 768       /* threads of a processor, if a thread may have fewer columns */
#define FEW_WALKERS 240   /* at least, of exact sums */
#define WALK_MOST_ROWS 32 /* whatever the threads */
#define THREADS 512
#define STAGES 4
#define WORD 4         /* bytes of a row that a thread takes, at least */
#define MOST_RESULTS 8 /* bytes of a row that a thread makes, if it has several columns */
#define MOST_LANES 16
#define MOST_FINDERS 4
#define CHUNKS_OF_LANE 24
#define MOST_LOOKS 8
#define CHUNKS_BYTES 640    /* of shared memory, for what is known of chunks */
#define MOST_ROOM 49152     /* of the kernel's own variables */
#define RESERVED_BYTES 1024 /* of shared memory, the hardware's own */

/* Scans that the kernels have programs for, down columns beside each other. */
static int is_suitable(const struct scan *scan)
{
    const struct calculation *calculation = &scan->calculation;
    int real = type_row(calculation->type)->kind == KIND_REAL && type_row(calculation->result)->kind == KIND_REAL;
    if (calculation->ordered || scan->where || calculation->flags & TALLY_CHECK_OVERFLOW) return 0;
    if (calculation->method == METHOD_FOLD && program_parts(calculation) != 1) return 0;
    if (calculation->method != METHOD_FOLD && !(calculation->method == METHOD_EXACT && real)) return 0;
    if (scan->kept_count < 1 || scan->cells < 1) return 0;
    const struct loop *inner = &scan->kept[scan->kept_count - 1];
    return inner->extent > 1 && inner->stride[OPERAND_X] == 1 && inner->stride[OPERAND_OUT] == 1;
}

/* The largest power of two, up to a vector, that divides the addresses of all rows, in bytes. */
static int64_t alignment_of(const struct scan *scan, enum operand operand, const void *base, int64_t size)
{
    uintptr_t edges = (uintptr_t)base | VECTOR | (uintptr_t)(scan->axis.stride[operand] * size);
    for (int32_t d = 0; d + 1 < scan->kept_count; d++) edges |= (uintptr_t)(scan->kept[d].stride[operand] * size);
    return (int64_t)(edges & (0 - edges));
}

/* Neighbouring columns that one access takes, of elements and of results: at most so many. */
static int64_t walk_side(const struct scan *scan, int64_t size, int64_t result, int64_t most)
{
    int64_t aligned = alignment_of(scan, OPERAND_X, scan->x, size),
            out = alignment_of(scan, OPERAND_OUT, scan->out, result);
    int64_t side = most;
    while (side > 1 && (aligned % (side * size) || out % least(side * result, VECTOR) ||
                        scan->kept[scan->kept_count - 1].extent % side))
        side /= 2;
    return side;
}

/* Columns of a thread, at most: few of exact sums, which need registers, but more where a thread ends soon after it
 * began. */
static int64_t walk_most(const struct scan *scan, int64_t size)
{
    int few = scan->calculation.method == METHOD_EXACT && (size != 4 || scan->axis.extent > WALK_SHORT);
    return (few ? WALK_BYTES : VECTOR) / size;
}

/* Rows of a thread at once: more of exact sums, and where threads are few. */
static int64_t walk_depth(const struct device_limits *limits, const struct scan *scan, int64_t threads)
{
    int64_t size = type_row(scan->calculation.type)->size, depth = WALK_DEPTH;
    if (scan->calculation.method == METHOD_EXACT && size < 8) depth = 2 * WALK_DEPTH;
    if (depth > WALK_DEPTH && threads < limits->processors * WALKERS / 2) depth *= 2;
    return least(depth, power_above(scan->axis.extent));
}

/* A thread has as many columns as leave enough threads. */
static int plan_walk(const struct device_limits *limits, const struct scan *scan, struct scan_plan *plan)
{
    const struct calculation *calculation = &scan->calculation;
    int exact = calculation->method == METHOD_EXACT;
    int64_t size = type_row(calculation->type)->size, result = type_row(calculation->result)->size;
    int64_t most = walk_most(scan, size), fewest = exact ? FEW_WALKERS : WALKERS;
    if (most > VECTOR / result) most = VECTOR / result;
    int64_t side = walk_side(scan, size, result, most < 1 ? 1 : most);
    while (side > 1 && scan->cells / side < limits->processors * WALKERS) side /= 2;
    int64_t threads = scan->cells / side;
    if (threads < limits->processors * fewest && scan->axis.extent > WALK_MOST_ROWS) return 0;
    int64_t depth = walk_depth(limits, scan, threads);
    plan->threads = WALK_THREADS;
    plan->blocks = divide_up(threads, WALK_THREADS);
    definitions_add_number(&plan->definitions, "WALK", 1);
    definitions_add_number(&plan->definitions, "THREADS", WALK_THREADS);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE", exact ? 4 : 8);
    definitions_add_number(&plan->definitions, "SIDE", side);
    definitions_add_number(&plan->definitions, "DEPTH", depth);
    definitions_add_number(&plan->definitions, "LOADS_AHEAD", scan->axis.extent > depth && (exact || result > size));
    return 1;
}

/* How blocks share columns. */
struct layout {
    int64_t width, side, run, depth; /* columns of a chunk, of a thread; rows of a thread, and of these at once */
    int64_t part, rows;              /* rows of a warp, of a chunk */
    int64_t finders, warps;          /* warps that look for prefixes, and that have parts */
    int64_t groups, splits;          /* chunks beside and above each other */
    int64_t lanes;                   /* threads that look for a column */
};

/* Columns of a chunk: all, or a warp's, all chunks alike. */
static int64_t choose_width(const struct scan *scan, int64_t size, int64_t side)
{
    int64_t inner = scan->kept[scan->kept_count - 1].extent, wanted = 32 * side;
    if (inner <= wanted) return inner;
    int64_t unit = VECTOR / size > side ? VECTOR / size : side, tiles = divide_up(inner, wanted);
    return divide_up(divide_up(inner, tiles), unit) * unit;
}

/* A column's total in the kernel, at most. */
static int64_t total_bytes(const struct calculation *calculation)
{
    const struct type_row *type = type_row(calculation->type);
    if (calculation->method == METHOD_EXACT) return 16;
    return scan_results_are_lanes(calculation) && type->kind == KIND_REAL && type->size <= 4 ? 4 : 8;
}

/* Shared memory of the kernel's own variables, at most. */
static int64_t room_bytes(const struct layout *l, const struct calculation *calculation)
{
    return (STAGES - 1) * (l->warps + 2) * l->width * total_bytes(calculation) + CHUNKS_BYTES;
}

static int64_t stage_bytes(const struct layout *l, int64_t size)
{
    return divide_up(l->part * l->width * size, VECTOR) * VECTOR;
}

static int64_t chunk_bytes(const struct layout *l, int64_t size, int64_t result)
{
    return l->warps * (STAGES * stage_bytes(l, size) + (result == size ? 0 : stage_bytes(l, result)));
}

/* Rows of a thread, and how many at once. Odd numbers keep banks apart; where a warp's rows would then begin anywhere,
 * others let words be copied. */
static const struct run {
    int8_t rows, at_once;
} runs[] = {{64, 8}, {45, 9}, {36, 9}, {27, 9}, {20, 5}, {15, 5}, {12, 6},
            {9, 9},  {8, 8},  {7, 7},  {5, 5},  {4, 4},  {3, 3},  {1, 1}};

/* The more chunks lie between one and the prefix that it finds, the more lanes look for a column. */
static void choose_finders(const struct device_limits *limits, struct layout *l)
{
    l->lanes = least(MOST_LANES, power_above(divide_up(divide_up(limits->processors, l->groups), CHUNKS_OF_LANE)));
    while (l->lanes > 1 && l->width * l->lanes > 32 * MOST_FINDERS) l->lanes /= 2;
    l->finders = least(MOST_FINDERS, divide_up(l->width * l->lanes, 32));
}

/* The longest runs that fit and leave something to do for all processors. */
static int choose_layout(const struct device_limits *limits, const struct scan *scan, struct layout *l)
{
    const struct calculation *calculation = &scan->calculation;
    int64_t size = type_row(calculation->type)->size, result = type_row(calculation->result)->size;
    int64_t inner = scan->kept[scan->kept_count - 1].extent;
    l->side = size < WORD ? WORD / size : 1;
    while (l->side > 1 && (inner % l->side || l->side * result > MOST_RESULTS)) l->side /= 2;
    l->width = choose_width(scan, size, l->side);
    l->groups = scan->cells / inner * divide_up(inner, l->width);
    choose_finders(limits, l);
    l->warps = THREADS / 32 - 1 - l->finders;
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        int64_t each = 32 / (l->width / l->side) * l->width * size; /* bytes of a row of all runs of a warp */
        int even = each % WORD != 0;
        if (even ? runs[i].rows % WORD : l->width < 32 * l->side && runs[i].rows % 2 == 0) continue;
        l->run = runs[i].rows;
        l->depth = runs[i].at_once;
        l->part = 32 / (l->width / l->side) * l->run;
        l->rows = l->warps * l->part;
        l->splits = divide_up(scan->axis.extent, l->rows);
        int64_t room = room_bytes(l, calculation), bytes = room + RESERVED_BYTES + chunk_bytes(l, size, result);
        if (room > MOST_ROOM || bytes > (int64_t)limits->shared_bytes) continue;
        if (l->splits * l->groups >= 2 * limits->processors) return 1;
    }
    return 0;
}

/* What the chunks' rows, or all of a warp's part in one, are aligned to. */
static int64_t unit_of(const struct scan *scan, const struct layout *l, enum operand operand, const void *base,
                       int64_t size, int linear)
{
    uintptr_t edges = (uintptr_t)base | VECTOR;
    for (int32_t d = 0; d + 1 < scan->kept_count; d++) edges |= (uintptr_t)(scan->kept[d].stride[operand] * size);
    if (linear) edges |= (uintptr_t)(l->part * l->width * size);
    else
        edges |= (uintptr_t)(scan->axis.stride[operand] * size) | (uintptr_t)(l->width * size) |
                 (uintptr_t)(scan->kept[scan->kept_count - 1].extent * size);
    return (int64_t)(edges & (0 - edges));
}

static int is_linear(const struct scan *scan, const struct layout *l, enum operand operand)
{
    return scan->kept[scan->kept_count - 1].extent == l->width && scan->axis.stride[operand] == l->width;
}

static int plan_wave(const struct device_limits *limits, const struct scan *scan, size_t state_bytes,
                     struct scan_plan *plan)
{
    const struct calculation *calculation = &scan->calculation;
    struct reduce_parameters *p = &plan->parameters.reduce;
    int64_t size = type_row(calculation->type)->size, result = type_row(calculation->result)->size;
    int exact = calculation->method == METHOD_EXACT;
    struct layout l;
    if (!choose_layout(limits, scan, &l)) return 0;
    int in = is_linear(scan, &l, OPERAND_X), out = is_linear(scan, &l, OPERAND_OUT);
    plan->threads = THREADS;
    plan->blocks = least(l.splits * l.groups, limits->processors);
    plan->shared_bytes = (uint32_t)chunk_bytes(&l, size, result);
    plan->flag_bytes = (size_t)(p->cells * l.splits) * (exact ? 32 : 16) + 256;
    int64_t lefts = plan->blocks * (STAGES - 1) * (l.warps + 2) * l.width;
    plan->total_bytes = exact ? (size_t)(2 * p->cells * l.splits + lefts) * state_bytes : 0;
    p->splits = l.splits;
    p->split_units = l.rows;
    int64_t looks = divide_up(divide_up(plan->blocks, l.groups) + 1, l.lanes);
    definitions_add_number(&plan->definitions, "WALK", 0);
    definitions_add_number(&plan->definitions, "THREADS", THREADS);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE", 1);
    definitions_add_number(&plan->definitions, "STAGES", STAGES);
    definitions_add_number(&plan->definitions, "FINDERS", l.finders);
    definitions_add_number(&plan->definitions, "WIDTH", l.width);
    definitions_add_number(&plan->definitions, "SIDE", l.side);
    definitions_add_number(&plan->definitions, "RUN", l.run);
    definitions_add_number(&plan->definitions, "DEPTH", l.depth);
    definitions_add_number(&plan->definitions, "LANES", l.lanes);
    definitions_add_number(&plan->definitions, "LOOKS", least(looks, MOST_LOOKS));
    definitions_add_number(&plan->definitions, "LINEAR_IN", in);
    definitions_add_number(&plan->definitions, "LINEAR_OUT", out);
    definitions_add_number(&plan->definitions, "UNIT_IN", unit_of(scan, &l, OPERAND_X, scan->x, size, in));
    definitions_add_number(&plan->definitions, "UNIT_OUT", unit_of(scan, &l, OPERAND_OUT, scan->out, result, out));
    return 1;
}

int scan_plan_columns(const struct device_limits *limits, const struct scan *scan, size_t state_bytes,
                      struct scan_plan *plan)
{
    if (!is_suitable(scan)) return 0;
    plan->parameters.reduce.splits = 1;
    if (!plan_walk(limits, scan, plan) && !plan_wave(limits, scan, state_bytes, plan)) return 0;
    plan->file = "scan_columns.cu";
    definitions_add_number(&plan->definitions, "EXCLUSIVE", plan->parameters.exclusive);
    definitions_add_number(&plan->definitions, "RESULTS_ARE_LANES", scan_results_are_lanes(&scan->calculation));
    return 1;
}
