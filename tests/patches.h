/* SPDX-License-Identifier: MIT
 *
 * patches.h - arrays whose stretches are each of another kind of data: what fits two doubles lies beside what does not.
 */
#ifndef TALLY_TEST_PATCHES_H
#define TALLY_TEST_PATCHES_H

#include "data.h"

/* Numbers as large as their exponent lets them be, and some so small that doubles hold their sum just so, or not. */
static void patches_fill_edge(tally_type type, unsigned char *room, int64_t from, int64_t count)
{
    for (int64_t i = from; i < from + count; i++) {
        int exponent = test_random_below(4) ? 0 : -20 - (int)test_random_below(10);
        float v = (float)ldexp(16777215.0 - (double)(test_random_below(3) * 2), exponent);
        if (type == TALLY_F32) ((float *)(void *)room)[i] = v;
        if (type == TALLY_F64) ((double *)(void *)room)[i] = ldexp(v, 2 * exponent);
    }
}

/* Stretches of every kind of data; then neighbours that cancel, and the smallest number among large ones. */
static inline void patches_fill(tally_type type, unsigned char *room, int64_t n)
{
    size_t size = tally_type_size(type);
    for (int64_t i = 0; i < n;) {
        int64_t count = 1 + (int64_t)test_random_below(700), kind = (int64_t)test_random_below(DATA_KINDS + 3);
        if (count > n - i) count = n - i;
        data_fill(type,
                  kind < DATA_KINDS    ? (enum data_kind)kind
                  : kind == DATA_KINDS ? DATA_WIDE
                                       : DATA_ORDINARY,
                  room + (size_t)i * size, count);
        for (int64_t k = 1; kind >= DATA_KINDS && k < count; k++) {
            unsigned char *here = room + (size_t)(i + k) * size;
            if (kind == DATA_KINDS && k % 2) {
                memcpy(here, here - size, size);
                here[size - 1] ^= 0x80;
            } else if (kind > DATA_KINDS && k % 13 == 5) {
                memset(here, 0, size);
                here[0] = 1;
            }
        }
        if (test_random_below(4) == 0) patches_fill_edge(type, room, i, count);
        i += count;
    }
}

#endif
