/* SPDX-License-Identifier: MIT
 *
 * device_whole.c - whole contiguous arrays on a device give the bits of the reference engine: every length around those
 * of vectors, tiles, chunks and all blocks, any alignment, initial values, NaN left out; device_sums.c has exact sums
 * of hard numbers. TALLY_TEST_DEVICE   the device (simt) */
#define _POSIX_C_SOURCE 200809L
#include "whole.h"

/* Lengths that begin or end a vector, a tile, a chunk of a block, and the round of all blocks. */
static void lengths_of(const struct problem *problem, int64_t most)
{
    int64_t vector = 16 / (int64_t)tally_type_size(problem->type);
    for (int64_t n = 1; n <= most; n = n < 40 ? n + 1 : n * 2 + (int64_t)test_random_below(3) - 1) {
        int64_t offset = (int64_t)test_random_below((uint64_t)(2 * vector));
        patches_fill(problem->type, room, n + offset);
        compare(problem, n, offset);
        if (n >= 40) compare(problem, n, 0);
    }
}

/* Arrays of nothing but the worst, but for what stands at one place and behind it. */
static void one_stands_out(tally_type type, tally_op op, const void *worst, const void *better, int64_t n)
{
    const struct problem problem = {op, type, 0, 0};
    size_t size = tally_type_size(type);
    for (int trial = 0; trial < 3; trial++) {
        for (int64_t i = 0; i < n; i++) memcpy(room + (size_t)i * size, worst, size);
        for (int64_t i = (int64_t)test_random_below((uint64_t)n); trial > 0 && i < n; i += n / 7)
            memcpy(room + (size_t)i * size, better, size);
        compare(&problem, n, trial);
    }
}

/* The largest sums and squares that there are. */
static void full_integers(void)
{
    static const tally_type types[] = {TALLY_I8,  TALLY_U8,  TALLY_I16, TALLY_U16,
                                       TALLY_I32, TALLY_U32, TALLY_I64, TALLY_U64};
    for (int t = 0; t < 8; t++) {
        size_t size = tally_type_size(types[t]), n = 9000;
        for (int kind = 0; kind < 2; kind++) {
            memset(room, kind ? 0xff : 0, n * size);
            for (size_t i = 0; i < n && !kind; i++) room[(i + 1) * size - 1] = 0x80;
            compare(&(struct problem){TALLY_VAR, types[t], 0, 0}, (int64_t)n - 1, 0);
            if (size == 8) compare(&(struct problem){TALLY_NORM2, types[t], 0, 0}, (int64_t)n - 1, 0);
        }
    }
}

/* NaNs of all bits, as a GPU makes them of narrow floats: what is added to an exponent must leave them NaN. */
static void not_numbers(void)
{
    enum { N = 3 * 4096 };
    const struct problem narrow = {TALLY_LOGSUMEXP, TALLY_F32, 0, 0}, wide = {TALLY_LOGSUMEXP, TALLY_F64, 0, 0};
    const uint32_t nan = 0x7fffffff;
    const uint64_t wide_nan = 0x7fffffffffffffff;
    for (int64_t i = 0; i < N; i++) ((float *)(void *)room)[i] = (float)test_random_uniform();
    memcpy(room + 5000 * sizeof nan, &nan, sizeof nan);
    compare(&narrow, N, 0);
    for (int64_t i = 0; i < N; i++) ((double *)(void *)room)[i] = test_random_uniform();
    memcpy(room + 5000 * sizeof wide_nan, &wide_nan, sizeof wide_nan);
    compare(&wide, N, 0);
}

/* The size of 1 + i is no double: what the nearest one leaves decides which way this sum is rounded. */
static void complex_norms(void)
{
    static const float numbers[] = {1, 1, 0x1.2bec3ep-1f, 0, 0x1.301886p-25f, 0, 0x1.8p-51f, 0};
    const struct problem norm = {TALLY_NORM1, TALLY_C64, 0, 0};
    memcpy(room, numbers, sizeof numbers);
    compare(&norm, 4, 0);
    result_type = TALLY_F64;
    for (int64_t i = 0; i < 1000; i++) memcpy(room + 8 * i, i % 2 ? (float[]){1, 1} : (float[]){2, 3}, 8);
    for (int64_t n = 1; n <= 1000; n = 2 * n + 1) compare(&norm, n, 0);
    result_type = TALLY_DEFAULT_TYPE;
}

/* Products of two bfloat16 that a float does not hold: too large, or too small; and sums of eight. */
static void beyond_floats(void)
{
    enum { FAR = 1000000 }; /* more than few blocks take */
    static const double sizes[] = {0x1p-80, 0x1p70, 1};
    const struct problem dot = {TALLY_DOT, TALLY_BF16, 0, 0}, sum = {TALLY_SUM, TALLY_BF16, 0, 0};
    result_type = TALLY_F64;
    for (int s = 0; s < 3; s++) {
        for (int64_t i = 0; i < FAR; i++) {
            double v = sizes[s] * (1 + (double)test_random_below(128) / 128);
            data_put_real(TALLY_BF16, room, i, s < 2 ? v : ldexp(v, (int)test_random_below(24)));
        }
        compare(s < 2 ? &dot : &sum, FAR, 0);
    }
    result_type = TALLY_DEFAULT_TYPE;
}

int main(void)
{
    static const struct problem problems[] = {
        {TALLY_SUM, TALLY_F32, 0, 0},
        {TALLY_SUM, TALLY_F64, 0, 0},
        {TALLY_SUM, TALLY_F16, 0, 0},
        {TALLY_SUM, TALLY_BF16, 0, 0},
        {TALLY_MEAN, TALLY_F32, 0, 0},
        {TALLY_MEAN, TALLY_F64, 0, 0},
        {TALLY_SUM, TALLY_F32, 0, 1},
        {TALLY_SUM, TALLY_F64, 0, 1},
        {TALLY_MAX, TALLY_I8, 0, 0},
        {TALLY_MIN, TALLY_F32, 0, 0},
        {TALLY_SUM, TALLY_I8, 0, 0},
        {TALLY_SUM, TALLY_I32, 0, 1},
        {TALLY_ARGMAX, TALLY_F32, 0, 0},
        {TALLY_ARGMIN, TALLY_I8, 0, 0},
        {TALLY_VAR, TALLY_F32, 0, 0},
        {TALLY_DOT, TALLY_F32, 0, 0},
        {TALLY_NORM2, TALLY_F64, 0, 0},
        {TALLY_MINMAX, TALLY_F32, 0, 0},
        {TALLY_MEAN, TALLY_I32, 0, 0},
        {TALLY_SUM, TALLY_C64, 0, 0},
        {TALLY_LOGSUMEXP, TALLY_F32, 0, 0},
        {TALLY_LOGSUMEXP, TALLY_F64, 0, 0},
        {TALLY_LOGSUMEXP, TALLY_BF16, 0, 0},
        {TALLY_LOGSUMEXP, TALLY_I8, 0, 0},
        {TALLY_LOGSUMEXP, TALLY_U16, 0, 0},
        {TALLY_LOGSUMEXP, TALLY_I32, 0, 0},
        {TALLY_LOGSUMEXP, TALLY_U64, 0, 0},
        {TALLY_LOGSUMEXP, TALLY_BOOL, 0, 0},
        {TALLY_PROD, TALLY_F32, 0, 0},
        {TALLY_PROD, TALLY_C128, 0, 0},
        {TALLY_SUM, TALLY_F16, TALLY_PLAIN, 0},
        {TALLY_VAR, TALLY_F64, TALLY_PLAIN, 0},
        {TALLY_MEAN, TALLY_F16, TALLY_SKIP_NAN, 0},
        {TALLY_ARGMAX, TALLY_F16, 0, 0},
        {TALLY_ARGMIN, TALLY_F64, 0, 0},
        {TALLY_ARGMAX, TALLY_U64, 0, 0},
        {TALLY_NORM1, TALLY_BF16, 0, 0},
        {TALLY_SUM, TALLY_C128, 0, 0},
        {TALLY_NORM1, TALLY_C64, 0, 0},
        {TALLY_NORM1, TALLY_C128, 0, 0},
        {TALLY_SUM, TALLY_C128, 0, 1},
        {TALLY_VAR, TALLY_F64, TALLY_SKIP_NAN, 0},
        {TALLY_ANY, TALLY_BOOL, 0, 0},
        {TALLY_BIT_XOR, TALLY_U16, 0, 0},
        {TALLY_ARGMIN, TALLY_F32, TALLY_SKIP_NAN, 0},
        {TALLY_MAX, TALLY_BF16, 0, 0},
        {TALLY_DOT, TALLY_F64, 0, 0},
        {TALLY_DOT, TALLY_F16, 0, 0},
        {TALLY_DOT, TALLY_BF16, 0, 0},
        {TALLY_NORM1, TALLY_F16, 0, 0},
        {TALLY_SUM, TALLY_I64, TALLY_CHECK_OVERFLOW, 0},
        {TALLY_ARGMAX, TALLY_BOOL, 0, 0},
        {TALLY_COUNT_NONZERO, TALLY_C64, 0, 0},
        {TALLY_ARGMAX, TALLY_I16, 0, 0},
        {TALLY_ARGMIN, TALLY_U16, 0, 0},
        {TALLY_ARGMIN, TALLY_BF16, 0, 0},
        {TALLY_ARGMAX, TALLY_U8, 0, 0},
        {TALLY_ARGMAX, TALLY_F16, TALLY_SKIP_NAN, 0},
        {TALLY_MEAN, TALLY_I8, 0, 0},
        {TALLY_VAR, TALLY_I8, 0, 0},
        {TALLY_NORM2, TALLY_BOOL, 0, 0},
        {TALLY_VAR, TALLY_U8, 0, 0},
        {TALLY_VAR, TALLY_I16, 0, 0},
        {TALLY_VAR, TALLY_U32, 0, 0},
        {TALLY_STD, TALLY_I32, 0, 0},
        {TALLY_VAR, TALLY_I64, 0, 0},
        {TALLY_NORM2, TALLY_U64, 0, 0},
        {TALLY_NORM1, TALLY_I64, 0, 0},
    };
    int simulated = device_simulated();
    if (!whole_open()) return test_left_out("device_whole", tally_last_error());
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        lengths_of(&problems[i], simulated ? (i < 4 ? 100000 : 12000) : MOST);
    one_stands_out(TALLY_F32, TALLY_ARGMAX, &(float){-INFINITY}, &(float){-1}, 300000);
    one_stands_out(TALLY_F32, TALLY_ARGMIN, &(float){INFINITY}, &(float){NAN}, 300000);
    one_stands_out(TALLY_F16, TALLY_ARGMAX, "\x00\xfc", "\x00\x80", 500000);
    one_stands_out(TALLY_F16, TALLY_ARGMIN, "\x00\x80", "\x00\x00", 50000); /* zeros of both signs */
    one_stands_out(TALLY_I8, TALLY_ARGMAX, "\x80", "\x81", 50000);
    full_integers();
    for (int i = 0; i < 2; i++) { /* so long that blocks claim the last chunks */
        patches_fill(TALLY_I16, room, MOST);
        compare(&(struct problem){TALLY_VAR, TALLY_I16, 0, 0}, MOST, 0);
        compare(&(struct problem){TALLY_ARGMAX, TALLY_I16, 0, 0}, MOST - 1, 0);
    }
    not_numbers();
    complex_norms();
    beyond_floats();
    device_close();
    return test_finish("device_whole");
}
