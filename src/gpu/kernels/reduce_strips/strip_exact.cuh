/* SPDX-License-Identifier: MIT
 *
 * strip_exact.cuh - exact sums of floats down columns, for reduce_tall.cu: a column's total is a pair of doubles.
 * Narrow numbers of a few rows are first added as doubles, which is exact where their exponents lie close enough;
 * elsewhere it is known what the total is off at most, and nearly always that leaves one result. What does not, and
 * what no pair holds, is summed again as words (tall_words.cuh). No include guard. */
#define HAS_WORDS 1

#include "shuffle.cuh"
#include "strip_pair.cuh"

#include "quick_exact.cuh"

/* A column's total in some rows, and what it is off at most; NaN where no pair tells the sum. With infinities or NaN
 * among the numbers these alone matter: sums of narrow floats, which do not leave the range of doubles otherwise, are
 * what they are then, and off by nothing; those of doubles say so. */
struct total {
    struct pair sum;
    double off;
#if !IS_NARROW
    uint32_t special;
#endif
#if HAS_ABSENT
    int64_t absent;
#endif
};

DEVICE struct total total_identity(void)
{
    struct total total;
    memset(&total, 0, sizeof total);
    return total;
}

DEVICE uint32_t special_of_total(const struct total *total)
{
#if IS_NARROW
    (void)total;
    return 0;
#else
    return total->special;
#endif
}

DEVICE int total_is_lost(const struct total *total)
{
    return total->off != total->off && !special_of_total(total);
}

/* Adds to a pair whose parts may overlap; returns what was lost, or NaN after infinities and NaN. */
DEVICE double pair_gather(struct pair *pair, double x)
{
    double error, lost;
    pair->high = two_sum(pair->high, x, &error);
    pair->low = two_sum(pair->low, error, &lost);
    return lost;
}

DEVICE void total_merge(struct total *a, const struct total *b)
{
    double low, high, off = a->off + b->off;
    off += fabs(pair_gather(&a->sum, b->sum.high));
    off += fabs(pair_gather(&a->sum, b->sum.low));
    high = two_sum(a->sum.high, a->sum.low, &low);
#if IS_NARROW
    const int finite = is_finite(a->sum.high);
    high = finite ? high : a->sum.high;
    low = finite ? low : 0;
    off = finite ? off : 0;
#else
    a->special |= b->special;
#endif
    a->sum.high = high;
    a->sum.low = low;
    off = lost_of_pair(&a->sum, off);
    a->off = off;
#if HAS_ABSENT
    a->absent += b->absent;
#endif
}

#if IS_NARROW
#define HAS_SHORT_TOTALS 1 /* nearly always a double each */

/* The same of totals that are; returns bits of what was lost, or of what one had beside its double. */
DEVICE_UNUSED uint32_t total_merge_short(struct total *a, const struct total *b)
{
    double error;
    uint64_t more = double_bits(a->sum.low) | double_bits(b->sum.low) | double_bits(a->off) | double_bits(b->off);
    a->sum.high = two_sum(a->sum.high, b->sum.high, &error);
#if HAS_ABSENT
    a->absent += b->absent;
#endif
    uint64_t bits = double_bits(error) | more;
    return (uint32_t)(bits >> 32) | (uint32_t)bits;
}
#endif

#if (UNIT_BYTES / ELEMENT_BYTES == 8 || (HAS_ABSENT && ELEMENT_BYTES == 2)) && !ONE_COLUMN
#define HAS_LAID 1 /* eight columns of a thread: there is no room for what a double leaves of its sum */

#if HAS_ABSENT
struct laid {
    double sum;
    float off; /* no less than it was */
    int32_t absent;
};

DEVICE struct laid laid_of(const struct total *total)
{
    double off = total->off + fabs(total->sum.low);
    struct laid laid = {total->sum.high, off == 0 ? 0 : (float)off * 1.0000005f + 0x1p-149f, (int32_t)total->absent};
    return laid;
}
#else
struct laid {
    double sum, off;
};

DEVICE struct laid laid_of(const struct total *total)
{
    struct laid laid = {total->sum.high, total->off + fabs(total->sum.low)};
    return laid;
}
#endif

DEVICE struct total total_of_laid(const struct laid *laid)
{
    struct total total = total_identity();
    total.sum.high = laid->sum;
    total.off = laid->off;
#if HAS_ABSENT
    total.absent = laid->absent;
#endif
    return total;
}
#endif

/* Sums of all that a thread adds to a lane of binary16 numbers are doubles: 2^12 of 40 bits. */
#if defined(ONLY_TYPE_f16) && !ONE_COLUMN
#define STRIP_IS_PLAIN 1
#else
#define STRIP_IS_PLAIN 0
#endif

/* Eight columns of bfloat16 leave no room for pairs, of which results of 8 bits need little. */
#if defined(ONLY_TYPE_bf16) && !ONE_COLUMN
#define STRIP_IS_LONE (RESULT_PART < 8)
#else
#define STRIP_IS_LONE 0
#endif

enum { STRIP_TOTALS = ONE_COLUMN ? 1 : IN_VECTOR };

/* What sums are off is a multiple of the least number: less than the least float is nothing. */
#if STRIP_IS_LONE
typedef float strip_bound;
#define STRIP_MORE 1.0000005f /* makes up for rounding */
#else
typedef double strip_bound;
#define STRIP_MORE 1
#endif

/* A thread's columns. */
struct strip {
#if STRIP_IS_PLAIN
    double lane[IN_VECTOR];
#else
    struct pair lane[IN_VECTOR]; /* of lone ones only the high half */
    strip_bound off[IN_VECTOR];  /* as those of totals: columns may have scales of their own */
#endif
#if !IS_NARROW
    uint32_t special[STRIP_TOTALS]; /* sums of numbers alone may leave the range, too */
#endif
#if HAS_ABSENT
    struct absences absent;
#endif
};

DEVICE void strip_begin(struct strip *strip)
{
    memset(strip, 0, sizeof *strip);
}

DEVICE void strip_gather(struct strip *strip, int k, double x)
{
#if STRIP_IS_PLAIN
    strip->lane[k] += x;
#else
    double lost;
    struct pair *lane = &strip->lane[LANE_OF(k)];
    if (STRIP_IS_LONE) lane->high = two_sum(lane->high, x, &lost);
    else lost = pair_gather(lane, x);
    strip->off[LANE_OF(k)] = (strip->off[LANE_OF(k)] + (strip_bound)fabs(lost)) * STRIP_MORE;
#endif
}

DEVICE void strip_add_element(struct strip *strip, int k, element x, int64_t unit)
{
    (void)unit;
    strip_gather(strip, k, quick_number(x));
#if !IS_NARROW
    strip->special[LANE_OF(k)] |= special_of_double(quick_number(x));
#endif
}

#if IS_NARROW && !STRIP_IS_PLAIN
struct bundle {
    uint32_t word[DEPTH][IN_WORDS]; /* of units alone: more would take registers where this is not needed */
};

DEVICE struct bundle bundle_of(const struct vector16 *v)
{
    struct bundle bundle;
#pragma unroll
    for (int i = 0; i < DEPTH * IN_WORDS; i++)
        bundle.word[i / IN_WORDS][i % IN_WORDS] = v[i / IN_WORDS].word[i % IN_WORDS];
    return bundle;
}

DEVICE_CALL __attribute__((unused)) struct strip strip_with_each(struct strip strip, struct bundle bundle)
{
#pragma unroll 1
    for (int i = 0; i < DEPTH; i++) {
#pragma unroll
        for (int k = 0; k < IN_VECTOR; k++) strip_add_element(&strip, k, load_element(bundle.word[i], k), 0);
    }
    return strip;
}
#endif

#if !IS_NARROW
/* Whether there are infinities or NaN, if sums are none. */
DEVICE void strip_look(struct strip *strip, const struct vector16 *v)
{
    int all = 1;
#pragma unroll
    for (int k = 0; k < STRIP_TOTALS; k++) all &= is_finite(strip->lane[k].high);
    if (all) return;
#pragma unroll
    for (int i = 0; i < DEPTH * IN_VECTOR; i++)
        strip->special[LANE_OF(i % IN_VECTOR)] |=
            special_of_double(quick_number(vector_element(&v[i / IN_VECTOR], i % IN_VECTOR)));
}

/* What stands for these as a sum. */
DEVICE double number_of_special(uint32_t special)
{
    return special == EXACT_PLUS_INFINITY    ? (double)INFINITY
           : special == EXACT_MINUS_INFINITY ? -(double)INFINITY
                                             : (double)NAN;
}
#endif

DEVICE void strip_add(struct strip *strip, const struct vector16 *v, int64_t unit, int64_t step)
{
    (void)unit, (void)step;
#if IS_NARROW && !STRIP_IS_PLAIN
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
        if (RESULT_PART == 8) { /* has a place for whatever they are off */
            *strip = strip_with_each(*strip, bundle_of(v));
            return;
        }
#pragma unroll
        for (int k = 0; k < IN_VECTOR; k += SUMMED) {
            struct watch own = watch_begin();
#pragma unroll
            for (int i = 0; i < DEPTH * SUMMED; i++) watch_number(&own, vector_element(&v[i / SUMMED], k + i % SUMMED));
            strip->off[k] = (strip->off[k] + (strip_bound)watch_off(&own, DEPTH * SUMMED)) * STRIP_MORE;
        }
    }
#pragma unroll
    for (int k = 0; k < IN_VECTOR; k += SUMMED) strip_gather(strip, k, sum[k]);
#else
#pragma unroll
    for (int i = 0; i < DEPTH * IN_VECTOR; i++)
        strip_gather(strip, i % IN_VECTOR, quick_number(vector_element(&v[i / IN_VECTOR], i % IN_VECTOR)));
#if !IS_NARROW
    strip_look(strip, v);
#endif
#endif
}

/* Whether what follows need not be added, as nothing changes NaN. Walks ask before they add what is there, so as not to
 * wait for its sums. Of doubles, numbers alone may have left the range: their sum goes by words, which add neither
 * infinities nor what is absent again. */
DEVICE int strip_is_lost(const struct strip *strip)
{
    int lost = 1;
#pragma unroll
    for (int k = 0; k < STRIP_TOTALS; k++) {
#if STRIP_IS_PLAIN
        lost &= strip->lane[k] != strip->lane[k];
#elif IS_NARROW
        lost &= strip->lane[k].high != strip->lane[k].high;
#else
        lost &= (strip->special[k] & EXACT_NAN) != 0;
#endif
    }
    return lost;
}

DEVICE struct total strip_total(const struct strip *strip, int k)
{
    struct total total = total_identity();
#if STRIP_IS_PLAIN
    total.sum.high = strip->lane[k];
#elif IS_NARROW
    total.sum.high = strip->lane[k].high;
    if (is_finite(total.sum.high)) {
        total.sum.high = two_sum(strip->lane[k].high, strip->lane[k].low, &total.sum.low);
        total.off = strip->off[k];
    }
#else
    total.sum.high = two_sum(strip->lane[k].high, strip->lane[k].low, &total.sum.low);
    total.off = lost_of_pair(&total.sum, strip->off[k]);
    total.special = strip->special[k];
#endif
#if HAS_ABSENT
    total.absent = absences_of(&strip->absent, k);
#endif
    return total;
}

DEVICE void strip_end(const struct strip *strip, struct total *totals)
{
#pragma unroll
    for (int k = 0; k < STRIP_TOTALS; k++) totals[k] = strip_total(strip, k);
}

/* Writes the result; returns whether it could, as it always can where nothing was lost. */
DEVICE_CALL int total_settle(const struct reduce_parameters *p, struct total total, int64_t cell)
{
    struct near_sum sum = {total.sum, 0, total.off};
    int64_t n = p->length - ABSENT(total);
#if !IS_NARROW
    if (total.special) {
        sum.pair.high = number_of_special(total.special);
        sum.pair.low = 0;
        pair_to_cell(p, sum.pair, ABSENT(total), cell);
        return 1;
    }
#endif
    if (total.off != 0) return near_store(p, &sum, n, (char *)p->out + out_of_cell(p, cell) * RESULT_SIZE);
    pair_to_cell(p, total.sum, ABSENT(total), cell);
    return 1;
}

/* What splits published as a pair, in words, if it is exact. */
DEVICE_CALL struct words words_of_total(struct total total)
{
    struct words words = words_of_pair(total.sum);
    if (total.off != 0) words.special |= EXACT_FAILED;
#if !IS_NARROW
    if (total.special) words.special = total.special;
#endif
    return words;
}

/* Whether gathered words tell the result: with infinities or NaN whatever else there is, or by another kernel. */
DEVICE int words_tell(struct words *words)
{
    if (words->special & (EXACT_NAN | EXACT_PLUS_INFINITY | EXACT_MINUS_INFINITY)) words->special &= ~EXACT_FAILED;
    return !IS_NARROW || !(words->special & EXACT_FAILED);
}

SHUFFLE(near_sum)

/* A cell once more, in three doubles, by `members` threads of which a warp has several; in each warp's first lane. */
DEVICE_CALL struct near_sum near_of_cell(const struct reduce_parameters *p, const char *x, int32_t member,
                                         int32_t members)
{
    struct near_sum sum = {{0, 0}, 0, 0};
#pragma unroll 4
    for (int64_t i = member; i < p->length; i += members) {
#if REDUCED_NEST || COLUMNS_OF_CELL > 1
        int64_t at = offsets_of(p->reduced, p->reduced_count, i).x;
#else
        int64_t at = i * p->reduced[0].x;
#endif
        near_add(&sum, quick_number(element_at(p, x, at)));
    }
#pragma unroll 1
    for (uint32_t half = 16; half > 0; half /= 2) {
        struct near_sum other = near_sum_down(sum, half);
        near_merge(&sum, &other);
    }
    return sum;
}

/* The same by a block, in its first thread. */
DEVICE struct near_sum near_of_block(const struct reduce_parameters *p, const char *x)
{
    __shared__ struct near_sum room[THREADS / 32];
    struct near_sum sum = near_of_cell(p, x, (int32_t)threadIdx.x, THREADS);
    __syncthreads();
    if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = sum;
    __syncthreads();
#pragma unroll 1
    for (int i = 1; i < THREADS / 32 && threadIdx.x == 0; i++) near_merge(&sum, &room[i]);
    return sum;
}
