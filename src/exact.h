/* SPDX-License-Identifier: MIT
 *
 * exact.h - the exact accumulator: a fixed-point number wide enough for any sum of products of two doubles.
 *
 * Adding and merging are exact integer arithmetic, so the order of additions cannot matter; a result is rounded once,
 * at the end. Read by the C compiler and by NVRTC: everything here is plain integer code. The finishing functions,
 * which a host runs, are in exact.c. The method: Kulisch's long accumulator with carry-save limbs; Neal, "Fast exact
 * summation using small and large superaccumulators", arXiv:1505.05571. */
#ifndef TALLY_EXACT_H
#define TALLY_EXACT_H

#if !defined(__CUDACC_RTC__)
#include <stddef.h>
#include <stdint.h>
#endif

#ifndef EXACT_FUNCTION
#define EXACT_FUNCTION static inline
#endif

/* Bit 0 of limb 0 weighs 2^EXACT_LOWEST, a whole limb at or below 2^-2148, the square of the smallest subnormal double.
 * The top limbs hold the sign and what 2^63 additions carry into them. */
#define EXACT_LOWEST (-2176)
#define EXACT_LIMB_BITS 32
#define EXACT_LIMBS 140

enum { EXACT_NAN = 1, EXACT_PLUS_INFINITY = 2, EXACT_MINUS_INFINITY = 4 };

/* The value is the sum over i of limb[i] * 2^(EXACT_LOWEST + 32 i). Limbs are signed and hold carries not yet passed
 * on: `pending` counts additions since the last carry pass, each of which adds less than 2^32 to a limb's size.
 * Only limbs in [low, high) hold anything; the others are not even initialised. */
struct exact {
    int32_t low, high;
    uint32_t pending;
    uint32_t special; /* EXACT_NAN ... bits: once an infinity or a NaN came in, the limbs no longer matter */
    int64_t limb[EXACT_LIMBS];
};

/* A carry pass is due before 2^31 additions; a smaller bound lets merges skip it. */
#define EXACT_PENDING_LIMIT (1u << 29)

EXACT_FUNCTION void exact_clear(struct exact *a)
{
    a->low = a->high = 0;
    a->pending = 0;
    a->special = 0;
}

/* Makes limbs [first, last) part of the accumulator's range. */
EXACT_FUNCTION void exact_cover(struct exact *a, int32_t first, int32_t last)
{
    if (a->low == a->high) {
        a->low = a->high = first;
    }
    while (a->low > first) a->limb[--a->low] = 0;
    while (a->high < last) a->limb[a->high++] = 0;
}

/* Passes carries on: afterwards every limb but the highest lies in [0, 2^32), the highest in [-2^32, 2^32). */
EXACT_FUNCTION void exact_carry(struct exact *a)
{
    int64_t carry = 0;
    int32_t top = a->high - 1;
    for (int32_t i = a->low; i < top; i++) {
        int64_t v = a->limb[i] + carry;
        carry = v >> EXACT_LIMB_BITS;
        a->limb[i] = v & 0xffffffff;
    }
    a->pending = 1;
    if (a->low == a->high) return;
    int64_t v = a->limb[top] + carry;
    a->limb[top] = v;
    if (v < -((int64_t)1 << EXACT_LIMB_BITS) || v >> EXACT_LIMB_BITS > 0) {
        exact_cover(a, a->low, a->high + 1);
        a->limb[top] = v & 0xffffffff;
        a->limb[top + 1] = v >> EXACT_LIMB_BITS;
    }
}

/* Adds m * 2^e. e >= EXACT_LOWEST, and m * 2^e below 2^2176. */
EXACT_FUNCTION void exact_add_integer(struct exact *a, int64_t m, int32_t e)
{
    if (m == 0) return;
    int32_t position = e - EXACT_LOWEST;
    int32_t i = position / EXACT_LIMB_BITS;
    int32_t shift = position % EXACT_LIMB_BITS;
    int64_t sign = m < 0 ? -1 : 0; /* signs of data are random: a branch on them is often predicted wrongly */
    uint64_t size = m < 0 ? 0 - (uint64_t)m : (uint64_t)m;
    uint64_t low = (size & 0xffffffff) << shift;
    uint64_t high = (size >> 32) << shift;
    if (a->pending >= EXACT_PENDING_LIMIT) exact_carry(a);
    a->pending++;
    if (i < a->low || i + 3 > a->high) exact_cover(a, i, i + 3);
    a->limb[i] += ((int64_t)(low & 0xffffffff) ^ sign) - sign;
    a->limb[i + 1] += ((int64_t)(low >> 32 | (high & 0xffffffff)) ^ sign) - sign;
    a->limb[i + 2] += ((int64_t)(high >> 32) ^ sign) - sign;
}

/* Adds the finite or special double with these bits, times 2^scale. |scale| <= 1000. */
EXACT_FUNCTION void exact_add_scaled_double_bits(struct exact *a, uint64_t bits, int32_t scale)
{
    uint64_t fraction = bits & 0xfffffffffffffull;
    int32_t exponent = (int32_t)(bits >> 52 & 0x7ff);
    int negative = (int)(bits >> 63);
    if (exponent == 0x7ff) {
        a->special |= fraction ? EXACT_NAN : negative ? EXACT_MINUS_INFINITY : EXACT_PLUS_INFINITY;
        return;
    }
    int64_t m = (int64_t)(exponent ? fraction | 1ull << 52 : fraction);
    exact_add_integer(a, negative ? -m : m, (exponent ? exponent : 1) - 1075 + scale);
}

/* Adds the finite or special double with these bits. */
EXACT_FUNCTION void exact_add_double_bits(struct exact *a, uint64_t bits)
{
    exact_add_scaled_double_bits(a, bits, 0);
}

/* Adds the product of two doubles with these bits, exactly; an infinite factor gives what IEEE 754 says. */
EXACT_FUNCTION void exact_add_product_bits(struct exact *a, uint64_t x, uint64_t y)
{
    int32_t ex = (int32_t)(x >> 52 & 0x7ff), ey = (int32_t)(y >> 52 & 0x7ff);
    uint64_t mx = x & 0xfffffffffffffull, my = y & 0xfffffffffffffull;
    int negative = (int)((x ^ y) >> 63);
    if (ex == 0x7ff || ey == 0x7ff) {
        int nan = (ex == 0x7ff && mx) || (ey == 0x7ff && my) || (ex == 0 && mx == 0) || (ey == 0 && my == 0);
        a->special |= nan ? EXACT_NAN : negative ? EXACT_MINUS_INFINITY : EXACT_PLUS_INFINITY;
        return;
    }
    if (ex) mx |= 1ull << 52;
    if (ey) my |= 1ull << 52;
    if (mx == 0 || my == 0) return; /* its exponent says nothing: do not make the limbs there part of the range */
    /* The product of at most 106 bits in four 32-bit digits, then shifted into five limbs. */
    uint64_t x0 = mx & 0xffffffff, x1 = mx >> 32, y0 = my & 0xffffffff, y1 = my >> 32;
    uint64_t middle = x0 * y1 + x1 * y0 + (x0 * y0 >> 32);
    uint64_t top = x1 * y1 + (middle >> 32);
    int32_t position = (ex ? ex : 1) + (ey ? ey : 1) - 2150 - EXACT_LOWEST;
    int32_t i = position / EXACT_LIMB_BITS;
    int32_t shift = position % EXACT_LIMB_BITS;
    int64_t sign = negative ? -1 : 0;
    uint64_t p0 = (x0 * y0 & 0xffffffff) << shift, p1 = (middle & 0xffffffff) << shift;
    uint64_t p2 = (top & 0xffffffff) << shift, p3 = (top >> 32) << shift;
    if (a->pending >= EXACT_PENDING_LIMIT) exact_carry(a);
    a->pending++;
    if (i < a->low || i + 5 > a->high) exact_cover(a, i, i + 5);
    a->limb[i] += ((int64_t)(p0 & 0xffffffff) ^ sign) - sign;
    a->limb[i + 1] += ((int64_t)(p0 >> 32 | (p1 & 0xffffffff)) ^ sign) - sign;
    a->limb[i + 2] += ((int64_t)(p1 >> 32 | (p2 & 0xffffffff)) ^ sign) - sign;
    a->limb[i + 3] += ((int64_t)(p2 >> 32 | (p3 & 0xffffffff)) ^ sign) - sign;
    a->limb[i + 4] += ((int64_t)(p3 >> 32) ^ sign) - sign;
}

/* Adds b to a. */
EXACT_FUNCTION void exact_merge(struct exact *a, const struct exact *b)
{
    a->special |= b->special;
    if (b->low == b->high) return;
    if (a->pending + b->pending >= EXACT_PENDING_LIMIT) exact_carry(a);
    exact_cover(a, b->low, b->high);
    for (int32_t i = b->low; i < b->high; i++) a->limb[i] += b->limb[i];
    a->pending += b->pending;
}

/* A real number just before its one rounding: sign * (significand + sticky) * 2^exponent with the significand's top
 * bit set, where a non-zero sticky stands for something in (0, 1). significand 0 is the exact zero. */
struct exact_real {
    uint64_t significand;
    int32_t exponent;
    int32_t negative;
    int32_t sticky;
    uint32_t special; /* EXACT_NAN or one infinity: then the rest does not matter */
};

/* Binary formats that a real is rounded to: significand bits (with the hidden one) and exponent range. */
struct exact_format {
    int32_t precision;         /* 11, 8, 24, 53 */
    int32_t smallest_exponent; /* of the lowest subnormal bit: -24, -133, -149, -1074 */
    int32_t largest_exponent;  /* values of 2^largest and above overflow: 16, 128, 128, 1024 */
};

#if !defined(__CUDACC_RTC__)

/* The accumulated value; sets special from the accumulator's (NaN when both infinities came in). a is carried. */
struct exact_real exact_value(struct exact *a);

/* The value divided by n; NaN when n is 0. */
struct exact_real exact_mean(struct exact *a, uint64_t n);

/* The square root of the value; NaN when that is negative. */
struct exact_real exact_root(struct exact *a);

/* (squares - (sum_re^2 + sum_im^2) / n) / (n - correction), or its square root when deviation is set: variance and
 * standard deviation from the exact sums of |x|^2 and x. sum_im may be NULL. NaN when n - correction <= 0 or anything
 * special came in. correction is finite, at most 2^63 in size and counts to 2^-63. Exact up to the one rounding. */
struct exact_real exact_variance(struct exact *squares, struct exact *sum_re, struct exact *sum_im, uint64_t n,
                                 double correction, int deviation);

/* The value as a 64-bit two's complement integer, modulo 2^64; the value must be an integer. *fits_signed and
 * *fits_unsigned, when not NULL, say whether it lies in the type's range. */
uint64_t exact_integer(struct exact *a, int *fits_signed, int *fits_unsigned);

/* Portable bytes: writes at most EXACT_PACK_BYTES, returns how many; reading returns the bytes used or 0 when they
 * are malformed. The bytes depend on the value alone, not on how it came about. */
#define EXACT_PACK_BYTES (8 + 4 * (EXACT_LIMBS + 1))
size_t exact_pack(struct exact *a, unsigned char *bytes);
size_t exact_unpack(struct exact *a, const unsigned char *bytes, size_t size);

#endif
#endif
