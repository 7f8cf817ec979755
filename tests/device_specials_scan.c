/* SPDX-License-Identifier: MIT
 *
 * device_specials_scan.c - exact running sums along contiguous axes with infinities and NaN among the numbers: rare or
 * many, alone or together, beside numbers that lie near or far apart, and before the first element: the bits of the
 * CPU, in place, too.
 *   TALLY_TEST_DEVICE   the device (simt)
 *   TALLY_TEST_FULL     all shapes, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "data.h"
#include "device.h"

#include <math.h>

#define MOST 70000 /* elements */
#define ROOM (MOST * 8 + 64)

static _Alignas(64) unsigned char host_x[ROOM], want[ROOM], got[ROOM];
static unsigned char *far_x, *far_out;
static char section[200];

/* How elements come: one in so many is special, of these kinds; of numbers of any size, or near 1. */
struct mixture {
    int64_t one_in;
    const char *kinds; /* n, +, -: NaN, infinities */
    enum data_kind numbers;
};

static int64_t below(int64_t n)
{
    return (int64_t)test_random_below((uint64_t)n);
}

/* What there is of specials in ordinary data is part of the mixture, too. */
static void fill(tally_type type, const struct mixture *mixture, int64_t count)
{
    const int64_t kinds = (int64_t)strlen(mixture->kinds);
    data_fill(type, mixture->numbers, host_x, count);
    for (int64_t i = 0; i < count; i++) {
        if (below(mixture->one_in) != 0) continue;
        const char kind = mixture->kinds[below(kinds)];
        data_put_real(type, host_x, i, kind == 'n' ? (double)NAN : kind == '+' ? INFINITY : -INFINITY);
    }
}

static void compare(tally_type type, tally_type result, uint32_t flags, double initial, int in_place, int64_t rows,
                    int64_t length)
{
    static const int32_t last = 1;
    tally_options options = TALLY_OPTIONS_INIT;
    options.flags = flags, options.type = result, options.axes = &last, options.axis_count = 1;
    unsigned char first[8];
    const size_t bytes = (size_t)(rows * length) * tally_type_size(type);
    tally_array x = tally_matrix(host_x, type, rows, length), out;
    CHECK(tally_result_like(TALLY_SCAN, TALLY_SUM, &x, &options, &out) == TALLY_OK);
    if (initial != 0) data_put_real(out.type, first, 0, initial), options.initial = first;
    const size_t each = tally_type_size(out.type), results = (size_t)(rows * length) * each;
    snprintf(section, sizeof section, "%s to %s, flags %u, %lld x %lld%s%s", tally_type_name(type),
             tally_type_name(out.type), flags, (long long)rows, (long long)length, initial != 0 ? ", initial" : "",
             in_place ? ", in place" : "");
    test.section = section;
    CHECK(tally_copy(device, far_x, host_x, bytes) == TALLY_OK);
    out.data = want;
    CHECK(tally_scan(judge, TALLY_SUM, &x, &out, &options) == TALLY_OK);
    x.data = far_x, out.data = in_place ? far_x : far_out;
    CHECK(tally_scan(device, TALLY_SUM, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, got, out.data, results) == TALLY_OK);
    device_same(got, want, results, each);
}

/* Initial values that sums of narrow numbers have no room for, of results that have: among the first numbers is one
 * that is none. */
static void far_initials(tally_type type, int full)
{
    static const double initials[] = {1e300, -1e-300};
    static const int64_t shapes[][2] = {{1, 500}, {1, 9000}, {1, 60000}, {3, 20000}, {70, 1000}};
    static const uint32_t flags[] = {0, TALLY_EXCLUSIVE, TALLY_REVERSE};
    for (int k = 0; k < (int)(sizeof shapes / sizeof *shapes) * 2; k++) {
        const int64_t rows = shapes[k / 2][0], length = shapes[k / 2][1];
        if (!full && (k + (int)type) % 3 != 0) continue;
        data_fill(type, DATA_ORDINARY, host_x, rows * length);
        for (int64_t i = 0; i < rows; i++) {
            data_put_real(type, host_x, i * length + 5, k % 3 ? (double)NAN : INFINITY);
            data_put_real(type, host_x, (i + 1) * length - 6, -INFINITY);
        }
        compare(type, TALLY_F64, flags[full ? k % 3 : (int)type % 3], initials[k % 2], 0, rows, length);
    }
}

/* One long row, and some, and many; of lengths that runs, tiles and chunks divide, and of others. Simulated, a type has
 * one direction, as kernels take long to compile. */
static void all_shapes(tally_type type, int number, const struct mixture *mixture, int full)
{
    static const int64_t shapes[][2] = {{1, 60000}, {1, 9000},  {1, 517},   {3, 20000}, {1000, 7}, {300, 30},
                                        {70, 1000}, {14, 4097}, {60, 1024}, {900, 64},  {6, 9001}};
    static const uint32_t flags[] = {0, TALLY_EXCLUSIVE, TALLY_REVERSE, TALLY_SKIP_NAN,
                                     TALLY_EXCLUSIVE | TALLY_REVERSE};
    static const double initials[] = {1.5, INFINITY, -INFINITY, (double)NAN};
    for (int k = 0; k < (int)(sizeof shapes / sizeof *shapes); k++) {
        const int variant = number + k;
        if (!full && variant % 2) continue;
        const tally_type result = type == TALLY_F32 && variant % 5 == 2 ? TALLY_F64 : TALLY_DEFAULT_TYPE;
        fill(type, mixture, shapes[k][0] * shapes[k][1]);
        compare(type, result, flags[full ? variant % 5 : (int)type % 3],
                variant % 7 == 3 ? initials[variant / 7 % 4] : 0, result == TALLY_DEFAULT_TYPE && variant % 4 == 0,
                shapes[k][0], shapes[k][1]);
    }
}

int main(void)
{
    static const struct mixture mixtures[] = {
        {100, "n", DATA_ORDINARY}, {20000, "n", DATA_ORDINARY},  {100, "+", DATA_ORDINARY}, {3000, "+-", DATA_ORDINARY},
        {50, "n+-", DATA_WIDE},    {5000, "n", DATA_WIDE},       {2000, "+", DATA_WIDE},    {1, "-", DATA_ORDINARY},
        {3, "n+", DATA_SPECIAL},   {700, "+++n", DATA_ORDINARY}, {1, "n", DATA_ORDINARY},
    };
    static const tally_type types[] = {TALLY_F32, TALLY_F16, TALLY_F64, TALLY_BF16};
    const int full = device_full();
    if (device_simulated()) setenv("TALLY_SIMT_SHARED", DEVICE_H100_SHARED, 0);
    if (!device_open("cpu")) return test_left_out("device_specials_scan", tally_last_error());
    far_x = device_room(ROOM), far_out = device_room(ROOM);
    for (int t = 0; t < 4; t++) {
        if (!device_parted(TALLY_SUM, types[t])) continue;
        for (int m = 0; m < (int)(sizeof mixtures / sizeof *mixtures); m++)
            all_shapes(types[t], m + t, &mixtures[m], full);
        if (types[t] != TALLY_F64) far_initials(types[t], full);
    }
    device_close();
    return test_finish("device_specials_scan");
}
