/* SPDX-License-Identifier: MIT
 *
 * pairs_of_both.cuh - minima and maxima of 1- and 2-byte elements, two to an instruction, as in pairs_of_bytes.cuh and
 * pairs_of_halves.cuh.
 *   BOTH_IN_WORDS             whether there are
 *   LEAST_OF_PAIRS, MOST_OF_PAIRS
 *   NEVER_LEAST, NEVER_MOST   a word of what is never less, or more */
#ifndef TALLY_PAIRS_OF_BOTH_CUH
#define TALLY_PAIRS_OF_BOTH_CUH

#include "pairs_of_halves.cuh"

#if ELEMENT_BYTES == 1 && HAS_PAIRS_OF_16
#define BOTH_IN_WORDS 1
#if defined(ONLY_TYPE_i8)
#define LEAST_OF_PAIRS min_s16x2
#define MOST_OF_PAIRS max_s16x2
#define NEVER_LEAST 0x7f7f7f7fu
#define NEVER_MOST 0x80808080u
#else
#define LEAST_OF_PAIRS min_u16x2
#define MOST_OF_PAIRS max_u16x2
#define NEVER_LEAST 0xffffffffu
#define NEVER_MOST 0u
#endif
#elif ELEMENT_BYTES == 2 && HAS_BETTER_HALVES
#define BOTH_IN_WORDS 1
#define LEAST_OF_PAIRS HALVES_NAME(min)
#define MOST_OF_PAIRS HALVES_NAME(max)
#define NEVER_LEAST MOST_HALVES
#define NEVER_MOST LEAST_HALVES
#else
#define BOTH_IN_WORDS 0
#endif

#endif
