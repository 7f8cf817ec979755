/* SPDX-License-Identifier: MIT
 *
 * reduce_plan_tall.c - which reductions reduce_tall.cu takes, those down few or long columns, and how they are dealt
 * out to its blocks. Measured on an H200. */
#include "reduce_plan_tall.h"
#include "whole.h"

#define MOST_COLUMNS (INT32_MAX - 1024)
#define MOST_OF_64_BITS ((int64_t)1 << 31) /* integers whose halves have sums of 64 bits */
#define LEAST_OF_BLOCK 4096                /* bytes, where matrices are many; */
#define LEAST_OF_SEARCH 16384              /* searches take more to merge */
#define THREADS 256
#define WARP 32
#define VECTOR 16            /* bytes */
#define DEPTH 8              /* vectors of a thread under way */
#define AT_ONCE 2            /* blocks of a multiprocessor: more have more to merge */
#define FEWEST_STEPS 2       /* of a split, each of DEPTH vectors */
#define MOST_STEPS 500       /* which sums of narrow numbers hold */
#define FLAT_BYTES 512       /* rows that are as wide as a tile are read like one */
#define MERGED_AT_ONCE 20480 /* totals that one block merges: two steps take longer */
#define MOST_TICKETS 16384
#define MOST_SEARCHED ((int64_t)16 << 30)  /* bytes, whose vectors have numbers of 31 bits */
#define MOST_NESTED_EXTENT (1 << 30)       /* in nests, where a step is added to a place in 31 bits */
#define MOST_SEARCHED_ROWS (INT32_MAX / 4) /* of nests, whose last bundles of rows are not all there */
#define MOST_NESTED 4
#define FEWEST_THREADS 64
#define BUNDLES 4                 /* that a thread should go through before its block merges */
#define THREADS_OF_PROCESSOR 2048 /* matrices that are so many may have fewer */
#define MOST_DEPTH 64             /* units of 4 bytes of a thread under way */
#define FEW_ROWS 256              /* of matrices whose odd columns go by units; */
#define MORE_ROWS 512             /* of wide ones more; */
#define MANY_ROWS 65536           /* of those whose exact sums would wait for conversions */
#define MOST_LANES 128            /* where a unit has several columns, which have words in shared memory, */
#define MASKED_LANES 120          /* of bf16 longer ones, and with absent elements longer totals beside them */
#define FEWEST_OF_BOTH 48         /* elements of minima and maxima, which reduce.cu finds sooner in shorter columns */
#define SHORT_ROWS 64             /* columns that a thread goes down as well */

static int64_t greatest_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

int reduce_plan_has_strips(const struct reduction *reduction)
{
    const struct calculation *calculation = &reduction->calculation;
    const struct type_row *type = type_row(calculation->type);
    if (reduce_plan_is_masked(reduction)) return reduce_plan_has_masked_strips(reduction);
    if (calculation->method == METHOD_MINMAX) return type->kind != KIND_COMPLEX && reduction->length >= FEWEST_OF_BOTH;
    if (reduce_plan_has_spread(calculation)) return 0;
    if (reduce_plan_has_moments(reduction)) return reduction->length < MOST_OF_64_BITS;
    if (calculation->method == METHOD_EXACT && type->size == 8 && !(type->kind & KIND_FLOAT) &&
        reduction->length > MOST_OF_64_BITS)
        return 0;
    if (reduce_plan_has_quick_steps(reduction)) return 1;
    int64_t bytes = reduction->cells * reduction->length * type->size;
    return reduce_plan_is_search(reduction) && bytes <= MOST_SEARCHED;
}

int64_t reduce_plan_splits(int64_t at_once, int64_t groups, int64_t most)
{
    int64_t first = least(at_once / groups, most), best = first < 1 ? 1 : first;
    int64_t best_rounds = divide_up(groups * best, at_once);
    /* rounds / splits is the time: a twentieth less is worth more splits */
    for (int64_t splits = best + 1; splits <= most && splits * groups <= 8 * at_once; splits++) {
        int64_t rounds = divide_up(groups * splits, at_once);
        if (20 * best_rounds * at_once <= 21 * groups * best) break; /* hardly any is idle */
        if (20 * rounds * best < 19 * best_rounds * splits) best = splits, best_rounds = rounds;
    }
    return best;
}

/* The innermost of the reduced loops, and how far its rows lie apart. */
const struct loop *tall_rows_of(const struct reduction *reduction)
{
    return &reduction->reduced[reduction->reduced_count - 1];
}

static int64_t pitch_of(const struct reduction *reduction)
{
    return tall_rows_of(reduction)->stride[OPERAND_X];
}

/* Whether strips may go through nests of loops and units of less than a vector. */
static int goes_by_nests(const struct reduction *reduction)
{
    return !reduce_plan_is_spread(reduction);
}

int tall_is_suitable(const struct reduction *reduction, int64_t size)
{
    int32_t count = reduction->reduced_count;
    if (count < 1 || count > MOST_NESTED || reduction->kept_count < 1) return 0;
    if (count > 1 && !goes_by_nests(reduction)) return 0;
    if (count > 1 && reduce_plan_is_search(reduction) && reduction->length > MOST_SEARCHED_ROWS) return 0;
    if (reduction->length < 2 || (uintptr_t)reduction->x % (uintptr_t)size) return 0;
    const struct loop *columns = &reduction->kept[reduction->kept_count - 1];
    if (columns->extent > MOST_COLUMNS) return 0;
    for (int32_t d = 0; d < count && count > 1; d++)
        if (reduction->reduced[d].extent > MOST_NESTED_EXTENT) return 0;
    return columns->stride[OPERAND_X] == 1 && pitch_of(reduction) >= columns->extent;
}

int64_t tall_strides_of(const struct reduction *reduction, int outer)
{
    int64_t strides = 0;
    for (int32_t d = 0; d + outer < reduction->reduced_count; d++) strides |= reduction->reduced[d].stride[OPERAND_X];
    for (int32_t d = 0; d + 1 < reduction->kept_count; d++) strides |= reduction->kept[d].stride[OPERAND_X];
    return strides;
}

/* Whether rows begin or end inside of vectors. */
int tall_is_ragged(const struct reduction *reduction, int64_t in_vector)
{
    int64_t columns = reduction->kept[reduction->kept_count - 1].extent;
    return (tall_strides_of(reduction, 0) | columns) % in_vector || (uintptr_t)reduction->x % VECTOR;
}

/* Threads of a block whose rows begin inside of vectors: as many as have rows of each alignment. What is absent takes
 * shared memory. */
static void deal_ragged_rows(const struct reduction *reduction, struct tall_deal *deal, int64_t period)
{
    int64_t most = (THREADS + (reduce_plan_is_masked(reduction) ? 0 : WARP)) / deal->lanes;
    for (deal->rows = 1; 2 * deal->rows <= most && deal->rows < period;) deal->rows *= 2;
    if (deal->rows >= period) deal->rows = most / period * period;
    deal->threads = divide_up(deal->rows * deal->lanes, WARP) * WARP;
}

/* How many neighbouring units have whole cells. */
static int64_t units_of_cells(const struct tall_deal *deal, int64_t in_unit)
{
    return deal->merged / greatest_divisor(deal->merged, in_unit);
}

/* Columns side by side in tiles of as many lanes as they need; rows that begin inside of vectors need one more. */
static void deal_tiles(const struct reduction *reduction, int64_t in_vector, struct tall_deal *deal,
                       struct reduce_parameters *p)
{
    int64_t pitch = pitch_of(reduction), vectors = divide_up(deal->columns, in_vector);
    int64_t spare = tall_strides_of(reduction, 0) % in_vector || (uintptr_t)reduction->x % VECTOR;
    int64_t most_lanes = in_vector >= 8 && reduction->length > 1024 ? 16 : 32;
    int64_t whole = units_of_cells(deal, in_vector), fewest = least(whole, vectors) + spare;
    for (deal->lanes = 8; deal->lanes < fewest || (deal->lanes < most_lanes && deal->lanes - spare < vectors);)
        deal->lanes *= 2;
    int64_t tiles = vectors <= deal->lanes - spare ? 1 : divide_up(vectors, (deal->lanes - spare) / whole * whole);
    int64_t vectors_of_tile = divide_up(divide_up(vectors, tiles), whole) * whole;
    p->tiles = (int32_t)tiles;
    p->width = least(vectors_of_tile * in_vector, deal->columns);
    p->period = (int32_t)(in_vector / greatest_divisor(pitch, in_vector));
    deal->rows = THREADS / deal->lanes;
    /* More threads have fewer registers and less shared memory each, which variances and searches do not fit in. */
    const struct calculation *calculation = &reduction->calculation;
    int fits = !reduce_plan_is_spread(reduction) && !reduce_plan_has_moments(reduction);
    if (spare && fits && calculation->method != METHOD_ARG &&
        in_vector >= (calculation->method == METHOD_EXACT ? 4 : 8)) {
        deal->lanes = least(vectors_of_tile, vectors) + spare;
        deal_ragged_rows(reduction, deal, p->period);
    }
    deal->sides = p->period > deal->rows ? p->period / deal->rows : 1;
}

/* Matrices that are so many and so small that a few threads go through one sooner than many merge what they have. */
static int64_t threads_of(const struct device_limits *limits, const struct tall_deal *deal, int64_t length,
                          int64_t lanes, int64_t in_unit)
{
    int64_t threads = THREADS, wanted = limits->processors * THREADS_OF_PROCESSOR;
    while (threads > FEWEST_THREADS && threads / 2 >= lanes && deal->items * (threads / 2) >= wanted &&
           length * deal->columns < threads * in_unit * deal->depth * BUNDLES)
        threads /= 2;
    return threads;
}

/* Units of a thread under way. Of 4 bytes they are few bytes, for which threads wait most of the time: as many as rows
 * leave hardly any without work in the last bundle, or half of that. */
static int64_t depth_of_units(const struct reduction *reduction, const struct tall_deal *deal)
{
    int64_t rows = divide_up(tall_rows_of(reduction)->extent, deal->rows),
            most = deal->unit == 4 ? MOST_DEPTH : MOST_DEPTH / 4;
    if (reduction->reduced_count > 1) return deal->depth;
    if (8 * rows >= 7 * divide_up(rows, most) * most) return most;
    return rows >= most / 2 ? most / 2 : deal->depth;
}

/* Columns side by side in units that begin anywhere. */
static void deal_units(const struct device_limits *limits, const struct reduction *reduction, int64_t size,
                       struct tall_deal *deal, struct reduce_parameters *p)
{
    deal->unit = size < 4 ? 8 : size;
    deal->depth = size == 4 ? 2 * DEPTH : DEPTH;
    int64_t in_unit = deal->unit / size, units = divide_up(deal->columns, in_unit);
    int is_long = reduction->calculation.type == TALLY_BF16 && reduce_plan_is_masked(reduction);
    int64_t whole = units_of_cells(deal, in_unit);
    int64_t most = in_unit == 1 ? THREADS : is_long ? MASKED_LANES : MOST_LANES;
    int64_t tiles = divide_up(units, most / whole * whole);
    deal->lanes = least(divide_up(divide_up(units, tiles), whole) * whole, units);
    deal->threads = threads_of(limits, deal, reduction->length, deal->lanes, in_unit);
    deal->rows = deal->threads / deal->lanes;
    if (in_unit == 1) deal->depth = depth_of_units(reduction, deal);
    deal->sides = 1;
    p->tiles = (int32_t)tiles;
    p->width = least(deal->lanes * in_unit, deal->columns);
    p->period = 1;
}

/* Whether rows without gaps, in runs of `rows`, are whole periods of vectors. */
static int runs_are_whole(const struct reduction *reduction, int64_t in_vector, int64_t columns)
{
    return tall_strides_of(reduction, 1) % in_vector == 0 && (uintptr_t)reduction->x % VECTOR == 0 &&
           tall_rows_of(reduction)->extent * greatest_divisor(columns, in_vector) % in_vector == 0;
}

/* Whether vectors behind each other may be read through the ends of rows. */
static int is_flat(const struct reduction *reduction, int64_t in_vector)
{
    int64_t columns = reduction->kept[reduction->kept_count - 1].extent;
    if (pitch_of(reduction) != columns || columns * (VECTOR / in_vector) > FLAT_BYTES) return 0;
    if (columns / greatest_divisor(columns, in_vector) > THREADS / 2) return 0;
    return reduction->reduced_count == 1 || runs_are_whole(reduction, in_vector, columns);
}

/* Whether exact sums of floats go by units, a column of each thread: few are left without one. */
static int gives_columns(const struct reduction *reduction, const struct tall_deal *deal)
{
    int64_t lanes = divide_up(deal->columns, divide_up(deal->columns, THREADS));
    return reduction->calculation.method == METHOD_EXACT && reduction->calculation.type == TALLY_F32 &&
           4 * (THREADS / lanes * lanes) >= 3 * THREADS;
}

/* Whether rows that begin inside of vectors had better be read by units of less. */
static int goes_by_units(const struct reduction *reduction, int64_t size, const struct tall_deal *deal)
{
    if (reduction->calculation.method == METHOD_ARG && reduction->reduced_count == 1) return 0;
    if (!goes_by_nests(reduction) || size > 8 || !tall_is_ragged(reduction, VECTOR / size)) return 0;
    if (is_flat(reduction, VECTOR / size) && deal->columns * size < VECTOR) return 0;
    int64_t few = gives_columns(reduction, deal) ? MANY_ROWS : FEW_ROWS;
    if (reduction->reduced_count > 1 || (deal->items > 1 && reduction->length <= few)) return 1;
    return reduction->length <= MORE_ROWS && deal->columns * size > FLAT_BYTES;
}

static int deal_out(const struct device_limits *limits, const struct reduction *reduction, int64_t size,
                    struct tall_deal *deal, struct reduce_parameters *p)
{
    int64_t in_vector = VECTOR / size, rows = tall_rows_of(reduction)->extent;
    int nested = reduction->reduced_count > 1;
    deal->columns = reduction->kept[reduction->kept_count - 1].extent;
    deal->items = reduction->cells / deal->columns;
    int64_t period = deal->columns / greatest_divisor(deal->columns, in_vector);
    int fetched = deal->merged == 1 && tall_deal_fetched(limits, reduction, deal, p);
    int by_units = !fetched && goes_by_units(reduction, size, deal);
    if (!fetched) deal->threads = THREADS, deal->unit = VECTOR, deal->depth = DEPTH;
    deal->flat = !by_units && !fetched && is_flat(reduction, in_vector);
    deal->bundles = 0;
    p->columns = deal->columns;
    p->run_units = deal->flat ? rows * deal->columns / in_vector : rows;
    if (nested && p->run_units > MOST_NESTED_EXTENT) return 0;
    p->all_units = reduction->length / rows * p->run_units;
    if (deal->flat) {
        p->tiles = 1;
        p->width = deal->columns;
        p->period = (int32_t)period;
        deal->lanes = 1;
        deal->sides = 1;
        deal->threads = threads_of(limits, deal, reduction->length, 2 * period, in_vector);
        deal->rows = deal->threads / period * period * in_vector / deal->columns;
        return 1;
    }
    if (!by_units && !fetched && reduce_plan_is_masked(reduction) && reduction->calculation.type == TALLY_BF16)
        deal->depth = DEPTH / 2; /* masks take registers, too */
    if (by_units) deal_units(limits, reduction, size, deal, p);
    else if (!fetched) deal_tiles(reduction, in_vector, deal, p);
    deal->bundles = fetched || (by_units && size >= 4 && 2 * rows >= deal->rows * deal->depth && rows <= MOST_COLUMNS);
    if (deal->bundles) p->run_units = divide_up(rows, deal->rows * deal->depth);
    p->all_units = reduction->length / rows * p->run_units;
    return !nested || by_units || fetched || !tall_is_ragged(reduction, in_vector);
}

/* Of a multiprocessor: more threads where each has less under way, which takes fewer registers. */
static int64_t blocks_at_once(const struct tall_deal *deal, int nested)
{
    int64_t under_way = deal->depth * deal->unit;
    if (deal->stages) return deal->blocks;
    if (deal->unit == VECTOR && deal->threads > THREADS) return AT_ONCE;
    if (deal->unit == VECTOR || under_way > 128) return AT_ONCE * THREADS / deal->threads;
    return (deal->unit == 4 && under_way <= 64 && !nested ? 4 : 3) * THREADS / deal->threads;
}

static int share_splits(const struct device_limits *limits, const struct reduction *reduction,
                        const struct tall_deal *deal, struct reduce_parameters *p)
{
    int64_t groups = deal->items * p->tiles,
            steps = deal->bundles ? p->all_units : divide_up(reduction->length, deal->rows * deal->depth * deal->sides);
    int64_t at_once = (int64_t)limits->processors * blocks_at_once(deal, reduction->reduced_count > 1), fan;
    int64_t most = divide_up(steps, FEWEST_STEPS), splits = 1;
    if (!deal->stages) splits = reduce_plan_splits(at_once, groups * deal->sides, most);
    else if (!deal->whole && at_once > groups) splits = least(at_once / groups, most); /* they take long to begin */
    while (!deal->whole && divide_up(steps, splits) > MOST_STEPS) splits *= 2;
    splits *= deal->sides;
    if (splits * p->width <= MERGED_AT_ONCE) fan = splits;
    else
        for (fan = 1; fan * fan < splits;) fan *= 2;
    int64_t fans = divide_up(splits, fan);
    if (splits > 1 && groups * (fans + 1) > MOST_TICKETS) return 0;
    p->splits = splits;
    p->fan = (int32_t)fan;
    p->totals = splits > 1 ? groups * (splits + fans) * (p->width / deal->merged) : 0;
    p->split_units = divide_up(steps * deal->sides, splits) * DEPTH;
    return 1;
}

/* Whether results lie behind each other in the order of cells. */
static int results_are_dense(const struct reduction *reduction)
{
    int64_t cells = 1;
    for (int32_t d = reduction->kept_count - 1; d >= 0; cells *= reduction->kept[d].extent, d--)
        if (reduction->kept[d].stride[OPERAND_OUT] != cells) return 0;
    return 1;
}

int reduce_plan_tall(const struct device_limits *limits, const struct reduction *reduction,
                     const struct reduce_plan *usual, struct reduce_plan *plan)
{
    const struct calculation *calculation = &reduction->calculation;
    const struct type_row *type = type_row(calculation->type);
    struct reduction columns;
    struct tall_deal deal = {.merged = tall_columns_of(reduction, &columns)};
    int nested = columns.reduced_count > 1, spread = reduce_plan_is_spread(reduction);
    if ((!spread && !reduce_plan_has_strips(reduction)) || !tall_is_suitable(&columns, type->size)) return 0;
    *plan = *usual;
    struct reduce_parameters *p = &plan->parameters;
    if (reduce_plan_is_masked(reduction) && !reduce_plan_has_room_for_absent(calculation)) return 0;
    if (calculation->combine == COMBINE_ADD_WIDE && type->size == 1) return 0;        /* more than a block may share */
    if (spread && type->size == 4 && reduce_plan_has_long_cells(reduction)) return 0; /* the same */
    if (!deal_out(limits, &columns, type->size, &deal, p) || !share_splits(limits, &columns, &deal, p)) return 0;
    int64_t blocks = deal.items * p->tiles * p->splits;
    int has_long_units = calculation->method == METHOD_ARG && (type->size == 1 || !deal.flat); /* numbers of 31 bits */
    if (blocks > INT32_MAX || (has_long_units && reduction->length > INT32_MAX)) return 0;
    int64_t least_bytes = calculation->method == METHOD_ARG ? LEAST_OF_SEARCH : LEAST_OF_BLOCK;
    if (deal.items > limits->processors && columns.length * deal.columns * type->size < least_bytes) return 0;
    if (!deal.flat && calculation->method != METHOD_EXACT && 2 * blocks < limits->processors) return 0;
    plan->file = "reduce_tall.cu";
    plan->threads = (uint32_t)deal.threads;
    plan->blocks = deal.whole ? least(blocks, (int64_t)limits->processors * deal.blocks) : blocks;
    plan->tickets = MOST_TICKETS;
    plan->shared_bytes = deal.stages ? (uint32_t)deal.stage_bytes : 0;
    plan->wide |= spread;
    plan->state_bytes = (size_t)p->totals * (REDUCE_PLAN_TOTAL_BYTES + reduce_plan_state_bytes(calculation));
    program_definitions(calculation, reduction->where != NULL, &plan->definitions);
    reduce_plan_add_initial(calculation, &plan->definitions);
    reduce_plan_add_strip_mask(reduction, &plan->definitions);
    definitions_add_number(&plan->definitions, "REDUCED_NEST", nested ? columns.reduced_count : 0);
    if (deal.merged > 1) definitions_add_number(&plan->definitions, "COLUMNS_OF_CELL", deal.merged);
    definitions_add_number(&plan->definitions, "OUT_IS_CELL", results_are_dense(reduction));
    definitions_add_number(&plan->definitions, "TALL_FLAT", deal.flat);
    definitions_add_number(&plan->definitions, "ONE_COLUMN", 0);
    definitions_add_number(&plan->definitions, "LANES", deal.lanes);
    if (!deal.flat && deal.unit == VECTOR && pitch_of(&columns) * type->size < VECTOR)
        definitions_add_number(&plan->definitions, "ENDS_LAP", 1);
    if (!deal.flat) definitions_add_number(&plan->definitions, "ROW_GROUPS", deal.rows);
    definitions_add_number(&plan->definitions, "ROW_BUNDLES", deal.bundles);
    definitions_add_number(&plan->definitions, "UNIT_BYTES", deal.unit);
    definitions_add_number(&plan->definitions, "FETCH_STAGES", deal.stages);
    if (deal.stages) definitions_add_number(&plan->definitions, "FETCH_BYTES", deal.stage_bytes);
    if (deal.stages) definitions_add_number(&plan->definitions, "WHOLE_COLUMNS", deal.whole);
    if (deal.stages) definitions_add_number(&plan->definitions, "FETCH_SHIFTS", deal.shifts);
    definitions_add_number(&plan->definitions, "DEPTH", deal.depth);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE", blocks_at_once(&deal, nested));
    definitions_add_number(&plan->definitions, "THREADS", deal.threads);
    return 1;
}

int reduce_plan_ragged(const struct device_limits *limits, const struct reduction *reduction,
                       const struct reduce_plan *usual, struct reduce_plan *plan)
{
    int64_t size = type_row(reduction->calculation.type)->size;
    return tall_is_suitable(reduction, size) && reduction->length >= SHORT_ROWS &&
           tall_is_ragged(reduction, VECTOR / size) && reduce_plan_tall(limits, reduction, usual, plan);
}
