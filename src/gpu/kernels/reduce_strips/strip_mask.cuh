/* SPDX-License-Identifier: MIT
 *
 * strip_mask.cuh - elements of strips that options.where or TALLY_SKIP_NAN leaves out: they give way to FILL, which
 * changes no total. Masks lie as the elements do, so that an element's address tells where its mask is. No include
 * guard.
 *   strip_filling  what they give way to: FILL, or what a strip's own numbers are relative to
 *   HAS_ABSENT    strips and totals have numbers `absent` of those that were left out */
#include "absent_words.cuh"

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

#if HAS_ABSENT
/* How many elements a thread left out: of a column, or of each lane. Threads have fewer than 2^16 rows of 2-byte
 * elements. */
struct absences {
#if ONE_COLUMN
    int32_t all;
#elif ELEMENT_BYTES == 2
    uint32_t pair[IN_WORDS]; /* of neighbouring lanes, 16 bits each */
#else
    int32_t lane[IN_VECTOR];
#endif
};

DEVICE void absences_add(struct absences *absences, const struct vector16 *absent)
{
#if ONE_COLUMN
    absences->all += count_absent(absent);
#elif ELEMENT_BYTES == 2
#pragma unroll
    for (int i = 0; i < IN_WORDS; i++) absences->pair[i] += absent->word[i] & 0x00010001u;
#else
#pragma unroll
    for (int k = 0; k < IN_VECTOR; k++) {
        int bits = k * ELEMENT_BYTES * 8;
        absences->lane[k] += (int32_t)(absent->word[bits / 32] >> bits % 32 & 1);
    }
#endif
}

DEVICE int32_t absences_of(const struct absences *absences, int k)
{
#if ONE_COLUMN
    return k == 0 ? absences->all : 0;
#elif ELEMENT_BYTES == 2
    return (int32_t)(absences->pair[k / 2] >> k % 2 * 16 & 0xffff);
#else
    return absences->lane[k];
#endif
}
#endif

#if IS_MASKED
/* What stands in for an element that is not there. */
DEVICE_UNUSED element filling_element(void)
{
    storage stored[ELEMENT_SIZE / sizeof(storage)];
    const uint64_t fill[2] = {FILL, 0};
    memcpy(stored, fill, ELEMENT_SIZE);
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
