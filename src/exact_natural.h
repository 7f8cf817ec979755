/* SPDX-License-Identifier: MIT
 *
 * exact_natural.h - natural numbers of a few 64-bit limbs, for finishing an exact accumulator. Read by the C compiler
 * and by NVRTC. Schoolbook methods: the numbers are short unless the data span a wide range, and a finishing function
 * runs once per output cell. */
#ifndef TALLY_EXACT_NATURAL_H
#define TALLY_EXACT_NATURAL_H

#include "exact.h"

__extension__ typedef unsigned __int128 uint128;

/* A square of an accumulator has twice its bits; products with counts add a limb. */
#ifndef NATURAL_LIMBS
#define NATURAL_LIMBS (EXACT_LIMBS + 8)
#endif

/* Loops over limbs take a GPU's compiler long where it unrolls them; the numbers are short. */
#if defined(__CUDACC_RTC__)
#define EXACT_ROLLED _Pragma("unroll 1")
#else
#define EXACT_ROLLED
#endif

/* The sum over i < count of limb[i] * 2^(64 (low + i)). The last limb is not zero; zero has no limbs. */
struct natural {
    int32_t low, count;
    uint64_t limb[NATURAL_LIMBS];
};

/* Leading bits of a positive number: (bits + sticky) * 2^exponent with sticky standing for something in (0, 1). */
struct natural_leading {
    uint128 bits;
    int32_t exponent;
    int32_t sticky;
};

/* Zero bits above (below) the highest (lowest) one of x > 0. */
EXACT_FUNCTION int32_t exact_leading_zeros(uint64_t x)
{
#if defined(__CUDACC_RTC__)
    return __clzll((long long)x);
#else
    return __builtin_clzll(x);
#endif
}

EXACT_FUNCTION int32_t exact_trailing_zeros(uint64_t x)
{
    return 63 - exact_leading_zeros(x & (0 - x));
}

EXACT_FUNCTION void natural_trim(struct natural *a)
{
    while (a->count > 0 && a->limb[a->count - 1] == 0) a->count--;
}

/* How many bits a > 0 has, counted from bit 0 of its first limb. */
EXACT_FUNCTION int32_t natural_length(const struct natural *a)
{
    return 64 * a->count - exact_leading_zeros(a->limb[a->count - 1]);
}

/* 64 bits of a from the given bit on; bits that lie outside are zero. */
EXACT_FUNCTION uint64_t natural_word(const struct natural *a, int32_t bit)
{
    int32_t i = bit >> 6, shift = bit & 63;
    uint64_t low = i >= 0 && i < a->count ? a->limb[i] : 0;
    if (shift == 0) return low;
    uint64_t high = i + 1 >= 0 && i + 1 < a->count ? a->limb[i + 1] : 0;
    return low >> shift | high << (64 - shift);
}

/* Whether any bit of a below the given one is set. */
EXACT_FUNCTION int natural_any_below(const struct natural *a, int32_t bit)
{
    if (bit <= 0) return 0;
    EXACT_ROLLED
    for (int32_t i = 0; i < bit >> 6; i++) {
        if (a->limb[i]) return 1;
    }
    return bit & 63 ? a->limb[bit >> 6] << (64 - (bit & 63)) != 0 : 0;
}

/* The 128 leading bits of a > 0, the top one set. */
EXACT_FUNCTION struct natural_leading natural_leading(const struct natural *a)
{
    int32_t bit = natural_length(a) - 128;
    uint128 bits = (uint128)natural_word(a, bit + 64) << 64 | natural_word(a, bit);
    struct natural_leading leading = {bits, 64 * a->low + bit, natural_any_below(a, bit)};
    return leading;
}

/* a *= factor. */
EXACT_FUNCTION void natural_scale(struct natural *a, uint64_t factor)
{
    uint128 carry = 0;
    EXACT_ROLLED
    for (int32_t i = 0; i < a->count; i++) {
        carry += (uint128)a->limb[i] * factor;
        a->limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
    a->limb[a->count++] = (uint64_t)carry;
    natural_trim(a);
}

/* r = a * a. */
EXACT_FUNCTION void natural_square(struct natural *r, const struct natural *a)
{
    r->low = 2 * a->low;
    r->count = 2 * a->count;
    EXACT_ROLLED
    for (int32_t i = 0; i < r->count; i++) r->limb[i] = 0;
    EXACT_ROLLED
    for (int32_t i = 0; i < a->count; i++) {
        uint128 carry = 0;
        EXACT_ROLLED
        for (int32_t j = 0; j < a->count; j++) {
            carry += (uint128)a->limb[i] * a->limb[j] + r->limb[i + j];
            r->limb[i + j] = (uint64_t)carry;
            carry >>= 64;
        }
        r->limb[i + a->count] = (uint64_t)carry;
    }
    natural_trim(r);
}

/* a -= b; returns whether b was larger, and then a is spoilt. */
EXACT_FUNCTION int natural_subtract(struct natural *a, const struct natural *b)
{
    if (b->count == 0) return 0;
    if (a->count == 0) return 1;
    if (b->low < a->low) {
        int32_t gap = a->low - b->low;
        EXACT_ROLLED
        for (int32_t i = a->count - 1; i >= 0; i--) a->limb[i + gap] = a->limb[i];
        EXACT_ROLLED
        for (int32_t i = 0; i < gap; i++) a->limb[i] = 0;
        a->low = b->low;
        a->count += gap;
    }
    int32_t start = b->low - a->low;
    if (start + b->count > a->count) return 1;
    uint64_t borrow = 0;
    EXACT_ROLLED
    for (int32_t i = start; i < a->count; i++) {
        uint64_t subtrahend = i - start < b->count ? b->limb[i - start] : 0;
        uint128 difference = (uint128)a->limb[i] - subtrahend - borrow;
        a->limb[i] = (uint64_t)difference;
        borrow = (uint64_t)(difference >> 64) & 1;
    }
    natural_trim(a);
    return (int)borrow;
}

/* Takes digit * d away from part, which has a limb more than d; returns whether that went below zero. */
EXACT_FUNCTION int subtract_multiple(uint64_t *part, const uint64_t *d, int32_t count, uint64_t digit)
{
    uint64_t borrow = 0;
    EXACT_ROLLED
    for (int32_t i = 0; i < count; i++) {
        uint128 product = (uint128)digit * d[i] + borrow;
        borrow = (uint64_t)(product >> 64) + (part[i] < (uint64_t)product);
        part[i] -= (uint64_t)product;
    }
    int below = part[count] < borrow;
    part[count] -= borrow;
    return below;
}

/* floor(n / d) for d of `count` limbs with its top bit set, and n < d * 2^128 of two limbs more; n becomes the
 * remainder. */
/* Knuth's algorithm D: as d's top bit is set, a digit guessed from the leading limbs is at most two too large. */
EXACT_FUNCTION uint128 natural_divide(uint64_t *n, const uint64_t *d, int32_t count)
{
    uint128 quotient = 0;
    EXACT_ROLLED
    for (int32_t j = 1; j >= 0; j--) {
        uint64_t *part = n + j, top = d[count - 1];
        uint128 leading = (uint128)part[count] << 64 | part[count - 1];
        uint64_t digit = part[count] >= top ? UINT64_MAX : (uint64_t)(leading / top);
        int below = subtract_multiple(part, d, count, digit);
        while (below) {
            digit--;
            uint128 carry = 0;
            EXACT_ROLLED
            for (int32_t i = 0; i < count; i++) {
                carry += (uint128)part[i] + d[i];
                part[i] = (uint64_t)carry;
                carry >>= 64;
            }
            carry += part[count];
            part[count] = (uint64_t)carry;
            below = carry >> 64 == 0;
        }
        quotient = quotient << 64 | digit;
    }
    return quotient;
}

/* floor(sqrt(n)) for n >= 2^124. */
/* Every step doubles the correct bits of an estimate that is off by less than one: the adaptive Newton iteration of
 * CPython's math.isqrt, where it is proved. */
EXACT_FUNCTION uint64_t natural_square_root(uint128 n)
{
    int small = n >> 126 == 0;
    if (small) n <<= 2;
    uint64_t top = (uint64_t)(n >> 64);
    uint64_t u = 1 + (top >> 62);
    u = (u << 1) + (top >> 59) / u;
    u = (u << 3) + (top >> 53) / u;
    u = (u << 7) + (top >> 41) / u;
    u = (u << 15) + (top >> 17) / u;
    uint128 root = ((uint128)u << 31) + (n >> 33) / u;
    if (root >> 64 || root * root > n) root--;
    return (uint64_t)root >> small;
}

#endif
