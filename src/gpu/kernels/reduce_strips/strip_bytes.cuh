/* SPDX-License-Identifier: MIT
 *
 * strip_bytes.cuh - extremes of bytes down columns, two to an instruction: see pairs_of_bytes.cuh. No include guard. */
struct strip {
    uint32_t even[IN_WORDS], odd[IN_WORDS]; /* of each word's bytes, in the upper halves of 16 bits */
#if HAS_ABSENT
    struct absences absent;
#endif
};

DEVICE void strip_begin(struct strip *strip)
{
    memset(strip, 0, sizeof *strip);
#pragma unroll
    for (int i = 0; i < IN_WORDS; i++) strip->even[i] = strip->odd[i] = WORST_BYTE * 0x01010101u;
}

DEVICE void strip_add_element(struct strip *strip, int k, element x, int64_t unit)
{
    (void)unit;
    uint32_t *word = k % 2 ? &strip->odd[k / 4] : &strip->even[k / 4];
    uint32_t shift = k % 4 / 2 * 16, byte = (uint8_t)x.v;
    *word = BETTER_OF_16(*word, (WORST_BYTE * 0x01010101u & ~(0xffffu << shift)) | byte << (8 + shift));
}

DEVICE void strip_add(struct strip *strip, const struct vector16 *v, int64_t unit, int64_t step)
{
    (void)unit, (void)step;
#pragma unroll
    for (int i = 0; i < IN_WORDS * DEPTH; i++) {
        int k = i % IN_WORDS;
        uint32_t word = v[i / IN_WORDS].word[k];
        strip->even[k] = BETTER_OF_16(strip->even[k], word << 8);
        strip->odd[k] = BETTER_OF_16(strip->odd[k], word);
    }
}

DEVICE lane_total strip_lane(const struct strip *strip, int k)
{
    uint32_t word = k % 2 ? strip->odd[k / 4] : strip->even[k / 4];
    storage byte = (storage)(word >> (8 + k % 4 / 2 * 16));
    element x = load_element(&byte, 0);
    return FIRST_STEP(lift)(x, x);
}
