/* SPDX-License-Identifier: MIT
 *
 * scan_plan_columns.c - which scans down columns kernels/scan_columns.cu takes, and how they are dealt out: a thread
 * walks down a few neighbouring columns where there are many of them, or few rows; elsewhere blocks share columns, in
 * chunks of rows. */
#include "scan_plan.h"
#include "whole.h"

#define VECTOR 16 /* bytes */
#define WARP 32
#define WALK_THREADS 128
#define LONE_THREADS 64    /* of long exact sums of odd columns */
#define WALK_AT_ONCE 512   /* if they are no more than that for each processor */
#define WALK_BYTES 8       /* of a row that a thread takes of exact sums, at most */
#define WALK_SHORT 8       /* rows */
#define WALK_DEPTH 8       /* rows of a thread under way, at least */
#define LONE_DEPTH 32      /* the same of folds, if a thread has one column, */
#define LONE_DEPTH_WIDE 16 /* wider than a word, */
#define LONE_ROWS 64       /* and so many rows or more; of words and wider ones */
#define LONE_ROWS_WORDS 16
#define WALKERS 768       /* threads of a processor, if a thread may have fewer columns */
#define FEW_WALKERS 240   /* at least, of exact sums */
#define WALK_MOST_ROWS 32 /* whatever the threads */
#define THREADS 512
#define STAGES 4
#define WORD 4            /* bytes of a row that a thread takes, at least */
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

/* Neighbouring columns whose states the kernels keep together, if a thread has `side`: of extremes and bits of narrow
 * elements those of a word, where one instruction compares a pair of them. */
static int64_t choose_pack(const struct device_limits *limits, const struct calculation *calculation, int64_t side)
{
    int64_t size = type_row(calculation->type)->size;
    if (limits->architecture < 90 || size >= WORD || side % (WORD / size)) return 1;
    if (!scan_results_are_lanes(calculation) || calculation->type == TALLY_BOOL) return 1;
    return calculation->flags & TALLY_SKIP_NAN ? 1 : WORD / size;
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

/* Rows of a thread at once, whether the next ones are under way meanwhile, and blocks of a processor. */
struct walk {
    int64_t depth, ahead, blocks;
};

/* More rows of exact sums, and where threads are few. */
static struct walk walk_of_sums(const struct device_limits *limits, const struct scan *scan, int64_t threads)
{
    struct walk walk = {WALK_DEPTH, 0, 4};
    if (type_row(scan->calculation.type)->size < 8) walk.depth = 2 * WALK_DEPTH;
    if (walk.depth > WALK_DEPTH && threads < limits->processors * WALKERS / 2) walk.depth *= 2;
    walk.depth = least(walk.depth, power_above(scan->axis.extent));
    walk.ahead = scan->axis.extent > walk.depth;
    return walk;
}

/* A thread with one column has few bytes of each row under way, and so more rows, unless columns are short. Measured on
 * an H200. */
static struct walk walk_of_folds(const struct scan *scan, int64_t side)
{
    int64_t size = type_row(scan->calculation.type)->size, result = type_row(scan->calculation.result)->size;
    int64_t rows = scan->axis.extent;
    if (side == 1 && rows >= (size < WORD ? LONE_ROWS : LONE_ROWS_WORDS))
        return (struct walk){size > WORD ? LONE_DEPTH_WIDE : LONE_DEPTH, 1, 4};
    struct walk walk = {least(WALK_DEPTH, power_above(rows)), 0, 8};
    walk.ahead = rows > walk.depth && result > size;
    return walk;
}

/* Threads of a block, where a column is a thread's because no two are aligned together, or not. Measured on an H100. */
static uint32_t walk_threads(const struct device_limits *limits, const struct scan *scan, int is_odd, int64_t threads)
{
    int at_once = threads <= limits->processors * WALK_AT_ONCE && scan->axis.extent > WALK_MOST_ROWS;
    return scan->calculation.method == METHOD_EXACT && is_odd && at_once ? LONE_THREADS : WALK_THREADS;
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
    int is_odd = most > 1 && side == 1;
    while (side > 1 && scan->cells / side < limits->processors * WALKERS) side /= 2;
    int64_t threads = scan->cells / side;
    if (threads < limits->processors * fewest && scan->axis.extent > WALK_MOST_ROWS) return 0;
    struct walk walk = exact ? walk_of_sums(limits, scan, threads) : walk_of_folds(scan, side);
    plan->threads = walk_threads(limits, scan, is_odd, threads);
    plan->blocks = divide_up(threads, plan->threads);
    definitions_add_number(&plan->definitions, "WALK", 1);
    definitions_add_number(&plan->definitions, "THREADS", plan->threads);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE", walk.blocks);
    definitions_add_number(&plan->definitions, "SIDE", side);
    definitions_add_number(&plan->definitions, "PACK", choose_pack(limits, calculation, side));
    definitions_add_number(&plan->definitions, "DEPTH", walk.depth);
    definitions_add_number(&plan->definitions, "LOADS_AHEAD", walk.ahead);
    return 1;
}

/* A chunk's rows of elements or of results, in global memory and in shared memory. */
struct copies {
    int64_t unit;   /* of an access, in bytes */
    int64_t row;    /* bytes of one */
    int64_t pitch;  /* bytes from one to the next in shared memory */
    int64_t skew;   /* what the rows' addresses are multiples of, if kernels/columns_skew.cuh copies them, or 0 */
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
};

/* What the rows of all tiles are aligned to. */
static int64_t unit_of(const struct scan *scan, const struct copies *c, enum operand operand, const void *base,
                       int64_t size)
{
    uintptr_t edges = (uintptr_t)c->row | (uintptr_t)(scan->kept[scan->kept_count - 1].extent * size) |
                      (uintptr_t)alignment_of(scan, operand, base, size);
    return (int64_t)(edges & (0 - edges));
}

/* A pitch with which the vectors that cover a row hold nothing of another, wherever in a vector it begins. */
static int64_t skewed_pitch(int64_t row, int64_t aligned, int64_t global)
{
    int64_t least_pitch = divide_up(row, aligned) * aligned + VECTOR - aligned;
    return least_pitch + ((global - least_pitch) % VECTOR + VECTOR) % VECTOR;
}

/* Vectors, if they are clearly fewer than units that all rows are aligned to, and these are short. */
static struct copies choose_copies(const struct scan *scan, enum operand operand, const void *base, int64_t width,
                                   int64_t size, int64_t most_unit)
{
    int64_t stride = scan->axis.stride[operand], aligned = alignment_of(scan, operand, base, size);
    struct copies c = {.row = width * size, .pitch = width * size};
    c.unit = unit_of(scan, &c, operand, base, size);
    c.linear = scan->kept[scan->kept_count - 1].extent == width && stride == width;
    int64_t vectors = divide_up(c.row + VECTOR - aligned, VECTOR);
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
    return apart % VECTOR == 0;
}

/* How a chunk's rows are copied. */
static void choose_rows(const struct scan *scan, int64_t size, int64_t result, struct layout *l)
{
    int64_t most_unit = result > size ? SKEW_WIDER_UNIT : SKEW_MOST_UNIT;
    l->in = choose_copies(scan, OPERAND_X, scan->x, l->width, size, most_unit);
    l->out = choose_copies(scan, OPERAND_OUT, scan->out, l->width, result, most_unit);
    l->apart = size != result;
    if (l->in.skew || l->out.skew) l->apart |= !l->in.skew || !l->out.skew || !lie_alike(scan, size);
}

/* Sides of a chunk's row. Exact sums of a matrix of few columns have narrower chunks: of those that are under way,
 * fewer lie above each other then, and each looks through fewer. Measured on an H200. */
static int64_t sides_of_chunk(const struct scan *scan, int64_t size, int64_t result, int64_t side)
{
    int64_t inner = scan->kept[scan->kept_count - 1].extent, sides = inner / side, wanted = WARP;
    if (scan->calculation.method != METHOD_EXACT || scan->cells != inner) return WARP;
    if (alignment_of(scan, OPERAND_X, scan->x, size) != VECTOR) return WARP;
    if (alignment_of(scan, OPERAND_OUT, scan->out, result) != VECTOR) return WARP;
    if (size == 8) wanted = sides <= 8 ? 4 : sides <= 32 ? 8 : sides <= 512 ? 16 : WARP;
    else wanted = sides <= 16 ? 8 : sides > 32 && sides <= 256 ? 16 : WARP;
    return inner % (wanted * side) && sides < 4 * wanted ? WARP : wanted;
}

/* Columns of a chunk: all, or those of its sides; where these are a warp's, all chunks alike. */
static int64_t choose_width(const struct scan *scan, int64_t size, int64_t result, int64_t side)
{
    int64_t inner = scan->kept[scan->kept_count - 1].extent;
    int64_t sides = sides_of_chunk(scan, size, result, side), wanted = sides * side;
    if (inner <= wanted) return inner;
    if (sides < WARP) return wanted;
    int64_t unit = VECTOR / size > side ? VECTOR / size : side, tiles = divide_up(inner, wanted);
    return divide_up(divide_up(inner, tiles), unit) * unit;
}

/* A total in the kernel, at most: of the bytes of a word, two words. */
static int64_t total_bytes(const struct calculation *calculation, int64_t pack)
{
    const struct type_row *type = type_row(calculation->type);
    if (calculation->method == METHOD_EXACT) return 16;
    if (pack == WORD) return 2 * WORD;
    return scan_results_are_lanes(calculation) && type->kind == KIND_REAL && type->size <= 4 ? 4 : 8;
}

/* Shared memory of the kernel's own variables, at most. */
static int64_t room_bytes(const struct layout *l, const struct calculation *calculation)
{
    return (STAGES - 1) * (l->warps + 2) * l->totals * total_bytes(calculation, l->pack) + CHUNKS_BYTES;
}

static int64_t stage_bytes(const struct layout *l, const struct copies *copies)
{
    return divide_up(l->part * copies->pitch, VECTOR) * VECTOR;
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
}

/* Whether a thread's columns would reach over the end of a row that one chunk has all of; of several chunks side by
 * side the last one may have columns that are absent. */
static int has_odd_side(int64_t inner, int64_t side)
{
    return inner % side && inner <= 32 * side;
}

/* Columns of a thread: a word of elements, or two where columns are many, have states together and are copied by units
 * of two words at least: half as many chunks lie side by side then. Measured on an H200. */
static int64_t choose_side(const struct device_limits *limits, const struct scan *scan, int64_t size, int64_t result)
{
    int64_t inner = scan->kept[scan->kept_count - 1].extent, side = size < WORD ? WORD / size : 1;
    while (side > 1 && (has_odd_side(inner, side) || side * result > MOST_RESULTS)) side /= 2;
    if (choose_pack(limits, &scan->calculation, side) == 1 || inner <= 2 * WARP * side) return side;
    int64_t aligned =
        least(alignment_of(scan, OPERAND_X, scan->x, size), alignment_of(scan, OPERAND_OUT, scan->out, result));
    return aligned > SKEW_MOST_UNIT ? 2 * side : side;
}

/* The longest runs that fit and leave something to do for all processors. */
static int choose_layout(const struct device_limits *limits, const struct scan *scan, struct layout *l)
{
    const struct calculation *calculation = &scan->calculation;
    int64_t size = type_row(calculation->type)->size, result = type_row(calculation->result)->size;
    int64_t inner = scan->kept[scan->kept_count - 1].extent;
    l->side = choose_side(limits, scan, size, result);
    l->width = choose_width(scan, size, result, l->side);
    l->pack = choose_pack(limits, calculation, l->side);
    l->totals = l->width / l->pack;
    choose_rows(scan, size, result, l);
    l->groups = scan->cells / inner * divide_up(inner, l->width);
    choose_finders(limits, scan, size, l);
    l->warps = THREADS / 32 - 1 - l->finders;
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        int64_t each = 32 / (l->width / l->side) * l->width * size; /* bytes of a row of all runs of a warp */
        int even = each % WORD != 0 && !(l->in.skew && l->out.skew);
        if (runs[i].skewed && !l->in.skew && !l->out.skew) continue;
        if (even ? runs[i].rows % WORD : l->width < 32 * l->side && runs[i].rows % 2 == 0) continue;
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

/* What the rows of a warp's part, which lie without gaps, are aligned to together. */
static int64_t linear_unit(const struct scan *scan, const struct layout *l, enum operand operand, const void *base,
                           int64_t size)
{
    uintptr_t edges = (uintptr_t)base | VECTOR | (uintptr_t)(l->part * l->width * size);
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
    define_copies(&l, &plan->definitions);
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
