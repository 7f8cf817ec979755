/* SPDX-License-Identifier: MIT
 *
 * exact.c - finishing an exact accumulator: rounding, dividing, square roots, variances and portable bytes.
 *
 * An accumulator is read into a natural number of 64-bit limbs and a sign; everything after that is integer
 * arithmetic that keeps the leading 64 bits of a result and whether anything non-zero follows them, which is all that
 * one correct rounding needs. No floating-point operation: the rounding mode of the caller does not matter. */
#include "exact.h"
#include "exact_natural.h"

#include <string.h>

/* ---------------------------------------------------------------------------------------------------------- *
 * Results before their rounding
 * ---------------------------------------------------------------------------------------------------------- */

static const struct exact_real zero = {0, 0, 0, 0, 0};
static const struct exact_real not_a_number = {0, 0, 0, 0, EXACT_NAN};

static uint32_t special_of(const struct exact *a)
{
    uint32_t infinities = a->special & (EXACT_PLUS_INFINITY | EXACT_MINUS_INFINITY);
    int both = infinities == (EXACT_PLUS_INFINITY | EXACT_MINUS_INFINITY);
    return a->special & EXACT_NAN || both ? EXACT_NAN : infinities;
}

static struct exact_real real_of(struct natural_leading x, int negative)
{
    int32_t shift = x.bits >> 64 ? __builtin_clzll((uint64_t)(x.bits >> 64)) : 64 + __builtin_clzll((uint64_t)x.bits);
    uint128 bits = x.bits << shift;
    int sticky = x.sticky || (uint64_t)bits != 0;
    return (struct exact_real){(uint64_t)(bits >> 64), x.exponent + 64 - shift, negative, sticky, 0};
}

/* The root has 63 bits or 64. With 63, sticky stands for up to two units of the significand's last place, which no
 * format comes near. */
static struct exact_real root_of(struct natural_leading x)
{
    if (x.exponent & 1) {
        x.sticky |= (int)(x.bits & 1);
        x.bits >>= 1;
        x.exponent++;
    }
    uint128 root = natural_square_root(x.bits);
    int sticky = x.sticky || root * root != x.bits;
    return real_of((struct natural_leading){root, x.exponent / 2, sticky}, 0);
}

struct exact_real exact_value(struct exact *a)
{
    struct natural value;
    uint32_t special = special_of(a);
    if (special) return (struct exact_real){0, 0, 0, 0, special};
    int negative = natural_read(&value, a);
    return value.count ? real_of(natural_leading(&value), negative) : zero;
}

struct exact_real exact_mean(struct exact *a, uint64_t n)
{
    struct natural value;
    uint32_t special = special_of(a);
    if (n == 0) return not_a_number;
    if (special) return (struct exact_real){0, 0, 0, 0, special};
    int negative = natural_read(&value, a);
    if (value.count == 0) return zero;
    struct natural_leading x = natural_leading(&value); /* 128 bits, so that the quotient has at least 64 */
    uint128 quotient = x.bits / n;
    x.sticky |= quotient * n != x.bits;
    x.bits = quotient;
    return real_of(x, negative);
}

struct exact_real exact_root(struct exact *a)
{
    struct natural value;
    uint32_t special = special_of(a);
    if (special == EXACT_PLUS_INFINITY) return (struct exact_real){0, 0, 0, 0, special};
    if (special || natural_read(&value, a)) return not_a_number;
    return value.count ? root_of(natural_leading(&value)) : zero;
}

/* n - correction in units of 2^-63, cut towards zero before it is subtracted; 0 when it is not positive. */
static uint128 degrees_of_freedom(uint64_t n, double correction)
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
static int32_t variance_divisor(uint64_t n, uint128 freedom, uint64_t d[3], int32_t *exponent)
{
    uint64_t low = (uint64_t)freedom;
    int32_t zeros = low ? __builtin_ctzll(low) : 64 + __builtin_ctzll((uint64_t)(freedom >> 64));
    freedom >>= zeros; /* whole corrections leave one limb, and a fast division, up to n = 2^32 */
    uint128 product = (uint128)n * (uint64_t)freedom;
    d[0] = (uint64_t)product;
    product = (uint128)n * (uint64_t)(freedom >> 64) + (uint64_t)(product >> 64);
    d[1] = (uint64_t)product;
    d[2] = (uint64_t)(product >> 64);
    int32_t count = d[2] ? 3 : d[1] ? 2 : 1;
    int32_t shift = __builtin_clzll(d[count - 1]);
    for (int32_t i = count - 1; i >= 0; i--) {
        d[i] = d[i] << shift | (shift && i > 0 ? d[i - 1] >> (64 - shift) : 0);
    }
    *exponent = zeros - 63 - shift;
    return count;
}

struct exact_real exact_variance(struct exact *squares, struct exact *sum_re, struct exact *sum_im, uint64_t n,
                                 double correction, int deviation)
{
    struct natural numerator, sum, square;
    uint32_t special = squares->special | sum_re->special | (sum_im ? sum_im->special : 0);
    uint128 freedom = n ? degrees_of_freedom(n, correction) : 0;
    if (special || freedom == 0) return not_a_number;
    int negative = natural_read(&numerator, squares);
    natural_scale(&numerator, n);
    natural_read(&sum, sum_re);
    natural_square(&square, &sum);
    negative |= natural_subtract(&numerator, &square);
    if (sum_im) {
        natural_read(&sum, sum_im);
        natural_square(&square, &sum);
        negative |= natural_subtract(&numerator, &square);
    }
    if (negative) return not_a_number; /* these are not the sums of any numbers */
    if (numerator.count == 0) return zero;

    uint64_t d[3], leading[5];
    int32_t divisor_exponent;
    int32_t count = variance_divisor(n, freedom, d, &divisor_exponent);
    int32_t bit = natural_length(&numerator) + 1 - 64 * (count + 2); /* one spare bit: quotient of 126 to 128 bits */
    for (int32_t i = 0; i < count + 2; i++) leading[i] = natural_word(&numerator, bit + 64 * i);
    struct natural_leading x = {natural_divide(leading, d, count), 64 * numerator.low + bit - divisor_exponent, 0};
    x.sticky = natural_any_below(&numerator, bit);
    for (int32_t i = 0; i < count; i++) x.sticky |= leading[i] != 0;
    return deviation ? root_of(x) : real_of(x, 0);
}

/* ---------------------------------------------------------------------------------------------------------- *
 * Rounding and bytes
 * ---------------------------------------------------------------------------------------------------------- */

uint64_t exact_round(struct exact_real value, struct exact_format format)
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

uint64_t exact_integer(struct exact *a, int *fits_signed, int *fits_unsigned)
{
    struct natural value;
    int finite = special_of(a) == 0;
    int negative = natural_read(&value, a);
    int32_t length = value.count ? natural_length(&value) + 64 * value.low : 0;
    uint64_t size = finite ? natural_word(&value, -64 * value.low) : 0;
    int lowest = negative && length == 64 && size == (uint64_t)1 << 63;
    if (fits_signed) *fits_signed = finite && (length <= 63 || lowest);
    if (fits_unsigned) *fits_unsigned = finite && length <= 64 && !negative;
    return negative ? 0 - size : size;
}

/* Layout: u16 index of the first 32-bit digit, u16 number of digits, u8 negative, u8 special, two zero bytes; then the
 * digits of the size, least significant first, neither the first nor the last of them zero. All little-endian.
 * A special value has no digits. */
#define PACK_HEADER 8

/* Sums that exact_add_integer allows stay below 2^2240; more in packed bytes would eat the room for later merges. */
#define PACK_LIMBS (EXACT_LIMBS - 2)

static void write_little(unsigned char *bytes, uint32_t value, int count)
{
    for (int i = 0; i < count; i++) bytes[i] = (unsigned char)(value >> 8 * i);
}

static uint32_t read_little(const unsigned char *bytes, int count)
{
    uint32_t value = 0;
    for (int i = 0; i < count; i++) value |= (uint32_t)bytes[i] << 8 * i;
    return value;
}

size_t exact_pack(struct exact *a, unsigned char *bytes)
{
    struct natural value;
    uint32_t special = special_of(a);
    int negative = natural_read(&value, a);
    if (special) value.count = negative = 0;
    int32_t first = 0, last = 2 * value.count;
    while (last > 0 && natural_word(&value, 32 * (last - 1)) == 0) last--;
    while (first < last && (uint32_t)natural_word(&value, 32 * first) == 0) first++;
    int32_t origin = 2 * value.low - EXACT_LOWEST / EXACT_LIMB_BITS;
    write_little(bytes, last ? (uint32_t)(origin + first) : 0, 2);
    write_little(bytes + 2, (uint32_t)(last - first), 2);
    write_little(bytes + 4, (uint32_t)negative, 1);
    write_little(bytes + 5, special, 3);
    for (int32_t i = first; i < last; i++) {
        write_little(bytes + PACK_HEADER + 4 * (i - first), (uint32_t)natural_word(&value, 32 * i), 4);
    }
    return PACK_HEADER + 4 * (size_t)(last - first);
}

size_t exact_unpack(struct exact *a, const unsigned char *bytes, size_t size)
{
    if (size < PACK_HEADER) return 0;
    uint32_t low = read_little(bytes, 2), count = read_little(bytes + 2, 2);
    uint32_t negative = bytes[4], special = read_little(bytes + 5, 3);
    size_t used = PACK_HEADER + 4 * (size_t)count;
    if (used > size || low + count > PACK_LIMBS || negative > 1) return 0;
    if (special & (special - 1) || special > EXACT_MINUS_INFINITY || (special && count)) return 0;
    if (count == 0 && (low || negative)) return 0;
    if (count && (read_little(bytes + PACK_HEADER, 4) == 0 || read_little(bytes + used - 4, 4) == 0)) return 0;
    exact_clear(a);
    exact_cover(a, (int32_t)low, (int32_t)(low + count));
    for (uint32_t i = 0; i < count; i++) {
        int64_t digit = read_little(bytes + PACK_HEADER + 4 * i, 4);
        a->limb[low + i] = negative ? -digit : digit;
    }
    a->pending = 1;
    a->special = special;
    return used;
}
