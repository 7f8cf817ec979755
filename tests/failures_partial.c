/* SPDX-License-Identifier: MIT
 *
 * failures_partial.c - misuse of partials and carries, wrong merges, and packed bytes that were changed: refused with
 * a text that says why, or harmless. */
#include "data.h"
#include "failing.h"

static tally_context *context;
static double x[9000];
static _Alignas(64) unsigned char out_room[256];

static tally_partial *made(tally_op op, tally_type type, const tally_options *options)
{
    tally_partial *partial = NULL;
    CHECK_EQUAL_I64(tally_partial_new(context, op, type, 0, NULL, options, &partial), TALLY_OK);
    return partial;
}

static void wrong_new(void)
{
    tally_partial *partial = NULL;
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array v = tally_vector(x, TALLY_F64, 8);
    int64_t cells[9] = {1, -1, 3};
    CHECK_REFUSED(tally_partial_new(NULL, TALLY_SUM, TALLY_F64, 0, NULL, NULL, &partial), TALLY_INVALID_ARGUMENT,
                  "context");
    CHECK_REFUSED(tally_partial_new(context, TALLY_SUM, TALLY_F64, 0, NULL, NULL, NULL), TALLY_INVALID_ARGUMENT,
                  "partial");
    CHECK_REFUSED(tally_partial_new(context, 99, TALLY_F64, 0, NULL, NULL, &partial), TALLY_INVALID_ARGUMENT, "op|99");
    CHECK_REFUSED(tally_partial_new(context, TALLY_SUM, 0, 0, NULL, NULL, &partial), TALLY_INVALID_ARGUMENT, "type|0");
    CHECK_REFUSED(tally_partial_new(context, TALLY_SUM, 99, 0, NULL, NULL, &partial), TALLY_INVALID_ARGUMENT,
                  "type|99");
    CHECK_REFUSED(tally_partial_new(context, TALLY_MIN, TALLY_C64, 0, NULL, NULL, &partial), TALLY_UNSUPPORTED,
                  "min of c64");
    CHECK_REFUSED(tally_partial_new(context, TALLY_SUM, TALLY_F64, 9, cells, NULL, &partial), TALLY_INVALID_ARGUMENT,
                  "rank|9");
    CHECK_REFUSED(tally_partial_new(context, TALLY_SUM, TALLY_F64, -1, cells, NULL, &partial), TALLY_INVALID_ARGUMENT,
                  "rank|-1");
    CHECK_REFUSED(tally_partial_new(context, TALLY_SUM, TALLY_F64, 1, NULL, NULL, &partial), TALLY_INVALID_ARGUMENT,
                  "cells|NULL");
    CHECK_REFUSED(tally_partial_new(context, TALLY_SUM, TALLY_F64, 2, cells, NULL, &partial), TALLY_INVALID_ARGUMENT,
                  "cells[1]|-1");
    cells[0] = cells[1] = 1ll << 40;
    CHECK_REFUSED(tally_partial_new(context, TALLY_SUM, TALLY_F64, 2, cells, NULL, &partial), TALLY_OUT_OF_MEMORY,
                  "cells");
    options.second = &v;
    CHECK_REFUSED(tally_partial_new(context, TALLY_DOT, TALLY_F64, 0, NULL, &options, &partial), TALLY_INVALID_ARGUMENT,
                  "options.second");
    options.second = NULL, options.where = &v;
    CHECK_REFUSED(tally_partial_new(context, TALLY_SUM, TALLY_F64, 0, NULL, &options, &partial), TALLY_INVALID_ARGUMENT,
                  "options.where");
    options.where = NULL, options.position = 100;
    CHECK_REFUSED(tally_partial_new(context, TALLY_PROD, TALLY_F64, 0, NULL, &options, &partial),
                  TALLY_INVALID_ARGUMENT, "options.position|100|4096");
    options.flags = TALLY_PLAIN;
    CHECK_REFUSED(tally_partial_new(context, TALLY_SUM, TALLY_F32, 0, NULL, &options, &partial), TALLY_INVALID_ARGUMENT,
                  "options.position|100|4096");
    options.position = -4096;
    CHECK_REFUSED(tally_partial_new(context, TALLY_SUM, TALLY_F32, 0, NULL, &options, &partial), TALLY_INVALID_ARGUMENT,
                  "options.position|-4096");
    options.position = 0, options.flags = TALLY_REVERSE;
    CHECK_REFUSED(tally_partial_new(context, TALLY_SUM, TALLY_F32, 0, NULL, &options, &partial), TALLY_INVALID_ARGUMENT,
                  "options.flags|0x20");
    CHECK(partial == NULL);
    CHECK(tally_partial_free(NULL) == TALLY_OK && tally_scan_carry_free(NULL) == TALLY_OK);
}

static void check_sum(tally_partial *partial, double want)
{
    double got = -1;
    tally_array out = tally_shaped(&got, TALLY_F64, 0, NULL);
    CHECK_EQUAL_I64(tally_partial_finish(partial, &out), TALLY_OK);
    CHECK(got == want);
}

static void wrong_add(void)
{
    tally_partial *sum = made(TALLY_SUM, TALLY_F64, NULL), *dot = made(TALLY_DOT, TALLY_F64, NULL);
    tally_array v = tally_vector(x, TALLY_F64, 8), w = tally_vector(x, TALLY_F32, 8),
                mask = tally_vector(x, TALLY_BOOL, 7);
    CHECK(tally_partial_add(sum, &v, NULL, NULL) == TALLY_OK);
    CHECK_REFUSED(tally_partial_add(NULL, &v, NULL, NULL), TALLY_INVALID_ARGUMENT, "partial");
    CHECK_REFUSED(tally_partial_add(sum, NULL, NULL, NULL), TALLY_INVALID_ARGUMENT, "input");
    CHECK_REFUSED(tally_partial_add(sum, &w, NULL, NULL), TALLY_INVALID_ARGUMENT, "input|f32|f64");
    CHECK_REFUSED(tally_partial_add(sum, &v, &v, NULL), TALLY_UNSUPPORTED, "second|sum");
    CHECK_REFUSED(tally_partial_add(dot, &v, NULL, NULL), TALLY_INVALID_ARGUMENT, "second|dot");
    CHECK_REFUSED(tally_partial_add(sum, &v, NULL, &mask), TALLY_INVALID_ARGUMENT, "where|(7,)|(8,)");
    tally_partial *both[3] = {sum, dot, NULL}, *twice[2] = {sum, sum};
    CHECK_REFUSED(tally_partial_add_all(both, 2, &v, NULL, NULL), TALLY_INVALID_ARGUMENT, "partials[1]|partials[0]");
    CHECK_REFUSED(tally_partial_add_all(both + 2, 1, &v, NULL, NULL), TALLY_INVALID_ARGUMENT, "partials[0]|NULL");
    CHECK_REFUSED(tally_partial_add_all(twice, 2, &v, NULL, NULL), TALLY_INVALID_ARGUMENT, "partials[1]|partials[0]");
    CHECK_REFUSED(tally_partial_add_all(NULL, 1, &v, NULL, NULL), TALLY_INVALID_ARGUMENT, "partials|NULL");
    CHECK_REFUSED(tally_partial_add_all(both, -1, &v, NULL, NULL), TALLY_INVALID_ARGUMENT, "count|-1");
    CHECK_REFUSED(tally_partial_add_all(both, 17, &v, NULL, NULL), TALLY_INVALID_ARGUMENT, "count|17");
    CHECK(tally_partial_add_all(NULL, 0, &v, NULL, NULL) == TALLY_OK);
    tally_options rows = TALLY_OPTIONS_INIT;
    int32_t axis = 0;
    int64_t three = 3;
    tally_partial *cells = NULL;
    rows.axes = &axis, rows.axis_count = 1;
    CHECK(tally_partial_new(context, TALLY_SUM, TALLY_F64, 1, &three, &rows, &cells) == TALLY_OK);
    tally_array m = tally_matrix(x, TALLY_F64, 2, 4);
    CHECK_REFUSED(tally_partial_add(cells, &m, NULL, NULL), TALLY_INVALID_ARGUMENT, "(4,)|(3,)");
    CHECK_REFUSED(tally_partial_add(cells, &v, NULL, NULL), TALLY_INVALID_ARGUMENT, "()|(3,)");
    check_sum(sum, 28);
    tally_partial_free(sum), tally_partial_free(dot), tally_partial_free(cells);
}

static void wrong_merge_and_finish(void)
{
    tally_options var = TALLY_OPTIONS_INIT, at = TALLY_OPTIONS_INIT;
    tally_array v = tally_vector(x, TALLY_F64, 5), out = tally_shaped(out_room, TALLY_F64, 0, NULL);
    tally_array wide = tally_vector(out_room, TALLY_F64, 1), single = tally_shaped(out_room, TALLY_F32, 0, NULL);
    tally_partial *sum = made(TALLY_SUM, TALLY_F64, NULL), *mean = made(TALLY_MEAN, TALLY_F64, NULL);
    tally_partial *f32 = made(TALLY_SUM, TALLY_F32, NULL), *min = made(TALLY_MIN, TALLY_F64, NULL);
    var.correction = 1;
    tally_partial *var0 = made(TALLY_VAR, TALLY_F64, NULL), *var1 = made(TALLY_VAR, TALLY_F64, &var);
    CHECK(tally_partial_add(sum, &v, NULL, NULL) == TALLY_OK);
    CHECK_REFUSED(tally_partial_merge(NULL, sum), TALLY_INVALID_ARGUMENT, "partial");
    CHECK_REFUSED(tally_partial_merge(sum, NULL), TALLY_INVALID_ARGUMENT, "other");
    CHECK_REFUSED(tally_partial_merge(sum, sum), TALLY_INVALID_ARGUMENT, "other");
    CHECK_REFUSED(tally_partial_merge(sum, mean), TALLY_INVALID_ARGUMENT, "mean");
    CHECK_REFUSED(tally_partial_merge(sum, f32), TALLY_INVALID_ARGUMENT, "f32");
    CHECK_REFUSED(tally_partial_merge(var0, var1), TALLY_INVALID_ARGUMENT, "options");
    memset(out_room, 0xa5, sizeof out_room);
    CHECK_REFUSED(tally_partial_finish(NULL, &out), TALLY_INVALID_ARGUMENT, "partial");
    CHECK_REFUSED(tally_partial_finish(sum, NULL), TALLY_INVALID_ARGUMENT, "output");
    CHECK_REFUSED(tally_partial_finish(sum, &wide), TALLY_INVALID_ARGUMENT, "output|(1,)|()");
    CHECK_REFUSED(tally_partial_finish(sum, &single), TALLY_INVALID_ARGUMENT, "output|f32|f64");
    CHECK_REFUSED(tally_partial_finish(min, &out), TALLY_EMPTY, "min");
    CHECK_REFUSED(tally_partial_finish_as(NULL, TALLY_SUM, &out), TALLY_INVALID_ARGUMENT, "partial");
    CHECK_REFUSED(tally_partial_finish_as(sum, 99, &out), TALLY_INVALID_ARGUMENT, "op|99");
    CHECK_REFUSED(tally_partial_finish_as(sum, TALLY_VAR, &out), TALLY_UNSUPPORTED, "var|sum of f64");
    CHECK_REFUSED(tally_partial_finish_as(sum, TALLY_MIN, &out), TALLY_UNSUPPORTED, "min|sum");
    CHECK_REFUSED(tally_partial_finish_as(min, TALLY_MAX, &out), TALLY_UNSUPPORTED, "max|min");
    out.flags = TALLY_READ_ONLY;
    CHECK_REFUSED(tally_partial_finish(sum, &out), TALLY_INVALID_ARGUMENT, "read-only");
    CHECK(untouched(out_room, sizeof out_room));
    int64_t count, absent;
    CHECK_REFUSED(tally_partial_count(NULL, &count, &absent), TALLY_INVALID_ARGUMENT, "partial");
    CHECK_REFUSED(tally_partial_count(sum, NULL, &absent), TALLY_INVALID_ARGUMENT, "added");
    CHECK_REFUSED(tally_partial_count(sum, &count, NULL), TALLY_INVALID_ARGUMENT, "absent");
    check_sum(sum, 10);
    tally_partial *all[] = {sum, mean, f32, min, var0, var1};
    for (int i = 0; i < 6; i++) tally_partial_free(all[i]);
    at.position = 4096;
    tally_partial *left = made(TALLY_PROD, TALLY_F64, NULL), *right = made(TALLY_PROD, TALLY_F64, &at);
    CHECK(tally_partial_add(left, &v, NULL, NULL) == TALLY_OK && tally_partial_add(right, &v, NULL, NULL) == TALLY_OK);
    CHECK_REFUSED(tally_partial_merge(left, right), TALLY_INVALID_ARGUMENT, "4096|5|prod");
    CHECK_REFUSED(tally_partial_merge(right, left), TALLY_INVALID_ARGUMENT, "prod");
    tally_partial_free(left), tally_partial_free(right);
}

static void wrong_carry(void)
{
    tally_scan_carry *carry = NULL;
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array v = tally_vector(x, TALLY_F64, 8), out = tally_vector(out_room, TALLY_F64, 8);
    tally_array m = tally_matrix(x, TALLY_F64, 2, 4), single = tally_vector(x, TALLY_F32, 8);
    CHECK_REFUSED(tally_scan_carry_new(NULL, TALLY_SUM, TALLY_F64, 1, NULL, &carry), TALLY_INVALID_ARGUMENT, "context");
    CHECK_REFUSED(tally_scan_carry_new(context, TALLY_SUM, TALLY_F64, 1, NULL, NULL), TALLY_INVALID_ARGUMENT, "carry");
    CHECK_REFUSED(tally_scan_carry_new(context, TALLY_SUM, 0, 1, NULL, &carry), TALLY_INVALID_ARGUMENT, "type|0");
    CHECK_REFUSED(tally_scan_carry_new(context, TALLY_SUM, TALLY_F64, -1, NULL, &carry), TALLY_INVALID_ARGUMENT,
                  "cells|-1");
    CHECK_REFUSED(tally_scan_carry_new(context, TALLY_SUM, TALLY_F64, INT64_MAX, NULL, &carry), TALLY_OUT_OF_MEMORY,
                  "");
    CHECK_REFUSED(tally_scan_carry_new(context, TALLY_MEAN, TALLY_F64, 1, NULL, &carry), TALLY_UNSUPPORTED, "mean");
    CHECK_REFUSED(tally_scan_carry_new(context, 0, TALLY_F64, 1, NULL, &carry), TALLY_INVALID_ARGUMENT, "op|0");
    CHECK(carry == NULL);
    memset(out_room, 0xa5, sizeof out_room);
    CHECK(tally_scan_carry_new(context, TALLY_SUM, TALLY_F64, 1, NULL, &carry) == TALLY_OK);
    CHECK_REFUSED(tally_scan_continue(NULL, &v, &out, NULL), TALLY_INVALID_ARGUMENT, "carry");
    CHECK_REFUSED(tally_scan_continue(carry, NULL, &out, NULL), TALLY_INVALID_ARGUMENT, "input");
    CHECK_REFUSED(tally_scan_continue(carry, &v, NULL, NULL), TALLY_INVALID_ARGUMENT, "output");
    CHECK_REFUSED(tally_scan_continue(carry, &single, &out, NULL), TALLY_INVALID_ARGUMENT, "type");
    options.flags = TALLY_EXCLUSIVE;
    CHECK_REFUSED(tally_scan_continue(carry, &v, &out, &options), TALLY_INVALID_ARGUMENT, "options");
    int32_t axis = 0;
    options.flags = 0, options.axes = &axis, options.axis_count = 1;
    tally_array out2 = tally_matrix(out_room, TALLY_F64, 2, 4);
    CHECK_REFUSED(tally_scan_continue(carry, &m, &out2, &options), TALLY_INVALID_ARGUMENT, "4|1");
    CHECK(untouched(out_room, sizeof out_room));
    CHECK(tally_scan_continue(carry, &v, &out, NULL) == TALLY_OK &&
          tally_scan_continue(carry, &v, &out, NULL) == TALLY_OK);
    CHECK(((double *)(void *)out_room)[7] == 56);
    tally_scan_carry_free(carry);
}

/* ---- packed bytes ---- */

static uint64_t checksum(const unsigned char *bytes, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 0x100000001b3ull;
    return hash;
}

/* Whatever an unpacked partial holds, its verbs end with a status. */
static void exercise(tally_partial *partial, tally_partial *good, tally_array *input, const tally_array *second)
{
    static _Alignas(64) unsigned char room[65536];
    for (tally_type type = TALLY_BOOL; type <= TALLY_C128; type++) {
        tally_array out = tally_shaped(room, type, 0, NULL), pair = tally_vector(room, type, 2);
        tally_partial_finish(partial, &out);
        tally_partial_finish(partial, &pair);
        for (tally_op op = TALLY_SUM; op <= TALLY_LAST; op++) tally_partial_finish_as(partial, op, &out);
    }
    tally_partial_add(partial, input, second, NULL);
    tally_partial_merge(good, partial);
    size_t size = 0;
    tally_partial_pack(partial, NULL, &size);
}

/* Every byte changed, every length cut; with the checksum made right again the bytes may pass, but not crash. */
static void damage(tally_op op, tally_type type, uint32_t flags, int64_t n)
{
    tally_options options = TALLY_OPTIONS_INIT;
    options.flags = flags;
    tally_partial *partial = made(op, type, &options), *other = NULL;
    tally_array v = tally_vector(x, type, n), one = tally_vector(x, type, 3);
    const tally_array *second = op == TALLY_DOT ? &v : NULL;
    if (!partial) return;
    CHECK(tally_partial_add(partial, &v, second, NULL) == TALLY_OK);
    size_t size = 0, room;
    CHECK(tally_partial_pack(partial, NULL, &size) == TALLY_OK);
    unsigned char *bytes = malloc(size), *bad = malloc(size);
    room = size - 1;
    CHECK_REFUSED(tally_partial_pack(partial, bytes, &room), TALLY_INVALID_ARGUMENT, "size");
    CHECK(tally_partial_pack(partial, bytes, &size) == TALLY_OK);
    for (size_t cut = 0; cut < size; cut++) {
        unsigned char *exact = malloc(cut ? cut : 1); /* so that a read beyond shows */
        memcpy(exact, bytes, cut);
        CHECK_REFUSED(tally_partial_unpack(context, exact, cut, &other), TALLY_CORRUPT, "");
        free(exact);
    }
    for (size_t i = 0; i < size * 3; i++) {
        memcpy(bad, bytes, size);
        bad[i % size] ^= (unsigned char)(1 + test_random_below(255));
        CHECK_REFUSED(tally_partial_unpack(context, bad, size, &other), TALLY_CORRUPT, "");
        CHECK(other == NULL);
        if (i % size >= size - 8) continue;
        if (test_random_below(3) == 0) memset(bad + i % (size - 8), 0xff, size - 8 - i % (size - 8) > 7 ? 7 : 1);
        uint64_t sum = checksum(bad, size - 8);
        for (int b = 0; b < 8; b++) bad[size - 8 + (size_t)b] = (unsigned char)(sum >> 8 * b);
        tally_status status = tally_partial_unpack(context, bad, size, &other);
        CHECK(status == TALLY_OK || status == TALLY_CORRUPT || status == TALLY_OUT_OF_MEMORY);
        if (status != TALLY_OK) continue;
        exercise(other, partial, &one, op == TALLY_DOT ? &one : NULL);
        tally_partial_free(other);
        other = NULL;
    }
    CHECK_REFUSED(tally_partial_unpack(NULL, bytes, size, &other), TALLY_INVALID_ARGUMENT, "context");
    CHECK_REFUSED(tally_partial_unpack(context, NULL, size, &other), TALLY_INVALID_ARGUMENT, "bytes");
    CHECK_REFUSED(tally_partial_unpack(context, bytes, size, NULL), TALLY_INVALID_ARGUMENT, "partial");
    CHECK_REFUSED(tally_partial_pack(NULL, bytes, &size), TALLY_INVALID_ARGUMENT, "partial");
    CHECK_REFUSED(tally_partial_pack(partial, bytes, NULL), TALLY_INVALID_ARGUMENT, "size");
    free(bytes), free(bad);
    tally_partial_free(partial);
}

/* What an older version packed is read, but for what means something else since. */
static void older(tally_op op, int is_read)
{
    tally_options options = TALLY_OPTIONS_INIT;
    tally_partial *partial = made(op, TALLY_F32, &options), *other = NULL;
    tally_array v = tally_vector(x, TALLY_F32, 100);
    unsigned char bytes[8192];
    size_t size = sizeof bytes;
    if (!partial) return;
    CHECK(tally_partial_add(partial, &v, NULL, NULL) == TALLY_OK);
    if (!CHECK(tally_partial_pack(partial, bytes, &size) == TALLY_OK)) return;
    bytes[8] = 2; /* the version */
    uint64_t sum = checksum(bytes, size - 8);
    for (int b = 0; b < 8; b++) bytes[size - 8 + (size_t)b] = (unsigned char)(sum >> 8 * b);
    if (is_read) {
        CHECK(tally_partial_unpack(context, bytes, size, &other) == TALLY_OK);
        tally_partial_free(other);
    } else {
        CHECK_REFUSED(tally_partial_unpack(context, bytes, size, &other), TALLY_CORRUPT, "logsumexp has version 2");
    }
    tally_partial_free(partial);
}

int main(void)
{
    CHECK(tally_open("cpu:1", &context) == TALLY_OK);
    for (int i = 0; i < 9000; i++) x[i] = i;
    CASE("new") wrong_new();
    CASE("add") wrong_add();
    CASE("merge and finish") wrong_merge_and_finish();
    CASE("carry") wrong_carry();
    static const tally_type types[] = {TALLY_I8, TALLY_U64, TALLY_F32, TALLY_F64, TALLY_C128, TALLY_BOOL};
    for (tally_op op = TALLY_SUM; op <= TALLY_LAST; op++) {
        for (int t = 0; t < 6; t++) {
            static char text[64];
            tally_array v = tally_vector(x, types[t], 4), like;
            tally_options dot = TALLY_OPTIONS_INIT;
            dot.second = op == TALLY_DOT ? &v : NULL;
            if (tally_result_like(TALLY_REDUCE, op, &v, &dot, &like) != TALLY_OK) continue;
            snprintf(text, sizeof text, "bytes of %s of %s", tally_op_name(op), tally_type_name(types[t]));
            test.section = text;
            older(TALLY_SUM, 1);
            older(TALLY_LOGSUMEXP, 0);
            damage(op, types[t], 0, 50);
        }
    }
    damage(TALLY_SUM, TALLY_F64, TALLY_PLAIN, 8000);
    damage(TALLY_PROD, TALLY_I32, TALLY_CHECK_OVERFLOW, 50);
    tally_close(context);
    return test_finish("failures_partial");
}
