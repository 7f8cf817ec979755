/* SPDX-License-Identifier: MIT
 *
 * narrow.h - conversions between binary16, bfloat16 (as their 16 bits), float and double, in code that the C compiler
 * and NVRTC read alike, without branches, so that loops over them become vector code.
 *
 * To float: exact. From float and double: rounded once, ties to even, overflow to infinity, one canonical NaN.
 * They need round-to-nearest and arithmetic that is neither contracted nor reassociated; they do not need subnormals
 * of float, which a caller may have set to be flushed, except where a bfloat16 is one. */
#ifndef TALLY_NARROW_H
#define TALLY_NARROW_H

#if !defined(__CUDACC_RTC__)
#include <stdint.h>
#include <string.h>
#endif

#ifndef NARROW_FUNCTION
#define NARROW_FUNCTION static inline
#endif

NARROW_FUNCTION uint32_t float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

NARROW_FUNCTION float float_from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

NARROW_FUNCTION uint64_t double_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

NARROW_FUNCTION double double_from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Choices with floating-point work on one side are made by masks: compilers turn an operator ?: around such work into a
 * branch, as the work might trap, and then leave the loop scalar. */
NARROW_FUNCTION float f16_to_f32(uint16_t h)
{
#if defined(F16_TO_F32_NATIVE)
    return F16_TO_F32_NATIVE(h);
#else
    uint32_t size = h & 0x7fffu, sign = (uint32_t)(h & 0x8000u) << 16;
    uint32_t rebias = size >= 0x7c00 ? 2 * (112u << 23) : 112u << 23; /* infinity and NaN: to the top exponent */
    uint32_t subnormal = float_bits((float)(int32_t)size * 5.9604644775390625e-8f /* 2^-24 */);
    uint32_t small = 0u - (size < 0x0400);
    return float_from_bits(sign | (small & subnormal) | (~small & ((size << 13) + rebias)));
#endif
}

NARROW_FUNCTION float bf16_to_f32(uint16_t b)
{
    return float_from_bits((uint32_t)b << 16);
}

/* Where a result is subnormal, its last place is that of a power of two much larger than x: adding x to that power
 * rounds it, and the sum's low bits are the result's, including a carry into the smallest normal number. */
NARROW_FUNCTION uint16_t f32_to_f16(float x)
{
    uint32_t bits = float_bits(x), size = bits & 0x7fffffffu;
    uint32_t normal = (size - (112u << 23) + 0xfffu + (size >> 13 & 1u)) >> 13;
    uint32_t subnormal = float_bits(float_from_bits(size) + 0.5f) - 0x3f000000u;
    uint32_t small = 0u - (size < 0x38800000u /* 2^-14 */);
    uint32_t finite = (small & subnormal) | (~small & (size < 0x477ff000u /* 65520 */ ? normal : 0x7c00u));
    return (uint16_t)(size > 0x7f800000u ? 0x7e00u : (bits >> 16 & 0x8000u) | finite);
}

NARROW_FUNCTION uint16_t f32_to_bf16(float x)
{
    uint32_t bits = float_bits(x), size = bits & 0x7fffffffu;
    uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
    return (uint16_t)(size > 0x7f800000u ? 0x7fc0u : rounded);
}

NARROW_FUNCTION uint16_t f64_to_f16(double x)
{
#if defined(F64_TO_F16_NATIVE)
    return F64_TO_F16_NATIVE(x);
#else
    uint64_t bits = double_bits(x), size = bits & 0x7fffffffffffffffull;
    uint64_t normal = (size - (1008ull << 52) + 0x1ffffffffffull + (size >> 42 & 1)) >> 42;
    uint64_t subnormal = double_bits(double_from_bits(size) + 268435456.0 /* 2^28 */) - (1051ull << 52);
    uint64_t small = 0 - (uint64_t)(size < 1009ull << 52 /* 2^-14 */);
    uint64_t finite = (small & subnormal) | (~small & (size < 0x40effe0000000000ull /* 65520 */ ? normal : 0x7c00u));
    return (uint16_t)(size > 0x7ff0000000000000ull ? 0x7e00u : (bits >> 48 & 0x8000u) | finite);
#endif
}

NARROW_FUNCTION uint16_t f64_to_bf16(double x)
{
#if defined(F64_TO_BF16_NATIVE)
    return F64_TO_BF16_NATIVE(x);
#else
    uint64_t bits = double_bits(x), size = bits & 0x7fffffffffffffffull;
    uint64_t normal = (size - (896ull << 52) + 0xfffffffffffull + (size >> 45 & 1)) >> 45;
    uint64_t subnormal = double_bits(double_from_bits(size) + 4.1359030627651384e-25 /* 2^-81 */) - (942ull << 52);
    uint64_t small = 0 - (uint64_t)(size < 897ull << 52 /* 2^-126 */);
    uint64_t large = size < 0x47eff00000000000ull /* 2^128 - 2^119 */ ? normal : 0x7f80u;
    uint64_t finite = (small & subnormal) | (~small & large);
    return (uint16_t)(size > 0x7ff0000000000000ull ? 0x7fc0u : (bits >> 48 & 0x8000u) | finite);
#endif
}

/* hi + lo rounded to odd: the sum when that is a double, else the one of its two neighbours whose last bit is set.
 * Rounding that to the nearest float, bfloat16 or binary16 is then the same as rounding hi + lo itself. It could only
 * differ if a result, or the middle between two results, lay between hi + lo and its neighbour, or were the neighbour.
 * But results and middles, subnormal ones included, have at most 25 significant bits, so their last bit as doubles is
 * clear: each is the sum itself, or the neighbour not taken, or beyond both. (Sums that are subnormal doubles are
 * exact.) A sum that overflows, and infinity and NaN, come out as they do from hi + lo. */
NARROW_FUNCTION double round_to_odd_sum(double hi, double lo)
{
    double sum = hi + lo;
    double part = sum - hi;
    double error = (hi - (sum - part)) + (lo - part);
    uint64_t bits = double_bits(sum);
    uint64_t away = 1 - 2 * ((double_bits(error) ^ bits) >> 63); /* +1, or -1 when the exact sum is nearer to zero */
    uint64_t move = (uint64_t)((error < 0) | (error > 0)) & ~bits & 1;
    return double_from_bits(bits + (away & (0 - move)));
}

#endif
