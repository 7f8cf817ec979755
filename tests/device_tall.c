/* SPDX-License-Identifier: MIT
 *
 * device_tall.c - reductions down few, long columns and along long rows on a device give the bits of the CPU engine:
 * every number of columns around those of vectors and tiles, several matrices, any alignment, gaps between rows, as
 * many splits as are merged at once and more; exact sums of numbers that pairs of doubles hold beside ones that they do
 * not. TALLY_TEST_DEVICE   the device (simt) TALLY_TEST_FULL     all combinations, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "device.h"
#include "patches.h"
#include "tied_columns.h"

#define ROOM (1 << 24)
#define SPARE 64 /* elements behind the last one */

static int full;
static _Alignas(64) unsigned char room[ROOM], want[ROOM], got[ROOM];
static unsigned char *far, *far_out;
static char where_text[240];

/* outer x rows x columns elements, of which rows lie `columns + gap` apart, from element `offset` on. */
struct shape {
    int64_t outer, rows, columns, gap, offset;
};

static int64_t elements_of(const struct shape *s)
{
    return s->offset + s->outer * s->rows * (s->columns + s->gap);
}

static tally_array shaped(const struct shape *s, tally_type type, unsigned char *memory)
{
    int64_t pitch = s->columns + s->gap;
    tally_array a = tally_matrix(memory + (size_t)s->offset * tally_type_size(type), type, s->rows, s->columns);
    a.rank = 3;
    a.shape[0] = s->outer, a.shape[1] = s->rows, a.shape[2] = s->columns;
    a.strides[0] = s->rows * pitch, a.strides[1] = pitch, a.strides[2] = 1;
    return a;
}

/* Over one axis, or two. */
static void compare_axes(tally_op op, tally_type type, const struct shape *s, const int32_t *axes, int32_t count)
{
    tally_array x = shaped(s, type, room), like;
    tally_options options = TALLY_OPTIONS_INIT;
    if (!device_parted(op, type)) return;
    options.axes = axes;
    options.axis_count = count;
    snprintf(where_text, sizeof where_text, "%s of %s, %lld x %lld x %lld, axis %d to %d, gap %d, offset %d",
             tally_op_name(op), tally_type_name(type), (long long)s->outer, (long long)s->rows, (long long)s->columns,
             (int)axes[0], (int)axes[count - 1], (int)s->gap, (int)s->offset);
    test.section = where_text;
    CHECK(tally_result_like(TALLY_REDUCE, op, &x, &options, &like) == TALLY_OK);
    size_t each = tally_type_size(like.type), bytes = each;
    for (int32_t d = 0; d < like.rank; d++) bytes *= (size_t)like.shape[d];
    memset(want, 0xab, bytes + 16);
    memset(got, 0xab, bytes + 16);
    like.data = want;
    CHECK(tally_reduce(judge, op, &x, &like, &options) == TALLY_OK);
    CHECK(tally_copy(device, far, room, (size_t)elements_of(s) * tally_type_size(type)) == TALLY_OK);
    CHECK(tally_copy(device, far_out, got, bytes + 16) == TALLY_OK);
    x = shaped(s, type, far);
    like.data = far_out;
    CHECK(tally_reduce(device, op, &x, &like, &options) == TALLY_OK);
    CHECK(tally_copy(device, got, far_out, bytes + 16) == TALLY_OK);
    device_same(got, want, bytes + 16, each);
}

/* Down the columns (axis 1) or along the rows (2). */
static void compare_axis(tally_op op, tally_type type, const struct shape *s, int32_t axis)
{
    compare_axes(op, type, s, &axis, 1);
}

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
               {TALLY_ARGMAX, TALLY_U8},  {TALLY_ARGMIN, TALLY_U8},  {TALLY_ARGMAX, TALLY_BOOL}};
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

/* Rows for warps and rows for blocks, in one split and in several, of any alignment. */
static void long_rows(void)
{
    static const struct {
        tally_op op;
        tally_type type;
    } few[] = {
        {TALLY_SUM, TALLY_F32},     {TALLY_SUM, TALLY_F64},    {TALLY_SUM, TALLY_F16},    {TALLY_SUM, TALLY_BF16},
        {TALLY_MEAN, TALLY_F32},    {TALLY_SUM, TALLY_I8},     {TALLY_SUM, TALLY_U16},    {TALLY_SUM, TALLY_I32},
        {TALLY_MAX, TALLY_I8},      {TALLY_ALL, TALLY_I8},     {TALLY_MAX, TALLY_F32},    {TALLY_MEAN, TALLY_I16},
        {TALLY_MEAN, TALLY_U64},    {TALLY_ANY, TALLY_F64},    {TALLY_NORM1, TALLY_BF16}, {TALLY_BIT_XOR, TALLY_I16},
        {TALLY_ARGMAX, TALLY_F32},  {TALLY_ARGMIN, TALLY_F16}, {TALLY_ARGMAX, TALLY_I8},  {TALLY_ARGMIN, TALLY_U8},
        {TALLY_ARGMIN, TALLY_BOOL}, {TALLY_VAR, TALLY_I8},     {TALLY_STD, TALLY_U8},     {TALLY_VAR, TALLY_U16}};
    static const int64_t bytes[] = {2050, 4096, 5000, 32768, 32772, 140000, 300001};
    for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
        for (size_t k = 0; k < sizeof bytes / sizeof *bytes; k++) {
            int64_t size = (int64_t)tally_type_size(few[i].type), length = bytes[k] / size;
            int64_t rows = full ? ROOM / 8 / bytes[k] : bytes[k] < 6000 ? 150 : 3;
            if (!full && (i + k) % 3) continue;
            struct shape s = {1, rows, length, 0, 0}, odd = {2, (rows + 1) / 2, length, 3, 1};
            for (int kind = 0; kind < 3; kind++) {
                if (kind == 1) patches_fill(few[i].type, room, 2 * (s.rows + 2) * (length + 3));
                else
                    data_fill(few[i].type,
                              kind                        ? DATA_WIDE
                              : few[i].op == TALLY_ARGMAX ? DATA_TIES
                                                          : DATA_ORDINARY,
                              room, 2 * (s.rows + 2) * (length + 3));
                compare_axis(few[i].op, few[i].type, &s, 2);
                compare_axis(few[i].op, few[i].type, &odd, 2);
            }
        }
    }
}

/* Rows of binary16 numbers whose large ones cancel at last, after threads' sums have become too large for the least of
 * them. */
static void cancelling_fill(uint16_t *x, int64_t length)
{
    const uint16_t large = 0x7b53, sign = 0x8000; /* 59,997 and more */
    for (int64_t i = 0; i < length; i++) x[i] = i / 16 * 16 + 16 > length ? 0 : i / 8 % 2 ? large | sign : large;
    for (int64_t k = 0; k < length / 600; k++) {
        int64_t i = (int64_t)test_random_below((uint64_t)(length / 16)) * 16 + (int64_t)test_random_below(8);
        x[i] = 1; /* 2^-24 */
        x[i + 8] = 0;
    }
}

/* So many long rows that a warp goes through each. */
static void many_long_rows(void)
{
    static const struct {
        tally_op op;
        tally_type type;
        int64_t length;
    } few[] = {{TALLY_SUM, TALLY_F16, 8193},     {TALLY_MEAN, TALLY_F16, 10000}, {TALLY_SUM, TALLY_F16, 32768},
               {TALLY_MEAN, TALLY_BF16, 8200},   {TALLY_SUM, TALLY_BF16, 32768}, {TALLY_SUM, TALLY_F64, 2049},
               {TALLY_MEAN, TALLY_F64, 5000},    {TALLY_SUM, TALLY_F64, 16384},  {TALLY_SUM, TALLY_F32, 9001},
               {TALLY_MEAN, TALLY_F32, 40000},   {TALLY_SUM, TALLY_I8, 66001},   {TALLY_ARGMAX, TALLY_I8, 66001},
               {TALLY_VAR, TALLY_U8, 66001},     {TALLY_SUM, TALLY_I16, 33001},  {TALLY_VAR, TALLY_U16, 33001},
               {TALLY_ARGMIN, TALLY_F16, 33001}, {TALLY_MAX, TALLY_F32, 16501},  {TALLY_MEAN, TALLY_I64, 8193}};
    for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
        int is_float = i < 10;
        struct shape s = {1, is_float ? 52 : 97, few[i].length, 0, 0};
        for (int kind = 0; kind < (is_float ? 3 : 1); kind++) {
            if (kind == 1) patches_fill(few[i].type, room, s.rows * s.columns);
            else data_fill(few[i].type, kind ? DATA_WIDE : DATA_ORDINARY, room, s.rows * s.columns);
            compare_axis(few[i].op, few[i].type, &s, 2);
        }
        for (int64_t r = 0; r < s.rows && few[i].op == TALLY_SUM && few[i].type == TALLY_F16; r++)
            cancelling_fill((uint16_t *)(void *)room + r * s.columns, s.columns);
        compare_axis(few[i].op, few[i].type, &s, 2);
    }
}

/* Long rows, and cells of many runs (axes 0 and 2), whose sums lie next to ties: no bound of what a sum is off tells
 * the result, so that one team goes through a cell that several had splits of. */
static void tied_rows(void)
{
    static const int64_t lengths[] = {1500, 8191, 20000, 65536};
    static const int32_t outer_and_inner[] = {0, 2};
    static float cell[1 << 16];
    float *x = (float *)(void *)room;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        for (int64_t rows = 2; rows <= 34; rows += 32) {
            struct shape s = {1, rows, lengths[i], i % 2, i % 2};
            for (int64_t r = 0; r < rows; r++)
                tied_columns_fill(x + s.offset + r * (s.columns + s.gap), s.columns, 1, 1);
            compare_axis(TALLY_SUM, TALLY_F32, &s, 2);
            compare_axis(TALLY_MEAN, TALLY_F32, &s, 2);
        }
        int64_t run = 24 + 11 * (int64_t)i; /* whole vectors, and not */
        struct shape runs = {lengths[i] / run, 3, run, 0, 0};
        for (int64_t r = 0; r < runs.rows; r++) {
            tied_columns_fill(cell, runs.outer * run, 1, 1);
            for (int64_t k = 0; k < runs.outer; k++)
                memcpy(x + (k * runs.rows + r) * run, cell + k * run, (size_t)run * sizeof *cell);
        }
        compare_axes(TALLY_SUM, TALLY_F32, &runs, outer_and_inner, 2);
    }
}

/* Three doubles of which the last is as large as the first, which it cancels; an infinity beside columns that bounds
 * leave open; rows of doubles whose loss depends on the order in which lanes are joined. */
static void cancelling_sums(void)
{
    static const float few[] = {0x1p127f, 0x1p70f, -0x1p10f, -0x1p127f, -0x1p70f, 0x1p10f, 0x1p-50f};
    static const int64_t place[] = {17, 18, 41, 52, 106, 117};
    static const double joined[] = {-0x1.d069df49b074cp-46, 0x1.691b6dfbeb321p-225,  0x1.10f9f879486c9p-223,
                                    0x1.a4b8d8ac20f38p-49,  -0x1.10f9f879486c9p-223, -0x1.a4b8d8ac20f38p-49};
    float *x = (float *)(void *)room;
    double *y = (double *)(void *)room;
    struct shape tall = {1, 20000, 3, 0, 0}, row = {1, 2, 60000, 0, 0}, wide = {1, 40000, 4, 0, 0};
    memset(x, 0, 120000 * sizeof *x);
    for (int64_t i = 0; i < 7; i++) x[256 * 3 * i + 1] = few[i];
    compare(TALLY_SUM, TALLY_F32, &tall);
    memset(x, 0, 120000 * sizeof *x);
    for (int64_t i = 0; i < 7; i++) x[256 * i] = x[60000 + 300 * i] = few[i];
    compare_axis(TALLY_SUM, TALLY_F32, &row, 2);
    compare_axis(TALLY_MEAN, TALLY_F32, &row, 2);
    memset(x, 0, 160000 * sizeof *x);
    for (int64_t r = 1000; r < 39997; r++) x[r * 4 + 2] = r % 3 == 0 ? 0x1p60f : r % 3 == 1 ? 1 : -0x1p60f;
    x[0] = INFINITY;
    compare(TALLY_SUM, TALLY_F32, &wide);
    struct shape rows = {1, 600, 129, 0, 0};
    memset(y, 0, (size_t)(rows.rows * rows.columns) * sizeof *y);
    for (int64_t r = 0; r < rows.rows; r++) {
        for (int k = 0; k < 6; k++) y[r * rows.columns + place[k]] = joined[k];
    }
    compare_axis(TALLY_SUM, TALLY_F64, &rows, 2);
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

/* A device simt has so many processors: many make many splits, few let warps have rows of their own. */
static void choose_processors(const char *processors)
{
    if (device_simulated()) setenv("TALLY_SIMT_PROCESSORS", processors, 1);
}

static void make_room(void)
{
    far = device_room(ROOM), far_out = device_room(ROOM);
}

static void start_again(const char *processors)
{
    device_stop();
    choose_processors(processors);
    CHECK(device_start());
    make_room();
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
    spreads(elements);
    few_lost(elements);
    means_of_integers(elements);
    variances_of_integers(elements);
    start_again("200");
    two_steps(2800000);
    start_again("1");
    late_bytes(2400000);
    long_rows();
    tied_rows();
    many_long_rows();
    cancelling_sums();
    device_close();
    return test_finish("device_tall");
}
