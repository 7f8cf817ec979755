/* SPDX-License-Identifier: MIT
 *
 * long_sum.cuh - a block's exact sums of any numbers, in dynamic shared memory: words of 64 bits, 32 bits apart, so
 * that threads add without carrying. What a thread's own words do not take comes here. The host defines these, and
 * gives SUMS of them at the start of the memory: LONG_LOW     word 0 weighs 2^LONG_LOW, below every number LONG_WORDS
 * of a sum; the last one takes what lies above */
#ifndef TALLY_LONG_SUM_CUH
#define TALLY_LONG_SUM_CUH

#include "device.cuh"
#include "exact_real.h"
#include "narrow.h"
#include "sums.cuh"

/* Of type, lift and result, as reduce_plan_whole.c has it. */
struct long_sum {
    unsigned long long word[LONG_WORDS];
    unsigned long long special; /* EXACT_NAN ... */
};

DEVICE struct long_sum *long_sums(void)
{
    DYNAMIC_SHARED(struct long_sum, sums);
    return sums;
}

/* Adds +- (high : low) * 2^place to a sum, from any thread. Bits below its words are zero. */
DEVICE_CALL void long_add(struct long_sum *sum, uint64_t low, uint64_t high, int negative, int32_t place)
{
    int32_t at = place - LONG_LOW;
    for (; at < 0; at++) {
        low = low >> 1 | high << 63;
        high >>= 1;
    }
    int32_t shift = at & 31;
    uint64_t rest = shift ? high >> (64 - shift) : 0;
    high = shift ? high << shift | low >> (64 - shift) : high;
    low <<= shift;
    for (int32_t i = at >> 5; low | high | rest; i++) {
        unsigned long long digit = low & 0xffffffffu;
        low = low >> 32 | high << 32;
        high = high >> 32 | rest << 32;
        rest = 0;
        if (digit) atomicAdd(&sum->word[i], negative ? 0 - digit : digit);
    }
}

/* The same of a signed number. */
DEVICE void long_add_signed(struct long_sum *sum, uint64_t low, int64_t high, int32_t place)
{
    int negative = high < 0;
    uint64_t upper = negative ? ~(uint64_t)high + (low == 0) : (uint64_t)high;
    long_add(sum, negative ? 0 - low : low, upper, negative, place);
}

/* Adds a double times 2^scale. */
DEVICE_CALL void long_add_double(struct long_sum *sum, double x, int32_t scale)
{
    uint64_t bits = double_bits(x), fraction = bits & 0xfffffffffffffull;
    int32_t exponent = (int32_t)(bits >> 52 & 0x7ff);
    int negative = (int)(bits >> 63);
    if (exponent == 0x7ff) {
        unsigned long long special = fraction ? EXACT_NAN : negative ? EXACT_MINUS_INFINITY : EXACT_PLUS_INFINITY;
        atomicOr(&sum->special, special);
        return;
    }
    long_add(sum, exponent ? fraction | 1ull << 52 : fraction, 0, negative, (exponent ? exponent : 1) - 1075 + scale);
}

/* By all threads. */
DEVICE void long_clear(void)
{
    unsigned long long *words = (unsigned long long *)long_sums();
    for (int32_t i = (int32_t)threadIdx.x; i < (int32_t)(SUMS * sizeof(struct long_sum) / 8); i += THREADS)
        words[i] = 0;
}

#endif
