/* SPDX-License-Identifier: MIT
 *
 * strip_pairs.cuh - extremes of 16-bit elements down columns, two to an instruction: see pairs_of_halves.cuh. Zeros of
 * both signs, and NaN of any bits, become one when a cell is finished. No include guard. */
struct strip {
    uint32_t pair[IN_WORDS]; /* of neighbouring lanes */
#if HAS_ABSENT
    struct absences absent;
#endif
};

DEVICE void strip_begin(struct strip *strip)
{
    memset(strip, 0, sizeof *strip);
#pragma unroll
    for (int i = 0; i < IN_WORDS; i++) strip->pair[i] = WORST_HALVES;
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
    uint32_t word = (WORST_HALVES & ~(0xffffu << shift)) | (uint32_t)bits_of(x) << shift;
    strip->pair[k / 2] = BETTER_HALVES(strip->pair[k / 2], word);
}

DEVICE void strip_add(struct strip *strip, const struct vector16 *v, int64_t unit, int64_t step)
{
    (void)unit, (void)step;
#pragma unroll
    for (int i = 0; i < IN_WORDS * DEPTH; i++) {
        int k = i % IN_WORDS;
        strip->pair[k] = BETTER_HALVES(strip->pair[k], v[i / IN_WORDS].word[k]);
    }
}

/* Of all lanes, where they are one column. */
DEVICE lane_total strip_lane(const struct strip *strip, int k)
{
    uint32_t pair = strip->pair[k / 2];
#if ONE_COLUMN
#pragma unroll
    for (int i = 1; i < IN_WORDS; i++) pair = BETTER_HALVES(pair, strip->pair[i]);
    pair = BETTER_HALVES(pair, pair >> 16 | pair << 16);
#endif
    element x = element_of_pair(pair, k % 2);
    return FIRST_STEP(lift)(x, x);
}
