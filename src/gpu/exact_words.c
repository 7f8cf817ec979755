/* SPDX-License-Identifier: MIT
 *
 * exact_words.c - exact accumulators and the words of kernels. */
#include "exact_words.h"

#define LOWEST_WORD (EXACT_LOWEST / 64)
#define ALL_WORDS (EXACT_LIMBS / 2)
#define HEADROOM 41

void exact_add_words(struct exact *sum, const uint64_t *words, int count, int32_t low)
{
    uint64_t negative = words[count - 1] >> 63, carry = negative;
    for (int i = 0; i < count; i++) {
        uint64_t w = negative ? ~words[i] + carry : words[i];
        carry = carry && w == 0;
        if (w == 0) continue; /* it may lie below the lowest bit of all */
        int64_t lower = (int64_t)(w & 0xffffffff), upper = (int64_t)(w >> 32);
        exact_add_integer(sum, negative ? -lower : lower, 64 * (low + i));
        exact_add_integer(sum, negative ? -upper : upper, 64 * (low + i) + 32);
    }
}

/* The whole number in two's complement; returns the word that goes on above. */
static uint64_t all_words(struct exact *sum, uint64_t *words)
{
    int64_t carry = 0;
    exact_carry(sum);
    for (int32_t i = 0; i < 2 * ALL_WORDS; i++) {
        int64_t v = (i >= sum->low && i < sum->high ? sum->limb[i] : 0) + carry;
        uint64_t digit = (uint64_t)v & 0xffffffff;
        if (i % 2) words[i / 2] |= digit << 32;
        else words[i / 2] = digit;
        carry = v >> 32;
    }
    return (uint64_t)carry;
}

int exact_to_words(struct exact *sum, uint64_t *words, int count, int fixed, int32_t *low)
{
    uint64_t all[ALL_WORDS], sign = all_words(sum, all);
    int first = 0, end = ALL_WORDS;
    while (first < ALL_WORDS && all[first] == 0) first++;
    if (first == ALL_WORDS) { /* zero */
        if (!fixed) *low = EXACT_LOW_UNSET;
        for (int i = 0; i < count; i++) words[i] = 0;
        return 1;
    }
    while (end > first && all[end - 1] == sign) end--;
    int begin = fixed ? *low - LOWEST_WORD : first;
    if (first < begin || end > begin + count) return 0;
    uint64_t top = begin + count - 1 < ALL_WORDS ? all[begin + count - 1] : sign;
    if (top >> (63 - HEADROOM) != sign >> (63 - HEADROOM)) return 0;
    for (int i = 0; i < count; i++) words[i] = begin + i < ALL_WORDS ? all[begin + i] : sign;
    if (!fixed) *low = LOWEST_WORD + first;
    return 1;
}
