/* SPDX-License-Identifier: MIT
 *
 * device_whole.c - whole contiguous arrays on a device give the bits of the reference engine: every length around those
 * of vectors, tiles, chunks and all blocks, any alignment, numbers so far apart that their sums have long ways, initial
 * values, NaN left out.
 *   TALLY_TEST_DEVICE   the device (simt) */
#define _POSIX_C_SOURCE 200809L
#include "device.h"
#include "patches.h"

#define MOST (1 << 20) /* elements */
#define ROOM ((size_t)72 << 20)

static _Alignas(64) unsigned char room[ROOM];
static unsigned char *far, *far_out;
static char where_text[200];

struct problem {
    tally_op op;
    tally_type type;
    int32_t flags;
    int with_initial;
};

static tally_type result_type; /* that is asked for */

/* Elements start `offset` after an aligned address, those of a second array `apart` elements later. */
static void compare(const struct problem *problem, int64_t n, int64_t offset)
{
    unsigned char want[48], got[48], initial[16] = {0};
    size_t size = tally_type_size(problem->type);
    tally_array x = tally_vector(room + (size_t)offset * size, problem->type, n), y = x, like;
    tally_options options = TALLY_OPTIONS_INIT;
    if (!device_parted(problem->op, problem->type)) return;
    options.flags = (uint32_t)problem->flags;
    options.type = result_type;
    if (problem->op == TALLY_DOT) options.second = &y;
    CHECK(tally_result_like(TALLY_REDUCE, problem->op, &x, &options, &like) == TALLY_OK);
    if (problem->with_initial) {
        patches_fill(like.type, initial, 1);
        options.initial = initial;
    }
    snprintf(where_text, sizeof where_text, "%s of %lld %s, offset %d, flags %d, %s initial value",
             tally_op_name(problem->op), (long long)n, tally_type_name(problem->type), (int)offset, (int)problem->flags,
             problem->with_initial ? "an" : "no");
    test.section = where_text;
    memset(want, 0xab, sizeof want);
    memset(got, 0xab, sizeof got);
    like.data = want;
    tally_status wanted = tally_reduce(judge, problem->op, &x, &like, &options);
    CHECK(tally_copy(device, far, room, (size_t)(offset + n) * size) == TALLY_OK);
    CHECK(tally_copy(device, far_out, got, sizeof got) == TALLY_OK);
    x.data = y.data = far + (size_t)offset * size;
    like.data = far_out;
    CHECK(tally_reduce(device, problem->op, &x, &like, &options) == wanted);
    CHECK(tally_copy(device, got, far_out, sizeof got) == TALLY_OK);
    CHECK(memcmp(got, want, sizeof got) == 0);
}

/* By the kernel of few elements, if there are, and by that of many, which takes what has an initial value. */
static void compare_both(tally_op op, tally_type type, int64_t n, int64_t offset)
{
    compare(&(struct problem){op, type, 0, 0}, n, offset);
    if (op == TALLY_SUM || op == TALLY_DOT) compare(&(struct problem){op, type, 0, 1}, n, offset);
    else compare(&(struct problem){op, type, 0, 0}, n, offset + 1);
}

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
static void full_places(tally_type type, int64_t n)
{
    int top = type == TALLY_F64 ? 979 : 64; /* the significand's end lies as high in a word as it can */
    for (int64_t i = 0; i < n; i++) put_number(type, i, i % 7 == 3 ? (type == TALLY_F64 ? -900 : -100) : top, 1);
    compare_both(TALLY_SUM, type, n, 0);
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
    if (!device_open("reference")) return test_left_out("device_whole", tally_last_error());
    far = device_room(ROOM), far_out = device_room(64);
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        lengths_of(&problems[i], simulated ? (i < 4 ? 100000 : 12000) : MOST);
    far_apart(TALLY_F32, simulated ? 65536 : MOST);
    far_apart(TALLY_F64, simulated ? 32768 : MOST);
    blocks_apart(TALLY_F32, simulated ? 65536 : MOST);
    blocks_apart(TALLY_F64, simulated ? 32768 : MOST);
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
    short_numbers(140000);
    middles();
    not_numbers();
    complex_norms();
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
    full_places(TALLY_F64, 4 * MOST);
    full_places(TALLY_F32, 17 * MOST);
    ramps(TALLY_F32, simulated ? 200000 : MOST);
    ramps(TALLY_F64, simulated ? 100000 : MOST);
    device_close();
    return test_finish("device_whole");
}
