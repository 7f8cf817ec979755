/* SPDX-License-Identifier: MIT
 *
 * scan_method_packed.cuh - what scan_columns.cu carries along for extremes and bits of bytes: a state has PACK
 * neighbouring columns, the bytes of a word, and combines them two to an instruction (pairs_of_bytes.cuh). */
#ifndef TALLY_SCAN_METHOD_CUH
#define TALLY_SCAN_METHOD_CUH

#include "finish_fold.cuh"
#include "scan_carry.cuh"

#if defined(PICK_VALUE_AND)
#define PAIRS_COMBINED(a, b) ((a) & (b))
#define IDENTITY_BYTE 0xff
#elif defined(PICK_VALUE_OR)
#define PAIRS_COMBINED(a, b) ((a) | (b))
#define IDENTITY_BYTE 0x00
#elif defined(PICK_VALUE_XOR)
#define PAIRS_COMBINED(a, b) ((a) ^ (b))
#define IDENTITY_BYTE 0x00
#else
#define NEEDS_PAIRS_OF_BYTES
#include "pairs_of_bytes.cuh"
#define PAIRS_COMBINED(a, b) BETTER_OF_16(a, b)
#define IDENTITY_BYTE WORST_BYTE
#endif

static_assert(PACK == 4 && RESULTS_ARE_LANES, "the bytes of a word, and of results");

/* A word's bytes in the upper halves of 16 bits; what lies in the lower ones does not matter. */
struct __align__(8) state
{
    uint32_t even, odd;
};

DEVICE struct state state_of_word(uint32_t word)
{
    struct state s = {word << 8, word};
    return s;
}

DEVICE uint32_t word_of_state(const struct state *s)
{
    return __byte_perm(s->even, s->odd, 0x7351);
}

DEVICE struct state state_identity(void)
{
    return state_of_word(IDENTITY_BYTE * 0x01010101u);
}

DEVICE void state_append(struct state *a, const struct state *b)
{
    a->even = PAIRS_COMBINED(a->even, b->even);
    a->odd = PAIRS_COMBINED(a->odd, b->odd);
}

/* What comes before a cell's first element. */
DEVICE uint8_t first_byte(const struct scan_parameters *given, int64_t cell)
{
    uint8_t byte;
#if WITH_CARRY
    struct FOLD(wide) first = carried_fold(given, cell);
#else
    struct FOLD(wide) first = FOLD(wide_identity)();
    if (given->reduce.has_initial) first = fold_of_initial(&given->reduce);
    (void)cell;
#endif
    finish_value(first, (char *)&byte);
    return byte;
}

/* The same of PACK cells, of which the last ones may be none. */
DEVICE struct state state_first(const struct scan_parameters *given, int64_t cell)
{
    uint32_t word = 0;
#pragma unroll
    for (int k = 0; k < PACK; k++) {
        if (cell + k < given->reduce.cells) word |= (uint32_t)first_byte(given, cell + k) << 8 * k;
    }
    return state_of_word(word);
}

#endif
