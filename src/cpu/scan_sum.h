/* SPDX-License-Identifier: MIT
 *
 * scan_sum.h - exact running sums at vector speed. Included once by kernels_scan.c.
 *
 * Additions of multiples of a unit are exact while sums stay below 2^53 units; then they may be made in any order. When
 * all values of a piece are multiples of one unit that leaves their sums that room, the running sum is what came before
 * plus one word. Otherwise each value is split into a multiple of a coarse unit and a rest, which is a multiple of a
 * fine one, and the running sum is coarse + fine. That no bit lies below the unit is checked as values go by; if one
 * does, the caller takes the slow way. */
#ifndef TALLY_CPU_SCAN_SUM_H
#define TALLY_CPU_SCAN_SUM_H

/* Vectors wider than the processor's are taken apart by compilers, badly. */
#if defined(__AVX512F__)
#define SUM_WIDTH 8
#elif defined(__AVX2__)
#define SUM_WIDTH 4
#else
#define SUM_WIDTH 2
#endif
typedef double sum_vector __attribute__((vector_size(8 * SUM_WIDTH)));
typedef int64_t sum_words __attribute__((vector_size(8 * SUM_WIDTH)));

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define SUM_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#endif
#endif
#ifndef SUM_SHUFFLE
#define SUM_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (sum_words){__VA_ARGS__})
#endif

/* log2 of the pieces' length, and the distance of the two units: 2^42 leaves the rests' sums their room. */
#define SUM_ROOM 10
#define SUM_DISTANCE 42
_Static_assert(SCAN_MOST <= 1 << SUM_ROOM, "sums of a piece must have room");

struct sum_grid {
    double coarse, fine;         /* sum_magic of the units */
    double coarse_sum, fine_sum; /* the pair, split */
};

/* In-lane running sums, and the last lane in all lanes. */
ALWAYS_INLINE sum_vector sum_scan(sum_vector v)
{
    const sum_vector zero = {0};
#if SUM_WIDTH == 8
    v += SUM_SHUFFLE(zero, v, 0, 8, 9, 10, 11, 12, 13, 14);
    v += SUM_SHUFFLE(zero, v, 0, 0, 8, 9, 10, 11, 12, 13);
    v += SUM_SHUFFLE(zero, v, 0, 0, 0, 0, 8, 9, 10, 11);
#elif SUM_WIDTH == 4
    v += SUM_SHUFFLE(zero, v, 0, 4, 5, 6);
    v += SUM_SHUFFLE(zero, v, 0, 0, 4, 5);
#else
    v += SUM_SHUFFLE(zero, v, 0, 2);
#endif
    return v;
}

ALWAYS_INLINE sum_vector sum_last(sum_vector v)
{
#if SUM_WIDTH == 8
    return SUM_SHUFFLE(v, v, 7, 7, 7, 7, 7, 7, 7, 7);
#elif SUM_WIDTH == 4
    return SUM_SHUFFLE(v, v, 3, 3, 3, 3);
#else
    return SUM_SHUFFLE(v, v, 1, 1);
#endif
}

ALWAYS_INLINE sum_vector sum_load(const double *x)
{
    sum_vector v;
    memcpy(&v, x, sizeof v);
    return v;
}

/* round_to_odd_sum of narrow.h, for vectors. */
ALWAYS_INLINE sum_vector sum_odd(sum_vector high, sum_vector low)
{
    sum_vector sum = high + low;
    sum_vector part = sum - high;
    sum_vector error = (high - (sum - part)) + (low - part);
    sum_words bits = (sum_words)sum;
    sum_words away = 1 + 2 * (((sum_words)error ^ bits) >> 63);
    sum_words move = (error != 0) & ~bits & 1; /* a comparison gives all ones */
    return (sum_vector)(bits + (away & -move));
}

/* The exponent e of the smallest 2^e above the size of all values; large when there is an infinity. */
static int sum_exponent(const double *x, size_t n)
{
    enum { LANES = 32 };
    double largest[LANES] = {0};
    size_t i = 0;
    for (; n - i >= LANES; i += LANES) {
        for (int l = 0; l < LANES; l++) {
            double size = fabs(x[i + (size_t)l]);
            largest[l] = size > largest[l] ? size : largest[l];
        }
    }
    for (; i < n; i++) largest[0] = fabs(x[i]) > largest[0] ? fabs(x[i]) : largest[0];
    for (int l = 1; l < LANES; l++) largest[0] = largest[l] > largest[0] ? largest[l] : largest[0];
    return (int)(double_bits(largest[0]) >> 52) - 1022;
}

/* Adding and subtracting it rounds values below 2^top to multiples of 2^(top - 52). */
static double sum_magic(int top)
{
    return double_from_bits((uint64_t)(top + 1023) << 52 | 1ull << 51);
}

static int sum_bits(double x)
{
    return (int)(double_bits(x) >> 52 & 0x7ff) - 1022;
}

/* Units for these values and the pair; false when there are none. */
static int sum_open(int top, const struct scan_pair *pair, struct sum_grid *grid)
{
    if (top < sum_bits(pair->high)) top = sum_bits(pair->high);
    top += 1;
    if (top < -980) top = -980; /* then the fine unit is the smallest subnormal number */
    if (top > 1022) return 0;
    grid->coarse = sum_magic(top);
    grid->fine = sum_magic(top - SUM_DISTANCE);
    grid->coarse_sum = (pair->high + grid->coarse) - grid->coarse;
    double rest = pair->high - grid->coarse_sum;
    grid->fine_sum = rest + pair->low;
    return (rest + grid->fine) - grid->fine == rest && (pair->low + grid->fine) - grid->fine == pair->low;
}

static void sum_close(double coarse, double fine, struct scan_pair *pair)
{
    pair->high = coarse + fine;
    double part = pair->high - coarse;
    pair->low = (coarse - (pair->high - part)) + (fine - part);
}

/* Splits a vector of values and notes bits below the fine unit. */
ALWAYS_INLINE sum_vector sum_split(const struct sum_grid *grid, sum_vector v, sum_vector *fine, sum_words *lost)
{
    sum_vector coarse = (v + grid->coarse) - grid->coarse;
    *fine = v - coarse;
    *lost |= (sum_words)(*fine - ((*fine + grid->fine) - grid->fine));
    return coarse;
}

/* The running sums so far, bits that were lost, and whether a sum lies in the middle between two floats (then the sign
 * bit is set): rounding it to double first may have put it there. */
struct sum_state {
    sum_vector coarse, fine;
    sum_words lost, tied;
};

ALWAYS_INLINE sum_vector sum_round(struct sum_state *s, sum_vector high, sum_vector low, enum scan_rounding rounding)
{
    if (rounding == SCAN_ODD) return sum_odd(high, low);
    sum_vector result = high + low;
    if (rounding == SCAN_SINGLE) s->tied |= (((sum_words)result ^ 0x10000000) & 0x1fffffff) - 1;
    return result;
}

enum sum_outcome { SUM_DONE, SUM_LOST, SUM_TIED };

static enum sum_outcome sum_outcome(const struct sum_state *s)
{
    int64_t lost = 0, tied = 0;
    for (int l = 0; l < SUM_WIDTH; l++) lost |= s->lost[l], tied |= s->tied[l];
    if ((uint64_t)lost << 1 != 0) return SUM_LOST; /* the sign of a zero is no bit */
    return tied < 0 ? SUM_TIED : SUM_DONE;
}

ALWAYS_INLINE sum_vector sum_step(const struct sum_grid *grid, struct sum_state *s, sum_vector v,
                                  enum scan_rounding rounding)
{
    sum_vector fine, coarse = sum_split(grid, v, &fine, &s->lost);
    coarse = sum_scan(coarse);
    fine = sum_scan(fine);
    sum_vector high = s->coarse + coarse, low = s->fine + fine;
    s->coarse += sum_last(coarse);
    s->fine += sum_last(fine);
    return sum_round(s, high, low, rounding);
}

ALWAYS_INLINE enum sum_outcome sum_two_words(const double *x, size_t n, int top, enum scan_rounding rounding,
                                             struct scan_pair *pair, double *values)
{
    struct sum_grid grid;
    if (!sum_open(top, pair, &grid)) return SUM_LOST;
    sum_vector zero = {0}, result;
    struct sum_state s = {zero + grid.coarse_sum, zero + grid.fine_sum, {0}, {0}};
    size_t i = 0;
    for (; n - i >= SUM_WIDTH; i += SUM_WIDTH) {
        result = sum_step(&grid, &s, sum_load(x + i), rounding);
        memcpy(values + i, &result, sizeof result);
    }
    if (i < n) {
        double tail[SUM_WIDTH] = {0};
        memcpy(tail, x + i, (n - i) * sizeof *x);
        result = sum_step(&grid, &s, sum_load(tail), rounding);
        memcpy(values + i, &result, (n - i) * sizeof *values);
    }
    enum sum_outcome outcome = sum_outcome(&s);
    if (outcome == SUM_DONE) sum_close(s.coarse[0], s.fine[0], pair);
    return outcome;
}

/* One step of sums in one word: what came before the piece stays in s->coarse. */
ALWAYS_INLINE sum_vector sum_step_one(double magic, struct sum_state *s, sum_vector v, enum scan_rounding rounding)
{
    sum_vector sum;
    s->lost |= (sum_words)(v - ((v + magic) - magic));
    v = sum_scan(v);
    sum = s->fine + v;
    s->fine += sum_last(v);
    return sum_round(s, s->coarse, sum, rounding);
}

ALWAYS_INLINE enum sum_outcome sum_one_word(const double *x, size_t n, int top, enum scan_rounding rounding,
                                            struct scan_pair *pair, double *values)
{
    if (top < sum_bits(pair->low)) top = sum_bits(pair->low);
    top += 1;
    if (top < -1022 || top > 1022) return SUM_LOST;
    double magic = sum_magic(top);
    if ((pair->low + magic) - magic != pair->low) return SUM_LOST;
    sum_vector zero = {0}, result;
    struct sum_state s = {zero + pair->high, zero + pair->low, {0}, {0}};
    size_t i = 0;
    for (; n - i >= SUM_WIDTH; i += SUM_WIDTH) {
        result = sum_step_one(magic, &s, sum_load(x + i), rounding);
        memcpy(values + i, &result, sizeof result);
    }
    if (i < n) {
        double tail[SUM_WIDTH] = {0};
        memcpy(tail, x + i, (n - i) * sizeof *x);
        result = sum_step_one(magic, &s, sum_load(tail), rounding);
        memcpy(values + i, &result, (n - i) * sizeof *values);
    }
    enum sum_outcome outcome = sum_outcome(&s);
    if (outcome == SUM_DONE) sum_close(pair->high, s.fine[0], pair);
    return outcome;
}

/* How many pieces take the longer way at once after one had to. */
#define SUM_PATIENCE 15

ALWAYS_INLINE enum sum_outcome sum_run(const double *x, size_t n, int top, enum scan_rounding rounding,
                                       struct scan_pair *pair, double *values)
{
    if (pair->patience > 0) {
        pair->patience--;
    } else {
        enum sum_outcome outcome = sum_one_word(x, n, top, rounding, pair, values);
        if (outcome != SUM_LOST) return outcome;
        pair->patience = SUM_PATIENCE;
    }
    return sum_two_words(x, n, top, rounding, pair, values);
}

static int scan_sum(const double *x, size_t n, enum scan_rounding rounding, struct scan_pair *pair, double *values)
{
    int top = sum_exponent(x, n) + SUM_ROOM;
    if (rounding == SCAN_NEAREST) return sum_run(x, n, top, SCAN_NEAREST, pair, values) == SUM_DONE;
    if (rounding == SCAN_SINGLE && pair->ties == 0) {
        enum sum_outcome outcome = sum_run(x, n, top, SCAN_SINGLE, pair, values);
        if (outcome != SUM_TIED) return outcome == SUM_DONE;
        pair->ties = SUM_PATIENCE;
    } else if (pair->ties > 0) {
        pair->ties--;
    }
    return sum_run(x, n, top, SCAN_ODD, pair, values) == SUM_DONE;
}

static int scan_sum_total(const double *x, size_t n, struct scan_pair *pair)
{
    struct sum_grid grid;
    if (!sum_open(sum_exponent(x, n) + SUM_ROOM, pair, &grid)) return 0;
    sum_vector coarse_sum[2] = {{0}, {0}}, fine_sum[2] = {{0}, {0}}, fine;
    struct sum_state s = {{0}, {0}, {0}, {0}};
    for (size_t i = 0; i < n; i += 2 * SUM_WIDTH) {
        double tail[2 * SUM_WIDTH] = {0};
        const double *from = x + i;
        if (n - i < 2 * SUM_WIDTH) from = memcpy(tail, x + i, (n - i) * sizeof *x);
        for (int k = 0; k < 2; k++) {
            coarse_sum[k] += sum_split(&grid, sum_load(from + k * SUM_WIDTH), &fine, &s.lost);
            fine_sum[k] += fine;
        }
    }
    if (sum_outcome(&s) != SUM_DONE) return 0;
    for (int l = 0; l < SUM_WIDTH; l++) {
        grid.coarse_sum += coarse_sum[0][l] + coarse_sum[1][l];
        grid.fine_sum += fine_sum[0][l] + fine_sum[1][l];
    }
    sum_close(grid.coarse_sum, grid.fine_sum, pair);
    return 1;
}

/* Knuth's two-sum adds to the high word, and what that loses is added to the low one; what this loses in turn is not
 * kept but noticed. */
static void scan_sum_cells(struct scan_pairs *pairs, const double *x, int odd, int exclusive, double *values)
{
    sum_words lost = {0};
    for (size_t c = 0; c < SCAN_CELLS; c += SUM_WIDTH) {
        sum_vector v = sum_load(x + c), high = sum_load(pairs->high + c), low = sum_load(pairs->low + c);
        sum_vector sum = high + v, back = sum - high;
        sum_vector error = (high - (sum - back)) + (v - back);
        sum_vector low_sum = low + error;
        back = low_sum - low;
        lost |= (sum_words)((low - (low_sum - back)) + (error - back)) << 1; /* the sign of a zero is no bit */
        memcpy(pairs->high + c, &sum, sizeof sum);
        memcpy(pairs->low + c, &low_sum, sizeof low_sum);
        if (!exclusive) high = sum, low = low_sum;
        high = odd ? sum_odd(high, low) : high + low;
        memcpy(values + c, &high, sizeof high);
    }
    for (int l = 0; l < SUM_WIDTH; l++) pairs->lost |= (uint64_t)lost[l];
}

#endif
