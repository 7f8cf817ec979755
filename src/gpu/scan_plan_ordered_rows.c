/* SPDX-License-Identifier: MIT
 *
 * scan_plan_ordered_rows.c - which scans of operators whose order shows in the bits go row by row
 * (kernels/scan_tree/scan_ordered_rows.cu). */
#include "scan_plan.h"
#include "scan_state.h"
#include "whole.h"

#define STAGES 3
#define WARPS 4
#define WARP 32
#define MOST_WARPS 16         /* of a processor */
#define STATIC_BYTES 2304     /* of shared memory of a block, beside the stages */
#define SPAN_BYTES 131072     /* that a warp moves, where its rows are shorter */
#define SPANS_OF_WARP 8       /* of each that runs at once: the fewer, the more wait for the last ones */
#define APART_BYTES 16        /* from element to element, at most: as close as that, they share sectors */
#define MOST_LENGTH (1 << 30) /* of a row, and of a pitch */
#define MOST_RUN_BYTES 256    /* of a thread's registers */
#define MOST_PLACE (1 << 30)  /* elements from a tile's first run to its last */
#define FEWEST_OF_PROCESSOR 4 /* warps, where rows have several groups */
#define TEAM_ROWS 30          /* of a processor, that have a block each, at most, */
#define TEAM_ROWS_AGAIN 10    /* but not between those numbers, */
#define FULL_WIDTH 4          /* if elements have so many bytes */
#define TEAM_BLOCKS 4         /* of a row that half of all processors have one of each */
#define EMPTY_OF 8            /* of a row, that its last block may lack */

/* How rows of an operand lie, and come to shared memory or out of it. */
struct rows {
    int64_t size, unit, pitch;    /* bytes; elements from row to row */
    int apart, backward;          /* elements; 1 where they do not lie behind each other, or the last one first */
    int linear, shifts, anywhere; /* rows lie behind each other; rows, or the first one, begin inside of a vector */
};

/* What a scan is planned as. */
struct layout {
    struct rows in, out;
    int64_t run, runs, together; /* elements of a run; runs of a row, or rows of a run */
    int64_t team, warps;         /* warps that share a row, and of a block */
    int descending;
};

/* Whether rows lie one pitch apart, and their elements near each other. */
static int find_pitch(const struct scan *scan, enum operand operand, struct rows *rows)
{
    int64_t step = scan->axis.stride[operand], bytes = (step < 0 ? -step : step) * rows->size;
    const struct loop *inner = &scan->kept[scan->kept_count - 1];
    rows->pitch = inner->stride[operand];
    rows->backward = step == -1;
    rows->apart = step != 1 && step != -1;
    for (int32_t d = scan->kept_count - 2; d >= 0; d--) {
        const struct loop *within = &scan->kept[d + 1];
        if (scan->kept[d].stride[operand] != within->stride[operand] * within->extent) return 0;
    }
    int64_t distance = rows->pitch < 0 ? -rows->pitch : rows->pitch;
    if (bytes == 0 || (rows->apart && bytes > APART_BYTES)) return 0;
    return distance * rows->size >= bytes && distance < MOST_LENGTH;
}

static int find_rows(const struct scan *scan, enum operand operand, const void *base, tally_type type,
                     struct rows *rows)
{
    *rows = (struct rows){.size = type_row(type)->size};
    if ((uintptr_t)base % (uintptr_t)rows->size || !find_pitch(scan, operand, rows)) return 0;
    int64_t pitch = rows->pitch * rows->size;
    uintptr_t edges = (uintptr_t)base + (uintptr_t)(rows->backward ? rows->size : 0);
    rows->unit = rows->size;
    for (int64_t unit = VECTOR_BYTES; !rows->apart && unit > rows->unit; unit /= 2)
        if (pitch % unit == 0 && edges % (uintptr_t)unit == 0) rows->unit = unit;
    rows->linear = !rows->apart && rows->pitch == scan->axis.extent;
    rows->shifts = edges % VECTOR_BYTES != 0 || pitch % VECTOR_BYTES != 0;
    if (rows->backward) edges += (uintptr_t)((scan->cells - 1) * pitch);
    rows->anywhere = edges % VECTOR_BYTES != 0;
    return 1;
}

/* Rows that lie behind each other are gone through as they lie, of both operands if they lie alike. Results of powers
 * are written one by one. */
static void choose_order(const struct scan *scan, struct layout *l)
{
    if (scan->calculation.combine == COMBINE_ADD_POWERS) l->out.linear = 0;
    l->descending = l->out.linear ? l->out.backward : l->in.linear && l->in.backward;
    l->in.linear = l->in.linear && l->in.backward == l->descending;
}

/* Short rows that make whole vectors together are a run, where both operands go as they lie. */
static int64_t rows_together(const struct scan *scan, const struct layout *l)
{
    int64_t length = scan->axis.extent, least_size = least(l->in.size, l->out.size);
    int64_t most_size = l->in.size + l->out.size - least_size, together = 1;
    if (length >= SCAN_RUN || !l->in.linear || !l->out.linear) return 0;
    while (together * length * least_size % VECTOR_BYTES) together *= 2;
    while (together * 2 * length <= SCAN_RUN) together *= 2;
    return together * length * most_size <= MOST_RUN_BYTES ? together : 0;
}

/* Shorter runs, of whole vectors, if no row is longer: they are then all that a row has. */
static int64_t run_of(const struct scan *scan, const struct layout *l)
{
    int64_t least_size = least(l->in.size, l->out.size), run = SCAN_RUN;
    if (scan->calculation.combine == COMBINE_ADD_POWERS) return SCAN_RUN;
    while (run / 2 >= scan->axis.extent && run / 2 * least_size >= VECTOR_BYTES) run /= 2;
    return run;
}

/* Powers of doubles take blocks of more threads (scan_ordered.cu), which have fewer registers each, 0.85 of the time.
 */
static int has_narrow_powers(const struct calculation *calculation)
{
    const struct type_row *type = type_row(calculation->type);
    return type->kind & KIND_FLOAT && type->size <= 4;
}

/* Whether few long rows have a block each, of a warp for each group of a block of the axis: the last one is hardly
 * empty then. Where there are some rows for each processor, warps that have one alone end sooner, unless elements are
 * narrow: 4 bytes along 1,000 rows 0.93 of the time, along 1,500 1.04 of it. Measured on an H200. */
static int is_of_teams(const struct device_limits *limits, const struct scan *scan)
{
    int64_t blocks = divide_up(scan->axis.extent, SCAN_BLOCK), empty = blocks * SCAN_BLOCK - scan->axis.extent;
    int64_t rows = scan->cells, each = rows / limits->processors;
    int is_narrow = type_row(scan->calculation.type)->size < FULL_WIDTH;
    int has_powers = scan->calculation.combine == COMBINE_ADD_POWERS; /* and much to compute */
    if (rows < limits->processors / 2 || each >= TEAM_ROWS) return 0;
    if (!is_narrow && !has_powers && each >= FEWEST_OF_PROCESSOR && each < TEAM_ROWS_AGAIN) return 0;
    return blocks >= TEAM_BLOCKS && empty <= scan->axis.extent / EMPTY_OF;
}

static int is_suitable(const struct device_limits *limits, const struct scan *scan, struct layout *l)
{
    const struct calculation *calculation = &scan->calculation;
    if (!calculation->ordered || calculation->method != METHOD_FOLD || limits->architecture < 80) return 0;
    if (scan->where || scan->states || calculation->flags & TALLY_CHECK_OVERFLOW || scan->kept_count < 1) return 0;
    if (scan->axis.extent < 2 || scan->axis.extent > MOST_LENGTH || scan->cells < 2) return 0;
    if (calculation->combine == COMBINE_ADD_POWERS && !has_narrow_powers(calculation)) return 0;
    int are_few = scan->cells < limits->processors * FEWEST_OF_PROCESSOR;
    if (scan->axis.extent > SCAN_GROUP && are_few && !is_of_teams(limits, scan)) return 0;
    if (!find_rows(scan, OPERAND_X, scan->x, calculation->type, &l->in)) return 0;
    return find_rows(scan, OPERAND_OUT, scan->out, calculation->result, &l->out);
}

/* Whether places in a tile fit 32 bits. */
static int is_near(const struct rows *rows, int64_t runs)
{
    int64_t most = WARP / runs + 2, distance = rows->pitch < 0 ? -rows->pitch : rows->pitch;
    return distance * most < MOST_PLACE;
}

/* Kernels that differ in what they do not read are one. */
static void leave_unread(struct rows *rows)
{
    if (rows->linear) rows->unit = rows->size;
    else rows->shifts = 0;
}

static int lay_out(const struct device_limits *limits, const struct scan *scan, struct layout *l)
{
    if (!is_suitable(limits, scan, l)) return 0;
    choose_order(scan, l);
    l->together = rows_together(scan, l);
    /* what runs leave behind their end must not reach beyond the next one (kernels/scan_tree/ordered_rows_linear.cuh)
     */
    if (!l->together && scan->axis.extent < SCAN_RUN) l->in.linear = l->out.linear = l->descending = 0;
    l->run = l->together ? l->together * scan->axis.extent : run_of(scan, l);
    l->team = is_of_teams(limits, scan) ? SCAN_BLOCK_GROUPS : 1;
    l->warps = l->team > 1 ? l->team : WARPS;
    l->runs = l->together ? 1 : divide_up(scan->axis.extent, l->run);
    if (l->together) l->in.shifts = l->in.anywhere, l->out.shifts = l->out.anywhere;
    leave_unread(&l->in);
    leave_unread(&l->out);
    return is_near(&l->in, l->runs) && is_near(&l->out, l->runs);
}

/* Vectors of a tile in shared memory, as the kernel has them. */
static int64_t vectors_of_tile(const struct layout *l, const struct rows *rows)
{
    int64_t run = l->run * rows->size / VECTOR_BYTES;
    return rows->linear ? (WARP * run + 8) & ~(int64_t)7 : WARP * (run | 1);
}

/* Shared memory of a warp. */
static int64_t bytes_of_warp(const struct layout *l)
{
    int64_t in = vectors_of_tile(l, &l->in), out = vectors_of_tile(l, &l->out);
    return VECTOR_BYTES * (l->in.size == l->out.size ? STAGES * (in > out ? in : out) : STAGES * in + out);
}

static void define_rows(const struct layout *l, struct definitions *definitions)
{
    definitions_add_number(definitions, "DESCENDING", l->descending);
    definitions_add_number(definitions, "IN_LINEAR", l->in.linear);
    definitions_add_number(definitions, "IN_SHIFTS", l->in.shifts);
    definitions_add_number(definitions, "IN_UNIT", l->in.unit);
    definitions_add_number(definitions, "IN_APART", l->in.apart);
    definitions_add_number(definitions, "IN_BACKWARD", l->in.backward);
    definitions_add_number(definitions, "OUT_LINEAR", l->out.linear);
    definitions_add_number(definitions, "OUT_SHIFTS", l->out.shifts);
    definitions_add_number(definitions, "OUT_UNIT", l->out.unit);
    definitions_add_number(definitions, "OUT_APART", l->out.apart);
    definitions_add_number(definitions, "OUT_BACKWARD", l->out.backward);
}

static void define_runs(const struct layout *l, int64_t length, struct definitions *definitions)
{
    int64_t levels = 0;
    while ((int64_t)1 << levels < least(l->runs, SCAN_GROUP_RUNS)) levels++;
    definitions_add_number(definitions, "RUN", l->run);
    definitions_add_number(definitions, "LEVELS", levels);
    definitions_add_number(definitions, "HAS_GROUPS", l->runs > SCAN_GROUP_RUNS);
    definitions_add_number(definitions, "CROSSES", l->team == 1 && l->runs % WARP != 0 && WARP % l->runs != 0);
    definitions_add_number(definitions, "TOGETHER", l->together);
    definitions_add_number(definitions, "LENGTH", l->together ? length : 1);
}

/* Rows of a warp, or what is one together. */
static int64_t rows_of_span(const struct scan *scan, const struct layout *l, int64_t warps)
{
    int64_t length = scan->axis.extent * (l->together ? l->together : 1);
    int64_t elements = divide_up(scan->cells * scan->axis.extent, warps * SPANS_OF_WARP);
    return divide_up(least(SPAN_BYTES / (l->in.size + l->out.size), elements), length);
}

int scan_plan_ordered_rows(const struct device_limits *limits, const struct scan *scan, struct scan_plan *plan)
{
    struct reduce_parameters *p = &plan->parameters.reduce;
    struct layout l;
    if (!lay_out(limits, scan, &l)) return 0;
    int64_t blocks = MOST_WARPS / l.warps;
    while (l.warps * bytes_of_warp(&l) > device_room_of_block(limits, blocks) - STATIC_BYTES) {
        if (--blocks == 0) return 0;
    }
    p->splits = 1;
    p->split_units = l.team > 1 ? 1 : rows_of_span(scan, &l, limits->processors * blocks * l.warps);
    p->kept[0].x = l.in.pitch; /* of all loops as one */
    p->kept[0].out = l.out.pitch;
    plan->file = "scan_ordered_rows.cu";
    plan->blocks = divide_up(divide_up(scan->cells, p->split_units * (l.together ? l.together : 1)) * l.team, l.warps);
    plan->threads = (uint32_t)(l.warps * WARP);
    plan->shared_bytes = (uint32_t)(l.warps * bytes_of_warp(&l));
    definitions_add_number(&plan->definitions, "THREADS", plan->threads);
    definitions_add_number(&plan->definitions, "TEAM", l.team);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE", blocks);
    definitions_add_number(&plan->definitions, "STAGES", STAGES);
    definitions_add_number(&plan->definitions, "EXCLUSIVE", (scan->calculation.flags & TALLY_EXCLUSIVE) != 0);
    define_runs(&l, scan->axis.extent, &plan->definitions);
    define_rows(&l, &plan->definitions);
    return 1;
}
