/* SPDX-License-Identifier: MIT
 *
 * scaled_spread.cuh - variances and norms of doubles whose squares are no doubles: by a warp, from the elements times a
 * power of two that makes the largest of them 1 or a little more, as spread.cuh bounds what such sums are off. What is
 * lost of elements so small that their squares, or they themselves, come below the smallest doubles is less than
 * 2^-1000 of the sums, and lost in the bound. For reduce_wide.cu. No include guard. */
#include "quick_spread.cuh"
#include "shuffle.cuh"

SHUFFLE(quick)

#define SCALED_MOST 65536 /* elements of a cell: more are for blocks */
#define MODERATE 0x1p30   /* larger corrections are taken for less than they are */

/* 2^exponent as two factors, since doubles end before. */
DEVICE double scaled_by(double x, int32_t exponent)
{
    int32_t half = exponent / 2, rest = exponent - half;
    return x * double_from_bits((uint64_t)(half + 1023) << 52) * double_from_bits((uint64_t)(rest + 1023) << 52);
}

/* Whether element i takes part. */
DEVICE int scaled_element(const struct reduce_parameters *p, const struct cell *c, int64_t i, element *x)
{
    struct offsets at = offsets_of(p->reduced, p->reduced_count, i);
    *x = load_element(c->x + at.x * ELEMENT_SIZE, 0);
    return (!WITH_WHERE || c->where[at.where]) && !(SKIP_NAN && element_is_nan(*x));
}

/* The exponent of the largest of a cell's numbers, as doubles have it in their bits, and how many elements take part.
 */
DEVICE int32_t scaled_largest(const struct reduce_parameters *p, const struct cell *c, int64_t *present)
{
    uint32_t most = 0, count = 0;
    for (int64_t i = threadIdx.x & 31; i < p->length; i += 32) {
        element x;
        if (!scaled_element(p, c, i, &x)) continue;
        for (int k = 0; k < COMPONENTS; k++) {
            uint32_t field = (uint32_t)(double_bits(component(x, k)) >> 52) & 0x7ff;
            most = field > most ? field : most;
        }
        count++;
    }
    for (int32_t distance = 16; distance > 0; distance /= 2) {
        uint32_t other = __shfl_xor_sync(FULL_WARP, most, distance);
        most = other > most ? other : most;
        count += __shfl_xor_sync(FULL_WARP, count, distance);
    }
    *present = count;
    return (int32_t)most;
}

/* The result of sums in units of 2^exponent. One that is the smallest normal double may come of one below it, which is
 * rounded elsewhere. */
DEVICE int scaled_store(const struct reduce_parameters *p, const struct quick *q, int64_t n, int32_t exponent,
                        char *out)
{
    const struct shares by = {n, 1 / (double)n, (double)n > p->correction ? 1 / ((double)n - p->correction) : 0};
    const double terms = (double)n * COMPONENTS + 8, bound = 8 * terms * terms * (HALF_UNIT * HALF_UNIT);
    struct pair sum[COMPONENTS], squares;
    struct near ends;
    quick_pairs(q, sum, &squares);
    if (IS_SPREAD && (by.inverse == 0 || fabs(p->correction) > MODERATE)) return 0;
    if (!spread_near(p, by, sum, squares, bound, &ends)) return 0;
    double low = scaled_by(ends.high + (ends.low - ends.off), exponent);
    double high = scaled_by(ends.high + (ends.low + ends.off), exponent);
    return low > 0x1p-1022 && between_store(low, high, out);
}

/* Writes the result of a cell, if it can. By a warp, every lane of which gets whether it could. */
DEVICE int scaled_spread(const struct reduce_parameters *p, int64_t cell)
{
    struct cell c = cell_of(p, cell);
    struct quick q = quick_begin();
    int64_t present;
    int32_t field = scaled_largest(p, &c, &present), exponent = (field > 0 ? field : 1) - 1023;
    if (RESULT_PART != 8 || field == 0x7ff || present == 0) return 0;
    for (int64_t i = threadIdx.x & 31; i < p->length; i += 32) {
        element x;
        if (!scaled_element(p, &c, i, &x)) continue;
        for (int k = 0; k < COMPONENTS; k++) distance_add(&q, k, scaled_by(component(x, k), -exponent));
    }
    for (int32_t distance = 16; distance > 0; distance /= 2) spread_merge(&q, quick_xor(q, (uint32_t)distance));
    int done = 0;
    if ((threadIdx.x & 31) == 0)
        done = scaled_store(p, &q, present, FINISH_NUMBER == FINISH_VARIANCE ? 2 * exponent : exponent,
                            (char *)p->out + cell_offsets(p, cell).out * RESULT_SIZE);
    return __shfl_sync(FULL_WARP, done, 0);
}
