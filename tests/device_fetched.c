/* SPDX-License-Identifier: MIT
 *
 * device_fetched.c - reductions down columns of rows that begin anywhere and come by way of shared memory
 * (kernels/reduce_strips/strip_fetched.cuh) give the bits of the CPU engine: threads that have all rows of their
 * columns, of one matrix and several, of nests of loops, with gaps, from any element on; rows of one matrix that are
 * split; sums that lie next to ties, or that no pair of doubles holds, infinities and NaN. TALLY_TEST_DEVICE   the
 * device (simt) TALLY_TEST_FULL     all combinations, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#define ROOM (288 << 20)
#include "device_boxes.h"
#include "patches.h"
#include "tied_columns.h"

#define SPARE 64        /* elements behind the last one */
#define TILE_BYTES 4096 /* of a row, that a block has at once */
#define SIMULATED "2"   /* processors */

static int full;

enum filling { FILL_PATCHES = DATA_KINDS };

/* All memory that is used, with a period that no row has. */
static void fill(tally_type type, int kind)
{
    size_t size = tally_type_size(type), period = 1000003 * size, all = full ? ROOM : (size_t)80 << 20;
    if (kind == FILL_PATCHES) patches_fill(type, room, 1000003);
    else data_fill(type, (enum data_kind)kind, room, 1000003);
    for (size_t at = period; at < all; at += period) memcpy(room + at, room, all - at < period ? all - at : period);
}

static int64_t slots; /* tiles that the device goes through at once, at most */

/* Columns of `share` percent of as many rows as all blocks go through at once. */
static int64_t columns_of(tally_type type, int64_t outer, int64_t share)
{
    return slots * TILE_BYTES * share / 100 / (int64_t)tally_type_size(type) / outer | 1;
}

static void compare(tally_op op, tally_type type, const struct shape *s)
{
    if ((int64_t)ROOM < (elements_of(s) + SPARE) * (int64_t)tally_type_size(type)) return;
    compare_axis(op, type, s, 1);
}

/* One matrix and several, rows of which the last bundle is whole and is not, that begin inside of words and only where
 * words do, with a gap and without. */
static void whole_columns(tally_op op, tally_type type)
{
    int64_t size = (int64_t)tally_type_size(type), offset = 1 + (int64_t)test_random_below(15);
    const struct shape shapes[] = {{1, 97, columns_of(type, 1, 85), 0, offset},
                                   {3, 104, columns_of(type, 3, 130), 0, 0},
                                   {2, 131, columns_of(type, 2, 180), 0, offset},
                                   {2, 100, (columns_of(type, 2, 95) & ~(int64_t)7) + 4 / size + size / 8, 0, 0},
                                   {1, 300, columns_of(type, 1, 150) + 2, 1, 1}};
    for (int i = 0; i < (int)(sizeof shapes / sizeof *shapes); i++) {
        if (!full && (i + (int)op + (int)type) % 3) continue;
        compare(op, type, &shapes[i]);
    }
}

static const struct {
    tally_op op;
    tally_type type;
} folds[] = {{TALLY_SUM, TALLY_I8},   {TALLY_MAX, TALLY_I8},           {TALLY_MIN, TALLY_U8},  {TALLY_MEAN, TALLY_I8},
             {TALLY_ANY, TALLY_BOOL}, {TALLY_COUNT_NONZERO, TALLY_U8}, {TALLY_SUM, TALLY_I16}, {TALLY_MAX, TALLY_U16},
             {TALLY_MAX, TALLY_F16},  {TALLY_MIN, TALLY_BF16},         {TALLY_MAX, TALLY_F32}, {TALLY_SUM, TALLY_I32},
             {TALLY_MIN, TALLY_I32},  {TALLY_SUM, TALLY_I64},          {TALLY_ALL, TALLY_F32}, {TALLY_MEAN, TALLY_I16}};
static const tally_type floats[] = {TALLY_F16, TALLY_BF16, TALLY_F32, TALLY_F64};
static const tally_op sums[] = {TALLY_SUM, TALLY_MEAN, TALLY_NORM1};
enum { FOLDS = sizeof folds / sizeof *folds };

static void all_whole_columns(void)
{
    for (int i = 0; i < FOLDS; i++) {
        fill(folds[i].type, i % 2 ? DATA_TIES : DATA_ORDINARY);
        whole_columns(folds[i].op, folds[i].type);
    }
    for (int t = 0; t < 4; t++) {
        static const int kinds[] = {DATA_ORDINARY, DATA_WIDE, DATA_SPECIAL, FILL_PATCHES};
        for (int kind = 0; kind < 4; kind++) {
            fill(floats[t], kinds[kind]);
            whole_columns(sums[(t + kind) % 3], floats[t]);
        }
    }
}

/* Sums of which pairs of doubles leave open how they round, and those that they do not hold. */
static void ties(void)
{
    float *x = (float *)(void *)room;
    struct shape s = {1, 120, columns_of(TALLY_F32, 1, 90), 0, 3};
    tied_columns_fill(x + s.offset, s.rows, s.columns, s.columns);
    compare(TALLY_SUM, TALLY_F32, &s);
    parted_columns_fill(x + s.offset, s.rows, s.columns, s.columns);
    compare(TALLY_SUM, TALLY_F32, &s);
    double *y = (double *)(void *)room;
    struct shape d = {1, 120, columns_of(TALLY_F64, 1, 90), 0, 1};
    for (int64_t i = 0; i < d.offset + d.rows * d.columns; i++) y[i] = (double)(i % 7) - 3;
    for (int64_t c = 0; c < d.columns; c += 11) {
        static const double far_apart[] = {0x1p1000, 1, 0x1p-1000, -0x1p1000, 0x1p-1040};
        for (int64_t k = 0; k < 5; k++) y[d.offset + (c % 20 + 19 * k) * d.columns + c] = far_apart[k];
    }
    compare(TALLY_SUM, TALLY_F64, &d);
}

/* Over the first and the third of four axes. */
static void compare_nest(tally_op op, tally_type type, const int64_t *shape)
{
    static const int32_t axes[] = {0, 2};
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array x = tally_vector(room, type, shape[0] * shape[1] * shape[2] * shape[3]), out;
    if (!device_parted(op, type) || x.shape[0] * (int64_t)tally_type_size(type) > ROOM) return;
    options.axes = axes;
    options.axis_count = 2;
    x.rank = 4;
    for (int d = 3; d >= 0; d--) {
        x.shape[d] = shape[d];
        x.strides[d] = d == 3 ? 1 : x.strides[d + 1] * shape[d + 1];
    }
    CHECK(tally_result_like(TALLY_REDUCE, op, &x, &options, &out) == TALLY_OK);
    size_t each = tally_type_size(out.type), bytes = (size_t)(out.shape[0] * out.shape[1]) * each;
    snprintf(where_text, sizeof where_text, "%s of %s, %lld x %lld x %lld x %lld", tally_op_name(op),
             tally_type_name(type), (long long)shape[0], (long long)shape[1], (long long)shape[2], (long long)shape[3]);
    test.section = where_text;
    out.data = want;
    CHECK(tally_reduce(judge, op, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, far, room, (size_t)(x.shape[0] * x.strides[0]) * tally_type_size(type)) == TALLY_OK);
    x.data = far;
    out.data = far_out;
    CHECK(tally_reduce(device, op, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, got, far_out, bytes) == TALLY_OK);
    device_same(got, want, bytes, each);
}

static void nests(void)
{
    for (int i = 0; i < FOLDS + 4; i++) {
        tally_op op = i < FOLDS ? folds[i].op : TALLY_SUM;
        tally_type type = i < FOLDS ? folds[i].type : floats[i - FOLDS];
        if (!full && i % 3 && i < FOLDS) continue;
        fill(type, DATA_ORDINARY);
        compare_nest(op, type, (const int64_t[]){2, 2, 99, columns_of(type, 2, 96)});
        compare_nest(op, type, (const int64_t[]){3, 3, 128, columns_of(type, 3, 74) + 1});
    }
}

/* Rows of one matrix that are split. */
static void long_columns(void)
{
    static const struct {
        tally_op op;
        tally_type type;
    } few[] = {{TALLY_SUM, TALLY_I8},  {TALLY_MAX, TALLY_I8},   {TALLY_SUM, TALLY_I16}, {TALLY_SUM, TALLY_F16},
               {TALLY_SUM, TALLY_F32}, {TALLY_MEAN, TALLY_I32}, {TALLY_SUM, TALLY_F64}, {TALLY_SUM, TALLY_BF16}};
    for (int i = 0; i < (int)(sizeof few / sizeof *few); i++) {
        int64_t size = (int64_t)tally_type_size(few[i].type);
        if (!full && size > 2) continue;
        fill(few[i].type, i % 2 ? FILL_PATCHES : DATA_ORDINARY);
        compare(few[i].op, few[i].type, &(struct shape){1, 2051, 16385 + 2 * i, 0, i});
        if (full) compare(few[i].op, few[i].type, &(struct shape){1, 2600, 20002, 1, 0});
    }
}

int main(void)
{
    full = device_full();
    setenv("TALLY_SIMT_SHARED", DEVICE_H100_SHARED, 1);
    choose_processors(SIMULATED);
    if (!device_open("cpu")) return test_left_out("device_fetched", tally_last_error());
    tally_device about = {.size = sizeof about};
    CHECK(tally_device_info(device, &about) == TALLY_OK);
    slots = 2 * about.threads;
    make_room();
    all_whole_columns();
    ties();
    nests();
    long_columns();
    device_close();
    return test_finish("device_fetched");
}
