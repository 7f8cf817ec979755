/* SPDX-License-Identifier: MIT
 *
 * user_operators.h - operators for tests, each as text and as C functions: those that show when elements are combined
 * out of order, states of odd sizes, several inputs and results. */
#ifndef TALLY_TEST_USER_OPERATORS_H
#define TALLY_TEST_USER_OPERATORS_H

#include "user_steps.h"

struct user_case {
    const char *name;
    uint32_t flags;
    int32_t input_count, result_count;
    tally_type inputs[3], result;
    uint32_t state_bytes;
    const char *state, *helpers, *lift, *combine, *identity, *finish;
    void (*c_lift)(void *user, void *state, const void *const *inputs, int64_t index);
    void (*c_combine)(void *user, void *a, const void *b);
    void (*c_identity)(void *user, void *state);
    void (*c_finish)(void *user, const void *state, int64_t n, void *result);
};

#define C TALLY_OP_COMMUTATIVE
#define FUNCTIONS(name) name##_lift, name##_combine, name##_identity, name##_finish
static const struct user_case user_cases[] = {
    {"matrix",
     0,
     1,
     4,
     {TALLY_U64},
     TALLY_U64,
     32,
     "u64 m[4];",
     NULL,
     "STATE({x, 1, 1, (u64)i})",
     "return STATE({a.m[0] * b.m[0] + a.m[1] * b.m[2], a.m[0] * b.m[1] + a.m[1] * b.m[3],\n"
     "              a.m[2] * b.m[0] + a.m[3] * b.m[2], a.m[2] * b.m[1] + a.m[3] * b.m[3]});",
     "STATE({1, 0, 0, 1})",
     "for (int k = 0; k < 4; k++) out[k] = s.m[k];",
     FUNCTIONS(matrix)},
    {"affine",
     0,
     2,
     3,
     {TALLY_U64, TALLY_U32},
     TALLY_U64,
     16,
     "struct { u64 a, b; }",
     NULL,
     "STATE(x, y)",
     "STATE(b.a * a.a, b.a * a.b + b.b)",
     NULL,
     "out[0] = s.a; out[1] = s.b; out[2] = n;",
     affine_lift,
     affine_combine,
     NULL,
     affine_finish},
    {"brackets",
     0,
     1,
     2,
     {TALLY_I8},
     TALLY_I32,
     8,
     "u32 close, open;",
     NULL,
     "STATE(x < 0, x > 0)",
     "u32 met = min(a.open, b.close); return STATE(a.close + b.close - met, a.open + b.open - met);",
     "STATE(0)",
     "out[0] = s.close; out[1] = s.open;",
     FUNCTIONS(brackets)},
    {"seen",
     TALLY_OP_IDEMPOTENT,
     1,
     1,
     {TALLY_F32},
     TALLY_F32,
     8,
     "f32 value; bool there;",
     NULL,
     "STATE(x, x == x)",
     "b.there ? b : a",
     NULL,
     "s.there ? s.value : -1",
     seen_lift,
     seen_combine,
     NULL,
     seen_finish},
    {"difference",
     TALLY_OP_IDEMPOTENT,
     2,
     1,
     {TALLY_I16, TALLY_I16},
     TALLY_I64,
     8,
     "i64",
     NULL,
     "x != y ? i : -1",
     "a >= 0 ? a : b",
     "-1",
     NULL,
     FUNCTIONS(difference)},
    {"hash",
     0,
     1,
     1,
     {TALLY_U8},
     TALLY_U64,
     16,
     "u64 a, b;",
     "static const u64 base = 1000003;\n",
     "STATE(base, x + 1u)",
     "STATE(b.a * a.a, b.a * a.b + b.b)",
     "STATE(1, 0)",
     "s.b",
     hash_lift,
     affine_combine,
     affine_identity,
     hash_finish},
    {"histogram",
     C,
     1,
     16,
     {TALLY_U8},
     TALLY_I64,
     64,
     "u32 bin[16];",
     NULL,
     "state s = {0}; s.bin[x & 15] = 1; return s;",
     "for (int k = 0; k < 16; k++) a.bin[k] += b.bin[k];\nreturn a;",
     "STATE({0})",
     "for (int k = 0; k < 16; k++) out[k] = s.bin[k];",
     FUNCTIONS(histogram)},
    {"box",
     C | TALLY_OP_IDEMPOTENT,
     2,
     4,
     {TALLY_F32, TALLY_F64},
     TALLY_F64,
     24,
     "f32 x0, x1; f64 y0, y1;",
     NULL,
     "STATE(x, x, y, y)",
     "STATE(min(a.x0, b.x0), max(a.x1, b.x1), min(a.y0, b.y0), max(a.y1, b.y1))",
     NULL,
     "out[0] = s.x0; out[1] = s.x1; out[2] = s.y0; out[3] = s.y1;",
     box_lift,
     box_combine,
     NULL,
     box_finish},
    {"argmax",
     C | TALLY_OP_IDEMPOTENT,
     1,
     1,
     {TALLY_F64},
     TALLY_I64,
     16,
     "f64 value; i64 index;",
     NULL,
     "STATE(x, i)",
     "b.value > a.value || (b.value == a.value && b.index < a.index) ? b : a",
     NULL,
     "s.index",
     argmax_lift,
     argmax_combine,
     NULL,
     argmax_finish},
    {"rms",
     C,
     1,
     1,
     {TALLY_F32},
     TALLY_F64,
     8,
     "f64",
     NULL,
     "(f64)x * x",
     "a + b",
     "0",
     "n ? sqrt(s / n) : 0",
     FUNCTIONS(rms)},
    {"rms_in_order",
     0,
     1,
     1,
     {TALLY_F32},
     TALLY_F64,
     8,
     "f64",
     NULL,
     "(f64)x * x",
     "a + b",
     "0",
     "n ? sqrt(s / n) : 0",
     FUNCTIONS(rms)},
    {"bytes",
     0,
     1,
     3,
     {TALLY_U8},
     TALLY_U8,
     3,
     "u8 h, p, n;",
     NULL,
     "STATE(x | 1, 2 * x + 1, 1)",
     "STATE(a.h * b.p + b.h, a.p * b.p, a.n + b.n)",
     NULL,
     "out[0] = s.h; out[1] = s.p; out[2] = s.n;",
     bytes_lift,
     bytes_combine,
     NULL,
     bytes_finish},
    {"twelve",
     C,
     1,
     3,
     {TALLY_I32},
     TALLY_F32,
     12,
     "f32 sum; i32 n; u32 bits;",
     NULL,
     "STATE(x, 1, x)",
     "STATE(a.sum + b.sum, a.n + b.n, a.bits ^ b.bits)",
     NULL,
     "out[0] = s.sum; out[1] = s.n; out[2] = s.bits & 0xffff;",
     twelve_lift,
     twelve_combine,
     NULL,
     twelve_finish},
    {"turn",
     0,
     1,
     5,
     {TALLY_U8},
     TALLY_U16,
     100,
     "u8 p[100];",
     NULL,
     "x %= 100; state s; for (int k = 0; k < 100; k++) s.p[k] = (k + x) % 100;\n"
     "u8 first = s.p[0]; s.p[0] = s.p[x]; s.p[x] = first; return s;",
     "state s; for (int k = 0; k < 100; k++) s.p[k] = a.p[b.p[k]]; return s;",
     "state s; for (int k = 0; k < 100; k++) s.p[k] = k; return s;",
     "for (int k = 0; k < 5; k++) out[k] = s.p[24 * k];",
     FUNCTIONS(turn)},
    {"wide",
     0,
     1,
     256,
     {TALLY_U8},
     TALLY_U8,
     256,
     "u8 p[256];",
     NULL,
     "state s; for (int k = 0; k < 256; k++) s.p[k] = k * (2 * x + 1) + i; return s;",
     "state s; for (int k = 0; k < 256; k++) s.p[k] = a.p[b.p[k]]; return s;",
     NULL,
     "memcpy(out, s.p, 256);",
     wide_lift,
     wide_combine,
     NULL,
     wide_finish},
    {"nonzero",
     TALLY_OP_IDEMPOTENT,
     1,
     1,
     {TALLY_I8},
     TALLY_I8,
     1,
     " i8 ",
     NULL,
     NULL,
     "b ? b : a",
     "0",
     NULL,
     FUNCTIONS(nonzero)},
    {"weighted",
     C,
     3,
     1,
     {TALLY_C64, TALLY_U8, TALLY_F64},
     TALLY_C128,
     24,
     "c128 sum; f64 weight;",
     "static c128 times(c64 x, f64 y)\n{\n    return (c128){x.re * y, x.im * y};\n}",
     "STATE(times(x, y * z), y * z)",
     "STATE({a.sum.re + b.sum.re, a.sum.im + b.sum.im}, a.weight + b.weight)",
     NULL,
     "return (c128){s.sum.re + s.weight, s.sum.im - s.weight};",
     weighted_lift,
     weighted_combine,
     NULL,
     weighted_finish},
    {"narrow",
     C,
     2,
     1,
     {TALLY_F16, TALLY_BF16},
     TALLY_F16,
     4,
     "f32",
     NULL,
     "x * y",
     "a + b",
     "0",
     NULL,
     FUNCTIONS(narrow)},
};
#undef C
enum { USER_CASES = sizeof user_cases / sizeof user_cases[0] };

static inline const struct user_case *user_case_named(const char *name)
{
    for (int k = 0; k < USER_CASES; k++) {
        if (strcmp(user_cases[k].name, name) == 0) return &user_cases[k];
    }
    return NULL;
}

static inline tally_op_source user_source(const struct user_case *c)
{
    tally_op_source source = TALLY_OP_SOURCE_INIT;
    source.flags = c->flags, source.name = c->name;
    source.input_count = c->input_count, source.result_count = c->result_count;
    memcpy(source.inputs, c->inputs, sizeof source.inputs);
    source.result = c->result;
    source.state = c->state, source.helpers = c->helpers, source.lift = c->lift;
    source.combine = c->combine, source.identity = c->identity, source.finish = c->finish;
    return source;
}

static inline tally_op_functions user_functions(const struct user_case *c)
{
    tally_op_functions functions = {
        .size = sizeof functions,
        .flags = c->flags,
        .name = c->name,
        .input_count = c->input_count,
        .result_count = c->result_count,
        .inputs = {c->inputs[0], c->inputs[1], c->inputs[2]},
        .result = c->result,
        .state_bytes = c->state_bytes,
        .lift = c->c_lift,
        .combine = c->c_combine,
        .identity = c->c_identity,
        .finish = c->c_finish,
    };
    return functions;
}

/* Both forms of an operator; fails the test when there is none. */
static inline void user_make(tally_context *context, const struct user_case *c, tally_op forms[2])
{
    tally_op_source source = user_source(c);
    tally_op_functions functions = user_functions(c);
    forms[0] = forms[1] = 0;
    if (!CHECK(tally_op_compile(context, &source, &forms[0]) == TALLY_OK))
        fprintf(stderr, "%s: %s\n", c->name, tally_last_error());
    CHECK(tally_op_from_functions(&functions, &forms[1]) == TALLY_OK);
}

static inline void user_free(tally_op forms[2])
{
    CHECK(tally_op_free(forms[0]) == TALLY_OK);
    CHECK(tally_op_free(forms[1]) == TALLY_OK);
}

/* The operators with these names, up to NULL, each in both forms and a case of its own. */
static inline void user_each(tally_context *context, const char *const *names,
                             void (*attempt)(const struct user_case *c, const tally_op forms[2]))
{
    for (; *names != NULL; names++) {
        const struct user_case *c = user_case_named(*names);
        tally_op forms[2];
        CASE(*names)
        {
            user_make(context, c, forms);
            attempt(c, forms);
            user_free(forms);
        }
    }
}

#endif
