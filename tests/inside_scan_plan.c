/* SPDX-License-Identifier: MIT
 *
 * inside_scan_plan.c - which kernels scans along contiguous axes go to: rows, waves, single chunks, or
 * any. */
#include "gpu/scan_plan.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static const struct device_limits h100 = {.processors = 132, .architecture = 90, .shared_bytes = 232448};

/* A running maximum of f32 along rows that lie behind each other, far from address 0. */
static struct scan rows_of(int64_t rows, int64_t length)
{
    struct scan scan;
    memset(&scan, 0, sizeof scan);
    scan.calculation.type = scan.calculation.result = TALLY_F32;
    scan.calculation.op = op_row(TALLY_MAX);
    scan.calculation.combine = scan.calculation.op->combine;
    scan.calculation.method = METHOD_FOLD;
    scan.x = (const void *)((uintptr_t)1 << 40);
    scan.out = (void *)(uintptr_t)512;
    scan.kept_count = 1;
    scan.kept[0].extent = rows;
    scan.kept[0].stride[OPERAND_X] = scan.kept[0].stride[OPERAND_OUT] = length;
    scan.axis.extent = length;
    scan.axis.stride[OPERAND_X] = scan.axis.stride[OPERAND_OUT] = 1;
    scan.cells = rows;
    return scan;
}

static void goes_to(const struct device_limits *limits, const struct scan *scan, const char *file)
{
    static struct scan_plan plan;
    scan_plan(limits, scan, &plan);
    CHECK_EQUAL_TEXT(plan.file, file);
    if (strcmp(file, "scan_rows.cu") != 0) return;
    const struct reduce_parameters *p = &plan.parameters.reduce;
    int64_t all = scan->cells * scan->axis.extent, warps = plan.blocks * (plan.threads / 32);
    CHECK(p->split_units > 0 && p->split_units % p->length == 0);
    CHECK(warps * p->split_units >= all && (warps - plan.threads / 32) * p->split_units < all);
    CHECK(plan.shared_bytes <= limits->shared_bytes);
}

static void lengths(void)
{
    for (int64_t length = 2; length <= 16384; length += length < 64 ? 1 : length / 3) {
        struct scan scan = rows_of(((int64_t)1 << 28) / length, length);
        goes_to(&h100, &scan, "scan_rows.cu");
    }
    struct scan few = rows_of(8, 1 << 25), none = rows_of(3, 200000), some = rows_of(1000, 2000);
    goes_to(&h100, &few, "scan_wave.cu");
    goes_to(&h100, &none, "scan_few.cu");
    goes_to(&h100, &some, "scan_rows.cu");
}

/* Each block of these has one chunk; where they are too many, a wave goes through them. */
static void few_elements(void)
{
    static const tally_type types[] = {TALLY_I8, TALLY_F16, TALLY_F32, TALLY_F64};
    for (int t = 0; t < 4; t++) {
        for (int exact = 0; exact < 2; exact++) {
            if (exact && t == 0) continue;
            struct scan_plan *plan = calloc(1, sizeof *plan);
            int64_t length = 1, all = 0;
            if (!plan) continue;
            for (;; length += 1 + length / 3) {
                struct scan scan = rows_of(1, length);
                scan.calculation.type = scan.calculation.result = types[t];
                if (exact) scan.calculation.op = op_row(TALLY_SUM), scan.calculation.method = METHOD_EXACT;
                scan.calculation.combine = scan.calculation.op->combine;
                scan_plan(&h100, &scan, plan);
                if (strcmp(plan->file, "scan_few.cu") != 0) break;
                const struct reduce_parameters *p = &plan->parameters.reduce;
                all = p->splits * p->split_units;
                CHECK(all >= length && all - p->split_units < length && plan->blocks == p->splits);
                CHECK(plan->blocks <= h100.processors && plan->shared_bytes <= h100.shared_bytes);
            }
            CHECK_EQUAL_TEXT(plan->file, "scan_wave.cu");
            CHECK(all >= 1 << 19);
            free(plan);
        }
    }
}

/* Blocks of a cluster have one row of few chunks; those beyond the last chunk have nothing to do. */
static void clusters(void)
{
    static const struct device_limits clustered = {
        .processors = 132, .architecture = 90, .shared_bytes = 232448, .cluster_blocks = 16};
    static struct scan_plan plan;
    struct scan one = rows_of(1, 1000), some = rows_of(1, 65536), many = rows_of(1, 200000), rows = rows_of(2, 65536);
    scan_plan(&clustered, &one, &plan);
    CHECK(plan.blocks == 1 && !strstr(plan.definitions.text, "BLOCKS_TOGETHER"));
    scan_plan(&clustered, &some, &plan);
    CHECK(plan.blocks == 16 && strstr(plan.definitions.text, "BLOCKS_TOGETHER=16"));
    CHECK(plan.parameters.reduce.splits == 12 && strstr(plan.definitions.text, "VECTORS=3"));
    scan_plan(&h100, &some, &plan);
    CHECK(plan.blocks == 35 && !strstr(plan.definitions.text, "BLOCKS_TOGETHER"));
    scan_plan(&clustered, &many, &plan);
    CHECK(plan.blocks > 16 && !strstr(plan.definitions.text, "BLOCKS_TOGETHER"));
    scan_plan(&clustered, &rows, &plan);
    CHECK(!strstr(plan.definitions.text, "BLOCKS_TOGETHER"));
}

static void places(void)
{
    struct scan scan = rows_of(100000, 100);
    scan.x = (const void *)(uintptr_t)260;
    goes_to(&h100, &scan, "scan_rows.cu");
    scan.x = (const void *)(uintptr_t)258; /* no element's border */
    goes_to(&h100, &scan, "scan.cu");
    scan.x = (const void *)(uintptr_t)260;
    scan.out = (void *)(uintptr_t)516;
    goes_to(&h100, &scan, "scan_rows.cu");
    scan.axis.stride[OPERAND_X] = scan.axis.stride[OPERAND_OUT] = -1;
    scan.x = (const void *)(uintptr_t)(260 + 99 * 4);
    scan.out = (void *)(uintptr_t)(516 + 99 * 4);
    goes_to(&h100, &scan, "scan_rows.cu");
    scan.kept[0].stride[OPERAND_OUT] = 104;
    goes_to(&h100, &scan, "scan_rows.cu");
    scan = rows_of(100000, 100);
    scan.calculation.type = scan.calculation.result = TALLY_I8;
    scan.x = (const void *)(uintptr_t)257;
    goes_to(&h100, &scan, "scan_rows.cu");
    scan.kept[0].stride[OPERAND_X] = 101;
    goes_to(&h100, &scan, "scan_rows.cu");
    scan.kept[0].stride[OPERAND_X] = 99;
    goes_to(&h100, &scan, "scan.cu");
}

/* Halves of rows that run against their results, and bytes apart, that are put together one or few at once. */
static void put_together(void)
{
    static struct scan_plan plan;
    static const tally_type types[] = {TALLY_U8, TALLY_U16, TALLY_I32};
    for (int t = 0; t < 3; t++) {
        struct scan scan = rows_of(100000, 101);
        scan.calculation.type = scan.calculation.result = types[t];
        scan_plan(&h100, &scan, &plan);
        CHECK(!plan.puts_together);
        scan.axis.stride[OPERAND_X] = -1; /* rows against their results */
        scan_plan(&h100, &scan, &plan);
        CHECK_EQUAL_TEXT(plan.file, "scan_rows.cu");
        CHECK(plan.puts_together == (types[t] == TALLY_U16));
        scan.axis.stride[OPERAND_X] = 2, scan.kept[0].stride[OPERAND_X] = 202; /* elements apart */
        scan_plan(&h100, &scan, &plan);
        CHECK(!plan.puts_together);
        scan = rows_of(1, 1 << 26);
        scan.calculation.type = scan.calculation.result = types[t];
        scan.axis.stride[OPERAND_X] = 2;
        scan_plan(&h100, &scan, &plan);
        CHECK_EQUAL_TEXT(plan.file, "scan_wave.cu");
        CHECK(plan.puts_together == (types[t] == TALLY_U8));
    }
}

/* The same of matrices that lie behind each other, down their columns. */
static struct scan matrices_of(int64_t matrices, int64_t rows, int64_t columns)
{
    struct scan scan = rows_of(columns, rows);
    scan.kept_count = 2;
    scan.kept[0] = scan.kept[1] = (struct loop){0};
    scan.kept[0].extent = matrices, scan.kept[1].extent = columns;
    scan.kept[0].stride[OPERAND_X] = scan.kept[0].stride[OPERAND_OUT] = rows * columns;
    scan.kept[1].stride[OPERAND_X] = scan.kept[1].stride[OPERAND_OUT] = 1;
    scan.axis.stride[OPERAND_X] = scan.axis.stride[OPERAND_OUT] = columns;
    scan.cells = matrices * columns;
    return scan;
}

/* Whether a warp goes through whole matrices, and then through all of them: every row is in a run. */
static int goes_by_tiles(const struct scan *scan)
{
    static struct scan_plan plan;
    scan_plan(&h100, scan, &plan);
    CHECK(plan.shared_bytes <= h100.shared_bytes);
    if (!strstr(plan.definitions.text, "\nTILES=1\n")) return 0;
    const struct reduce_parameters *p = &plan.parameters.reduce;
    int64_t columns = scan->kept[scan->kept_count - 1].extent, matrices = scan->cells / columns, rows = p->length;
    int64_t warps = plan.blocks * (plan.threads / 32);
    CHECK_EQUAL_TEXT(plan.file, "scan_columns.cu");
    CHECK(p->split_units % p->width == 0 && warps * p->split_units >= matrices);
    CHECK((warps - plan.threads / 32) * p->split_units < matrices);
    CHECK(p->run_units >= 1 && p->run_units <= 72 && p->team >= 1);
    CHECK(p->width == 1 || p->team * p->run_units >= rows);
    CHECK(p->team == 1 || p->width * p->team * (columns <= 32 ? 1 : columns / 32) <= 32);
    return 1;
}

static void middles(void)
{
    for (int64_t columns = 2; columns <= 64; columns++) {
        for (int64_t rows = 2; rows < 3000; rows += 1 + rows / 5) {
            struct scan scan = matrices_of(((int64_t)1 << 28) / (rows * columns), rows, columns);
            CHECK_EQUAL_I64(goes_by_tiles(&scan), columns % 8 != 0); /* else rows are whole sectors */
        }
    }
    struct scan scan = matrices_of(100000, 1000, 65), few = matrices_of(1000, 100000, 2);
    CHECK(!goes_by_tiles(&scan) && !goes_by_tiles(&few));
    scan = matrices_of(100000, 100, 2);
    CHECK(goes_by_tiles(&scan));
    scan.where = (const unsigned char *)(uintptr_t)256;
    CHECK(!goes_by_tiles(&scan));
    scan.where = NULL;
    scan.axis.stride[OPERAND_OUT] = -2;
    CHECK(!goes_by_tiles(&scan));
    scan = matrices_of(100000, 100, 2);
    scan.kept[0].stride[OPERAND_X] = 204;
    CHECK(goes_by_tiles(&scan));
    scan.axis.stride[OPERAND_X] = 4;
    CHECK(!goes_by_tiles(&scan));
    scan = matrices_of(100000, 100, 10);
    scan.calculation.type = scan.calculation.result = TALLY_F64;
    CHECK(!goes_by_tiles(&scan)); /* rows of sectors and more do without */
}

/* Runs take no more shared memory than there is. */
static void small_memory(void)
{
    static struct scan_plan plan;
    for (uint32_t shared = 32768; shared <= 131072; shared *= 2) {
        struct device_limits limits = h100;
        struct scan scan = rows_of(1, 1 << 20);
        limits.shared_bytes = shared;
        scan.calculation.type = TALLY_C128;
        scan.calculation.result = TALLY_BOOL;
        scan.calculation.op = op_row(TALLY_ANY);
        scan.calculation.combine = scan.calculation.op->combine;
        scan.axis.stride[OPERAND_X] = 2;
        scan_plan(&limits, &scan, &plan);
        CHECK_EQUAL_TEXT(plan.file, "scan.cu");
        CHECK(plan.shared_bytes <= shared);
        CHECK((strstr(plan.definitions.text, "X_WAY=0") != NULL) == (shared < 131072));
    }
}

static void others(void)
{
    struct device_limits old = h100;
    struct scan scan = rows_of(100000, 100);
    old.architecture = 80;
    goes_to(&old, &scan, "scan.cu");
    scan.where = (const unsigned char *)(uintptr_t)256;
    goes_to(&h100, &scan, "scan_rows.cu");
    scan = rows_of(1, 1 << 24); /* masked, or the other way round */
    scan.where = (const unsigned char *)(uintptr_t)256;
    goes_to(&h100, &scan, "scan_wave.cu");
    scan.x = (const void *)(uintptr_t)(256 + ((int64_t)4 << 24));
    scan.axis.stride[OPERAND_X] = -1;
    goes_to(&h100, &scan, "scan_wave.cu");
    scan.axis.stride[OPERAND_X] = 2;
    goes_to(&h100, &scan, "scan_wave.cu");
    scan.axis.stride[OPERAND_X] = 5; /* every element would have a sector of its own */
    goes_to(&h100, &scan, "scan.cu");
    scan = rows_of((int64_t)1 << 40, 3);
    goes_to(&h100, &scan, "scan_rows.cu");
    struct device_limits one = h100; /* no block is left beside the one that chains */
    one.processors = 1;
    scan = rows_of(1, 5000);
    scan.calculation.type = scan.calculation.result = TALLY_F64;
    scan.calculation.op = op_row(TALLY_PROD);
    scan.calculation.combine = scan.calculation.op->combine;
    scan.calculation.ordered = 1;
    goes_to(&h100, &scan, "scan_blocks.cu");
    scan.axis.stride[OPERAND_OUT] = -1;
    scan.x = (const void *)(uintptr_t)264;
    goes_to(&h100, &scan, "scan_blocks.cu");
    scan.x = (const void *)(uintptr_t)260; /* not an element's place */
    goes_to(&h100, &scan, "scan_ordered.cu");
    scan.x = (const void *)(uintptr_t)256;
    scan.axis.stride[OPERAND_X] = 2;
    goes_to(&h100, &scan, "scan_ordered.cu");
    scan.axis.stride[OPERAND_X] = 1;
    goes_to(&one, &scan, "scan_ordered.cu");
}

int main(void)
{
    lengths();
    few_elements();
    clusters();
    places();
    put_together();
    middles();
    small_memory();
    others();
    return test_finish("inside_scan_plan");
}
