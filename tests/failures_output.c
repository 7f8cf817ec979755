/* SPDX-License-Identifier: MIT
 *
 * failures_output.c - refused outputs and operands (shapes, types, overlap, read-only), cells without elements, and
 * results outside their type: status, text, and no byte written. */
#include "failing.h"

static tally_context *engines[3];
static double x[128];
static _Alignas(64) unsigned char out_room[4096];
static unsigned char mask[128];

static void refuse(tally_op op, const tally_array *input, const tally_array *output, const tally_options *options,
                   tally_status want, const char *words)
{
    for (int e = 0; e < 3; e++) {
        memset(out_room, 0xa5, sizeof out_room);
        CHECK_REFUSED(tally_reduce(engines[e], op, input, output, options), want, words);
        CHECK(untouched(out_room, sizeof out_room));
    }
}

static void refuse_scan(tally_op op, const tally_array *input, const tally_array *output, const tally_options *options,
                        tally_status want, const char *words)
{
    for (int e = 0; e < 3; e++) {
        memset(out_room, 0xa5, sizeof out_room);
        CHECK_REFUSED(tally_scan(engines[e], op, input, output, options), want, words);
        CHECK(untouched(out_room, sizeof out_room));
    }
}

static void accept(tally_op op, const tally_array *input, const tally_array *output, const tally_options *options)
{
    for (int e = 0; e < 3; e++) CHECK_EQUAL_I64(tally_reduce(engines[e], op, input, output, options), TALLY_OK);
}

static void shapes_and_types(void)
{
    tally_options options = TALLY_OPTIONS_INIT;
    int32_t axis = 1;
    tally_array v = tally_matrix(x, TALLY_F64, 4, 2), out = tally_vector(out_room, TALLY_F64, 3);
    options.axes = &axis, options.axis_count = 1;
    refuse(TALLY_SUM, &v, &out, &options, TALLY_INVALID_ARGUMENT, "output|shape (3,)|(4,)");
    out = tally_matrix(out_room, TALLY_F64, 4, 1);
    refuse(TALLY_SUM, &v, &out, &options, TALLY_INVALID_ARGUMENT, "output|(4, 1)|(4,)");
    options.flags = TALLY_KEEPDIMS;
    accept(TALLY_SUM, &v, &out, &options);
    out = tally_vector(out_room, TALLY_F64, 4);
    refuse(TALLY_SUM, &v, &out, &options, TALLY_INVALID_ARGUMENT, "output|(4,)|(4, 1)");
    options.flags = 0;
    out.type = TALLY_F32;
    refuse(TALLY_SUM, &v, &out, &options, TALLY_INVALID_ARGUMENT, "output|f32|f64");
    out = tally_vector(out_room, TALLY_F64, 4);
    out.flags = TALLY_READ_ONLY;
    refuse(TALLY_SUM, &v, &out, &options, TALLY_INVALID_ARGUMENT, "output|read-only");
    refuse_scan(TALLY_SUM, &v, &out, &options, TALLY_INVALID_ARGUMENT, "output|(4,)|(4, 2)");
    out = tally_matrix(out_room, TALLY_F64, 4, 2);
    out.flags = TALLY_READ_ONLY;
    refuse_scan(TALLY_SUM, &v, &out, &options, TALLY_INVALID_ARGUMENT, "output|read-only");
    v.flags = TALLY_READ_ONLY;
    out.flags = 0;
    CHECK(tally_scan(engines[0], TALLY_SUM, &v, &out, &options) == TALLY_OK); /* inputs may be read-only */
    out = tally_vector(out_room, TALLY_F64, 4);
    out.data = NULL;
    refuse(TALLY_SUM, &v, &out, &options, TALLY_INVALID_ARGUMENT, "output|NULL");
    out.data = out_room + 1;
    refuse(TALLY_SUM, &v, &out, &options, TALLY_INVALID_ARGUMENT, "output|align");
    out.data = out_room;
    out.rank = 9;
    refuse(TALLY_SUM, &v, &out, &options, TALLY_INVALID_ARGUMENT, "output|rank|9");
}

static void repeated_strides(void)
{
    tally_options options = TALLY_OPTIONS_INIT;
    int64_t shape[3] = {4, 2, 3};
    tally_array v = tally_shaped(x, TALLY_F64, 3, shape), out = tally_shaped(out_room, TALLY_F64, 3, shape);
    int32_t none = 0;
    options.axes = &none, options.axis_count = 0;
    accept(TALLY_SUM, &v, &out, &options);
    static const int64_t wrong[][3] = {{0, 3, 1}, {6, 0, 1}, {6, 3, 0},   {1, 1, 1},
                                       {5, 3, 1}, {6, 2, 1}, {-5, 3, -1}, {6, -3, 3}};
    for (int i = 0; i < 8; i++) {
        memcpy(out.strides, wrong[i], sizeof wrong[i]);
        refuse(TALLY_SUM, &v, &out, &options, TALLY_INVALID_ARGUMENT, "output|stride|two indices");
    }
    static const int64_t right[][3] = {{1, 4, 8}, {-6, 3, 1}, {12, 6, 2}, {3, 12, 1}, {7, 100, -2}};
    for (int i = 0; i < 5; i++) {
        memcpy(out.strides, right[i], sizeof right[i]);
        out.data = out_room + 1024;
        accept(TALLY_SUM, &v, &out, &options);
    }
    int64_t ones[3] = {1, 1, 3}; /* strides of axes of length 1 do not matter */
    v = tally_shaped(x, TALLY_F64, 3, ones), out = tally_shaped(out_room, TALLY_F64, 3, ones);
    out.strides[0] = out.strides[1] = 0;
    accept(TALLY_SUM, &v, &out, &options);
}

static void operands(void)
{
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array v = tally_matrix(x, TALLY_F64, 4, 6), out = tally_shaped(out_room, TALLY_F64, 0, NULL);
    tally_array where = tally_vector(mask, TALLY_BOOL, 4), second = tally_vector(x, TALLY_F64, 4);
    options.where = &where;
    refuse(TALLY_SUM, &v, &out, &options, TALLY_INVALID_ARGUMENT, "options.where|(4,)|(4, 6)");
    where = tally_vector(mask, TALLY_U8, 6);
    refuse(TALLY_SUM, &v, &out, &options, TALLY_INVALID_ARGUMENT, "options.where|u8|bool");
    int64_t shape[3] = {1, 4, 6};
    where = tally_shaped(mask, TALLY_BOOL, 3, shape);
    refuse(TALLY_SUM, &v, &out, &options, TALLY_INVALID_ARGUMENT, "options.where|(1, 4, 6)");
    where = tally_vector(NULL, TALLY_BOOL, 6);
    refuse(TALLY_SUM, &v, &out, &options, TALLY_INVALID_ARGUMENT, "options.where|NULL");
    where = tally_matrix(mask, TALLY_BOOL, 4, 1);
    accept(TALLY_SUM, &v, &out, &options);
    options.where = NULL, options.second = &second;
    refuse(TALLY_DOT, &v, &out, &options, TALLY_INVALID_ARGUMENT, "options.second|(4,)|(4, 6)");
    second = tally_vector(x, TALLY_F32, 6);
    refuse(TALLY_DOT, &v, &out, &options, TALLY_INVALID_ARGUMENT, "options.second|f32|f64");
    second = tally_vector(x, TALLY_F64, 6);
    accept(TALLY_DOT, &v, &out, &options);
}

static void overlaps(void)
{
    tally_options options = TALLY_OPTIONS_INIT;
    double *room = (double *)(void *)out_room;
    int32_t axis = 1;
    tally_array v = tally_matrix(room, TALLY_F64, 4, 8), out, where, second;
    options.axes = &axis, options.axis_count = 1;
    for (int at = -3; at <= 31; at += 17) {
        v.data = room + 8;
        out = tally_vector(room + 8 + at, TALLY_F64, 4);
        refuse(TALLY_SUM, &v, &out, &options, TALLY_OVERLAP, "output|input");
    }
    out = tally_vector(room + 40, TALLY_F64, 4);
    memset(out_room, 0, sizeof out_room);
    accept(TALLY_SUM, &v, &out, &options);
    out = tally_vector(room + 4, TALLY_F64, 4);
    accept(TALLY_SUM, &v, &out, &options);
    v.shape[1] = 7, v.strides[0] = 8; /* the column between the rows is free */
    out = tally_vector(room + 15, TALLY_F64, 4), out.strides[0] = 8;
    accept(TALLY_SUM, &v, &out, &options);
    out.data = room + 14;
    refuse(TALLY_SUM, &v, &out, &options, TALLY_OVERLAP, "output|input");
    v = tally_matrix(x, TALLY_F64, 4, 8);
    out = tally_vector(room, TALLY_F64, 4);
    where = tally_vector(out_room + 31, TALLY_BOOL, 8);
    options.where = &where;
    refuse(TALLY_SUM, &v, &out, &options, TALLY_OVERLAP, "output|options.where");
    options.where = NULL;
    second = tally_vector(room + 3, TALLY_F64, 8);
    options.second = &second;
    refuse(TALLY_DOT, &v, &out, &options, TALLY_OVERLAP, "output|options.second");
}

static void scans_in_place(void)
{
    tally_options options = TALLY_OPTIONS_INIT;
    int64_t *room = (int64_t *)(void *)out_room;
    for (int e = 0; e < 3; e++) {
        for (int i = 0; i < 20; i++) room[i] = i;
        tally_array v = tally_vector(room, TALLY_I64, 20), u = v;
        u.type = TALLY_U64;
        CHECK(tally_scan(engines[e], TALLY_SUM, &v, &v, NULL) == TALLY_OK && room[19] == 190 && room[3] == 6);
        options.type = TALLY_U64;
        CHECK_EQUAL_I64(tally_scan(engines[e], TALLY_SUM, &v, &u, &options), TALLY_OK);
        CHECK_EQUAL_I64(room[2], 4);
        options.type = 0;
    }
    tally_array v = tally_vector(room, TALLY_I64, 20), out = tally_vector(room + 1, TALLY_I64, 20);
    refuse_scan(TALLY_SUM, &v, &out, NULL, TALLY_OVERLAP, "output|input");
    out = tally_vector(room - 0, TALLY_I64, 20), out.strides[0] = -1, out.data = room + 19;
    refuse_scan(TALLY_SUM, &v, &out, NULL, TALLY_OVERLAP, "output|input");
    v = tally_vector(room, TALLY_I32, 20), out = tally_vector(room, TALLY_I64, 20);
    refuse_scan(TALLY_SUM, &v, &out, NULL, TALLY_OVERLAP, "output|input");
    v = tally_vector(room, TALLY_I64, 10), v.strides[0] = 2; /* even elements in, odd ones out */
    out = tally_vector(room + 1, TALLY_I64, 10), out.strides[0] = 2;
    for (int e = 0; e < 3; e++) CHECK(tally_scan(engines[e], TALLY_SUM, &v, &out, NULL) == TALLY_OK);
}

static void cells_without_elements(void)
{
    static const tally_op ops[] = {TALLY_MIN,    TALLY_MAX,   TALLY_ARGMIN, TALLY_ARGMAX,
                                   TALLY_MINMAX, TALLY_FIRST, TALLY_LAST};
    tally_array like;
    for (int i = 0; i < 7; i++) {
        tally_options options = TALLY_OPTIONS_INIT;
        int32_t axis = 0;
        int64_t initial[2] = {0, 0}, shape[3] = {3, 2, 2};
        tally_array none = tally_matrix(NULL, TALLY_F64, 0, 3), where = tally_matrix(mask, TALLY_BOOL, 3, 1), out;
        options.axes = &axis, options.axis_count = 1;
        tally_type result = ops[i] == TALLY_ARGMIN || ops[i] == TALLY_ARGMAX ? TALLY_I64 : TALLY_F64;
        out = tally_shaped(out_room, result, ops[i] == TALLY_MINMAX ? 2 : 1, shape);
        refuse(ops[i], &none, &out, &options, TALLY_EMPTY, tally_op_name(ops[i]));
        CHECK_REFUSED(tally_result_like(TALLY_REDUCE, ops[i], &none, &options, &like), TALLY_EMPTY, "initial");
        options.initial = initial;
        accept(ops[i], &none, &out, &options);
        options.initial = NULL;
        axis = 1; /* no cells at all */
        out.shape[0] = 0;
        accept(ops[i], &none, &out, &options);
        tally_array v = tally_matrix(x, TALLY_F64, 3, 5);
        memset(mask, 1, 3), mask[1] = 0; /* one cell of three is masked out */
        options.where = &where;
        out.shape[0] = 3;
        CHECK(tally_result_like(TALLY_REDUCE, ops[i], &v, &options, &like) == TALLY_OK);
        refuse(ops[i], &v, &out, &options, TALLY_EMPTY, tally_op_name(ops[i]));
        options.initial = initial;
        accept(ops[i], &v, &out, &options);
    }
    double nans[2] = {NAN, NAN};
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array v = tally_vector(nans, TALLY_F64, 2), out = tally_shaped(out_room, TALLY_I64, 0, NULL);
    options.flags = TALLY_SKIP_NAN;
    refuse(TALLY_ARGMIN, &v, &out, &options, TALLY_EMPTY, "argmin");
}

/* An integer that the type just holds, and one more. */
static void overflow_of(tally_type type)
{
    int bits = (int)tally_type_size(type) * 8, is_signed = type <= TALLY_I64;
    uint64_t top = is_signed ? (1ull << (bits - 1)) - 1 : bits == 64 ? UINT64_MAX : (1ull << bits) - 1;
    size_t size = tally_type_size(type);
    unsigned char two[16] = {0}, one[16] = {0}, initial[8] = {0};
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array v = tally_vector(two, type, 2), ones = tally_vector(one, type, 2),
                out = tally_shaped(out_room, type, 0, NULL);
    options.flags = TALLY_CHECK_OVERFLOW;
    options.type = type;
    uint64_t some = 1;
    memcpy(two, &top, size), memcpy(one, &some, size), memcpy(one + size, &some, size);
    accept(TALLY_SUM, &v, &out, &options);
    CHECK(memcmp(out_room, two, size) == 0);
    memcpy(two + size, &some, size);
    refuse(TALLY_SUM, &v, &out, &options, TALLY_OVERFLOW, tally_type_name(type));
    options.second = &ones;
    refuse(TALLY_DOT, &v, &out, &options, TALLY_OVERFLOW, "dot");
    options.second = NULL;
    accept(TALLY_PROD, &v, &out, &options);
    some = 2, memcpy(two + size, &some, size);
    refuse(TALLY_PROD, &v, &out, &options, TALLY_OVERFLOW, "prod");
    tally_array running = tally_vector(out_room, type, 2);
    refuse_scan(TALLY_SUM, &v, &running, &options, TALLY_OVERFLOW, tally_type_name(type));
    refuse_scan(TALLY_PROD, &v, &running, &options, TALLY_OVERFLOW, "prod");
    some = 0, memcpy(two + size, &some, size); /* a zero makes the product fit, a negative one the sum */
    accept(TALLY_PROD, &v, &out, &options);
    memcpy(initial, one, size);
    options.initial = initial;
    refuse(TALLY_SUM, &v, &out, &options, TALLY_OVERFLOW, "sum");
    if (!is_signed) return;
    some = UINT64_MAX, memcpy(two + size, &some, size);
    accept(TALLY_SUM, &v, &out, &options);
    options.initial = NULL;
    top = 1ull << (bits - 1), memcpy(two, &top, size); /* the smallest times -1 */
    refuse(TALLY_PROD, &v, &out, &options, TALLY_OVERFLOW, "prod");
    some = 1, memcpy(two + size, &some, size);
    accept(TALLY_PROD, &v, &out, &options);
}

static void overflow_of_one_cell(void)
{
    tally_options options = TALLY_OPTIONS_INIT;
    int32_t axis = 1;
    int8_t small[6][2] = {{1, 2}, {3, 4}, {5, 6}, {100, 28}, {1, 1}, {0, 0}};
    tally_array v = tally_matrix(small, TALLY_I8, 6, 2), out = tally_vector(out_room, TALLY_I8, 6);
    options.axes = &axis, options.axis_count = 1;
    options.type = TALLY_I8;
    options.flags = TALLY_CHECK_OVERFLOW;
    refuse(TALLY_SUM, &v, &out, &options, TALLY_OVERFLOW, "i8");
    refuse(TALLY_PROD, &v, &out, &options, TALLY_OVERFLOW, "i8");
    options.type = TALLY_U8;
    out.type = TALLY_U8;
    accept(TALLY_SUM, &v, &out, &options);
    small[4][0] = -2;
    refuse(TALLY_SUM, &v, &out, &options, TALLY_OVERFLOW, "u8");
}

int main(void)
{
    static const char *const devices[] = {"cpu:1", "cpu:3", "reference"};
    for (int e = 0; e < 3; e++) CHECK(tally_open(devices[e], &engines[e]) == TALLY_OK);
    memset(mask, 1, sizeof mask);
    CASE("shapes and types") shapes_and_types();
    CASE("repeated strides") repeated_strides();
    CASE("operands") operands();
    CASE("overlaps") overlaps();
    CASE("scans in place") scans_in_place();
    CASE("cells without elements") cells_without_elements();
    CASE("overflow")
    {
        for (tally_type type = TALLY_I8; type <= TALLY_U64; type++) overflow_of(type);
        overflow_of_one_cell();
    }
    for (int e = 0; e < 3; e++) tally_close(engines[e]);
    return test_finish("failures_output");
}
