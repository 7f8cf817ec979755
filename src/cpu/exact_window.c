/* SPDX-License-Identifier: MIT
 *
 * exact_window.c - empties the buckets that wide-ranging data wait in. */
#include "exact_window.h"

#include <string.h>

void exact_scatter_open(struct exact_scatter *scatter)
{
    memset(scatter->bucket, 0, sizeof scatter->bucket);
    scatter->first = SCATTER_BUCKETS;
    scatter->last = -1 - SCATTER_SPLIT;
}

void exact_flush(struct exact *sum, struct exact_window *window)
{
    struct exact_scatter *scatter = window->scatter;
    for (int64_t i = scatter->first; i <= scatter->last + SCATTER_SPLIT; i++) {
        /* Exponent 0 stands for the same unit as exponent 1. */
        int32_t unit = i == 0 ? 1 : (int32_t)i;
        exact_add_integer(sum, scatter->bucket[i], unit - 1075);
        scatter->bucket[i] = 0;
    }
    scatter->first = SCATTER_BUCKETS;
    scatter->last = -1 - SCATTER_SPLIT;
}
