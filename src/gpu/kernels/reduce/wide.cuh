/* SPDX-License-Identifier: MIT
 *
 * wide.cuh - exact sums of any numbers: a block adds to numbers as long as the type needs, in digits of 16 bits that
 * 32-bit words hold, so that threads add by the fast atomics of shared memory; the digits move to 64-bit words before
 * they can overflow. */
#ifndef TALLY_WIDE_CUH
#define TALLY_WIDE_CUH

#include "team.cuh"

#include "exact_real.h"
#include "finish_exact.cuh"
#include "sums.cuh"

/* Digit 0 weighs 2^DIGIT_LOWEST, below the square of the smallest double. */
#define DIGIT_LOWEST (-2176)
#define DIGITS 284
#define DEPOSITS (1 << 13) /* elements; each adds less than 2^18 to a digit, which stays below 2^31 */

struct wide_sum {
    int32_t digit[DIGITS];
    int64_t total[DIGITS];
};

struct wide {
    struct wide_sum sum[SUMS];
    uint32_t special[SUMS];
    unsigned long long absent;
};

/* Adds +- m * 2^exponent. */
DEVICE void deposit(struct wide_sum *sum, uint64_t m, int negative, int32_t exponent)
{
    if (m == 0) return;
    int32_t place = exponent - DIGIT_LOWEST;
    int32_t i = place >> 4, shift = place & 15;
    uint64_t low = m << shift, high = shift ? m >> (64 - shift) : 0;
    for (; low | high; i++) {
        int32_t digit = (int32_t)(low & 0xffff);
        low = low >> 16 | high << 48;
        high >>= 16;
        if (digit) atomicAdd(&sum->digit[i], negative ? -digit : digit);
    }
}

DEVICE void deposit_double(struct wide *w, int s, double x, int32_t scale)
{
    uint64_t bits = double_bits(x), fraction = bits & 0xfffffffffffffull;
    int32_t exponent = (int32_t)(bits >> 52 & 0x7ff);
    int negative = (int)(bits >> 63);
    if (exponent == 0x7ff)
        atomicOr(&w->special[s], fraction ? EXACT_NAN : negative ? EXACT_MINUS_INFINITY : EXACT_PLUS_INFINITY);
    else
        deposit(&w->sum[s], exponent ? fraction | 1ull << 52 : fraction, negative,
                (exponent ? exponent : 1) - 1075 + scale);
}

DEVICE void deposit_product(struct wide *w, int s, double x, double y)
{
    uint64_t bx = double_bits(x), by = double_bits(y);
    int32_t ex = (int32_t)(bx >> 52 & 0x7ff), ey = (int32_t)(by >> 52 & 0x7ff);
    uint64_t mx = bx & 0xfffffffffffffull, my = by & 0xfffffffffffffull;
    int negative = (int)((bx ^ by) >> 63);
    if (ex == 0x7ff || ey == 0x7ff) {
        int nan = (ex == 0x7ff && mx) || (ey == 0x7ff && my) || (ex == 0 && mx == 0) || (ey == 0 && my == 0);
        atomicOr(&w->special[s], nan ? EXACT_NAN : negative ? EXACT_MINUS_INFINITY : EXACT_PLUS_INFINITY);
        return;
    }
    if (ex) mx |= 1ull << 52;
    if (ey) my |= 1ull << 52;
    int32_t place = (ex ? ex : 1) + (ey ? ey : 1) - 2150;
    uint64_t low = mx * my;
    deposit(&w->sum[s], low, negative, place);
    deposit(&w->sum[s], __umul64hi(mx, my), negative, place + 64);
}

#if IS_FLOAT
#if IS_COMPLEX
#define REAL_PART re
#else
#define REAL_PART v
#endif

DEVICE void deposit_element(struct wide *w, element x, element y)
{
    double re = (double)x.REAL_PART;
    (void)y;
#if defined(PICK_VALUE) || defined(PICK_MOMENTS)
    deposit_double(w, 0, re, 0);
#endif
#if defined(PICK_MOMENTS) || defined(PICK_SQUARE)
    deposit_product(w, SUMS - 1, re, re);
#endif
#if defined(PICK_PRODUCT)
    deposit_product(w, 0, re, (double)y.REAL_PART);
#endif
#if defined(PICK_MAGNITUDE) && !IS_COMPLEX
    deposit_double(w, 0, fabs(re), 0);
#endif
#if IS_COMPLEX
    double im = (double)x.im;
#if defined(PICK_VALUE) || defined(PICK_MOMENTS)
    deposit_double(w, 1, im, 0);
#endif
#if defined(PICK_MOMENTS) || defined(PICK_SQUARE)
    deposit_product(w, SUMS - 1, im, im);
#endif
#if defined(PICK_PRODUCT)
    deposit_product(w, 0, -im, (double)y.im);
    deposit_product(w, 1, re, (double)y.im);
    deposit_product(w, 1, im, (double)y.re);
#endif
#if defined(PICK_MAGNITUDE)
    struct complex_norm norm = complex_norm(re, im);
    deposit_double(w, 0, norm.hi, norm.exponent);
    deposit_double(w, 0, norm.lo, norm.exponent);
#endif
#endif
}
#else
/* Integers come here when an initial value does not fit their words. */
DEVICE void deposit_element(struct wide *w, element x, element y)
{
    uint64_t a = ELEMENT_KIND == KIND_BOOLEAN ? x.v != 0 : (uint64_t)(int64_t)x.v;
    uint64_t b = ELEMENT_KIND == KIND_BOOLEAN ? y.v != 0 : (uint64_t)(int64_t)y.v;
    int a_negative = ELEMENT_KIND == KIND_SIGNED && (int64_t)a < 0,
        b_negative = ELEMENT_KIND == KIND_SIGNED && (int64_t)b < 0;
    if (a_negative) a = 0 - a;
    if (b_negative) b = 0 - b;
#if defined(PICK_VALUE) || defined(PICK_MOMENTS) || defined(PICK_MAGNITUDE)
    deposit(&w->sum[0], a, a_negative && LIFT_NUMBER != LIFT_MAGNITUDE, 0);
#endif
#if defined(PICK_MOMENTS) || defined(PICK_SQUARE)
    b = a;
    b_negative = a_negative;
#endif
#if !defined(PICK_VALUE) && !defined(PICK_MAGNITUDE)
    uint64_t low = a * b, high = __umul64hi(a, b);
    deposit(&w->sum[SUMS - 1], low, a_negative != b_negative, 0);
    deposit(&w->sum[SUMS - 1], high, a_negative != b_negative, 64);
#endif
}
#endif

DEVICE void wide_clear(struct wide *w)
{
    for (int i = (int)threadIdx.x; i < (int)(sizeof *w / 4); i += THREADS) ((uint32_t *)w)[i] = 0;
    __syncthreads();
}

/* Moves the digits to the 64-bit words. */
DEVICE void wide_carry(struct wide *w)
{
    __syncthreads();
    for (int s = 0; s < SUMS; s++) {
        for (int i = (int)threadIdx.x; i < DIGITS; i += THREADS) {
            w->sum[s].total[i] += w->sum[s].digit[i];
            w->sum[s].digit[i] = 0;
        }
    }
    __syncthreads();
}

/* Elements [begin, end) of a cell. */
DEVICE void wide_absorb(const struct reduce_parameters *p, const struct cell *c, int64_t begin, int64_t end,
                        struct wide *w)
{
    int64_t absent = 0;
    for (int64_t first = begin; first < end; first += DEPOSITS) {
        int64_t stop = end - first < DEPOSITS ? end : first + DEPOSITS;
        for (int64_t i = first + threadIdx.x; i < stop; i += THREADS) {
            struct offsets at = offsets_of(p->reduced, p->reduced_count, i);
            element x = load_element(c->x + at.x * ELEMENT_SIZE, 0);
            element y = WITH_SECOND ? load_element(c->y + at.y * ELEMENT_SIZE, 0) : x;
            int here = !WITH_WHERE || c->where[at.where];
            if (SKIP_NAN && (element_is_nan(x) || element_is_nan(y))) here = 0;
            if (here) deposit_element(w, x, y);
            else absent++;
        }
        wide_carry(w);
    }
    if (absent) atomicAdd(&w->absent, (unsigned long long)absent);
    __syncthreads();
}

/* The sum's size and sign. The totals are carried on, and end up in [0, 2^16) but for the last. */
DEVICE void wide_read(struct wide *w, int s, struct exact_sum *sum)
{
    int64_t *total = w->sum[s].total, carry = 0;
    for (int i = 0; i < DIGITS; i++) {
        int64_t v = total[i] + carry;
        total[i] = v & 0xffff;
        carry = v >> 16;
    }
    sum->negative = carry < 0;
    sum->special = w->special[s];
    sum->size.low = DIGIT_LOWEST / 64;
    sum->size.count = 0;
    uint64_t one = (uint64_t)sum->negative;
    for (int i = 0; i < DIGITS / 4; i++) {
        uint64_t v = 0;
        for (int k = 0; k < 4; k++) v |= (uint64_t)total[4 * i + k] << 16 * k;
        if (sum->negative) {
            v = ~v + one;
            one = one && v == 0;
        }
        sum->size.limb[i] = v;
        if (v) sum->size.count = i + 1;
    }
    /* Trimmed at the low end, too, so that squares stay short. */
    int zeros = 0;
    while (zeros < sum->size.count && sum->size.limb[zeros] == 0) zeros++;
    for (int i = zeros; i < sum->size.count; i++) sum->size.limb[i - zeros] = sum->size.limb[i];
    sum->size.low += zeros;
    sum->size.count -= zeros;
}

#endif
