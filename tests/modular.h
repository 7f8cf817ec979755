/* SPDX-License-Identifier: MIT
 *
 * modular.h - what the tests of arithmetic modulo a number share: the CPU's engines, moduli, data, and residues by
 * arithmetic of 128 bits. */
#ifndef TALLY_TEST_MODULAR_H
#define TALLY_TEST_MODULAR_H

#include "views.h"

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

#define MOST 20000
#define CONTEXTS 5

static tally_context *contexts[CONTEXTS];
static _Alignas(64) unsigned char room_x[MOST * 8 + 64], room_y[MOST * 8 + 64], mask[MOST + 64], got[MOST * 8];
static unsigned char x_list[MOST * 8];
static char section[200];

static const uint64_t moduli[] = {2,
                                  3,
                                  6,
                                  54,
                                  127,
                                  128,
                                  256,
                                  257,
                                  65537,
                                  TALLY_KOALABEAR,
                                  TALLY_BABYBEAR,
                                  TALLY_MERSENNE31,
                                  2067021891,
                                  1ull << 31,
                                  (1ull << 31) + 11,
                                  (1ull << 32) - 1,
                                  1ull << 32,
                                  (1ull << 32) + 1,
                                  (1ull << 61) - 1,
                                  (1ull << 63) - 25,
                                  1ull << 63,
                                  (1ull << 63) + 1,
                                  TALLY_GOLDILOCKS,
                                  UINT64_MAX};
enum { MODULI = sizeof moduli / sizeof moduli[0] };

static inline void open_contexts(void)
{
    static const char *const isas[] = {"avx512", "base", "avx2", "avx512"};
    static const char *const devices[] = {"cpu:3", "cpu:1", "cpu:2", "cpu:1"};
    for (int i = 0; i < CONTEXTS; i++) {
        if (i < 4) setenv("TALLY_CPU_ISA", isas[i], 1);
        CHECK(tally_open(i == 4 ? "reference" : devices[i], &contexts[i]) == TALLY_OK);
    }
    unsetenv("TALLY_CPU_ISA");
}

/* ---- what is expected ---- */

static inline uint64_t residue(int128 value, uint64_t p)
{
    uint128 size = value < 0 ? (uint128)-value : (uint128)value;
    uint64_t r = (uint64_t)(size % p);
    return value < 0 && r ? p - r : r;
}

static inline uint64_t element(tally_type type, const void *data, int64_t i, uint64_t p)
{
    uint64_t bits = 0;
    size_t size = tally_type_size(type);
    memcpy(&bits, (const char *)data + (size_t)i * size, size);
    if (type == TALLY_BOOL) return residue(bits != 0, p);
    if (type <= TALLY_I64) return residue((int64_t)(bits << (64 - 8 * size)) >> (64 - 8 * size), p);
    return residue((int128)bits, p);
}

static inline uint64_t added(uint64_t a, uint64_t b, uint64_t p)
{
    return (uint64_t)(((uint128)a + b) % p);
}

static inline uint64_t multiplied(uint64_t a, uint64_t b, uint64_t p)
{
    return (uint64_t)((uint128)a * b % p);
}

static inline tally_type expected_type(tally_type type, uint64_t p)
{
    int bits = type == TALLY_BOOL ? 1 : (int)tally_type_size(type) * 8 - (type <= TALLY_I64);
    if (bits == 64 || (p - 1) >> bits == 0) return type;
    return (p - 1) >> 32 == 0 ? TALLY_U32 : TALLY_U64;
}

/* ---- data ---- */

enum set { ANY, CANONICAL, LARGEST_RESIDUE, TOP, BOTTOM, ONES, SETS };

static inline void fill(tally_type type, int set, uint64_t p, void *to, int64_t n)
{
    size_t size = tally_type_size(type);
    int bits = (int)size * 8, is_signed = type != TALLY_BOOL && type <= TALLY_I64;
    for (int64_t i = 0; i < n; i++) {
        uint64_t value = test_random();
        if (set == CANONICAL) value %= p;
        if (set == LARGEST_RESIDUE) value = p - 1;
        if (set == TOP) value = is_signed ? (1ull << (bits - 1)) - 1 : UINT64_MAX;
        if (set == BOTTOM) value = is_signed ? 1ull << (bits - 1) : 0;
        if (set == ONES) value = 1;
        memcpy((char *)to + (size_t)i * size, &value, size);
    }
}

static inline const char *name_of(tally_op op, tally_type type, uint64_t p, int set, int64_t n, int context)
{
    snprintf(section, sizeof section, "%s of %s modulo %llu, set %d, n %lld, context %d", tally_op_name(op),
             tally_type_name(type), (unsigned long long)p, set, (long long)n, context);
    return section;
}

static inline void close_contexts(void)
{
    for (int i = 0; i < CONTEXTS; i++) tally_close(contexts[i]);
}

#endif
