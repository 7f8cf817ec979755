/* SPDX-License-Identifier: MIT
 *
 * convert.c - one value into an element of any type. */
#include "convert.h"
#include "exact_real.h"
#include "narrow.h"

#include <string.h>

struct exact_format convert_format(tally_type type)
{
    switch (type_row(type)->real_part) {
    case TALLY_F16: return (struct exact_format){11, -24, 16};
    case TALLY_BF16: return (struct exact_format){8, -133, 128};
    case TALLY_F32: return (struct exact_format){24, -149, 128};
    default: return (struct exact_format){53, -1074, 1024};
    }
}

int convert_fits(uint64_t bits, int is_signed, tally_type type)
{
    const struct type_row *row = type_row(type);
    int negative = is_signed && (int64_t)bits < 0;
    if (!(row->kind & KIND_INTEGER)) return 1;
    if (row->kind == KIND_UNSIGNED) return !negative && (row->size == 8 || bits >> (row->size * 8) == 0);
    uint64_t magnitude = negative ? ~bits : bits; /* -2^k counts as 2^k - 1 */
    return magnitude >> (row->size * 8 - 1) == 0;
}

void convert_integer(uint64_t bits, int is_signed, tally_type type, void *out)
{
    const struct type_row *row = type_row(type);
    if (row->kind & KIND_FLOAT) {
        struct exact exact;
        exact_clear(&exact);
        exact_add_integer(&exact, (int64_t)(bits >> 32 << 32 >> (is_signed ? 0 : 1)), is_signed ? 0 : 1);
        exact_add_integer(&exact, (int64_t)(bits & 0xffffffff), 0);
        convert_bits(exact_round(exact_value(&exact), convert_format(type)), type, 0, out);
        if (row->kind == KIND_COMPLEX) convert_bits(0, type, 1, out);
        return;
    }
    if (row->kind == KIND_BOOLEAN) bits = bits != 0;
    uint8_t as8 = (uint8_t)bits;
    uint16_t as16 = (uint16_t)bits;
    uint32_t as32 = (uint32_t)bits;
    switch (row->size) {
    case 1: memcpy(out, &as8, 1); break;
    case 2: memcpy(out, &as16, 2); break;
    case 4: memcpy(out, &as32, 4); break;
    default: memcpy(out, &bits, 8); break;
    }
}

void convert_bits(uint64_t bits, tally_type type, int part, void *out)
{
    uint16_t as16 = (uint16_t)bits;
    uint32_t as32 = (uint32_t)bits;
    char *to = out;
    switch (type_row(type)->real_part) {
    case TALLY_F16:
    case TALLY_BF16: memcpy(to, &as16, 2); break;
    case TALLY_F32: memcpy(to + 4 * part, &as32, 4); break;
    default: memcpy(to + 8 * part, &bits, 8); break;
    }
}

void convert_real(double value, tally_type type, int part, void *out)
{
    uint64_t bits;
    switch (type_row(type)->real_part) {
    case TALLY_F16: bits = f64_to_f16(value); break;
    case TALLY_BF16: bits = f64_to_bf16(value); break;
    case TALLY_F32: bits = value != value ? 0x7fc00000u : float_bits((float)value); break;
    default: bits = value != value ? 0x7ff8000000000000ull : double_bits(value); break;
    }
    convert_bits(bits, type, part, out);
    if (part == 0 && type_row(type)->kind == KIND_COMPLEX) convert_bits(0, type, 1, out);
}

uint64_t convert_to_integer(tally_type type, const void *element)
{
    const struct type_row *row = type_row(type);
    uint64_t bits = 0;
    int8_t as8;
    int16_t as16;
    int32_t as32;
    if (row->kind == KIND_SIGNED && row->size < 8) {
        memcpy(&as8, element, 1);
        if (row->size == 1) return (uint64_t)(int64_t)as8;
        memcpy(&as16, element, 2);
        if (row->size == 2) return (uint64_t)(int64_t)as16;
        memcpy(&as32, element, 4);
        return (uint64_t)(int64_t)as32;
    }
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    switch (row->size) {
    case 1: memcpy(&u8, element, 1); return row->kind == KIND_BOOLEAN ? u8 != 0 : u8;
    case 2: memcpy(&u16, element, 2); return u16;
    case 4: memcpy(&u32, element, 4); return u32;
    default: memcpy(&bits, element, 8); return bits;
    }
}

double convert_to_real(tally_type type, const void *element, int part)
{
    const struct type_row *row = type_row(type);
    if (!(row->kind & KIND_FLOAT)) {
        uint64_t bits = convert_to_integer(type, element);
        return part ? 0 : row->kind == KIND_SIGNED ? (double)(int64_t)bits : (double)bits;
    }
    if (part && row->kind != KIND_COMPLEX) return 0;
    uint16_t u16;
    float f32;
    double f64;
    switch (row->real_part) {
    case TALLY_F16: memcpy(&u16, element, 2); return f16_to_f32(u16);
    case TALLY_BF16: memcpy(&u16, element, 2); return bf16_to_f32(u16);
    case TALLY_F32: memcpy(&f32, (const char *)element + 4 * part, 4); return f32;
    default: memcpy(&f64, (const char *)element + 8 * part, 8); return f64;
    }
}

void convert_element(tally_type from, const void *element, tally_type to, void *out)
{
    const struct type_row *row = type_row(from);
    if (from == to && row->kind != KIND_BOOLEAN) {
        memmove(out, element, (size_t)row->size);
    } else if (!(row->kind & KIND_FLOAT)) {
        convert_integer(convert_to_integer(from, element), row->kind == KIND_SIGNED, to, out);
    } else {
        double re = convert_to_real(from, element, 0), im = convert_to_real(from, element, 1);
        convert_real(re, to, 0, out);
        if (type_row(to)->kind == KIND_COMPLEX) convert_real(im, to, 1, out);
    }
}
