/* SPDX-License-Identifier: MIT
 *
 * known_answers.c - a few results written down by hand for every operator: what a common mistake in engine and
 * reference alike would not hide. */
#include "test.h"
#include <math.h>
#include <tally.h>

static tally_context *contexts[2];

/* Reduces n elements on both engines; the result's bytes must be the expected ones. */
static void expect(tally_op op, tally_type type, const void *x, int64_t n, const void *want)
{
    tally_array input = tally_vector(x, type, n), output;
    CHECK(tally_result_like(TALLY_REDUCE, op, &input, NULL, &output) == TALLY_OK);
    size_t bytes = tally_type_size(output.type);
    for (int c = 0; c < 2; c++) {
        _Alignas(16) unsigned char got[16] = {0};
        output.data = got;
        test.section = tally_op_name(op);
        CHECK(tally_reduce(contexts[c], op, &input, &output, NULL) == TALLY_OK);
        CHECK(memcmp(got, want, bytes) == 0);
    }
}

#define EXPECT(op, NAME, storage, result, want, ...)                                       \
    do {                                                                                   \
        const storage x[] = {__VA_ARGS__};                                                 \
        const result expected = want;                                                      \
        expect(TALLY_##op, TALLY_##NAME, x, (int64_t)(sizeof x / sizeof x[0]), &expected); \
    } while (0)

/* The identity alone: a view of no elements. */
#define EXPECT_EMPTY(op, NAME, result, want)                  \
    do {                                                      \
        const result expected = want;                         \
        expect(TALLY_##op, TALLY_##NAME, NULL, 0, &expected); \
    } while (0)

static void integers(void)
{
    EXPECT(BIT_AND, I8, int8_t, int8_t, -6, -2, -6);
    EXPECT(BIT_AND, I16, int16_t, int16_t, -1, -1, -1, -1);
    EXPECT(BIT_AND, I32, int32_t, int32_t, 0x70, 0x7f, -16);
    EXPECT(BIT_AND, I64, int64_t, int64_t, INT64_MIN, INT64_MIN, -1);
    EXPECT(BIT_AND, U8, uint8_t, uint8_t, 0x81, 0xff, 0x81);
    EXPECT(BIT_AND, BOOL, uint8_t, uint8_t, 1, 2, 1);
    EXPECT(BIT_OR, I8, int8_t, int8_t, -125, -128, 3);
    EXPECT(BIT_XOR, U64, uint64_t, uint64_t, 6, 5, 3);
    EXPECT(SUM, I8, int8_t, int64_t, -256, -128, -128);
    EXPECT(SUM, U8, uint8_t, uint64_t, 510, 255, 255);
    EXPECT(SUM, BOOL, uint8_t, int64_t, 2, 7, 0, 1);
    EXPECT(SUM, I64, int64_t, int64_t, INT64_MIN, INT64_MAX, 1);
    EXPECT(PROD, I16, int16_t, int64_t, -6000000000, -30000, 20000, 10);
    EXPECT(MIN, I64, int64_t, int64_t, INT64_MIN, 4, INT64_MIN, INT64_MAX);
    EXPECT(MAX, I8, int8_t, int8_t, -5, -7, -5, -128);
    EXPECT(MAX, U64, uint64_t, uint64_t, UINT64_MAX, 1, UINT64_MAX);
    EXPECT(ARGMIN, I32, int32_t, int64_t, 1, 3, -9, -9, 5);
    EXPECT(ARGMAX, U16, uint16_t, int64_t, 2, 1, 2, 65535, 65535);
    EXPECT(NORMINF, I8, int8_t, double, 128, 3, -128, 127);
    EXPECT(NORM1, I64, int64_t, double, 0x1p64, INT64_MIN, INT64_MIN);
    EXPECT(NORM2, I32, int32_t, double, 5, 3, -4);
    EXPECT(MEAN, U64, uint64_t, double, 0x1p64, UINT64_MAX, UINT64_MAX);
    EXPECT(VAR, I64, int64_t, double, 0.25, INT64_MAX, INT64_MAX - 1);
    EXPECT(FIRST, I32, int32_t, int32_t, 8, 8, 9, 10);
    EXPECT(LAST, I32, int32_t, int32_t, 10, 8, 9, 10);
    EXPECT(LOGSUMEXP, I32, int32_t, double, -3, -3);
}

static void floats(void)
{
    EXPECT(SUM, F64, double, double, 1, 1e100, 1, -1e100);
    EXPECT(SUM, F64, double, double, 0x1p1023, 0x1p1023, 0x1p1023, -0x1p1023);
    EXPECT(SUM, F64, double, double, 0.0, -0.0, -0.0);
    EXPECT(SUM, F64, double, double, INFINITY, INFINITY, -1e308);
    EXPECT(MEAN, F32, float, float, 0x1.fffffep127f, 0x1.fffffep127f, 0x1.fffffep127f);
    EXPECT(NORM2, F64, double, double, 0x1.4p602, 0x1.8p601, -0x1p602);
    EXPECT(NORM1, F32, float, float, 6, -1, 2, -3);
    EXPECT(NORMINF, F32, float, float, 3, -1, 2, -3);
    EXPECT(VAR, F64, double, double, 1.25, 1, 2, 3, 4);
    EXPECT(STD, F64, double, double, 2, 2, 4, 4, 4, 5, 5, 7, 9);
    EXPECT(MIN, F64, double, double, INFINITY, INFINITY, INFINITY);
    EXPECT(MAX, F32, float, float, -INFINITY, -INFINITY, -INFINITY);
    EXPECT(MIN, F32, float, float, -2, 5, -2, 0);
    EXPECT(ARGMIN, F64, double, int64_t, 1, 1, NAN, -5, NAN);
    EXPECT(ARGMAX, F64, double, int64_t, 0, 0.0, -0.0);
    EXPECT(PROD, F64, double, double, -24, 2, -3, 4);
    EXPECT(ANY, F32, float, uint8_t, 1, 0, NAN);
    EXPECT(ALL, F64, double, uint8_t, 0, 1, -0.0);
    EXPECT(COUNT_NONZERO, F64, double, int64_t, 2, -0.0, NAN, 3);
    EXPECT(LOGSUMEXP, F64, double, double, -INFINITY, -INFINITY, -INFINITY);
    EXPECT(LOGSUMEXP, F64, double, double, 1000, 1000, -1000);
    const uint64_t nan = 0x7ff8000000000000ull;
    const double with_nan[] = {1, -NAN, 3}, both[] = {INFINITY, -INFINITY};
    expect(TALLY_MIN, TALLY_F64, with_nan, 3, &nan);
    expect(TALLY_MAX, TALLY_F64, with_nan, 3, &nan);
    expect(TALLY_SUM, TALLY_F64, with_nan, 3, &nan);
    expect(TALLY_SUM, TALLY_F64, both, 2, &nan);
    expect(TALLY_MEAN, TALLY_F64, NULL, 0, &nan);
}

static void empties(void)
{
    EXPECT_EMPTY(SUM, F32, float, 0);
    EXPECT_EMPTY(PROD, F64, double, 1);
    EXPECT_EMPTY(PROD, I8, int64_t, 1);
    EXPECT_EMPTY(ANY, I8, uint8_t, 0);
    EXPECT_EMPTY(ALL, F32, uint8_t, 1);
    EXPECT_EMPTY(BIT_AND, I32, int32_t, -1);
    EXPECT_EMPTY(BIT_AND, U16, uint16_t, 65535);
    EXPECT_EMPTY(BIT_AND, BOOL, uint8_t, 1);
    EXPECT_EMPTY(BIT_OR, I64, int64_t, 0);
    EXPECT_EMPTY(LOGSUMEXP, F64, double, -INFINITY);
    EXPECT_EMPTY(NORM2, F64, double, 0);
    EXPECT_EMPTY(COUNT_NONZERO, C64, int64_t, 0);
}

int main(void)
{
    CHECK(tally_open("cpu", &contexts[0]) == TALLY_OK);
    CHECK(tally_open("reference", &contexts[1]) == TALLY_OK);
    integers();
    floats();
    empties();
    tally_close(contexts[0]);
    tally_close(contexts[1]);
    return test_finish("known_answers");
}
