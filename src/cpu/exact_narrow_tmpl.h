/* SPDX-License-Identifier: MIT
 *
 * exact_narrow_tmpl.h - exact sums of f16, bf16 and f32: as plain doubles where that is exact (exact_narrow.h); else
 * near sums where the result may show that they will do, through bins where it may not, and through buckets otherwise.
 * Included by exact_float_tmpl.h. No include guard. */

/* A leaf as floats; room is used when it is not one already. */
ALWAYS_INLINE const float *TYPE_NAME(floats)(const STORAGE *x, size_t n, float *room)
{
    if (sizeof(STORAGE) == sizeof(float)) return (const float *)(const void *)x;
    for (size_t i = 0; i < n; i++) room[i] = (float)TO_REAL(x[i]);
    return room;
}

static void TYPE_NAME(exact_narrow)(struct exact *sum, struct exact_window *window, const STORAGE *x, size_t n,
                                    int magnitude)
{
    float room[sizeof(STORAGE) == sizeof(float) ? 1 : TREE_LEAF];
    if (n == 0) return;
    const float *f = TYPE_NAME(floats)(x, n, room);
    if (window->narrow_patience > 0) {
        window->narrow_patience--;
    } else {
        if (narrow_value(sum, f, n, PRECISION, magnitude)) return;
        window->narrow_patience = NARROW_PATIENCE;
    }
    if (window->near && near_floats(window->near, f, n, magnitude)) return;
    double term[TREE_LEAF];
    for (size_t i = 0; i < n; i++) {
        double v = (double)f[i];
        term[i] = magnitude && v < 0 ? -v : v;
    }
    if (!exact_stream_bins(sum, window, term, n, 1)) narrow_scatter(sum, window, term, n);
}

/* Squares into square, and the values themselves into sum unless it is NULL. */
static void TYPE_NAME(exact_narrow_square)(struct exact *sum, struct exact_window *sum_window, struct exact *square,
                                           struct exact_window *window, const STORAGE *x, size_t n)
{
    float room[sizeof(STORAGE) == sizeof(float) ? 1 : TREE_LEAF];
    if (n == 0) return;
    const float *f = TYPE_NAME(floats)(x, n, room);
    if (window->narrow_patience > 0) {
        window->narrow_patience--;
    } else {
        if (narrow_moments_only(sum, square, window, f, n, PRECISION)) return;
        window->narrow_patience = NARROW_PATIENCE;
    }
    double term[TREE_LEAF];
    term[0] = 0; /* gcc does not see that n is not 0 */
    for (size_t i = 0; i < n; i++) term[i] = (double)f[i] * (double)f[i];
    exact_stream(square, window, term, n, 1);
    if (sum) TYPE_NAME(exact_narrow)(sum, sum_window, x, n, 0);
}

/* Moments, extremes and zeros of a leaf in one pass; 0, with nothing added, when the values do not suit it. */
static int TYPE_NAME(summary)(struct exact *sums, struct exact_window *windows, const void *x, size_t n,
                              struct leaf_summary *summary)
{
    float room[sizeof(STORAGE) == sizeof(float) ? 1 : TREE_LEAF];
    if (n == 0 || windows[1].narrow_patience > 0) return 0;
    return narrow_summary(sums, sums + 1, windows + 1, TYPE_NAME(floats)(x, n, room), n, PRECISION, summary);
}
