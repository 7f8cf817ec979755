/* SPDX-License-Identifier: MIT
 *
 * device_nan_columns.c - exact running sums down columns that have infinities and NaN give the bits of the CPU, however
 * columns are gone down: no, one, few and only such elements, one near the end of every column, infinities of one sign
 * or both; beside numbers that lie close or far apart; above the columns, too.
 *   TALLY_TEST_DEVICE   the device (simt)
 *   TALLY_TEST_FULL     all combinations, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "data.h"
#include "device.h"

#define MOST 40000 /* elements */
#define ROOM (MOST * 8)

static _Alignas(64) unsigned char host_x[ROOM], want[ROOM], got[ROOM];
static unsigned char *far_x, *far_out;
static char section[300];

/* Matrices beside each other, and how columns of such are gone down. */
struct shape {
    int64_t matrices, rows, columns;
};

enum density { NONE, ONE, FEW, NEAR_END, ALL, DENSITIES };
enum kind { ONLY_NAN, PLUS, MINUS, BOTH, ANY, KINDS };

/* What a call is given. */
struct call {
    tally_type type, result;
    struct shape shape;
    enum density density;
    enum kind kind;
    enum data_kind numbers;
    uint32_t flags;
    double initial; /* 0: none */
    int in_place;
};

static double special_of(enum kind kind)
{
    static const double both[] = {INFINITY, -INFINITY};
    if (kind == ANY) kind = (enum kind)test_random_below(BOTH);
    if (kind == BOTH) return both[test_random_below(2)];
    return kind == ONLY_NAN ? (double)NAN : both[kind == MINUS];
}

static int is_special(const struct call *call, int64_t i, int64_t one)
{
    int64_t row = i / call->shape.columns % call->shape.rows;
    switch (call->density) {
    case ONE: return i == one;
    case FEW: return test_random_below(100) == 0;
    case NEAR_END: return row == call->shape.rows - 1 - call->shape.rows / 9;
    case ALL: return 1;
    default: return 0;
    }
}

static void fill(const struct call *call)
{
    const int64_t count = call->shape.matrices * call->shape.rows * call->shape.columns;
    const int64_t one = (int64_t)test_random_below((uint64_t)count);
    data_fill(call->type, call->numbers, host_x, count);
    for (int64_t i = 0; i < count; i++) {
        if (is_special(call, i, one)) data_put_real(call->type, host_x, i, special_of(call->kind));
    }
}

static void compare(const struct call *call)
{
    const int32_t axis = 1;
    const int64_t extents[] = {call->shape.matrices, call->shape.rows, call->shape.columns};
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array x = tally_shaped(host_x, call->type, 3, extents), out;
    options.axes = &axis, options.axis_count = 1;
    options.flags = call->flags, options.type = call->result;
    snprintf(section, sizeof section, "%s to %d, %lld x %lld x %lld, density %d, kind %d, numbers %d, flags %u%s, %g",
             tally_type_name(call->type), (int)call->result, (long long)extents[0], (long long)extents[1],
             (long long)extents[2], (int)call->density, (int)call->kind, (int)call->numbers, call->flags,
             call->in_place ? ", in place" : "", call->initial);
    test.section = section;
    CHECK(tally_result_like(TALLY_SCAN, TALLY_SUM, &x, &options, &out) == TALLY_OK);
    _Alignas(8) unsigned char initial[8];
    data_put_real(out.type, initial, 0, call->initial);
    if (call->initial != 0) options.initial = initial;
    const size_t each = tally_type_size(out.type);
    const size_t count = (size_t)(extents[0] * extents[1] * extents[2]);
    out.data = want;
    CHECK(tally_scan(judge, TALLY_SUM, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, far_x, host_x, count * tally_type_size(call->type)) == TALLY_OK);
    x.data = far_x;
    out.data = call->in_place ? far_x : far_out;
    CHECK(tally_scan(device, TALLY_SUM, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, got, out.data, count * each) == TALLY_OK);
    device_same(got, want, count * each, each);
}

/* Each density with one of the kinds, which are others for the next shape. */
static void densities(struct call call, int full)
{
    static const double initials[] = {0, 0, 0, INFINITY, -INFINITY, (double)NAN, 4096};
    for (int i = 0; i < DENSITIES * (full ? KINDS : 2); i++) {
        call.density = (enum density)(i % DENSITIES);
        call.kind = (enum kind)test_random_below(KINDS);
        call.numbers = test_random_below(3) ? DATA_ORDINARY : DATA_WIDE;
        call.initial = initials[test_random_below(7)];
        fill(&call);
        compare(&call);
    }
}

/* A kernel each, so many; results of wider types are another one's. */
static void ways(tally_type type, struct shape shape, int count, int full)
{
    static const uint32_t flags[] = {0, TALLY_EXCLUSIVE, TALLY_REVERSE, TALLY_SKIP_NAN,
                                     TALLY_EXCLUSIVE | TALLY_REVERSE};
    for (int i = 0; i < count; i++) {
        struct call call = {.type = type, .result = TALLY_DEFAULT_TYPE, .shape = shape};
        int other = full ? i : (int)test_random_below(4) + 1;
        call.flags = flags[i == 0 && full ? 0 : other - (count == 1)];
        call.in_place = full ? i % 2 : (int)test_random_below(2);
        densities(call, full);
    }
    struct call wide = {.type = type, .result = TALLY_F64, .shape = shape};
    if (type == TALLY_F32 && (full || shape.matrices == 40)) densities(wide, full);
}

/* Many columns; few; matrices of few columns, of one tile and of several. */
static void shapes(int full)
{
    static const struct shape all[] = {{1, 90, 440}, {1, 2500, 16}, {40, 90, 10}, {9, 450, 6}, {1, 2601, 13}};
    static const tally_type types[] = {TALLY_F16, TALLY_BF16, TALLY_F32, TALLY_F64};
    for (int t = 0; t < 4; t++) {
        if (!device_parted(TALLY_SUM, types[t])) continue;
        for (int i = 0; i < (int)(sizeof all / sizeof *all); i++) ways(types[t], all[i], full ? 5 : 1, full);
    }
}

int main(void)
{
    int full = device_full();
    if (device_simulated()) setenv("TALLY_SIMT_SHARED", DEVICE_H100_SHARED, 0), setenv("TALLY_SIMT_PROCESSORS", "1", 0);
    if (!device_open("cpu")) return test_left_out("device_nan_columns", tally_last_error());
    far_x = device_room(ROOM), far_out = device_room(ROOM);
    shapes(full);
    device_close();
    return test_finish("device_nan_columns");
}
