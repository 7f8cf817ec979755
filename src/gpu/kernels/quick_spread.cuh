/* SPDX-License-Identifier: MIT
 *
 * quick_spread.cuh - sums of floats and of their squares that are nearly exact, of numbers relative to one of their
 * cell: of narrow ones in doubles, of doubles in pairs. spread.cuh makes results of them. No include guard.
 *   RELATIVE_PAIRS  1: doubles are relative to one of their cell, too, with what their distances from it lose */
#include "spread.cuh"

#if !defined(RELATIVE_PAIRS)
#define RELATIVE_PAIRS 0
#endif
#if defined(FAR_ORIGIN) || RELATIVE_PAIRS
#define HAS_MOST 1
#else
#define HAS_MOST 0
#endif

#define IS_PAIRED (!IS_NARROW)
enum { LOW = 1, SUM = IS_PAIRED ? 2 : 1, QUICK_PARTS = SUM * (1 + IS_SPREAD) };

/* Sums of squares, then of numbers; behind each, in pairs, what additions lost. */
struct quick {
    double part[QUICK_PARTS];
#if HAS_MOST
    uint32_t most; /* of far_place; RELATIVE_PAIRS: of the bits of distances, 0 if all were nothing */
#endif
#if defined(COUNTS_ABSENT)
    int64_t absent;
#endif
};

DEVICE struct quick quick_begin(void)
{
    struct quick q;
#pragma unroll
    for (int i = 0; i < QUICK_PARTS; i++) q.part[i] = 0;
#if HAS_MOST
    q.most = 0;
#endif
#if defined(COUNTS_ABSENT)
    q.absent = 0;
#endif
    return q;
}

DEVICE void spread_merge(struct quick *a, struct quick b)
{
#pragma unroll
    for (int i = 0; i < QUICK_PARTS; i += SUM) {
#if IS_PAIRED
        double error;
        a->part[i] = two_sum(a->part[i], b.part[i], &error);
        a->part[i + LOW] += b.part[i + LOW] + error;
#else
        a->part[i] += b.part[i];
#endif
    }
#if HAS_MOST
    a->most = b.most > a->most ? b.most : a->most;
#endif
#if defined(COUNTS_ABSENT)
    a->absent += b.absent;
#endif
}

/* Relative to a number of its own, no cell's squares exceed length^2 times its variance, and doubles will do. */
#define IS_RELATIVE (IS_SPREAD && (RELATIVE_PAIRS || !IS_PAIRED))
typedef double origin;

DEVICE origin origin_of(element x)
{
    return (double)x.v;
}

/* Adds a number that is relative already, and its square. */
DEVICE void distance_add(struct quick *q, double d)
{
#if IS_PAIRED
    double square = d * d, error, rest = fma(d, d, -square);
    q->part[0] = two_sum(q->part[0], square, &error);
    q->part[LOW] += error + rest;
#if IS_SPREAD
    q->part[SUM] = two_sum(q->part[SUM], d, &error);
    q->part[SUM + LOW] += error;
#endif
#else
    q->part[0] = fma(d, d, q->part[0]);
#if IS_SPREAD
    q->part[SUM] += d;
#endif
#endif
}

DEVICE_UNUSED void spread_add(struct quick *q, origin from, element x)
{
#if RELATIVE_PAIRS
    double rest, d = two_sum((double)x.v, -from, &rest);
    distance_add(q, d);
    q->part[LOW] = fma(2 * d, rest, q->part[LOW]);
    q->part[SUM + LOW] += rest;
    q->most |= (uint32_t)(double_bits(d) >> 32) & 0x7fffffff;
    q->most |= (uint32_t)double_bits(d);
#else
    distance_add(q, IS_RELATIVE ? (double)x.v - from : (double)x.v);
#endif
}

#if IS_PAIRED
DEVICE void quick_pairs(const struct quick *q, struct pair *sum, struct pair *squares)
{
    sum->high = sum->low = 0;
    squares->high = two_sum(q->part[0], q->part[LOW], &squares->low);
#if IS_SPREAD
    sum->high = two_sum(q->part[SUM], q->part[SUM + LOW], &sum->low);
#endif
}
#endif

/* Writes the result of sums of n numbers in which up to `terms` were rounded, one after the other; returns whether it
 * could. */
DEVICE int spread_finish(const struct reduce_parameters *p, const struct quick *q, int64_t n, double terms, char *out)
{
#if IS_PAIRED
    struct pair sum, squares;
    quick_pairs(q, &sum, &squares);
    const struct shares by = shares_of(p, n);
#if RELATIVE_PAIRS
    const double nothing = 0 * by.share * by.inverse; /* NaN where nothing is there */
    if (q->most == 0) return between_store(nothing, nothing, out);
#endif
    return spread_store_pairs(p, by, sum, squares, 8 * (terms + 4) * (terms + 4) * (HALF_UNIT * HALF_UNIT), out);
#else
    return spread_store(shares_of(p, n), IS_SPREAD ? q->part[QUICK_PARTS - 1] : 0, q->part[0], terms, out);
#endif
}
