/* SPDX-License-Identifier: MIT
 *
 * powers.h - elements for logsumexp: near each other and far apart, NaN, infinities, integers from everywhere. */
#ifndef TALLY_TEST_POWERS_H
#define TALLY_TEST_POWERS_H

#include "data.h"

#include <math.h>
#include <string.h>

enum { LEAF = 4096, FLOAT_KINDS = 19, INTEGER_KINDS = 12 };

static int powers_kinds(tally_type type)
{
    return type >= TALLY_F16 ? FLOAT_KINDS : type == TALLY_BOOL ? 1 : INTEGER_KINDS;
}

static double uniform(void)
{
    return (double)test_random_below(1 << 20) / (1 << 20);
}

static double float_value(tally_type type, int kind, int64_t i)
{
    double most = type == TALLY_F16 ? 60000 : type == TALLY_F64 ? 1e300 : 1e30, reach = type == TALLY_F64 ? 3000 : 300;
    switch (kind) {
    case 0: return 10 * uniform() - 5;
    case 1: return (type == TALLY_BF16 ? 128 : 4096) + uniform();
    case 2: return reach * (uniform() - 0.5);                 /* more than fit */
    case 3: return (i / LEAF % 2 ? 1000 : -1000) + uniform(); /* each guess is wrong */
    case 4: return i == LEAF + 77 ? NAN : uniform();
    case 5: return uniform() < 0.02 ? -INFINITY : uniform();
    case 6: return i == LEAF + 77 ? INFINITY : uniform();
    case 7: return uniform() < 0.001 ? most * uniform() : uniform();
    case 8: return (double)i * (type == TALLY_F16 ? 0.1 : 0.02);   /* each is the largest one */
    case 9: return (double)i * (type == TALLY_F16 ? -0.1 : -0.02); /* the first one is */
    case 10: return -INFINITY;
    case 11: return (i / LEAF % 3 == 1 ? 60 : 0) + (i % 5 ? 0.5 : 25.0 * (double)(i % 7)); /* many that are equal */
    case 12: return i % LEAF == 4 ? NAN : 1 + uniform(); /* at a thread's first element */
    case 13: return i == LEAF + 124 ? NAN : i == 0 ? 900 : 5 + uniform();
    case 14: return type == TALLY_F64 && i == 1000 ? -4294966906 * 0.69314718055994531 : 0; /* 2^32 halvings away */
    case 15: return type == TALLY_F64 && i == 1000 ? 2977044056 : 0;
    case 16: return i % 1000 == 0 ? -INFINITY : uniform(); /* the first of leaves, or of rows */
    case 17: return i % 2 ? -0.0 : 0.0;
    default: /* neighbours that lie farther apart than numbers that do not matter to each other */
        return type == TALLY_F64 ? 7e18 * (1 + (double)(i % 128 * 7 % 5) * 0x1p-52)
                                 : 1.9e9 + 128 * (double)(i % 128 * 7 % 5);
    }
}

static int64_t integer_value(tally_type type, int kind, int64_t i)
{
    int bytes = (int)tally_type_size(type),
        is_signed = type == TALLY_I8 || type == TALLY_I16 || type == TALLY_I32 || type == TALLY_I64;
    int64_t most = bytes == 8 ? (is_signed ? INT64_MAX : -1) : ((int64_t)1 << (8 * bytes - is_signed)) - 1;
    int64_t least = !is_signed ? 0 : bytes == 8 ? INT64_MIN : -((int64_t)1 << (8 * bytes - 1));
    int64_t high = bytes == 1 ? 100 : bytes == 2 ? 30000 : bytes == 4 ? 2000000000 : (int64_t)1 << 62;
    switch (kind) {
    case 0: return (int64_t)test_random_below(100);
    case 1: return high + (int64_t)test_random_below(20);
    case 2: return (int64_t)(test_random_below(UINT32_MAX) << 32 | test_random_below(UINT32_MAX));
    case 3: return i % 3 ? (int64_t)test_random_below(50) * 62 : (int64_t)test_random_below(50) * 67; /* apart or not */
    case 4: return high - i / 128 * (bytes == 1 ? 1 : 70);            /* the first one is the largest */
    case 5: return i / 128 % 32 * 64 + (i % 128 == 5 && i / 128 % 2); /* each is, far or not */
    case 6: return i == LEAF + 3 ? high : is_signed ? -high : 0;
    case 7: return high - (int64_t)test_random_below(bytes == 1 ? 50 : 9000);
    case 8: return i == LEAF + 5 ? least + 5 : most - i % 50; /* both ends of the type */
    case 9: return i == 7 ? most : least + i % 50;
    case 10: return ((int64_t)5 << 60) + 512 + i % 300 - 150; /* about a border between doubles */
    default: return 1767225600000000000 + (i + 350) % 700;
    }
}

static void powers_fill(tally_type type, int kind, unsigned char *to, int64_t n)
{
    size_t size = tally_type_size(type);
    for (int64_t i = 0; i < n; i++) {
        int64_t whole = integer_value(type, kind % INTEGER_KINDS, i); /* its low bytes are of every type */
        if (type >= TALLY_F16) data_put_real(type, to, i, float_value(type, kind, i));
        else if (type == TALLY_BOOL) to[i] = whole & 1;
        else memcpy(to + size * (size_t)i, &whole, size);
    }
}

#endif
