/* SPDX-License-Identifier: MIT
 *
 * exact_words.cuh - a thread's exact sum: a two's complement number of a few 64-bit words. Types whose sums fit a fixed
 * number of words never fail; the others have a window of words that moves where it can, and when a number fits no more
 * the sum says so: its cell is summed again by reduce_wide.cu. Adding has no order, so neither has the result.
 *   WORDS       words of a sum
 *   FIXED_LOW   where the window stands fast: bit 0 weighs 2^(64 FIXED_LOW); else undefined
 * Where there are long sums (long_sum.cuh), these take what fits no more, and no sum fails. */
#ifndef TALLY_EXACT_WORDS_CUH
#define TALLY_EXACT_WORDS_CUH

#include "device.cuh"
#include "exact_real.h"
#include "narrow.h"

#if defined(LONG_WORDS)
#include "long_sum.cuh"
#endif

#define EXACT_FAILED 8u   /* beside EXACT_NAN ... in special */
#define EXACT_SPILLED 16u /* some of the sum is in the block's long one, whose number is above these bits */
#define SUM_NUMBER_SHIFT 8
#define LOW_UNSET (-1000000)

/* What is added has fewer than 100 bits, and 2^40 additions must not overflow: the last place where one may stand. */
#define WORDS_HEADROOM 41
#define WORDS_LAST_PLACE (64 * WORDS - 100 - WORDS_HEADROOM)

struct words {
    uint64_t w[WORDS];
    int32_t low; /* bit 0 weighs 2^(64 low); LOW_UNSET while nothing was added */
    uint32_t special;
};

DEVICE void words_clear(struct words *a)
{
#pragma unroll
    for (int i = 0; i < WORDS; i++) a->w[i] = 0;
#if defined(FIXED_LOW)
    a->low = FIXED_LOW;
#else
    a->low = LOW_UNSET;
#endif
    a->special = 0;
}

/* a += b, both at the same place. */
DEVICE void words_sum(struct words *a, const uint64_t *b)
{
    uint64_t *w = a->w;
#if defined(TALLY_SIMT)
    uint64_t carry = 0;
    for (int i = 0; i < WORDS; i++) {
        uint64_t t = w[i] + b[i];
        uint64_t overflow = t < b[i];
        w[i] = t + carry;
        carry = overflow | (w[i] < carry);
    }
#elif WORDS == 3
    asm("add.cc.u64 %0, %0, %3; "
        "addc.cc.u64 %1, %1, %4; addc.u64 %2, %2, %5;"
        : "+l"(w[0]), "+l"(w[1]), "+l"(w[2])
        : "l"(b[0]), "l"(b[1]), "l"(b[2]));
#elif WORDS == 4
    asm("add.cc.u64 %0, %0, %4; addc.cc.u64 %1, %1, %5; "
        "addc.cc.u64 %2, %2, %6; addc.u64 %3, %3, %7;"
        : "+l"(w[0]), "+l"(w[1]), "+l"(w[2]), "+l"(w[3])
        : "l"(b[0]), "l"(b[1]), "l"(b[2]), "l"(b[3]));
#elif WORDS == 5
    asm("add.cc.u64 %0, %0, %5; addc.cc.u64 %1, %1, %6; "
        "addc.cc.u64 %2, %2, %7; addc.cc.u64 %3, %3, %8; addc.u64 %4, %4, %9;"
        : "+l"(w[0]), "+l"(w[1]), "+l"(w[2]), "+l"(w[3]), "+l"(w[4])
        : "l"(b[0]), "l"(b[1]), "l"(b[2]), "l"(b[3]), "l"(b[4]));
#elif WORDS == 6
    asm("add.cc.u64 %0, %0, %6; addc.cc.u64 %1, %1, %7; addc.cc.u64 %2, %2, %8; "
        "addc.cc.u64 %3, %3, %9; addc.cc.u64 %4, %4, %10; addc.u64 %5, %5, %11;"
        : "+l"(w[0]), "+l"(w[1]), "+l"(w[2]), "+l"(w[3]), "+l"(w[4]), "+l"(w[5])
        : "l"(b[0]), "l"(b[1]), "l"(b[2]), "l"(b[3]), "l"(b[4]), "l"(b[5]));
#else
#error "words_sum: write the chain of carries for this number of words"
#endif
}

DEVICE void words_down(struct words *a)
{
#pragma unroll
    for (int i = 0; i + 1 < WORDS; i++) a->w[i] = a->w[i + 1];
    a->w[WORDS - 1] = (uint64_t)((int64_t)a->w[WORDS - 1] >> 63);
    a->low++;
}

DEVICE void words_up(struct words *a)
{
#pragma unroll
    for (int i = WORDS - 1; i > 0; i--) a->w[i] = a->w[i - 1];
    a->w[0] = 0;
    a->low--;
}

/* Whether the number may move up by a word and still take additions. */
DEVICE int words_may_rise(const struct words *a)
{
#if WORDS > 1
    int64_t top = (int64_t)a->w[WORDS - 1], next = (int64_t)a->w[WORDS - 2];
    int64_t size = next < 0 ? ~next : next;
    return top == next >> 63 && size >> (64 - WORDS_HEADROOM) == 0;
#else
    return 0;
#endif
}

/* Moves the window until a number times 2^exponent can be added; rarely needed, so out of line. */
DEVICE_CALL struct words words_move(struct words a, int32_t exponent)
{
    if (a.low == LOW_UNSET) a.low = (exponent >> 6) - 1;
#if !defined(FIXED_LOW)
    while (exponent - 64 * a.low > WORDS_LAST_PLACE && a.w[0] == 0) words_down(&a);
    while (exponent < 64 * a.low && words_may_rise(&a)) words_up(&a);
#endif
    int32_t place = exponent - 64 * a.low;
    if (place < 0 || place > WORDS_LAST_PLACE) a.special |= EXACT_FAILED;
    return a;
}

#if defined(LONG_WORDS)
DEVICE struct long_sum *words_spill(struct words *a)
{
    a->special = (a->special & ~EXACT_FAILED) | EXACT_SPILLED;
    return &long_sums()[a->special >> SUM_NUMBER_SHIFT];
}

/* All of the words into a long sum. */
DEVICE_CALL void long_add_words(struct long_sum *sum, struct words a)
{
    int negative = (int)(a.w[WORDS - 1] >> 63);
    uint64_t carry = (uint64_t)negative;
    for (int i = 0; i < WORDS && a.low != LOW_UNSET; i++) {
        uint64_t w = negative ? ~a.w[i] + carry : a.w[i];
        carry = carry && w == 0;
        long_add(sum, w, 0, negative, 64 * (a.low + i));
    }
}
#endif

/* Adds (high : low) * 2^exponent, a signed number below 2^100 in size (below 2^(64 WORDS) with a fixed window). */
DEVICE void words_add(struct words *a, uint64_t low, int64_t high, int32_t exponent)
{
    int32_t place = exponent - 64 * a->low;
#if !defined(FIXED_LOW)
    if (a->low == LOW_UNSET || place < 0 || place > WORDS_LAST_PLACE) {
        *a = words_move(*a, exponent);
        if (a->special & EXACT_FAILED) {
#if defined(LONG_WORDS)
            long_add_signed(words_spill(a), low, high, exponent);
#endif
            return;
        }
        place = exponent - 64 * a->low;
    }
#endif
    int32_t shift = place & 63, word = place >> 6;
    uint64_t sign = (uint64_t)(high >> 63);
    uint64_t b[WORDS];
    uint64_t first = low << shift;
    uint64_t second = shift ? (uint64_t)high << shift | low >> (64 - shift) : (uint64_t)high;
    uint64_t third = shift ? (uint64_t)(high >> (64 - shift)) : sign;
#pragma unroll
    for (int i = 0; i < WORDS; i++)
        b[i] = i < word ? 0 : i == word ? first : i == word + 1 ? second : i == word + 2 ? third : sign;
    words_sum(a, b);
}

DEVICE void words_add_integer(struct words *a, int64_t q, int32_t exponent)
{
    words_add(a, (uint64_t)q, q >> 63, exponent);
}

#define EXACT_SPECIAL (EXACT_NAN | EXACT_PLUS_INFINITY | EXACT_MINUS_INFINITY)

/* What stands for an infinity or NaN; 0 for numbers. */
DEVICE uint32_t special_of_double(double x)
{
    uint64_t bits = double_bits(x), size = bits << 1, infinity = 0x7ffull << 53;
    if (size < infinity) return 0;
    return size > infinity ? EXACT_NAN : bits >> 63 ? EXACT_MINUS_INFINITY : EXACT_PLUS_INFINITY;
}

/* Adds one double times 2^scale; NaN and infinities are noted, after which numbers do not matter. */
DEVICE void words_plus_double(struct words *a, double x, int32_t scale)
{
    uint64_t bits = double_bits(x), fraction = bits & 0xfffffffffffffull;
    int32_t exponent = (int32_t)(bits >> 52 & 0x7ff);
    int negative = (int)(bits >> 63);
    a->special |= special_of_double(x);
    int64_t m = (int64_t)(exponent ? fraction | 1ull << 52 : fraction);
    if (m == 0 || a->special & EXACT_SPECIAL) return;
    int32_t place = (exponent ? exponent : 1) - 1075 + scale;
#if defined(FIXED_LOW)
    /* A narrow type's value as a double has low bits that are zero: they may lie below the window. */
    int32_t below = 64 * a->low - place;
    if (below > 0) {
        if (below > 62 || m & (((int64_t)1 << below) - 1)) {
            a->special |= EXACT_FAILED;
            return;
        }
        m >>= below;
        place += below;
    }
    if (place - 64 * a->low > 64 * WORDS - 53 - WORDS_HEADROOM) {
        a->special |= EXACT_FAILED;
        return;
    }
#endif
    words_add_integer(a, negative ? -m : m, place);
}

DEVICE_CALL struct words words_add_double(struct words a, double x, int32_t scale)
{
    words_plus_double(&a, x, scale);
    return a;
}

/* Adds the exact product of two doubles. */
DEVICE_CALL struct words words_add_product(struct words a, double x, double y)
{
    uint64_t bx = double_bits(x), by = double_bits(y);
    int32_t ex = (int32_t)(bx >> 52 & 0x7ff), ey = (int32_t)(by >> 52 & 0x7ff);
    uint64_t mx = bx & 0xfffffffffffffull, my = by & 0xfffffffffffffull;
    int negative = (int)((bx ^ by) >> 63);
    if (ex == 0x7ff || ey == 0x7ff) {
        int nan = (ex == 0x7ff && mx) || (ey == 0x7ff && my) || (ex == 0 && mx == 0) || (ey == 0 && my == 0);
        a.special |= nan ? EXACT_NAN : negative ? EXACT_MINUS_INFINITY : EXACT_PLUS_INFINITY;
        return a;
    }
    if (ex) mx |= 1ull << 52;
    if (ey) my |= 1ull << 52;
    if (mx == 0 || my == 0) return a;
    uint64_t low = mx * my, high = __umul64hi(mx, my);
    int32_t place = (ex ? ex : 1) + (ey ? ey : 1) - 2150;
    int64_t lower = (int64_t)(low & 0x3fffffffffffffffull), upper = (int64_t)(high << 2 | low >> 62);
    words_add_integer(&a, negative ? -lower : lower, place);
    words_add_integer(&a, negative ? -upper : upper, place + 62);
    return a;
}

/* a += b where their windows differ: moved until they do not. Rarely needed, so out of line. */
DEVICE_CALL struct words words_merge_moved(struct words a, struct words b)
{
#if !defined(FIXED_LOW)
    while (a.low < b.low && a.w[0] == 0) words_down(&a);
    while (b.low < a.low && b.w[0] == 0) words_down(&b);
    while (a.low > b.low && words_may_rise(&a)) words_up(&a);
    while (b.low > a.low && words_may_rise(&b)) words_up(&b);
#endif
    if (a.low == b.low) {
        words_sum(&a, b.w);
        return a;
    }
#if defined(LONG_WORDS)
    long_add_words(words_spill(&a), b);
#else
    a.special |= EXACT_FAILED;
#endif
    return a;
}

/* a += b. */
DEVICE void words_merge(struct words *a, struct words b)
{
    uint32_t special = a->special | b.special;
    if (a->low == LOW_UNSET) *a = b;
    else if (a->low == b.low) words_sum(a, b.w);
    else if (b.low != LOW_UNSET) *a = words_merge_moved(*a, b);
    a->special |= special;
}

#endif
