/* SPDX-License-Identifier: MIT
 *
 * device_tall.c - reductions down few, long columns on a device give the bits of the CPU engine: every number of
 * columns around those of vectors and tiles, several matrices, any alignment, gaps between rows, as many splits as are
 * merged at once and more; exact sums of numbers that pairs of doubles hold beside ones that they do not.
 *   TALLY_TEST_DEVICE   the device (simt)
 *   TALLY_TEST_FULL     all combinations, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "device_boxes.h"
#include "patches.h"
#include "tied_columns.h"

#define SPARE 64 /* elements behind the last one */

static int full;

static void compare(tally_op op, tally_type type, const struct shape *s)
{
    compare_axis(op, type, s, 1);
}

/* As many rows as the elements make. */
static struct shape of_columns(int64_t outer, int64_t columns, int64_t gap, int64_t elements)
{
    struct shape s = {outer, elements / outer / (columns + gap), columns, gap, 0};
    if (s.rows < 20) s.rows = 20;
    return s;
}

/* One matrix and several, any alignment, with a gap that keeps vectors aligned and one that does not. */
static void one_width(tally_op op, tally_type type, int64_t columns, int64_t elements)
{
    int64_t in_vector = 16 / (int64_t)tally_type_size(type);
    struct shape s = of_columns(1, columns, 0, elements), several = of_columns(3, columns, 0, elements);
    compare(op, type, &s);
    s.offset = 1 + (int64_t)test_random_below(15);
    compare(op, type, &s);
    compare(op, type, &several);
    if (!full && columns % 4 != 0) return;
    several = of_columns(3, columns, in_vector * (1 + (int64_t)test_random_below(3)), elements);
    compare(op, type, &several);
    several = of_columns(3, columns, 1, elements);
    several.offset = 1;
    compare(op, type, &several);
}

static const int64_t widths[] = {1,  2,  3,   4,   5,   7,   8,   12,  15,  16,  17,  24,  31,  32,   33,
                                 63, 64, 100, 127, 128, 129, 200, 255, 256, 257, 496, 512, 513, 1000, 1023};
enum { WIDTHS = sizeof widths / sizeof *widths };

static void all_widths(tally_op op, tally_type type, int64_t elements)
{
    for (int i = 0; i < WIDTHS; i++) {
        if (!full && (i + (int)op + (int)type) % 4) continue;
        one_width(op, type, widths[i], elements);
    }
}

static void folds(int64_t elements)
{
    static const struct {
        tally_op op;
        tally_type type;
    } few[] = {{TALLY_SUM, TALLY_I8},     {TALLY_SUM, TALLY_U8},     {TALLY_SUM, TALLY_BOOL},
               {TALLY_SUM, TALLY_I16},    {TALLY_SUM, TALLY_U16},    {TALLY_SUM, TALLY_I32},
               {TALLY_SUM, TALLY_I64},    {TALLY_MAX, TALLY_I8},     {TALLY_MIN, TALLY_I8},
               {TALLY_MAX, TALLY_U8},     {TALLY_MIN, TALLY_U8},     {TALLY_ANY, TALLY_I8},
               {TALLY_ALL, TALLY_I8},     {TALLY_ALL, TALLY_BOOL},   {TALLY_COUNT_NONZERO, TALLY_I8},
               {TALLY_MAX, TALLY_F16},    {TALLY_MAX, TALLY_F32},    {TALLY_MIN, TALLY_F64},
               {TALLY_MAX, TALLY_I32},    {TALLY_ANY, TALLY_F32},    {TALLY_ANY, TALLY_C128},
               {TALLY_ARGMAX, TALLY_F32}, {TALLY_ARGMIN, TALLY_I16}, {TALLY_ARGMAX, TALLY_F64},
               {TALLY_ARGMIN, TALLY_F16}, {TALLY_ARGMAX, TALLY_I8},  {TALLY_ARGMIN, TALLY_I8},
               {TALLY_ARGMAX, TALLY_U8},  {TALLY_ARGMIN, TALLY_U8},  {TALLY_ARGMAX, TALLY_BOOL},
               {TALLY_NORM1, TALLY_I8},   {TALLY_NORM1, TALLY_I16},  {TALLY_NORM1, TALLY_I64},
               {TALLY_NORM2, TALLY_U8},   {TALLY_NORM2, TALLY_BOOL}};
    for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
        int ties = i % 2 || few[i].op == TALLY_ARGMAX || few[i].op == TALLY_ARGMIN;
        data_fill(few[i].type, ties ? DATA_TIES : DATA_ORDINARY, room, 2 * elements + SPARE);
        all_widths(few[i].op, few[i].type, elements);
    }
    /* Bytes of one kind, but for one. */
    for (int kind = 0; kind < 2; kind++) {
        memset(room, kind ? 1 : 0, (size_t)elements);
        for (int64_t at = 17; at < elements; at += 7001) room[at] = kind ? 0 : 0x80;
        all_widths(TALLY_ANY, TALLY_I8, elements);
        all_widths(TALLY_ALL, TALLY_I8, elements);
        all_widths(TALLY_COUNT_NONZERO, TALLY_U8, elements);
    }
}

static void exact_sums(int64_t elements)
{
    static const tally_type types[] = {TALLY_F32, TALLY_F64, TALLY_F16, TALLY_BF16};
    static const tally_op ops[] = {TALLY_SUM, TALLY_MEAN, TALLY_NORM1};
    for (int t = 0; t < 4; t++) {
        for (int o = 0; o < 3; o++) {
            if (!full && o > 0 && (t + o) % 2) continue;
            data_fill(types[t], DATA_ORDINARY, room, 2 * elements + SPARE);
            all_widths(ops[o], types[t], elements);
            patches_fill(types[t], room, 2 * elements + SPARE);
            all_widths(ops[o], types[t], elements);
            data_fill(types[t], DATA_WIDE, room, 2 * elements + SPARE);
            one_width(ops[o], types[t], 24, elements);
            one_width(ops[o], types[t], 513, elements);
        }
    }
}

/* Odd columns of several matrices, of about as many rows as a thread reads at once, and of several times that. */
static void deep_columns(void)
{
    static const struct {
        tally_op op;
        tally_type type;
    } few[] = {{TALLY_SUM, TALLY_F32}, {TALLY_MAX, TALLY_F32}, {TALLY_MEAN, TALLY_F32}, {TALLY_SUM, TALLY_I32},
               {TALLY_SUM, TALLY_F64}, {TALLY_MIN, TALLY_F64}, {TALLY_MAX, TALLY_I64},  {TALLY_ANY, TALLY_F32}};
    static const int64_t rows[] = {62, 64, 65, 111, 112, 127, 129, 193, 450}, columns[] = {63, 127, 251, 509};
    for (int i = 0; i < (int)(sizeof few / sizeof *few); i++) {
        data_fill(few[i].type, DATA_ORDINARY, room, 2 * 450 * 509 + SPARE);
        if (i % 2 == 0) patches_fill(few[i].type, room, 2 * 450 * 509 + SPARE);
        for (int k = 0; k < 36; k++) {
            if (!full && (k + i) % 3) continue;
            compare(few[i].op, few[i].type, &(struct shape){2, rows[k / 4], columns[k % 4], 0, k % 2});
        }
    }
}

/* Of numbers of one size, and of any. */
static void spreads(int64_t elements)
{
    static const struct {
        tally_op op;
        tally_type type;
    } few[] = {{TALLY_VAR, TALLY_F32},   {TALLY_VAR, TALLY_F16},   {TALLY_STD, TALLY_BF16},
               {TALLY_NORM2, TALLY_F32}, {TALLY_NORM2, TALLY_F64}, {TALLY_VAR, TALLY_F64}};
    for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
        data_fill(few[i].type, DATA_ORDINARY, room, 2 * elements + SPARE);
        all_widths(few[i].op, few[i].type, elements);
        patches_fill(few[i].type, room, 2 * elements + SPARE);
        one_width(few[i].op, few[i].type, 24, elements);
        one_width(few[i].op, few[i].type, 129, elements);
    }
}

/* A few rows overflow on the way, in one split or two; in another one, 2^-200 decides, which no pair holds. */
static void overflowing_fill(double *y, int64_t rows, int64_t pitch)
{
    static const double tie[] = {0x1p600, 1, 0x1p-53, 0x1p-200, -0x1p600};
    for (int64_t r = 0; r < 8; r++) y[r * pitch] = r % 2 ? -0x1p1023 : 0x1p1023;
    for (int64_t i = 0; i < 5; i++) y[(rows - 5 + i) * pitch] = tie[i];
}

/* A few numbers that no pair holds, in one column and one split; sums that no pair holds, of numbers that ones do. */
static void few_lost(int64_t elements)
{
    float *x = (float *)(void *)room;
    double *y = (double *)(void *)room;
    for (int columns = 3; columns < 700; columns += 201) {
        struct shape s = of_columns(1, columns, 0, elements);
        data_fill(TALLY_F32, DATA_ORDINARY, room, elements);
        for (int64_t i = 0; i < 3; i++)
            x[(s.rows / 2 + i) * columns + columns / 2] = (float)ldexp(1, 120 - 130 * (int)i);
        compare(TALLY_SUM, TALLY_F32, &s);
        x[(s.rows - 1) * columns + 1] = INFINITY;
        compare(TALLY_SUM, TALLY_F32, &s);
        for (int64_t i = 0; i < s.rows * columns; i++)
            x[i] = i / columns < s.rows / 3       ? (float)ldexp(1, 100)
                   : i / columns < 2 * s.rows / 3 ? 1
                                                  : (float)ldexp(1, -100);
        compare(TALLY_SUM, TALLY_F32, &s);
        for (int64_t i = 0; i < s.rows * columns; i++)
            y[i] = i / columns < s.rows / 3 ? 0x1p600 : i / columns < 2 * s.rows / 3 ? 1 : 0x1p-600;
        compare(TALLY_SUM, TALLY_F64, &s);
        memset(y, 0, (size_t)(s.rows * columns) * sizeof *y);
        for (int64_t c = 0; c < columns; c += 2) overflowing_fill(y + c, s.rows, columns);
        compare(TALLY_SUM, TALLY_F64, &s);
        tied_columns_fill(x, s.rows, columns, columns);
        compare(TALLY_SUM, TALLY_F32, &s);
    }
}

/* More splits of wide tiles than are merged at once. */
static void two_steps(int64_t elements)
{
    static const struct {
        tally_op op;
        tally_type type;
        int64_t columns;
    } few[] = {{TALLY_SUM, TALLY_I8, 512},   {TALLY_MAX, TALLY_I8, 512},  {TALLY_SUM, TALLY_F32, 128},
               {TALLY_SUM, TALLY_BF16, 256}, {TALLY_SUM, TALLY_F16, 256}, {TALLY_SUM, TALLY_I8, 511}};
    for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
        struct shape s = of_columns(1, few[i].columns, 0, elements);
        patches_fill(few[i].type, room, elements);
        compare(few[i].op, few[i].type, &s);
    }
}

/* Three doubles of which the last is as large as the first, which it cancels; an infinity beside columns that bounds
 * leave open. */
static void cancelling_columns(void)
{
    float *x = (float *)(void *)room;
    struct shape tall = {1, 20000, 3, 0, 0}, wide = {1, 40000, 4, 0, 0};
    memset(x, 0, 60000 * sizeof *x);
    cancelled_fill(x + 1, 256 * 3);
    compare(TALLY_SUM, TALLY_F32, &tall);
    memset(x, 0, 160000 * sizeof *x);
    for (int64_t r = 1000; r < 39997; r++) x[r * 4 + 2] = r % 3 == 0 ? 0x1p60f : r % 3 == 1 ? 1 : -0x1p60f;
    x[0] = INFINITY;
    compare(TALLY_SUM, TALLY_F32, &wide);
}

static void means_of_integers(int64_t elements)
{
    static const tally_type types[] = {TALLY_I8,  TALLY_U8,  TALLY_BOOL, TALLY_I16, TALLY_U16,
                                       TALLY_I32, TALLY_U32, TALLY_I64,  TALLY_U64};
    for (int t = 0; t < 9; t++) {
        for (int kind = 0; kind < 2; kind++) {
            if (kind) memset(room, types[t] == TALLY_BOOL ? 1 : 0xff, ROOM); /* the largest, or -1 */
            else data_fill(types[t], DATA_ORDINARY, room, 2 * elements + SPARE);
            one_width(TALLY_MEAN, types[t], kind ? 100 : 7, elements);
            if (full) one_width(TALLY_MEAN, types[t], 513, elements);
        }
    }
}

/* Of ordinary numbers, of the largest ones or -1, and of those but for one in each column. */
static void variances_of_integers(int64_t elements)
{
    static const tally_type types[] = {TALLY_I8, TALLY_U8, TALLY_BOOL, TALLY_I16, TALLY_U16};
    for (int t = 0; t < 5; t++) {
        for (int kind = 0; kind < 3; kind++) {
            if (kind) memset(room, types[t] == TALLY_BOOL ? 1 : 0xff, ROOM);
            else data_fill(types[t], DATA_ORDINARY, room, 2 * elements + SPARE);
            for (int64_t i = 0; i < 129 && kind == 2; i++) room[129 * 40 * tally_type_size(types[t]) + (size_t)i] = 0;
            if (kind == 0) all_widths(t % 2 ? TALLY_STD : TALLY_VAR, types[t], elements);
            one_width(TALLY_VAR, types[t], 129, elements);
            one_width(TALLY_STD, types[t], 32, elements);
        }
    }
}

/* Better and better bytes, few and far apart, in columns that a thread goes down for longer than it has codes. */
static void late_bytes(int64_t elements)
{
    static const tally_op ops[] = {TALLY_ARGMAX, TALLY_ARGMIN};
    static const tally_type types[] = {TALLY_I8, TALLY_U8, TALLY_BOOL};
    struct shape s = of_columns(1, 400, 0, elements); /* more rows for a thread than codes */
    for (int t = 0; t < 6; t++) {
        memset(room, ops[t % 2] == TALLY_ARGMAX ? 0 : 100, (size_t)elements);
        for (int64_t i = 0; i < 4 * s.columns; i++) {
            int64_t row = (int64_t)test_random_below((uint64_t)s.rows), column = i % s.columns;
            room[row * s.columns + column] = (unsigned char)(1 + row * 90 / s.rows);
            if (ops[t % 2] == TALLY_ARGMIN) room[row * s.columns + column] = (unsigned char)(99 - row * 90 / s.rows);
            if (types[t / 2] == TALLY_BOOL) room[row * s.columns + column] = ops[t % 2] == TALLY_ARGMAX;
        }
        compare(ops[t % 2], types[t / 2], &s);
        struct shape row = {1, 2, elements / 2, 0, 0};
        compare_axis(ops[t % 2], types[t / 2], &row, 2);
    }
}

/* 2-byte elements of which the first and the last ones are the extremes: those of vectors that begin before a matrix,
 * or end behind it, are the only ones of theirs that count. */
static void deciding_ends(void)
{
    static const struct {
        tally_type type;
        uint16_t most, least;
    } types[] = {
        {TALLY_F16, 0x7b00, 0xfb00}, {TALLY_BF16, 0x7b00, 0xfb00}, {TALLY_I16, 0x7b00, 0x8000}, {TALLY_U16, 0xff00, 0}};
    static const int64_t columns[] = {1, 2, 3, 5, 8, 12};
    enum { ENDS = 8 };
    uint16_t *x = (uint16_t *)(void *)room;
    for (int i = 0; i < 4 * 2 * 6 * 2; i++) {
        int t = i % 4, maximum = i / 4 % 2;
        struct shape s = {1, 1500, columns[i / 8 % 6], i / 48 * 3, 1 + i % 7};
        int64_t all = s.rows * (s.columns + s.gap);
        for (int64_t k = 0; k < s.offset + all + SPARE; k++) x[k] = (uint16_t)(0x3c00 + test_random_below(256));
        for (int k = 0; k < ENDS; k++) {
            uint16_t end = (uint16_t)((maximum ? types[t].most : types[t].least) + k);
            x[s.offset + k] = x[s.offset + all - s.gap - 1 - k] = end;
        }
        compare(maximum ? TALLY_MAX : TALLY_MIN, types[t].type, &s);
    }
}

int main(void)
{
    full = device_full();
    choose_processors("2");
    if (!device_open("cpu")) return test_left_out("device_tall", tally_last_error());
    make_room();
    int64_t elements = full ? 200000 : 40000;
    folds(elements);
    exact_sums(elements);
    deep_columns();
    deciding_ends();
    spreads(elements);
    few_lost(elements);
    means_of_integers(elements);
    variances_of_integers(elements);
    start_again("200");
    two_steps(2800000);
    start_again("1");
    late_bytes(2400000);
    cancelling_columns();
    device_close();
    return test_finish("device_tall");
}
