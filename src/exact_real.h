/* SPDX-License-Identifier: MIT
 *
 * exact_real.h - finishing exact sums that were read into natural numbers: rounding, dividing, square roots, variances.
 * Read by the C compiler and by NVRTC.
 *
 * Everything is integer arithmetic that keeps the leading 64 bits of a result and whether anything non-zero follows
 * them, which is all that one correct rounding needs. No floating-point operation: the rounding mode does not matter.
 */
#ifndef TALLY_EXACT_REAL_H
#define TALLY_EXACT_REAL_H

#include "exact_natural.h"

#if !defined(__CUDACC_RTC__)
#include <string.h>
#endif

EXACT_FUNCTION struct exact_real exact_real_of(struct natural_leading x, int negative)
{
    int32_t shift =
        x.bits >> 64 ? exact_leading_zeros((uint64_t)(x.bits >> 64)) : 64 + exact_leading_zeros((uint64_t)x.bits);
    uint128 bits = x.bits << shift;
    int sticky = x.sticky || (uint64_t)bits != 0;
    struct exact_real real = {(uint64_t)(bits >> 64), x.exponent + 64 - shift, negative, sticky, 0};
    return real;
}

/* The root has 63 bits or 64. With 63, sticky stands for up to two units of the significand's last place, which no
 * format comes near. */
EXACT_FUNCTION struct exact_real exact_root_of(struct natural_leading x)
{
    if (x.exponent & 1) {
        x.sticky |= (int)(x.bits & 1);
        x.bits >>= 1;
        x.exponent++;
    }
    uint128 root = natural_square_root(x.bits);
    int sticky = x.sticky || root * root != x.bits;
    struct natural_leading result = {root, x.exponent / 2, sticky};
    return exact_real_of(result, 0);
}

/* x / n; x has 128 bits, so that the quotient has at least 64. */
EXACT_FUNCTION struct exact_real exact_mean_of(struct natural_leading x, int negative, uint64_t n)
{
    uint128 quotient = x.bits / n;
    x.sticky |= quotient * n != x.bits;
    x.bits = quotient;
    return exact_real_of(x, negative);
}

/* n - correction in units of 2^-63, cut towards zero before it is subtracted; 0 when it is not positive. */
EXACT_FUNCTION uint128 degrees_of_freedom(uint64_t n, double correction)
{
    uint64_t bits;
    memcpy(&bits, &correction, sizeof bits);
    int32_t shift = (int32_t)(bits >> 52 & 0x7ff) - 1075 + 63;
    uint128 fraction = (bits & 0xfffffffffffffull) | 1ull << 52;
    if (shift == 2047 - 1075 + 63) return 0;
    int huge = shift > 126 - 53;
    uint128 size = huge ? (uint128)1 << 126 : shift >= 0 ? fraction << shift : shift > -53 ? fraction >> -shift : 0;
    uint128 total = (uint128)n << 63;
    if (bits >> 63) return total + size;
    return huge || total <= size ? 0 : total - size;
}

/* n * freedom (in units of 2^-63) as limbs with the top bit set; returns how many, and the exponent of the first. */
EXACT_FUNCTION int32_t variance_divisor(uint64_t n, uint128 freedom, uint64_t d[3], int32_t *exponent)
{
    uint64_t low = (uint64_t)freedom;
    int32_t zeros = low ? exact_trailing_zeros(low) : 64 + exact_trailing_zeros((uint64_t)(freedom >> 64));
    freedom >>= zeros; /* whole corrections leave one limb, and a fast division, up to n = 2^32 */
    uint128 product = (uint128)n * (uint64_t)freedom;
    d[0] = (uint64_t)product;
    product = (uint128)n * (uint64_t)(freedom >> 64) + (uint64_t)(product >> 64);
    d[1] = (uint64_t)product;
    d[2] = (uint64_t)(product >> 64);
    int32_t count = d[2] ? 3 : d[1] ? 2 : 1;
    int32_t shift = exact_leading_zeros(d[count - 1]);
    EXACT_ROLLED
    for (int32_t i = count - 1; i >= 0; i--) {
        d[i] = d[i] << shift | (shift && i > 0 ? d[i - 1] >> (64 - shift) : 0);
    }
    *exponent = zeros - 63 - shift;
    return count;
}

/* numerator / (n * freedom), or its root; numerator is not zero. */
EXACT_FUNCTION struct exact_real exact_variance_quotient(const struct natural *numerator, uint64_t n, uint128 freedom,
                                                         int deviation)
{
    uint64_t d[3], leading[5];
    int32_t divisor_exponent;
    int32_t count = variance_divisor(n, freedom, d, &divisor_exponent);
    int32_t bit = natural_length(numerator) + 1 - 64 * (count + 2); /* one spare bit: quotient of 126 to 128 bits */
    EXACT_ROLLED
    for (int32_t i = 0; i < count + 2; i++) leading[i] = natural_word(numerator, bit + 64 * i);
    struct natural_leading x = {natural_divide(leading, d, count), 64 * numerator->low + bit - divisor_exponent, 0};
    x.sticky = natural_any_below(numerator, bit);
    EXACT_ROLLED
    for (int32_t i = 0; i < count; i++) x.sticky |= leading[i] != 0;
    return deviation ? exact_root_of(x) : exact_real_of(x, 0);
}

/* squares becomes n * squares - sum^2; square is working space. Returns whether that went below zero. */
EXACT_FUNCTION int exact_variance_subtract(struct natural *squares, const struct natural *sum, struct natural *square)
{
    natural_square(square, sum);
    return natural_subtract(squares, square);
}

/* Rounds to a binary format, ties to even; the bits of the result, with infinity on overflow and the canonical NaN
 * (positive, quiet, no payload); an exact zero is +0. */
EXACT_FUNCTION uint64_t exact_round(struct exact_real value, struct exact_format format)
{
    int32_t fraction_bits = format.precision - 1;
    uint64_t infinity = (uint64_t)(2 * format.largest_exponent - 1) << fraction_bits;
    uint64_t sign = (uint64_t)(2 * format.largest_exponent) << fraction_bits;
    if (value.special & EXACT_NAN) return infinity | (uint64_t)1 << (fraction_bits - 1);
    if (value.special) return value.special & EXACT_MINUS_INFINITY ? sign | infinity : infinity;
    if (value.significand == 0) return 0;
    if (!value.negative) sign = 0;

    int32_t top = value.exponent + 63;
    if (top >= format.largest_exponent) return sign | infinity;
    int32_t unit = top - fraction_bits; /* exponent of the result's last place */
    if (unit < format.smallest_exponent) unit = format.smallest_exponent;
    int32_t shift = unit - value.exponent;
    if (shift > 64) return sign; /* below half of the smallest subnormal */
    uint64_t kept = shift == 64 ? 0 : value.significand >> shift;
    uint64_t rest = value.significand << (64 - shift);
    uint64_t half = (uint64_t)1 << 63;
    kept += rest > half || (rest == half && (value.sticky || (kept & 1)));
    /* The hidden bit, when kept has it, adds the missing 1 to the exponent field; so does a carry out of the fraction,
     * up to infinity. */
    return sign | (kept + ((uint64_t)(unit - format.smallest_exponent) << fraction_bits));
}

#endif
