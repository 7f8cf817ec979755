/* SPDX-License-Identifier: MIT
 *
 * finish.cuh - from a cell's last state to an element of the result type, as state_finish.c does it on the host. */
#ifndef TALLY_FINISH_CUH
#define TALLY_FINISH_CUH

#include "exact_real.h"
#include "loops.cuh"
#include "program.cuh"

#define IS_F16(number) ((number) == NUMBER_OF_f16)
#define IS_BF16(number) ((number) == NUMBER_OF_bf16)

DEVICE struct exact_format result_format(void)
{
    struct exact_format format = {53, -1074, 1024};
    if (IS_F16(RESULT_NUMBER)) format = {11, -24, 16};
    else if (IS_BF16(RESULT_NUMBER)) format = {8, -133, 128};
    else if (RESULT_PART == 4) format = {24, -149, 128};
    return format;
}

/* As f32_to_f16 and f32_to_bf16, but for the bits of a NaN. */
#if defined(TALLY_SIMT)
#define NARROWED_F16(v) f32_to_f16(v)
#else
#define NARROWED_F16(v) f32_to_f16_native(v)
#endif
#if defined(F32_TO_BF16_NATIVE)
#define NARROWED_BF16(v) f32_to_bf16_native(v)
#else
#define NARROWED_BF16(v) f32_to_bf16(v)
#endif

/* Both rounded to a result of two bytes, the first one in the low half; but for the bits of a NaN. */
DEVICE_UNUSED uint32_t narrowed_pair(float first, float second)
{
#if defined(TALLY_SIMT) || __CUDA_ARCH__ < 800
    return IS_F16(RESULT_NUMBER) ? (uint32_t)NARROWED_F16(second) << 16 | NARROWED_F16(first)
                                 : (uint32_t)NARROWED_BF16(second) << 16 | NARROWED_BF16(first);
#else
    uint32_t pair;
    if (IS_F16(RESULT_NUMBER)) asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
    else asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
    return pair;
#endif
}

/* Bits in the result's float format into a part of an element. */
DEVICE void finish_bits(uint64_t bits, int part, char *out)
{
    if (RESULT_PART == 2) ((uint16_t *)out)[part] = (uint16_t)bits;
    else if (RESULT_PART == 4) ((uint32_t *)out)[part] = (uint32_t)bits;
    else ((uint64_t *)out)[part] = bits;
}

DEVICE void finish_real(double v, int part, char *out)
{
    uint64_t bits;
    if (IS_F16(RESULT_NUMBER)) bits = f64_to_f16(v);
    else if (IS_BF16(RESULT_NUMBER)) bits = f64_to_bf16(v);
    else if (RESULT_PART == 4) bits = v != v ? 0x7fc00000u : float_bits((float)v);
    else bits = v != v ? 0x7ff8000000000000ull : double_bits(v);
    finish_bits(bits, part, out);
    if (part == 0 && RESULT_KIND == KIND_COMPLEX) finish_bits(0, 1, out);
}

/* The same bits as of finish_real, of a float. */
DEVICE void finish_float(float v, int part, char *out)
{
    if (IS_F16(RESULT_NUMBER)) finish_bits(v != v ? 0x7e00u : NARROWED_F16(v), part, out);
    else if (IS_BF16(RESULT_NUMBER)) finish_bits(v != v ? 0x7fc0u : NARROWED_BF16(v), part, out);
    else if (RESULT_PART == 4) finish_bits(v != v ? 0x7fc00000u : float_bits(v), part, out);
    else finish_real((double)v, part, out);
}

/* A 64-bit integer into the result type: modulo 2^bits, as a truth value, or rounded once. */
DEVICE void finish_integer(uint64_t bits, int is_signed, char *out)
{
    if (RESULT_KIND & KIND_FLOAT) {
        int negative = is_signed && (int64_t)bits < 0;
        uint64_t size = negative ? 0 - bits : bits;
        struct natural_leading leading = {size, 0, 0};
        uint64_t rounded = size ? exact_round(exact_real_of(leading, negative), result_format()) : 0;
        finish_bits(rounded, 0, out);
        if (RESULT_KIND == KIND_COMPLEX) finish_bits(0, 1, out);
        return;
    }
    if (RESULT_KIND == KIND_BOOLEAN) bits = bits != 0;
    if (RESULT_SIZE == 1) *(uint8_t *)out = (uint8_t)bits;
    else if (RESULT_SIZE == 2) *(uint16_t *)out = (uint16_t)bits;
    else if (RESULT_SIZE == 4) *(uint32_t *)out = (uint32_t)bits;
    else *(uint64_t *)out = bits;
}

/* Whether a 64-bit integer lies in the result type. */
DEVICE int finish_fits(uint64_t bits, int is_signed)
{
    int negative = is_signed && (int64_t)bits < 0;
    if (!(RESULT_KIND & KIND_INTEGER)) return 1;
    if (RESULT_KIND == KIND_UNSIGNED) return !negative && (RESULT_SIZE == 8 || bits >> (RESULT_SIZE * 8 & 63) == 0);
    return (negative ? ~bits : bits) >> (RESULT_SIZE * 8 - 1) == 0;
}

/* ---- the initial value, an element of the result type ---- */

DEVICE double bits_real(uint64_t bits, int number, int part_bytes)
{
    if (IS_F16(number)) return f16_to_f32((uint16_t)bits);
    if (IS_BF16(number)) return bf16_to_f32((uint16_t)bits);
    return part_bytes == 4 ? (double)float_from_bits((uint32_t)bits) : double_from_bits(bits);
}

DEVICE uint64_t initial_integer(const struct reduce_parameters *p)
{
    uint64_t bits = p->initial[0];
    int spare = 64 - 8 * RESULT_SIZE;
    if (RESULT_KIND == KIND_BOOLEAN) return (bits & 255) != 0;
    if (RESULT_KIND == KIND_SIGNED) return (uint64_t)((int64_t)(bits << (spare & 63)) >> (spare & 63));
    return bits << (spare & 63) >> (spare & 63);
}

DEVICE double initial_real(const struct reduce_parameters *p, int part)
{
    if (!(RESULT_KIND & KIND_FLOAT)) {
        uint64_t bits = initial_integer(p);
        return part ? 0 : RESULT_KIND == KIND_SIGNED ? (double)(int64_t)bits : (double)bits;
    }
    if (part && RESULT_KIND != KIND_COMPLEX) return 0;
    uint64_t bits = RESULT_PART == 4 && part ? p->initial[0] >> 32 : p->initial[RESULT_PART == 8 && part];
    return bits_real(bits, RESULT_NUMBER, RESULT_PART);
}

DEVICE void finish_initial(const struct reduce_parameters *p, char *out)
{
    if (RESULT_KIND == KIND_BOOLEAN) *out = (char)initial_integer(p);
    else copy_result(out, p->initial);
}

/* A cell without a present element, of an operator that has no value for that. */
DEVICE uint32_t finish_empty(const struct reduce_parameters *p, int takes_nan, char *out)
{
    if (p->has_initial) finish_initial(p, out);
    else if (takes_nan && p->length > 0 && SKIP_NAN && (ELEMENT_KIND & KIND_FLOAT)) finish_real((double)NAN, 0, out);
    else return FAILED_EMPTY;
    return 0;
}

/* The element at an address, converted to a result type that holds its values. */
DEVICE void finish_element(const void *address, char *out)
{
    if (ELEMENT_NUMBER == RESULT_NUMBER && ELEMENT_KIND != KIND_BOOLEAN) {
        const char *from = (const char *)address;
        for (int i = 0; i < ELEMENT_SIZE; i++) out[i] = from[i];
        return;
    }
    element x = load_element(address, 0);
#if defined(ONLY_TYPE_c64) || defined(ONLY_TYPE_c128)
    finish_real((double)x.re, 0, out);
    finish_real((double)x.im, 1, out);
#else
    if (ELEMENT_KIND & KIND_FLOAT) finish_real((double)x.v, 0, out);
    else if (ELEMENT_KIND == KIND_BOOLEAN) finish_integer(x.v != 0, 0, out);
    else finish_integer((uint64_t)(int64_t)x.v, ELEMENT_KIND == KIND_SIGNED, out);
#endif
}

#endif
