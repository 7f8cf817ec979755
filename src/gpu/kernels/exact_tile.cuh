/* SPDX-License-Identifier: MIT
 *
 * exact_tile.cuh - a tile of a few numbers, in registers, into a thread's exact sum. Nearly always the numbers of a tile
 * have one sum in a window of bits that a machine word or two hold: it is taken there without any loss, which is checked,
 * and added to the words once. A tile that does not fit adds its numbers one by one.
 *   TILE   numbers of a tile, at most 32 */
#ifndef TALLY_EXACT_TILE_CUH
#define TALLY_EXACT_TILE_CUH

#include "exact_words.cuh"

/* Bits that the sum of a tile may have beyond those of its largest number. */
#define TILE_BITS (TILE <= 1 ? 0 : TILE <= 2 ? 1 : TILE <= 4 ? 2 : TILE <= 8 ? 3 : TILE <= 16 ? 4 : 5)

/* Floats: each is an integer in units of 2^k, where k puts the largest number of the tile just below 2^(62 - TILE_BITS).
 * The lowest bit of the smallest number must not lie below 2^k: it never does with binary16, whose numbers are integers
 * of 40 bits in units of 2^-24. */
DEVICE void tile_floats(struct words *a, const float *x)
{
    uint32_t most = 0, least = 0xffffffffu;
#pragma unroll
    for (int i = 0; i < TILE; i++) {
        uint32_t size = __float_as_uint(x[i]) << 1;
        most = size > most ? size : most;
#if !defined(ONLY_TYPE_f16)
        least = size - 1 < least ? size - 1 : least; /* zeros count as large */
#endif
    }
    int32_t top = (int32_t)(most >> 24), bottom = (int32_t)((least + 1) >> 24);
#if defined(ONLY_TYPE_f16)
    int32_t k = -24;
    int fits = top < 255;
    (void)bottom;
#else
    int32_t k = top - 126 - (62 - TILE_BITS);
    if (most == 0) return;
    if (k < -127) k = -127; /* 2^-k must be a float */
    int fits = top < 255 && (bottom ? bottom : 1) - 150 >= k;
#endif
    if (!fits) {
#pragma unroll
        for (int i = 0; i < TILE; i++) *a = words_add_double(*a, (double)x[i], 0);
        return;
    }
    float scale = __uint_as_float((uint32_t)(127 - k) << 23);
    int64_t sum = 0;
#pragma unroll
    for (int i = 0; i < TILE; i++) sum += __float2ll_rz(x[i] * scale);
    words_add_integer(a, sum, k);
}

/* Doubles: two bins, 48 bits apart, each a double so large that it stays in its binade. Adding to the first is free of
 * error, what it could not take goes to the second, and what is left then must be nothing. The bins' bit patterns are
 * their sums as integers. (Demmel and Nguyen, "Parallel reproducible summation", have such bins without the check.) */
DEVICE void tile_doubles(struct words *a, const double *x)
{
    uint32_t most = 0;
#pragma unroll
    for (int i = 0; i < TILE; i++) {
        uint32_t size = (uint32_t)(double_bits(x[i]) >> 32) & 0x7fffffffu;
        most = size > most ? size : most;
    }
    int32_t top = (int32_t)(most >> 20); /* every |x| is below 2^(top - 1022) */
    int fits = top >= 60 && top < 2030;
    uint64_t left = 0;
    double first = double_from_bits((uint64_t)(top - 1021 + TILE_BITS + 1023) << 52 | 1ull << 51);
    double second = double_from_bits((uint64_t)(top - 1021 + TILE_BITS + 1023 - 48) << 52 | 1ull << 51);
    if (fits) {
        double s = first, t = second;
#pragma unroll
        for (int i = 0; i < TILE; i++) {
            double next = s + x[i];
            double rest = x[i] - (next - s);
            s = next;
            next = t + rest;
            rest = rest - (next - t);
            t = next;
            left |= double_bits(rest) << 1;
        }
        if (left == 0) {
            int64_t high = (int64_t)(double_bits(s) - double_bits(first));
            int64_t low = (int64_t)(double_bits(t) - double_bits(second));
            uint64_t sum = ((uint64_t)high << 48) + (uint64_t)low;
            int64_t carry = (high >> 16) + (low >> 63) + (sum < (uint64_t)low);
            words_add(a, sum, carry, top - 1021 + TILE_BITS - 48 - 52);
            return;
        }
    }
#pragma unroll
    for (int i = 0; i < TILE; i++) *a = words_add_double(*a, x[i], 0);
}

/* Products of doubles: each is its rounded value and the error of that, which is a double unless the product comes near
 * the ends of the range. */
DEVICE void tile_products(struct words *a, const double *x, const double *y)
{
    double product[TILE], error[TILE];
    int outside = 0;
#pragma unroll
    for (int i = 0; i < TILE; i++) {
        product[i] = x[i] * y[i];
        error[i] = fma(x[i], y[i], -product[i]);
        double size = fabs(product[i]);
        outside |= !(size <= 0x1p1000) | (size < 0x1p-900 & (x[i] != 0) & (y[i] != 0));
    }
    if (outside) {
#pragma unroll
        for (int i = 0; i < TILE; i++) *a = words_add_product(*a, x[i], y[i]);
        return;
    }
    tile_doubles(a, product);
    tile_doubles(a, error);
}

#endif
