/* SPDX-License-Identifier: MIT
 *
 * number_print.c - one element to text: integers exactly, floats with the fewest digits that number_parse.c reads back
 * to the same bits. */
#include "number.h"
#include "small_float.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

double io_float_value(tally_type type, const void *element)
{
    if (type == TALLY_F64) {
        double value;
        memcpy(&value, element, sizeof value);
        return value;
    }
    if (type == TALLY_F32) {
        float value;
        memcpy(&value, element, sizeof value);
        return (double)value;
    }
    uint16_t bits;
    memcpy(&bits, element, sizeof bits);
    return small_float_decode(type == TALLY_F16 ? small_float_f16 : small_float_bf16, bits);
}

/* Decimal digits that always survive a trip through the type, the digits that always identify a value, and the
 * smallest normal value, below which fewer digits survive. */
typedef struct digits {
    int surviving;
    int identifying;
    double integers; /* below this, integral values are printed in full: 1024 rather than 1.02e+03 */
    double smallest_normal;
} digits;

static digits digits_of(tally_type type)
{
    switch (type) {
    case TALLY_F16: return (digits){3, 5, 0x1p16, 0x1p-14};
    case TALLY_BF16: return (digits){2, 4, 0x1p24, 0x1p-126};
    case TALLY_F32: return (digits){6, 9, 0x1p24, 0x1p-126};
    default: return (digits){15, 17, 0x1p53, DBL_MIN};
    }
}

/* The digits that survive are tried first: if any text that short reads back, then this one does. */
static size_t print_float(tally_type type, const void *element, char *text)
{
    double value = io_float_value(type, element);
    if (isnan(value)) {
        return (size_t)snprintf(text, IO_NUMBER_ROOM, "nan");
    }
    if (isinf(value)) {
        return (size_t)snprintf(text, IO_NUMBER_ROOM, value < 0 ? "-inf" : "inf");
    }
    digits limit = digits_of(type);
    if (fabs(value) < limit.integers && value == floor(value)) {
        return (size_t)snprintf(text, IO_NUMBER_ROOM, "%.0f", value);
    }
    size_t length = 0;
    int precision = fabs(value) < limit.smallest_normal ? 1 : limit.surviving;
    for (; precision <= limit.identifying; precision++) {
        unsigned char back[8];
        length = (size_t)snprintf(text, IO_NUMBER_ROOM, "%.*g", precision, value);
        if (io_number_parse(text, length, type, back) == IO_NUMBER_OK &&
            memcmp(back, element, tally_type_size(type)) == 0) {
            break;
        }
    }
    return length;
}

static size_t print_integer(tally_type type, const void *element, char *text)
{
    size_t bytes = tally_type_size(type);
    uint64_t bits = 0;
    uint8_t one;
    uint16_t two;
    uint32_t four;
    if (bytes == 1) {
        memcpy(&one, element, 1);
        bits = type == TALLY_I8 ? (uint64_t)(int64_t)(int8_t)one : one;
    } else if (bytes == 2) {
        memcpy(&two, element, 2);
        bits = type == TALLY_I16 ? (uint64_t)(int64_t)(int16_t)two : two;
    } else if (bytes == 4) {
        memcpy(&four, element, 4);
        bits = type == TALLY_I32 ? (uint64_t)(int64_t)(int32_t)four : four;
    } else {
        memcpy(&bits, element, 8);
    }
    bool is_signed = type <= TALLY_I64;
    return is_signed ? (size_t)snprintf(text, IO_NUMBER_ROOM, "%" PRId64, (int64_t)bits)
                     : (size_t)snprintf(text, IO_NUMBER_ROOM, "%" PRIu64, bits);
}

size_t io_number_print(tally_type type, const void *element, char text[IO_NUMBER_ROOM])
{
    if (type == TALLY_BOOL) {
        return (size_t)snprintf(text, IO_NUMBER_ROOM, *(const unsigned char *)element ? "true" : "false");
    }
    if (io_type_is_float(type)) {
        return print_float(type, element, text);
    }
    if (!io_type_is_complex(type)) {
        return print_integer(type, element, text);
    }
    tally_type part = type == TALLY_C64 ? TALLY_F32 : TALLY_F64;
    char imaginary[IO_NUMBER_ROOM];
    size_t length = print_float(part, element, text);
    print_float(part, (const unsigned char *)element + tally_type_size(part), imaginary);
    const char *plus = imaginary[0] == '-' ? "" : "+";
    return length + (size_t)snprintf(text + length, IO_NUMBER_ROOM - length, "%s%sj", plus, imaginary);
}

static size_t print_json_float(tally_type type, const void *element, char *text)
{
    char plain[IO_NUMBER_ROOM];
    print_float(type, element, plain);
    const char *quote = isfinite(io_float_value(type, element)) ? "" : "\"";
    return (size_t)snprintf(text, IO_NUMBER_ROOM, "%s%.40s%s", quote, plain, quote);
}

size_t io_number_print_json(tally_type type, const void *element, char text[IO_NUMBER_ROOM])
{
    if (io_type_is_float(type)) {
        return print_json_float(type, element, text);
    }
    if (!io_type_is_complex(type)) {
        return io_number_print(type, element, text);
    }
    tally_type part = type == TALLY_C64 ? TALLY_F32 : TALLY_F64;
    char real[IO_NUMBER_ROOM];
    char imaginary[IO_NUMBER_ROOM];
    print_json_float(part, element, real);
    print_json_float(part, (const unsigned char *)element + tally_type_size(part), imaginary);
    return (size_t)snprintf(text, IO_NUMBER_ROOM, "[%.40s, %.40s]", real, imaginary);
}
