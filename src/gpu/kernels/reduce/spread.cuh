/* SPDX-License-Identifier: MIT
 *
 * spread.cuh - variances and norms from sums that are not exact, with a bound of what they are off: when the ends of
 * what the result can be round alike, it is known; elsewhere the caller has exact sums. The square of a complex number
 * is that of both parts, each of which has a mean of its own. No include guard. */
#include "pair.cuh"

#include "components.cuh"

#if defined(PICK_MOMENTS)
#define IS_SPREAD 1
#else
#define IS_SPREAD 0 /* sums of squares alone */
#endif

#define HALF_UNIT 0x1p-53 /* what rounding to a double is off, relatively */

#if !IS_NARROW
typedef uint64_t result_word;
#else
typedef uint32_t result_word;
#endif

DEVICE result_word result_bits(double x)
{
    if (RESULT_PART == 8) return (result_word)(x != x ? 0x7ff8000000000000ull : double_bits(x));
    if (IS_F16(RESULT_NUMBER)) return f64_to_f16(x);
    if (IS_BF16(RESULT_NUMBER)) return f64_to_bf16(x);
    float f = (float)x;
    return f != f ? 0x7fc00000u : float_bits(f);
}

/* Writes the result that lies between two numbers, if there is but one; returns whether it could. */
DEVICE int between_store(double low, double high, char *out)
{
    result_word bits = result_bits(low);
    finish_bits(bits, 0, out);
    return bits == result_bits(high);
}

/* What sums of n numbers are divided by; NaN where no variance is. */
struct shares {
    int64_t n;
    double share, inverse; /* 1 / n; 1 / (n - correction) */
};

DEVICE_UNUSED struct shares shares_of(const struct reduce_parameters *p, int64_t n)
{
    struct shares by = {p->length, p->share, p->inverse};
    if (n == p->length) return by;
    by.n = n;
    by.share = 1 / (double)n;
    by.inverse = (double)n > p->correction ? 1 / ((double)n - p->correction) : (double)NAN;
    return by;
}

/* The result of sums of doubles, each of up to `terms` that were rounded, relative to any number: sums of squares are
 * off by `terms` half units, squares of sums, which are no larger than length times those, by twice that, what follows
 * by a few. Returns whether it could. */
DEVICE_UNUSED int spread_store(struct shares by, const double *sum, double squares, double terms, char *out)
{
    double bound = (4 * terms + 64) * HALF_UNIT, value = squares;
#if IS_SPREAD
    bound *= by.inverse;
#pragma unroll
    for (int i = 0; i < COMPONENTS; i++) value = fma(-(sum[i] * by.share), sum[i], value);
    value *= by.inverse; /* NaN if an element is not finite */
#else
    (void)by;
    (void)sum;
#endif
    double low = fma(squares, -bound, value), high = fma(squares, bound, value);
    if (FINISH_NUMBER != FINISH_VARIANCE) {
        low = sqrt(low);
        high = sqrt(high);
    }
    return between_store(low, high, out);
}

/* A number, high + low, and how far low may be off. */
struct near {
    double high, low, off;
};

/* x / y; inverse is about that of y. The error of high is exact, and nothing where that is the quotient. */
DEVICE struct near near_quotient(struct pair x, struct pair y, double inverse)
{
    double guess = x.high * inverse;
    struct near result = {fma(fma(-guess, y.high, x.high), inverse, guess), 0, 0};
    double rest = fma(-result.high, y.high, x.high);
    result.low = (fma(-result.high, y.low, rest) + x.low) * inverse;
    return result;
}

/* n * squares - sum^2 (of every component) over n * (n - correction). bound: what the sums are off, relative to n *
 * squares; without one they are exact, and so is what can be. */
DEVICE struct near spread_quotient(const struct reduce_parameters *p, struct shares by, const struct pair *sum,
                                   struct pair squares, double bound)
{
    double n = (double)by.n, inverse = by.share * by.inverse, freedom_rest, scaled = n * squares.high;
    struct pair spread = {scaled, fma(n, squares.low, fma(n, squares.high, -scaled))}, divisor;
    int lossless = bound == 0 && squares.low == 0;
#pragma unroll
    for (int i = 0; i < COMPONENTS; i++) {
        double rest, lost, lost_too, square = sum[i].high * sum[i].high;
        double square_rest = fma(2 * sum[i].high, sum[i].low, fma(sum[i].high, sum[i].high, -square));
        spread.high = two_sum(spread.high, -square, &rest);
        spread.low = two_sum(rest, two_sum(spread.low, -square_rest, &lost), &lost_too);
        lossless &= sum[i].low == 0 && lost == 0 && lost_too == 0;
    }
    spread.high = two_sum(spread.high, spread.low, &spread.low);
    double freedom = two_sum(n, -p->correction, &freedom_rest);
    divisor.high = n * freedom;
    divisor.low = fma(n, freedom, -divisor.high) + n * freedom_rest;
    struct near result = near_quotient(spread, divisor, inverse);
    if (!lossless || divisor.low != 0) result.off = scaled * inverse * (bound + 64 * HALF_UNIT * HALF_UNIT);
    return result;
}

DEVICE struct near near_root(struct near square)
{
    double root = sqrt(square.high), inverse = 1 / root;
    struct near result = {root, (fma(-root, root, square.high) + square.low) * (0.5 * inverse), square.off * inverse};
    if (square.off != 0) result.off += root * (64 * HALF_UNIT * HALF_UNIT);
    return result;
}

/* What comes of sums in pairs, unless these are too large or small for it. */
DEVICE int spread_near(const struct reduce_parameters *p, struct shares by, const struct pair *sum, struct pair squares,
                       double bound, struct near *result)
{
    struct near near = {squares.high, squares.low, squares.high * bound};
#if IS_SPREAD
    near = spread_quotient(p, by, sum, squares, bound);
#else
    (void)p, (void)by;
    (void)sum;
#endif
    if (!(squares.high > 0x1p-900 && squares.high < 0x1p900 && near.high > 0x1p-960)) return 0;
    if (FINISH_NUMBER != FINISH_VARIANCE) near = near_root(near);
    near.off += fabs(near.low) * 0x1p-40;
    *result = near;
    return 1;
}

/* The result of sums in pairs. Returns whether it could. */
DEVICE_UNUSED int spread_store_pairs(const struct reduce_parameters *p, struct shares by, const struct pair *sum,
                                     struct pair squares, double bound, char *out)
{
    struct near result;
    if (IS_SPREAD && by.inverse != by.inverse) return between_store((double)NAN, (double)NAN, out);
    if (!spread_near(p, by, sum, squares, bound, &result)) return 0;
    double low = result.low - result.off, high = result.low + result.off;
    if (RESULT_PART == 8) return between_store(result.high + low, result.high + high, out);
    return between_store(round_to_odd_sum(result.high, low), round_to_odd_sum(result.high, high), out);
}
