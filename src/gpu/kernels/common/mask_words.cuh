/* SPDX-License-Identifier: MIT
 *
 * mask_words.cuh - the mask of a vector of elements, in words. */
#ifndef TALLY_MASK_WORDS_CUH
#define TALLY_MASK_WORDS_CUH

#include "device.cuh"

/* All bits of the bytes of a word that are not zero. */
DEVICE uint32_t bytes_set(uint32_t word)
{
    uint32_t high = (((word & 0x7f7f7f7fu) + 0x7f7f7f7fu) | word) & 0x80808080u;
    return (high >> 7) * 255;
}

/* Bits of word i of a vector whose elements are present. */
DEVICE_UNUSED uint32_t present_bits(const uint32_t *byte, int i)
{
#if ELEMENT_BYTES == 1
    return bytes_set(byte[i]);
#elif ELEMENT_BYTES == 2
    return __byte_perm(bytes_set(byte[i / 2]), 0, i % 2 ? 0x3322 : 0x1100);
#elif ELEMENT_BYTES == 4
    return byte[0] >> i * 8 & 255 ? 0xffffffffu : 0;
#elif ELEMENT_BYTES == 8
    return byte[0] >> i / 2 * 8 & 255 ? 0xffffffffu : 0;
#else
    return (void)i, byte[0] & 255 ? 0xffffffffu : 0;
#endif
}

/* Word i of a vector of elements that change no total. */
DEVICE_UNUSED uint32_t filling_word(uint64_t fill, int i)
{
    if (ELEMENT_BYTES == 8) return (uint32_t)(fill >> (i % 2 * 32));
    uint32_t word = (uint32_t)fill;
    if (ELEMENT_BYTES == 1) return (word & 0xff) * 0x01010101u;
    return ELEMENT_BYTES == 2 ? (word & 0xffff) * 0x00010001u : word;
}

#if defined(FILL)
DEVICE_UNUSED struct vector16 filling_vector(void)
{
    struct vector16 filling = {
        {filling_word(FILL, 0), filling_word(FILL, 1), filling_word(FILL, 2), filling_word(FILL, 3)}};
    return filling;
}
#endif

/* MASK_ALIKE: masks lie as the elements do, so that a vector's lies behind each other; if MASK_ALIGNED, in a word, or
 * in one vector. FILL: the bits of an element that changes no total, of operators that have one. */
#if WITH_WHERE && defined(MASK_ALIKE)
enum { MASK_BYTES = 16 / ELEMENT_BYTES, MASK_WORDS = (MASK_BYTES + 3) / 4 };

struct mask {
    uint32_t byte[MASK_WORDS];
};

/* Of the elements [from, to); others count as present. */
DEVICE_UNUSED struct mask load_mask_part(const unsigned char *where, int32_t from, int32_t to)
{
    struct mask mask;
#pragma unroll
    for (int i = 0; i < MASK_WORDS; i++) mask.byte[i] = 0;
#pragma unroll
    for (int k = 0; k < MASK_BYTES; k++) {
        uint32_t byte = 1;
        if (k >= from && k < to) byte = where[k];
        mask.byte[k / 4] |= byte << k % 4 * 8;
    }
    return mask;
}

DEVICE_UNUSED struct mask load_mask(const unsigned char *where)
{
#if !MASK_ALIGNED
    return load_mask_part(where, 0, MASK_BYTES);
#else
    struct mask mask;
    check_aligned((uintptr_t)where, MASK_BYTES);
#if ELEMENT_BYTES == 1
    struct vector16 v = load_vector((const char *)where);
#pragma unroll
    for (int i = 0; i < 4; i++) mask.byte[i] = v.word[i];
#elif ELEMENT_BYTES == 2
    uint64_t bytes = *(const uint64_t *)where;
    mask.byte[0] = (uint32_t)bytes;
    mask.byte[1] = (uint32_t)(bytes >> 32);
#elif ELEMENT_BYTES == 4
    mask.byte[0] = *(const uint32_t *)where;
#elif ELEMENT_BYTES == 8
    mask.byte[0] = *(const uint16_t *)where;
#else
    mask.byte[0] = *where;
#endif
    return mask;
#endif
}

/* A bit for each element that is present. */
DEVICE_UNUSED uint32_t mask_bits(const struct mask *mask)
{
    uint32_t bits = 0;
#pragma unroll
    for (int i = 0; i < MASK_WORDS; i++) bits |= (bytes_set(mask->byte[i]) & 0x01010101u) * 0x01020408u >> 24 << i * 4;
    return bits & ((1u << MASK_BYTES) - 1);
}

#if defined(FILL)
DEVICE_UNUSED struct vector16 vector_filled(struct vector16 v, const struct mask *mask, struct vector16 filling)
{
#pragma unroll
    for (int i = 0; i < 4; i++) {
        uint32_t present = present_bits(mask->byte, i);
        v.word[i] = (v.word[i] & present) | (filling.word[i] & ~present);
    }
    return v;
}
#endif
#endif

#endif
