/* SPDX-License-Identifier: MIT
 *
 * product.h - what the rounding of a product of doubles loses. Included once by kernels.c. */
#ifndef TALLY_CPU_PRODUCT_H
#define TALLY_CPU_PRODUCT_H

#include "../narrow.h"

/* x * y - product, exact where product_unsafe is 0. */
ALWAYS_INLINE double product_error(double x, double y, double product)
{
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    return __builtin_fma(x, y, -product);
#else
    /* Dekker's product of Veltkamp's halves. */
    double split_x = x * 134217729.0, split_y = y * 134217729.0;
    double high_x = split_x - (split_x - x), high_y = split_y - (split_y - y);
    double low_x = x - high_x, low_y = y - high_y;
    return low_x * low_y - (((product - high_x * high_y) - low_x * high_y) - high_x * low_y);
#endif
}

/* Not 0 when the product or its error may have left the range of doubles: a factor beyond 2^970, a product beyond
 * 2^1000 or, unless a factor is zero, below 2^-900. NaN counts as unsafe. */
ALWAYS_INLINE uint64_t product_unsafe(double x, double y, double product)
{
    double size = product < 0 ? -product : product;
    double size_x = x < 0 ? -x : x, size_y = y < 0 ? -y : y;
    uint64_t large = !((size < 0x1p1000) & (size_x < 0x1p970) & (size_y < 0x1p970));
    uint64_t small = (size < 0x1p-900) & (x != 0) & (y != 0);
    return large | small;
}

#endif
