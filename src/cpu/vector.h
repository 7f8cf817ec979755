/* SPDX-License-Identifier: MIT
 *
 * vector.h - vectors of doubles as wide as the instruction set has them, in the compiler's own vector types. Included
 * by the files that are compiled once per instruction set. A wider type than the machine's would be slow. */
#ifndef TALLY_CPU_VECTOR_H
#define TALLY_CPU_VECTOR_H

#include <stdint.h>
#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX2__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

#define VECTOR_DOUBLES (VECTOR_BYTES / 8)

typedef double vector_double __attribute__((vector_size(VECTOR_BYTES)));
typedef int64_t vector_long __attribute__((vector_size(VECTOR_BYTES)));
typedef float vector_float __attribute__((vector_size(VECTOR_BYTES / 2))); /* as many as vector_double has */
typedef float vector_floats __attribute__((vector_size(VECTOR_BYTES)));
typedef int32_t vector_int __attribute__((vector_size(VECTOR_BYTES)));

#define VECTOR_FUNCTION static inline __attribute__((always_inline))

VECTOR_FUNCTION vector_double vector_load(const double *x)
{
    vector_double v;
    memcpy(&v, x, sizeof v);
    return v;
}

VECTOR_FUNCTION vector_float vector_load_float(const float *x)
{
    vector_float v;
    memcpy(&v, x, sizeof v);
    return v;
}

/* The smaller and the larger of floats that are not NaN. */
VECTOR_FUNCTION vector_floats vector_min_float(vector_floats a, vector_floats b)
{
#if VECTOR_BYTES == 64
    return (vector_floats)_mm512_min_ps((__m512)a, (__m512)b);
#elif VECTOR_BYTES == 32
    return (vector_floats)_mm256_min_ps((__m256)a, (__m256)b);
#else
    vector_int below = a < b;
    return (vector_floats)((below & (vector_int)a) | (~below & (vector_int)b));
#endif
}

VECTOR_FUNCTION vector_floats vector_max_float(vector_floats a, vector_floats b)
{
#if VECTOR_BYTES == 64
    return (vector_floats)_mm512_max_ps((__m512)a, (__m512)b);
#elif VECTOR_BYTES == 32
    return (vector_floats)_mm256_max_ps((__m256)a, (__m256)b);
#else
    vector_int above = a > b;
    return (vector_floats)((above & (vector_int)a) | (~above & (vector_int)b));
#endif
}

/* gcc 12 splits __builtin_convertvector into halves. */
VECTOR_FUNCTION vector_double vector_widen(vector_float v)
{
#if VECTOR_BYTES == 64
    return (vector_double)_mm512_cvtps_pd((__m256)v);
#elif VECTOR_BYTES == 32
    return (vector_double)_mm256_cvtps_pd((__m128)v);
#else
    return __builtin_convertvector(v, vector_double);
#endif
}

VECTOR_FUNCTION vector_double vector_all(double x)
{
    vector_double zero = {0};
    return zero + x;
}

VECTOR_FUNCTION vector_long vector_all_long(int64_t x)
{
    vector_long zero = {0};
    return zero + x;
}

/* a * b + c; rounded once where the machine can, so callers use it where a * b is exact. */
VECTOR_FUNCTION vector_double vector_fma(vector_double a, vector_double b, vector_double c)
{
#if VECTOR_BYTES == 64
    return (vector_double)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif VECTOR_BYTES == 32 && defined(__FMA__)
    return (vector_double)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
    return a * b + c;
#endif
}

VECTOR_FUNCTION vector_int vector_load_int(const void *x)
{
    vector_int v;
    memcpy(&v, x, sizeof v);
    return v;
}

/* Compilers see no maximum in a comparison and a choice of vector types. */
VECTOR_FUNCTION vector_int vector_max(vector_int a, vector_int b)
{
#if VECTOR_BYTES == 64
    return (vector_int)_mm512_max_epi32((__m512i)a, (__m512i)b);
#elif VECTOR_BYTES == 32
    return (vector_int)_mm256_max_epi32((__m256i)a, (__m256i)b);
#else
    vector_int above = a > b;
    return (above & a) | (~above & b);
#endif
}

#endif
