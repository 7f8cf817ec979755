/* SPDX-License-Identifier: MIT
 *
 * user_partials.c - partials of users' operators: added in pieces, from a position, merged, packed and unpacked, they
 * have the bits of the tree of user_model.h; beside another operator of the same name, too, and plans as well. */
#define _GNU_SOURCE
#include "failing.h"
#include "user_model.h"

#define LONGEST 600000
static _Alignas(64) unsigned char room[3][(size_t)LONGEST * 16], mask[LONGEST], present[LONGEST];
static unsigned char packed[400000];

enum { MASKED = 1, SKIPPING = 2, STARTED = 4 };

static tally_array part(const struct user_case *c, int32_t input, int64_t at, int64_t n)
{
    return tally_vector(room[input] + (size_t)at * tally_type_size(c->inputs[input]), c->inputs[input], n);
}

/* Packs a partial and gives the unpacked one in its place. */
static void repack(tally_context *context, tally_partial **partial)
{
    tally_partial *copy = NULL;
    size_t size = sizeof packed;
    if (!CHECK(tally_partial_pack(*partial, packed, &size) == TALLY_OK)) return;
    if (!CHECK(tally_partial_unpack(context, packed, size, &copy) == TALLY_OK)) return;
    tally_partial_free(*partial);
    *partial = copy;
}

/* Elements [first, end) through adds of random lengths; sometimes the partial is packed in between. */
static void add_pieces(const struct user_case *c, tally_context *context, tally_partial **partial, int64_t first,
                       int64_t end, int masked)
{
    for (int64_t at = first; at < end;) {
        int64_t most = test_random_below(2) ? 300 : test_random_below(2) ? 9000 : 600000;
        int64_t n = (int64_t)test_random_below((uint64_t)most);
        if (n > end - at) n = end - at;
        tally_array x = part(c, 0, at, n), y = part(c, 1, at, n), where = tally_vector(mask + at, TALLY_BOOL, n);
        if (!CHECK(tally_partial_add(*partial, &x, c->input_count > 1 ? &y : NULL, masked ? &where : NULL) == TALLY_OK))
            break;
        at += n;
        if (test_random_below(12) == 0) repack(context, partial);
    }
}

static void check(const struct user_case *c, tally_op op, tally_context *context, int64_t n, int64_t position, int how)
{
    static _Alignas(64) unsigned char want[4096], got[4096], initial[TALLY_OP_MOST_STATE];
    struct model_input in = {{room[0], room[1], room[2]}, NULL, n, position};
    size_t bytes = tally_type_size(c->result) * (size_t)c->result_count;
    int64_t cut = (int64_t)test_random_below((uint64_t)(n / 4096 + 1)) * 4096, added, absent, missing = 0;
    tally_partial *left = NULL, *right = NULL;
    tally_options options = TALLY_OPTIONS_INIT;
    int64_t values = c->result_count;
    tally_array out = tally_shaped(got, c->result, values > 1, &values);
    for (int32_t i = 0; i < c->input_count; i++) model_fill(c, i, room[i], n, (how & SKIPPING) != 0);
    memset(mask, 1, sizeof mask);
    if (how & MASKED) model_mask(mask, n);
    memcpy(present, mask, sizeof present);
    if (how & SKIPPING) model_skip_nans(c, &in, present);
    if (how & STARTED) model_initial(c, initial);
    in.present = present;
    options.initial = how & STARTED ? initial : NULL;
    options.flags = how & SKIPPING ? TALLY_SKIP_NAN : 0;
    options.position = position;
    int has = model_reduce(c, &in, options.initial, want);
    CHECK(tally_partial_new(context, op, c->inputs[0], 0, NULL, &options, &left) == TALLY_OK);
    options.position = position + cut;
    CHECK(tally_partial_new(context, op, c->inputs[0], 0, NULL, &options, &right) == TALLY_OK);
    add_pieces(c, context, &right, cut, n, how & MASKED);
    add_pieces(c, context, &left, 0, cut, how & MASKED);
    CHECK(tally_partial_merge(left, right) == TALLY_OK);
    if (test_random_below(2)) repack(context, &left);
    for (int again = 0; again < 2; again++) { /* finishing changes nothing */
        memset(got, 0xa5, sizeof got);
        tally_status status = tally_partial_finish(left, &out);
        if (!CHECK(has ? status == TALLY_OK && memcmp(got, want, bytes) == 0
                       : status == TALLY_EMPTY && untouched(got, bytes)))
            fprintf(stderr, "%s, n = %" PRId64 " from %" PRId64 ", how %d\n", c->name, n, position, how);
    }
    for (int64_t k = 0; k < n; k++) missing += !present[k];
    CHECK(tally_partial_count(left, &added, &absent) == TALLY_OK);
    CHECK_EQUAL_I64(added, n);
    CHECK_EQUAL_I64(absent, missing);
    tally_partial_free(left);
    tally_partial_free(right);
}

static void check_case(const struct user_case *c)
{
    static const int64_t lengths[] = {0, 1, 17, 4095, 4096, 4097, 8192, 20000};
    tally_op forms[2];
    user_make(model_context[0], c, forms);
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0] && forms[0]; k++) {
        int64_t position = (int64_t)test_random_below(3) * 4096 * (int64_t)test_random_below(1000);
        check(c, forms[k % 2], model_context[k % 3], lengths[k], position, (int)test_random_below(8));
        check(c, forms[0], model_context[1], lengths[k], position, (int)test_random_below(8));
    }
    if (c->state_bytes < 100) check(c, forms[0], model_context[1], 590000, 4096 * 7, (int)test_random_below(8));
    user_free(forms);
}

/* ---- several cells, several partials ---- */

static void cells(void)
{
    const struct user_case *c = user_case_named("matrix");
    tally_op forms[2];
    int64_t rows = 700, columns = 9, kept[1] = {9}, shape[2] = {9, 4};
    int32_t axis = 0;
    uint64_t direct[36], got[36];
    tally_options options = TALLY_OPTIONS_INIT;
    user_make(model_context[0], c, forms);
    options.axes = &axis, options.axis_count = 1;
    model_fill(c, 0, room[0], rows * columns, 0);
    tally_array all = tally_matrix(room[0], TALLY_U64, rows, columns), out = tally_shaped(direct, TALLY_U64, 2, shape);
    CHECK(tally_reduce(model_context[2], forms[1], &all, &out, &options) == TALLY_OK);
    for (int d = 0; d < MODEL_DEVICES; d++) {
        tally_partial *partial = NULL;
        CHECK(tally_partial_new(model_context[d], forms[0], TALLY_U64, 1, kept, &options, &partial) == TALLY_OK);
        for (int64_t r = 0; r < rows; r += 100) {
            tally_array chunk = tally_matrix(room[0] + r * columns * 8, TALLY_U64, 100, columns);
            CHECK(tally_partial_add(partial, &chunk, NULL, NULL) == TALLY_OK);
            repack(model_context[d], &partial);
        }
        out.data = got;
        CHECK(tally_partial_finish(partial, &out) == TALLY_OK);
        CHECK(memcmp(got, direct, sizeof got) == 0);
        CHECK(tally_partial_finish_as(partial, forms[0], &out) == TALLY_OK);
        CHECK_REFUSED(tally_partial_finish_as(partial, TALLY_SUM, &out), TALLY_UNSUPPORTED, "sum|matrix");
        tally_partial_free(partial);
    }
    user_free(forms);
}

/* A built-in operator and users' ones in one pass over the input. */
static void together(void)
{
    const struct user_case *c = user_case_named("rms"), *integers = user_case_named("twelve");
    tally_op forms[2], twelve[2];
    float sum[2], x[5000];
    double rms[2];
    int64_t total = 0;
    user_make(model_context[0], c, forms);
    user_make(model_context[0], integers, twelve);
    for (int k = 0; k < 5000; k++) x[k] = (float)test_random_uniform();
    x[77] = NAN;
    tally_array v = tally_vector(x, TALLY_F32, 5000), out;
    for (int d = 0; d < MODEL_DEVICES; d++) {
        tally_options options = TALLY_OPTIONS_INIT;
        tally_partial *p[2] = {NULL, NULL};
        options.flags = TALLY_SKIP_NAN;
        out = tally_shaped(&sum[0], TALLY_F32, 0, NULL);
        CHECK(tally_reduce(model_context[d], TALLY_SUM, &v, &out, &options) == TALLY_OK);
        out = tally_shaped(&rms[0], TALLY_F64, 0, NULL);
        CHECK(tally_reduce(model_context[d], forms[0], &v, &out, &options) == TALLY_OK);
        CHECK(tally_partial_new(model_context[d], TALLY_SUM, TALLY_F32, 0, NULL, &options, &p[0]) == TALLY_OK);
        CHECK(tally_partial_new(model_context[d], forms[0], TALLY_F32, 0, NULL, &options, &p[1]) == TALLY_OK);
        if (!CHECK(tally_partial_add_all(p, 2, &v, NULL, NULL) == TALLY_OK))
            fprintf(stderr, "%s\n", tally_last_error());
        out.data = &rms[1];
        CHECK(tally_partial_finish(p[1], &out) == TALLY_OK);
        out = tally_shaped(&sum[1], TALLY_F32, 0, NULL);
        CHECK(tally_partial_finish(p[0], &out) == TALLY_OK);
        CHECK(sum[0] == sum[1] && rms[0] == rms[1] && rms[0] > 0);
        tally_partial_free(p[0]);
        tally_partial_free(p[1]);
        /* TALLY_SKIP_NAN has no effect on types without NaN, so it keeps nothing apart either. */
        int32_t ones[3] = {1, 2, 3};
        tally_array n = tally_vector(ones, TALLY_I32, 3);
        CHECK(tally_partial_new(model_context[d], TALLY_SUM, TALLY_I32, 0, NULL, &options, &p[0]) == TALLY_OK);
        CHECK(tally_partial_new(model_context[d], twelve[1], TALLY_I32, 0, NULL, &options, &p[1]) == TALLY_OK);
        CHECK(tally_partial_add_all(p, 2, &n, NULL, NULL) == TALLY_OK);
        out = tally_shaped(&total, TALLY_I64, 0, NULL);
        CHECK(tally_partial_finish(p[0], &out) == TALLY_OK);
        CHECK_EQUAL_I64(total, 6);
        tally_partial_free(p[0]);
        tally_partial_free(p[1]);
    }
    user_free(forms);
    user_free(twelve);
}

/* Partials differ when their initial states do, in any byte of them. */
static void initial_states(void)
{
    const struct user_case *c = user_case_named("hash"), *narrow = user_case_named("nonzero");
    uint64_t first[2] = {7, 1}, other[2] = {7, 2};
    int8_t one = 1;
    tally_op forms[2], small[2];
    tally_partial *a = NULL, *b = NULL;
    tally_options options = TALLY_OPTIONS_INIT;
    user_make(model_context[0], c, forms);
    user_make(model_context[0], narrow, small);
    options.initial = first;
    CHECK(tally_partial_new(model_context[0], forms[0], TALLY_U8, 0, NULL, &options, &a) == TALLY_OK);
    options.initial = other;
    CHECK(tally_partial_new(model_context[0], forms[0], TALLY_U8, 0, NULL, &options, &b) == TALLY_OK);
    CHECK_REFUSED(tally_partial_merge(a, b), TALLY_INVALID_ARGUMENT, "other|hash|options");
    tally_partial_free(a);
    tally_partial_free(b);
    options.initial = &one;
    CHECK(tally_partial_new(model_context[0], small[0], TALLY_I8, 0, NULL, &options, &a) == TALLY_OK);
    CHECK(tally_partial_new(model_context[0], small[0], TALLY_I8, 0, NULL, &options, &b) == TALLY_OK);
    CHECK(tally_partial_merge(a, b) == TALLY_OK);
    tally_partial_free(a);
    tally_partial_free(b);
    user_free(forms);
    user_free(small);
}

/* ---- packed bytes ---- */

static tally_op compiled(const char *name, const char *combine)
{
    tally_op_source source = TALLY_OP_SOURCE_INIT;
    tally_op op = 0;
    source.name = name, source.state = "i64", source.combine = combine;
    source.inputs[0] = TALLY_I64;
    CHECK(tally_op_compile(model_context[0], &source, &op) == TALLY_OK);
    return op;
}

static int64_t finished(const tally_partial *partial)
{
    int64_t result = -1;
    tally_array out = tally_shaped(&result, TALLY_I64, 0, NULL);
    CHECK(tally_partial_finish(partial, &out) == TALLY_OK);
    return result;
}

/* The operator is found again by its name and text: another one of the name is not taken for it. */
static void names(void)
{
    tally_op sum = compiled("total", "a + b"), largest = compiled("total", "max(a, b)"),
             same = compiled("total", "a + b");
    int64_t x[3] = {5, 1, 4};
    tally_array v = tally_vector(x, TALLY_I64, 3);
    tally_partial *partial = NULL, *copy = NULL;
    tally_options options = TALLY_OPTIONS_INIT;
    size_t size = sizeof packed;
    CHECK(tally_partial_new(model_context[0], sum, TALLY_I64, 0, NULL, NULL, &partial) == TALLY_OK);
    CHECK(tally_partial_add(partial, &v, NULL, NULL) == TALLY_OK);
    CHECK(tally_partial_pack(partial, packed, &size) == TALLY_OK);
    tally_op_free(same);
    CHECK(tally_partial_unpack(model_context[0], packed, size, &copy) == TALLY_OK);
    CHECK_EQUAL_I64(finished(copy), 10);
    tally_partial_free(copy);
    tally_partial_free(partial);
    copy = NULL;
    tally_op_free(sum);
    CHECK_REFUSED(tally_partial_unpack(model_context[0], packed, size, &copy), TALLY_INVALID_ARGUMENT, "total");
    sum = compiled("total", "a + b");
    CHECK(tally_partial_unpack(model_context[1], packed, size, &copy) == TALLY_OK);
    CHECK_EQUAL_I64(finished(copy), 10);
    /* A partial of an operator that was compiled twice goes on with one of the other. */
    same = compiled("total", "a + b");
    options.position = 4096;
    CHECK(tally_partial_new(model_context[0], same, TALLY_I64, 0, NULL, &options, &partial) == TALLY_OK);
    CHECK(tally_partial_merge(copy, partial) == TALLY_OK);
    tally_partial_free(partial);
    tally_partial_free(copy);
    tally_op_free(same);
    tally_op_free(sum);
    tally_op_free(largest);
    CHECK_REFUSED(tally_partial_unpack(model_context[0], packed, size, &copy), TALLY_INVALID_ARGUMENT, "total|compile");
}

/* Bytes that were changed are refused, wherever it was; with a good checksum they do at least no harm. */
static void corrupted(void)
{
    const struct user_case *c = user_case_named("hash");
    static unsigned char bytes[sizeof packed];
    uint64_t initial[2] = {3, 4}, result;
    tally_op forms[2];
    tally_partial *partial = NULL, *copy = NULL;
    tally_options options = TALLY_OPTIONS_INIT;
    size_t size = sizeof packed;
    user_make(model_context[0], c, forms);
    model_fill(c, 0, room[0], 9000, 0);
    options.initial = initial;
    tally_array v = tally_vector(room[0], TALLY_U8, 9000), out = tally_shaped(&result, TALLY_U64, 0, NULL);
    CHECK(tally_partial_new(model_context[0], forms[0], TALLY_U8, 0, NULL, &options, &partial) == TALLY_OK);
    CHECK(tally_partial_add(partial, &v, NULL, NULL) == TALLY_OK);
    CHECK(tally_partial_pack(partial, packed, &size) == TALLY_OK);
    for (size_t at = 0; at < size; at++) {
        memcpy(bytes, packed, size);
        bytes[at] ^= (unsigned char)(1 + test_random_below(255));
        tally_status status = tally_partial_unpack(model_context[0], bytes, size, &copy);
        if (!CHECK(status == TALLY_CORRUPT)) {
            fprintf(stderr, "byte %zu: %s %s\n", at, tally_status_name(status), tally_last_error());
            if (status == TALLY_OK) tally_partial_free(copy);
        }
        uint64_t sum = 0xcbf29ce484222325ull;
        for (size_t k = 0; k < size - 8; k++) sum = (sum ^ bytes[k]) * 0x100000001b3ull;
        for (size_t k = 0; k < 8; k++) bytes[size - 8 + k] = (unsigned char)(sum >> 8 * k);
        if (tally_partial_unpack(model_context[0], bytes, size, &copy) != TALLY_OK) continue;
        tally_partial_finish(copy, &out);
        tally_partial_free(copy);
    }
    for (size_t cut = 0; cut < size; cut += 1 + cut / 50)
        CHECK(tally_partial_unpack(model_context[0], packed, cut, &copy) == TALLY_CORRUPT);
    tally_partial_free(partial);
    user_free(forms);
}

int main(void)
{
    model_open();
    for (int k = 0; k < USER_CASES; k++) {
        if (user_cases[k].input_count < 3) CASE(user_cases[k].name) check_case(&user_cases[k]);
    }
    CASE("cells") cells();
    CASE("together") together();
    CASE("initial states") initial_states();
    CASE("names") names();
    CASE("corrupted") corrupted();
    model_close();
    return test_finish("user_partials");
}
