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

#include "exact_window.h"
#include "../narrow.h"

#define STREAM_LANES 32
/* Elements of a lane in one call: 2 * TREE_LEAF / STREAM_LANES, the parts of a leaf of complex numbers. */
#define STREAM_SHARE_BITS 8
/* From one bin to the next: a double's 52 bits less the room for the carries of a lane's share. */
#define BIN_STEP (52 - STREAM_SHARE_BITS)
/* A value below 2^(anchor - BIN_ROOM) keeps the first bin in its binade. */
#define BIN_ROOM (STREAM_SHARE_BITS + 1)

struct stream_bins {
    double bin[3][STREAM_LANES];
    uint64_t top[STREAM_LANES];  /* a lane saw a value too large */
    uint64_t rest[STREAM_LANES]; /* a lane had bits left below the last bin */
};

static double bin_start(int32_t anchor)
{
    return double_from_bits((uint64_t)anchor << 52 | 1ull << 51);
}

ALWAYS_INLINE void stream_row(struct stream_bins *restrict s, const double *restrict x, double bound, int bins)
{
    for (int l = 0; l < STREAM_LANES; l++) {
        double v = x[l];
        double size = v < 0 ? -v : v;
        s->top[l] |= size < bound ? 0 : 1;
        for (int k = 0; k < bins; k++) {
            double sum = s->bin[k][l] + v;
            v = v - (sum - s->bin[k][l]);
            s->bin[k][l] = sum;
        }
        s->rest[l] |= double_bits(v) << 1;
    }
}

/* Runs all of x through the bins; false when something did not fit. */
ALWAYS_INLINE int stream_run(struct stream_bins *s, const double *x, size_t n, int32_t anchor, int bins)
{
    double bound = double_from_bits((uint64_t)(anchor - BIN_ROOM > 0 ? anchor - BIN_ROOM : 0) << 52);
    for (int k = 0; k < bins; k++) {
        for (int l = 0; l < STREAM_LANES; l++) s->bin[k][l] = bin_start(anchor - k * BIN_STEP);
    }
    for (int l = 0; l < STREAM_LANES; l++) s->top[l] = s->rest[l] = 0;
    size_t i = 0;
    for (; n - i >= STREAM_LANES; i += STREAM_LANES) stream_row(s, x + i, bound, bins);
    if (i < n) {
        double tail[STREAM_LANES] = {0};
        memcpy(tail, x + i, (n - i) * sizeof *x);
        stream_row(s, tail, bound, bins);
    }
    uint64_t failed = 0;
    for (int l = 0; l < STREAM_LANES; l++) failed |= s->top[l] | s->rest[l];
    return failed == 0;
}

/* Adds what the bins of every `parts`th lane took. */
static void stream_commit(const struct stream_bins *s, int32_t anchor, int bins, struct exact *sums, int parts)
{
    for (int k = 0; k < bins; k++) {
        int32_t a = anchor - k * BIN_STEP;
        for (int p = 0; p < parts; p++) {
            int64_t total = 0;
            for (int l = p; l < STREAM_LANES; l += parts)
                total += (int64_t)(double_bits(s->bin[k][l]) - double_bits(bin_start(a)));
            exact_add_integer(&sums[p], total, a - 1023 - 52);
        }
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

/* Data of any range: into the buckets of their exponents. */
static void stream_scatter(struct exact *sums, struct exact_window *window, const double *x, size_t n, int parts)
{
    for (size_t i = 0; i < n; i++) {
        struct exact_scatter *scatter = window[parts == 2 ? i % 2 : 0].scatter;
        uint64_t bits = double_bits(x[i]);
        uint32_t exponent = (uint32_t)(bits >> 52 & 0x7ff);
        if (exponent == 0x7ff) {
            exact_add_double_bits(&sums[parts == 2 ? i % 2 : 0], bits);
            continue;
        }
        int64_t sign = (int64_t)bits >> 63;
        int64_t m = (int64_t)((bits & 0xfffffffffffffull) | (exponent ? 1ull << 52 : 0));
        int64_t low = m & 0x3ffffff, high = m >> 26;
        scatter->bucket[exponent][0] += (low ^ sign) - sign;
        scatter->bucket[exponent][1] += (high ^ sign) - sign;
        scatter->touched[exponent / 64] |= 1ull << exponent % 64;
    }
}

/* How many leaves go straight to the buckets once one had to. */
#define STREAM_PATIENCE 15

/* Adds x; with parts 2 the even elements to sums[0] and the odd ones to sums[1]. */
static void exact_stream(struct exact *sums, struct exact_window *window, const double *x, size_t n, int parts)
{
    if (window->patience > 0) {
        window->patience--;
        stream_scatter(sums, window, x, n, parts);
        return;
    }
    if (window->bins == 2 && stream_try2(sums, x, n, parts, window->anchor)) return;
    if (window->bins == 3 && stream_try3(sums, x, n, parts, window->anchor)) return;
    for (int bins = 2; bins <= 3; bins++) {
        int32_t anchor = stream_anchor(x, n, bins);
        if (anchor == 0) break;
        if (!(bins == 2 ? stream_try2 : stream_try3)(sums, x, n, parts, anchor)) continue;
        window->anchor = anchor;
        window->bins = bins;
        return;
    }
    window->bins = 0;
    window->patience = STREAM_PATIENCE;
    stream_scatter(sums, window, x, n, parts);
}

#endif
