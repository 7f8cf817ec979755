/* SPDX-License-Identifier: MIT
 *
 * user_checks.c - what users' operators are refused for, with the member, its value and what was expected, or with the
 * compiler's words on the user's own lines; and what TALLY_OP_CHECK finds. */
#define _GNU_SOURCE
#include "failing.h"
#include "user_operators.h"

static tally_context *context;

static tally_op_source sum_of(tally_type type, const char *state)
{
    tally_op_source source = TALLY_OP_SOURCE_INIT;
    source.name = "total", source.inputs[0] = type, source.state = state, source.combine = "a + b";
    return source;
}

static void members(void)
{
    static const struct {
        size_t offset;
        int32_t value;
        const char *words;
    } numbers[] = {
        {offsetof(tally_op_source, size), 8, "source.size|8|expected"},
        {offsetof(tally_op_source, flags), 64, "source.flags|0x40|expected"},
        {offsetof(tally_op_source, input_count), 0, "source.input_count|0|expected 1 to 3"},
        {offsetof(tally_op_source, input_count), 4, "source.input_count|4|expected 1 to 3"},
        {offsetof(tally_op_source, result_count), 0, "source.result_count|0|expected 1 to 256"},
        {offsetof(tally_op_source, result_count), 257, "source.result_count|257|expected 1 to 256"},
        {offsetof(tally_op_source, result_count), 2, "source.finish is NULL|2|expected"},
        {offsetof(tally_op_source, inputs), 0, "source.inputs[0] is 0|expected TALLY_BOOL"},
        {offsetof(tally_op_source, inputs), 16, "source.inputs[0] is 16|expected TALLY_BOOL"},
        {offsetof(tally_op_source, result), -1, "source.result is -1|expected"},
        {offsetof(tally_op_source, result), 16, "source.result is 16|expected"},
    };
    tally_op op = 77;
    tally_op_source source = sum_of(TALLY_F64, "f64");
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        source = sum_of(TALLY_F64, "f64");
        memcpy((char *)&source + numbers[k].offset, &numbers[k].value, 4);
        CHECK_REFUSED(tally_op_compile(context, &source, &op), TALLY_INVALID_ARGUMENT, numbers[k].words);
    }
    static const char *const names[] = {"", "2nd", "a-b", "with space", "\"", "a/b", "\xc3\xa4"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        source = sum_of(TALLY_F64, "f64");
        source.name = names[k];
        CHECK_REFUSED(tally_op_compile(context, &source, &op), TALLY_INVALID_ARGUMENT, "source.name|letters");
    }
    source.name = "a123456789012345678901234567890123456789012345678901234567890123";
    CHECK_REFUSED(tally_op_compile(context, &source, &op), TALLY_INVALID_ARGUMENT, "source.name|1 to 63");
    source.name = NULL;
    CHECK_REFUSED(tally_op_compile(context, &source, &op), TALLY_INVALID_ARGUMENT, "source.name is NULL");
    source = sum_of(TALLY_F64, NULL);
    CHECK_REFUSED(tally_op_compile(context, &source, &op), TALLY_INVALID_ARGUMENT, "source.state is NULL|expected");
    source = sum_of(TALLY_F64, "f64");
    source.combine = NULL;
    CHECK_REFUSED(tally_op_compile(context, &source, &op), TALLY_INVALID_ARGUMENT, "source.combine is NULL|expected");
    source = sum_of(TALLY_F64, "f64 x;");
    CHECK_REFUSED(tally_op_compile(context, &source, &op), TALLY_INVALID_ARGUMENT, "source.lift is NULL|expected");
    source.lift = "STATE(x)";
    CHECK_REFUSED(tally_op_compile(context, &source, &op), TALLY_INVALID_ARGUMENT, "source.finish is NULL|expected");
    source.finish = "s.x";
    CHECK_REFUSED(tally_op_compile(context, &source, &op), TALLY_INVALID_ARGUMENT, "source.result|expected");
    CHECK_REFUSED(tally_op_compile(NULL, &source, &op), TALLY_INVALID_ARGUMENT, "context is NULL");
    CHECK_REFUSED(tally_op_compile(context, NULL, &op), TALLY_INVALID_ARGUMENT, "source is NULL");
    CHECK_REFUSED(tally_op_compile(context, &source, NULL), TALLY_INVALID_ARGUMENT, "op is NULL");
    CHECK_REFUSED(tally_op_free(op), TALLY_INVALID_ARGUMENT, "op is 77|expected");
    CHECK_REFUSED(tally_op_free(TALLY_SUM), TALLY_INVALID_ARGUMENT, "op is 1|expected");
    size_t bytes = 5;
    CHECK_REFUSED(tally_op_state_size(TALLY_SUM, &bytes), TALLY_INVALID_ARGUMENT, "op is 1|expected");
    CHECK(op == 77 && bytes == 5);
}

static void functions(void)
{
    static const struct {
        size_t offset;
        int32_t value;
        const char *words;
    } numbers[] = {
        {offsetof(tally_op_functions, size), 8, "functions.size|8|expected"},
        {offsetof(tally_op_functions, flags), 64, "functions.flags|0x40|expected"},
        {offsetof(tally_op_functions, input_count), 4, "functions.input_count|4|expected 1 to 3"},
        {offsetof(tally_op_functions, result_count), 257, "functions.result_count|257|expected 1 to 256"},
        {offsetof(tally_op_functions, inputs), 0, "functions.inputs[0] is 0|expected"},
        {offsetof(tally_op_functions, result), 0, "functions.result is 0|expected"},
        {offsetof(tally_op_functions, state_bytes), 0, "functions.state_bytes is 0|expected 1 to 256"},
        {offsetof(tally_op_functions, state_bytes), 257, "functions.state_bytes is 257|expected 1 to 256"},
        {offsetof(tally_op_functions, reserved), 1, "functions.reserved is 1|expected 0"},
    };
    tally_op_functions good = user_functions(user_case_named("rms")), bad;
    tally_op op = 77;
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        bad = good;
        memcpy((char *)&bad + numbers[k].offset, &numbers[k].value, 4);
        CHECK_REFUSED(tally_op_from_functions(&bad, &op), TALLY_INVALID_ARGUMENT, numbers[k].words);
    }
    bad = good, bad.name = "a b";
    CHECK_REFUSED(tally_op_from_functions(&bad, &op), TALLY_INVALID_ARGUMENT, "functions.name|\"a b\"|expected");
    bad = good, bad.lift = NULL;
    CHECK_REFUSED(tally_op_from_functions(&bad, &op), TALLY_INVALID_ARGUMENT, "functions.lift is NULL|expected");
    bad = good, bad.combine = NULL;
    CHECK_REFUSED(tally_op_from_functions(&bad, &op), TALLY_INVALID_ARGUMENT, "functions.combine is NULL|expected");
    bad = good, bad.finish = NULL;
    CHECK_REFUSED(tally_op_from_functions(&bad, &op), TALLY_INVALID_ARGUMENT, "functions.finish is NULL|expected");
    CHECK_REFUSED(tally_op_from_functions(NULL, &op), TALLY_INVALID_ARGUMENT, "functions is NULL");
    CHECK_REFUSED(tally_op_from_functions(&good, NULL), TALLY_INVALID_ARGUMENT, "op is NULL");
    CHECK(op == 77);
}

/* The member, the user's line and column. gcc and clang say where alike. */
static void compilers(void)
{
    tally_op op = 77;
    tally_op_source source = sum_of(TALLY_F64, "f64");
    source.combine = "a +\n    bb";
    CHECK_REFUSED(tally_op_compile(context, &source, &op), TALLY_INVALID_ARGUMENT, "total.combine:2:5|bb");
    source = sum_of(TALLY_F64, "f64"), source.lift = "x + nothing";
    CHECK_REFUSED(tally_op_compile(context, &source, &op), TALLY_INVALID_ARGUMENT, "total.lift:1:5|nothing");
    source = sum_of(TALLY_F64, "f64"), source.identity = "zero";
    CHECK_REFUSED(tally_op_compile(context, &source, &op), TALLY_INVALID_ARGUMENT, "total.identity:1:1|zero");
    source = sum_of(TALLY_F64, "f64"), source.finish = "f64 m = s;\nreturn m + y;";
    CHECK_REFUSED(tally_op_compile(context, &source, &op), TALLY_INVALID_ARGUMENT, "total.finish:2:12|y");
    source = sum_of(TALLY_F64, "f64"), source.helpers = "\n\nstatic int f(void) { return q; }";
    CHECK_REFUSED(tally_op_compile(context, &source, &op), TALLY_INVALID_ARGUMENT, "total.helpers:3:29|q");
    source = sum_of(TALLY_F64, "f65 sum;");
    source.lift = "STATE(x)", source.finish = "s.sum", source.result = TALLY_F64;
    CHECK_REFUSED(tally_op_compile(context, &source, &op), TALLY_INVALID_ARGUMENT, "total.state:1:1|f65");
    source = sum_of(TALLY_F64, "f64 sum[33];");
    source.lift = "STATE({x})", source.combine = "a", source.finish = "s.sum[0]", source.result = TALLY_F64;
    CHECK_REFUSED(tally_op_compile(context, &source, &op), TALLY_INVALID_ARGUMENT, "total|256 bytes");
    source = sum_of(TALLY_F64, "f64"), source.lift = "y";
    CHECK_REFUSED(tally_op_compile(context, &source, &op), TALLY_INVALID_ARGUMENT, "total.lift:1:1|y");
    CHECK(op == 77);
}

/* Texts that look odd and are good. */
static void oddities(void)
{
    static const char *const states[] = {"f64",
                                         " f64\n",
                                         "struct { f64 v; }",
                                         "struct pair { f64 v; f64 w; }",
                                         "struct { f64 x, y; } low, high; f64 v;",
                                         "signed char c; struct { int k; } n; f64 v;",
                                         "f64 v; // a comment"};
    double x[4] = {1, 2, 3, 4}, result = 0;
    tally_array v = tally_vector(x, TALLY_F64, 4), out = tally_shaped(&result, TALLY_F64, 0, NULL);
    for (size_t k = 0; k < sizeof states / sizeof states[0]; k++) {
        tally_op_source source = sum_of(TALLY_F64, states[k]);
        tally_op op = 0;
        if (k >= 2) {
            source.lift = "state s = {0}; s.v = x; return s;", source.combine = "a.v += b.v; return a; // \"sum\"";
            source.finish = "s.v // the sum", source.result = TALLY_F64;
        }
        if (!CHECK(tally_op_compile(context, &source, &op) == TALLY_OK))
            fprintf(stderr, "%s: %s\n", states[k], tally_last_error());
        CHECK(tally_reduce(context, op, &v, &out, NULL) == TALLY_OK);
        CHECK(result == 10);
        tally_op_free(op);
    }
}

/* ---- calls ---- */

static void calls(void)
{
    const struct user_case *c = user_case_named("affine"), *seen = user_case_named("seen");
    tally_op forms[2], without[2];
    uint64_t x[4] = {1, 2, 3, 4};
    uint32_t y[4] = {1, 2, 3, 4};
    double wrong[4] = {0};
    float f[4] = {1, 2, 3, 4};
    unsigned char room[200], on[4] = {0, 0, 0, 0};
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array v = tally_vector(x, TALLY_U64, 4), w = tally_vector(wrong, TALLY_F64, 4), out;
    tally_array second = tally_vector(y, TALLY_U32, 4), third = second, where = tally_vector(on, TALLY_BOOL, 4);
    tally_array single = tally_vector(f, TALLY_F32, 4);
    tally_plan *plan = NULL;
    tally_partial *partial = NULL;
    memset(room, 0xa5, sizeof room);
    user_make(context, c, forms);
    user_make(context, seen, without);
    out = tally_vector(room, TALLY_U64, 3);
    CHECK_REFUSED(tally_reduce(context, forms[0], &v, &out, &options), TALLY_INVALID_ARGUMENT,
                  "options.second is NULL");
    options.second = &w;
    CHECK_REFUSED(tally_reduce(context, forms[0], &v, &out, &options), TALLY_INVALID_ARGUMENT,
                  "options.second has type f64|expected u32");
    options.second = &second, options.third = &third;
    CHECK_REFUSED(tally_reduce(context, forms[0], &v, &out, &options), TALLY_UNSUPPORTED, "options.third|affine");
    options.third = NULL;
    CHECK_REFUSED(tally_reduce(context, forms[0], &w, &out, &options), TALLY_UNSUPPORTED, "input has type f64|u64");
    options.type = TALLY_F32;
    CHECK_REFUSED(tally_reduce(context, forms[0], &v, &out, &options), TALLY_UNSUPPORTED, "options.type is f32|u64");
    options.type = TALLY_DEFAULT_TYPE, options.correction = 1;
    CHECK_REFUSED(tally_reduce(context, forms[0], &v, &out, &options), TALLY_UNSUPPORTED, "options.correction is 1");
    options.correction = 0, options.flags = TALLY_EXCLUSIVE;
    tally_array same = v, unaligned = v;
    unaligned.data = (char *)x + 1, unaligned.shape[0] = 2;
    int64_t shape[2] = {4, 3};
    tally_array scanned = tally_shaped(room, TALLY_U64, 2, shape);
    CHECK_REFUSED(tally_scan(context, forms[0], &v, &scanned, &options), TALLY_UNSUPPORTED, "affine has no identity");
    options.flags = 0, options.where = &where;
    CHECK_REFUSED(tally_scan(context, forms[0], &v, &scanned, &options), TALLY_UNSUPPORTED, "affine has no identity");
    CHECK_REFUSED(tally_reduce(context, forms[0], &v, &out, &options), TALLY_EMPTY, "affine|options.initial");
    CHECK_REFUSED(tally_plan_reduce(context, forms[0], &v, &out, &options, &plan), TALLY_UNSUPPORTED, "affine|plan");
    options.where = NULL;
    CHECK_REFUSED(tally_reduce(context, forms[0], &unaligned, &out, &options), TALLY_INVALID_ARGUMENT,
                  "input.data|aligned");
    same.shape[0] = 3;
    CHECK_REFUSED(tally_reduce(context, forms[0], &v, &same, &options), TALLY_OVERLAP, "output shares memory");
    CHECK_REFUSED(tally_reduce(context, forms[0] + 1000, &v, &out, &options), TALLY_INVALID_ARGUMENT, "op is|expected");
    CHECK(untouched(room, sizeof room));
    options.second = NULL, options.flags = TALLY_SKIP_NAN;
    out = tally_vector(room, TALLY_F32, 4);
    CHECK_REFUSED(tally_scan(context, without[0], &single, &out, &options), TALLY_UNSUPPORTED, "seen has no identity");
    /* Integers have no NaN: nothing is left out. */
    options.second = &second;
    scanned.type = TALLY_U64;
    static _Alignas(64) uint64_t results[12];
    scanned.data = results;
    CHECK(tally_scan(context, forms[0], &v, &scanned, &options) == TALLY_OK);
    CHECK(results[0] == 1 && results[9] == 24);
    options.second = NULL, options.flags = 0, options.third = &third;
    CHECK_REFUSED(tally_partial_new(context, forms[0], TALLY_U64, 0, NULL, &options, &partial), TALLY_INVALID_ARGUMENT,
                  "options.third");
    options.third = NULL, options.position = 5;
    CHECK_REFUSED(tally_partial_new(context, forms[0], TALLY_U64, 0, NULL, &options, &partial), TALLY_INVALID_ARGUMENT,
                  "options.position is 5|4096");
    user_free(forms);
    user_free(without);
}

/* ---- TALLY_OP_CHECK ---- */

struct law {
    const char *state, *lift, *combine, *identity, *finish;
    uint32_t flags;
    tally_type type;
    const char *broken; /* NULL: it is good */
};

static const struct law laws[] = {
    {"f64", NULL, "a + b", "0", NULL, TALLY_OP_COMMUTATIVE, TALLY_F64, NULL},
    {"i8", NULL, "a * b", "1", NULL, TALLY_OP_COMMUTATIVE, TALLY_I8, NULL},
    {"f32", NULL, "a * b", "1", NULL, TALLY_OP_COMMUTATIVE, TALLY_F16, NULL},
    {"f64", NULL, "max(a, b)", "-INFINITY", NULL, TALLY_OP_COMMUTATIVE | TALLY_OP_IDEMPOTENT, TALLY_F64, NULL},
    {"f64", NULL, "b", NULL, NULL, TALLY_OP_IDEMPOTENT, TALLY_F64, NULL},
    {"f64", NULL, "a + log1p(exp(b - a))", "-1000", NULL, TALLY_OP_COMMUTATIVE, TALLY_F64, NULL},
    {"f64 mean, n;", "STATE(x, 1)", "f64 n = a.n + b.n; return STATE(a.mean + (b.mean - a.mean) * (b.n / n), n);", NULL,
     "s.mean", TALLY_OP_COMMUTATIVE, TALLY_F64, NULL},
    {"c128", "STATE(x.re, x.im)", "STATE(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re)", "STATE(1, 0)", NULL,
     TALLY_OP_COMMUTATIVE, TALLY_C64, NULL},
    {"f64", NULL, "a - b", NULL, NULL, 0, TALLY_F64, "combine(combine(a, b), c)"},
    {"i32", NULL, "a - b", NULL, NULL, 0, TALLY_I32, "combine(combine(a, b), c)"},
    {"f64", NULL, "(a + b) / 2", NULL, NULL, 0, TALLY_F64, "combine(combine(a, b), c)"},
    {"f64", NULL, "a + b", "1", NULL, 0, TALLY_F64, "identity"},
    {"f64", NULL, "max(a, b)", "0", NULL, 0, TALLY_F64, "identity"},
    {"f64", NULL, "b", "0", NULL, 0, TALLY_F64, "identity"},
    {"f64", NULL, "b", NULL, NULL, TALLY_OP_COMMUTATIVE, TALLY_F64, "TALLY_OP_COMMUTATIVE"},
    {"f64", NULL, "a + b", NULL, NULL, TALLY_OP_IDEMPOTENT, TALLY_F64, "TALLY_OP_IDEMPOTENT"},
    {"u8", NULL, "a ^ b", "0", NULL, TALLY_OP_IDEMPOTENT, TALLY_U8, "TALLY_OP_IDEMPOTENT"},
    {"c64", NULL, "c64 v = {a.re + b.re, b.im}; return v;", NULL, NULL, TALLY_OP_COMMUTATIVE, TALLY_C64, "i), ("},
};

static void checked(void)
{
    for (size_t k = 0; k < sizeof laws / sizeof laws[0]; k++) {
        const struct law *law = &laws[k];
        tally_op_source source = TALLY_OP_SOURCE_INIT;
        tally_op op = 0;
        source.name = "law", source.flags = law->flags | TALLY_OP_CHECK;
        source.inputs[0] = law->type, source.state = law->state, source.lift = law->lift;
        source.combine = law->combine, source.identity = law->identity, source.finish = law->finish;
        if (law->finish) source.result = TALLY_F64;
        tally_status status = tally_op_compile(context, &source, &op);
        int good = law->broken ? status == TALLY_INVALID_ARGUMENT && strstr(tally_last_error(), law->broken) &&
                                     strstr(tally_last_error(), "law") && strstr(tally_last_error(), "elements (")
                               : status == TALLY_OK;
        if (!CHECK(good)) fprintf(stderr, "%s: %s\n", law->combine, status ? tally_last_error() : "taken");
        if (status == TALLY_OK) tally_op_free(op);
    }
    for (int k = 0; k < USER_CASES; k++) {
        tally_op_source source = user_source(&user_cases[k]);
        tally_op_functions functions = user_functions(&user_cases[k]);
        tally_op op = 0;
        source.flags |= TALLY_OP_CHECK, functions.flags |= TALLY_OP_CHECK;
        if (!CHECK(tally_op_compile(context, &source, &op) == TALLY_OK)) fprintf(stderr, "%s\n", tally_last_error());
        tally_op_free(op);
        if (!CHECK(tally_op_from_functions(&functions, &op) == TALLY_OK)) fprintf(stderr, "%s\n", tally_last_error());
        tally_op_free(op);
    }
}

int main(void)
{
    CHECK(tally_open("cpu:2", &context) == TALLY_OK);
    CASE("members") members();
    CASE("functions") functions();
    CASE("compilers") compilers();
    CASE("oddities") oddities();
    CASE("calls") calls();
    CASE("checked") checked();
    CHECK(tally_close(context) == TALLY_OK);
    return test_finish("user_checks");
}
