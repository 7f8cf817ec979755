/* SPDX-License-Identifier: MIT
 *
 * blocks_turned.cuh - vectors out of parts of two, and turned around, for blocks_runs.cuh. No include guard. */

/* Sixteen bytes of two vectors, from byte `at` on, a multiple of an element's size below 16. */
DEVICE struct vector16 joined(const struct vector16 *low, const struct vector16 *high, int32_t at)
{
    uint32_t words[8], by_two[6], by_one[5];
    struct vector16 v;
    memcpy(words, low, sizeof *low);
    memcpy(words + 4, high, sizeof *high);
#pragma unroll
    for (int i = 0; i < 6; i++) by_two[i] = at & 8 ? words[i + 2] : words[i];
#pragma unroll
    for (int i = 0; i < 5; i++) by_one[i] = at & 4 && ELEMENT_SIZE < 8 ? by_two[i + 1] : by_two[i];
#pragma unroll
    for (int i = 0; i < 4; i++)
        v.word[i] = ELEMENT_SIZE < 4 ? __funnelshift_r(by_one[i], by_one[i + 1], (uint32_t)at * 8) : by_one[i];
    return v;
}

/* The last element first. */
DEVICE struct vector16 turned(const struct vector16 *v)
{
    struct vector16 t;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        uint32_t word = v->word[ELEMENT_SIZE < 8 ? 3 - i : i ^ 2];
        t.word[i] = ELEMENT_SIZE < 4 ? word >> 16 | word << 16 : word;
    }
    return t;
}
