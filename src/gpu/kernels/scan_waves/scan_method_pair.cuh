/* SPDX-License-Identifier: MIT
 *
 * scan_method_pair.cuh - what scans along narrow elements carry along for minima, maxima and bits: a state is one
 * element, twice in a word, so that it is compared with two others at once, or (bits) as often as a word has room. */
#ifndef TALLY_SCAN_METHOD_CUH
#define TALLY_SCAN_METHOD_CUH

#include "first_result.cuh"

#if RUNS_OF_BITS
#if defined(PICK_VALUE_AND)
#define BETTER_PAIR(a, b) ((a) & (b))
#define WORST_WORD 0xffffffffu
#elif defined(PICK_VALUE_OR)
#define BETTER_PAIR(a, b) ((a) | (b))
#define WORST_WORD 0u
#else
#define BETTER_PAIR(a, b) ((a) ^ (b))
#define WORST_WORD 0u
#endif
#define BOTH (ELEMENT_BYTES == 1 ? 0x01010101u : 0x00010001u)
#elif ELEMENT_BYTES == 1
#define BETTER_PAIR BETTER_OF_16
#define WORST_WORD (WORST_BYTE * 0x01010101u)
#define BOTH 0x01000100u /* in the upper bytes of two halves; what lies in the lower ones does not matter */
#else
#define BETTER_PAIR BETTER_HALVES
#define WORST_WORD WORST_HALVES
#define BOTH 0x00010001u
#endif

#define ROUNDS_UNROLL /* of rounds in which lanes pass states on */

struct state {
    uint32_t both;
};

DEVICE struct state state_identity(void)
{
    struct state s = {WORST_WORD};
    return s;
}

/* What comes before a cell's first element. */
DEVICE struct state state_first(const struct scan_parameters *given, int64_t cell)
{
    struct state s = {first_result(given, cell) * BOTH};
    return s;
}

DEVICE void state_append(struct state *a, const struct state *b)
{
    a->both = BETTER_PAIR(a->both, b->both);
}

#endif
