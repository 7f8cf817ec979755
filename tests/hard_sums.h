/* SPDX-License-Identifier: MIT
 *
 * hard_sums.h - floats whose running sums are hard to round: ties, cancellation, far apart sizes, zeros, subnormal
 * numbers, and what comes after an infinity. */
#ifndef TALLY_TEST_HARD_SUMS_H
#define TALLY_TEST_HARD_SUMS_H

#include "data.h"

#include <string.h>

enum { HARD_KINDS = 23 };

static double hard_last;

static inline double hard_number(int kind, int64_t i, int64_t n)
{
    double u = test_random_uniform() * 2 - 1;
    int64_t turn = i / 2 % 977, third = n / 3 / 448 * 448;
    switch (kind) {
    case 0: return u * 3;
    case 1: return (double)((int)test_random_below(2001) - 1000);
    case 2: return ldexp(u, (int)test_random_below(200) - 100);
    case 3: return 0;
    case 4: return i == n * 3 / 4 ? (test_random_below(2) ? (double)INFINITY : (double)NAN) : u;
    case 5: return (double)(i & 1 ? -turn : turn) * 1.125;
    case 6: return u * 1e-3 + 1;
    case 7: return i % 1000 == 0 ? u * 1e9 : u * 1e-9;
    case 8: return -0.0;
    case 9: return ldexp(u, -1050);
    case 10: return ldexp(1 + (double)test_random_below(4) * 0.25, (int)test_random_below(24));
    case 11: return i < n / 2 ? u * 1e30 : u * 1e-30;
    case 12: return 1 + 63 * 0x1p-52;
    case 13: return i == 0 ? (double)INFINITY : i < third ? 0 : i < 2 * third ? 1e200 : 1e-200; /* between warps */
    case 14: return i % 2 ? ldexp(1, -8 - 3 * (int)test_random_below(2)) : (double)test_random_below(2) * 0x1p-24;
    case 15: return ldexp(u, (int)(i * 8 / n) * 30 - 100); /* each piece near in itself, all too far apart */
    case 16: return ldexp(u, (int)test_random_below(60) - 30);
    case 17: return ldexp(u, (int)(i / 448 % 7) * 14); /* warps apart */
    case 18: return i / 5000 % 2 ? -1 : 1;
    case 19: return ldexp(u, (int)test_random_below(250) - 125); /* so far apart that only digits hold the sum */
    case 20: return i % 2 ? -hard_last : (hard_last = ldexp(u, (int)test_random_below(250) - 125));
    case 21: return i % 2 ? (i % 20001 ? -hard_last : 1) : (hard_last = ldexp(u, (int)test_random_below(2000) - 1000));
    default: return ldexp(u, 1000 - (int)test_random_below(4) * 500);
    }
}

static inline void hard_fill(tally_type type, int kind, unsigned char *to, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double x = hard_number(kind, i, n);
        float single = (float)x;
        uint16_t half = data_half(x, type == TALLY_F16 ? 5 : 8);
        if (type == TALLY_F64) memcpy(to + 8 * i, &x, 8);
        else if (type == TALLY_F32) memcpy(to + 4 * i, &single, 4);
        else memcpy(to + 2 * i, &half, 2);
    }
}

#endif
