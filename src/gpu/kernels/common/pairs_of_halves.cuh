/* SPDX-License-Identifier: MIT
 *
 * pairs_of_halves.cuh - extremes of 2-byte elements, two to an instruction.
 *   HAS_BETTER_HALVES   whether one instruction does it
 *   BETTER_HALVES       the better of two pairs; of floats NaN beats all else
 *   WORST_HALVES        a pair of what is never better
 *   HALVES_RESULT       a pair as results: a zero is +0, and a NaN, which has to come from BETTER_HALVES or to be a
 *                       result, has the one pattern that results have */
#ifndef TALLY_PAIRS_OF_HALVES_CUH
#define TALLY_PAIRS_OF_HALVES_CUH

#if ELEMENT_BYTES == 2
#if defined(ONLY_TYPE_f16)
#define HALVES_NAME(way) way##_f16x2
#define NAN_HALVES 0x7e007e00u
#define INFINITE_HALVES 0x7c007c00u
#elif defined(ONLY_TYPE_bf16)
#define HALVES_NAME(way) way##_bf16x2
#define NAN_HALVES 0x7fc07fc0u
#define INFINITE_HALVES 0x7f807f80u
#elif defined(ONLY_TYPE_i16)
#define HALVES_NAME(way) way##_s16x2
#define LEAST_HALVES 0x80008000u
#define MOST_HALVES 0x7fff7fffu
#else
#define HALVES_NAME(way) way##_u16x2
#define LEAST_HALVES 0u
#define MOST_HALVES 0xffffffffu
#endif

/* Such NaNs are positive, and as integers larger than all else. */
#if defined(NAN_HALVES)
#define HAS_BETTER_HALVES HAS_PAIRS_OF_FLOATS
#define LEAST_HALVES (INFINITE_HALVES | 0x80008000u)
#define MOST_HALVES INFINITE_HALVES
#define HALVES_RESULT(pair) min_s16x2(HALVES_NAME(plus_zero)(pair), NAN_HALVES)
#else
#define HAS_BETTER_HALVES HAS_PAIRS_OF_16
#define HALVES_RESULT(pair) (pair)
#endif

#if defined(PICK_VALUE_MAXIMUM)
#define BETTER_HALVES HALVES_NAME(max)
#define WORST_HALVES LEAST_HALVES
#else
#define BETTER_HALVES HALVES_NAME(min)
#define WORST_HALVES MOST_HALVES
#endif
#endif

#endif
