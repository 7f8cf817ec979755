/* SPDX-License-Identifier: MIT
 *
 * inside_scan_columns.c - which scans down columns go to kernels/scan_columns/scan_columns.cu, and by which of its two
 * ways, on a GPU of 132 processors. OVERLAPS: warps have columns together; SKEWED: it copies rows in vectors that are
 * not aligned to them; APART: and results not in place. */
#include "gpu/scan_plan.h"
#include "plan.h"
#include "test.h"

#include <string.h>

enum way { ELSEWHERE, WALKS, OVERLAPS, SHARES, SKEWED, APART };
enum { IN_PLACE = 1 << 16, WITH_MORE_CACHE = 1 << 17 }; /* of flags: as an H200, not an H100 */

static _Alignas(256) char place[512]; /* planned for, not read */

struct asked {
    tally_op op;
    tally_type type;
    int64_t rows, columns, pitch, offset;
    uint32_t flags;
    enum way way;
    const char *defined; /* for the kernel */
};

static enum way way_of(const struct asked *a)
{
    const struct device_limits limits = {.processors = 132,
                                         .architecture = 90,
                                         .memory = (size_t)80 << 30,
                                         .shared_bytes = 232448,
                                         .cache_bytes = (size_t)(a->flags & WITH_MORE_CACHE ? 60 : 50) << 20};
    int32_t axis = 0;
    tally_options options, asked = TALLY_OPTIONS_INIT;
    struct calculation calculation;
    struct scan_plan plan;
    struct scan scan;
    tally_array x = tally_matrix(place + a->offset, a->type, a->rows, a->columns), out;
    x.strides[0] = a->pitch;
    asked.axes = &axis;
    asked.axis_count = 1;
    asked.flags = a->flags & ~(uint32_t)(IN_PLACE | WITH_MORE_CACHE);
    CHECK(plan_options(TALLY_SCAN, &asked, &options) == TALLY_OK);
    CHECK(plan_calculation(TALLY_SCAN, a->op, a->type, &options, &calculation) == TALLY_OK);
    CHECK(plan_result(TALLY_SCAN, &calculation, &x, &options, &out) == TALLY_OK);
    out.data = a->flags & IN_PLACE ? x.data : place + 256;
    CHECK(plan_scan(&calculation, &x, &options, &out, &scan) == TALLY_OK);
    scan_plan(&limits, &scan, &plan);
    CHECK(plan.shared_bytes <= limits.shared_bytes);
    if (strcmp(plan.file, "scan_columns.cu") != 0) return ELSEWHERE;
    CHECK(strstr(plan.definitions.text, a->defined));
    if (strstr(plan.definitions.text, "\nWALK=1\n"))
        return strstr(plan.definitions.text, "\nOVERLAPS=1\n") ? OVERLAPS : WALKS;
    if (strstr(plan.definitions.text, "\nSKEW_IN=0\nSKEW_OUT=0\n")) return SHARES;
    return strstr(plan.definitions.text, "\nAPART=1\n") ? APART : SKEWED;
}

int main(void)
{
    const int64_t million = 1 << 20;
    const struct asked asked[] = {
        {TALLY_MAX, TALLY_F32, 128 * million, 2, 2, 0, 0, SHARES, ""},
        {TALLY_MAX, TALLY_F32, 16 * million, 16, 16, 0, 0, SHARES, ""},
        {TALLY_MAX, TALLY_F32, 2 * million, 128, 128, 0, 0, SHARES, ""},
        {TALLY_SUM, TALLY_F32, 262144, 1024, 1024, 0, 0, SHARES, ""},
        {TALLY_SUM, TALLY_I32, 262144, 1001, 1001, 0, 0, APART, ""},
        {TALLY_SUM, TALLY_F64, 262144, 1000, 1003, 8, TALLY_REVERSE, SHARES, ""},
        {TALLY_SUM, TALLY_F64, 262144, 1001, 1001, 0, TALLY_REVERSE, SHARES, ""},
        {TALLY_SUM, TALLY_I8, 262144, 1000, 1000, 1, TALLY_EXCLUSIVE, APART, ""},
        {TALLY_SUM, TALLY_F32, 262144, 1023, 1023, 0, 0, SKEWED, ""},
        {TALLY_SUM, TALLY_F32, 262144, 1023, 1023, 4, 0, APART, ""},
        {TALLY_SUM, TALLY_F32, 262144, 1024, 1024, 4, 0, APART, ""},
        {TALLY_MAX, TALLY_F16, 262144, 4097, 4097, 0, 0, SKEWED, ""},
        {TALLY_MAX, TALLY_F32, 16 * million, 15, 15, 0, 0, SHARES, ""},
        {TALLY_MAX, TALLY_F32, 16 * million, 5, 7, 0, 0, SHARES, ""},
        {TALLY_MAX, TALLY_F32, 32768, 8192, 8192, 0, 0, SHARES, ""},
        {TALLY_MAX, TALLY_F32, 4096, 65536, 65536, 0, 0, SHARES, ""},
        {TALLY_MAX, TALLY_F32, 512, 524288, 524288, 0, 0, WALKS, ""},
        {TALLY_SUM, TALLY_F32, 64, 4 * million, 4 * million, 0, 0, WALKS, ""},
        {TALLY_SUM, TALLY_F16, 8, 32 * million, 32 * million, 0, 0, WALKS, ""},
        {TALLY_MAX, TALLY_F32, 8, 1000, 1000, 0, 0, WALKS, ""},
        {TALLY_SUM, TALLY_F32, 1000, 65537, 65537, 0, 0, OVERLAPS, "\nSIDE=1\n"},
        {TALLY_SUM, TALLY_F32, 1000, 65537, 65537, 0, IN_PLACE, WALKS, "\nSIDE=1\n"},
        {TALLY_SUM, TALLY_F32, 32, 65537, 65537, 0, 0, WALKS, "\nSIDE=1\n"},
        {TALLY_SUM, TALLY_F32, 1000, 65536, 65544, 0, 0, WALKS, ""},
        {TALLY_SUM, TALLY_F16, 1000, 65537, 65537, 0, 0, WALKS, "\nSIDE=1\n"},
        {TALLY_MAX, TALLY_F32, 4096, 65537, 65537, 0, 0, OVERLAPS, "\nSIDE=1\n"},
        {TALLY_MAX, TALLY_F32, 4096, 40001, 40001, 0, 0, SKEWED, "\nSIDE=4\n"},
        {TALLY_MAX, TALLY_I8, 256, 1000001, 1000001, 0, 0, WALKS, "\nSIDE=1\n"},
        {TALLY_SUM, TALLY_F32, 262144, 1023, 1023, 0, 0, SKEWED, "\nSIDE=2\n"},
        {TALLY_SUM, TALLY_F32, 262144, 1023, 1023, 0, WITH_MORE_CACHE, SKEWED, "\nSIDE=1\n"},
        {TALLY_MAX, TALLY_F32, 262144, 1023, 1023, 0, WITH_MORE_CACHE, SKEWED, "\nSIDE=4\n"},
        {TALLY_SUM, TALLY_F32, 2 * million, 100, 100, 0, WITH_MORE_CACHE, SHARES, "\nWIDTH=16\n"},
        {TALLY_SUM, TALLY_F32, 2 * million, 100, 100, 0, 0, SHARES, "\nWIDTH=28\n"},
        {TALLY_SUM, TALLY_F32, 262144, 1020, 1020, 0, 0, SHARES, "\nSIDE=2\n"},
        {TALLY_SUM, TALLY_F32, 262144, 1024, 1024, 0, 0, SHARES, "\nSIDE=1\n"},
        {TALLY_SUM, TALLY_F32, 1048576, 255, 255, 0, 0, SKEWED, "\nSIDE=1\n"},
        {TALLY_SUM, TALLY_I32, 262144, 1023, 1023, 0, 0, APART, "\nSIDE=2\n"},
        {TALLY_MAX, TALLY_F32, million, 257, 257, 0, 0, SKEWED, "\nSIDE=1\n"},
        {TALLY_SUM, TALLY_F32, million / 4, 601, 601, 0, 0, SKEWED, "\nSIDE=2\n"},
        {TALLY_SUM, TALLY_F32, 1000, 449, 449, 0, 0, SKEWED, "\nSIDE=1\n"},
        {TALLY_MAX, TALLY_F32, 33, 10001, 10001, 0, 0, SKEWED, "\nSIDE=1\n"},
        {TALLY_SUM, TALLY_F32, 8 * million, 32, 32, 0, 0, SHARES, "\nLINKS=1\n"},
        {TALLY_SUM, TALLY_F32, 2 * million, 100, 100, 0, 0, SHARES, "\nLINKS=1\n"},
        {TALLY_SUM, TALLY_F32, 2 * million, 128, 128, 0, 0, SHARES, "\nWIDTH=16\n"},
        {TALLY_SUM, TALLY_F32, 262144, 1024, 1024, 0, 0, SHARES, "\nLINKS=0\n"},
        {TALLY_SUM, TALLY_F64, 8 * million, 16, 16, 0, 0, SHARES, "\nLINKS=0\n"},
        {TALLY_SUM, TALLY_F32, 100, 99001, 99001, 0, 0, OVERLAPS, ""},
        {TALLY_ANY, TALLY_BOOL, 262144, 1024, 1024, 0, 0, SHARES, "\nPACK=4\n"},
        {TALLY_ALL, TALLY_U8, 512, 4 * million, 4 * million, 0, 0, WALKS, "\nPACK=4\n"},
        {TALLY_ANY, TALLY_U16, 262144, 1024, 1024, 0, 0, SHARES, "\nPACK=1\n"},
        {TALLY_MAX, TALLY_F32, 1000, 3, 3, 0, 0, ELSEWHERE, ""},
        {TALLY_PROD, TALLY_F32, 262144, 1024, 1024, 0, 0, WALKS, "\nSPLITS=1\n"},
        {TALLY_PROD, TALLY_F32, 262144, 24, 24, 0, 0, ELSEWHERE, ""},
        {TALLY_PROD, TALLY_F32, 1000, 67108, 67108, 0, 0, OVERLAPS, ""},
        {TALLY_LOGSUMEXP, TALLY_F32, 1000, 67108, 67108, 0, 0, WALKS, ""},
        {TALLY_LOGSUMEXP, TALLY_F32, 3355, 20000, 20000, 0, 0, ELSEWHERE, ""},
        {TALLY_LOGSUMEXP, TALLY_F32, 500, 20000, 20000, 0, 0, WALKS, ""},
        {TALLY_LOGSUMEXP, TALLY_F64, 33554, 1000, 1000, 0, 0, ELSEWHERE, ""},
        {TALLY_LOGSUMEXP, TALLY_F16, 13421, 10000, 10000, 0, 0, ELSEWHERE, ""},
        {TALLY_LOGSUMEXP, TALLY_F16, 134217, 1000, 1000, 0, 0, WALKS, "\nSPLITS=1\n"},
        {TALLY_SUM, TALLY_C64, 262144, 1024, 1024, 0, 0, ELSEWHERE, ""},
        {TALLY_SUM, TALLY_I32, 262144, 1024, 1024, 0, TALLY_CHECK_OVERFLOW, ELSEWHERE, ""},
    };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        char section[100];
        snprintf(section, sizeof section, "running %s of %s, %lld x %lld", tally_op_name(asked[i].op),
                 tally_type_name(asked[i].type), (long long)asked[i].rows, (long long)asked[i].columns);
        test.section = section;
        CHECK_EQUAL_I64(way_of(&asked[i]), asked[i].way);
    }
    return test_finish("inside_scan_columns");
}
