/* SPDX-License-Identifier: MIT
 *
 * running_digits.cuh - a thread's exact running sum of any numbers, whose rounding is at hand after every element.
 * Digits of 64 bits have signs of their own, in [-2^63, 2^63): a carry goes on only where a digit was nearly full, so
 * that an addition touches two digits whatever its sign is. What lies below a digit is less than one of its units and
 * has the sign of the highest digit that is there. After A. Avizienis, Signed-Digit Number Representations for Fast
 * Parallel Arithmetic, 1961. */
#ifndef TALLY_RUNNING_DIGITS_CUH
#define TALLY_RUNNING_DIGITS_CUH

#include "device.cuh"
#include "exact_real.h"
#include "scan_parameters.h"

/* Digit 0 weighs 2^RUNNING_LOWEST, below what state that is carried begins with; the last takes 2^62 largest doubles.
 */
#define RUNNING_LOWEST (-1216)
#define RUNNING_DIGITS SCAN_WIDE_DIGITS

struct running {
    int64_t *digit;  /* in shared memory, SCAN_WIDE_THREADS apart */
    uint64_t filled; /* a bit for each digit that is not zero; the others are zero in memory, too */
    uint32_t special;
};

DEVICE int64_t *running_place(const struct running *r, int32_t i)
{
    return r->digit + i * SCAN_WIDE_THREADS;
}

DEVICE void running_open(struct running *r, int64_t *digit)
{
    r->digit = digit;
    r->filled = 0;
    r->special = 0;
    for (int32_t i = 0; i < RUNNING_DIGITS; i++) *running_place(r, i) = 0;
}

/* Back to zero. */
DEVICE void running_clear(struct running *r)
{
    for (int32_t i = 0; r->filled >> i; i++) *running_place(r, i) = 0;
    r->filled = 0;
    r->special = 0;
}

/* Adds (high : low), in two's complement, to a digit; returns what is carried to the next. */
DEVICE int64_t running_digit(struct running *r, int32_t i, uint64_t low, int64_t high)
{
    int64_t *place = running_place(r, i), digit = *place;
    uint64_t sum = (uint64_t)digit + low, bit = (uint64_t)1 << i;
    *place = (int64_t)sum;
    r->filled = sum ? r->filled | bit : r->filled & ~bit;
    return high + (digit >> 63) + (int64_t)(sum < low) + (int64_t)(sum >> 63);
}

DEVICE void running_carry(struct running *r, int32_t i, int64_t carry)
{
    for (; carry && i < RUNNING_DIGITS; i++) carry = running_digit(r, i, (uint64_t)carry, carry >> 63);
}

/* Adds +- m * 2^exponent. m is below 2^63, unless it begins with a digit. */
DEVICE void running_add(struct running *r, uint64_t m, int negative, int32_t exponent)
{
    if (m == 0) return;
    int32_t place = exponent - RUNNING_LOWEST, i = place >> 6, shift = place & 63;
    uint64_t low = m << shift;
    int64_t high = shift ? (int64_t)(m >> (64 - shift)) : 0;
    if (negative) {
        low = 0 - low;
        high = -high - (low != 0);
    }
    running_carry(r, i + 1, running_digit(r, i, low, high));
}

DEVICE void running_add_double(struct running *r, double x)
{
    uint64_t bits = double_bits(x), fraction = bits & 0xfffffffffffffull;
    int32_t exponent = (int32_t)(bits >> 52 & 0x7ff);
    int negative = (int)(bits >> 63);
    if (exponent == 0x7ff) r->special |= fraction ? EXACT_NAN : negative ? EXACT_MINUS_INFINITY : EXACT_PLUS_INFINITY;
    else running_add(r, exponent ? fraction | 1ull << 52 : fraction, negative, (exponent ? exponent : 1) - 1075);
}

/* The sum before its rounding: its two highest digits, which have 63 bits at least, and whether anything follows. What
 * follows with the other sign leaves one unit less of them. */
DEVICE struct exact_real running_value(const struct running *r)
{
    uint32_t special = special_of(r->special);
    if (special || r->filled == 0) return special_real(special);
    int32_t top = 63 - exact_leading_zeros(r->filled);
    int64_t first = *running_place(r, top), second = top > 0 ? *running_place(r, top - 1) : 0;
    uint64_t below = top > 0 ? r->filled & (((uint64_t)1 << (top - 1)) - 1) : 0;
    int negative = first < 0;
    uint128 bits = ((uint128)((uint64_t)first + (uint64_t)(second >> 63)) << 64) + (uint64_t)second;
    if (negative) bits = 0 - bits;
    if (below) bits -= *running_place(r, 63 - exact_leading_zeros(below)) < 0 != negative;
    struct natural_leading leading = {bits, RUNNING_LOWEST + 64 * (top - 1), below != 0};
    return exact_real_of(leading, negative);
}

/* Digits in halves, whose sums stay below 2^63 for 2^31 numbers. */
DEVICE void running_leave(const struct running *r, int64_t *halves)
{
    for (int32_t i = 0; i < RUNNING_DIGITS; i++) {
        int64_t digit = *running_place(r, i);
        halves[2 * i] = (int64_t)((uint64_t)digit & 0xffffffff);
        halves[2 * i + 1] = digit >> 32;
    }
}

/* The number, which was zero, becomes that of such halves, or of sums of them. */
DEVICE void running_sum_up(struct running *r, const int64_t *halves)
{
    int64_t carry = 0;
    for (int32_t i = 0; i < RUNNING_DIGITS; i++) {
        uint64_t low = (uint64_t)halves[2 * i], more = (uint64_t)halves[2 * i + 1] << 32;
        uint64_t sum = low + more;
        int64_t high = (halves[2 * i] >> 63) + (halves[2 * i + 1] >> 32) + (int64_t)(sum < low);
        uint64_t all = sum + (uint64_t)carry;
        high += (carry >> 63) + (int64_t)(all < sum);
        carry = running_digit(r, i, all, high);
    }
}

#endif
