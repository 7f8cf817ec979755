/* SPDX-License-Identifier: MIT
 *
 * reduce_plan_columns.c - which reductions down short columns reduce_short.cu takes, and how they are dealt out to its
 * threads. */
#include "reduce_plan.h"
#include "whole.h"

#define THREADS REDUCE_PLAN_SHORT_THREADS
#define VECTOR 16         /* bytes */
#define AT_ONCE 8         /* accesses of a thread under way, */
#define MOST_ACCESSES 32  /* and where they are small */
#define MOST_CELLS 16     /* of a thread */
#define MOST_RUN_BYTES 64 /* of a cell's elements side by side, of which a thread reads a vector at once */
#define SHORT_COLUMN 16   /* elements that a thread goes through quickly, however few threads there are */
#define SPREAD_CELLS 4    /* of variances, neighbouring cells of a thread, */
#define SPREAD_BYTES 8    /* and bytes of them in columns longer than SPREAD_SHORT */
#define SPREAD_SHORT 32
#define SHIFTED_BYTES 8      /* of an access that begins at any element narrower than a word, */
#define SHIFTED_ROWS 128     /* of columns that are read so, */
#define FEW_SHIFTED_ROWS 100 /* where a row is a power of two of accesses, of at least WHOLE_UNITS, */
#define WHOLE_UNITS 16
#define MOST_SHIFTED_ROWS 200 /* also where merging takes long: exact sums of floats, and searches */
#define FLAT_ROWS 64          /* of columns so few that strips read several rows as one */
#define THREADS_OF_PROCESSOR 256

/* The longest column whose exact sum a thread had better take in doubles: exponents may lie less far apart in longer
 * ones. Of doubles, which are summed in pairs, strips take long ones sooner. Measured on an H200. */
static int64_t longest_column(const struct reduction *reduction)
{
    if (reduction->calculation.method != METHOD_EXACT) return 4096;
    if (reduce_plan_has_spread(&reduction->calculation)) return 256;
    return reduction->calculation.type == TALLY_F64 ? 512 : 1024;
}

/* Elements of a cell that lie side by side: a few of the innermost of several reduced loops, beside those of the next
 * cell, or a vector of a few. 1 elsewhere. */
static int64_t elements_in_row(const struct reduction *reduction, int64_t size)
{
    const struct loop *inner = &reduction->reduced[reduction->reduced_count - 1];
    int64_t bytes = inner->extent * size;
    if (reduction->reduced_count < 2 || inner->stride[OPERAND_X] != 1) return 1;
    if (bytes > VECTOR && bytes % VECTOR == 0 && bytes <= MOST_RUN_BYTES && reduction->reduced_count < KERNEL_LOOPS)
        return VECTOR / size;
    return bytes > VECTOR || VECTOR % bytes ? 1 : inner->extent;
}

/* Vectors of a run, which are rows of their own. */
static int64_t vectors_of_run(const struct reduction *reduction, int64_t in_row)
{
    return in_row > 1 ? reduction->reduced[reduction->reduced_count - 1].extent / in_row : 1;
}

/* Reduced loops that go from row to row. */
static int32_t row_loops(const struct reduction *reduction, int64_t in_row)
{
    return reduction->reduced_count - (in_row > 1) + (vectors_of_run(reduction, in_row) > 1);
}

/* Whether threads can take `side` neighbouring elements in one access. */
static int takes_side(const struct reduction *reduction, int64_t size, int64_t in_row, int64_t side)
{
    int32_t last = reduction->kept_count - 1, loops = reduction->reduced_count - (in_row > 1);
    int64_t strides = reduction->kept[last].extent * in_row;
    for (int32_t d = 0; d < last; d++) strides |= reduction->kept[d].stride[OPERAND_X];
    for (int32_t d = 0; d < loops; d++) strides |= reduction->reduced[d].stride[OPERAND_X];
    return strides % side == 0 && (uintptr_t)reduction->x % (uintptr_t)(side * size) == 0;
}

/* Whether results are so wide that a vector has two of them, and elements so narrow that there is time to write some
 * words of a thread. */
static int have_wide_results(const struct reduction *reduction)
{
    const struct calculation *calculation = &reduction->calculation;
    return type_row(calculation->result)->size == 8 && type_row(calculation->type)->size <= 2 &&
           !reduce_plan_has_spread(&reduction->calculation);
}

/* Elements of an access: results of neighbouring threads lie closer than they are wide if these are few. */
static int64_t choose_side(const struct reduction *reduction, int64_t size, int64_t in_row)
{
    int64_t side = VECTOR / size, result = type_row(reduction->calculation.result)->size;
    if (vectors_of_run(reduction, in_row) > 1) return side;
    if (reduce_plan_has_spread(&reduction->calculation) && reduction->length > SPREAD_SHORT) side = SPREAD_BYTES / size;
    if (reduce_plan_has_spread(&reduction->calculation)) side = least(side, SPREAD_CELLS * in_row);
    if (side < in_row) side = in_row; /* of one cell at least */
    if (result > size && reduction->length <= SHORT_COLUMN) {
        int two = reduction->length > SHORT_COLUMN / 2 || have_wide_results(reduction);
        side = least(side, VECTOR * (two ? 2 : 1) / result * in_row);
    }
    while (side > in_row && !takes_side(reduction, size, in_row, side)) side /= 2;
    return side;
}

/* At once on a multiprocessor. */
static int column_blocks(const struct reduction *reduction, int64_t depth)
{
    if (!reduce_plan_has_spread(&reduction->calculation)) return 3;
    int size = (int)type_row(reduction->calculation.type)->size;
    if (size < 16 && (reduction->length > SPREAD_SHORT || (depth < AT_ONCE && size >= 4))) return 4;
    return depth == AT_ONCE && depth >= reduction->length && size == 4 ? 2 : 3;
}

/* Groups of a thread: as many as have AT_ONCE vectors under way, but no more accesses, sums or words of results than
 * registers take and neighbouring threads write together: of folds to 8 bytes in one pass one. */
static int64_t column_groups(const struct reduction *reduction, int64_t rows, int64_t depth, int64_t side,
                             int64_t cells)
{
    int64_t size = type_row(reduction->calculation.type)->size;
    int64_t groups = least(AT_ONCE * VECTOR / (depth * side * size), MOST_ACCESSES / depth);
    if (rows == 1) groups = least(groups, AT_ONCE / 2); /* whose results are as many bytes, or more */
    if (depth < rows) groups = least(groups, cells < MOST_CELLS ? least(MOST_CELLS / cells, 2) : 1);
    if (have_wide_results(reduction))
        groups = least(groups, reduction->calculation.method != METHOD_FOLD ? 4 : depth < rows ? 2 : 1);
    if (reduce_plan_has_spread(&reduction->calculation) && (depth == AT_ONCE || (depth > 2 && size >= 4))) return 1;
    if (reduce_plan_has_spread(&reduction->calculation) && size >= 4) return least(groups, 2);
    return least(groups, AT_ONCE);
}

/* Groups of a thread whose accesses are shifted: what they lie in takes twice the registers. */
static int64_t shifted_groups(int64_t depth)
{
    return depth <= 2 ? 2 : 1;
}

/* Bytes under way, and numbers of cells, that registers take. */
static void plan_columns(const struct reduction *reduction, int64_t in_row, int64_t side, int shifted,
                         struct reduce_plan *plan)
{
    struct reduce_parameters *p = &plan->parameters;
    int64_t rows = reduction->length / in_row, cells = side / in_row;
    int64_t depth = least(AT_ONCE, power_above(rows)), extent = reduction->kept[reduction->kept_count - 1].extent;
    int64_t groups = shifted ? shifted_groups(depth) : column_groups(reduction, rows, depth, side, cells);
    int64_t all = divide_up(reduction->cells, cells);
    p->all_units = rows;
    if (shifted) {
        p->row_units = divide_up(extent, side);
        p->units = all = reduction->cells / extent * p->row_units;
    }
    plan->blocks = divide_up(all, THREADS * groups);
    if (vectors_of_run(reduction, in_row) > 1) {
        struct kernel_loop *run = &p->reduced[p->reduced_count - 1];
        run[1] = *run;
        run[1].extent = in_row;
        run->extent /= in_row;
        run->x *= in_row;
        p->reduced_count++;
    }
    definitions_add_number(&plan->definitions, "THREADS", THREADS);
    definitions_add_number(&plan->definitions, "REDUCED_NEST", p->reduced_count > 1 ? p->reduced_count : 0);
    definitions_add_number(&plan->definitions, "KEPT_NEST", least(reduction->kept_count, 3));
    definitions_add_number(&plan->definitions, "ROW_LOOPS", row_loops(reduction, in_row));
    definitions_add_number(&plan->definitions, "IN_ROW", in_row);
    definitions_add_number(&plan->definitions, "SHORT_COLUMNS", 1);
    definitions_add_number(&plan->definitions, "SHIFTED", shifted);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE", column_blocks(reduction, depth));
    definitions_add_number(&plan->definitions, "SIDE", side);
    definitions_add_number(&plan->definitions, "GROUPS", groups);
    definitions_add_number(&plan->definitions, "DEPTH", depth);
    definitions_add_number(&plan->definitions, "IN_ONE_PASS", depth >= rows);
}

static int are_columns(const struct device_limits *limits, const struct reduction *reduction, int64_t in_row,
                       int64_t side)
{
    int64_t threads = reduction->cells / (side / in_row);
    if (reduction->kept[reduction->kept_count - 1].stride[OPERAND_X] != in_row &&
        vectors_of_run(reduction, in_row) == 1)
        return 0;
    if (reduction->length <= SHORT_COLUMN) return 1;
    return reduction->length <= longest_column(reduction) &&
           threads >= (int64_t)limits->processors * THREADS_OF_PROCESSOR;
}

/* The longest columns that go this way: strips take longer ones sooner, and sooner still where their warps have whole
 * rows. */
static int64_t longest_shifted(const struct reduction *reduction, int64_t units)
{
    const struct calculation *calculation = &reduction->calculation;
    int floats = calculation->method == METHOD_EXACT && type_row(calculation->type)->kind & KIND_FLOAT;
    if (floats || calculation->method == METHOD_ARG) return MOST_SHIFTED_ROWS;
    return units >= WHOLE_UNITS && power_above(units) == units ? FEW_SHIFTED_ROWS : SHIFTED_ROWS;
}

int reduce_plan_columns(const struct device_limits *limits, const struct reduction *reduction, struct reduce_plan *plan)
{
    int64_t size = type_row(reduction->calculation.type)->size;
    int64_t in_row = elements_in_row(reduction, size), side = choose_side(reduction, size, in_row);
    if (!are_columns(limits, reduction, in_row, side) || !takes_side(reduction, size, in_row, side)) return 0;
    plan_columns(reduction, in_row, side, 0, plan);
    return 1;
}

int reduce_plan_shifted(const struct device_limits *limits, const struct reduction *reduction,
                        const struct reduce_plan *usual, struct reduce_plan *plan)
{
    int64_t size = type_row(reduction->calculation.type)->size, side = SHIFTED_BYTES / size;
    if (size > 2 || reduce_plan_has_spread(&reduction->calculation) || !reduce_plan_may_be_short(reduction)) return 0;
    int64_t columns = reduction->kept[reduction->kept_count - 1].extent;
    if (elements_in_row(reduction, size) > 1 || columns < side) return 0;
    if (reduction->length >= FLAT_ROWS && columns * size < VECTOR) return 0;
    if (reduction->length > longest_shifted(reduction, divide_up(columns, side)) ||
        !are_columns(limits, reduction, 1, side))
        return 0;
    if (takes_side(reduction, size, 1, side)) return 0;
    if (reduce_plan_is_fetched(limits, reduction)) return 0;
    reduce_plan_begin_short(reduction, usual, plan);
    plan_columns(reduction, 1, side, 1, plan);
    return 1;
}
