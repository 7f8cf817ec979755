/* SPDX-License-Identifier: MIT
 *
 * quick_spread.cuh - sums of numbers and of their squares that are nearly exact, of numbers relative to one of their
 * cell: of narrow floats in doubles, of doubles and integers in pairs; of complex numbers those of each part, and of
 * all squares. spread.cuh makes results of them. No include guard.
 *   RELATIVE_PAIRS  1: doubles are relative to one of their cell, too, with what their distances from it lose, and so
 *                   are integers of 64 bits, as those of 32 bits always are
 *   LONG_CELLS      sums of integers of 32 bits may be no doubles */
#include "spread.cuh"

#if !IS_FLOAT && ELEMENT_BYTES == 4 && defined(PICK_MOMENTS)
#undef RELATIVE_PAIRS
#define RELATIVE_PAIRS 1
#elif !defined(RELATIVE_PAIRS)
#define RELATIVE_PAIRS 0
#endif
#if defined(FAR_ORIGIN) || (RELATIVE_PAIRS && IS_FLOAT)
#define HAS_MOST 1
#else
#define HAS_MOST 0
#endif

#define IS_PAIRED (!IS_NARROW)
#if IS_PAIRED && (IS_FLOAT || ELEMENT_BYTES == 8 || defined(LONG_CELLS))
#define SUM_IS_PAIR 1
#else
#define SUM_IS_PAIR 0
#endif
enum { LOW = 1, SUM = IS_PAIRED ? 2 : 1, SUM_PARTS = 1 + SUM_IS_PAIR };
enum { QUICK_PARTS = SUM + IS_SPREAD * COMPONENTS * SUM_PARTS };

/* Sums of squares, then of every component; behind each, in pairs, what additions lost. */
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

DEVICE void part_merge(struct quick *a, const struct quick *b, int i, int is_pair)
{
    double error;
    a->part[i] = two_sum(a->part[i], b->part[i], &error);
    if (is_pair) a->part[i + LOW] += b->part[i + LOW] + error;
}

DEVICE void spread_merge(struct quick *a, struct quick b)
{
    part_merge(a, &b, 0, IS_PAIRED);
#pragma unroll
    for (int i = SUM; i < QUICK_PARTS; i += SUM_PARTS) part_merge(a, &b, i, SUM_IS_PAIR);
#if HAS_MOST
    a->most = b.most > a->most ? b.most : a->most;
#endif
#if defined(COUNTS_ABSENT)
    a->absent += b.absent;
#endif
}

/* Relative to an element of its own, no cell's squares exceed length^2 times its variance, and doubles will do. */
#define IS_RELATIVE (IS_SPREAD && (RELATIVE_PAIRS || !IS_PAIRED))
#if !IS_FLOAT && ELEMENT_BYTES == 8
#define HAS_REST 1 /* numbers have more bits than a double */
#define NO_ORIGIN 0
typedef storage origin;

DEVICE origin origin_of(element x)
{
    return x.v;
}

/* x - from, nearly, and the rest. */
DEVICE double distance_of(element x, origin from, int i, double *rest)
{
    (void)i;
    uint64_t size = (uint64_t)x.v - (uint64_t)from;
    if (x.v < from) size = 0 - size;
    double d = two_sum((double)(uint32_t)(size >> 32) * 0x1p32, (double)(uint32_t)size, rest);
    if (x.v < from) *rest = -*rest;
    return x.v < from ? -d : d;
}
#else
#define HAS_REST (IS_FLOAT && RELATIVE_PAIRS)
#if IS_COMPLEX
struct origin {
    double component[COMPONENTS];
};
#define NO_ORIGIN origin_none()

DEVICE_UNUSED struct origin origin_none(void)
{
    const struct origin none = {{0, 0}};
    return none;
}

DEVICE struct origin origin_of(element x)
{
    const struct origin from = {{(double)x.re, (double)x.im}};
    return from;
}

DEVICE_UNUSED double origin_component(struct origin from, int i)
{
    return from.component[i];
}
#else
typedef double origin;
#define NO_ORIGIN 0

DEVICE origin origin_of(element x)
{
    return (double)x.v;
}

DEVICE_UNUSED double origin_component(origin from, int i)
{
    (void)i;
    return from;
}
#endif

/* Of component i. */
DEVICE_UNUSED double distance_of(element x, origin from, int i, double *rest)
{
    double number = component(x, i), start = origin_component(from, i);
    *rest = 0;
    return HAS_REST ? two_sum(number, -start, rest) : number - start;
}
#endif

/* Adds a component that is relative already, and its square. */
DEVICE void distance_add(struct quick *q, int i, double d)
{
    const int sum = SUM + i * SUM_PARTS;
    (void)sum;
#if IS_PAIRED
    double square = d * d, error, rest = fma(d, d, -square);
    q->part[0] = two_sum(q->part[0], square, &error);
    q->part[LOW] += error + rest;
#if IS_SPREAD && SUM_IS_PAIR
    q->part[sum] = two_sum(q->part[sum], d, &error);
    q->part[sum + LOW] += error;
#elif IS_SPREAD
    q->part[sum] += d;
#endif
#else
    q->part[0] = fma(d, d, q->part[0]);
#if IS_SPREAD
    q->part[sum] += d;
#endif
#endif
}

DEVICE_UNUSED void component_add(struct quick *q, origin from, element x, int i)
{
    double rest, d = distance_of(x, IS_RELATIVE ? from : NO_ORIGIN, i, &rest);
    distance_add(q, i, d);
#if HAS_REST
    q->part[LOW] = fma(2 * d, rest, q->part[LOW]);
    if (IS_SPREAD) q->part[SUM + i * SUM_PARTS + SUM_IS_PAIR] += rest;
#endif
#if RELATIVE_PAIRS && IS_FLOAT
    q->most |= (uint32_t)(double_bits(d) >> 32) & 0x7fffffff;
    q->most |= (uint32_t)double_bits(d);
#endif
}

DEVICE_UNUSED void spread_add(struct quick *q, origin from, element x)
{
#pragma unroll
    for (int i = 0; i < COMPONENTS; i++) component_add(q, from, x, i);
}

#if IS_PAIRED
DEVICE void quick_pairs(const struct quick *q, struct pair *sum, struct pair *squares)
{
    squares->high = two_sum(q->part[0], q->part[LOW], &squares->low);
#pragma unroll
    for (int i = 0; i < COMPONENTS; i++) {
        sum[i].high = sum[i].low = 0;
#if IS_SPREAD && SUM_IS_PAIR
        sum[i].high = two_sum(q->part[SUM + 2 * i], q->part[SUM + 2 * i + LOW], &sum[i].low);
#elif IS_SPREAD
        sum[i].high = q->part[SUM + i];
#endif
    }
}
#endif

/* Writes the result of sums of n elements in which up to `terms` were rounded, one after the other; returns whether it
 * could. */
DEVICE int spread_finish(const struct reduce_parameters *p, const struct quick *q, int64_t n, double terms, char *out)
{
    terms *= COMPONENTS; /* each has a square */
#if IS_PAIRED
    struct pair sum[COMPONENTS], squares;
    quick_pairs(q, sum, &squares);
    const struct shares by = shares_of(p, n);
#if RELATIVE_PAIRS || !IS_FLOAT
    const double nothing = IS_SPREAD ? 0 * by.share * by.inverse : 0; /* NaN where nothing is there */
#if IS_FLOAT
    if (q->most == 0) return between_store(nothing, nothing, out);
#else
    if (squares.high == 0) return between_store(nothing, nothing, out);
    if (IS_SPREAD && !SUM_IS_PAIR && !((double)n * squares.high < 0x1p105))
        return 0; /* sums of sizes may be no doubles */
#endif
#endif
    return spread_store_pairs(p, by, sum, squares, 8 * (terms + 4) * (terms + 4) * (HALF_UNIT * HALF_UNIT), out);
#else
    return spread_store(shares_of(p, n), q->part + SUM, q->part[0], terms, out);
#endif
}
