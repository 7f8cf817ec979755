/* SPDX-License-Identifier: MIT
 *
 * user_operators.h - operators for tests, each as text and as C functions: those that show when elements are combined
 * out of order, states of odd sizes, several inputs and results. */
#ifndef TALLY_TEST_USER_OPERATORS_H
#define TALLY_TEST_USER_OPERATORS_H

#include "data.h"

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

#define LIFT_OF(name) static void name##_lift(void *user, void *state, const void *const *inputs, int64_t i)
#define COMBINE_OF(name) static void name##_combine(void *user, void *left, const void *right)
#define IDENTITY_OF(name) static void name##_identity(void *user, void *state)
#define FINISH_OF(name) static void name##_finish(void *user, const void *state, int64_t n, void *result)
#define UNUSED (void)user
#define INPUT(type, k) (*(const type *)inputs[k])

/* ---- floats of 16 bits ---- */

static inline float narrow_value(uint16_t bits, int fraction)
{
    int exponent = bits >> fraction & (0x7fff >> fraction), bias = (0x7fff >> fraction) / 2;
    uint16_t digits = bits & (uint16_t)((1 << fraction) - 1);
    double size =
        exponent ? ldexp(digits + (1 << fraction), exponent - bias - fraction) : ldexp(digits, 1 - bias - fraction);
    if (exponent == 0x7fff >> fraction) size = digits ? (double)NAN : (double)INFINITY;
    return (float)(bits & 0x8000 ? -size : size);
}

/* To f16, ties to even. */
static inline uint16_t narrow_bits(double value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    if (isnan(value)) return 0x7e00;
    if (fabs(value) >= 65520) return sign | 0x7c00;
    int exponent = value == 0 || ilogb(value) < -14 ? -14 : ilogb(value);
    int digits = (int)nearbyint(ldexp(fabs(value), 10 - exponent)); /* 2048: the next exponent's first */
    return (uint16_t)(sign | (digits + ((exponent + 14) << 10)));
}

/* ---- operators ---- */

/* Matrices of 2 by 2 modulo 2^64, with the index in them. */
struct matrix {
    uint64_t m[4];
};
LIFT_OF(matrix)
{
    UNUSED;
    *(struct matrix *)state = (struct matrix){{INPUT(uint64_t, 0), 1, 1, (uint64_t)i}};
}
COMBINE_OF(matrix)
{
    struct matrix a = *(struct matrix *)left, b = *(const struct matrix *)right;
    UNUSED;
    *(struct matrix *)left = (struct matrix){{a.m[0] * b.m[0] + a.m[1] * b.m[2], a.m[0] * b.m[1] + a.m[1] * b.m[3],
                                              a.m[2] * b.m[0] + a.m[3] * b.m[2], a.m[2] * b.m[1] + a.m[3] * b.m[3]}};
}
IDENTITY_OF(matrix)
{
    UNUSED;
    *(struct matrix *)state = (struct matrix){{1, 0, 0, 1}};
}
FINISH_OF(matrix)
{
    UNUSED, (void)n;
    memcpy(result, state, 32);
}

/* v -> a v + b, first the left map. */
struct affine {
    uint64_t a, b;
};
LIFT_OF(affine)
{
    UNUSED, (void)i;
    *(struct affine *)state = (struct affine){INPUT(uint64_t, 0), INPUT(uint32_t, 1)};
}
COMBINE_OF(affine)
{
    struct affine a = *(struct affine *)left, b = *(const struct affine *)right;
    UNUSED;
    *(struct affine *)left = (struct affine){b.a * a.a, b.a * a.b + b.b};
}
FINISH_OF(affine)
{
    UNUSED;
    memcpy(result, state, 16);
    ((uint64_t *)result)[2] = (uint64_t)n;
}

/* Brackets without a partner. */
struct brackets {
    uint32_t close, open;
};
LIFT_OF(brackets)
{
    UNUSED, (void)i;
    *(struct brackets *)state = (struct brackets){INPUT(int8_t, 0) < 0, INPUT(int8_t, 0) > 0};
}
COMBINE_OF(brackets)
{
    struct brackets a = *(struct brackets *)left, b = *(const struct brackets *)right;
    uint32_t met = a.open < b.close ? a.open : b.close;
    UNUSED;
    *(struct brackets *)left = (struct brackets){a.close + b.close - met, a.open + b.open - met};
}
IDENTITY_OF(brackets)
{
    UNUSED;
    memset(state, 0, 8);
}
FINISH_OF(brackets)
{
    UNUSED, (void)n;
    memcpy(result, state, 8);
}

/* The last element that is no NaN. */
struct seen {
    float value;
    uint8_t there;
};
LIFT_OF(seen)
{
    UNUSED, (void)i;
    *(struct seen *)state = (struct seen){INPUT(float, 0), INPUT(float, 0) == INPUT(float, 0)};
}
COMBINE_OF(seen)
{
    UNUSED;
    if (((const struct seen *)right)->there) *(struct seen *)left = *(const struct seen *)right;
}
FINISH_OF(seen)
{
    const struct seen *s = state;
    UNUSED, (void)n;
    *(float *)result = s->there ? s->value : -1;
}

LIFT_OF(difference)
{
    UNUSED;
    *(int64_t *)state = INPUT(int16_t, 0) != INPUT(int16_t, 1) ? i : -1;
}
COMBINE_OF(difference)
{
    UNUSED;
    if (*(int64_t *)left < 0) *(int64_t *)left = *(const int64_t *)right;
}
IDENTITY_OF(difference)
{
    UNUSED;
    *(int64_t *)state = -1;
}
FINISH_OF(difference)
{
    UNUSED, (void)n;
    memcpy(result, state, 8);
}

LIFT_OF(hash)
{
    UNUSED, (void)i;
    *(struct affine *)state = (struct affine){1000003, INPUT(uint8_t, 0) + 1u};
}
IDENTITY_OF(affine)
{
    UNUSED;
    *(struct affine *)state = (struct affine){1, 0};
}
FINISH_OF(hash)
{
    UNUSED, (void)n;
    *(uint64_t *)result = ((const struct affine *)state)->b;
}

struct bins {
    uint32_t bin[16];
};
LIFT_OF(histogram)
{
    struct bins bins = {{0}};
    UNUSED, (void)i;
    bins.bin[INPUT(uint8_t, 0) & 15] = 1;
    *(struct bins *)state = bins;
}
COMBINE_OF(histogram)
{
    UNUSED;
    for (int k = 0; k < 16; k++) ((struct bins *)left)->bin[k] += ((const struct bins *)right)->bin[k];
}
IDENTITY_OF(histogram)
{
    UNUSED;
    memset(state, 0, 64);
}
FINISH_OF(histogram)
{
    UNUSED, (void)n;
    for (int k = 0; k < 16; k++) ((int64_t *)result)[k] = ((const struct bins *)state)->bin[k];
}

struct box {
    float x0, x1;
    double y0, y1;
};
LIFT_OF(box)
{
    UNUSED, (void)i;
    *(struct box *)state = (struct box){INPUT(float, 0), INPUT(float, 0), INPUT(double, 1), INPUT(double, 1)};
}
COMBINE_OF(box)
{
    struct box a = *(struct box *)left, b = *(const struct box *)right;
    UNUSED;
    *(struct box *)left = (struct box){a.x0 < b.x0 ? a.x0 : b.x0, a.x1 > b.x1 ? a.x1 : b.x1, a.y0 < b.y0 ? a.y0 : b.y0,
                                       a.y1 > b.y1 ? a.y1 : b.y1};
}
FINISH_OF(box)
{
    const struct box *s = state;
    double out[4] = {s->x0, s->x1, s->y0, s->y1};
    UNUSED, (void)n;
    memcpy(result, out, 32);
}

struct found {
    double value;
    int64_t index;
};
LIFT_OF(argmax)
{
    UNUSED;
    *(struct found *)state = (struct found){INPUT(double, 0), i};
}
COMBINE_OF(argmax)
{
    const struct found *a = left, *b = right;
    UNUSED;
    if (b->value > a->value || (b->value == a->value && b->index < a->index)) *(struct found *)left = *b;
}
FINISH_OF(argmax)
{
    UNUSED, (void)n;
    *(int64_t *)result = ((const struct found *)state)->index;
}

LIFT_OF(rms)
{
    UNUSED, (void)i;
    *(double *)state = (double)INPUT(float, 0) * INPUT(float, 0);
}
COMBINE_OF(rms)
{
    UNUSED;
    *(double *)left += *(const double *)right;
}
IDENTITY_OF(rms)
{
    UNUSED;
    *(double *)state = 0;
}
FINISH_OF(rms)
{
    UNUSED;
    *(double *)result = n ? sqrt(*(const double *)state / (double)n) : 0;
}

/* Three bytes, in 8-bit arithmetic. */
LIFT_OF(bytes)
{
    uint8_t x = INPUT(uint8_t, 0), *s = state;
    UNUSED, (void)i;
    s[0] = x | 1, s[1] = (uint8_t)(2 * x + 1), s[2] = 1;
}
COMBINE_OF(bytes)
{
    uint8_t *a = left;
    const uint8_t *b = right;
    UNUSED;
    a[0] = (uint8_t)(a[0] * b[1] + b[0]), a[1] = (uint8_t)(a[1] * b[1]), a[2] = (uint8_t)(a[2] + b[2]);
}
FINISH_OF(bytes)
{
    UNUSED, (void)n;
    memcpy(result, state, 3);
}

struct twelve {
    float sum;
    int32_t n;
    uint32_t bits;
};
LIFT_OF(twelve)
{
    UNUSED, (void)i;
    *(struct twelve *)state = (struct twelve){(float)INPUT(int32_t, 0), 1, (uint32_t)INPUT(int32_t, 0)};
}
COMBINE_OF(twelve)
{
    struct twelve *a = left;
    const struct twelve *b = right;
    UNUSED;
    a->sum += b->sum, a->n += b->n, a->bits ^= b->bits;
}
FINISH_OF(twelve)
{
    const struct twelve *s = state;
    UNUSED, (void)n;
    ((float *)result)[0] = s->sum, ((float *)result)[1] = (float)s->n, ((float *)result)[2] = (float)(s->bits & 0xffff);
}

/* Permutations, of 100 and of 256. */
LIFT_OF(turn)
{
    uint8_t *p = state, x = INPUT(uint8_t, 0) % 100;
    UNUSED, (void)i;
    for (int k = 0; k < 100; k++) p[k] = (uint8_t)((k + x) % 100);
    uint8_t first = p[0];
    p[0] = p[x], p[x] = first;
}
COMBINE_OF(turn)
{
    uint8_t a[100];
    UNUSED;
    memcpy(a, left, 100);
    for (int k = 0; k < 100; k++) ((uint8_t *)left)[k] = a[((const uint8_t *)right)[k]];
}
IDENTITY_OF(turn)
{
    UNUSED;
    for (int k = 0; k < 100; k++) ((uint8_t *)state)[k] = (uint8_t)k;
}
FINISH_OF(turn)
{
    UNUSED, (void)n;
    for (int k = 0; k < 5; k++) ((uint16_t *)result)[k] = ((const uint8_t *)state)[k * 24];
}
LIFT_OF(wide)
{
    UNUSED;
    for (int k = 0; k < 256; k++) ((uint8_t *)state)[k] = (uint8_t)(k * (2 * INPUT(uint8_t, 0) + 1) + i);
}
COMBINE_OF(wide)
{
    uint8_t a[256];
    UNUSED;
    memcpy(a, left, 256);
    for (int k = 0; k < 256; k++) ((uint8_t *)left)[k] = a[((const uint8_t *)right)[k]];
}
FINISH_OF(wide)
{
    UNUSED, (void)n;
    memcpy(result, state, 256);
}

LIFT_OF(nonzero)
{
    UNUSED, (void)i;
    *(int8_t *)state = INPUT(int8_t, 0);
}
COMBINE_OF(nonzero)
{
    UNUSED;
    if (*(const int8_t *)right) *(int8_t *)left = *(const int8_t *)right;
}
IDENTITY_OF(nonzero)
{
    UNUSED;
    *(int8_t *)state = 0;
}
FINISH_OF(nonzero)
{
    UNUSED, (void)n;
    *(int8_t *)result = *(const int8_t *)state;
}

struct weighted {
    double re, im, weight;
};
LIFT_OF(weighted)
{
    const float *x = inputs[0];
    double weight = INPUT(uint8_t, 1) * INPUT(double, 2);
    UNUSED, (void)i;
    *(struct weighted *)state = (struct weighted){x[0] * weight, x[1] * weight, weight};
}
COMBINE_OF(weighted)
{
    struct weighted *a = left;
    const struct weighted *b = right;
    UNUSED;
    a->re += b->re, a->im += b->im, a->weight += b->weight;
}
FINISH_OF(weighted)
{
    const struct weighted *s = state;
    UNUSED, (void)n;
    ((double *)result)[0] = s->re + s->weight, ((double *)result)[1] = s->im - s->weight;
}

LIFT_OF(narrow)
{
    UNUSED, (void)i;
    *(float *)state = narrow_value(INPUT(uint16_t, 0), 10) * narrow_value(INPUT(uint16_t, 1), 7);
}
COMBINE_OF(narrow)
{
    UNUSED;
    *(float *)left += *(const float *)right;
}
IDENTITY_OF(narrow)
{
    UNUSED;
    *(float *)state = 0;
}
FINISH_OF(narrow)
{
    UNUSED, (void)n;
    *(uint16_t *)result = narrow_bits(*(const float *)state);
}

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

#endif
