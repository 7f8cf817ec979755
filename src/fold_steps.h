/* SPDX-License-Identifier: MIT
 *
 * fold_steps.h - the steps that a fold program's one-line macros call. Read by the C compiler and by NVRTC. */
#ifndef TALLY_FOLD_STEPS_H
#define TALLY_FOLD_STEPS_H

#include "complex_norm.h"
#include "elementary.h"
#include "modulo.h"
#include "narrow.h"
#include "power.h"

/* The modulus of the programs that take one: a variable of this name, unless kernels know it as a constant. */
#ifndef FOLD_MODULUS
#define FOLD_MODULUS modulus
#endif

#define REAL_MAGNITUDE(v) ((v) < 0 ? -(v) : (v))
#define POWER_FACTOR(real) FOLD_STEP_NAME(power_factor, real)
#define ADD_POWERS_STEP(real) FOLD_STEP_NAME(powers_add, real)
#define MOMENTS(real) FOLD_STEP_NAME(moments, real)
#define COMPLEX_MOMENTS(real) FOLD_STEP_NAME(complex_moments, real)
#define COMPLEX_MULTIPLY(real) FOLD_STEP_NAME(complex_multiply, real)
#define COMPLEX_MAGNITUDE(re, im) complex_norm_to_double(complex_norm((double)(re), (double)(im)))
#define FOLD_STEP_NAME(name, real) FOLD_STEP_PASTE(name, real)
#define FOLD_STEP_PASTE(name, real) name##_##real

/* {n, mean, sum of squared deviations}; an empty side changes nothing. */
ELEMENTARY_FUNCTION void moments_double(double *a, const double *b)
{
    double n = a[0] + b[0];
    double share = n > 0 ? b[0] / n : 0;
    double d = b[1] - a[1];
    a[2] = (a[2] + b[2]) + (d * d) * (a[0] * share);
    a[1] = a[1] + d * share;
    a[0] = n;
}

ELEMENTARY_FUNCTION void moments_float(float *a, const float *b)
{
    float n = a[0] + b[0];
    float share = n > 0 ? b[0] / n : 0;
    float d = b[1] - a[1];
    a[2] = (a[2] + b[2]) + (d * d) * (a[0] * share);
    a[1] = a[1] + d * share;
    a[0] = n;
}

/* {n, mean's real part, sum of squared deviations, mean's imaginary part} */
ELEMENTARY_FUNCTION void complex_moments_double(double *a, const double *b)
{
    double n = a[0] + b[0];
    double share = n > 0 ? b[0] / n : 0;
    double re = b[1] - a[1], im = b[3] - a[3];
    a[2] = (a[2] + b[2]) + (re * re + im * im) * (a[0] * share);
    a[1] = a[1] + re * share;
    a[3] = a[3] + im * share;
    a[0] = n;
}

ELEMENTARY_FUNCTION void complex_moments_float(float *a, const float *b)
{
    float n = a[0] + b[0];
    float share = n > 0 ? b[0] / n : 0;
    float re = b[1] - a[1], im = b[3] - a[3];
    a[2] = (a[2] + b[2]) + (re * re + im * im) * (a[0] * share);
    a[1] = a[1] + re * share;
    a[3] = a[3] + im * share;
    a[0] = n;
}

ELEMENTARY_FUNCTION void complex_multiply_double(double *a, const double *b)
{
    double re = a[0] * b[0] - a[1] * b[1];
    a[1] = a[0] * b[1] + a[1] * b[0];
    a[0] = re;
}

ELEMENTARY_FUNCTION void complex_multiply_float(float *a, const float *b)
{
    float re = a[0] * b[0] - a[1] * b[1];
    a[1] = a[0] * b[1] + a[1] * b[0];
    a[0] = re;
}

/* Integers in two's complement, of two words, and of three, lowest first. */
ELEMENTARY_FUNCTION void wide_add_two(uint64_t *a, const uint64_t *b)
{
    a[0] += b[0];
    a[1] += b[1] + (a[0] < b[0]);
}

ELEMENTARY_FUNCTION void wide_add_three(uint64_t *a, const uint64_t *b)
{
    uint64_t carry;
    a[0] += b[0];
    carry = a[0] < b[0];
    a[1] += carry;
    carry = a[1] < carry;
    a[1] += b[1];
    carry += a[1] < b[1];
    a[2] += b[2] + carry;
}

/* The product of two words, which are sign-extended integers where is_signed. */
ELEMENTARY_FUNCTION void wide_product(uint64_t x, uint64_t y, int is_signed, uint64_t *product)
{
    uint128 words = (uint128)x * y;
    product[0] = (uint64_t)words;
    product[1] = (uint64_t)(words >> 64);
    product[2] = 0;
    if (!is_signed) return;
    product[1] -= (0 - (x >> 63)) & y;
    product[1] -= (0 - (y >> 63)) & x;
    product[2] = 0 - (product[1] >> 63);
}

#endif
