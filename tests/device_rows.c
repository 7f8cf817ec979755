/* SPDX-License-Identifier: MIT
 *
 * device_rows.c - scans along many rows that lie behind each other give the bits of the CPU: every length around those
 * of vectors, of a thread's elements and of a warp's, all the ways to scan, in place and from any address, for every
 * operator that goes there; exact sums of numbers that make them hard.
 *   TALLY_TEST_DEVICE   the device (simt)
 *   TALLY_TEST_FULL     all combinations, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "device.h"
#include "hard_sums.h"

#include <math.h>
#include <string.h>

#define MOST 600000
#define ROOM (MOST * 8 + 128)
#define ALL_FLAGS (TALLY_EXCLUSIVE | TALLY_REVERSE)

static _Alignas(64) unsigned char host_x[ROOM], want[ROOM], got[ROOM];
static unsigned char *far_x, *far_out;
static int simulated, full;
static int64_t most = MOST; /* elements of a matrix */
static char section[200];

/* What is done beside the plain scan. */
struct how {
    uint32_t flags;
    tally_type result;
    int with_initial, in_place;
    int64_t offset; /* elements from an aligned address */
};

static void compare(tally_op op, tally_type type, int64_t rows, int64_t length, struct how how)
{
    static const int32_t last = 1;
    static const double initial_real = 0.1;
    static const int64_t initial_integer = 3;
    size_t size = tally_type_size(type), bytes = (size_t)(rows * length + how.offset) * size;
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array x = tally_matrix(host_x + (size_t)how.offset * size, type, rows, length), out;
    if (!device_parted(op, type)) return;
    options.flags = how.flags;
    options.type = how.result;
    options.axes = &last, options.axis_count = 1;
    snprintf(section, sizeof section, "running %s of %s, %lld x %lld, flags %u, offset %d%s%s", tally_op_name(op),
             tally_type_name(type), (long long)rows, (long long)length, how.flags, (int)how.offset,
             how.in_place ? ", in place" : "", how.with_initial ? ", initial" : "");
    test.section = section;
    CHECK(tally_result_like(TALLY_SCAN, op, &x, &options, &out) == TALLY_OK);
    size_t result = tally_type_size(out.type), out_bytes = (size_t)(rows * length + how.offset) * result;
    if (how.with_initial && out.type == TALLY_F64) options.initial = &initial_real;
    if (how.with_initial && (out.type == TALLY_I64 || out.type == TALLY_U64)) options.initial = &initial_integer;
    CHECK(tally_copy(device, far_x, host_x, bytes) == TALLY_OK);
    memset(want, 0xab, out_bytes + 16);
    if (how.in_place) memcpy(want, host_x, bytes);
    memcpy(got, want, out_bytes + 16);
    out.data = want + (size_t)how.offset * result;
    CHECK(tally_scan(judge, op, &x, &out, &options) == TALLY_OK);
    if (!how.in_place) CHECK(tally_copy(device, far_out, got, out_bytes + 16) == TALLY_OK);
    x.data = far_x + (size_t)how.offset * size;
    out.data = how.in_place ? x.data : far_out + (size_t)how.offset * result;
    CHECK(tally_scan(device, op, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, got, how.in_place ? far_x : far_out, out_bytes + (how.in_place ? 0 : 16)) == TALLY_OK);
    device_same(got, want, out_bytes + 16, result);
}

/* So many rows that warps take several spans, but no more than the test's share of elements. */
static int64_t rows_of(int64_t length)
{
    int64_t rows = 1 + (int64_t)test_random_below(2000);
    return rows * length <= most ? rows : length <= most ? most / length : 1;
}

static const int64_t lengths[] = {100,  111,  112,  113,  3584, 127,  128,  255,  256,  257,  448,  500,
                                  511,  512,  672,  767,  768,  769,  895,  896,  897,  1000, 1023, 1024,
                                  1025, 1536, 1791, 1792, 1793, 2688, 4096, 4097, 8192, 10007};

/* All lengths, each in some way; `ways` of flags are as many kernels. */
static void all_lengths(tally_op op, tally_type type, tally_type result, const uint32_t *flags, int ways)
{
    for (int k = 0; k < 40 + (int)(sizeof lengths / sizeof *lengths); k++) {
        int64_t length = k < 40 ? k + 1 : lengths[k - 40];
        struct how how = {flags[k % ways], result, k % 5 == 3, 0, k % 3 == 2 ? (int64_t)test_random_below(8) : 0};
        compare(op, type, rows_of(length), length, how);
    }
}

/* The kind of numbers changes from length to length, and is one that a tile seldom finishes quickly. */
static void hard_rows(tally_type type, tally_type result, const uint32_t *flags, int ways)
{
    static const int64_t some[] = {2, 3, 5, 8, 13, 27, 28, 32, 100, 500, 896, 897, 1500, 4097, 9999};
    for (int kind = 0; kind < HARD_KINDS; kind++) {
        for (int k = 0; k < (full ? 15 : 3); k++) {
            int64_t length = some[full ? k : (kind * 4 + k * 5) % 15];
            struct how how = {flags[(kind + k) % ways], result, k % 3 == 2, 0, 0};
            hard_fill(type, kind, host_x, most + 8);
            compare(TALLY_SUM, type, rows_of(length), length, how);
        }
    }
}

/* Every kind of numbers side by side, so that rows of one tile differ. */
static void fill_stretches(tally_type type)
{
    size_t size = tally_type_size(type);
    for (int64_t i = 0; i < most + 8;) {
        int64_t count = 1 + (int64_t)test_random_below(test_random_below(2) ? 20 : 3000);
        if (count > most + 8 - i) count = most + 8 - i;
        if (type >= TALLY_F16 && type <= TALLY_F64 && test_random_below(4))
            hard_fill(type, (int)test_random_below(HARD_KINDS), host_x + (size_t)i * size, count);
        else data_fill(type, (enum data_kind)test_random_below(DATA_KINDS), host_x + (size_t)i * size, count);
        i += count;
    }
}

static void in_place(tally_op op, tally_type type, const uint32_t *flags, int ways)
{
    static const int64_t some[] = {2, 7, 64, 100, 896, 1001, 3000};
    for (int k = 0; k < 7; k++) {
        struct how how = {flags[k % ways], TALLY_DEFAULT_TYPE, 0, 1, k % 2 ? (int64_t)test_random_below(4) : 0};
        fill_stretches(type);
        compare(op, type, rows_of(some[k]), some[k], how);
    }
}

/* What stands left of a later tile has 128 bits or a few less, beginning with ones: 8 less what is very small. */
static void long_carries(tally_type type)
{
    const double small = type == TALLY_F64 ? 0x1p-40 : 0x1p-38;
    for (int lowest = -128; lowest <= -118; lowest++) {
        const double values[] = {-8, small, ldexp(1, lowest)};
        memset(host_x, 0, ROOM);
        for (int64_t i = 0; i < 16 * 1500; i += 1500) {
            for (int k = 0; k < 3; k++) {
                const float single = (float)values[k];
                if (type == TALLY_F64) memcpy(host_x + (i + k) * 8, &values[k], 8);
                else memcpy(host_x + (i + k) * 4, &single, 4);
            }
        }
        struct how how = {0, TALLY_DEFAULT_TYPE, 0, lowest % 2 == 0, 0};
        compare(TALLY_SUM, type, 16, 1500, how);
    }
}

/* Rows of 2-byte floats that begin inside of runs, so many that each warp has several. */
static void several_for_each_warp(tally_type type)
{
    static const int64_t some[] = {40, 41, 47, 59, 100};
    const int64_t elements = simulated ? 80000 : ROOM / 2 - 64;
    data_fill(type, DATA_ORDINARY, host_x, elements + 8);
    for (int k = 0; k < 5; k++) {
        struct how how = {k % 2 ? TALLY_REVERSE : 0, TALLY_DEFAULT_TYPE, 0, 0, k};
        compare(TALLY_SUM, type, elements / some[k], some[k], how);
    }
}

static void exact_sums(void)
{
    static const tally_type types[] = {TALLY_F32, TALLY_F64, TALLY_F16, TALLY_BF16};
    static const uint32_t flags[] = {0, ALL_FLAGS, TALLY_EXCLUSIVE, TALLY_REVERSE, TALLY_SKIP_NAN};
    for (int t = 0; t < 4; t++) {
        int ways = full ? 5 : t < 2 ? 2 : 1;
        hard_fill(types[t], 0, host_x, most + 8);
        all_lengths(TALLY_SUM, types[t], TALLY_DEFAULT_TYPE, flags, ways);
        fill_stretches(types[t]);
        all_lengths(TALLY_SUM, types[t], TALLY_DEFAULT_TYPE, flags, ways);
        hard_rows(types[t], TALLY_DEFAULT_TYPE, flags, ways);
        in_place(TALLY_SUM, types[t], flags, ways);
        if (tally_type_size(types[t]) == 2) several_for_each_warp(types[t]);
        if (full || t == 0) hard_rows(types[t], TALLY_F64, flags, full ? ways : 1);
    }
}

static void folds(void)
{
    static const tally_type types[] = {TALLY_I8,  TALLY_U16, TALLY_I32, TALLY_I64,
                                       TALLY_F16, TALLY_F32, TALLY_F64, TALLY_BOOL};
    static const tally_op ops[] = {TALLY_SUM,     TALLY_MAX,  TALLY_MIN,    TALLY_ANY,
                                   TALLY_BIT_XOR, TALLY_PROD, TALLY_BIT_AND};
    static const uint32_t flags[] = {0, ALL_FLAGS, TALLY_EXCLUSIVE, TALLY_REVERSE};
    int turn = 0;
    for (int t = 0; t < 8; t++) {
        for (int o = 0; o < 7; o++) {
            int is_float = types[t] >= TALLY_F16 && types[t] <= TALLY_F64;
            if (is_float &&
                (ops[o] == TALLY_BIT_XOR || ops[o] == TALLY_BIT_AND || ops[o] == TALLY_SUM || ops[o] == TALLY_PROD))
                continue;
            if (types[t] == TALLY_BOOL && ops[o] != TALLY_ANY && ops[o] != TALLY_SUM) continue;
            int wanted = (ops[o] == TALLY_MAX && (types[t] == TALLY_F32 || types[t] == TALLY_I8)) ||
                         (ops[o] == TALLY_BIT_XOR && (types[t] == TALLY_I8 || types[t] == TALLY_U16)) ||
                         (ops[o] == TALLY_SUM && types[t] == TALLY_I32);
            if (!full && !wanted && turn++ % 3) continue;
            data_fill(types[t], turn % 2 ? DATA_ORDINARY : DATA_SPECIAL, host_x, most + 8);
            all_lengths(ops[o], types[t], TALLY_DEFAULT_TYPE, flags + turn % 4 * !full * !wanted,
                        full || wanted ? 4 : 1);
            if (full || wanted) in_place(TALLY_MAX, types[t] == TALLY_BOOL ? TALLY_U8 : types[t], flags, full ? 4 : 1);
        }
    }
}

int main(void)
{
    simulated = device_simulated(), full = device_full();
    if (simulated) most = 24000;
    if (simulated) setenv("TALLY_SIMT_SHARED", DEVICE_H100_SHARED, 0);
    if (!device_open("cpu")) return test_left_out("device_rows", tally_last_error());
    far_x = device_room(ROOM), far_out = device_room(ROOM);
    long_carries(TALLY_F32);
    long_carries(TALLY_F64);
    folds();
    exact_sums();
    device_close();
    return test_finish("device_rows");
}
