/* SPDX-License-Identifier: MIT
 *
 * exact_float_tmpl.h - exact sums of one float type's lifted elements. Included by type_tmpl.h. No include guard.
 *
 * Every lift ends in a stream of doubles (exact_stream.h); values of narrow types are summed as plain doubles wherever
 * their exponents show that this is exact (exact_narrow_tmpl.h). */

#if defined(KIND_COMPLEX_TYPE)
#define STREAM_PARTS 2
#else
#define STREAM_PARTS 1
#endif
#define STREAM_MOST (TREE_LEAF * STREAM_PARTS)

#if defined(KIND_REAL_TYPE) && PRECISION < 53
#define TYPE_IS_NARROW
#include "cpu/exact_narrow_tmpl.h"
#endif

static void TYPE_NAME(exact_value)(struct exact *sums, struct exact_window *windows, const void *x, const void *y,
                                   size_t n)
{
    const STORAGE *element = x;
    (void)y;
#if PRECISION == 53
    exact_stream(sums, windows, element, n * STREAM_PARTS, STREAM_PARTS);
#elif defined(TYPE_IS_NARROW)
    TYPE_NAME(exact_narrow)(sums, windows, element, n, 0);
#else
    double term[STREAM_MOST];
    for (size_t i = 0; i < n * STREAM_PARTS; i++) term[i] = (double)TO_REAL(element[i]);
    exact_stream(sums, windows, term, n * STREAM_PARTS, STREAM_PARTS);
#endif
}

/* Products of two streams into two streams that add up to them: for f64 the second has the rounding errors. */
static void TYPE_NAME(exact_products)(struct exact *sum, struct exact_window *window, const double *a, const double *b,
                                      size_t n)
{
    double high[STREAM_MOST], low[STREAM_MOST];
    uint64_t unsafe = 0;
    if (n == 0) return;
    for (size_t i = 0; i < n; i++) {
        high[i] = a[i] * b[i];
        if (PRECISION == 53) {
            low[i] = product_error(a[i], b[i], high[i]);
            unsafe |= product_unsafe(a[i], b[i], high[i]);
        }
    }
    if (unsafe) {
        for (size_t i = 0; i < n; i++) exact_add_product_bits(sum, double_bits(a[i]), double_bits(b[i]));
        return;
    }
    exact_stream(sum, window, high, n, 1);
    if (PRECISION == 53) exact_stream(sum, window + 3, low, n, 1);
}

#if defined(KIND_REAL_TYPE)

static void TYPE_NAME(exact_magnitude)(struct exact *sums, struct exact_window *windows, const void *x, const void *y,
                                       size_t n)
{
    const STORAGE *element = x;
    (void)y;
#if defined(TYPE_IS_NARROW)
    TYPE_NAME(exact_narrow)(sums, windows, element, n, 1);
#else
    double term[STREAM_MOST];
    for (size_t i = 0; i < n; i++) term[i] = element[i] < 0 ? -element[i] : element[i];
    exact_stream(sums, windows, term, n, 1);
#endif
}

static void TYPE_NAME(exact_product)(struct exact *sums, struct exact_window *windows, const void *x, const void *y,
                                     size_t n)
{
    const STORAGE *left = x, *right = y;
    double a[STREAM_MOST], b[STREAM_MOST];
    for (size_t i = 0; i < n; i++) {
        a[i] = (double)TO_REAL(left[i]);
        b[i] = (double)TO_REAL(right[i]);
    }
    TYPE_NAME(exact_products)(sums, windows, a, b, n);
}

static void TYPE_NAME(exact_square)(struct exact *sums, struct exact_window *windows, const void *x, const void *y,
                                    size_t n)
{
    (void)y;
#if defined(TYPE_IS_NARROW)
    TYPE_NAME(exact_narrow_square)(NULL, NULL, sums, windows, x, n);
#else
    TYPE_NAME(exact_product)(sums, windows, x, x, n);
#endif
}

static void TYPE_NAME(exact_moments)(struct exact *sums, struct exact_window *windows, const void *x, const void *y,
                                     size_t n)
{
#if defined(TYPE_IS_NARROW)
    (void)y;
    TYPE_NAME(exact_narrow_square)(sums, windows, sums + 1, windows + 1, x, n);
#else
    TYPE_NAME(exact_value)(sums, windows, x, y, n);
    TYPE_NAME(exact_product)(sums + 1, windows + 1, x, x, n);
#endif
}

#else

/* |z| as two doubles each; the rare ones with an exponent of their own go straight in. */
static void TYPE_NAME(exact_magnitude)(struct exact *sums, struct exact_window *windows, const void *x, const void *y,
                                       size_t n)
{
    const STORAGE *part = x;
    double term[STREAM_MOST];
    (void)y;
    for (size_t i = 0; i < n; i++) {
        struct complex_norm norm = complex_norm((double)part[2 * i], (double)part[2 * i + 1]);
        term[2 * i] = norm.exponent ? 0 : norm.hi;
        term[2 * i + 1] = norm.exponent ? 0 : norm.lo;
        if (norm.exponent) {
            exact_add_scaled_double_bits(sums, double_bits(norm.hi), norm.exponent);
            exact_add_scaled_double_bits(sums, double_bits(norm.lo), norm.exponent);
        }
    }
    exact_stream(sums, windows, term, 2 * n, 1);
}

static void TYPE_NAME(exact_square)(struct exact *sums, struct exact_window *windows, const void *x, const void *y,
                                    size_t n)
{
    const STORAGE *part = x;
    double a[STREAM_MOST];
    (void)y;
    for (size_t i = 0; i < 2 * n; i++) a[i] = (double)part[i];
    TYPE_NAME(exact_products)(sums, windows, a, a, 2 * n);
}

static void TYPE_NAME(exact_product)(struct exact *sums, struct exact_window *windows, const void *x, const void *y,
                                     size_t n)
{
    const STORAGE *left = x, *right = y;
    double a[STREAM_MOST], b[STREAM_MOST];
    a[0] = b[0] = 0; /* gcc does not see that n is not 0 */
    for (size_t i = 0; i < n; i++) {
        a[2 * i] = (double)left[2 * i], b[2 * i] = (double)right[2 * i];
        a[2 * i + 1] = (double)left[2 * i + 1], b[2 * i + 1] = -(double)right[2 * i + 1];
    }
    TYPE_NAME(exact_products)(sums, windows, a, b, 2 * n);
    for (size_t i = 0; i < n; i++) {
        b[2 * i] = (double)right[2 * i + 1];
        b[2 * i + 1] = (double)right[2 * i];
    }
    TYPE_NAME(exact_products)(sums + 1, windows + 1, a, b, 2 * n);
}

static void TYPE_NAME(exact_moments)(struct exact *sums, struct exact_window *windows, const void *x, const void *y,
                                     size_t n)
{
    TYPE_NAME(exact_value)(sums, windows, x, y, n);
    TYPE_NAME(exact_square)(sums + 2, windows + 2, x, y, n);
}

#endif
#undef STREAM_PARTS
#undef STREAM_MOST
#undef TYPE_IS_NARROW
