/* SPDX-License-Identifier: MIT
 *
 * strip_pairs.cuh - extremes of 16-bit elements down columns, two to an instruction: see best_of_vectors.cuh. Zeros of
 * both signs, and NaN of any bits, become one when a cell is finished. No include guard. */
#if defined(ONLY_TYPE_f16)
#define LARGEST_16 0x7c00u
#define LEAST_16 0xfc00u
#elif defined(ONLY_TYPE_bf16)
#define LARGEST_16 0x7f80u
#define LEAST_16 0xff80u
#elif defined(ONLY_TYPE_i16)
#define LARGEST_16 0x7fffu
#define LEAST_16 0x8000u
#else
#define LARGEST_16 0xffffu
#define LEAST_16 0u
#endif
#if defined(PICK_VALUE_MAXIMUM)
#define WORST_16 LEAST_16
#else
#define WORST_16 LARGEST_16
#endif

struct strip {
    uint32_t pair[IN_WORDS]; /* of neighbouring lanes */
};

DEVICE void strip_begin(struct strip *strip)
{
#pragma unroll
    for (int i = 0; i < IN_WORDS; i++) strip->pair[i] = WORST_16 * 0x10001u;
}

/* An element's bits; of NaN, those of any. */
DEVICE uint16_t bits_of(element x)
{
#if defined(ONLY_TYPE_f16)
    return NARROWED_F16(x.v);
#elif defined(ONLY_TYPE_bf16)
    return (uint16_t)(__float_as_uint(x.v) >> 16);
#else
    return (uint16_t)x.v;
#endif
}

DEVICE void strip_add_element(struct strip *strip, int k, element x, int64_t unit)
{
    uint32_t shift = k % 2 * 16;
    (void)unit;
    uint32_t word = (WORST_16 * 0x10001u & ~(0xffffu << shift)) | (uint32_t)bits_of(x) << shift;
    strip->pair[k / 2] = BETTER_PAIR(strip->pair[k / 2], word);
}

DEVICE void strip_add(struct strip *strip, const struct vector16 *v, int64_t unit, int64_t step)
{
    (void)unit, (void)step;
#pragma unroll
    for (int i = 0; i < IN_WORDS * DEPTH; i++) {
        int k = i % IN_WORDS;
        strip->pair[k] = BETTER_PAIR(strip->pair[k], v[i / IN_WORDS].word[k]);
    }
}

/* Of all lanes, where they are one column. */
DEVICE lane_total strip_lane(const struct strip *strip, int k)
{
    uint32_t pair = strip->pair[k / 2];
#if ONE_COLUMN
#pragma unroll
    for (int i = 1; i < IN_WORDS; i++) pair = BETTER_PAIR(pair, strip->pair[i]);
    pair = BETTER_PAIR(pair, pair >> 16 | pair << 16);
#endif
    element x = element_of_pair(pair, k % 2);
    return FIRST_STEP(lift)(x, x);
}
