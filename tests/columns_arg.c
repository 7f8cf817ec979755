/* SPDX-License-Identifier: MIT
 *
 * columns_arg.c - argmin and argmax of cells side by side and of short rows on the CPU against the reference engine:
 * many ties, NaNs, widths and lengths around the borders of tiles, and columns long enough to be cut among threads. */
#include "data.h"
#include "test.h"

#include <tally.h>

#define MOST 300000
#define DEVICES 2
static tally_context *reference, *device[DEVICES];
static _Alignas(64) unsigned char input[MOST * 8];
static int64_t want[MOST], got[MOST];

/* Few values, so that most are met again and again; now and then a NaN. */
static void fill(tally_type type, int64_t n, int nans)
{
    static const uint16_t half[] = {0x3c00, 0xbc00, 0x0000, 0x8000, 0x4000, 0x7e00}; /* 1, -1, 0, -0, 2, NaN */
    static const uint16_t bfloat[] = {0x3f80, 0xbf80, 0x0000, 0x8000, 0x4000, 0x7fc0};
    const double values[] = {1, -1, 0.0, -0.0, 2, NAN};
    data_fill(type, DATA_TIES, input, n);
    for (int64_t i = 0; i < n && (type == TALLY_F16 || type == TALLY_BF16 || type == TALLY_F32 || type == TALLY_F64);
         i++) {
        const size_t k = nans && test_random_below(50) == 0 ? 5 : test_random_below(5);
        const float single = (float)values[k];
        if (type == TALLY_F64) memcpy(input + i * 8, &values[k], 8);
        else if (type == TALLY_F32) memcpy(input + i * 4, &single, 4);
        else memcpy(input + i * 2, type == TALLY_F16 ? &half[k] : &bfloat[k], 2);
    }
}

/* All the same but for one better element in each column, anywhere. */
static void fill_but_one(tally_op op, tally_type type, int64_t length, int64_t inner)
{
    const size_t size = tally_type_size(type);
    const int base = type == TALLY_BOOL && op == TALLY_ARGMAX ? 0 : 1, better = op == TALLY_ARGMAX ? base + 1 : 0;
    memset(input, base, (size_t)(length * inner) * size);
    for (int64_t c = 0; c < inner; c++)
        memset(input + (size_t)((int64_t)test_random_below((uint64_t)length) * inner + c) * size, better, size);
}

static void check(tally_op op, tally_type type, int64_t outer, int64_t length, int64_t inner)
{
    const int64_t shape[] = {outer, length, inner};
    const int32_t axis = 1;
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array x = tally_shaped(input, type, 3, shape), out;
    options.axes = &axis, options.axis_count = 1;
    if (outer * length * inner > MOST) return;
    if (length > 1000) fill_but_one(op, type, length, inner);
    else fill(type, outer * length * inner, test_random_below(2) == 0);
    CHECK(tally_result_like(TALLY_REDUCE, op, &x, &options, &out) == TALLY_OK && out.type == TALLY_I64);
    out.data = want;
    CHECK(tally_reduce(reference, op, &x, &out, &options) == TALLY_OK);
    out.data = got;
    for (int d = 0; d < DEVICES; d++) {
        memset(got, 0xa5, sizeof got);
        const tally_status status = tally_reduce(device[d], op, &x, &out, &options);
        if (!CHECK(status == TALLY_OK && memcmp(got, want, (size_t)(outer * inner) * 8) == 0))
            fprintf(stderr, "%s of %s, %lld x %lld x %lld, device %d\n", tally_op_name(op), tally_type_name(type),
                    (long long)outer, (long long)length, (long long)inner, d);
    }
}

/* Two kept axes and two reduced ones in turns: places count the elements of a cell in C order. */
static void check_nest(tally_op op, tally_type type)
{
    const int64_t shape[] = {5, 7, 6, 40};
    const int32_t axes[] = {0, 2};
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array x = tally_shaped(input, type, 4, shape), out;
    options.axes = axes, options.axis_count = 2;
    fill(type, 5 * 7 * 6 * 40, 1);
    CHECK(tally_result_like(TALLY_REDUCE, op, &x, &options, &out) == TALLY_OK);
    out.data = want;
    CHECK(tally_reduce(reference, op, &x, &out, &options) == TALLY_OK);
    out.data = got;
    for (int d = 0; d < DEVICES; d++) {
        memset(got, 0xa5, sizeof got);
        CHECK(tally_reduce(device[d], op, &x, &out, &options) == TALLY_OK && memcmp(got, want, 7 * 40 * 8) == 0);
    }
}

int main(void)
{
    static const int64_t widths[] = {1, 2, 7, 8, 9, 255, 256, 257}, lengths[] = {1, 2, 63, 64, 65, 300};
    CHECK(tally_open("reference", &reference) == TALLY_OK);
    CHECK(tally_open("cpu:1", &device[0]) == TALLY_OK && tally_open("cpu:3", &device[1]) == TALLY_OK);
    for (tally_type type = TALLY_BOOL; type < TALLY_C64; type++) {
        for (int k = 0; k < 2; k++) {
            const tally_op op = k ? TALLY_ARGMAX : TALLY_ARGMIN;
            CASE(tally_type_name(type))
            {
                for (int n = 0; n < 24; n++)
                    check(op, type, 1 + (int64_t)test_random_below(3), lengths[test_random_below(6)], widths[n % 8]);
                check(op, type, 1, 20000, 8 + (int64_t)test_random_below(6));
                check(op, type, 3000, 1 + (int64_t)test_random_below(70), 1);
                check_nest(op, type);
            }
        }
    }
    CHECK(tally_close(device[0]) == TALLY_OK && tally_close(device[1]) == TALLY_OK);
    CHECK(tally_close(reference) == TALLY_OK);
    return test_finish("columns_arg");
}
