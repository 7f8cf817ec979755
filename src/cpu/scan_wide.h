/* SPDX-License-Identifier: MIT
 *
 * scan_wide.h - a running sum of doubles of any range whose leading bits are always at hand: two's complement, with
 * carries passed on at once, and bit masks of the limbs that are not all zeros or all ones. */
#ifndef TALLY_CPU_SCAN_WIDE_H
#define TALLY_CPU_SCAN_WIDE_H

#include "../exact.h"
#include "../narrow.h"

/* Bit 0 weighs 2^WIDE_LOWEST, a whole limb below 2^-1074; at the top 2^63 doubles have room. */
#define WIDE_LOWEST (-1088)
#define WIDE_LIMBS 36

struct scan_wide {
    uint64_t limb[WIDE_LIMBS];
    uint64_t not_zeros, not_ones; /* bit i: limb i has a bit set, or clear */
};

static inline void wide_clear(struct scan_wide *w)
{
    for (int i = 0; i < WIDE_LIMBS; i++) w->limb[i] = 0;
    w->not_zeros = 0;
    w->not_ones = ((uint64_t)1 << WIDE_LIMBS) - 1;
}

static inline void wide_set(struct scan_wide *w, uint32_t i, uint64_t limb)
{
    uint64_t bit = (uint64_t)1 << i;
    w->limb[i] = limb;
    w->not_zeros = (w->not_zeros & ~bit) | (limb != 0 ? bit : 0);
    w->not_ones = (w->not_ones & ~bit) | (limb != UINT64_MAX ? bit : 0);
}

/* Adds (or subtracts) magnitude * 2^(WIDE_LOWEST + position). */
static inline void wide_add(struct scan_wide *w, uint64_t magnitude, int negative, uint32_t position)
{
    uint32_t i = position / 64, shift = position % 64;
    uint64_t low = magnitude << shift, high = shift ? magnitude >> (64 - shift) : 0;
    uint64_t carry, first = w->limb[i], second = w->limb[i + 1];
    if (negative) {
        carry = first < low;
        wide_set(w, i, first - low);
        uint64_t rest = second - high;
        wide_set(w, i + 1, rest - carry);
        carry = (second < high) | (rest < carry);
        for (i += 2; carry && i < WIDE_LIMBS; i++) {
            carry = w->limb[i] == 0;
            wide_set(w, i, w->limb[i] - 1);
        }
    } else {
        wide_set(w, i, first + low);
        carry = first + low < first;
        uint64_t rest = second + high;
        wide_set(w, i + 1, rest + carry);
        carry = (rest < second) | (rest + carry < rest);
        for (i += 2; carry && i < WIDE_LIMBS; i++) {
            wide_set(w, i, w->limb[i] + 1);
            carry = w->limb[i] == 0;
        }
    }
}

/* Adds a finite double. */
static inline void wide_add_double(struct scan_wide *w, double x)
{
    uint64_t bits = double_bits(x);
    uint32_t exponent = (uint32_t)(bits >> 52 & 0x7ff);
    uint64_t magnitude = (bits & 0xfffffffffffffull) | (exponent ? 1ull << 52 : 0);
    wide_add(w, magnitude, (int)(bits >> 63), (exponent ? exponent : 1) - 1 - 1074 - WIDE_LOWEST);
}

/* The number as a double: rounded to the nearest one, or (odd) to the one of its neighbours whose last bit is set.
 * Numbers are multiples of 2^-1074, so subnormal results are exact. */
static inline double wide_value(const struct scan_wide *w, int odd)
{
    int negative = (int)(w->limb[WIDE_LIMBS - 1] >> 63);
    uint64_t sign = negative ? UINT64_MAX : 0;
    uint64_t used = negative ? w->not_ones : w->not_zeros;
    if (used == 0) return 0;
    int top = 63 - __builtin_clzll(used);
    int shift = __builtin_clzll(w->limb[top] ^ sign);
    uint64_t high = w->limb[top], low = top > 0 ? w->limb[top - 1] : 0;
    uint64_t below = top > 1 ? w->not_zeros & (((uint64_t)1 << (top - 1)) - 1) : 0;
    uint64_t leading = shift ? high << shift | low >> (64 - shift) : high;
    uint64_t rest = low << shift;
    int cut = odd ? 11 : 2; /* leaves 53 bits, all of which a double keeps, or so many that a last odd one decides */
    uint64_t lost = (leading & (((uint64_t)1 << cut) - 1)) | rest | below;
    uint64_t kept = leading >> cut | sign << (64 - cut) | (lost != 0);
    int exponent = 64 * top - shift + cut + WIDE_LOWEST;
    int half = exponent / 2;
    double value = (double)(int64_t)kept * double_from_bits((uint64_t)(half + 1023) << 52);
    return value * double_from_bits((uint64_t)(exponent - half + 1023) << 52);
}

/* From and to an accumulator without specials; a is carried. */
static inline void wide_read(struct scan_wide *w, struct exact *a)
{
    wide_clear(w);
    exact_carry(a);
    for (int32_t i = a->low; i < a->high; i++) {
        int64_t limb = a->limb[i];
        uint32_t position = (uint32_t)(EXACT_LIMB_BITS * i + EXACT_LOWEST - WIDE_LOWEST);
        if (limb != 0) wide_add(w, limb < 0 ? 0 - (uint64_t)limb : (uint64_t)limb, limb < 0, position);
    }
}

static inline void wide_write(const struct scan_wide *w, struct exact *a)
{
    int negative = (int)(w->limb[WIDE_LIMBS - 1] >> 63);
    uint64_t carry = (uint64_t)negative;
    for (int i = 0; i < WIDE_LIMBS; i++) {
        uint64_t limb = negative ? ~w->limb[i] + carry : w->limb[i];
        carry &= limb == 0;
        int64_t low = (int64_t)(limb & 0xffffffff), high = (int64_t)(limb >> 32);
        exact_add_integer(a, negative ? -low : low, 64 * i + WIDE_LOWEST);
        exact_add_integer(a, negative ? -high : high, 64 * i + 32 + WIDE_LOWEST);
    }
}

#endif
