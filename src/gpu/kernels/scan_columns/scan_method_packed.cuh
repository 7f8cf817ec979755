/* SPDX-License-Identifier: MIT
 *
 * scan_method_packed.cuh - what scan_columns.cu carries along for extremes and bits of narrow elements: a state has
 * PACK neighbouring columns, the elements of a word, and combines them two to an instruction (pairs_of_bytes.cuh,
 * pairs_of_halves.cuh), or all: bits, and whether bytes are not zero. */
#ifndef TALLY_SCAN_METHOD_CUH
#define TALLY_SCAN_METHOD_CUH

#include "first_result.cuh"

#define NEEDS_PAIRS_OF_BYTES
#include "pairs_of_bytes.cuh"
#include "pairs_of_halves.cuh"

#if defined(PICK_NONZERO_OR) || defined(PICK_NONZERO_AND) || defined(ONLY_TYPE_bool)
#define TRUTH_OF_BYTES 1
#else
#define TRUTH_OF_BYTES 0
#endif

#if defined(PICK_VALUE_AND) || defined(PICK_NONZERO_AND) || (TRUTH_OF_BYTES && defined(PICK_VALUE_MINIMUM))
#define PAIRS_COMBINED(a, b) ((a) & (b))
#define IDENTITY_WORD 0xffffffffu
#elif defined(PICK_VALUE_OR) || defined(PICK_NONZERO_OR) || (TRUTH_OF_BYTES && defined(PICK_VALUE_MAXIMUM))
#define PAIRS_COMBINED(a, b) ((a) | (b))
#define IDENTITY_WORD 0u
#elif defined(PICK_VALUE_XOR)
#define PAIRS_COMBINED(a, b) ((a) ^ (b))
#define IDENTITY_WORD 0u
#elif ELEMENT_BYTES == 1
#define PAIRS_COMBINED(a, b) BETTER_OF_16(a, b)
#define IDENTITY_WORD (WORST_BYTE * 0x01010101u)
#else
#define PAIRS_COMBINED(a, b) BETTER_HALVES(a, b)
#define IDENTITY_WORD WORST_HALVES
#endif

static_assert(PACK * ELEMENT_BYTES == 4 && PACK * RESULT_SIZE == 4, "the elements of a word, and of results");
static_assert((RESULTS_ARE_LANES && !SKIP_NAN) || TRUTH_OF_BYTES, "elements that all count, and are results");

#if TRUTH_OF_BYTES
/* Bytes that are 0 or 1. */
struct state {
    uint32_t bytes;
};

DEVICE struct state state_of_word(uint32_t word)
{
    struct state s = {(((word & 0x7f7f7f7fu) + 0x7f7f7f7fu) | word) >> 7 & 0x01010101u};
    return s;
}

/* As results. */
DEVICE uint32_t word_of_state(const struct state *s)
{
    return s->bytes;
}

DEVICE void state_append(struct state *a, const struct state *b)
{
    a->bytes = PAIRS_COMBINED(a->bytes, b->bytes);
}
#elif ELEMENT_BYTES == 1
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

/* As results. */
DEVICE uint32_t word_of_state(const struct state *s)
{
    return __byte_perm(s->even, s->odd, 0x7351);
}

DEVICE void state_append(struct state *a, const struct state *b)
{
    a->even = PAIRS_COMBINED(a->even, b->even);
    a->odd = PAIRS_COMBINED(a->odd, b->odd);
}
#else
struct state {
    uint32_t both;
};

DEVICE struct state state_of_word(uint32_t word)
{
    struct state s = {word};
    return s;
}

/* As results. */
DEVICE uint32_t word_of_state(const struct state *s)
{
    return HALVES_RESULT(s->both);
}

DEVICE void state_append(struct state *a, const struct state *b)
{
    a->both = PAIRS_COMBINED(a->both, b->both);
}
#endif

DEVICE struct state state_identity(void)
{
    return state_of_word(IDENTITY_WORD);
}

/* What comes before the first elements of PACK cells, of which the last ones may be none. */
DEVICE struct state state_first(const struct scan_parameters *given, int64_t cell)
{
    uint32_t word = 0;
#pragma unroll
    for (int k = 0; k < PACK; k++) {
        if (cell + k < given->reduce.cells) word |= first_result(given, cell + k) << 8 * ELEMENT_BYTES * k;
    }
    return state_of_word(word);
}

#endif
