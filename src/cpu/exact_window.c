/* SPDX-License-Identifier: MIT
 *
 * exact_window.c - empties the buckets that wide-ranging data wait in. */
#include "exact_window.h"

void exact_flush(struct exact *sum, struct exact_window *window)
{
    struct exact_scatter *scatter = window->scatter;
    for (int word = 0; word < 2048 / 64; word++) {
        while (scatter->touched[word]) {
            int32_t exponent = word * 64 + __builtin_ctzll(scatter->touched[word]);
            int32_t e = (exponent ? exponent : 1) - 1075;
            exact_add_integer(sum, scatter->bucket[exponent][0], e);
            exact_add_integer(sum, scatter->bucket[exponent][1], e + 26);
            scatter->bucket[exponent][0] = scatter->bucket[exponent][1] = 0;
            scatter->touched[word] &= scatter->touched[word] - 1;
        }
    }
}
