/* SPDX-License-Identifier: MIT
 *
 * cpu_vector.h - vectors of the instruction set that is compiled for, and functions of three bits on them. */
#ifndef TALLY_LIFE_CPU_VECTOR_H
#define TALLY_LIFE_CPU_VECTOR_H

#include "cpu.h"

#define INLINE inline __attribute__((always_inline))

#if defined(__AVX512F__)
#include <immintrin.h>
#define VECTOR_LANES 8
#elif defined(__AVX2__)
#define VECTOR_LANES 4
#else
#define VECTOR_LANES 2
#endif

typedef uint64_t vector __attribute__((vector_size(8 * VECTOR_LANES), aligned(8 * VECTOR_LANES), may_alias));

static INLINE vector spread(uint64_t value)
{
    return value - (vector){0};
}

#if defined(__AVX512F__)
/* Any function of three bits is one instruction: bit 4 * a + 2 * b + c of the table, which is a constant. */
#define TABLE(a, b, c, table) ((vector)_mm512_ternarylogic_epi64((__m512i)(a), (__m512i)(b), (__m512i)(c), (table)))
#define PARITY_TABLE 0x96
#define MAJORITY_TABLE 0xe8
#define CHOICE_TABLE 0xca
#define AND_XOR_TABLE 0x6a

static INLINE vector parity(vector a, vector b, vector c)
{
    return TABLE(a, b, c, PARITY_TABLE);
}

static INLINE vector majority(vector a, vector b, vector c)
{
    return TABLE(a, b, c, MAJORITY_TABLE);
}

static INLINE vector choice(vector by, vector a, vector b)
{
    return TABLE(by, a, b, CHOICE_TABLE);
}

static INLINE vector and_xor(vector a, vector b, vector c)
{
    return TABLE(a, b, c, AND_XOR_TABLE);
}
#else
static INLINE vector parity(vector a, vector b, vector c)
{
    return a ^ b ^ c;
}

static INLINE vector majority(vector a, vector b, vector c)
{
    return ((a ^ b) & c) | (a & b);
}

/* Of each bit a where `by` is set, else b. */
static INLINE vector choice(vector by, vector a, vector b)
{
    return ((a ^ b) & by) ^ b;
}

/* (a & b) ^ c */
static INLINE vector and_xor(vector a, vector b, vector c)
{
    return (a & b) ^ c;
}
#endif

#endif
