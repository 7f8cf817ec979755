/* SPDX-License-Identifier: MIT
 *
 * strip_mask.cuh - elements of strips that options.where or TALLY_SKIP_NAN leaves out: they give way to FILL, which
 * changes no total. Masks lie as the elements do, so that an element's address tells where its mask is. No include
 * guard.
 *   strip_filling  what they give way to: FILL, or what a strip's own numbers are relative to
 *   HAS_ABSENT    strips and totals have numbers `absent` of those that were left out */
#include "mask_words.cuh"

#if WITH_WHERE || SKIP_NAN
#define IS_MASKED 1
#else
#define IS_MASKED 0
#endif

#if IS_MASKED && defined(COUNTS_ABSENT)
#define HAS_ABSENT 1
#define ABSENT(from) ((from).absent)
#else
#define HAS_ABSENT 0
#define ABSENT(from) 0
#endif

DEVICE_UNUSED const unsigned char *mask_at(const struct reduce_parameters *p, const char *x)
{
    return p->where + (x - (const char *)p->x) / ELEMENT_SIZE;
}

#if IS_MASKED
#if !WITH_WHERE
struct mask {
    uint32_t none;
};
#endif

/* What stands in for an element that is not there. */
DEVICE_UNUSED element filling_element(void)
{
    storage stored[ELEMENT_SIZE / sizeof(storage)];
    uint64_t fill = FILL;
    memcpy(stored, &fill, ELEMENT_SIZE);
    return load_element(stored, 0);
}

DEVICE_UNUSED int is_absent(const struct reduce_parameters *p, const char *x, int64_t i)
{
#if WITH_WHERE
    if (mask_at(p, x)[i] == 0) return 1;
#endif
    (void)p;
    return SKIP_NAN && element_is_nan(load_element(x, i));
}

/* A bit for each element of a vector that is not a number. */
DEVICE_UNUSED uint32_t nan_bits(const struct vector16 *v)
{
    uint32_t bits = 0;
#pragma unroll
    for (int k = 0; k < IN_VECTOR && SKIP_NAN; k++) bits |= (uint32_t)element_is_nan(vector_element(v, k)) << k;
    return bits;
}

/* A vector without NaN. */
DEVICE_UNUSED struct vector16 vector_of_numbers(struct vector16 v, uint32_t nan, struct vector16 filling)
{
#pragma unroll
    for (int i = 0; i < IN_WORDS && SKIP_NAN; i++) {
#if ELEMENT_BYTES == 2
        uint32_t lost = (nan >> 2 * i & 1 ? 0xffffu : 0) | (nan >> 2 * i & 2 ? 0xffff0000u : 0);
        v.word[i] = (v.word[i] & ~lost) | (filling.word[i] & lost);
#else
        if (nan >> i * 4 / ELEMENT_BYTES & 1) v.word[i] = filling.word[i];
#endif
    }
    return v;
}
#endif

/* An element, or what stands in for it. */
DEVICE_UNUSED element element_at(const struct reduce_parameters *p, const char *x, int64_t i)
{
#if IS_MASKED
    if (is_absent(p, x, i)) return filling_element();
#endif
    (void)p;
    return load_element(x, i);
}
