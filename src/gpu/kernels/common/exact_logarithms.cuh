/* SPDX-License-Identifier: MIT
 *
 * exact_logarithms.cuh - logarithms of sums of powers by their definition (power.h), without what a compiler adds for
 * numbers that do not come up. No include guard. */

/* 1 / x to some 20 bits, as GPUs have an instruction for. */
DEVICE double inverse_nearly(double x)
{
#if defined(TALLY_SIMT)
    return double_from_bits(double_bits(1 / x) & 0xffffffff00000000ull);
#else
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    return y;
#endif
}

DEVICE double inverse_of(double x)
{
    double y = inverse_nearly(x), error = __fma_rn(-x, y, 1.0);
    y = __fma_rn(y, __fma_rn(error, error, error), y);
    return __fma_rn(y, __fma_rn(-x, y, 1.0), y);
}

/* a / b, as the compiler divides, without its way for quotients that are not of normal size, or whose remainder is not:
 * a and b are 2^-900 or more. */
DEVICE double quotient(double a, double b, double inverse)
{
    double q = a * inverse;
    return __fma_rn(inverse, __fma_rn(-b, q, a), q);
}

/* Of artanh_series_double: in memory that arithmetic reads as fast as registers, of which there are few. */
__constant__ double artanh_factors[] = {1.0 / 21.0, 1.0 / 19.0, 1.0 / 17.0, 1.0 / 15.0, 1.0 / 13.0,
                                        1.0 / 11.0, 1.0 / 9.0,  1.0 / 7.0,  1.0 / 5.0,  1.0 / 3.0};
__constant__ double ln2_parts[] = {0.69314718036912382, 1.9082149292705877e-10};

/* log_nonnegative_double(x) for finite x >= 1. */
DEVICE double log_of_sum(double x)
{
    uint64_t bits = double_bits(x), offset = bits - 0x3fe6a09e667f3bcdull;
    double k = (double)(int32_t)(offset >> 52); /* by a unit that waits for nothing else here */
    double z = double_from_bits(bits - (offset & 0xfff0000000000000ull));
    double more = z + 1.0, t = quotient(z - 1.0, more, inverse_of(more));
    double q = t * t, p = artanh_factors[0];
#pragma unroll
    for (int i = 1; i < 10; i++) p = p * q + artanh_factors[i];
    double tail = __fma_rn(2.0, (p * q) * t, k * ln2_parts[1]); /* here and below products are exact */
    return __fma_rn(k, ln2_parts[0], __fma_rn(2.0, t, tail));
}
