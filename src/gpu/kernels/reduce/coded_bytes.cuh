/* SPDX-License-Identifier: MIT
 *
 * coded_bytes.cuh - bytes beside codes of their places, two to an instruction: of two in the upper halves of 16 bits
 * the better one is chosen, of equal ones that with the better code, which is the earlier place's. No include guard.
 *   CODE_OF       from one of 256 places to its code, and back
 *   CODES_FROM    of four places behind each other
 *   WORST_CODED   a pair that no other is worse than */
#define NEEDS_PAIRS_OF_BYTES
#include "pairs_of_bytes.cuh"

#include "bytes.cuh"

#if defined(PICK_VALUE_MAXIMUM)
#define CODE_OF(place) (255 - (place))
#define CODES_FROM(place) (0xfcfdfeffu - (place)*0x01010101u)
#define WORST_CODED (WORST_BYTE * 0x01000100u)
#else
#define CODE_OF(place) (place)
#define CODES_FROM(place) (0x03020100u + (place)*0x01010101u)
#define WORST_CODED (WORST_BYTE * 0x01000100u | 0x00ff00ffu)
#endif

/* A word's bytes of one parity beside the codes of four places. */
DEVICE_UNUSED uint32_t coded_bytes(uint32_t word, uint32_t codes, int odd)
{
    return __byte_perm(word, codes, odd ? 0x3715 : 0x2604);
}

/* Bytes as they compare. */
DEVICE_UNUSED uint32_t compared_bytes(uint32_t word)
{
    return ELEMENT_KIND == KIND_BOOLEAN ? nonzero_bytes(word) : word;
}

/* Of 16 bits. */
DEVICE_UNUSED element coded_element(uint32_t coded)
{
    storage byte = (storage)(coded >> 8);
    return load_element(&byte, 0);
}

/* The best of 16 * vectors bytes that lie behind each other beside the code of its place, in the lower 16 bits. */
DEVICE_UNUSED uint32_t best_coded(const struct vector16 *v, int vectors)
{
    uint32_t even = WORST_CODED, odd = WORST_CODED;
#pragma unroll
    for (int i = 0; i < 4 * vectors; i++) {
        uint32_t word = compared_bytes(v[i / 4].word[i % 4]), codes = CODES_FROM(4 * i);
        even = BETTER_OF_16(even, coded_bytes(word, codes, 0));
        odd = BETTER_OF_16(odd, coded_bytes(word, codes, 1));
    }
    even = BETTER_OF_16(even, odd);
    return BETTER_OF_16(even, even >> 16) & 0xffffu;
}
