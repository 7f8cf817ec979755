/* SPDX-License-Identifier: MIT
 *
 * output_state.h - what kernels compiled with OUTPUT_STATES write in place of results: states, as 64-bit words. Read by
 * the C compiler and by NVRTC.
 *
 * A cell of reduce.cu, a leaf of reduce_leaves.cu: the number of absent elements, then
 *   fold     its parts: integers, or the bits of doubles
 *   minmax   the minimum, the maximum
 *   index    the element's place in the cell (-1: none), then its bytes in two words
 *   exact    for each sum OUTPUT_SUM words: the special bits, and above them where the number begins, in 64-bit words
 *            from 2^0; then the number, in two's complement
 * A cell of reduce_wide.cu: for each sum the special bits, then OUTPUT_DIGITS signed totals, of which number i weighs
 * 2^(OUTPUT_DIGIT_LOWEST + 16 i). */
#ifndef TALLY_OUTPUT_STATE_H
#define TALLY_OUTPUT_STATE_H

#define OUTPUT_SUM 8
#define OUTPUT_FAILED 8 /* a special bit: the sum left its window, and the cell's words are of no use */
#define OUTPUT_DIGITS 284
#define OUTPUT_DIGIT_LOWEST (-2176)

#endif
