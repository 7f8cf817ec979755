/* SPDX-License-Identifier: MIT
 *
 * gaps.cuh - elements in runs that lie a few apart, as an array without gaps of which some elements are absent: runs of
 * p->run_units elements, each p->width behind the one before. No include guard. */
enum { MOST_APART = 256 };

/* Masks of vectors by the place of their first element in a run and what lies behind it. */
__shared__ struct mask mask_of_phase[MOST_APART];

/* Every thread of a block comes here. */
DEVICE void gaps_prepare(const struct reduce_parameters *p)
{
    int32_t apart = (int32_t)p->width, run = (int32_t)p->run_units;
    for (int32_t phase = (int32_t)threadIdx.x; phase < apart; phase += THREADS) {
        struct mask mask;
        memset(&mask, 0, sizeof mask);
        for (int32_t k = 0; k < MASK_BYTES; k++) {
            uint32_t present = (phase + k) % apart < run;
            mask.byte[k / 4] |= present << k % 4 * 8;
        }
        mask_of_phase[phase] = mask;
    }
    __syncthreads();
}

/* The phase of an element, which may lie before the first. */
DEVICE int32_t phase_of(int64_t place, int32_t apart)
{
    int32_t phase = (int32_t)(place % apart);
    return phase < 0 ? phase + apart : phase;
}
