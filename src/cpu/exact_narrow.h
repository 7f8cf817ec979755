/* SPDX-License-Identifier: MIT
 *
 * exact_narrow.h - exact sums of f32 values (f16 and bf16 are widened first) as sums of doubles, where that loses
 * nothing: when a lane's share of values, from the largest down to the last bit of the smallest, fits a double's 53
 * bits. Included once by kernels.c. */
#ifndef TALLY_CPU_EXACT_NARROW_H
#define TALLY_CPU_EXACT_NARROW_H

#include "exact_stream.h"

/* Elements of a lane in one leaf, as a power of two. */
#define NARROW_SHARE_BITS (STREAM_SHARE_BITS - 1)

/* A row has half as many vectors of floats as it has of doubles. */
#define NARROW_HALVES (STREAM_VECTORS / 2)

/* The binades of the finite values of a leaf. */
struct narrow_range {
    int32_t high; /* biased exponent of the largest; 255 when a value is not finite */
    int32_t low;  /* of the smallest that is not zero, at least 1 */
};

/* Sums and sizes of a leaf, by lanes. */
struct narrow_lanes {
    vector_double sum[STREAM_VECTORS];
    vector_double square[STREAM_VECTORS]; /* a bin that took the squares' high parts */
    vector_double rest[STREAM_VECTORS];   /* and their low parts */
    /* Largest size; largest of the sizes counted down from below zero, where zero itself comes last. */
    vector_int top[NARROW_HALVES], bottom[NARROW_HALVES];
    vector_floats lowest[NARROW_HALVES], highest[NARROW_HALVES];
    vector_int zeros[NARROW_HALVES]; /* counted down */
};

/* What a pass works out beside the sum: constants at every call. */
enum { NARROW_MAGNITUDE = 1, NARROW_SQUARES = 2, NARROW_EXTREMES = 4 };

/* Size s >= 0 becomes -s, and 0 becomes the lowest number of all. */
VECTOR_FUNCTION vector_int counted_down(vector_int size)
{
    return ~(size - 1) | ((size - 1) & INT32_MIN);
}

VECTOR_FUNCTION void narrow_row(struct narrow_lanes *s, const float *x, int pass)
{
    for (int h = 0; h < NARROW_HALVES; h++) {
        vector_int bits = vector_load_int(x + h * 2 * VECTOR_DOUBLES), size = bits & 0x7fffffff;
        s->top[h] = vector_max(s->top[h], size);
        s->bottom[h] = vector_max(s->bottom[h], counted_down(size));
        if (pass & NARROW_EXTREMES) {
            s->lowest[h] = vector_min_float(s->lowest[h], (vector_floats)bits);
            s->highest[h] = vector_max_float(s->highest[h], (vector_floats)bits);
            s->zeros[h] += size == 0;
        }
    }
    for (int u = 0; u < STREAM_VECTORS; u++) {
        vector_double v = vector_widen(vector_load_float(x + u * VECTOR_DOUBLES));
        if (pass & NARROW_MAGNITUDE) v = (vector_double)((vector_long)v & INT64_MAX);
        s->sum[u] += v;
        if (pass & NARROW_SQUARES) {
            /* Squares of floats are exact doubles; as fused steps they share the work out to more units. */
            vector_double bin = vector_fma(v, v, s->square[u]);
            s->rest[u] += vector_fma(v, v, s->square[u] - bin);
            s->square[u] = bin;
        }
    }
}

VECTOR_FUNCTION struct narrow_range narrow_run(struct narrow_lanes *s, const float *x, size_t n, int pass, double bin)
{
    vector_int zero = {0};
    vector_floats none = {0};
    for (int u = 0; u < STREAM_VECTORS; u++) {
        s->sum[u] = s->rest[u] = vector_all(0);
        s->square[u] = vector_all(bin);
    }
    for (int h = 0; h < NARROW_HALVES; h++) {
        s->top[h] = zero;
        s->bottom[h] = zero + INT32_MIN;
        s->zeros[h] = zero;
        s->lowest[h] = none + x[0];
        s->highest[h] = none + x[0];
    }
    size_t i = 0;
    for (; n - i >= STREAM_LANES; i += STREAM_LANES) narrow_row(s, x + i, pass);
    if (i < n) {
        float tail[STREAM_LANES] = {0};
        memcpy(tail, x + i, (n - i) * sizeof *x);
        narrow_row(s, tail, pass & ~NARROW_EXTREMES);
    }
    struct narrow_range range = {0, 255};
    for (int h = 0; h < NARROW_HALVES; h++) {
        for (int l = 0; l < 2 * VECTOR_DOUBLES; l++) {
            int32_t high = s->top[h][l] >> 23, down = s->bottom[h][l];
            int32_t low = down == INT32_MIN ? 255 : -down >> 23;
            range.high = high > range.high ? high : range.high;
            range.low = low < range.low ? low : range.low;
        }
    }
    if (range.low < 1) range.low = 1;
    return range;
}

/* Adds the lanes, which are integers below 2^53 times 2^unit. */
static void narrow_commit(struct exact *sum, const vector_double *lanes, int32_t unit)
{
    double scale = double_from_bits((uint64_t)(1023 - unit) << 52);
    int64_t total = 0;
    for (int u = 0; u < STREAM_VECTORS; u++) {
        for (int l = 0; l < VECTOR_DOUBLES; l++) total += (int64_t)(lanes[u][l] * scale);
    }
    exact_add_integer(sum, total, unit);
}

/* The weight of the last bit of a value with this biased exponent. */
static int32_t narrow_unit(int32_t exponent, int precision)
{
    return exponent - 127 - (precision - 1);
}

static int narrow_fits(struct narrow_range range, int precision)
{
    return range.high < 255 && range.high - range.low + precision + NARROW_SHARE_BITS <= 52;
}

/* False, with nothing added, when the sum may lose something or a value is not finite. */
static int narrow_value(struct exact *sum, const float *x, size_t n, int precision, int magnitude)
{
    struct narrow_lanes s;
    struct narrow_range range = magnitude ? narrow_run(&s, x, n, NARROW_MAGNITUDE, 0) : narrow_run(&s, x, n, 0, 0);
    if (range.high == 0 && range.low == 255) return 1;
    if (!narrow_fits(range, precision)) return 0;
    narrow_commit(sum, s.sum, narrow_unit(range.low, precision));
    return 1;
}

/* The bin for squares of values up to a biased exponent, with a binade to spare, as its biased exponent. */
static int32_t narrow_square_anchor(int32_t high)
{
    return 1023 + 2 * (high - 127 + 2) + NARROW_SHARE_BITS + 2;
}

/* The squares' bin and rest, when the range shows that they lost nothing. A bin takes a lane's squares while each is
 * below 2^-(share + 1) of it; what it loses of one is below half its last place, and a lane's share of that, down to
 * the last bit of the smallest square, must fit a double, too. The window's anchor is set for the next attempt. */
static int narrow_squares_fit(struct exact_window *window, struct narrow_range range, int32_t anchor, int precision)
{
    int32_t unit = 2 * narrow_unit(range.low, precision), highest = 2 * (range.high - 127 + 1);
    int fits_above = highest <= anchor - 1023 - 1 - NARROW_SHARE_BITS;
    int fits_below = anchor - 1023 - 53 + NARROW_SHARE_BITS - unit <= 52;
    window->square_anchor = fits_above && fits_below ? anchor : narrow_square_anchor(range.high);
    return fits_above && fits_below;
}

static void narrow_commit_squares(struct exact *square, const struct narrow_lanes *s, int32_t anchor, int32_t unit)
{
    int64_t total = 0;
    for (int u = 0; u < STREAM_VECTORS; u++) {
        for (int l = 0; l < VECTOR_DOUBLES; l++)
            total += (int64_t)(double_bits(s->square[u][l]) - double_bits(bin_start(anchor)));
    }
    exact_add_integer(square, total, anchor - 1023 - 52);
    narrow_commit(square, s->rest, unit);
}

/* Values into sum (unless NULL) and squares into square in one pass; false, with nothing added, as above. The window
 * holds the squares' bin of the last leaf. The lanes are left for the caller. */
VECTOR_FUNCTION int narrow_moments(struct exact *sum, struct exact *square, struct exact_window *window, const float *x,
                                   size_t n, int precision, int pass, struct narrow_lanes *s)
{
    for (int attempt = 0; attempt < 2; attempt++) {
        int32_t anchor = window->square_anchor ? window->square_anchor : narrow_square_anchor(127);
        struct narrow_range range = narrow_run(s, x, n, pass | NARROW_SQUARES, bin_start(anchor));
        if (range.high == 0 && range.low == 255) return 1;
        if (!narrow_fits(range, precision)) return 0;
        if (!narrow_squares_fit(window, range, anchor, precision)) continue;
        if (sum) narrow_commit(sum, s->sum, narrow_unit(range.low, precision));
        narrow_commit_squares(square, s, anchor, 2 * narrow_unit(range.low, precision));
        return 1;
    }
    return 0;
}

static int narrow_moments_only(struct exact *sum, struct exact *square, struct exact_window *window, const float *x,
                               size_t n, int precision)
{
    struct narrow_lanes s;
    return narrow_moments(sum, square, window, x, n, precision, 0, &s);
}

/* The same with the smallest and the largest value, and how many are not zero. n is not 0. */
static int narrow_summary(struct exact *sum, struct exact *square, struct exact_window *window, const float *x,
                          size_t n, int precision, struct leaf_summary *summary)
{
    struct narrow_lanes s;
    float lowest = x[0], highest = x[0];
    int64_t zeros = 0;
    if (!narrow_moments(sum, square, window, x, n, precision, NARROW_EXTREMES, &s)) return 0;
    for (int h = 0; h < NARROW_HALVES; h++) {
        for (int l = 0; l < 2 * VECTOR_DOUBLES; l++) {
            lowest = s.lowest[h][l] < lowest ? s.lowest[h][l] : lowest;
            highest = s.highest[h][l] > highest ? s.highest[h][l] : highest;
            zeros -= s.zeros[h][l];
        }
    }
    for (size_t i = n - n % STREAM_LANES; i < n; i++) {
        lowest = x[i] < lowest ? x[i] : lowest;
        highest = x[i] > highest ? x[i] : highest;
        zeros += x[i] == 0;
    }
    *summary = (struct leaf_summary){(double)lowest, (double)highest, (int64_t)n - zeros};
    return 1;
}

#endif
