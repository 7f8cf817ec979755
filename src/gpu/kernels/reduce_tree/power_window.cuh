/* SPDX-License-Identifier: MIT
 *
 * power_window.cuh - how far from the exponent that sums of powers are divided by those of elements may lie, and how
 * far below the largest one's it is guessed. No include guard. */

#if POWERS_ARE_FLOATS
enum { LEAST = -POWER_BELOW_FLOAT, MOST = POWER_ABOVE_FLOAT, GUESSED = 100 };
#else
enum { LEAST = -POWER_BELOW_DOUBLE, MOST = POWER_ABOVE_DOUBLE, GUESSED = 500 };
#endif

enum { REST = 15 }; /* leaves for which what did not do for one is not tried again */
