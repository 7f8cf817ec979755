/* SPDX-License-Identifier: MIT
 *
 * elementary.h - log from additions, multiplications and divisions alone, each rounded as IEEE 754 says, so that every
 * machine and compiler gives the same bits (with contraction off). Read by the C compiler and by NVRTC. Relative error
 * below 4 units in the last place. Branch-free, so that loops over it vectorise. */
#ifndef TALLY_ELEMENTARY_H
#define TALLY_ELEMENTARY_H

#include "narrow.h"

#ifndef ELEMENTARY_FUNCTION
#define ELEMENTARY_FUNCTION static inline __attribute__((always_inline))
#endif

/* 1/3 + q/5 + ... + q^9/21. */
ELEMENTARY_FUNCTION double artanh_series_double(double q)
{
    double p = 1.0 / 21.0;
    p = p * q + 1.0 / 19.0;
    p = p * q + 1.0 / 17.0;
    p = p * q + 1.0 / 15.0;
    p = p * q + 1.0 / 13.0;
    p = p * q + 1.0 / 11.0;
    p = p * q + 1.0 / 9.0;
    p = p * q + 1.0 / 7.0;
    p = p * q + 1.0 / 5.0;
    p = p * q + 1.0 / 3.0;
    return p;
}

/* log(x) for finite x >= 0. x = 2^k z with z in [sqrt(1/2), sqrt(2)); log z = 2 artanh((z - 1) / (z + 1)) by its
 * series to the 21st power. */
ELEMENTARY_FUNCTION double log_nonnegative_double(double x)
{
    int tiny = x < 0x1p-1022;
    uint64_t bits = double_bits(tiny ? x * 0x1p54 : x);
    uint64_t offset = bits - 0x3fe6a09e667f3bcdull;
    double k = (double)((int64_t)offset >> 52) - (tiny ? 54.0 : 0.0);
    double z = double_from_bits(bits - (offset & 0xfff0000000000000ull));
    double t = (z - 1.0) / (z + 1.0);
    double q = t * t, p = artanh_series_double(q);
    double tail = (p * q) * (2.0 * t) + k * 1.9082149292705877e-10;
    double value = k * 0.69314718036912382 + (2.0 * t + tail);
    return x == 0 ? -double_from_bits(0x7ff0000000000000ull) : value;
}

#endif
