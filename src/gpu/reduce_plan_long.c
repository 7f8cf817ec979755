/* SPDX-License-Identifier: MIT
 *
 * reduce_plan_long.c - which reductions reduce_long.cu takes, those along long rows, or of cells of many runs, and how
 * they are dealt out. Measured on an H200. */
#include "reduce_plan.h"
#include "whole.h"

#define THREADS 256
#define WARP 32
#define VECTOR 16               /* bytes */
#define DEPTH 8                 /* vectors of a thread under way */
#define SHORTEST 2048           /* bytes of a row; */
#define SHORTEST_MASKED 512     /* of one with absent elements, which no kernel for shorter rows takes */
#define MASKED_BYTES 1024       /* of rows that take no more than DEPTH / 4 vectors of a thread */
#define WARP_BYTES 262144       /* rows of a warp, where there are many; others are a block's */
#define RUNS_BYTES 163840       /* the same, of short runs, */
#define MOST_NESTED_BYTES 65536 /* and of longer ones */
#define FEW_BYTES 32768         /* rows of a warp, where there are enough */
#define BLOCK_BYTES 65536       /* that are worth a block */
#define MOST_VECTORS 4000       /* of a thread: 32 bits hold sums of 16-bit integers of so many, */
#define MOST_OF_BYTES 128       /* and of so many times as many of bytes */
#define MOST_TICKETS 16384
#define SHORTEST_RUN 32       /* bytes that lie together, where a cell has several runs */
#define LONGEST_BYTEWISE 4096 /* bytes of runs whose masks are read byte by byte */
#define SHORT_RUN 144         /* vectors */
#define MOST_NESTED 4
#define MOST_NESTED_EXTENT (1 << 30) /* where a step is added to a place in 31 bits */
#define MOST_RUN_BYTES (INT32_MAX - 2 * VECTOR)
#define FEWEST_LANES 2  /* threads of a run there: each finds out where it begins */
#define MOST_EACH 9     /* vectors of a run that a thread reads at once; */
#define MOST_OF_WHOLE 2 /* of runs of whole vectors, which are soon found, so few that neighbours read one line; */
#define FEW_VECTORS 8   /* of runs so short one */
#define MOST_IDLE 8     /* threads for each one that has a part of a run: reduce.cu cuts long runs into more */

static int is_suitable(const struct reduction *reduction, int64_t size)
{
    int32_t count = reduction->reduced_count;
    if (reduce_plan_is_spread(reduction) ? count < 2 : !reduce_plan_has_strips(reduction)) return 0;
    if (reduce_plan_is_spread(reduction) && reduce_plan_has_long_cells(reduction)) return 0; /* reduce.cu */
    if (count < 1 || count > MOST_NESTED) return 0;
    const struct loop *run = &reduction->reduced[count - 1];
    if (run->stride[OPERAND_X] != 1 || (uintptr_t)reduction->x % (uintptr_t)size) return 0;
    if (count == 1 && reduction->kept_count < 1) return 0; /* reduce_whole.cu */
    if (count > 1 && run->extent * size < SHORTEST_RUN) return 0;
    if (count > 1 && run->extent * size > MOST_RUN_BYTES) return 0;
    for (int32_t d = 0; d < count && count > 1; d++)
        if (reduction->reduced[d].extent > MOST_NESTED_EXTENT) return 0;
    if (count == 1 && reduction->where && reduction->length * size <= LONGEST_BYTEWISE &&
        !reduce_plan_has_aligned_mask(reduction) && reduce_plan_may_be_staged(reduction))
        return 0;
    return reduction->length * size >= (reduce_plan_is_masked(reduction) ? SHORTEST_MASKED : SHORTEST);
}

/* Vectors that a run touches, at most. */
static int64_t units_of_run(const struct reduction *reduction, int64_t in_vector)
{
    int32_t last = reduction->reduced_count - 1;
    int64_t length = reduction->reduced[last].extent, strides = 0;
    for (int32_t d = 0; d < last; d++) strides |= reduction->reduced[d].stride[OPERAND_X];
    for (int32_t d = 0; d < reduction->kept_count; d++) strides |= reduction->kept[d].stride[OPERAND_X];
    if (strides % in_vector == 0 && (uintptr_t)reduction->x % VECTOR == 0) return divide_up(length, in_vector);
    return (length + in_vector - 2) / in_vector + 1;
}

/* Whether cells are many, of runs that begin inside of vectors and are so short that a thread has more to do between
 * them than others. */
static int are_many_of_short_runs(const struct device_limits *limits, const struct reduction *reduction,
                                  int64_t in_vector)
{
    if (reduction->reduced_count < 2) return 0;
    int64_t length = reduction->reduced[reduction->reduced_count - 1].extent;
    return length % in_vector != 0 && length <= SHORT_RUN * in_vector &&
           reduction->cells >= 4 * (int64_t)limits->processors * 3 * (THREADS / WARP);
}

/* How a few threads share a run of a team's split, and take several short ones at once, but each of these as a whole:
 * searches find units in their order. */
struct runs {
    int64_t units, lanes, each; /* vectors of a run, threads of it, vectors that each of these reads at once */
    int whole;                  /* runs have all of all vectors that they touch */
};

static struct runs choose_runs(const struct reduction *reduction, int64_t in_vector)
{
    struct runs runs = {.units = units_of_run(reduction, in_vector), .lanes = FEWEST_LANES};
    runs.whole = runs.units * in_vector == reduction->reduced[reduction->reduced_count - 1].extent;
    int64_t most = !runs.whole ? MOST_EACH : runs.units > FEW_VECTORS ? MOST_OF_WHOLE : 1;
    while (runs.lanes < WARP && divide_up(runs.units, runs.lanes) > most) runs.lanes *= 2;
    runs.each = least(divide_up(runs.units, runs.lanes), MOST_EACH);
    return runs;
}

/* Vectors of the thread that has most of a split of `all` runs. */
static int64_t vectors_of_thread(const struct runs *runs, int64_t all, int64_t splits, int64_t team)
{
    return divide_up(all, splits * (team / runs->lanes)) * divide_up(runs->units, runs->lanes);
}

/* Whether a thread's 32 bits hold what integers in so many vectors add up to. Others have no such bound. */
static int sums_fit(const struct type_row *type, int64_t vectors)
{
    if (type->size > 2 || type->kind & KIND_FLOAT) return 1;
    return vectors <= MOST_VECTORS * (type->size == 1 ? MOST_OF_BYTES : 1);
}

/* Vectors of a thread under way: rows with absent elements may have fewer. */
static int64_t depth_of(const struct reduction *reduction, const struct runs *runs, int64_t team)
{
    int64_t depth = DEPTH;
    if (!reduce_plan_is_masked(reduction)) return depth;
    while (depth > 2 && runs->units <= team * depth / 2) depth /= 2;
    return depth;
}

static void define_runs(const struct runs *runs, int64_t team, struct reduce_plan *plan)
{
    struct reduce_parameters *p = &plan->parameters;
    int64_t at_once = (DEPTH + runs->each / 2) / runs->each;
    p->split_units = vectors_of_thread(runs, p->all_units, p->splits, team); /* of one lane: strip_spread.cuh */
    p->fan = 1;
    definitions_add_number(&plan->definitions, "WHOLE_RUNS", runs->whole);
    definitions_add_number(&plan->definitions, "LANES", runs->lanes);
    definitions_add_number(&plan->definitions, "RUNS", at_once);
    definitions_add_number(&plan->definitions, "DEPTH", at_once * runs->each);
}

int reduce_plan_long(const struct device_limits *limits, const struct reduction *reduction,
                     const struct reduce_plan *usual, struct reduce_plan *plan)
{
    const struct calculation *calculation = &reduction->calculation;
    const struct type_row *type = type_row(calculation->type);
    int64_t bytes = reduction->length * type->size, cells = reduction->cells, in_vector = VECTOR / type->size;
    int nested = reduction->reduced_count > 1, many = are_many_of_short_runs(limits, reduction, in_vector);
    int at_once = calculation->method != METHOD_EXACT ? 3 : type->kind & KIND_FLOAT ? 2 : 4;
    if (calculation->method == METHOD_FOLD && calculation->combine == COMBINE_ADD) at_once = 4;
    if (reduce_plan_is_masked(reduction) && bytes > MASKED_BYTES) at_once = 2; /* bundles have masks beside them */
    if (nested) at_once = many ? 3 : (int)least(at_once, 3);                   /* bundles are larger there */
    int64_t wave = (int64_t)limits->processors * at_once, warps = wave * (THREADS / WARP), team = THREADS, splits = 1;
    if (!is_suitable(reduction, type->size)) return 0;
    struct runs runs = choose_runs(reduction, in_vector);
    int64_t all = reduction->length / reduction->reduced[reduction->reduced_count - 1].extent;
    if (nested) bytes = all * runs.units * VECTOR;
    if ((bytes <= FEW_BYTES && 2 * cells >= warps) ||
        (bytes <= (nested ? many ? RUNS_BYTES : MOST_NESTED_BYTES : WARP_BYTES) && cells >= (nested ? 4 : 3) * warps)) {
        team = WARP;
    } else if (bytes < BLOCK_BYTES) {
        return 0;
    } else {
        splits = reduce_plan_splits(wave, cells, bytes / BLOCK_BYTES);
        while (!nested && divide_up(bytes, splits * THREADS * VECTOR) > MOST_VECTORS) splits *= 2;
        while (nested && splits < all && vectors_of_thread(&runs, all, splits, THREADS) > MOST_VECTORS) splits *= 2;
        if (nested && !sums_fit(type, vectors_of_thread(&runs, all, splits, THREADS))) return 0;
        if (splits > 1 && cells > MOST_TICKETS) return 0;
        if (nested && all * runs.lanes * MOST_IDLE < splits * THREADS) return 0;
    }
    *plan = *usual;
    plan->parameters.splits = splits;
    plan->parameters.all_units = nested ? all : 0;
    plan->parameters.run_units = runs.units;
    plan->file = "reduce_long.cu";
    plan->threads = THREADS;
    plan->blocks = team == WARP ? divide_up(cells, THREADS / WARP) : cells * splits;
    plan->shared_bytes = 0;
    plan->wide |= reduce_plan_is_spread(reduction);
    plan->tickets = cells;
    plan->state_bytes =
        splits > 1 ? (size_t)plan->blocks * (REDUCE_PLAN_TOTAL_BYTES + reduce_plan_state_bytes(calculation)) : 0;
    program_definitions(calculation, reduction->where != NULL, &plan->definitions);
    reduce_plan_add_initial(calculation, &plan->definitions);
    reduce_plan_add_strip_mask(reduction, &plan->definitions);
    definitions_add_number(&plan->definitions, "REDUCED_NEST", nested ? reduction->reduced_count : 0);
    definitions_add_number(&plan->definitions, "TEAM", team);
    if (nested) define_runs(&runs, team, plan);
    else definitions_add_number(&plan->definitions, "DEPTH", depth_of(reduction, &runs, team));
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE", at_once);
    definitions_add_number(&plan->definitions, "THREADS", THREADS);
    return 1;
}
