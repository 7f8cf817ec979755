/* SPDX-License-Identifier: MIT
 *
 * device_sums.c - exact sums of whole arrays on a device give the bits of the reference engine where numbers are hard:
 * so far apart that sums have long ways, at the ends of their range, as long as they can be, in the middle between two
 * results.
 *   TALLY_TEST_DEVICE   the device (simt) */
#define _POSIX_C_SOURCE 200809L
#include "whole.h"

/* By the kernel of few elements, if there are, and by that of many, which takes what has an initial value. */
static void compare_both(tally_op op, tally_type type, int64_t n, int64_t offset)
{
    compare(&(struct problem){op, type, 0, 0}, n, offset);
    if (op == TALLY_SUM || op == TALLY_DOT) compare(&(struct problem){op, type, 0, 1}, n, offset);
    else compare(&(struct problem){op, type, 0, 0}, n, offset + 1);
}

static uint16_t short_number(int exponent)
{
    return (uint16_t)(test_random_below(2) << 15 | (uint64_t)exponent << 7 | test_random_below(128));
}

/* Short numbers over just so many binades that floats hold the sums of a few, or not; and products of which some are
 * too small for a float. */
static void short_numbers(int64_t n)
{
    static const struct problem sum = {TALLY_SUM, TALLY_BF16, 0, 0}, dot = {TALLY_DOT, TALLY_BF16, 0, 0};
    uint16_t *x = (uint16_t *)(void *)room;
    result_type = TALLY_F64;
    for (int span = 12; span <= 33; span += span < 16 ? 1 : 9) {
        for (int top = 100; top <= 254; top += 77) {
            for (int64_t i = 0; i < n; i++)
                x[i] = short_number(top - (test_random_below(9) ? 0 : (int)test_random_below((uint64_t)span + 1)));
            for (int64_t i = 0; i < n; i += 97) x[i] = 0;
            compare(&sum, n, 0);
        }
    }
    for (int64_t i = 0; i < n; i++) x[i] = short_number(i % 9 ? 72 : 49);
    compare(&dot, n, 0);
    result_type = TALLY_DEFAULT_TYPE;
}

/* Ordinary numbers, and one among them, anywhere, that has no place in a pair with the others. */
static void far_apart(tally_type type, int64_t n)
{
    for (int trial = 0; trial < 4; trial++) {
        int64_t at = (int64_t)test_random_below((uint64_t)n);
        data_fill(type, DATA_ORDINARY, room, n);
        if (type == TALLY_F32) ((float *)(void *)room)[at] = trial == 3 ? -INFINITY : ldexpf(1, trial - 121);
        else ((double *)(void *)room)[at] = trial == 3 ? NAN : ldexp(1, trial - 701);
        compare_both(TALLY_SUM, type, n, 0);
    }
}

/* Every block's sum fits its pair, but not two blocks' sums one pair: every second 32 KiB are so small that they show
 * only because the large ones cancel. */
static void blocks_apart(tally_type type, int64_t n)
{
    int64_t chunk = 32768 / (int64_t)tally_type_size(type);
    data_fill(type, DATA_ORDINARY, room, n);
    for (int64_t i = 0; i < n; i++) {
        int64_t quarter = i / chunk % 4;
        float *x = (float *)(void *)room;
        double *y = (double *)(void *)room;
        if (type == TALLY_F32) x[i] = quarter == 1 ? -x[i - chunk] : ldexpf(x[i], quarter ? -100 : 0);
        else y[i] = quarter == 1 ? -y[i - chunk] : ldexp(y[i], quarter ? -300 : 0);
    }
    compare_both(TALLY_SUM, type, n / (4 * chunk) * 4 * chunk, 0);
}

/* Means in the middle between two doubles, and just beside it. */
static void middles(void)
{
    const struct problem mean = {TALLY_MEAN, TALLY_F64, 0, 0};
    const double ulp = ldexp(1, -52);
    double *x = (double *)(void *)room;
    for (int64_t n = 3; n < 3000; n *= 3) {
        for (int k = -1; k <= 1; k++) {
            for (int64_t i = 0; i < n; i += 3) x[i] = 0.75 + ulp / 2, x[i + 1] = 1.5, x[i + 2] = 1.5 + ulp;
            x[0] += k * ulp / 2;
            compare(&mean, n, 0);
        }
    }
}

/* Roots at the middle between two results, and as little beside it as the sum of squares can be. */
static void root_middles(void)
{
    const struct problem f32 = {TALLY_NORM2, TALLY_F32, 0, 0}, f64 = {TALLY_NORM2, TALLY_F64, 0, 0};
    float *x = (float *)(void *)room;
    double *y = (double *)(void *)room;
    for (int trial = 0; trial < 40; trial++) {
        double middle = 1 + (double)(2 * test_random_below(1 << 22) + 1) * 0x1p-24,
               square = middle * middle; /* exact */
        float part = (float)middle;
        x[0] = part;
        double rest = square - (double)part * part; /* as squares of floats, until nothing is left */
        int64_t n = 1;
        while (rest > 0 && n < 60) {
            float next = (float)sqrt(rest);
            while ((double)next * next > rest) next = nextafterf(next, 0);
            rest -= (double)next * next;
            x[n++] = next;
        }
        for (int k = 0; k < 3; k++) {
            x[n] = k == 0 ? 0 : ldexpf(1, -30 * k);
            compare(&f32, n + 1, 0);
        }
        for (int64_t i = 0; i < 77; i++) y[i] = 1 + (double)test_random_below(1 << 20) * 0x1p-30;
        compare(&f64, 77, 0);
    }
}

/* Numbers that grow and shrink, so that windows move all the time. */
static void ramps(tally_type type, int64_t n)
{
    static const tally_op ops[] = {TALLY_SUM, TALLY_NORM2, TALLY_MEAN};
    for (int64_t i = 0; i < n; i++) {
        double v = ldexp(1 + (double)test_random_below(1 << 20) * 0x1p-20, (int)(i * 60 / n) - 30);
        if (test_random_below(2)) v = -v;
        if (type == TALLY_F32) ((float *)(void *)room)[i] = (float)v;
        else ((double *)(void *)room)[i] = v;
    }
    for (int k = 0; k < 3; k++) compare_both(ops[k], type, n, 0);
}

/* A number of a type by its exponent, with the longest significand or any. */
static void put_number(tally_type type, int64_t i, int exponent, int longest)
{
    int bits = type == TALLY_BF16 ? 8 : type == TALLY_F32 ? 24 : 53;
    double most = 2 - ldexp(1, 1 - bits), any = 1 + (double)test_random_below(1 << 7) * 0x1p-7;
    double v = ldexp(longest ? most : test_random_below(2) ? any : -any, exponent);
    float f = (float)v;
    uint32_t word;
    memcpy(&word, &f, sizeof word);
    if (type == TALLY_F64) ((double *)(void *)room)[i] = v;
    else if (type == TALLY_F32) ((float *)(void *)room)[i] = f;
    else ((uint16_t *)(void *)room)[i] = (uint16_t)(word >> 16);
}

/* Numbers of all exponents in stretches of this many, ordinary ones between them; infinities or NaN among them. */
static void far_stretches(tally_op op, tally_type type, int64_t n, int64_t stretch)
{
    int most = type == TALLY_F64 ? 2000 : 230, least = type == TALLY_F64 ? -1074 : type == TALLY_F32 ? -149 : -133;
    for (int trial = 0; trial < 4; trial++) {
        data_fill(type, DATA_ORDINARY, room, n);
        for (int64_t i = 0; i < n; i++)
            if (i / stretch % 2 == 0) put_number(type, i, least + (int)test_random_below((uint64_t)most), 0);
        int64_t at = (int64_t)test_random_below((uint64_t)n);
        if (trial == 2) put_number(type, at, 5000, 1);
        if (trial == 3) put_number(type, at, 5000, 1), memset(room + tally_type_size(type) * (size_t)at, 0xff, 1);
        compare_both(op, type, n, trial & 1);
    }
}

/* Long runs of far tiles whose numbers add as much as they can to the same places, low bits and high ones. */
static void full_places(tally_type type, int64_t n, int top, int lower)
{
    int far = type == TALLY_F64 ? -900 : -100;
    for (int64_t i = 0; i < n; i++) put_number(type, i, i % 7 == 3 ? far : i % 7 == 5 ? lower : top, 1);
    compare_both(TALLY_MEAN, type, n, 0);
}

/* The longest numbers, a few of them as small as sums of threads just hold, or not. */
static void crowded(tally_type type, int64_t n)
{
    int bits = type == TALLY_F32 ? 24 : 8;
    for (int distance = 53 - bits - 8; distance < 53 - bits + 2; distance++) {
        for (int64_t i = 0; i < n; i++) put_number(type, i, i % 5 ? 0 : -distance, 1);
        compare(&(struct problem){TALLY_SUM, type, 0, 0}, n, 0);
    }
}

/* The longest numbers of one sign, whose sums come near the largest double. */
static void heights(int64_t n)
{
    for (int exponent = 1008; exponent < 1023; exponent++) {
        for (int64_t i = 0; i < n; i++) put_number(TALLY_F64, i, exponent, 1);
        compare_both(TALLY_MEAN, TALLY_F64, n, 0);
        compare(&(struct problem){TALLY_SUM, TALLY_F64, 0, 0}, n, 0);
        for (int64_t i = 0; i < n; i += 3) ((double *)(void *)room)[i] *= i % 2 ? 0x1p-4 : -1;
        compare_both(TALLY_MEAN, TALLY_F64, n, 0);
    }
}

/* Numbers by their exponents as a few elements' kernel may meet them: where its first ones are small beside the others,
 * or zeros; at both ends of the type's range; in one sign and as long as they can be; and such that nothing or very
 * little is left of the sum. */
static void layers(tally_op op, tally_type type, int64_t n)
{
    const int most = type == TALLY_F64 ? 1023 : 127, least = type == TALLY_F64   ? -1074
                                                             : type == TALLY_F32 ? -149
                                                                                 : -133;
    const struct {
        int first, then, end; /* exponents: of the first numbers, of the others, and of one at the end */
    } cases[] = {{0, 3, 0},        {0, 5, 0},          {-5000, 2, 0},      {0, 40, -40},        {-30, 30, -60},
                 {most, most, 0},  {most, 0, least},   {most - 3, -90, 0}, {least, least, 0},   {least, least + 70, 0},
                 {0, -5000, -120}, {least + 50, 0, 0}, {0, 0, most},       {most - 6, most, 0}, {-5000, -5000, -5000}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (int kind = 0; kind < 3; kind++) {
            for (int64_t i = 0; i < n; i++)
                put_number(type, i, i % 4096 < 2048 ? cases[c].first : cases[c].then, kind == 1);
            for (int64_t i = 0; i + 1 < n && kind == 2; i += 2) { /* twice the same, the other way */
                size_t size = tally_type_size(type);
                memcpy(room + (size_t)(i + 1) * size, room + (size_t)i * size, size);
                room[(size_t)(i + 2) * size - 1] ^= 0x80;
            }
            put_number(type, n - 1, cases[c].end, 0);
            compare(&(struct problem){op, type, 0, 0}, n, kind == 1);
        }
    }
}

int main(void)
{
    int simulated = device_simulated();
    if (!whole_open()) return test_left_out("device_sums", tally_last_error());
    far_apart(TALLY_F32, simulated ? 65536 : MOST);
    far_apart(TALLY_F64, simulated ? 32768 : MOST);
    blocks_apart(TALLY_F32, simulated ? 65536 : MOST);
    blocks_apart(TALLY_F64, simulated ? 32768 : MOST);
    short_numbers(140000);
    middles();
    root_middles();
    for (int64_t stretch = 1; stretch < 200000; stretch = stretch * 5 + 1) {
        far_stretches(TALLY_SUM, TALLY_F32, simulated ? 300000 : MOST, stretch);
        far_stretches(TALLY_SUM, TALLY_F64, simulated ? 150000 : MOST, stretch);
        far_stretches(TALLY_MEAN, TALLY_BF16, simulated ? 200000 : MOST, stretch);
        far_stretches(TALLY_DOT, TALLY_F32, simulated ? 40000 : MOST, stretch);
        far_stretches(TALLY_DOT, TALLY_BF16, simulated ? 40000 : MOST, stretch);
        far_stretches(TALLY_DOT, TALLY_F16, simulated ? 40000 : MOST, stretch);
        far_stretches(TALLY_DOT, TALLY_F64, simulated ? 40000 : MOST, stretch);
        far_stretches(TALLY_NORM1, TALLY_F32, simulated ? 40000 : MOST, stretch);
        far_stretches(TALLY_NORM2, TALLY_F64, simulated ? 40000 : MOST, stretch);
    }
    result_type = TALLY_F64;
    for (int64_t n = 100; n < 300000; n = n * 9 + 1) {
        crowded(TALLY_F32, n);
        crowded(TALLY_BF16, n);
    }
    result_type = TALLY_DEFAULT_TYPE;
    for (int64_t n = 1000; n < 300000; n = n * 4 + 90) heights(n);
    for (int64_t n = 500; n < 300000; n = n * 9 + 1) {
        layers(TALLY_SUM, TALLY_F32, n);
        layers(TALLY_SUM, TALLY_F64, n);
        layers(TALLY_MEAN, TALLY_BF16, n);
        layers(TALLY_NORM1, TALLY_F64, n);
        layers(TALLY_NORM2, TALLY_F32, n);
        layers(TALLY_DOT, TALLY_BF16, n);
    }
    full_places(TALLY_F64, 4 * MOST, 979, 979); /* the significand's end lies as high in a word as it can */
    full_places(TALLY_F32, 17 * MOST, 64, 64);
    result_type = TALLY_F64;
    full_places(TALLY_BF16, 17 * MOST, 64, 57); /* the highest and the lowest numbers of a bin */
    full_places(TALLY_BF16, 17 * MOST, 127, 121);
    full_places(TALLY_BF16, 17 * MOST, -127, -133);
    result_type = TALLY_DEFAULT_TYPE;
    ramps(TALLY_F32, simulated ? 200000 : MOST);
    ramps(TALLY_F64, simulated ? 100000 : MOST);
    device_close();
    if (simulated) {
        setenv("TALLY_SIMT_CLUSTER", "0", 1); /* as GPUs before Hopper: blocks that share a long sum */
        CHECK(whole_open());
        blocks_apart(TALLY_F32, 65536);
        blocks_apart(TALLY_F64, 32768);
        for (int64_t n = 9000; n < 70000; n = n * 2 + 90)
            layers(TALLY_SUM, TALLY_F32, n), layers(TALLY_SUM, TALLY_F64, n);
        device_close();
    }
    return test_finish("device_sums");
}
