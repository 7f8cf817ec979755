/* SPDX-License-Identifier: MIT
 *
 * user_steps.h - the C functions of the operators of user_operators.h. */
#ifndef TALLY_TEST_USER_STEPS_H
#define TALLY_TEST_USER_STEPS_H

#include "data.h"

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

#endif
