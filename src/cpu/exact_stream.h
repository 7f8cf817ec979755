/* SPDX-License-Identifier: MIT
 *
 * exact_stream.h - exact sums of a stream of doubles at vector speed. Included once by kernels.c.
 *
 * A lane keeps a few bins: constants 1.5 * 2^a, so far apart that adding a value to the first, what that lost to the
 * second, and so on, loses nothing. As every bin stays in its binade, the sum of what it took is the difference of its
 * bits: an integer. A value too large, or one with bits below the last bin, is detected, and then nothing was
 * committed. Method: Demmel and Hida's and Rump's error-free vector transformation, with a proof by flags. */
#ifndef TALLY_CPU_EXACT_STREAM_H
#define TALLY_CPU_EXACT_STREAM_H

#include "exact_near.h"
#include "../narrow.h"

/* Elements of a lane in one call, as a power of two: 2 * TREE_LEAF / STREAM_LANES, the parts of a leaf of complex
 * numbers. */
#define STREAM_SHARE_BITS (VECTOR_BYTES == 64 ? 8 : VECTOR_BYTES == 32 ? 9 : 10)
/* From one bin to the next: a double's 52 bits less the room for the carries of a lane's share. */
#define BIN_STEP (52 - STREAM_SHARE_BITS)
/* A value below 2^(anchor - BIN_ROOM) keeps the first bin in its binade. */
#define BIN_ROOM (STREAM_SHARE_BITS + 1)

struct stream_bins {
    vector_double bin[3][STREAM_VECTORS];
    vector_long small; /* all ones while every value was small enough */
    vector_long rest;  /* bits left below the last bin */
};

static double bin_start(int32_t anchor)
{
    return double_from_bits((uint64_t)anchor << 52 | 1ull << 51);
}

VECTOR_FUNCTION void stream_row(struct stream_bins *s, const double *x, double bound, int bins)
{
    for (int u = 0; u < STREAM_VECTORS; u++) {
        vector_double v = vector_load(x + u * VECTOR_DOUBLES);
        vector_double size = (vector_double)((vector_long)v & INT64_MAX);
        s->small &= (vector_long)(size < bound);
        for (int k = 0; k < bins; k++) {
            vector_double sum = s->bin[k][u] + v;
            v = v - (sum - s->bin[k][u]);
            s->bin[k][u] = sum;
        }
        s->rest |= (vector_long)v;
    }
}

/* Runs all of x through the bins; false when something did not fit. */
VECTOR_FUNCTION int stream_run(struct stream_bins *s, const double *x, size_t n, int32_t anchor, int bins)
{
    double bound = double_from_bits((uint64_t)(anchor - BIN_ROOM > 0 ? anchor - BIN_ROOM : 0) << 52);
    for (int k = 0; k < bins; k++) {
        for (int u = 0; u < STREAM_VECTORS; u++) s->bin[k][u] = vector_all(bin_start(anchor - k * BIN_STEP));
    }
    s->rest = vector_all_long(0);
    s->small = vector_all_long(-1);
    size_t i = 0;
    for (; n - i >= STREAM_LANES; i += STREAM_LANES) stream_row(s, x + i, bound, bins);
    if (i < n) {
        double tail[STREAM_LANES] = {0};
        memcpy(tail, x + i, (n - i) * sizeof *x);
        stream_row(s, tail, bound, bins);
    }
    int fits = 1;
    for (int l = 0; l < VECTOR_DOUBLES; l++) fits &= s->small[l] != 0 && (uint64_t)s->rest[l] << 1 == 0;
    return fits;
}

/* Adds what the bins of every `parts`th lane took. */
static void stream_commit(const struct stream_bins *s, int32_t anchor, int bins, struct exact *sums, int parts)
{
    for (int k = 0; k < bins; k++) {
        int32_t a = anchor - k * BIN_STEP;
        int64_t total[2] = {0, 0};
        for (int u = 0; u < STREAM_VECTORS; u++) {
            for (int l = 0; l < VECTOR_DOUBLES; l++)
                total[l % parts] += (int64_t)(double_bits(s->bin[k][u][l]) - double_bits(bin_start(a)));
        }
        for (int p = 0; p < parts; p++) exact_add_integer(&sums[p], total[p], a - 1023 - 52);
    }
}

static int stream_try2(struct exact *sums, const double *x, size_t n, int parts, int32_t anchor)
{
    struct stream_bins s;
    if (!stream_run(&s, x, n, anchor, 2)) return 0;
    stream_commit(&s, anchor, 2, sums, parts);
    return 1;
}

static int stream_try3(struct exact *sums, const double *x, size_t n, int parts, int32_t anchor)
{
    struct stream_bins s;
    if (!stream_run(&s, x, n, anchor, 3)) return 0;
    stream_commit(&s, anchor, 3, sums, parts);
    return 1;
}

/* The first bin's exponent for these values, with two bits to spare; 0 when no bin is high enough. */
static int32_t stream_anchor(const double *x, size_t n, int bins)
{
    uint64_t top = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t size = double_bits(x[i]) << 1;
        top = size > top ? size : top;
    }
    int32_t anchor = (int32_t)(top >> 53) + 1 + BIN_ROOM + 2;
    int32_t lowest = (bins - 1) * BIN_STEP + 1;
    if (anchor < lowest) anchor = lowest;
    return anchor > 2045 ? 0 : anchor;
}

#define SCATTER_BLOCK 256

/* A block's exponents and signed significands, in vector loops; whether all values are finite. An exponent of 0 is
 * made 1, whose unit it shares. */
ALWAYS_INLINE int scatter_split(const double *restrict x, size_t n, size_t step, int64_t *restrict exponent,
                                int64_t *restrict low, int64_t *restrict high)
{
    uint64_t special = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = double_bits(x[i * step]);
        uint64_t e = bits >> 52 & 0x7ff;
        int64_t sign = (int64_t)bits >> 63;
        int64_t m = (int64_t)((bits & 0xfffffffffffffull) | (uint64_t)(e != 0) << 52);
        m = (m ^ sign) - sign;
        low[i] = m & (((int64_t)1 << SCATTER_SPLIT) - 1);
        high[i] = m >> SCATTER_SPLIT;
        exponent[i] = (int64_t)(e + (e == 0));
        special |= e == 0x7ff;
    }
    return special == 0;
}

/* Data of any range: into the buckets of their exponents. */
static void stream_scatter(struct exact *sum, struct exact_window *window, const double *x, size_t n, size_t step)
{
    struct exact_scatter *scatter = window->scatter;
    int64_t exponent[SCATTER_BLOCK], low[SCATTER_BLOCK], high[SCATTER_BLOCK];
    int64_t first = scatter->first, last = scatter->last;
    for (size_t i = 0; i < n; i += SCATTER_BLOCK) {
        size_t count = n - i < SCATTER_BLOCK ? n - i : SCATTER_BLOCK;
        if (!scatter_split(x + i * step, count, step, exponent, low, high)) {
            for (size_t k = 0; k < count; k++) exact_add_double_bits(sum, double_bits(x[(i + k) * step]));
            continue;
        }
        for (size_t k = 0; k < count; k++) {
            first = exponent[k] < first ? exponent[k] : first;
            last = exponent[k] > last ? exponent[k] : last;
        }
        for (size_t k = 0; k < count; k++) {
            scatter->bucket[exponent[k]] += low[k];
            scatter->bucket[exponent[k] + SCATTER_SPLIT] += high[k];
        }
    }
    scatter->first = first;
    scatter->last = last;
}

/* The same for doubles that are f32 values: one piece each, as their low bits are zero. */
static void narrow_scatter(struct exact *sum, struct exact_window *window, const double *x, size_t n)
{
    struct exact_scatter *scatter = window->scatter;
    int64_t exponent[SCATTER_BLOCK], low[SCATTER_BLOCK], high[SCATTER_BLOCK];
    int64_t first = scatter->first, last = scatter->last;
    for (size_t i = 0; i < n; i += SCATTER_BLOCK) {
        size_t count = n - i < SCATTER_BLOCK ? n - i : SCATTER_BLOCK;
        if (!scatter_split(x + i, count, 1, exponent, low, high)) {
            for (size_t k = 0; k < count; k++) exact_add_double_bits(sum, double_bits(x[i + k]));
            continue;
        }
        for (size_t k = 0; k < count; k++) {
            first = exponent[k] < first ? exponent[k] : first;
            last = exponent[k] > last ? exponent[k] : last;
        }
        for (size_t k = 0; k < count; k++) scatter->bucket[exponent[k] + SCATTER_SPLIT] += high[k];
    }
    scatter->first = first;
    scatter->last = last;
}

/* The even elements to sums[0] and the odd ones to sums[1], when there are two parts. */
static void stream_scatter_parts(struct exact *sums, struct exact_window *windows, const double *x, size_t n, int parts)
{
    for (int p = 0; p < parts; p++) stream_scatter(&sums[p], &windows[p], x + p, n / (size_t)parts, (size_t)parts);
}

/* How many leaves go straight to the buckets, or are not tried as plain doubles, once one had to. */
#define STREAM_PATIENCE 15
#define NARROW_PATIENCE 15

/* Adds x through bins; false, with nothing added, when its range is too wide for them. */
static int exact_stream_bins(struct exact *sums, struct exact_window *window, const double *x, size_t n, int parts)
{
    if (window->patience > 0) {
        window->patience--;
        return 0;
    }
    if (window->bins == 2 && stream_try2(sums, x, n, parts, window->anchor)) return 1;
    if (window->bins == 3 && stream_try3(sums, x, n, parts, window->anchor)) return 1;
    for (int bins = 2; bins <= 3; bins++) {
        int32_t anchor = stream_anchor(x, n, bins);
        if (anchor == 0) break;
        if (!(bins == 2 ? stream_try2 : stream_try3)(sums, x, n, parts, anchor)) continue;
        window->anchor = anchor;
        window->bins = bins;
        return 1;
    }
    window->bins = 0;
    window->patience = STREAM_PATIENCE;
    return 0;
}

/* Adds x, or adds to a near sum what no bins take; with parts 2 the even elements to sums[0] and the odd ones to
 * sums[1]. */
static void exact_stream(struct exact *sums, struct exact_window *window, const double *x, size_t n, int parts)
{
    if (exact_stream_bins(sums, window, x, n, parts)) return;
    if (window->near && near_doubles(window, x, n)) return;
    stream_scatter_parts(sums, window, x, n, parts);
}

#endif
