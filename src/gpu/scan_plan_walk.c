/* SPDX-License-Identifier: MIT
 *
 * scan_plan_walk.c - which scans down columns go by threads that walk down a few neighbouring ones
 * (kernels/scan_columns/columns_walk.cuh). */
#include "scan_plan_columns.h"
#include "scan_state.h"
#include "whole.h"

#define WARP_COLUMNS 32
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
#define LONE_WALKERS 480  /* at least, of folds of words whose warps overlap, */
#define FEW_WALKERS 240   /* of exact sums, */
#define WALK_MOST_ROWS 32 /* whatever the threads */
#define OVERLAP_LANES 2   /* for each column, at most, where warps overlap */
#define ORDERED_RUN 16    /* rows of a run of ordered folds, */
#define ORDERED_LEVELS 5  /* whose totals in a group take so many steps, */
#define ORDERED_FEW 2     /* and with more than these a thread has a word of a row */
#define APART_WALKERS \
    48 /* threads of a processor, at least, of ordered folds, masked scans and columns that lie apart */
#define SPLIT_WALKERS 72  /* the same of ordered folds with a block of the axis each, */
#define GROUP_WALKERS 160 /* and, with a group of a block each, at most; of narrow elements */
#define GROUP_WALKERS_NARROW 256
#define GROUP_COLUMNS 48  /* columns, at least: threads of a warp have neighbouring ones */
#define MOST_GROUPS 3072  /* that one thread chains */
#define POWER_WALKERS 200 /* and of logsumexp, of columns side by side and so many rows */
#define POWER_ROWS 512
#define MASKED_DEPTH 8 /* rows of masked scans: the masks' bytes take registers, too */
#define MASK_BYTES 8   /* of a mask that a thread reads at once, at most */

/* Neighbouring columns that one access takes, of elements and of results: at most so many. */
static int64_t walk_side(const struct scan *scan, int64_t size, int64_t result, int64_t most)
{
    int64_t aligned = scan_columns_alignment(scan, OPERAND_X), out = scan_columns_alignment(scan, OPERAND_OUT);
    int64_t side = most;
    while (side > 1 && (aligned % (side * size) || out % least(side * result, VECTOR_BYTES) ||
                        scan->kept[scan->kept_count - 1].extent % side))
        side /= 2;
    return side;
}

/* Columns of a thread, at most: few of exact sums, which need registers, but more where a thread ends soon after it
 * began. */
static int64_t walk_most(const struct scan *scan, int64_t size)
{
    int few = scan->calculation.method == METHOD_EXACT && (size != 4 || scan->axis.extent > WALK_SHORT);
    return (few ? WALK_BYTES : VECTOR_BYTES) / size;
}

/* The same of a mask's bytes. */
static int64_t mask_side(const struct scan *scan)
{
    uintptr_t edges = (uintptr_t)scan->where | MASK_BYTES | (uintptr_t)scan->axis.stride[OPERAND_WHERE];
    if (scan->kept[scan->kept_count - 1].stride[OPERAND_WHERE] != 1) return 1;
    for (int32_t d = 0; d + 1 < scan->kept_count; d++) edges |= (uintptr_t)scan->kept[d].stride[OPERAND_WHERE];
    return (int64_t)(edges & (0 - edges));
}

/* A warp's columns, but those that the next one has, too. */
static int64_t warps_of_overlaps(const struct scan *scan)
{
    int64_t inner = scan->kept[scan->kept_count - 1].extent;
    int64_t before = SCAN_SECTOR / type_row(scan->calculation.result)->size - 1;
    return scan->cells / inner * divide_up(inner + before, WARP_COLUMNS - before);
}

/* Whether neighbouring warps have some columns together (kernels/scan_columns/columns_walk.cuh). In place, one would
 * read what the other wrote. Of exact sums in 2 bytes warps would have half of their columns alone, which takes longer.
 * Measured on an H100. */
static int choose_overlaps(const struct scan *scan, int64_t side)
{
    int64_t result = type_row(scan->calculation.result)->size;
    int64_t least_result = scan->calculation.method == METHOD_EXACT ? SCAN_WORD : SCAN_WORD / 2;
    if (side > 1 || result < least_result || scan->axis.extent <= WALK_MOST_ROWS) return 0;
    if (warps_of_overlaps(scan) * WARP_COLUMNS > scan->cells * OVERLAP_LANES) return 0;
    return scan->x != scan->out && !scan_columns_have_whole_sectors(scan);
}

/* Rows of a thread at once, whether the next ones are under way meanwhile, and blocks of a processor. */
struct walk {
    int64_t depth, ahead, blocks;
};

/* More rows of exact sums, and where threads are few. */
static struct walk walk_of_sums(const struct device_limits *limits, const struct scan *scan, int64_t threads,
                                int overlaps)
{
    int64_t few = limits->processors * (overlaps ? WALK_AT_ONCE : WALKERS / 2);
    struct walk walk = {WALK_DEPTH, 0, 4};
    if (type_row(scan->calculation.type)->size < 8) walk.depth = 2 * WALK_DEPTH;
    if (walk.depth > WALK_DEPTH && threads < few) walk.depth *= 2;
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
    if (side == 1 && rows >= (size < SCAN_WORD ? LONE_ROWS : LONE_ROWS_WORDS))
        return (struct walk){size > SCAN_WORD ? LONE_DEPTH_WIDE : LONE_DEPTH, 1, 4};
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
int scan_plan_walk(const struct device_limits *limits, const struct scan *scan, struct scan_plan *plan)
{
    const struct calculation *calculation = &scan->calculation;
    int exact = calculation->method == METHOD_EXACT;
    int64_t size = type_row(calculation->type)->size, result = type_row(calculation->result)->size;
    int64_t most = walk_most(scan, size);
    int beside = scan_columns_lie_beside(scan);
    if (most > VECTOR_BYTES / result) most = VECTOR_BYTES / result;
    if (scan->where) most = least(most, mask_side(scan));
    int64_t side = walk_side(scan, size, result, most < 1 || !beside ? 1 : most);
    int is_odd = most > 1 && side == 1;
    while (side > 1 && scan->cells / side < limits->processors * WALKERS) side /= 2;
    int64_t threads = scan->cells / side;
    int overlaps = beside && choose_overlaps(scan, side);
    int64_t fewest = exact ? FEW_WALKERS : overlaps && size == SCAN_WORD ? LONE_WALKERS : WALKERS;
    if (scan->where || !beside) fewest = APART_WALKERS;
    if (threads < limits->processors * fewest && scan->axis.extent > WALK_MOST_ROWS) return 0;
    struct walk walk = exact ? walk_of_sums(limits, scan, threads, overlaps) : walk_of_folds(scan, side);
    if (scan->where) walk.depth = least(walk.depth, MASKED_DEPTH);
    plan->threads = walk_threads(limits, scan, is_odd, threads);
    plan->blocks = divide_up(overlaps ? warps_of_overlaps(scan) * WARP_COLUMNS : threads, plan->threads);
    definitions_add_number(&plan->definitions, "WALK", 1);
    definitions_add_number(&plan->definitions, "THREADS", plan->threads);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE", walk.blocks);
    definitions_add_number(&plan->definitions, "SIDE", side);
    definitions_add_number(&plan->definitions, "PACK", scan_columns_pack(limits, calculation, side));
    definitions_add_number(&plan->definitions, "DEPTH", walk.depth);
    definitions_add_number(&plan->definitions, "LOADS_AHEAD", walk.ahead);
    definitions_add_number(&plan->definitions, "OVERLAPS", overlaps);
    return 1;
}

/* Steps of the Kogge-Stone scan over a group's runs that an axis is long enough for. */
static int64_t ordered_levels(int64_t rows)
{
    int64_t levels = 0;
    while (levels < ORDERED_LEVELS && ORDERED_RUN << levels < rows) levels++;
    return levels;
}

static int64_t ordered_state_bytes(const struct calculation *calculation)
{
    const struct type_row *type = type_row(calculation->type);
    int is_narrow = type->kind & KIND_FLOAT && type_row(type->real_part)->size <= 4;
    if (calculation->combine == COMBINE_MULTIPLY_REAL) is_narrow = 0;
    return program_parts(calculation) * (is_narrow ? 4 : 8);
}

static int has_powers(const struct scan *scan)
{
    return scan->calculation.combine == COMBINE_ADD_POWERS;
}

/* How threads share columns of ordered folds: columns of a thread, parts of the axis, and how many rows these have:
 * all, those of a block, or of a group. */
struct sharing {
    int64_t side, splits, units;
};

/* Blocks of the axis that threads have each for themselves, where columns alone would be too few of them; 0: runs of
 * all columns are better computed side by side (scan_ordered.cu). Measured on an H100: logsumexp computes more, and
 * needs more threads for that. */
static int64_t ordered_splits(const struct device_limits *limits, const struct scan *scan, int64_t columns)
{
    int64_t rows = scan->axis.extent, blocks = divide_up(rows, SCAN_BLOCK);
    int powers = has_powers(scan) && rows >= POWER_ROWS && scan_columns_lie_beside(scan);
    int has_few = columns < limits->processors * APART_WALKERS;
    if (rows <= WALK_MOST_ROWS || columns >= limits->processors * (powers ? POWER_WALKERS : APART_WALKERS)) return 1;
    if (powers && (!has_few || type_row(scan->calculation.type)->size >= SCAN_WORD)) return 0;
    return blocks > 1 && blocks * columns >= limits->processors * SPLIT_WALKERS ? blocks : 0;
}

/* Whether groups of blocks, which are read twice, are so many threads more that this does not matter: with 76 threads
 * of each processor without them, they take 0.78 of the time, with 189 of f32 1.35 times as long. Measured on an H200.
 */
static int share_groups(const struct device_limits *limits, const struct scan *scan, const struct sharing *sharing)
{
    int64_t threads = scan->cells / sharing->side * (sharing->splits > 0 ? sharing->splits : 1);
    int64_t groups = divide_up(scan->axis.extent, SCAN_GROUP);
    int is_narrow = type_row(scan->calculation.type)->size < SCAN_WORD;
    int64_t most = limits->processors * (is_narrow ? GROUP_WALKERS_NARROW : GROUP_WALKERS);
    if (scan->cells / sharing->side < GROUP_COLUMNS) return 0;
    if (has_powers(scan) || groups < 2 || groups > MOST_GROUPS || threads >= most) return 0;
    return groups * scan->cells / sharing->side >= limits->processors * SPLIT_WALKERS;
}

static struct sharing choose_sharing(const struct device_limits *limits, const struct scan *scan, int64_t most_side)
{
    struct sharing sharing = {most_side, 1, scan->axis.extent};
    while (sharing.side > 1 && scan->cells / sharing.side < limits->processors * WALKERS) sharing.side /= 2;
    sharing.splits = ordered_splits(limits, scan, scan->cells / sharing.side);
    if (sharing.splits > 1) sharing.units = SCAN_BLOCK;
    if (!share_groups(limits, scan, &sharing)) return sharing;
    sharing.units = SCAN_GROUP;
    sharing.splits = divide_up(scan->axis.extent, SCAN_GROUP);
    while (2 * sharing.side <= most_side &&
           sharing.splits * scan->cells / (2 * sharing.side) >= limits->processors * WALKERS)
        sharing.side *= 2;
    return sharing;
}

static int by_groups(const struct sharing *sharing)
{
    return sharing->splits > 1 && sharing->units == SCAN_GROUP;
}

/* What scan_chain.cu is compiled with, and what it tells the others. */
static void define_splits(const struct scan *scan, const struct sharing *sharing, size_t state_bytes,
                          struct scan_plan *plan)
{
    struct reduce_parameters *p = &plan->parameters.reduce;
    static const char *const unused[] = {"X_WAY", "X_UNIT", "OUT_WAY", "OUT_UNIT", "ONE_CELL"};
    definitions_add_number(&plan->definitions, "SPLITS", sharing->splits > 1);
    definitions_add_number(&plan->definitions, "CHAINS_GROUPS", by_groups(sharing));
    if (sharing->splits == 1) return;
    for (size_t i = 0; i < sizeof unused / sizeof *unused; i++)
        definitions_add_number(&plan->definitions, unused[i], 0);
    p->splits = sharing->splits;
    p->split_units = sharing->units;
    plan->blocks *= sharing->splits;
    plan->chains = by_groups(sharing) ? divide_up(scan->cells, plan->threads) : scan->cells;
    plan->total_bytes = (size_t)(sharing->splits * scan->cells) * state_bytes;
}

/* Rows of a thread at once. Threads with a group each are few, and wait for memory with more of them 0.84 of the time;
 * with twice as many again registers do not do. Measured on an H200. */
static int64_t ordered_depth(const struct calculation *calculation, int64_t bytes, const struct sharing *sharing)
{
    if (by_groups(sharing) && program_parts(calculation) == 1) return 2 * ORDERED_RUN;
    return bytes > SCAN_WORD ? ORDERED_RUN / 2 : ORDERED_RUN;
}

/* Where columns are few, threads that share some, of narrow results nearly half of theirs, would be longer in computing
 * than sectors are in being written in parts; of logsumexp always. */
int scan_plan_walk_ordered(const struct device_limits *limits, const struct scan *scan, size_t state_bytes,
                           struct scan_plan *plan)
{
    const struct calculation *calculation = &scan->calculation;
    int64_t size = type_row(calculation->type)->size, result = type_row(calculation->result)->size;
    int64_t rows = scan->axis.extent, levels = ordered_levels(rows);
    int64_t most = (levels > ORDERED_FEW ? SCAN_WORD : VECTOR_BYTES) / (size > result ? size : result);
    if (scan_columns_alignment(scan, OPERAND_X) % size || scan_columns_alignment(scan, OPERAND_OUT) % result) return 0;
    int beside = scan_columns_lie_beside(scan);
    int64_t side = walk_side(scan, size, result, most < 1 || !beside ? 1 : most);
    struct sharing sharing = choose_sharing(limits, scan, side);
    if (sharing.splits == 0) return 0;
    side = sharing.side;
    int64_t threads = scan->cells / side, splits = sharing.splits;
    int64_t depth = ordered_depth(calculation, side * size, &sharing);
    int overlaps = beside && (splits == 1 || result >= SCAN_WORD) && choose_overlaps(scan, side);
    overlaps = overlaps && !has_powers(scan);
    depth = least(depth, power_above(rows));
    int64_t block = splits > 1 && splits * threads < limits->processors * WALK_AT_ONCE ? LONE_THREADS : WALK_THREADS;
    plan->threads = (uint32_t)block;
    plan->blocks = divide_up(overlaps ? warps_of_overlaps(scan) * WARP_COLUMNS : threads, block);
    plan->shared_bytes = (uint32_t)(block * side * ((1 << levels) - 1) * ordered_state_bytes(calculation));
    definitions_add_number(&plan->definitions, "WALK", 1);
    definitions_add_number(&plan->definitions, "THREADS", block);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE", 4);
    definitions_add_number(&plan->definitions, "SIDE", side);
    definitions_add_number(&plan->definitions, "PACK", 1);
    definitions_add_number(&plan->definitions, "DEPTH", depth);
    definitions_add_number(&plan->definitions, "LOADS_AHEAD", rows > depth);
    definitions_add_number(&plan->definitions, "OVERLAPS", overlaps);
    definitions_add_number(&plan->definitions, "LEVELS", levels);
    definitions_add_number(&plan->definitions, "IS_ORDERED", 1);
    definitions_add_number(&plan->definitions, "STATE_BYTES", ordered_state_bytes(calculation));
    define_splits(scan, &sharing, state_bytes, plan);
    return 1;
}
