/* SPDX-License-Identifier: MIT
 *
 * complex_norm.h - |z| of a complex number to twice the precision of double, the same bits on every IEEE machine.
 *
 * Only + - * / and sqrt, each correctly rounded: no fused multiply-add and no library hypot, whose bits differ between
 * machines. Read by the C compiler and by NVRTC; compile without contraction. The bits of a sum of norms are then a
 * promise as well: add hi and lo exactly, each times 2^exponent, with exact_add_scaled_double_bits. */
#ifndef TALLY_COMPLEX_NORM_H
#define TALLY_COMPLEX_NORM_H

#include "narrow.h"

#if !defined(__cplusplus) /* kernels have what they call of it from device.cuh */
#include <math.h>
#endif

/* |z| = (hi + lo) * 2^exponent with a relative error below 2^-100; hi is hi + lo rounded. lo is 0 and exponent too
 * when hi is 0, infinity or NaN. exponent is 0 unless the larger part of z leaves [2^-400, 2^500): subnormal or
 * overflowing norms lose nothing either. */
struct complex_norm {
    double hi, lo;
    int32_t exponent;
};

/* The part of x * x that its rounding to double loses, exactly: Dekker's product of Veltkamp's halves. Exact for x in
 * [2^-480, 2^990]; smaller x lose less than 2^-1070. */
NARROW_FUNCTION double square_error(double x, double square)
{
    double scaled = x * 134217729.0; /* 2^27 + 1 */
    double high = scaled - (scaled - x);
    double low = x - high;
    return low * low - ((square - high * high) - 2 * (high * low));
}

NARROW_FUNCTION struct complex_norm complex_norm(double re, double im)
{
    const uint64_t size_bits = 0x7fffffffffffffffull, infinity = 0x7ff0000000000000ull;
    uint64_t a = double_bits(re) & size_bits, b = double_bits(im) & size_bits;
    uint64_t larger = a > b ? a : b, smaller = a > b ? b : a;
    if (larger >= infinity) {
        int infinite = a == infinity || b == infinity;
        struct complex_norm special = {double_from_bits(infinite ? infinity : 0x7ff8000000000000ull), 0, 0};
        return special;
    }
    if (smaller == 0) {
        struct complex_norm real = {double_from_bits(larger), 0, 0};
        return real;
    }
    /* Scaling is exact, except where the smaller part is too small to matter. */
    int32_t exponent = larger < 623ull << 52 /* 2^-400 */ ? -700 : larger >= 1523ull << 52 /* 2^500 */ ? 600 : 0;
    double scale = double_from_bits((uint64_t)(1023 - exponent) << 52);
    double x = double_from_bits(larger) * scale, y = double_from_bits(smaller) * scale;

    /* x * x + y * y as high + low, exact but for the roundings of low. */
    double xx = x * x, yy = y * y;
    double sum = xx + yy;
    double low = (yy - (sum - xx)) + (square_error(x, xx) + square_error(y, yy));
    double high = sum + low;
    low -= high - sum;

    /* One Newton step from the root of high; high - root * root is a double. */
    double root = sqrt(high);
    double root_square = root * root;
    double rest = ((high - root_square) - square_error(root, root_square)) + low;
    double correction = rest / (root + root);
    struct complex_norm norm = {root + correction, 0, exponent};
    norm.lo = correction - (norm.hi - root);
    return norm;
}

/* The norm as a double: rounded once, infinity when it is too large. */
NARROW_FUNCTION double complex_norm_to_double(struct complex_norm norm)
{
    double result = norm.hi * double_from_bits((uint64_t)(1023 + norm.exponent) << 52);
    if (norm.exponent >= 0) return result;
    /* A subnormal result is a second rounding of hi: where that met a tie, lo decides. */
    double half_place = double_from_bits((uint64_t)(1023 - 1075 - norm.exponent) << 52);
    double lost = norm.hi - result * double_from_bits((uint64_t)(1023 - norm.exponent) << 52);
    if (norm.lo > 0 && lost == half_place) return double_from_bits(double_bits(result) + 1);
    if (norm.lo < 0 && lost == -half_place) return double_from_bits(double_bits(result) - 1);
    return result;
}

#endif
