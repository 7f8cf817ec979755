/* SPDX-License-Identifier: MIT
 *
 * reduce_plan_short.c - which reductions reduce_short.cu takes, and how those along short rows are dealt out to its
 * threads. */
#include "reduce_plan.h"
#include "whole.h"

#define THREADS REDUCE_PLAN_SHORT_THREADS
#define WARP 32
#define WARPS (THREADS / WARP)
#define VECTOR 16      /* bytes */
#define ROW_BYTES 2048 /* longer rows keep a team of reduce.cu busy */
#define EXACT_ROW_BYTES 4096
#define HALVES_ROW_BYTES 65536   /* exact sums of 16-bit floats, where rows are many, */
#define DOUBLES_ROW_BYTES 131072 /* and of doubles: numbers may lie far apart in these; */
#define SPREAD_ROW_BYTES 16384   /* variances, where rows are many; */
#define SEARCHED_ROW_BYTES 65536 /* argmin and argmax, there */
#define MASKED_ROW_BYTES 12288   /* some elements of which are absent, there */
#define WARP_ROW_BYTES 8192      /* of rows that a warp shares */
#define SPREAD_ROWS 4            /* under way, as variances take twice the registers of sums */
#define RAGGED_BYTES 1000        /* of rows that begin inside of vectors: shorter ones go by way of shared memory, */
#define RAGGED_APART 17          /* unless they lie apart, */
#define SLICED_BYTES 513         /* or are parts of rows of whole vectors; */
#define SLICED_OF_BYTES 129
#define SECTOR 32                 /* bytes that memory reads together */
#define MOST_RAGGED_BYTES 12288   /* and longer ones have reduce_long.cu, */
#define MOST_RAGGED_OF_BYTES 2048 /* those of bytes sooner */
#define MOST_RAGGED_OF_HALVES 8192
#define MOST_WORDS_BYTES 16400  /* of exact sums of floats that lie behind each other */
#define WORDS_THREADS 128       /* of rows that are read by words, */
#define WORDS_STAGE_BYTES 24576 /* of a block of which many fit a multiprocessor */
#define WORDS_AT_ONCE 8
#define WORDS_ROW_BYTES 288 /* of rows that a thread goes through alone; */
#define WORDS_LEAST_BYTES 7 /* shorter ones go faster in stages */
#define MOST_SHARED 5       /* vectors that rows share, of which a thread takes all: more lie too far apart, */
#define SHARED_VECTORS 6    /* and of several sets */
#define AT_ONCE 8           /* vectors of a thread under way */
#define LANES_OF_LINE 8     /* threads that read 128 bytes at once */
#define THREADS_OF_PROCESSOR 256

/* Whether a minimum and its maximum lie side by side, so that threads write both at once. */
static int have_pairs_of_results(const struct reduction *reduction)
{
    int64_t strides = 0;
    for (int32_t d = 0; d < reduction->kept_count; d++) strides |= reduction->kept[d].stride[OPERAND_OUT];
    return reduction->step == 1 && strides % 2 == 0;
}

/* Steps that kernels/reduce_short/short_exact.cuh, short_integer.cuh, short_moments.cuh, short_fold.cuh and
 * short_both.cuh have. */
int reduce_plan_has_quick_steps(const struct reduction *reduction)
{
    const struct calculation *calculation = &reduction->calculation;
    const struct op_row *op = calculation->op;
    if (calculation->ordered || reduction->where || op->flags & OP_SECOND) return 0;
    if (calculation->flags & (TALLY_SKIP_NAN | TALLY_CHECK_OVERFLOW)) return 0;
    if (calculation->method == METHOD_MINMAX)
        return type_row(calculation->type)->kind != KIND_COMPLEX && have_pairs_of_results(reduction);
    if (calculation->method == METHOD_FOLD)
        return program_parts(calculation) == 1 || calculation->combine == COMBINE_ADD_WIDE;
    if (calculation->method != METHOD_EXACT) return 0;
    if (type_row(calculation->result)->kind != KIND_REAL) return 0;
    if (op->lift == LIFT_MOMENTS && reduce_plan_has_moments(reduction)) return 1;
    if (op->lift == LIFT_MOMENTS || op->lift == LIFT_SQUARE) return reduce_plan_has_spread(calculation);
    return type_row(calculation->type)->kind != KIND_COMPLEX &&
           (op->lift == LIFT_VALUE || op->lift == LIFT_MAGNITUDE) &&
           (op->finish == FINISH_TOTAL || op->finish == FINISH_MEAN);
}

int reduce_plan_is_search(const struct reduction *reduction)
{
    const struct calculation *calculation = &reduction->calculation;
    if (calculation->flags & (TALLY_SKIP_NAN | TALLY_CHECK_OVERFLOW)) return 0;
    return calculation->method == METHOD_ARG && !reduction->where && type_row(calculation->type)->kind != KIND_COMPLEX;
}

static int is_spread(const struct reduction *reduction)
{
    return reduce_plan_has_spread(&reduction->calculation);
}

static int sums_are_exact(const struct reduction *reduction)
{
    return reduction->calculation.method == METHOD_EXACT;
}

static int is_aligned(const void *address, int64_t bytes)
{
    return ((uintptr_t)address & (uintptr_t)(bytes - 1)) == 0;
}

static int64_t lanes_of_row(int64_t bytes)
{
    return bytes < WARP_ROW_BYTES ? LANES_OF_LINE : WARP;
}

static int is_complex(const struct reduction *reduction)
{
    return type_row(reduction->calculation.type)->kind == KIND_COMPLEX;
}

/* Blocks of a multiprocessor: more have fewer registers each. */
static int blocks_at_once(const struct reduction *reduction, int pairs, int ends)
{
    if (pairs) return 2;
    int wide = reduce_plan_has_pairs(&reduction->calculation) || is_complex(reduction);
    return ends || wide || (sums_are_exact(reduction) && !is_spread(reduction)) ? 3 : 4;
}

static void plan_rows(const struct reduction *reduction, int64_t size, int ragged, int masked, struct reduce_plan *plan)
{
    struct reduce_parameters *p = &plan->parameters;
    int64_t bytes = p->length * size, lanes = 1, each = 1, per = 1;
    if (bytes > VECTOR) {
        p->row_units = ragged ? (bytes + VECTOR - 2 * size) / VECTOR + 1 : bytes / VECTOR;
        lanes = least(ragged ? LANES_OF_LINE : lanes_of_row(bytes), power_above(p->row_units));
        each = least(AT_ONCE, power_above(divide_up(p->row_units, lanes)));
    } else {
        p->row_units = 1;
        per = VECTOR / bytes;
    }
    int64_t rows = AT_ONCE / each;
    int pairs =
        is_spread(reduction) && !is_complex(reduction) && reduce_plan_has_pairs(&reduction->calculation) && each == 1;
    if (is_spread(reduction) && lanes > 1 && !pairs) rows = least(rows, SPREAD_ROWS);
    plan->blocks = divide_up(divide_up(reduction->cells, per), WARPS * rows * (32 / lanes));
    definitions_add_number(&plan->definitions, "THREADS", THREADS);
    definitions_add_number(&plan->definitions, "SHORT_ROWS", 1);
    definitions_add_number(&plan->definitions, "RAGGED", ragged);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE",
                           blocks_at_once(reduction, pairs, masked || (ragged && is_spread(reduction))));
    definitions_add_number(&plan->definitions, "LANES", lanes);
    definitions_add_number(&plan->definitions, "EACH", each);
    definitions_add_number(&plan->definitions, "ROWS", rows);
    definitions_add_number(&plan->definitions, "IN_ROW", least(p->length, VECTOR / size));
}

/* Threads of a row in shared memory. One goes through it by words, which lie at different banks for neighbouring rows;
 * several by vectors. */
static int64_t lanes_of_words(int64_t bytes)
{
    if (bytes <= WORDS_ROW_BYTES) return 1;
    return bytes <= 4 * WORDS_ROW_BYTES ? 4 : bytes <= 8 * WORDS_ROW_BYTES ? 8 : WARP;
}

static int64_t teams_of_words(int64_t bytes)
{
    return WORDS_THREADS / lanes_of_words(bytes);
}

static void plan_words(const struct reduction *reduction, int64_t size, struct reduce_plan *plan)
{
    struct reduce_parameters *p = &plan->parameters;
    int64_t bytes = p->length * size, apart = p->kept[0].x * size;
    int64_t lanes = lanes_of_words(bytes), teams = teams_of_words(bytes), rounds = WORDS_STAGE_BYTES / (teams * apart);
    p->split_units = teams * (rounds < 1 ? 1 : rounds);
    plan->threads = WORDS_THREADS;
    plan->blocks = divide_up(reduction->cells, p->split_units);
    plan->shared_bytes = (uint32_t)(p->split_units * apart + 2 * VECTOR);
    definitions_add_number(&plan->definitions, "THREADS", WORDS_THREADS);
    definitions_add_number(&plan->definitions, "SHORT_WORDS", 1);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE", WORDS_AT_ONCE);
    definitions_add_number(&plan->definitions, "LANES", lanes);
}

static int plan_staged(const struct device_limits *limits, const struct reduction *reduction, int64_t size,
                       struct reduce_plan *plan)
{
    const struct reduce_parameters *p = &plan->parameters;
    int64_t at_once = VECTOR / 2, ends = (p->length | p->kept[0].x) * size;
    while (at_once > size && (ends % at_once || !is_aligned(reduction->x, at_once))) at_once /= 2;
    if (at_once < 4 || at_once < size) at_once = size;
    return reduce_plan_add_stages(limits, reduction, at_once, plan);
}

/* The fewest that are whole rows. */
static int64_t vectors_of_set(int64_t bytes)
{
    int64_t vectors = bytes;
    while (vectors % 2 == 0 && vectors * VECTOR > bytes) vectors /= 2;
    return vectors;
}

static void plan_shared(const struct reduction *reduction, int64_t size, struct reduce_plan *plan)
{
    int64_t bytes = reduction->length * size, vectors = vectors_of_set(bytes), rows = vectors * VECTOR / bytes;
    int64_t sets = SHARED_VECTORS / vectors;
    plan->blocks = divide_up(divide_up(reduction->cells, rows), THREADS * sets);
    definitions_add_number(&plan->definitions, "THREADS", THREADS);
    definitions_add_number(&plan->definitions, "SHORT_SHARED", 1);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE", 4);
    definitions_add_number(&plan->definitions, "IN_ROW", reduction->length);
    definitions_add_number(&plan->definitions, "VECTORS_OF_SET", vectors);
    definitions_add_number(&plan->definitions, "ROWS_OF_SET", rows);
    definitions_add_number(&plan->definitions, "SETS", sets);
}

/* Bytes of the longest rows that go this way: longer ones keep a block busy each. Searches and what needs no exponents
 * that lie near each other gain by the shorter merge while there are threads enough. */
static int64_t longest_row(const struct device_limits *limits, const struct reduction *reduction)
{
    const struct type_row *type = type_row(reduction->calculation.type);
    int search = reduction->calculation.method == METHOD_ARG;
    int64_t threads = reduction->cells * lanes_of_row(reduction->length * type->size);
    int64_t rounds = threads / ((int64_t)limits->processors * 3 * THREADS_OF_PROCESSOR);
    if (rounds >= 1 && search) return SEARCHED_ROW_BYTES;
    if (rounds >= 1 && is_spread(reduction)) return SPREAD_ROW_BYTES;
    if (rounds >= 2 && sums_are_exact(reduction) && type->kind & KIND_FLOAT && type->size != 4)
        return type->size == 2 ? HALVES_ROW_BYTES : DOUBLES_ROW_BYTES;
    return search || sums_are_exact(reduction) ? EXACT_ROW_BYTES : ROW_BYTES;
}

/* The same where some elements are absent: strips look for these, too, but have a warp for each row, which takes longer
 * to begin and to merge than such rows to read. */
static int64_t longest_masked_row(const struct device_limits *limits, const struct reduction *reduction)
{
    int64_t longest = longest_row(limits, reduction),
            bytes = reduction->length * type_row(reduction->calculation.type)->size;
    int64_t rounds = reduction->cells * lanes_of_row(bytes) / ((int64_t)limits->processors * 3 * THREADS_OF_PROCESSOR);
    return rounds >= 1 && longest < MASKED_ROW_BYTES ? MASKED_ROW_BYTES : longest;
}

static int are_rows(const struct reduce_parameters *p)
{
    return p->reduced_count == 1 && p->kept_count == 1 && p->reduced[0].x == 1 && p->kept[0].x != 1;
}

/* Whether what a vector has of other rows may be replaced by zeros, or by elements of the row. */
static int takes_ragged_rows(const struct reduction *reduction)
{
    int combine = reduction->calculation.combine;
    if (reduction->calculation.method == METHOD_ARG) return 0;
    return combine != COMBINE_MULTIPLY && combine != COMBINE_MULTIPLY_MODULO;
}

/* The fewest bytes of rows that lie apart and are read by vectors all the same: where rows begin with vectors, and are
 * most of what memory reads, shorter ones go by way of shared memory. */
static int64_t least_sliced(const struct reduction *reduction, int64_t bytes, int64_t size, int64_t apart)
{
    int64_t sectors = divide_up(bytes, SECTOR) * SECTOR;
    if (!is_aligned(reduction->x, VECTOR) || apart % VECTOR != 0 || apart <= VECTOR) return RAGGED_APART;
    if (!reduce_plan_rows_are_close(bytes, apart) || 4 * sectors < 3 * apart) return RAGGED_APART;
    return size == 1 ? SLICED_OF_BYTES : SLICED_BYTES;
}

/* Bytes of rows that are read by vectors although these have others' elements, too. */
static int is_ragged_length(int64_t bytes, int64_t size, int64_t least_bytes)
{
    if (bytes < least_bytes) return 0;
    return bytes <= (size == 1 ? MOST_RAGGED_OF_BYTES : size == 2 ? MOST_RAGGED_OF_HALVES : MOST_RAGGED_BYTES);
}

/* Whether rows are read by words, or vectors, of shared memory. Words of rows that begin whole vectors apart would all
 * lie at the same banks. */
static int takes_words(const struct device_limits *limits, const struct reduction *reduction, int64_t bytes,
                       int64_t size, int64_t apart)
{
    if (!reduce_plan_rows_are_close(bytes, apart) || !takes_ragged_rows(reduction)) return 0;
    if (size > 8 || bytes < WORDS_LEAST_BYTES) return 0;
    if (apart % VECTOR == 0 && (apart > bytes || bytes <= WORDS_ROW_BYTES)) return 0;
    if (teams_of_words(bytes) * apart + 2 * VECTOR > (int64_t)limits->shared_bytes) return 0;
    if (size > 1 && sums_are_exact(reduction) && type_row(reduction->calculation.type)->kind & KIND_FLOAT)
        return bytes <= MOST_WORDS_BYTES;
    return bytes <= (size == 1 ? EXACT_ROW_BYTES : size == 2 ? MOST_RAGGED_OF_HALVES : MOST_RAGGED_BYTES);
}

/* Whether a few rows without gaps are a few vectors, and their results fill one or half of one. */
static int share_vectors(const struct reduction *reduction, int64_t bytes, int64_t size, int dense)
{
    const struct calculation *calculation = &reduction->calculation;
    if (!dense || !is_aligned(reduction->x, VECTOR) || is_spread(reduction)) return 0;
    if (size != 2 && !(size == 4 && sums_are_exact(reduction))) return 0;
    if (calculation->method == METHOD_ARG || type_row(calculation->result)->size != size) return 0;
    int64_t vectors = vectors_of_set(bytes);
    return vectors > 1 && vectors <= MOST_SHARED && vectors * VECTOR / bytes * size >= VECTOR / 2;
}

/* Whether a vector has rows whose results are so much larger that threads had better take one each. */
static int have_large_results(const struct reduction *reduction, int64_t bytes)
{
    int64_t results = VECTOR / bytes * type_row(reduction->calculation.result)->size;
    return results > (reduction->calculation.method == METHOD_FOLD ? VECTOR : 2 * VECTOR);
}

/* Whether rows are short enough; and then the plan for them. */
static int plan_any_rows(const struct device_limits *limits, const struct reduction *reduction, int64_t size,
                         struct reduce_plan *plan)
{
    const struct reduce_parameters *p = &plan->parameters;
    int64_t bytes = p->length * size, apart = p->kept[0].x * size, longest = longest_row(limits, reduction);
    int whole = is_aligned(reduction->x, VECTOR) && bytes % VECTOR == 0 && apart % VECTOR == 0, dense = apart == bytes;
    int close = reduce_plan_rows_are_close(bytes, apart);
    int staged = close && (apart % VECTOR || apart == VECTOR); /* else every row at the same banks of shared memory */
    int64_t sliced = least_sliced(reduction, bytes, size, apart);
    if (dense && VECTOR % bytes == 0 && have_large_results(reduction, bytes)) {
        return plan_staged(limits, reduction, size, plan);
    } else if (whole || (dense && is_aligned(reduction->x, VECTOR) && VECTOR % bytes == 0)) {
        if (bytes > longest) return 0;
        plan_rows(reduction, size, 0, 0, plan);
    } else if (share_vectors(reduction, bytes, size, dense)) {
        plan_shared(reduction, size, plan);
    } else if (takes_words(limits, reduction, bytes, size, apart)) {
        plan_words(reduction, size, plan);
    } else if (takes_ragged_rows(reduction) && is_ragged_length(bytes, size, staged ? RAGGED_BYTES : sliced)) {
        plan_rows(reduction, size, 1, 0, plan);
    } else if (close && bytes <= least(longest, EXACT_ROW_BYTES)) {
        return plan_staged(limits, reduction, size, plan);
    } else {
        return 0;
    }
    return 1;
}

int reduce_plan_may_be_short(const struct reduction *reduction)
{
    if (reduction->cells < 1 || reduction->reduced_count < 1 || reduction->kept_count < 1) return 0;
    if (!reduce_plan_has_quick_steps(reduction) && !reduce_plan_is_search(reduction)) return 0;
    return is_aligned(reduction->x, type_row(reduction->calculation.type)->size);
}

/* Rows of whole vectors some elements of which are absent; of NaN also others. Masks must be words beside vectors. */
static int plan_masked_rows(const struct device_limits *limits, const struct reduction *reduction, int64_t size,
                            struct reduce_plan *plan)
{
    const struct reduce_parameters *p = &plan->parameters;
    struct reduction bare = *reduction;
    int64_t bytes = p->length * size, apart = p->kept[0].x * size;
    bare.where = NULL;
    bare.calculation.flags &= ~(uint32_t)TALLY_SKIP_NAN;
    if (!reduce_plan_may_be_short(&bare) || reduce_plan_is_search(&bare)) return 0;
    if (!are_rows(p) || !reduce_plan_has_masked_strips(reduction)) return 0;
    if (bytes <= VECTOR || bytes > longest_masked_row(limits, &bare)) return 0;
    int whole = is_aligned(reduction->x, VECTOR) && bytes % VECTOR == 0 && apart % VECTOR == 0;
    if (reduction->where && (!whole || !reduce_plan_has_aligned_mask(reduction))) return 0;
    int by_words = !whole && takes_words(limits, &bare, bytes, size, apart);
    int64_t sliced = least_sliced(reduction, bytes, size, apart);
    if (!whole && !by_words && (!takes_ragged_rows(&bare) || !is_ragged_length(bytes, size, sliced))) return 0;
    if (by_words) plan_words(&bare, size, plan);
    else plan_rows(&bare, size, !whole, 1, plan);
    reduce_plan_add_fill(reduction, "COUNTS_OF_ROWS", &plan->definitions);
    return 1;
}

void reduce_plan_begin_short(const struct reduction *reduction, const struct reduce_plan *usual,
                             struct reduce_plan *plan)
{
    *plan = *usual;
    plan->file = "reduce_short.cu";
    plan->threads = THREADS;
    plan->shared_bytes = 0;
    plan->state_bytes = 0;
    plan->tickets = 0;
    program_definitions(&reduction->calculation, reduction->where != NULL, &plan->definitions);
    reduce_plan_add_initial(&reduction->calculation, &plan->definitions);
}

static int plan_short(const struct device_limits *limits, const struct reduction *reduction,
                      const struct reduce_plan *usual, struct reduce_plan *plan)
{
    int64_t size = type_row(reduction->calculation.type)->size;
    int masked = reduce_plan_is_masked(reduction);
    if (!masked && !reduce_plan_may_be_short(reduction)) return 0;
    reduce_plan_begin_short(reduction, usual, plan);
    if (!masked && !are_rows(&plan->parameters)) return reduce_plan_columns(limits, reduction, plan);
    definitions_add_number(&plan->definitions, "REDUCED_NEST", 0);
    if (masked) return plan_masked_rows(limits, reduction, size, plan);
    return plan_any_rows(limits, reduction, size, plan);
}

int reduce_plan_short(const struct device_limits *limits, const struct reduction *reduction,
                      const struct reduce_plan *usual, struct reduce_plan *plan)
{
    if (reduction->reduced_count > 0 || reduction->length != 1) return plan_short(limits, reduction, usual, plan);
    struct reduction one = *reduction; /* a column of one row; of cells that lie apart, a row */
    struct reduce_plan usual_of_one = *usual;
    one.reduced[0] = (struct loop){.extent = 1};
    one.reduced_count = 1;
    if (one.kept_count == 1 && one.kept[0].stride[OPERAND_X] > 1) {
        one.reduced[0].stride[OPERAND_X] = 1;
        usual_of_one.parameters.reduced[0] = (struct kernel_loop){.extent = 1, .x = 1};
        usual_of_one.parameters.reduced_count = 1;
    }
    return plan_short(limits, &one, &usual_of_one, plan);
}
