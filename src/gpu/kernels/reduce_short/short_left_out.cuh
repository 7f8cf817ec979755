/* SPDX-License-Identifier: MIT
 *
 * short_left_out.cuh - elements that are not there, of the rows of short_rows.cuh and short_words.cuh: what vectors
 * have of others, and those that are absent. They give way to FILL, or to what a row's numbers are relative to; absent
 * ones are counted where results depend on it (COUNTS_OF_ROWS). No include guard. */
#if HAS_ABSENT
#include "absent_words.cuh"
#else
struct mask {
    uint32_t none;
};
#endif

#if !defined(COUNTS_OF_ROWS)
#define COUNTS_OF_ROWS 0
#endif

enum { FILLING_WORDS = ELEMENT_BYTES == 8 ? 2 : 1 };

/* Of a thread's part of a row. */
struct left_out {
    uint32_t filling[FILLING_WORDS]; /* of what is relative to an element of its row: this, in every part of a word */
    int32_t count;                   /* of absent ones */
};

DEVICE_UNUSED struct vector16 filling_of(const struct left_out *left, const char *row)
{
    (void)left, (void)row;
#if IS_RELATIVE
    const uint32_t *words = left->filling;
    struct vector16 filling = {{words[0], words[FILLING_WORDS - 1], words[0], words[FILLING_WORDS - 1]}};
    return filling;
#elif HAS_ABSENT
    return filling_vector();
#else
    return nothing_of(row);
#endif
}

/* Leaves out what is not in a range of a row's vector, and what is absent of the others. */
DEVICE_UNUSED void leave_out(struct left_out *left, const char *row, struct vector16 *v, const struct mask *mask,
                             int32_t range)
{
#if HAS_ABSENT
    const struct vector16 filling = filling_of(left, row), none = {{0, 0, 0, 0}};
    struct vector16 absent = fill_absent(v, mask, &filling);
    if (range != WHOLE) {
        *v = vector_between(*v, range, &filling);
        absent = vector_between(absent, range, &none);
    }
    if (COUNTS_OF_ROWS) left->count += count_absent(&absent);
#else
    (void)mask;
    if (range == WHOLE) return;
    const struct vector16 filling = filling_of(left, row);
    *v = vector_between(*v, range, &filling);
#endif
}

/* What a row's numbers are relative to: its first one, or of absent ones the next that is there of a few; else zero. */
DEVICE_UNUSED origin origin_of_row(const struct reduce_parameters *p, struct left_out *left, const char *row)
{
#if IS_RELATIVE
    enum { TRIED = HAS_ABSENT ? 8 : 1 };
    int32_t i = 0;
    while (SKIP_NAN && i < TRIED && i < p->length && element_is_nan(load_element(row, i))) i++;
    int is_there = i < TRIED && i < p->length;
#pragma unroll
    for (int w = 0; w < FILLING_WORDS; w++) {
        left->filling[w] = 0;
        if (ELEMENT_BYTES == 2 && is_there) left->filling[w] = ((const uint16_t *)row)[i] * 0x00010001u;
        if (ELEMENT_BYTES > 2 && is_there) left->filling[w] = ((const uint32_t *)row)[i * FILLING_WORDS + w];
    }
    return origin_of(load_element(left->filling, 0));
#else
    (void)p, (void)left;
    return origin_of(load_element(row, 0));
#endif
}

#if HAS_ABSENT
/* The same of whole vectors, from the first lane of a row's, which has its first vector. */
DEVICE_UNUSED origin origin_of_vectors(struct left_out *left, struct vector16 v, const struct mask *mask,
                                       int32_t member)
{
#if IS_RELATIVE
    const struct vector16 nothing = {{0, 0, 0, 0}};
    const struct vector16 absent = fill_absent(&v, mask, &nothing);
#pragma unroll
    for (int w = 0; w < FILLING_WORDS; w++) {
        uint32_t bits = 0;
#pragma unroll
        for (int k = IN_VECTOR - 1; k >= 0; k--) {
            int word = k * ELEMENT_BYTES / 4 + w, shift = k * ELEMENT_BYTES % 4 * 8;
            if (!(absent.word[word] >> shift & 1)) bits = v.word[word] >> shift;
        }
        if (ELEMENT_BYTES == 2) bits = (bits & 0xffff) * 0x00010001u;
        left->filling[w] = __shfl_sync(FULL_WARP, bits, (int32_t)(threadIdx.x & 31) - member);
    }
    return origin_of(load_element(left->filling, 0));
#else
    (void)left, (void)mask, (void)member;
    return origin_of(vector_element(&v, 0));
#endif
}
#endif
