/* SPDX-License-Identifier: MIT
 *
 * best_of_vectors.cuh - the extreme of all elements of some vectors, for elements that are compared two to an
 * instruction. Equal ones may stand for each other, zeros of both signs among them, and a NaN beats all else.
 *   BEST_OF_VECTORS   defined where there is one */
#ifndef TALLY_BEST_OF_VECTORS_CUH
#define TALLY_BEST_OF_VECTORS_CUH

#include "pairs_of_bytes.cuh"
#include "pairs_of_halves.cuh"

#if ELEMENT_BYTES == 1 && defined(BETTER_OF_16)
#define BEST_OF_VECTORS
#define BETTER_PAIR BETTER_OF_16
#elif ELEMENT_BYTES == 2
#if HAS_BETTER_HALVES
#define BEST_OF_VECTORS
#endif
#define BETTER_PAIR BETTER_HALVES
#endif

#if defined(BEST_OF_VECTORS)
/* A word whose halves have the best at their upper ends. */
DEVICE uint32_t best_pair(const struct vector16 *v, int vectors)
{
    uint32_t best = v[0].word[0], odd = best;
#if ELEMENT_BYTES == 1
    best <<= 8;
#endif
#pragma unroll
    for (int i = 1; i < 4 * vectors; i++) {
        uint32_t word = v[i / 4].word[i % 4];
#if ELEMENT_BYTES == 1
        odd = BETTER_PAIR(odd, word);
        word <<= 8;
#endif
        best = BETTER_PAIR(best, word);
    }
    return ELEMENT_BYTES == 1 ? BETTER_PAIR(best, odd) : best;
}

/* Its upper or lower element. */
DEVICE element element_of_pair(uint32_t pair, int upper)
{
    storage stored = (storage)(pair >> ((upper ? 32 : 16) - 8 * (int)sizeof(storage)));
    return load_element(&stored, 0);
}
#endif

#endif
