/* SPDX-License-Identifier: MIT
 *
 * strip_narrow.cuh - sums of integers of 8 and 16 bits, and counts of bytes, down columns: in 32 bits, which hold those
 * of 2^15 rows. No include guard. */
#include "bytes.cuh"

struct strip {
    int32_t lane[IN_VECTOR];
#if HAS_ABSENT
    struct absences absent;
#endif
};

DEVICE void strip_begin(struct strip *strip)
{
    memset(strip, 0, sizeof *strip);
}

DEVICE void strip_add_element(struct strip *strip, int k, element x, int64_t unit)
{
    (void)unit;
#if defined(METHOD_EXACT)
    strip->lane[LANE_OF(k)] += (int32_t)number_or_size(x);
#else
    strip->lane[LANE_OF(k)] += COUNTS_NONZERO ? x.v != 0 : (int32_t)x.v;
#endif
}

DEVICE void strip_add(struct strip *strip, const struct vector16 *v, int64_t unit, int64_t step)
{
    (void)unit, (void)step;
#if ELEMENT_BYTES == 1 && ONE_COLUMN
#pragma unroll
    for (int i = 0; i < 4 * DEPTH; i++) strip->lane[0] = add_bytes(strip->lane[0], v[i / 4].word[i % 4], 0x01010101);
#else
#pragma unroll
    for (int i = 0; i < DEPTH * IN_VECTOR; i++) {
        int k = i % IN_VECTOR;
#if ELEMENT_BYTES == 1
        strip->lane[k] = add_bytes(strip->lane[k], v[i / IN_VECTOR].word[k / 4], 1u << k % 4 * 8);
#else
        strip_add_element(strip, k, vector_element(&v[i / IN_VECTOR], k), 0);
#endif
    }
#endif
}

DEVICE int64_t strip_sum(const struct strip *strip, int k)
{
    return strip->lane[k];
}

#if defined(METHOD_FOLD)
DEVICE lane_total strip_lane(const struct strip *strip, int k)
{
    lane_total total;
    total.part[0] = (uint64_t)strip_sum(strip, k);
    return total;
}
#endif
