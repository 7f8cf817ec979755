/* SPDX-License-Identifier: MIT
 *
 * device_merged.c - reductions over a last axis of a few bytes and over others that lie far from it, on a device: the
 * bits of the CPU engine. Their cells are neighbouring columns of matrices, in tiles that whole cells fill; one matrix
 * and several, rows of one loop and of two, one split and many; sums that no column's total tells alone.
 *   TALLY_TEST_DEVICE   the device (simt)
 *   TALLY_TEST_FULL     all combinations, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#define ROOM (1 << 26)
#include "device_boxes.h"
#include "patches.h"
#include "tied_columns.h"

#define RANK 5
#define SPARE 64 /* elements behind the last one */

static int full;

/* From element `offset` on. */
struct nest {
    int64_t extent[RANK], offset;
    int32_t axes[RANK], axis_count;
};

static tally_array array_of(const struct nest *nest, tally_type type, unsigned char *memory)
{
    tally_array a = tally_matrix(memory + (size_t)nest->offset * tally_type_size(type), type, 1, 1);
    int64_t stride = 1;
    a.rank = RANK;
    for (int d = RANK - 1; d >= 0; d--) {
        a.shape[d] = nest->extent[d];
        a.strides[d] = stride;
        stride *= nest->extent[d];
    }
    return a;
}

static int64_t elements_in(const struct nest *nest)
{
    int64_t elements = 1;
    for (int d = 0; d < RANK; d++) elements *= nest->extent[d];
    return elements;
}

static void compare_nest(tally_op op, tally_type type, const struct nest *nest)
{
    const int64_t *e = nest->extent;
    tally_array x = array_of(nest, type, room), like;
    tally_options options = TALLY_OPTIONS_INIT;
    if (!device_parted(op, type)) return;
    options.axes = nest->axes;
    options.axis_count = nest->axis_count;
    snprintf(where_text, sizeof where_text, "%s of %s, %d x %d x %d x %d x %d, offset %d, axes %d, %d ...",
             tally_op_name(op), tally_type_name(type), (int)e[0], (int)e[1], (int)e[2], (int)e[3], (int)e[4],
             (int)nest->offset, (int)nest->axes[0], (int)nest->axes[1]);
    test.section = where_text;
    CHECK(tally_result_like(TALLY_REDUCE, op, &x, &options, &like) == TALLY_OK);
    size_t each = tally_type_size(like.type), bytes = each;
    for (int32_t d = 0; d < like.rank; d++) bytes *= (size_t)like.shape[d];
    memset(want, 0xab, bytes + 16);
    memset(got, 0xab, bytes + 16);
    like.data = want;
    CHECK(tally_reduce(judge, op, &x, &like, &options) == TALLY_OK);
    CHECK(tally_copy(device, far, room, (size_t)(nest->offset + elements_in(nest)) * tally_type_size(type)) ==
          TALLY_OK);
    CHECK(tally_copy(device, far_out, got, bytes + 16) == TALLY_OK);
    x = array_of(nest, type, far);
    like.data = far_out;
    CHECK(tally_reduce(device, op, &x, &like, &options) == TALLY_OK);
    CHECK(tally_copy(device, got, far_out, bytes + 16) == TALLY_OK);
    device_same(got, want, bytes + 16, each);
}

/* Of about as many elements, and cells of rows of `last` elements. */
static void one_last(tally_op op, tally_type type, int64_t last, int64_t elements, int turn)
{
    static const int64_t cells[] = {2, 3, 8, 41, 100, 257, 600};
    int64_t many = cells[turn % 7], rows = elements / many / last;
    struct nest one = {{rows, 1, 1, many, last}, turn % 4 == 1 ? 1 + turn % 5 : 0, {0, 4}, 2};
    struct nest several = {{3, rows / 3 + 2, 1, many, last}, turn % 3 == 1, {1, 4}, 2};
    struct nest nested = {{7, 3, rows / 21 + 2, many, last}, 0, {0, 2, 4}, 3};
    if (full || turn % 3 < 2) compare_nest(op, type, &one);
    if (full || turn % 3 == 1) compare_nest(op, type, &several);
    if (full || turn % 3 == 2) compare_nest(op, type, &nested);
}

static void each_last(tally_op op, tally_type type, int64_t elements, int turn)
{
    static const int64_t bytes[] = {2, 3, 4, 6, 8, 12, 16, 17, 20, 24, 28, 31, 32};
    int64_t size = (int64_t)tally_type_size(type);
    for (int i = 0; i < 13; i++) {
        if (bytes[i] % size || bytes[i] / size < 2) continue;
        if (!full && (i + turn) % 3) continue;
        one_last(op, type, bytes[i] / size, elements, turn + i);
    }
}

static void all_operators(int64_t elements)
{
    static const struct {
        tally_op op;
        tally_type type;
    } few[] = {{TALLY_SUM, TALLY_I8},     {TALLY_MAX, TALLY_I8},    {TALLY_ANY, TALLY_I8},
               {TALLY_MEAN, TALLY_U8},    {TALLY_VAR, TALLY_U8},    {TALLY_COUNT_NONZERO, TALLY_I8},
               {TALLY_MIN, TALLY_I16},    {TALLY_SUM, TALLY_I32},   {TALLY_SUM, TALLY_I64},
               {TALLY_MAX, TALLY_F16},    {TALLY_MAX, TALLY_F32},   {TALLY_MIN, TALLY_F64},
               {TALLY_MINMAX, TALLY_F32}, {TALLY_MINMAX, TALLY_U8}, {TALLY_ARGMAX, TALLY_F32},
               {TALLY_ARGMIN, TALLY_F16}, {TALLY_ARGMAX, TALLY_I8}, {TALLY_ARGMIN, TALLY_F64},
               {TALLY_BIT_XOR, TALLY_U8}, {TALLY_NORM2, TALLY_F32}, {TALLY_NORM1, TALLY_I16}};
    for (int i = 0; i < (int)(sizeof few / sizeof *few); i++) {
        int ties = i % 2 || few[i].op == TALLY_ARGMAX || few[i].op == TALLY_ARGMIN;
        data_fill(few[i].type, ties ? DATA_TIES : DATA_ORDINARY, room, 2 * elements + SPARE);
        each_last(few[i].op, few[i].type, elements, i);
    }
}

static void exact_sums(int64_t elements)
{
    static const tally_type types[] = {TALLY_F32, TALLY_F64, TALLY_F16, TALLY_BF16};
    for (int t = 0; t < 4; t++) {
        data_fill(types[t], DATA_ORDINARY, room, 2 * elements + SPARE);
        each_last(TALLY_SUM, types[t], elements, t);
        patches_fill(types[t], room, 2 * elements + SPARE);
        each_last(TALLY_MEAN, types[t], elements, t + 1);
        data_fill(types[t], DATA_WIDE, room, 2 * elements + SPARE);
        one_last(TALLY_SUM, types[t], 3, elements, t);
    }
}

/* Columns, each relative to a number far from its neighbours'. */
static void variances(int64_t elements)
{
    static const tally_type types[] = {TALLY_F32, TALLY_F64, TALLY_F16, TALLY_BF16, TALLY_I32};
    for (int t = 0; t < 5; t++) {
        data_fill(types[t], DATA_ORDINARY, room, 2 * elements + SPARE);
        each_last(TALLY_VAR, types[t], elements, t);
        for (int64_t i = 0; i < elements && t < 4; i++)
            data_put_real(types[t], room, i, (double)(i % 3 * 64 + (int64_t)test_random_below(32)));
        each_last(TALLY_STD, types[t], elements, t + 1);
    }
}

/* A matrix of rows x columns elements becomes one whose cell's elements are a column's, some at each row. */
static void deal_columns(const void *from, size_t size, int64_t rows, int64_t columns, int64_t last)
{
    const unsigned char *x = from;
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t c = 0; c < columns; c++) {
            int64_t to = (r / last * columns + c) * last + r % last;
            memcpy(room + (size_t)to * size, x + (size_t)(r * columns + c) * size, size);
        }
    }
}

/* Sums that lie next to ties, that leave pairs of doubles, and of numbers that cancel each other; in one split and in
 * more. */
static void far_sums(void)
{
    enum { MOST_ROWS = 24000, COLUMNS = 24 };
    static double y[MOST_ROWS * COLUMNS];
    float *x = (float *)(void *)y;
    for (int i = 0; i < 6; i++) {
        int64_t last = 2 + i, rows = (i % 2 ? 2400 : MOST_ROWS) / last * last, columns = 3 + i * 4;
        struct nest nest = {{rows / last, 1, 1, columns, last}, 0, {0, 4}, 2};
        tied_columns_fill(x, rows, columns, columns);
        deal_columns(x, 4, rows, columns, last);
        compare_nest(TALLY_SUM, TALLY_F32, &nest);
        parted_columns_fill(x, rows, columns, columns);
        deal_columns(x, 4, rows, columns, last);
        compare_nest(TALLY_SUM, TALLY_F32, &nest);
        x = (float *)(void *)room;
        for (int64_t k = 0; k < rows * columns; k++) x[k] = k % 3 == 0 ? 0x1p60f : k % 3 == 1 ? 1 : -0x1p60f;
        compare_nest(TALLY_MEAN, TALLY_F32, &nest);
        x = (float *)(void *)y;
        if (last > 3) continue;
        for (int64_t k = 0; k < rows * columns; k++)
            y[k] = k / columns < rows / 3 ? 0x1p600 : k / columns < 2 * rows / 3 ? 1 : 0x1p-600;
        for (int64_t c = 0; c < columns; c++) y[(rows - 1) * columns + c] = c % 2 ? -0x1p600 : 0x1p-1000;
        deal_columns(y, 8, rows, columns, last);
        compare_nest(TALLY_SUM, TALLY_F64, &nest);
    }
}

int main(void)
{
    full = device_full();
    choose_processors("2");
    if (!device_open("cpu")) return test_left_out("device_merged", tally_last_error());
    make_room();
    int64_t elements = full ? 200000 : 30000;
    all_operators(elements);
    exact_sums(elements);
    variances(elements);
    far_sums();
    start_again("100");
    exact_sums(20 * elements);
    far_sums();
    device_close();
    return test_finish("device_merged");
}
