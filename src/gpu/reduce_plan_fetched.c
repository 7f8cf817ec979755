/* SPDX-License-Identifier: MIT
 *
 * reduce_plan_fetched.c - which columns of rows that begin anywhere come by way of shared memory in reduce_tall.cu, and
 * how they are dealt out: either threads have all rows of their columns, and blocks stay and go from tile to tile; or
 * rows of one long matrix are split, and blocks merge. Measured on an H200. */
#include "reduce_plan_tall.h"
#include "whole.h"

#define WARP 32
#define VECTOR 16
#define WORD 4
#define LINE 128            /* bytes: copies that begin inside of one are slow */
#define MOST_THREADS 256    /* that take what one warp fetches */
#define FEWEST_AT_ONCE 224  /* of a multiprocessor, where it has one block, */
#define FEWEST_OF_BLOCK 160 /* and of a block, where it has two */
#define DEPTH 8             /* rows of a stage that a thread takes at once */
#define MOST_STAGES 8
#define FEWEST_ROWS 96 /* of whole columns: of fewer, results take too long */
#define MORE_ROWS 256  /* where they take longer still */
#define MOST_ROWS 2000 /* of which sums of narrow numbers hold with the lowest depth, as in splits */
#define LONG_ROWS 2048 /* of a matrix that is split; */
#define SOME_ROWS 960  /* where blocks are busy, */
#define BUSY 80        /* percent */
#define WORTH_TILES 4  /* percent that are worth narrower tiles */
#define WIDE_COLUMNS 16384
#define FIXED_BYTES 5632   /* of shared memory, that kernels have besides */
#define MERGED_BYTES 93184 /* what merging takes at most */
#define MERGED_COLUMNS 1024

static int is_exact_float(const struct reduction *reduction)
{
    const struct calculation *calculation = &reduction->calculation;
    return calculation->method == METHOD_EXACT && type_row(calculation->type)->kind & KIND_FLOAT;
}

static int has_fetched_strips(const struct device_limits *limits, const struct reduction *reduction, int64_t size)
{
    if (limits->architecture < 90 || reduction->calculation.method == METHOD_ARG || size > 8) return 0;
    if (reduction->calculation.combine == COMBINE_ADD_WIDE && size == 1) return 0; /* reduce_plan_tall refuses it */
    if (reduce_plan_is_masked(reduction) || reduce_plan_is_spread(reduction) || reduce_plan_has_moments(reduction))
        return 0;
    return reduce_plan_has_strips(reduction) && tall_is_suitable(reduction, size) &&
           tall_is_ragged(reduction, VECTOR / size);
}

/* Tiles of `threads` or fewer that are as wide as each other, and begin where words do if rows do. */
static void deal_tiles(int64_t size, int64_t threads, struct tall_deal *deal, struct reduce_parameters *p)
{
    int64_t tiles = divide_up(deal->columns * size, threads * deal->unit), in_word = size < WORD ? WORD / size : 1;
    p->width = divide_up(divide_up(deal->columns, tiles), in_word) * in_word;
    p->tiles = (int32_t)divide_up(deal->columns, p->width);
    deal->lanes = divide_up(p->width * size, WARP * deal->unit) * WARP;
}

/* As many stages as there is room for; fewer blocks at once if there is none. */
static int deal_stages(const struct device_limits *limits, int64_t least_bytes, struct tall_deal *deal)
{
    int64_t stage = deal->depth * deal->rows * (deal->lanes * deal->unit + LINE);
    for (; deal->blocks > 0; deal->blocks--) {
        int64_t room = device_room_of_block(limits, deal->blocks) - FIXED_BYTES;
        deal->stages = least(MOST_STAGES, room / stage);
        deal->stage_bytes = deal->stages * stage > least_bytes ? deal->stages * stage : least_bytes;
        if (deal->stages >= 2 && deal->stage_bytes <= room) return 1;
    }
    return 0;
}

/* Whether threads have all of their columns: where tiles keep nearly all multiprocessors busy to the end. */
static int deal_whole(const struct device_limits *limits, const struct reduction *reduction, int64_t size,
                      struct tall_deal *deal, struct reduce_parameters *p)
{
    const struct calculation *calculation = &reduction->calculation;
    int64_t row = deal->columns * size, slots = limits->processors * deal->blocks, best = 0, best_cost = INT64_MAX;
    int64_t fewest = deal->blocks > 1 ? FEWEST_OF_BLOCK : FEWEST_AT_ONCE;
    if (tall_rows_of(reduction)->extent < FEWEST_ROWS || reduction->length > MOST_ROWS) return 0;
    if (calculation->method == METHOD_FOLD && size == 8 && calculation->combine != COMBINE_ADD) return 0;
    if (calculation->type == TALLY_BF16 && is_exact_float(reduction) && reduction->length < MORE_ROWS) return 0;
    for (int64_t threads = MOST_THREADS; threads >= fewest; threads -= WARP) {
        deal_tiles(size, threads, deal, p);
        int64_t cost = divide_up(deal->items * p->tiles, slots) * deal->lanes;
        if (deal->lanes >= fewest && cost < best_cost) best = threads, best_cost = cost;
    }
    if (best == 0 || 10 * row * deal->items < 7 * best_cost * slots * deal->unit) return 0;
    deal_tiles(size, best, deal, p);
    deal->whole = 1;
    deal->rows = 1;
    return deal_stages(limits, 0, deal);
}

/* How much of so many blocks at once, in percent, is busy with splits of all tiles. */
static int64_t busy_with(int64_t slots, int64_t tiles)
{
    int64_t splits = slots / tiles > 1 ? slots / tiles : 1, all = tiles * splits;
    return 100 * all / (divide_up(all, slots) * slots);
}

/* Tiles as wide as keep most blocks busy; how busy these are. */
static int64_t deal_long_tiles(const struct device_limits *limits, int64_t size, struct tall_deal *deal,
                               struct reduce_parameters *p)
{
    int64_t most = least(MOST_THREADS, MERGED_COLUMNS * size / VECTOR), slots = limits->processors * deal->blocks;
    int64_t best = 0, best_busy = 0;
    for (int64_t threads = most; 8 * threads >= 5 * most; threads -= WARP) {
        deal_tiles(size, threads, deal, p);
        int64_t busy = busy_with(slots, p->tiles);
        if (busy > best_busy + WORTH_TILES) best = threads, best_busy = busy;
    }
    deal_tiles(size, best, deal, p);
    return best_busy;
}

/* Whether the rows of one matrix are split: extremes of floats gain nothing. */
static int deal_long(const struct device_limits *limits, const struct reduction *reduction, int64_t size,
                     struct tall_deal *deal, struct reduce_parameters *p)
{
    int gains =
        reduction->calculation.method == METHOD_EXACT || !(type_row(reduction->calculation.type)->kind & KIND_FLOAT);
    if (!gains || deal->items > 1 || reduction->reduced_count > 1) return 0;
    if (reduction->length < SOME_ROWS || deal->columns < WIDE_COLUMNS) return 0;
    int64_t busy = deal_long_tiles(limits, size, deal, p);
    if (reduction->length < LONG_ROWS && busy < BUSY) return 0;
    deal->whole = 0;
    deal->rows = MOST_THREADS / deal->lanes;
    return deal_stages(limits, MERGED_BYTES, deal);
}

int tall_deal_fetched(const struct device_limits *limits, const struct reduction *reduction, struct tall_deal *deal,
                      struct reduce_parameters *p)
{
    const struct calculation *calculation = &reduction->calculation;
    int64_t size = type_row(calculation->type)->size;
    deal->stages = 0;
    deal->whole = 0;
    if (!has_fetched_strips(limits, reduction, size)) return 0;
    deal->columns = reduction->kept[reduction->kept_count - 1].extent;
    deal->items = reduction->cells / deal->columns;
    deal->unit = VECTOR;
    deal->sides = 1;
    deal->flat = 0;
    /* What takes many registers has one block, and of half as many rows at once more than one. */
    int64_t blocks = is_exact_float(reduction) && calculation->type != TALLY_F16 ? 1 : 2;
    deal->depth = is_exact_float(reduction) && calculation->type == TALLY_F16 ? DEPTH / 2 : DEPTH;
    deal->blocks = blocks;
    int is_dealt = deal_whole(limits, reduction, size, deal, p);
    if (!is_dealt) deal->blocks = blocks;
    if (!is_dealt && !deal_long(limits, reduction, size, deal, p)) {
        deal->stages = 0;
        deal->whole = 0;
        return 0;
    }
    deal->threads = deal->rows * deal->lanes + WARP;
    deal->shifts = (tall_strides_of(reduction, 0) * size | (int64_t)(uintptr_t)reduction->x) % WORD != 0;
    p->period = 1;
    p->pieces = deal->items * p->tiles;
    return 1;
}

int reduce_plan_is_fetched(const struct device_limits *limits, const struct reduction *reduction)
{
    struct tall_deal deal;
    struct reduce_parameters parameters;
    return tall_deal_fetched(limits, reduction, &deal, &parameters);
}
