/* SPDX-License-Identifier: MIT
 *
 * exact_words.h - exact accumulators as the fixed few 64-bit words of kernels/common/exact_words.cuh, and back. */
#ifndef TALLY_GPU_EXACT_WORDS_H
#define TALLY_GPU_EXACT_WORDS_H

#include "exact.h"

/* Adds a two's complement number whose lowest word weighs 2^(64 low). */
void exact_add_words(struct exact *sum, const uint64_t *words, int count, int32_t low);

#define EXACT_LOW_UNSET (-1000000) /* LOW_UNSET of the kernels: nothing was added yet */

/* The sum's number in `count` words, with room for 2^41 more additions of numbers as large. *low is where they begin:
 * given when `fixed`, else chosen. False when it does not fit; then nothing is written. The sum is carried. */
int exact_to_words(struct exact *sum, uint64_t *words, int count, int fixed, int32_t *low);

#endif
