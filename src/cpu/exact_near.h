/* SPDX-License-Identifier: MIT
 *
 * exact_near.h - sums of a leaf of any range in doubles, or pairs of doubles, with a bound of what they are off.
 * Included once by kernels.c.
 *
 * A lane adds k numbers of sizes up to M. Its j-th sum is at most j M, so that the j-th addition is off by at most
 * 2^-53 j M: together 2^-53 M k (k + 1) / 2. What two-sum says that they are off, added up in turn, is off by at most
 * 2^-106 M k (k + 1) (k + 2) / 6. A little more makes up for bounds being rounded themselves; where one underflows,
 * the sums lose nothing. (Higham, Accuracy and Stability of Numerical Algorithms, chapter 4.) */
#ifndef TALLY_CPU_EXACT_NEAR_H
#define TALLY_CPU_EXACT_NEAR_H

#include "exact_window.h"
#include "vector.h"
#include "../narrow.h"

#include <float.h>

/* Vectors side by side, enough to hide the latency of an addition. */
#define STREAM_VECTORS 4
#define STREAM_LANES (STREAM_VECTORS * VECTOR_DOUBLES)

#define NEAR_MORE (1 + 0x1p-20)

/* 2^63 numbers below it do not overflow on the way; the largest of all, times the scale, are below it. What small ones
 * lose by the scale is far less than the bound beside a large one. */
#define NEAR_LARGEST 0x1p900
#define NEAR_SCALE 0x1p-200 /* 2^-NEAR_DOWN */

static double near_share(size_t n)
{
    return (double)((n + STREAM_LANES - 1) / STREAM_LANES);
}

VECTOR_FUNCTION void near_float_row(vector_double *sum, vector_int *top, const float *x, int64_t sizes)
{
    for (int h = 0; h < STREAM_VECTORS / 2; h++)
        top[h] = vector_max(top[h], vector_load_int(x + h * 2 * VECTOR_DOUBLES) & 0x7fffffff);
    for (int u = 0; u < STREAM_VECTORS; u++) {
        vector_double v = vector_widen(vector_load_float(x + u * VECTOR_DOUBLES));
        sum[u] += (vector_double)((vector_long)v & sizes);
    }
}

/* Adds values, or their sizes. False, with nothing added, when one is not finite. */
static int near_floats(struct exact_near *near, const float *x, size_t n, int magnitude)
{
    const int64_t sizes = magnitude ? INT64_MAX : -1;
    vector_double sum[STREAM_VECTORS];
    vector_int top[STREAM_VECTORS / 2];
    int32_t highest = 0;
    float largest;
    size_t i = 0;
    memset(sum, 0, sizeof sum);
    memset(top, 0, sizeof top);
    for (; n - i >= STREAM_LANES; i += STREAM_LANES) near_float_row(sum, top, x + i, sizes);
    if (i < n) {
        float tail[STREAM_LANES] = {0};
        memcpy(tail, x + i, (n - i) * sizeof *x);
        near_float_row(sum, top, tail, sizes);
    }
    for (int h = 0; h < STREAM_VECTORS / 2; h++) {
        for (int l = 0; l < 2 * VECTOR_DOUBLES; l++) highest = top[h][l] > highest ? top[h][l] : highest;
    }
    memcpy(&largest, &highest, sizeof largest);
    if (highest >= 0x7f800000) return 0;
    const double k = near_share(n);
    near->off = near_up(near->off + (double)largest * (k * (k + 1) * STREAM_LANES * 0x1p-54 * NEAR_MORE));
    for (int u = 0; u < STREAM_VECTORS; u++) {
        for (int l = 0; l < VECTOR_DOUBLES; l++) near_add(near, sum[u][l]);
    }
    return 1;
}

struct near_lanes {
    vector_double high[STREAM_VECTORS], low[STREAM_VECTORS], top[STREAM_VECTORS];
};

VECTOR_FUNCTION void near_double_row(struct near_lanes *s, const double *x, int down)
{
    for (int u = 0; u < STREAM_VECTORS; u++) {
        vector_double v = vector_load(x + u * VECTOR_DOUBLES);
        if (down) v *= NEAR_SCALE;
        vector_double size = (vector_double)((vector_long)v & INT64_MAX);
        vector_long above = (vector_long)(size > s->top[u]);
        s->top[u] = (vector_double)((above & (vector_long)size) | (~above & (vector_long)s->top[u]));
        vector_double sum = s->high[u] + v, back = sum - s->high[u];
        s->low[u] += (s->high[u] - (sum - back)) + (v - back);
        s->high[u] = sum;
    }
}

/* The largest size, of which NaN is none: a lane's sum is one then. */
VECTOR_FUNCTION double near_double_run(struct near_lanes *s, const double *x, size_t n, int down)
{
    double largest = 0;
    size_t i = 0;
    memset(s, 0, sizeof *s);
    for (; n - i >= STREAM_LANES; i += STREAM_LANES) near_double_row(s, x + i, down);
    if (i < n) {
        double tail[STREAM_LANES] = {0};
        memcpy(tail, x + i, (n - i) * sizeof *x);
        near_double_row(s, tail, down);
    }
    for (int u = 0; u < STREAM_VECTORS; u++) {
        for (int l = 0; l < VECTOR_DOUBLES; l++) largest = s->top[u][l] > largest ? s->top[u][l] : largest;
    }
    return largest;
}

static void near_commit(struct exact_near *near, const struct near_lanes *s)
{
    for (int u = 0; u < STREAM_VECTORS; u++) {
        for (int l = 0; l < VECTOR_DOUBLES; l++) {
            near_add(near, s->high[u][l]);
            near_add(near, s->low[u][l]);
        }
    }
}

/* False, with nothing added, when a value is not finite. The sum that the last leaf went to is tried first. */
static int near_doubles(struct exact_window *window, const double *x, size_t n)
{
    struct near_lanes s;
    double largest = window->near_sum ? near_double_run(&s, x, n, 1) : near_double_run(&s, x, n, 0);
    if (window->near_sum != (largest >= (window->near_sum ? NEAR_LARGEST * NEAR_SCALE : NEAR_LARGEST))) {
        window->near_sum = !window->near_sum;
        largest = window->near_sum ? near_double_run(&s, x, n, 1) : near_double_run(&s, x, n, 0);
    }
    double sum = 0;
    for (int u = 0; u < STREAM_VECTORS; u++) {
        for (int l = 0; l < VECTOR_DOUBLES; l++) sum += s.high[u][l] * 0;
    }
    if (sum != 0 || largest > DBL_MAX) return 0;
    struct exact_near *near = window->near + window->near_sum;
    const double k = near_share(n);
    near->off += largest * (k * (k + 1) * (k + 2) / 6 * STREAM_LANES * 0x1p-106 * NEAR_MORE);
    near->off = near_up(near->off);
    near_commit(near, &s);
    return 1;
}

#endif
