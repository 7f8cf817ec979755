/* SPDX-License-Identifier: MIT
 *
 * largest_input.cuh - bytes of an element of the widest input of a user's operator. No include guard. */

#define LARGEST(a, b) ((a) > (b) ? (a) : (b))
#if INPUT_COUNT > 2
#define LARGEST_INPUT LARGEST(INPUT_BYTES_0, LARGEST(INPUT_BYTES_1, INPUT_BYTES_2))
#elif INPUT_COUNT > 1
#define LARGEST_INPUT LARGEST(INPUT_BYTES_0, INPUT_BYTES_1)
#else
#define LARGEST_INPUT INPUT_BYTES_0
#endif
