/* SPDX-License-Identifier: MIT
 *
 * scan_plan_columns.c - which scans down columns kernels/scan_columns.cu takes, and how they are dealt out: a thread
 * walks down a few neighbouring columns where there are many of them, or few rows; elsewhere blocks share columns, in
 * chunks of rows. */
#include "scan_plan.h"
#include "whole.h"

#define VECTOR 16 /* bytes */
#define WALK_THREADS 256
#define WALK_RESULTS 32   /* bytes of a row that a thread writes: more lie too far from its neighbours' */
#define WALK_DEPTH 8      /* rows of a thread under way */
#define WALKERS 768       /* threads of a processor that keep memory busy */
#define WALK_MOST_ROWS 32 /* whatever the threads */
#define THREADS 512
#define STAGES 3
#define MOST_VECTORS 9 /* of a thread's run */
#define DEPTH 8        /* rows of a run in registers at once */
#define MOST_SIDE 4    /* columns of a run: each has a total in shared memory */
#define LINE 128       /* bytes of a chunk's row, at least, where the matrix is that wide */
#define WIDE_ROW 2048  /* bytes of a row whose chunks are twice as wide if their edges lie inside of vectors */
#define MOST_LOOKS 4
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

/* Neighbouring columns that one access takes, of elements, and of results in whole vectors. */
static int64_t walk_side(const struct scan *scan, int64_t size, int64_t result)
{
    int64_t aligned = alignment_of(scan, OPERAND_X, scan->x, size),
            out = alignment_of(scan, OPERAND_OUT, scan->out, result);
    int64_t side = VECTOR / size;
    while (side > 1 && (side * result > WALK_RESULTS || aligned % (side * size) || out % least(side * result, VECTOR) ||
                        scan->kept[scan->kept_count - 1].extent % side))
        side /= 2;
    return side;
}

static int plan_walk(const struct device_limits *limits, const struct scan *scan, struct scan_plan *plan)
{
    const struct calculation *calculation = &scan->calculation;
    int exact = calculation->method == METHOD_EXACT;
    int64_t side = walk_side(scan, type_row(calculation->type)->size, type_row(calculation->result)->size);
    int64_t threads = scan->cells / side;
    if (threads < limits->processors * WALKERS && scan->axis.extent > WALK_MOST_ROWS) return 0;
    plan->threads = WALK_THREADS;
    plan->blocks = divide_up(threads, WALK_THREADS);
    definitions_add_number(&plan->definitions, "WALK", 1);
    definitions_add_number(&plan->definitions, "THREADS", WALK_THREADS);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE", exact ? 2 : 4);
    definitions_add_number(&plan->definitions, "SIDE", side);
    definitions_add_number(&plan->definitions, "DEPTH", least(WALK_DEPTH, power_above(scan->axis.extent)));
    return 1;
}

/* How blocks share columns. */
struct layout {
    int64_t width, side, run, rows; /* columns of a chunk, of a thread; rows of a thread, of a chunk */
    int64_t groups, splits;         /* chunks beside and above each other */
    int64_t lanes;                  /* threads that see to a column */
};

static int64_t power_below(int64_t n)
{
    int64_t power = power_above(n);
    return power > n ? power / 2 : power;
}

/* Columns of a chunk: all, or so many that whole lines are read, all chunks alike. */
static int64_t choose_width(const struct scan *scan, int64_t size, int64_t result)
{
    int64_t inner = scan->kept[scan->kept_count - 1].extent;
    int aligned = alignment_of(scan, OPERAND_X, scan->x, size) == VECTOR &&
                  alignment_of(scan, OPERAND_OUT, scan->out, result) == VECTOR;
    int64_t larger = size > result ? size : result, wanted = LINE / size;
    if (result > size) wanted = 2 * LINE / result > 32 / size ? 2 * LINE / result : 32 / size;
    if (!aligned && inner * larger >= WIDE_ROW) wanted *= 2;
    if (wanted > THREADS / 2) wanted = THREADS / 2;
    if (inner <= wanted) return inner;
    int64_t unit = VECTOR / size, tiles = divide_up(inner, wanted);
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
    int exact = calculation->method == METHOD_EXACT;
    int64_t runs = THREADS / (l->width / l->side);
    return (runs * (l->width | 1) + 3 * l->width) * total_bytes(calculation) + (exact ? 64 * l->width : 8) + 512;
}

static int64_t stage_bytes(const struct layout *l, int64_t size)
{
    return divide_up(l->rows * l->width * size, VECTOR) * VECTOR;
}

static int64_t chunk_bytes(const struct layout *l, int64_t size, int64_t result)
{
    return STAGES * stage_bytes(l, size) + (result == size ? 0 : stage_bytes(l, result));
}

/* The longest runs that fit and leave something to do for all processors. They are odd, which keeps banks apart. */
static int choose_layout(const struct device_limits *limits, const struct scan *scan, struct layout *l)
{
    const struct calculation *calculation = &scan->calculation;
    int64_t size = type_row(calculation->type)->size, result = type_row(calculation->result)->size;
    int64_t inner = scan->kept[scan->kept_count - 1].extent;
    l->width = choose_width(scan, size, result);
    l->side = least(MOST_SIDE, VECTOR / size);
    while (l->width % l->side) l->side /= 2;
    l->lanes = least(32, power_below(THREADS / l->width));
    l->groups = scan->cells / inner * divide_up(inner, l->width);
    for (int64_t vectors = MOST_VECTORS; vectors > 0; vectors -= 2) {
        l->run = (vectors - 1) * VECTOR / (l->side * size) + 1;
        l->rows = THREADS / (l->width / l->side) * l->run;
        l->splits = divide_up(scan->axis.extent, l->rows);
        int64_t bytes = room_bytes(l, calculation) + RESERVED_BYTES + chunk_bytes(l, size, result);
        if (bytes > (int64_t)limits->shared_bytes) continue;
        if (l->splits * l->groups >= 2 * limits->processors) return 1;
    }
    return 0;
}

/* What the chunks' rows, or all of a chunk in one, are aligned to. */
static int64_t unit_of(const struct scan *scan, const struct layout *l, enum operand operand, const void *base,
                       int64_t size, int linear)
{
    uintptr_t edges = (uintptr_t)base | VECTOR;
    for (int32_t d = 0; d + 1 < scan->kept_count; d++) edges |= (uintptr_t)(scan->kept[d].stride[operand] * size);
    if (linear) edges |= (uintptr_t)(l->rows * l->width * size);
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
    plan->total_bytes = exact ? (size_t)(p->cells * l.splits) * 2 * state_bytes : 0;
    p->splits = l.splits;
    p->split_units = l.rows;
    int64_t looks = divide_up(divide_up(plan->blocks, l.groups) + 1, l.lanes);
    definitions_add_number(&plan->definitions, "WALK", 0);
    definitions_add_number(&plan->definitions, "THREADS", THREADS);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE", 1);
    definitions_add_number(&plan->definitions, "STAGES", STAGES);
    definitions_add_number(&plan->definitions, "WIDTH", l.width);
    definitions_add_number(&plan->definitions, "SIDE", l.side);
    definitions_add_number(&plan->definitions, "RUN", l.run);
    definitions_add_number(&plan->definitions, "DEPTH", l.run <= MOST_VECTORS ? l.run : DEPTH);
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
