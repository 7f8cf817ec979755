/* SPDX-License-Identifier: MIT
 *
 * strip_index_pairs.cuh - where the first extreme of 16-bit elements of one column stands, for strip_index.cuh: the
 * best of a bundle is found two to an instruction (best_of_vectors.cuh), and its place only where it beats all before.
 * No include guard. */
#include "strip_index_one.cuh"

/* The first of a bundle's elements that `best`, the best of them, does not beat. */
DEVICE int32_t place_of_best(const struct vector16 *v, element best)
{
    int32_t place = 0;
#pragma unroll
    for (int i = DEPTH * IN_VECTOR - 1; i >= 0; i--) {
        if (!index_beats(best, vector_element(&v[i / IN_VECTOR], i % IN_VECTOR))) place = i;
    }
    return place;
}

/* Units that follow all before. */
DEVICE void strip_add(struct strip *strip, const struct vector16 *v, int64_t unit, int64_t step)
{
    uint32_t pair = best_pair(v, DEPTH);
    element best = element_of_pair(BETTER_PAIR(pair, pair >> 16 | pair << 16), 0);
    if (strip->unit >= 0 && !index_beats(best, strip->best)) return;
    int32_t place = place_of_best(v, best);
    strip->best = best;
    strip->unit = (int32_t)(unit + UNITS_APART(place / IN_VECTOR, step));
    strip->lane = place % IN_VECTOR;
}
