/* SPDX-License-Identifier: MIT
 *
 * scan_plan_rows.c - which scans go row by row (kernels/scan_waves/scan_rows.cu), and how many rows a warp takes. */
#include "scan_plan_chunks.h"
#include "whole.h"

#define STAGES 3
#define WARPS 4
#define LONG_RUN 7            /* vectors of a thread */
#define LONG_ROW 128          /* bytes of rows that come by words of one nearly always */
#define SMALLEST_UNIT 4       /* bytes that threads copy and need not wait for */
#define STATIC_BYTES 2304     /* of shared memory of a block, beside the stages */
#define SPAN_BYTES 131072     /* that a warp moves, where its rows are shorter */
#define SPANS_OF_WARP 8       /* of each that runs at once: the fewer, the more wait for the last ones */
#define LINE_BYTES 128        /* that memory moves at once */
#define MOST_LENGTH (1 << 30) /* of a row */
#define SHORT_TILES 2         /* the longest row that a warp goes through without waiting for much memory */

/* Whether all rows lie behind each other, in C order. */
static int is_dense(const struct scan *scan, enum operand operand)
{
    int64_t stride = scan->axis.extent;
    for (int32_t d = scan->kept_count - 1; d >= 0; d--) {
        if (scan->kept[d].stride[operand] != stride) return 0;
        stride *= scan->kept[d].extent;
    }
    return 1;
}

/* The distance to a vector's border, in elements; -1 where no element has one. */
static int64_t misalignment(const struct scan *scan, enum operand operand, const void *base, int64_t size)
{
    int64_t back = scan->axis.stride[operand] < 0 ? scan->axis.extent - 1 : 0;
    int64_t bytes = (int64_t)(((uintptr_t)base - (uintptr_t)(back * size)) % VECTOR_BYTES);
    return bytes % size ? -1 : bytes / size;
}

/* How rows come into shared memory and out of it: see kernels/scan_waves/scan_rows.cu. */
struct units {
    int64_t in, out;
    int across, apart;
};

/* The largest unit, in bytes, that rows which begin at an address, so far apart, are made of; 0: there is none. */
static int64_t unit_of(const struct scan *scan, enum operand operand, const void *base, int64_t size, int64_t shift,
                       int64_t smallest)
{
    int64_t back = scan->axis.stride[operand] < 0 ? scan->axis.extent - 1 : 0;
    int64_t all = (scan->axis.extent | scan->kept[0].stride[operand] | shift) * size;
    uintptr_t address = (uintptr_t)base - (uintptr_t)(back * size);
    int64_t least_unit = size < smallest ? smallest : size;
    for (int64_t unit = VECTOR_BYTES; unit >= least_unit; unit /= 2)
        if (all % unit == 0 && address % (uintptr_t)unit == 0) return unit;
    return 0;
}

static int do_not_overlap(const struct scan *scan)
{
    int64_t pitch = scan->kept[0].stride[OPERAND_X];
    return (pitch < 0 ? -pitch : pitch) >= scan->axis.extent;
}

/* Whether rows of elements that are too small to be copied may come by words, which they have one of at least. */
static int has_words(const struct scan *scan, int64_t size)
{
    int64_t step = scan->axis.stride[OPERAND_X];
    return (step == 1 || step == -1) && size < SMALLEST_UNIT && scan->axis.extent * size >= SMALLEST_UNIT &&
           do_not_overlap(scan);
}

/* Whether rows of small elements that run against their results are whole vectors, which are turned. */
static int are_turned_vectors(const struct scan *scan, int64_t size)
{
    int64_t step = scan->axis.stride[OPERAND_X];
    return size < SMALLEST_UNIT && (step == 1 || step == -1) && step == -scan->axis.stride[OPERAND_OUT] &&
           unit_of(scan, OPERAND_X, scan->x, size, 0, VECTOR_BYTES) == VECTOR_BYTES;
}

/* Rows, or their elements, that lie apart. Where results do not, elements come to the places in vectors that their
 * results have, unless they are made of larger units as they are. */
static int find_units(const struct scan *scan, int64_t size, int64_t result, struct units *units)
{
    int64_t shift = misalignment(scan, OPERAND_OUT, scan->out, result);
    if (scan->kept_count != 1 || shift < 0 || misalignment(scan, OPERAND_X, scan->x, size) < 0) return 0;
    int one_by_one = units->apart && !are_turned_vectors(scan, size);
    units->apart = one_by_one && !has_words(scan, size);
    units->in = one_by_one ? size : unit_of(scan, OPERAND_X, scan->x, size, 0, SMALLEST_UNIT);
    if (!is_dense(scan, OPERAND_OUT)) units->out = unit_of(scan, OPERAND_OUT, scan->out, result, 0, result);
    else if (result < size || one_by_one) units->across = result < size;
    else units->across = unit_of(scan, OPERAND_X, scan->x, size, shift, SMALLEST_UNIT) < units->in;
    if (!units->in && has_words(scan, size)) units->in = size;
    return units->in && (units->out || is_dense(scan, OPERAND_OUT));
}

/* Whether runs will do: also for elements that lie apart or the other way round than results, which are copied one by
 * one, and masks, if absent elements can give way to one that changes no total. */
static int goes_by_runs(const struct device_limits *limits, const struct scan *scan)
{
    struct scan bare;
    uint64_t fill;
    if (!scan_make_bare(scan, &bare) || !scan_goes_by_runs(limits, &bare)) return 0;
    return !scan->where || (scan->kept_count == 1 && scan_find_fill(&scan->calculation, &fill));
}

static int is_suitable(const struct device_limits *limits, const struct scan *scan, struct units *units)
{
    int64_t size = type_row(scan->calculation.type)->size, result = type_row(scan->calculation.result)->size;
    if (!goes_by_runs(limits, scan) || scan->states || scan->cells < 1) return 0;
    if (scan->axis.extent < 2 || scan->axis.extent > MOST_LENGTH || scan->kept_count < 1) return 0;
    *units = (struct units){0, 0, 0, scan->axis.stride[OPERAND_X] != scan->axis.stride[OPERAND_OUT]};
    if (units->apart || !is_dense(scan, OPERAND_X) || !is_dense(scan, OPERAND_OUT))
        return find_units(scan, size, result, units);
    int64_t shift = misalignment(scan, OPERAND_X, scan->x, size);
    int64_t result_shift = misalignment(scan, OPERAND_OUT, scan->out, result);
    units->across = result < size || result_shift != shift % (VECTOR_BYTES / result);
    return shift >= 0 && result_shift >= 0;
}

struct shape {
    int64_t vectors; /* of a thread */
    int64_t blocks;  /* of a processor */
    int64_t bytes;   /* of shared memory, of a block */
};

static int64_t bytes_of_block(int64_t vectors, int64_t ratio)
{
    int64_t results = ratio > 1 ? (vectors * ratio) | 1 : 0;
    return WARPS * 32 * VECTOR_BYTES * (STAGES * vectors + results);
}

/* Minima, maxima and bits of bytes know longer runs, of rows that are as long, and so does whether they are not zero.
 */
static int has_long_runs(const struct scan *scan)
{
    const struct calculation *calculation = &scan->calculation;
    if (type_row(calculation->type)->size > 1 || scan->axis.extent < LONG_RUN * VECTOR_BYTES) return 0;
    return scan_runs_are_truth(calculation) || scan_results_are_lanes(calculation);
}

/* Other runs have less than 64 elements; exact sums keep one in registers, as floats or two bins take it. */
static int64_t vectors_of_run(const struct scan *scan, int64_t size, int64_t ratio)
{
    if (ratio > 1) return ratio > 4 ? 1 : 3;
    if (size == 1) return has_long_runs(scan) ? LONG_RUN : 3;
    return size == 2 && scan->calculation.method == METHOD_EXACT ? 5 : LONG_RUN;
}

/* So many as there are registers for. Exact sums take more of them, and so do words on their way, and masks beside
 * these or of long runs. */
static int64_t blocks_at_once(const struct scan *scan, const struct units *units)
{
    if (scan->calculation.method == METHOD_EXACT) return 4;
    if (scan->where && (units->in || has_long_runs(scan))) return 4;
    int turned = scan->axis.stride[OPERAND_X] != scan->axis.stride[OPERAND_OUT];
    return units->in && (units->in < SMALLEST_UNIT || turned) ? 5 : 6;
}

static struct shape choose_shape(const struct device_limits *limits, const struct scan *scan, const struct units *units)
{
    const struct calculation *calculation = &scan->calculation;
    int64_t size = type_row(calculation->type)->size, ratio = type_row(calculation->result)->size / size;
    int64_t vectors = vectors_of_run(scan, size, ratio);
    struct shape shape = {vectors, blocks_at_once(scan, units), bytes_of_block(vectors, ratio)};
    while (shape.blocks > 1 && shape.bytes > device_room_of_block(limits, shape.blocks) - STATIC_BYTES) shape.blocks--;
    return shape;
}

/* Whether words are nearly always of one row, where they come to shared memory as they lie. */
static int has_long_rows(const struct scan *scan, const struct units *units)
{
    int64_t bytes = scan->axis.extent * type_row(scan->calculation.type)->size;
    return units->in > 0 && units->in < SMALLEST_UNIT && !units->apart && bytes >= LONG_ROW &&
           scan->axis.stride[OPERAND_X] == scan->axis.stride[OPERAND_OUT];
}

/* Rows of a span. Where it may be several, spans begin at the borders of lines, or of vectors. */
static int64_t rows_of_span(const struct scan *scan, int64_t warps)
{
    int64_t size = type_row(scan->calculation.type)->size, result = type_row(scan->calculation.result)->size;
    int64_t length = scan->axis.extent, line = LINE_BYTES / size, vector = VECTOR_BYTES / size;
    int64_t elements = least(SPAN_BYTES / (size + result), divide_up(scan->cells * length, warps * SPANS_OF_WARP));
    int64_t rows = divide_up(elements, length);
    if (rows >= line) return rows / line * line;
    return rows >= vector ? rows / vector * vector : rows;
}

int scan_plan_rows(const struct device_limits *limits, const struct scan *scan, int last_resort, struct scan_plan *plan)
{
    struct reduce_parameters *p = &plan->parameters.reduce;
    struct units units;
    if (!is_suitable(limits, scan, &units)) return 0;
    struct shape shape = choose_shape(limits, scan, &units);
    if (shape.bytes > device_room_of_block(limits, 1) - STATIC_BYTES) return 0;
    int64_t warps = limits->processors * shape.blocks * WARPS;
    int64_t size = type_row(scan->calculation.type)->size, run = shape.vectors * VECTOR_BYTES / size, tile = 32 * run;
    int is_exact = scan->calculation.method == METHOD_EXACT;
    /* Exact sums in waves wait for each other longer than some idle warps cost. */
    int64_t enough = last_resort ? warps / 4 : is_exact ? warps * 3 / 4 : warps;
    if (p->length > SHORT_TILES * tile && scan->cells < enough) return 0;
    p->splits = 1;
    p->split_units = rows_of_span(scan, warps) * p->length;
    plan->file = "scan_rows.cu";
    plan->blocks = divide_up(divide_up(p->cells * p->length, p->split_units), WARPS);
    plan->threads = WARPS * 32;
    plan->shared_bytes = (uint32_t)shape.bytes;
    definitions_add_number(&plan->definitions, "THREADS", WARPS * 32);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE", shape.blocks);
    definitions_add_number(&plan->definitions, "VECTORS", shape.vectors);
    definitions_add_number(&plan->definitions, "STAGES", STAGES);
    definitions_add_number(&plan->definitions, "BY_VECTORS", is_exact && size == 2 && p->length >= run);
    definitions_add_number(&plan->definitions, "IN_UNIT", units.in);
    definitions_add_number(&plan->definitions, "APART", units.apart);
    definitions_add_number(&plan->definitions, "LONG_ROWS", has_long_rows(scan, &units));
    definitions_add_number(&plan->definitions, "OUT_UNIT", units.out);
    definitions_add_number(&plan->definitions, "OUT_ACROSS", units.across);
    if (scan->where) scan_find_fill(&scan->calculation, &plan->parameters.fill);
    scan_define_runs(scan, plan);
    int turned = scan->axis.stride[OPERAND_X] == -scan->axis.stride[OPERAND_OUT];
    plan->puts_together = units.in && units.in < SMALLEST_UNIT && turned && size == 2;
    return 1;
}
