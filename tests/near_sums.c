/* SPDX-License-Identifier: MIT
 *
 * near_sums.c - sums of floats that the CPU engine adds up with a bound have the bits of the reference: numbers that
 * lie far apart, cancel, come next to ties that the smallest of them decides, and overflow on the way; whole arrays,
 * rows and columns of any length, results of other types. */
#include "hard_sums.h"
#include "patches.h"
#include "tied_columns.h"

#define ROOM (1 << 18) /* elements */

static tally_context *reference, *engines[2];
static const char *const devices[2] = {"cpu:1", "cpu:3"};
static _Alignas(64) unsigned char room[ROOM * 8], other[ROOM * 8], want[ROOM * 8], got[ROOM * 8];
static char where_text[200];

static const tally_type types[] = {TALLY_F32, TALLY_F64, TALLY_F16, TALLY_BF16};

/* axis -1: the whole. */
static void compare(tally_op op, tally_type type, tally_type result, int64_t rows, int64_t columns, int32_t axis)
{
    tally_array x = tally_matrix(room, type, rows, columns), y = tally_matrix(other, type, rows, columns), out;
    tally_options options = TALLY_OPTIONS_INIT;
    options.type = result;
    if (axis >= 0) options.axes = &axis, options.axis_count = 1;
    if (op == TALLY_DOT) options.second = &y;
    CHECK(tally_result_like(TALLY_REDUCE, op, &x, &options, &out) == TALLY_OK);
    int64_t cells = axis < 0 ? 1 : axis == 0 ? columns : rows;
    size_t bytes = (size_t)cells * tally_type_size(out.type);
    snprintf(where_text, sizeof where_text, "%s of %s to %s, %lld x %lld, axis %d", tally_op_name(op),
             tally_type_name(type), tally_type_name(out.type), (long long)rows, (long long)columns, (int)axis);
    test.section = where_text;
    out.data = want;
    CHECK(tally_reduce(reference, op, &x, &out, &options) == TALLY_OK);
    for (int e = 0; e < 2; e++) {
        memset(got, 0xab, bytes + 8);
        out.data = got;
        CHECK(tally_reduce(engines[e], op, &x, &out, &options) == TALLY_OK);
        CHECK(memcmp(got, want, bytes) == 0 && got[bytes] == 0xab);
    }
}

/* One kind of data in all shapes. */
static void all_shapes(tally_type type)
{
    static const struct {
        int64_t rows, columns;
        int32_t axis;
    } shapes[] = {{1, 70001, -1}, {1, 5000, -1}, {1, 17, -1},   {9, 300, 1},  {3, 9001, 1},  {40, 129, 1},
                  {70, 64, 1},    {300, 7, 1},   {8, 300, 0},   {300, 5, 0},  {2000, 33, 0}, {257, 256, 0},
                  {60000, 2, 0},  {3, 1000, 0},  {40000, 3, 0}, {2, 70000, 1}};
    static const tally_op ops[] = {TALLY_SUM, TALLY_MEAN, TALLY_NORM1, TALLY_DOT, TALLY_NORM2};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) {
            if (o > 0 && (s + o) % 3) continue;
            compare(ops[o], type, TALLY_DEFAULT_TYPE, shapes[s].rows, shapes[s].columns, shapes[s].axis);
        }
        tally_type result = type == TALLY_F64 ? TALLY_F32 : TALLY_F64;
        if (s % 2) compare(TALLY_SUM, type, result, shapes[s].rows, shapes[s].columns, shapes[s].axis);
    }
}

/* Rows of few numbers that one lane of a vector adds up, of which the smallest decides; some between others that are
 * far larger and cancel. */
static void deciding(tally_type type, int with_large)
{
    const double large = !with_large ? 0 : type == TALLY_F64 ? 0x1p1000 : type == TALLY_F16 ? 0x1p15 : 0x1p100;
    const double small = type == TALLY_F64 ? 0x1p-1074 : type == TALLY_F16 ? 0x1p-24 : 0x1p-133;
    const double half = type == TALLY_F64   ? 0x1p-53
                        : type == TALLY_F32 ? 0x1p-24
                        : type == TALLY_F16 ? 0x1p-11
                                            : 0x1p-8;
    for (int64_t i = 0; i < ROOM; i++) {
        const int64_t at = i % 3000;
        const double few[] = {large, 1, half, i / 3000 % 3 ? (i / 3000 % 3 - 1.5) * 2 * small : 0, -large};
        double x = at % 512 == 7 && at < 5 * 512 ? few[at / 512] : 0;
        float single = (float)x;
        uint16_t narrow = data_half(x, type == TALLY_F16 ? 5 : 8);
        if (type == TALLY_F64) memcpy(room + 8 * i, &x, 8);
        else if (type == TALLY_F32) memcpy(room + 4 * i, &single, 4);
        else memcpy(room + 2 * i, &narrow, 2);
    }
    memcpy(other, room, sizeof room);
    compare(TALLY_SUM, type, TALLY_DEFAULT_TYPE, 80, 3000, 1);
    compare(TALLY_SUM, type, TALLY_F64, 80, 3000, 1);
    compare(TALLY_MEAN, type, TALLY_DEFAULT_TYPE, 80, 3000, 1);
    compare(TALLY_SUM, type, TALLY_DEFAULT_TYPE, 6000, 40, 0);
    compare(TALLY_SUM, type, TALLY_DEFAULT_TYPE, 1, ROOM, -1);
    all_shapes(type);
}

static void one_type(tally_type type)
{
    for (int kind = 0; kind < HARD_KINDS; kind++) {
        hard_fill(type, kind, room, ROOM);
        hard_fill(type, (kind + 16) % HARD_KINDS, other, ROOM);
        all_shapes(type);
    }
    for (int kind = 0; kind < DATA_KINDS; kind++) {
        data_fill(type, (enum data_kind)kind, room, ROOM);
        all_shapes(type);
    }
    patches_fill(type, room, ROOM);
    patches_fill(type, other, ROOM);
    all_shapes(type);
    deciding(type, 0);
    deciding(type, 1);
}

int main(void)
{
    CHECK(tally_open("reference", &reference) == TALLY_OK);
    for (int e = 0; e < 2; e++) CHECK(tally_open(devices[e], &engines[e]) == TALLY_OK);
    for (int t = 0; t < 4; t++) one_type(types[t]);
    float *x = (float *)(void *)room;
    tied_columns_fill(x, 8000, 31, 31);
    compare(TALLY_SUM, TALLY_F32, TALLY_DEFAULT_TYPE, 8000, 31, 0);
    for (int64_t r = 0; r < 30; r++) tied_columns_fill(x + r * 8000, 8000, 1, 1);
    compare(TALLY_SUM, TALLY_F32, TALLY_DEFAULT_TYPE, 30, 8000, 1);
    compare(TALLY_MEAN, TALLY_F32, TALLY_DEFAULT_TYPE, 30, 8000, 1);
    parted_columns_fill(x, 4000, 60, 60);
    compare(TALLY_SUM, TALLY_F32, TALLY_DEFAULT_TYPE, 4000, 60, 0);
    for (int e = 0; e < 2; e++) tally_close(engines[e]);
    tally_close(reference);
    return test_finish("near_sums");
}
