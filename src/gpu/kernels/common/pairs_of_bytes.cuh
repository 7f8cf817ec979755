/* SPDX-License-Identifier: MIT
 *
 * pairs_of_bytes.cuh - extremes of bytes, two to an instruction: a byte in the upper half of 16 bits compares as it
 * does alone, whatever lies below it. For any and all, bytes count as unsigned: one is not zero if the largest is not.
 *   BETTER_OF_16   the better of two pairs, or undefined unless NEEDS_PAIRS_OF_BYTES is not; WORST_BYTE is never better
 */
#ifndef TALLY_PAIRS_OF_BYTES_CUH
#define TALLY_PAIRS_OF_BYTES_CUH

#if (HAS_PAIRS_OF_16 || defined(NEEDS_PAIRS_OF_BYTES)) && ELEMENT_BYTES == 1
#if defined(PICK_NONZERO_OR) || (defined(PICK_VALUE_MAXIMUM) && !defined(ONLY_TYPE_i8))
#define BETTER_OF_16 max_u16x2
#define WORST_BYTE 0x00
#elif defined(PICK_NONZERO_AND) || (defined(PICK_VALUE_MINIMUM) && !defined(ONLY_TYPE_i8))
#define BETTER_OF_16 min_u16x2
#define WORST_BYTE 0xff
#elif defined(PICK_VALUE_MAXIMUM)
#define BETTER_OF_16 max_s16x2
#define WORST_BYTE 0x80
#elif defined(PICK_VALUE_MINIMUM)
#define BETTER_OF_16 min_s16x2
#define WORST_BYTE 0x7f
#endif
#endif

#endif
