/* SPDX-License-Identifier: MIT
 *
 * absent_words.cuh - which elements of a vector options.where or TALLY_SKIP_NAN leaves out, as a vector all bits of
 * whose elements are set, and how they give way to others. No include guard. */
#include "mask_words.cuh"

#if (WITH_WHERE || SKIP_NAN) && !WITH_WHERE
struct mask {
    uint32_t none;
};
#endif

/* All bits of the elements of word i that are not numbers. */
DEVICE_UNUSED uint32_t nan_word(const struct vector16 *v, int i)
{
#if defined(ONLY_TYPE_f16) || defined(ONLY_TYPE_bf16)
#if defined(ONLY_TYPE_f16)
    const uint32_t more = 0x03ff03ffu; /* what is larger than an infinity reaches the sign */
#else
    const uint32_t more = 0x007f007fu;
#endif
    uint32_t past = (v->word[i] & 0x7fff7fffu) + more;
#if defined(TALLY_SIMT)
    return (past >> 15 & 0x00010001u) * 0xffff;
#else
    uint32_t signs;
    asm("prmt.b32 %0, %1, 0, 0xbb99;" : "=r"(signs) : "r"(past)); /* of its upper bytes, each twice */
    return signs;
#endif
#elif ELEMENT_BYTES >= 4
    return element_is_nan(vector_element(v, i * 4 / ELEMENT_BYTES)) ? 0xffffffffu : 0;
#else
    return (void)v, (void)i, 0;
#endif
}

/* Absent elements give way to those of `filling`. */
DEVICE_UNUSED struct vector16 fill_absent(struct vector16 *v, const struct mask *mask, const struct vector16 *filling)
{
    struct vector16 absent;
    memset(&absent, 0, sizeof absent);
#pragma unroll
    for (int i = 0; i < IN_WORDS; i++) { /* before any is replaced: elements may have several words */
        absent.word[i] = SKIP_NAN ? nan_word(v, i) : 0;
#if WITH_WHERE
        absent.word[i] |= ~present_bits(mask->byte, i);
#endif
    }
#pragma unroll
    for (int i = 0; i < IN_WORDS; i++) {
        uint32_t lost = absent.word[i];
        if (ELEMENT_BYTES >= 4) v->word[i] = lost ? filling->word[i] : v->word[i];
        else v->word[i] = (v->word[i] & ~lost) | (filling->word[i] & lost);
    }
    (void)mask;
    return absent;
}

/* How many elements are absent. */
DEVICE_UNUSED int32_t count_absent(const struct vector16 *absent)
{
    const uint32_t lowest = ELEMENT_BYTES == 1 ? 0x01010101u : ELEMENT_BYTES == 2 ? 0x00010001u : 1;
    uint32_t bits = 0;
#pragma unroll
    for (int i = 0; i < IN_WORDS; i += (ELEMENT_BYTES + 3) / 4) bits |= absent->word[i] & lowest << i;
    return __popc(bits);
}
