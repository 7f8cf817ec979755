/* SPDX-License-Identifier: MIT
 *
 * inside_reduce_plan.c - which kernels take short rows: with a little between them or begun inside of vectors, with
 * absent elements, of two arrays; and all of a matrix of few columns with gaps between them; where blocks share
 * little memory; of rows and runs of more than 31 bits; which columns come by way of shared memory; and runs
 * of a few bytes that are columns beside each other; and that a plan depends on where results begin. */
#include "gpu/recall.h"
#include "gpu/reduce_plan.h"
#include "test.h"

#include <string.h>

static const struct device_limits h100 = {.processors = 132, .architecture = 90, .shared_bytes = 232448};
static struct reduce_plan usual, plan;

/* A reduction of f32 along rows that lie `apart` elements apart, the first at address 256. */
static struct reduction rows_of(tally_op op, int method, int64_t length, int64_t apart)
{
    struct reduction r;
    memset(&r, 0, sizeof r);
    r.calculation.type = r.calculation.result = TALLY_F32;
    r.calculation.op = op_row(op);
    r.calculation.combine = r.calculation.op->combine;
    r.calculation.method = method;
    r.x = r.y = (const void *)(uintptr_t)256;
    r.out = (void *)(uintptr_t)512;
    r.kept_count = r.reduced_count = 1;
    r.kept[0].extent = r.cells = 1000000;
    r.kept[0].stride[OPERAND_X] = r.kept[0].stride[OPERAND_Y] = r.kept[0].stride[OPERAND_WHERE] = apart;
    r.kept[0].stride[OPERAND_OUT] = 1;
    r.reduced[0].extent = r.length = length;
    r.reduced[0].stride[OPERAND_X] = r.reduced[0].stride[OPERAND_Y] = r.reduced[0].stride[OPERAND_WHERE] = 1;
    return r;
}

typedef int planner(const struct device_limits *, const struct reduction *, const struct reduce_plan *,
                    struct reduce_plan *);

/* Whether the plan has a definition, or there is none and that is NULL. */
static void goes(const struct reduction *reduction, planner *take, const char *definition)
{
    reduce_plan(&h100, reduction, &usual);
    int taken = take(&h100, reduction, &usual, &plan);
    CHECK(taken == (definition != NULL));
    if (!taken || !definition) return;
    CHECK(strstr(plan.definitions.text, definition) != NULL);
    CHECK(plan.shared_bytes <= h100.shared_bytes);
}

static void short_rows(void)
{
    struct reduction close = rows_of(TALLY_MAX, METHOD_FOLD, 10, 11), wide = rows_of(TALLY_MAX, METHOD_FOLD, 3, 50),
                     few = rows_of(TALLY_MAX, METHOD_FOLD, 15, 32), begun = rows_of(TALLY_MAX, METHOD_FOLD, 8, 8),
                     spread = rows_of(TALLY_VAR, METHOD_EXACT, 10, 11), lone = rows_of(TALLY_MAX, METHOD_FOLD, 2, 4);
    goes(&close, reduce_plan_short, "SHORT_WORDS");
    goes(&wide, reduce_plan_short, NULL);
    goes(&few, reduce_plan_short, "RAGGED=1");
    few.kept[0].stride[OPERAND_X] = 16;
    goes(&few, reduce_plan_short, "SHORT_STAGED");
    few.reduced[0].extent = few.length = 150, few.kept[0].stride[OPERAND_X] = 152;
    goes(&few, reduce_plan_short, "RAGGED=1");
    begun.x = (const void *)(uintptr_t)260;
    goes(&begun, reduce_plan_short, "RAGGED=1");
    goes(&spread, reduce_plan_short, "SHORT_WORDS");
    goes(&lone, reduce_plan_short, "SHORT_");
}

static void absent(void)
{
    struct reduction sum = rows_of(TALLY_SUM, METHOD_EXACT, 33, 33), one = sum, apart = sum, step = sum, found = sum;
    sum.calculation.flags = TALLY_SKIP_NAN;
    goes(&sum, reduce_plan_staged, "SHORT_STAGED");
    goes(&one, reduce_plan_staged, NULL);
    one.where = (const unsigned char *)(uintptr_t)1024;
    goes(&one, reduce_plan_staged, "SHORT_STAGED");
    one.kept[0].stride[OPERAND_WHERE] = 0;
    goes(&one, reduce_plan_staged, "SHORT_STAGED");
    step.where = (const unsigned char *)(uintptr_t)1024;
    step.reduced[0].stride[OPERAND_WHERE] = 2;
    goes(&step, reduce_plan_staged, NULL);
    apart.calculation.flags = TALLY_SKIP_NAN;
    apart.kept[0].stride[OPERAND_X] = 100;
    goes(&apart, reduce_plan_staged, NULL);
    found.calculation.op = op_row(TALLY_ARGMAX);
    found.calculation.method = METHOD_ARG;
    found.calculation.flags = TALLY_SKIP_NAN;
    goes(&found, reduce_plan_staged, NULL);
}

/* Rows with absent elements that are read as others are: by vectors, whose masks are words of theirs, or by words. */
static void absent_in_short_rows(void)
{
    static const unsigned char *const mask = (const unsigned char *)(uintptr_t)1024;
    struct reduction sum = rows_of(TALLY_SUM, METHOD_EXACT, 1000, 1000),
                     odd = rows_of(TALLY_SUM, METHOD_EXACT, 1001, 1001),
                     mean = rows_of(TALLY_MEAN, METHOD_EXACT, 1000, 1000), begun, turned, longer, few;
    sum.calculation.flags = odd.calculation.flags = mean.calculation.flags = TALLY_SKIP_NAN;
    goes(&sum, reduce_plan_short, "RAGGED=0");
    CHECK(strstr(plan.definitions.text, "COUNTS_OF_ROWS") == NULL);
    goes(&mean, reduce_plan_short, "COUNTS_OF_ROWS=1");
    goes(&odd, reduce_plan_short, "SHORT_WORDS");
    odd.kept[0].stride[OPERAND_X] = 4001;
    goes(&odd, reduce_plan_short, "RAGGED=1");
    longer = sum;
    longer.reduced[0].extent = longer.length = longer.kept[0].stride[OPERAND_X] = 3076;
    goes(&longer, reduce_plan_short, NULL);
    few = longer;
    few.reduced[0].extent = few.length = few.kept[0].stride[OPERAND_X] = 2000;
    goes(&few, reduce_plan_short, "SHORT_ROWS");
    few.cells = few.kept[0].extent = 1000;
    goes(&few, reduce_plan_short, NULL);
    sum.where = odd.where = mask;
    goes(&sum, reduce_plan_short, "MASK_ALIGNED=1");
    goes(&odd, reduce_plan_short, NULL);
    begun = turned = sum;
    begun.where = mask + 1;
    goes(&begun, reduce_plan_short, NULL);
    turned.kept[0].stride[OPERAND_WHERE] = 1;
    goes(&turned, reduce_plan_short, NULL);
}

/* Nests with absent elements go by their runs. */
static void absent_in_nests(void)
{
    struct reduction nest = rows_of(TALLY_SUM, METHOD_EXACT, 1048, 1048);
    nest.kept[0].extent = nest.cells = 64;
    nest.reduced_count = 2;
    nest.reduced[1] = nest.reduced[0];
    nest.reduced[0].extent = 1000;
    nest.reduced[0].stride[OPERAND_X] = nest.reduced[0].stride[OPERAND_WHERE] = 64 * 1048;
    nest.length = 1000 * 1048;
    nest.calculation.flags = TALLY_SKIP_NAN;
    goes(&nest, reduce_plan_long, "WHOLE_RUNS=1");
    CHECK(strstr(plan.definitions.text, "FILL=0x0ull") != NULL);
    nest.where = (const unsigned char *)(uintptr_t)1024;
    goes(&nest, reduce_plan_long, "MASK_ALIGNED=1");
    nest.reduced[0].stride[OPERAND_WHERE] = 1048;
    goes(&nest, reduce_plan_long, NULL);
}

static void products(void)
{
    struct reduction dot = rows_of(TALLY_DOT, METHOD_EXACT, 3, 3), checked = dot, begun = dot;
    goes(&dot, reduce_plan_staged, "SHORT_STAGED");
    dot.kept[0].stride[OPERAND_Y] = 0;
    goes(&dot, reduce_plan_staged, "SHORT_STAGED");
    begun.y = (const void *)(uintptr_t)258;
    goes(&begun, reduce_plan_staged, NULL);
    checked.calculation.flags = TALLY_CHECK_OVERFLOW;
    goes(&checked, reduce_plan_staged, NULL);
}

/* Of long rows with absent elements. */
static void spreads(void)
{
    struct reduction spread = rows_of(TALLY_VAR, METHOD_EXACT, 30000, 30000), turned = spread;
    spread.calculation.flags = TALLY_SKIP_NAN;
    goes(&spread, reduce_plan_spread, "REDOES=1");
    spread.where = turned.where = (const unsigned char *)(uintptr_t)1024;
    goes(&spread, reduce_plan_spread, "MASK_ALIKE");
    turned.reduced[0].stride[OPERAND_WHERE] = 1000000;
    goes(&turned, reduce_plan_spread, NULL);
}

/* All elements of 3 columns out of 4, and every other element. */
static void gaps(void)
{
    struct reduction all = rows_of(TALLY_MAX, METHOD_FOLD, 3, 4);
    all.kept_count = 0;
    all.cells = 1;
    all.reduced_count = 2;
    all.reduced[1] = all.reduced[0];
    all.reduced[0] = all.kept[0];
    all.length = 3 * all.reduced[0].extent;
    goes(&all, reduce_plan_whole, "GAPS=1");
    CHECK(plan.parameters.length == 4 * all.reduced[0].extent - 1);
    CHECK(plan.parameters.run_units == 3 && plan.parameters.width == 4);
    struct reduction apart = all, lone = all, masked = all;
    apart.reduced[0].stride[OPERAND_X] = 100;
    goes(&apart, reduce_plan_whole, NULL);
    masked.where = (const unsigned char *)(uintptr_t)1024;
    goes(&masked, reduce_plan_whole, NULL);
    lone.reduced_count = 1;
    lone.length = lone.reduced[0].extent;
    lone.reduced[0].stride[OPERAND_X] = 2;
    goes(&lone, reduce_plan_whole, NULL);
    lone.calculation.type = lone.calculation.result = TALLY_I8;
    goes(&lone, reduce_plan_whole, "GAPS=1");
}

/* Two columns out of three, of so many rows: kernels that number rows in 31 bits leave more to others. */
static void many_rows(void)
{
    struct reduction rows = rows_of(TALLY_ARGMAX, METHOD_ARG, INT32_MAX, 1), nest;
    rows.calculation.type = TALLY_F16;
    rows.kept[0].extent = rows.cells = 2;
    rows.kept[0].stride[OPERAND_X] = 1;
    rows.reduced[0].stride[OPERAND_X] = 3;
    goes(&rows, reduce_plan_tall, "TALL_FLAT=0");
    rows.length = ++rows.reduced[0].extent;
    goes(&rows, reduce_plan_tall, NULL);
    nest = rows;
    nest.calculation.op = op_row(TALLY_MAX);
    nest.calculation.combine = nest.calculation.op->combine;
    nest.calculation.method = METHOD_FOLD;
    nest.calculation.type = nest.calculation.result = TALLY_I8;
    nest.reduced_count = 2;
    nest.reduced[1] = nest.reduced[0];
    nest.reduced[1].extent = 1 << 30;
    nest.reduced[0].extent = 2;
    nest.reduced[0].stride[OPERAND_X] = (int64_t)3 << 30;
    nest.length = (int64_t)2 << 30;
    goes(&nest, reduce_plan_tall, "TALL_FLAT=0");
    nest.reduced[1].extent++;
    nest.length += 2;
    goes(&nest, reduce_plan_tall, NULL);
}

/* Many runs of so many bytes, more of which overlap than a GPU holds. */
static void long_runs(void)
{
    struct reduction runs = rows_of(TALLY_MAX, METHOD_FOLD, 1 << 29, 16);
    runs.kept[0].extent = runs.cells = 1;
    runs.reduced_count = 2;
    runs.reduced[1] = runs.reduced[0];
    runs.reduced[0].extent = 396; /* as many as blocks at once */
    runs.reduced[0].stride[OPERAND_X] = 16;
    runs.length = 396 * runs.reduced[1].extent;
    runs.reduced[1].extent -= 16;
    goes(&runs, reduce_plan_long, "");
    runs.reduced[1].extent += 16;
    goes(&runs, reduce_plan_long, NULL);
}

/* Blocks of cells side by side, in order, on a GPU that gives a block no more shared memory than kernels can declare.
 */
/* Of outer x middle x last elements, those of the first and the last axis. */
static void merged_columns(void)
{
    const int64_t outer = 4096, middle = 10000, last = 4;
    struct reduction sum = rows_of(TALLY_SUM, METHOD_EXACT, outer * last, last), apart, masked;
    sum.kept[0].extent = sum.cells = middle;
    sum.reduced_count = 2;
    sum.reduced[1] = sum.reduced[0];
    sum.reduced[1].extent = last;
    sum.reduced[0].extent = outer;
    sum.reduced[0].stride[OPERAND_X] = sum.reduced[0].stride[OPERAND_WHERE] = middle * last;
    apart = masked = sum;
    goes(&sum, reduce_plan_tall, "COLUMNS_OF_CELL=4");
    sum.reduced[1].extent = 8, sum.kept[0].stride[OPERAND_X] = 8; /* reduce_long.cu */
    goes(&sum, reduce_plan_tall, NULL);
    apart.kept[0].stride[OPERAND_X] = last + 1; /* more than cells lies in rows */
    goes(&apart, reduce_plan_tall, NULL);
    masked.where = (const unsigned char *)(uintptr_t)1024;
    goes(&masked, reduce_plan_tall, "COLUMNS_OF_CELL=4");
    masked.kept[0].stride[OPERAND_WHERE] = 1;
    goes(&masked, reduce_plan_tall, NULL);
}

static void little_shared_memory(void)
{
    static const struct device_limits little = {.processors = 4, .architecture = 75, .shared_bytes = 65536};
    struct reduction across = rows_of(TALLY_LOGSUMEXP, METHOD_FOLD, 82, 1);
    across.calculation.ordered = 1;
    across.reduced[0].stride[OPERAND_X] = 1000000;
    reduce_plan(&h100, &across, &plan);
    CHECK(plan.parameters.cells_first && plan.threads == 1024 && plan.shared_bytes == 65536);
    reduce_plan(&little, &across, &plan);
    CHECK(plan.parameters.cells_first && plan.threads == 256 && plan.shared_bytes == 16384);
}

/* One matrix of f32, down its columns. */
static struct reduction columns_of(tally_op op, int method, int64_t rows, int64_t columns)
{
    struct reduction r = rows_of(op, method, rows, 1);
    r.kept[0].extent = r.cells = columns;
    r.reduced[0].stride[OPERAND_X] = r.reduced[0].stride[OPERAND_Y] = r.reduced[0].stride[OPERAND_WHERE] = columns;
    return r;
}

/* Rows that begin inside of vectors come by way of shared memory where they are wide and enough. */
static void fetched_columns(void)
{
    static const struct device_limits small = {.processors = 132, .architecture = 90, .shared_bytes = 49152},
                                      old = {.processors = 132, .architecture = 80, .shared_bytes = 166912};
    struct reduction whole = columns_of(TALLY_SUM, METHOD_EXACT, 268, 1000003),
                     most = columns_of(TALLY_MAX, METHOD_FOLD, 96, 1000003),
                     split = columns_of(TALLY_SUM, METHOD_EXACT, 4095, 65537),
                     best = columns_of(TALLY_MAX, METHOD_FOLD, 4095, 65537),
                     few = columns_of(TALLY_SUM, METHOD_EXACT, 95, 1000003),
                     narrow = columns_of(TALLY_SUM, METHOD_EXACT, 65520, 4097),
                     aligned = columns_of(TALLY_SUM, METHOD_EXACT, 268, 1000004);
    goes(&whole, reduce_plan_ragged, "WHOLE_COLUMNS=1");
    goes(&most, reduce_plan_ragged, "WHOLE_COLUMNS=1");
    goes(&split, reduce_plan_ragged, "WHOLE_COLUMNS=0");
    goes(&best, reduce_plan_ragged, "FETCH_STAGES=0");
    goes(&few, reduce_plan_ragged, "FETCH_STAGES=0");
    goes(&narrow, reduce_plan_ragged, "FETCH_STAGES=0");
    CHECK(reduce_plan_is_fetched(&h100, &whole) && !reduce_plan_is_fetched(&h100, &aligned));
    CHECK(!reduce_plan_is_fetched(&small, &whole) && !reduce_plan_is_fetched(&old, &whole));
}

/* Results that are written as vectors: a plan for others is none for those that begin elsewhere. */
static void results_elsewhere(void)
{
    struct reduction aligned = columns_of(TALLY_PROD, METHOD_FOLD, 1000, 4096), elsewhere;
    struct recall_key key, other;
    aligned.calculation.ordered = 1;
    elsewhere = aligned;
    elsewhere.out = (char *)elsewhere.out + 4;
    goes(&aligned, reduce_plan_lanes, "OUT_ALIGN=8\n");
    goes(&elsewhere, reduce_plan_lanes, "OUT_ALIGN=4\n");
    CHECK(recall_key_of_reduction(&aligned, &key) && recall_key_of_reduction(&elsewhere, &other));
    CHECK(key.length == other.length && memcmp(key.bytes, other.bytes, key.length) != 0);
}

/* Few chunks of a whole array go to the blocks of a cluster, all of which are launched. */
static void clusters(void)
{
    static const struct device_limits clustered = {
        .processors = 132, .architecture = 90, .shared_bytes = 232448, .cluster_blocks = 16};
    static const struct {
        int64_t length, blocks;
        int method, is_cluster;
    } cases[] = {{4000, 1, METHOD_FOLD, 0},     {5000, 16, METHOD_FOLD, 1},   {131072, 16, METHOD_FOLD, 1},
                 {131073, 33, METHOD_FOLD, 0},  {8192, 1, METHOD_EXACT, 0},   {8193, 16, METHOD_EXACT, 1},
                 {131072, 16, METHOD_EXACT, 1}, {131073, 33, METHOD_EXACT, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int exact = cases[i].method == METHOD_EXACT;
        struct reduction r = rows_of(exact ? TALLY_SUM : TALLY_MAX, cases[i].method, cases[i].length, 0);
        r.cells = 1, r.kept_count = 0;
        reduce_plan(&clustered, &r, &usual);
        CHECK(reduce_plan_whole(&clustered, &r, &usual, &plan));
        CHECK_EQUAL_TEXT(plan.file, exact ? "reduce_few.cu" : "reduce_whole.cu");
        CHECK_EQUAL_I64(plan.blocks, cases[i].blocks);
        CHECK((strstr(plan.definitions.text, "BLOCKS_TOGETHER=16") != NULL) == cases[i].is_cluster);
        CHECK(reduce_plan_whole(&h100, &r, &usual, &plan));
        CHECK(strstr(plan.definitions.text, "BLOCKS_TOGETHER") == NULL);
    }
}

int main(void)
{
    clusters();
    results_elsewhere();
    little_shared_memory();
    many_rows();
    long_runs();
    gaps();
    short_rows();
    fetched_columns();
    merged_columns();
    absent();
    absent_in_short_rows();
    absent_in_nests();
    products();
    spreads();
    return test_finish("inside_reduce_plan");
}
