/* SPDX-License-Identifier: MIT
 *
 * tied_columns.h - columns of binary32 whose sums lie next to ties: what decides is many places below, and twice other
 * numbers in between hide it from two doubles; and columns whose sums two doubles hold again later. For tests. */
#ifndef TALLY_TEST_TIED_COLUMNS_H
#define TALLY_TEST_TIED_COLUMNS_H

#include "test.h"

#include <math.h>

/* At least 8 rows, at most 2^16, that lie `pitch` apart. The last two rows of a column bring its sum to 2^31 + 2^7 and
 * a little, which comes between 2^-30 and -2^-30: 2^-100, which a third double holds, or in every other column of 16
 * rows and more 2^-149, beside which that double has 2^-90 meanwhile. */
static inline void tied_columns_fill(float *x, int64_t rows, int64_t columns, int64_t pitch)
{
    static const float three[] = {0x1p-30f, 0x1p-100f, -0x1p-30f};
    static const float five[] = {0x1p-30f, 0x1p-90f, 0x1p-149f, -0x1p-30f, -0x1p-90f};
    const double tie = 0x1p31 + 0x1p7;
    for (int64_t c = 0; c < columns; c++) {
        const int deep = rows >= 16 && test_random_below(2) == 0, count = deep ? 5 : 3;
        double sum = 0;
        int64_t part = (rows - 2) / (count + 1);
        for (int64_t r = 0; r < rows - 2; r++) {
            double v = (double)test_random_below(1 << 14);
            x[r * pitch + c] = (float)v;
            sum += v;
        }
        for (int k = 0; k < count; k++) {
            int64_t r = (k + 1) * part + (int64_t)test_random_below((uint64_t)part);
            sum -= (double)x[r * pitch + c];
            x[r * pitch + c] = deep ? five[k] : three[k];
        }
        x[(rows - 2) * pitch + c] = (float)(tie - sum);
        x[(rows - 1) * pitch + c] = (float)(tie - sum - (double)x[(rows - 2) * pitch + c]);
    }
}

/* At least 64 rows of zeros, but for five numbers in columns apart. Of 2^100 + 2^-30 + 2^-110 two doubles have the
 * first alone, of what is left without 2^100 both; and without 2^-30, some rows below, the last one decides. */
static inline void parted_columns_fill(float *x, int64_t rows, int64_t columns, int64_t pitch)
{
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t c = 0; c < columns; c++) x[r * pitch + c] = 0;
    }
    for (int64_t c = 0; c < columns; c += 5) {
        int64_t r = (int64_t)test_random_below((uint64_t)(rows - 60));
        x[r * pitch + c] = 0x1p100f;
        x[(r + 1) * pitch + c] = 0x1p-30f;
        x[(r + 2) * pitch + c] = 0x1p-110f;
        r += 3 + (int64_t)test_random_below(30);
        x[r * pitch + c] = -0x1p100f;
        x[(r + 1 + (int64_t)test_random_below(24)) * pitch + c] = -0x1p-30f;
    }
}

/* Seven numbers `pitch` apart, of which three doubles hold every sum; but where all but the last have cancelled, the
 * third double was as large as the first. */
static inline void cancelled_fill(float *x, int64_t pitch)
{
    static const float few[] = {0x1p127f, 0x1p70f, -0x1p10f, -0x1p127f, -0x1p70f, 0x1p10f, 0x1p-50f};
    for (int64_t i = 0; i < 7; i++) x[i * pitch] = few[i];
}

#endif
