/* SPDX-License-Identifier: MIT
 *
 * strip_exact.cuh - exact sums of floats down columns, for reduce_tall.cu: a column's total is a pair of doubles.
 * Narrow numbers of a few rows are first added as doubles, which is exact where their exponents lie close enough. What
 * no pair holds is summed again as words (tall_words.cuh). No include guard. */
#define HAS_WORDS 1

#include "strip_pair.cuh"

#include "quick_exact.cuh"

/* A column's total in some rows; high is NaN where no pair holds it. */
struct total {
    struct pair sum;
};

DEVICE struct total total_identity(void)
{
    struct total total = {{0, 0}};
    return total;
}

DEVICE int total_is_lost(const struct total *total)
{
    return total->sum.high != total->sum.high;
}

/* Adds to a pair whose parts may overlap; returns bits of what was lost, or of infinities and NaN. */
DEVICE uint32_t pair_gather(struct pair *pair, double x)
{
    double error, lost;
    pair->high = two_sum(pair->high, x, &error);
    pair->low = two_sum(pair->low, error, &lost);
    uint64_t bits = double_bits(lost);
    return (uint32_t)(bits >> 32) | (uint32_t)bits;
}

DEVICE void total_merge(struct total *a, const struct total *b)
{
    uint32_t lost = pair_gather(&a->sum, b->sum.high);
    lost |= (uint32_t)pair_add(&a->sum, b->sum.low);
    if (lost) a->sum.high = (double)NAN;
}

/* Sums of all that a thread adds to a lane of binary16 numbers are doubles: 2^12 of 40 bits. */
#if defined(ONLY_TYPE_f16) && !ONE_COLUMN
#define STRIP_IS_PLAIN 1
#else
#define STRIP_IS_PLAIN 0
#endif

enum { STRIP_TOTALS = ONE_COLUMN ? 1 : IN_VECTOR };

/* A thread's columns. */
struct strip {
#if STRIP_IS_PLAIN
    double lane[IN_VECTOR];
#else
    struct pair lane[IN_VECTOR];
    uint32_t lost; /* bits of what additions lost */
#endif
};

DEVICE void strip_begin(struct strip *strip)
{
    memset(strip, 0, sizeof *strip);
}

DEVICE void strip_add_element(struct strip *strip, int k, element x, int64_t unit)
{
    (void)unit;
#if STRIP_IS_PLAIN
    strip->lane[k] += quick_number(x);
#else
    strip->lost |= pair_gather(&strip->lane[LANE_OF(k)], quick_number(x));
#endif
}

#if IS_NARROW && !STRIP_IS_PLAIN
struct bundle {
    uint32_t word[DEPTH][IN_WORDS]; /* of units alone: more would take registers where this is not needed */
};

DEVICE_CALL struct strip strip_with_each(struct strip strip, struct bundle bundle)
{
#pragma unroll 1
    for (int i = 0; i < DEPTH; i++) {
#pragma unroll
        for (int k = 0; k < IN_VECTOR; k++) strip_add_element(&strip, k, load_element(bundle.word[i], k), 0);
    }
    return strip;
}

DEVICE void strip_add(struct strip *strip, const struct vector16 *v, int64_t unit, int64_t step)
{
    (void)unit, (void)step;
    enum { SUMMED = ONE_COLUMN ? IN_VECTOR : 1 };
    struct watch watch = watch_begin();
    double sum[IN_VECTOR];
#pragma unroll
    for (int k = 0; k < IN_VECTOR; k += SUMMED) {
        struct quick q = quick_begin();
#pragma unroll
        for (int i = 0; i < DEPTH * SUMMED; i++) quick_add(&q, &watch, vector_element(&v[i / SUMMED], k + i % SUMMED));
        sum[k] = q.high;
    }
    if (watch_failed(&watch, DEPTH * SUMMED)) {
        struct bundle bundle;
#pragma unroll
        for (int i = 0; i < DEPTH * IN_WORDS; i++)
            bundle.word[i / IN_WORDS][i % IN_WORDS] = v[i / IN_WORDS].word[i % IN_WORDS];
        *strip = strip_with_each(*strip, bundle);
        return;
    }
#pragma unroll
    for (int k = 0; k < IN_VECTOR; k += SUMMED) strip->lost |= pair_gather(&strip->lane[k], sum[k]);
}
#else
DEVICE void strip_add(struct strip *strip, const struct vector16 *v, int64_t unit, int64_t step)
{
    (void)unit, (void)step;
#pragma unroll
    for (int i = 0; i < DEPTH * IN_VECTOR; i++)
        strip_add_element(strip, i % IN_VECTOR, vector_element(&v[i / IN_VECTOR], i % IN_VECTOR), 0);
}
#endif

/* Whether what follows need not be added. */
DEVICE int strip_is_lost(const struct strip *strip)
{
#if STRIP_IS_PLAIN
    (void)strip;
    return 0;
#else
    return strip->lost != 0;
#endif
}

DEVICE void strip_end(const struct strip *strip, struct total *totals)
{
#pragma unroll
    for (int k = 0; k < STRIP_TOTALS; k++) {
#if STRIP_IS_PLAIN
        totals[k].sum.high = is_finite(strip->lane[k]) ? strip->lane[k] : (double)NAN;
        totals[k].sum.low = 0;
#else
        totals[k].sum.high = two_sum(strip->lane[k].high, strip->lane[k].low, &totals[k].sum.low);
        if (strip->lost) totals[k].sum.high = (double)NAN;
#endif
    }
}

DEVICE void total_finish(const struct reduce_parameters *p, const struct total *total, int64_t cell)
{
    pair_to_cell(p, total->sum, cell);
}
