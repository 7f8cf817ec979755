/* SPDX-License-Identifier: MIT
 *
 * scan_sum.h - exact running sums at vector speed. Included once by kernels_scan.c.
 *
 * Each value is split into a multiple of a coarse unit and a rest. The unit is so large that running sums of the
 * multiples, and so small that those of the rests, stay within 53 bits: all additions are exact, so they may be made in
 * any order, and the running sum is coarse + fine to the last bit. That the rests have no bit below their own unit is
 * checked; otherwise the caller takes the slow way. */
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
    double coarse, fine;         /* adding and subtracting it rounds to a multiple of the unit */
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

/* Units for these values and the pair; false when there are none. */
static int sum_open(const double *x, size_t n, const struct scan_pair *pair, struct sum_grid *grid)
{
    int carried = (int)(double_bits(pair->high) >> 52 & 0x7ff) - 1022;
    int top = sum_exponent(x, n) + SUM_ROOM;
    if (top < carried) top = carried;
    top += 1;
    if (top < -980) top = -980; /* then the fine unit is the smallest subnormal number */
    if (top > 1022) return 0;
    grid->coarse = double_from_bits((uint64_t)(top + 1023) << 52 | 1ull << 51);
    grid->fine = double_from_bits((uint64_t)(top - SUM_DISTANCE + 1023) << 52 | 1ull << 51);
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

static int sum_any(sum_words lost)
{
    int64_t any = 0;
    for (int l = 0; l < SUM_WIDTH; l++) any |= lost[l];
    return (uint64_t)any << 1 != 0; /* the sign of a zero is no bit */
}

/* The running sums so far, and what was lost. */
struct sum_state {
    sum_vector coarse, fine;
    sum_words lost;
};

ALWAYS_INLINE sum_vector sum_step(const struct sum_grid *grid, struct sum_state *s, sum_vector v, int odd)
{
    sum_vector fine, coarse = sum_split(grid, v, &fine, &s->lost);
    coarse = sum_scan(coarse);
    fine = sum_scan(fine);
    sum_vector high = s->coarse + coarse, low = s->fine + fine;
    s->coarse += sum_last(coarse);
    s->fine += sum_last(fine);
    return odd ? sum_odd(high, low) : high + low;
}

ALWAYS_INLINE int sum_run(const double *x, size_t n, int odd, struct scan_pair *pair, double *values)
{
    struct sum_grid grid;
    if (!sum_open(x, n, pair, &grid)) return 0;
    sum_vector zero = {0}, result;
    struct sum_state s = {zero + grid.coarse_sum, zero + grid.fine_sum, {0}};
    size_t i = 0;
    for (; n - i >= SUM_WIDTH; i += SUM_WIDTH) {
        result = sum_step(&grid, &s, sum_load(x + i), odd);
        memcpy(values + i, &result, sizeof result);
    }
    if (i < n) {
        double tail[SUM_WIDTH] = {0};
        memcpy(tail, x + i, (n - i) * sizeof *x);
        result = sum_step(&grid, &s, sum_load(tail), odd);
        memcpy(values + i, &result, (n - i) * sizeof *values);
    }
    if (sum_any(s.lost)) return 0;
    sum_close(s.coarse[0], s.fine[0], pair);
    return 1;
}

static int scan_sum(const double *x, size_t n, int odd, struct scan_pair *pair, double *values)
{
    return odd ? sum_run(x, n, 1, pair, values) : sum_run(x, n, 0, pair, values);
}

static int scan_sum_total(const double *x, size_t n, struct scan_pair *pair)
{
    struct sum_grid grid;
    if (!sum_open(x, n, pair, &grid)) return 0;
    sum_vector coarse_sum[2] = {{0}, {0}}, fine_sum[2] = {{0}, {0}}, fine;
    sum_words lost = {0};
    for (size_t i = 0; i < n; i += 2 * SUM_WIDTH) {
        double tail[2 * SUM_WIDTH] = {0};
        const double *from = x + i;
        if (n - i < 2 * SUM_WIDTH) from = memcpy(tail, x + i, (n - i) * sizeof *x);
        for (int k = 0; k < 2; k++) {
            coarse_sum[k] += sum_split(&grid, sum_load(from + k * SUM_WIDTH), &fine, &lost);
            fine_sum[k] += fine;
        }
    }
    if (sum_any(lost)) return 0;
    for (int l = 0; l < SUM_WIDTH; l++) {
        grid.coarse_sum += coarse_sum[0][l] + coarse_sum[1][l];
        grid.fine_sum += fine_sum[0][l] + fine_sum[1][l];
    }
    sum_close(grid.coarse_sum, grid.fine_sum, pair);
    return 1;
}

#endif
