/* SPDX-License-Identifier: MIT
 *
 * scan_plan_columns.c - which scans down columns kernels/scan_columns/scan_columns.cu takes, and how they are dealt
 * out: a thread walks down a few neighbouring columns where there are many of them, or few rows; a warp goes through
 * matrices of few columns; elsewhere blocks share columns, in chunks of rows. */
#include "scan_plan_chunks.h"
#include "scan_plan_columns.h"
#include "whole.h"

#define WARP 32
#define THREADS 512
#define STAGES 4
#define MOST_RESULTS 8    /* bytes of a row that a thread makes, if it has several columns */
#define SKEW_LEAST_ROW 32 /* bytes of a chunk's row that is copied in vectors, whatever it is aligned to, */
#define SKEW_GAIN 4       /* if so many vectors take the place */
#define SKEW_GAIN_OF 3    /* of so many units, at least */
#define SKEW_MOST_UNIT 4  /* bytes, and where results are wider than elements: measured on an H200 */
#define SKEW_WIDER_UNIT 8
#define MOST_LANES 16
#define MOST_FINDERS 4
#define CHUNKS_OF_LANE 24
#define NARROW_FINDERS 6 /* where chunks of 4-byte floats have NARROW columns */
#define NARROW_CHUNKS 8
#define NARROW 16
#define MOST_LOOKS 8
#define LEAST_WIDE_SUMS 448  /* columns whose rows begin inside of sectors: then a thread has two of exact sums, */
#define LEAST_WIDE_FOLDS 192 /* or four of folds, */
#define IDLE_OF 8            /* if of so many no more than one is absent, */
#define LEAST_WIDE_RUN 8     /* and threads have so many rows */
#define PARTS_CACHE_BYTES ((size_t)55 << 20) /* of a GPU that writes parts of sectors nearly as fast as whole ones */
#define NEAR_BYTES 16                        /* from column to column, where a thread has one */
#define CHUNKS_BYTES 640                     /* of shared memory, for what is known of chunks */
#define MOST_ROOM 49152                      /* of the kernel's own variables */
#define RESERVED_BYTES 1024                  /* of shared memory, the hardware's own */

/* Whether neighbouring columns share sectors. */
static int lie_near(const struct scan *scan)
{
    const struct calculation *calculation = &scan->calculation;
    const struct loop *inner = &scan->kept[scan->kept_count - 1];
    int64_t x = inner->stride[OPERAND_X] * type_row(calculation->type)->size;
    int64_t out = inner->stride[OPERAND_OUT] * type_row(calculation->result)->size;
    return x != 0 && x >= -NEAR_BYTES && x <= NEAR_BYTES && out >= -NEAR_BYTES && out <= NEAR_BYTES;
}

/* Scans that the kernels have programs for, down columns beside each other. */
static int is_suitable(const struct scan *scan)
{
    const struct calculation *calculation = &scan->calculation;
    int real = type_row(calculation->type)->kind == KIND_REAL && type_row(calculation->result)->kind == KIND_REAL;
    uint64_t fill;
    if (scan->where && (calculation->ordered || !scan_find_fill(calculation, &fill))) return 0;
    if (calculation->flags & TALLY_CHECK_OVERFLOW) return 0;
    if (calculation->ordered && scan->states) return 0;
    if (calculation->method == METHOD_FOLD && program_parts(calculation) != 1 && !calculation->ordered) return 0;
    if (calculation->method != METHOD_FOLD && !(calculation->method == METHOD_EXACT && real)) return 0;
    if (scan->kept_count < 1 || scan->cells < 1) return 0;
    return scan->kept[scan->kept_count - 1].extent > 1 && (scan_columns_lie_beside(scan) || lie_near(scan));
}

int scan_columns_lie_beside(const struct scan *scan)
{
    const struct loop *inner = &scan->kept[scan->kept_count - 1];
    return inner->stride[OPERAND_X] == 1 && inner->stride[OPERAND_OUT] == 1;
}

/* Of truth values, what any fold of them is, too. */
static int is_truth_of_bytes(const struct calculation *calculation)
{
    int is_truth = calculation->type == TALLY_BOOL && calculation->result == TALLY_BOOL;
    return scan_runs_are_truth(calculation) || (is_truth && scan_results_are_lanes(calculation));
}

int64_t scan_columns_pack(const struct device_limits *limits, const struct calculation *calculation, int64_t side)
{
    int64_t size = type_row(calculation->type)->size;
    if (limits->architecture < 90 || size >= SCAN_WORD || side % (SCAN_WORD / size)) return 1;
    if (is_truth_of_bytes(calculation)) return SCAN_WORD;
    if (!scan_results_are_lanes(calculation)) return 1;
    return calculation->flags & TALLY_SKIP_NAN ? 1 : SCAN_WORD / size;
}

static int64_t alignment_up_to(int64_t most, const struct scan *scan, enum operand operand)
{
    const struct calculation *calculation = &scan->calculation;
    int is_result = operand == OPERAND_OUT;
    int64_t size = type_row(is_result ? calculation->result : calculation->type)->size;
    uintptr_t edges = is_result ? (uintptr_t)scan->out : (uintptr_t)scan->x;
    edges |= (uintptr_t)most | (uintptr_t)(scan->axis.extent > 1 ? scan->axis.stride[operand] * size : 0);
    for (int32_t d = 0; d + 1 < scan->kept_count; d++) edges |= (uintptr_t)(scan->kept[d].stride[operand] * size);
    return (int64_t)(edges & (0 - edges));
}

int64_t scan_columns_alignment(const struct scan *scan, enum operand operand)
{
    return alignment_up_to(VECTOR_BYTES, scan, operand);
}

int scan_columns_have_whole_sectors(const struct scan *scan)
{
    return alignment_up_to(SCAN_SECTOR, scan, OPERAND_OUT) == SCAN_SECTOR;
}

/* Whether blocks may share sectors of results: with them an H200 (60 MB of cache) takes 0.85 of the time that wide
 * chunks take, an H100 (50) 1.4 times as long. Others were not timed. */
static int parts_of_sectors_are_quick(const struct device_limits *limits)
{
    return limits->cache_bytes >= PARTS_CACHE_BYTES;
}

/* A chunk's rows of elements or of results, in global memory and in shared memory. */
struct copies {
    int64_t unit;  /* of an access, in bytes */
    int64_t row;   /* bytes of one */
    int64_t pitch; /* bytes from one to the next in shared memory */
    int64_t skew; /* what the rows' addresses are multiples of, if kernels/scan_columns/columns_skew.cuh copies them, or
                     0 */
    int64_t linear; /* they lie without gaps */
};

/* How blocks share columns. */
struct layout {
    struct copies in, out;
    int64_t apart;                   /* results do not go where elements were */
    int64_t width, side, run, depth; /* columns of a chunk, of a thread; rows of a thread, and of these at once */
    int64_t pack, totals;            /* columns that have one total, and totals of a chunk */
    int64_t part, rows;              /* rows of a warp, of a chunk */
    int64_t finders, warps;          /* warps that look for prefixes, and that have parts */
    int64_t groups, splits;          /* chunks beside and above each other */
    int64_t lanes;                   /* threads that look for a column */
    int64_t links; /* they do so in totals of one word or double each, as long as there are only such */
};

/* What the rows of all tiles are aligned to. */
static int64_t unit_of(const struct scan *scan, const struct copies *c, enum operand operand, int64_t size)
{
    uintptr_t edges = (uintptr_t)c->row | (uintptr_t)(scan->kept[scan->kept_count - 1].extent * size) |
                      (uintptr_t)scan_columns_alignment(scan, operand);
    return (int64_t)(edges & (0 - edges));
}

/* A pitch with which the vectors that cover a row hold nothing of another, wherever in a vector it begins. */
static int64_t skewed_pitch(int64_t row, int64_t aligned, int64_t global)
{
    int64_t least_pitch = divide_up(row, aligned) * aligned + VECTOR_BYTES - aligned;
    return least_pitch + ((global - least_pitch) % VECTOR_BYTES + VECTOR_BYTES) % VECTOR_BYTES;
}

/* Vectors, if they are clearly fewer than units that all rows are aligned to, and these are short. */
static struct copies choose_copies(const struct scan *scan, enum operand operand, int64_t width, int64_t size,
                                   int64_t most_unit)
{
    int64_t inner = scan->kept[scan->kept_count - 1].extent, stride = scan->axis.stride[operand];
    int64_t edges = scan_columns_alignment(scan, operand) | (inner > width ? width * size : 0); /* of chunks' rows */
    int64_t aligned = edges & -edges;
    struct copies c = {.row = width * size, .pitch = width * size};
    c.unit = unit_of(scan, &c, operand, size);
    c.linear = inner == width && stride == width;
    int64_t vectors = divide_up(c.row + VECTOR_BYTES - aligned, VECTOR_BYTES);
    if (c.linear || c.unit > most_unit || c.row < SKEW_LEAST_ROW) return c;
    if (vectors * SKEW_GAIN > c.row / c.unit * SKEW_GAIN_OF) return c;
    c.skew = aligned;
    c.pitch = skewed_pitch(c.row, aligned, stride * size);
    return c;
}

/* Whether each result lies in its vector as its element does. */
static int lie_alike(const struct scan *scan, int64_t size)
{
    uintptr_t apart = (uintptr_t)scan->x - (uintptr_t)scan->out;
    apart |= (uintptr_t)((scan->axis.stride[OPERAND_X] - scan->axis.stride[OPERAND_OUT]) * size);
    for (int32_t d = 0; d + 1 < scan->kept_count; d++)
        apart |= (uintptr_t)((scan->kept[d].stride[OPERAND_X] - scan->kept[d].stride[OPERAND_OUT]) * size);
    return apart % VECTOR_BYTES == 0;
}

/* How a chunk's rows are copied. */
static void choose_rows(const struct scan *scan, int64_t size, int64_t result, struct layout *l)
{
    int64_t most_unit = result > size ? SKEW_WIDER_UNIT : SKEW_MOST_UNIT;
    l->in = choose_copies(scan, OPERAND_X, l->width, size, most_unit);
    l->out = choose_copies(scan, OPERAND_OUT, l->width, result, most_unit);
    l->apart = size != result;
    if (l->in.skew || l->out.skew) l->apart |= !l->in.skew || !l->out.skew || !lie_alike(scan, size);
}

/* Sides of a chunk's row. Exact sums of a matrix of few columns have narrower chunks: of those that are under way,
 * fewer lie above each other then, and each looks through fewer. Measured on an H200, and on an H100 where sectors are
 * shared. */
static int64_t sides_of_chunk(const struct device_limits *limits, const struct scan *scan, int64_t size, int64_t side)
{
    int shares = parts_of_sectors_are_quick(limits) || scan_columns_have_whole_sectors(scan);
    int64_t inner = scan->kept[scan->kept_count - 1].extent, sides = inner / side, wanted = WARP;
    if (scan->calculation.method != METHOD_EXACT || scan->cells != inner) return WARP;
    if (scan_columns_alignment(scan, OPERAND_X) != VECTOR_BYTES) return WARP;
    if (scan_columns_alignment(scan, OPERAND_OUT) != VECTOR_BYTES) return WARP;
    if (size == 8) wanted = sides <= 8 ? 4 : sides <= 32 ? 8 : sides <= 512 ? 16 : WARP;
    else if (sides <= 16) wanted = 8;
    else if (sides > (size == 4 ? 64 : 32) && sides <= 256 && shares) wanted = 16;
    return inner % (wanted * side) && sides < 4 * wanted ? WARP : wanted;
}

/* Columns of a chunk: all, or those of its sides; where these are a warp's, all chunks alike. */
static int64_t choose_width(const struct device_limits *limits, const struct scan *scan, int64_t size, int64_t side)
{
    int64_t inner = scan->kept[scan->kept_count - 1].extent;
    int64_t sides = sides_of_chunk(limits, scan, size, side), wanted = sides * side;
    if (inner <= wanted) return inner;
    if (sides < WARP || (size == SCAN_WORD && side > 1)) return wanted;
    int64_t unit = VECTOR_BYTES / size > side ? VECTOR_BYTES / size : side, tiles = divide_up(inner, wanted);
    return divide_up(divide_up(inner, tiles), unit) * unit;
}

/* A total in the kernel, at most: of the bytes of a word, two words. */
static int64_t total_bytes(const struct calculation *calculation, int64_t pack)
{
    const struct type_row *type = type_row(calculation->type);
    if (calculation->method == METHOD_EXACT) return 16;
    if (pack == SCAN_WORD) return 2 * SCAN_WORD;
    return scan_results_are_lanes(calculation) && type->kind == KIND_REAL && type->size <= 4 ? 4 : 8;
}

/* Shared memory of the kernel's own variables, at most. */
static int64_t room_bytes(const struct layout *l, const struct calculation *calculation)
{
    return (STAGES - 1) * (l->warps + 2) * l->totals * total_bytes(calculation, l->pack) + CHUNKS_BYTES;
}

static int64_t stage_bytes(const struct layout *l, const struct copies *copies)
{
    return divide_up(l->part * copies->pitch, VECTOR_BYTES) * VECTOR_BYTES;
}

static int64_t chunk_bytes(const struct layout *l)
{
    return l->warps * (STAGES * stage_bytes(l, &l->in) + (l->apart ? stage_bytes(l, &l->out) : 0));
}

/* Rows of a thread, and how many at once. Odd numbers keep banks apart; where a warp's rows would then begin anywhere,
 * others let words be copied. Skewed rows take more room, and so leave some to other numbers. */
static const struct run {
    int8_t rows, at_once, skewed;
} runs[] = {{64, 8, 0}, {45, 9, 0}, {36, 9, 0}, {27, 9, 0}, {24, 8, 1}, {20, 5, 0}, {16, 8, 1}, {15, 5, 0},
            {12, 6, 0}, {9, 9, 0},  {8, 8, 0},  {7, 7, 0},  {5, 5, 0},  {4, 4, 0},  {3, 3, 0},  {1, 1, 0}};

/* The more chunks lie between one and the prefix that it finds, the more lanes look for a total. */
static void choose_finders(const struct device_limits *limits, const struct scan *scan, int64_t size, struct layout *l)
{
    int64_t inner = scan->kept[scan->kept_count - 1].extent;
    int narrow = scan->calculation.method == METHOD_EXACT && size == 4 && l->width == NARROW && inner > NARROW;
    int64_t most = narrow ? NARROW_FINDERS : MOST_FINDERS, chunks = narrow ? NARROW_CHUNKS : CHUNKS_OF_LANE;
    l->lanes = least(MOST_LANES, power_above(divide_up(divide_up(limits->processors, l->groups), chunks)));
    while (l->lanes > 1 && l->totals * l->lanes > 32 * most) l->lanes /= 2;
    l->finders = least(most, divide_up(l->totals * l->lanes, 32));
    l->links = scan->calculation.method != METHOD_EXACT || (size < 8 && l->lanes > 1 && !narrow);
}

/* Whether a thread's columns would reach over the end of a row that one chunk has all of; of several chunks side by
 * side the last one may have columns that are absent. */
static int has_odd_side(int64_t inner, int64_t side)
{
    return inner % side && inner <= 32 * side;
}

/* Words of a thread, where chunks share the sectors at their edges: wide chunks do so less often. Measured on an H100,
 * and of exact sums on an H200. */
static int64_t words_of_side(const struct device_limits *limits, const struct scan *scan, int64_t size, int64_t result)
{
    int64_t inner = scan->kept[scan->kept_count - 1].extent;
    if (size != SCAN_WORD || scan_columns_have_whole_sectors(scan)) return 1;
    int64_t words = result > SCAN_WORD ? 2 : 4;
    if (scan->calculation.method == METHOD_EXACT)
        words = inner < LEAST_WIDE_SUMS || result > SCAN_WORD || parts_of_sectors_are_quick(limits) ? 1 : 2;
    else if (inner < LEAST_WIDE_FOLDS) words = 1;
    while (words > 1 && divide_up(inner, WARP * words) * WARP * words * IDLE_OF > inner * (IDLE_OF + 1)) words /= 2;
    return words;
}

/* Columns of a thread: a word of elements, or two where columns are many, have states together and are copied by units
 * of two words at least: half as many chunks lie side by side then. Measured on an H200. */
static int64_t choose_side(const struct device_limits *limits, const struct scan *scan, int64_t size, int64_t result)
{
    int64_t inner = scan->kept[scan->kept_count - 1].extent, side = size < SCAN_WORD ? SCAN_WORD / size : 1;
    if (size == SCAN_WORD) return words_of_side(limits, scan, size, result);
    while (side > 1 && (has_odd_side(inner, side) || side * result > MOST_RESULTS)) side /= 2;
    if (scan_columns_pack(limits, &scan->calculation, side) == 1 || inner <= 2 * WARP * side) return side;
    int64_t aligned = least(scan_columns_alignment(scan, OPERAND_X), scan_columns_alignment(scan, OPERAND_OUT));
    return aligned > SKEW_MOST_UNIT ? 2 * side : side;
}

/* The longest runs that fit and leave something to do for all processors. */
static int lay_out(const struct device_limits *limits, const struct scan *scan, int64_t side, struct layout *l)
{
    const struct calculation *calculation = &scan->calculation;
    int64_t size = type_row(calculation->type)->size, result = type_row(calculation->result)->size;
    int64_t inner = scan->kept[scan->kept_count - 1].extent;
    l->side = side;
    l->width = choose_width(limits, scan, size, l->side);
    l->pack = scan_columns_pack(limits, calculation, l->side);
    l->totals = l->width / l->pack;
    choose_rows(scan, size, result, l);
    l->groups = scan->cells / inner * divide_up(inner, l->width);
    choose_finders(limits, scan, size, l);
    l->warps = THREADS / 32 - 1 - l->finders;
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        int64_t each = 32 / (l->width / l->side) * l->width * size; /* bytes of a row of all runs of a warp */
        int even = each % SCAN_WORD != 0 && !(l->in.skew && l->out.skew);
        if (runs[i].skewed && !l->in.skew && !l->out.skew) continue;
        if (even ? runs[i].rows % SCAN_WORD : l->width < 32 * l->side && runs[i].rows % 2 == 0) continue;
        l->run = runs[i].rows;
        l->depth = runs[i].at_once;
        l->part = 32 / (l->width / l->side) * l->run;
        l->rows = l->warps * l->part;
        l->splits = divide_up(scan->axis.extent, l->rows);
        int64_t room = room_bytes(l, calculation), bytes = room + RESERVED_BYTES + chunk_bytes(l);
        if (room > MOST_ROOM || bytes > (int64_t)limits->shared_bytes) continue;
        if (l->splits * l->groups >= 2 * limits->processors) return 1;
    }
    return 0;
}

/* Wide sides, unless they leave short runs. */
static int choose_layout(const struct device_limits *limits, const struct scan *scan, struct layout *l)
{
    const struct calculation *calculation = &scan->calculation;
    int64_t size = type_row(calculation->type)->size;
    int64_t side = choose_side(limits, scan, size, type_row(calculation->result)->size);
    for (; size == SCAN_WORD && side > 1; side /= 2) {
        if (lay_out(limits, scan, side, l) && l->run >= LEAST_WIDE_RUN) return 1;
    }
    return lay_out(limits, scan, side, l);
}

/* What the rows of a warp's part, which lie without gaps, are aligned to together. */
static int64_t linear_unit(const struct scan *scan, const struct layout *l, enum operand operand, const void *base,
                           int64_t size)
{
    uintptr_t edges = (uintptr_t)base | VECTOR_BYTES | (uintptr_t)(l->part * l->width * size);
    for (int32_t d = 0; d + 1 < scan->kept_count; d++) edges |= (uintptr_t)(scan->kept[d].stride[operand] * size);
    return (int64_t)(edges & (0 - edges));
}

static void define_copies(const struct layout *l, struct definitions *definitions)
{
    definitions_add_number(definitions, "LINEAR_IN", l->in.linear);
    definitions_add_number(definitions, "LINEAR_OUT", l->out.linear);
    definitions_add_number(definitions, "UNIT_IN", l->in.unit);
    definitions_add_number(definitions, "UNIT_OUT", l->out.unit);
    definitions_add_number(definitions, "SKEW_IN", l->in.skew);
    definitions_add_number(definitions, "SKEW_OUT", l->out.skew);
    definitions_add_number(definitions, "PITCH_IN", l->in.pitch);
    definitions_add_number(definitions, "PITCH_OUT", l->out.pitch);
    definitions_add_number(definitions, "APART", l->apart);
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
    if (l.in.linear) l.in.unit = linear_unit(scan, &l, OPERAND_X, scan->x, size);
    if (l.out.linear) l.out.unit = linear_unit(scan, &l, OPERAND_OUT, scan->out, result);
    plan->threads = THREADS;
    plan->blocks = least(l.splits * l.groups, limits->processors);
    plan->shared_bytes = (uint32_t)chunk_bytes(&l);
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
    definitions_add_number(&plan->definitions, "PACK", l.pack);
    definitions_add_number(&plan->definitions, "RUN", l.run);
    definitions_add_number(&plan->definitions, "DEPTH", l.depth);
    definitions_add_number(&plan->definitions, "LANES", l.lanes);
    definitions_add_number(&plan->definitions, "LOOKS", least(looks, MOST_LOOKS));
    definitions_add_number(&plan->definitions, "LINKS", l.links);
    define_copies(&l, &plan->definitions);
    return 1;
}

int scan_plan_columns(const struct device_limits *limits, const struct scan *scan, size_t state_bytes,
                      struct scan_plan *plan)
{
    if (!is_suitable(scan)) return 0;
    plan->parameters.reduce.splits = 1;
    if (scan->calculation.ordered) {
        if (!scan_plan_walk_ordered(limits, scan, state_bytes, plan)) return 0;
    } else if (!scan_plan_tiles(limits, scan, plan) && !scan_plan_walk(limits, scan, plan)) {
        if (scan->where || !scan_columns_lie_beside(scan)) return 0;
        if (!plan_wave(limits, scan, state_bytes, plan)) return 0;
    }
    if (scan->where) scan_find_fill(&scan->calculation, &plan->parameters.fill);
    plan->file = "scan_columns.cu";
    definitions_add_number(&plan->definitions, "EXCLUSIVE", plan->parameters.exclusive);
    definitions_add_number(&plan->definitions, "RESULTS_ARE_LANES", scan_results_are_lanes(&scan->calculation));
    return 1;
}
