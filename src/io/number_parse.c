/* SPDX-License-Identifier: MIT
 *
 * number_parse.c - text to one element. Short decimals take Clinger's exact fast path, others strtod; types narrower
 * than double are then rounded from the double, with an exact decimal comparison in the one case (a tie) where that
 * could round twice. */
#define _GNU_SOURCE
#include "number.h"
#include "small_float.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A validated decimal: digits[0] is the first character after the sign. */
typedef struct decimal {
    const char *text; /* with the sign */
    const char *digits;
    const char *digits_end; /* the exponent letter, or the end */
    uint64_t mantissa;      /* the first 19 significant digits */
    int64_t exponent;       /* value = mantissa * 10^exponent, when complete */
    int64_t written_exponent;
    bool negative;
    bool complete; /* mantissa holds every significant digit */
} decimal;

enum { DIGITS_OF_64_BITS = 19, EXPONENT_LIMIT = 1000000 };

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool decimal_exponent(const char *at, const char *end, int64_t *exponent)
{
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) {
        at++;
    }
    if (at == end) {
        return false;
    }
    int64_t value = 0;
    for (; at < end; at++) {
        if (!is_digit(*at)) {
            return false;
        }
        value = value < EXPONENT_LIMIT ? value * 10 + (*at - '0') : value;
    }
    *exponent = negative ? -value : value;
    return true;
}

static bool decimal_scan(const char *text, size_t length, decimal *number)
{
    const char *at = text;
    const char *end = text + length;
    *number = (decimal){.text = text, .complete = true};
    if (at < end && (*at == '-' || *at == '+')) {
        number->negative = *at++ == '-';
    }
    number->digits = at;
    int significant = 0;
    bool any_digit = false;
    bool point = false;
    for (; at < end; at++) {
        unsigned digit = (unsigned)(unsigned char)*at - '0';
        if (digit > 9) {
            if (*at != '.' || point) {
                break;
            }
            point = true;
            continue;
        }
        any_digit = true;
        if (significant < DIGITS_OF_64_BITS) {
            number->mantissa = number->mantissa * 10 + digit;
            significant += number->mantissa != 0;
            number->exponent -= point;
        } else {
            number->complete = number->complete && digit == 0;
            number->exponent += !point;
        }
    }
    number->digits_end = at;
    if (!any_digit || at == end) {
        return any_digit;
    }
    if ((*at != 'e' && *at != 'E') || !decimal_exponent(at + 1, end, &number->written_exponent)) {
        return false;
    }
    number->exponent += number->written_exponent;
    return true;
}

static locale_t c_locale(void)
{
    static _Thread_local locale_t locale;
    if (locale == (locale_t)0) {
        locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    }
    return locale;
}

/* Clinger: a mantissa and a power of ten that doubles hold exactly need only one rounding. */
static double decimal_value(const decimal *number)
{
    static const double power_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                          1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (number->complete && number->mantissa <= UINT64_C(1) << 53 && number->exponent >= -22 &&
        number->exponent <= 22) {
        double value = (double)number->mantissa;
        value = number->exponent < 0 ? value / power_of_ten[-number->exponent] : value * power_of_ten[number->exponent];
        return number->negative ? -value : value;
    }
    return strtod_l(number->text, NULL, c_locale());
}

/* The sign of |number| - magnitude, exactly. printf writes every digit of a double, so this is a comparison of two
 * digit strings after lining up their first significant digits. magnitude is a tie of a small format: at most 25
 * significant bits and not below 2^-150, so 200 digits hold it. */
static int decimal_compare(const decimal *number, double magnitude)
{
    char exact[256];
    snprintf(exact, sizeof exact, "%.200e", magnitude);
    int64_t exact_exponent = strtol(strchr(exact, 'e') + 1, NULL, 10);
    const char *at = number->digits;
    int64_t exponent = number->written_exponent - 1;
    for (const char *c = at; c < number->digits_end && *c != '.'; c++) {
        exponent++;
    }
    for (; at < number->digits_end && (*at == '0' || *at == '.'); at++) {
        exponent -= *at == '0';
    }
    if (exponent != exact_exponent) {
        return exponent < exact_exponent ? -1 : 1;
    }
    for (const char *other = exact; at < number->digits_end || is_digit(*other) || *other == '.';) {
        if (at < number->digits_end && *at == '.') {
            at++;
        } else if (*other == '.') {
            other++;
        } else {
            char mine = at < number->digits_end ? *at++ : '0';
            char theirs = is_digit(*other) ? *other++ : '0';
            if (mine != theirs) {
                return mine < theirs ? -1 : 1;
            }
        }
    }
    return 0;
}

/* The double is on the same side of every tie of the format as the decimal, unless it is that tie itself: then the
 * decimal decides, through a double moved off the tie towards it. */
static uint32_t decimal_encode(const decimal *number, small_float format)
{
    double value = decimal_value(number);
    if (small_float_is_tie(format, value)) {
        int side = decimal_compare(number, fabs(value));
        if (side != 0) {
            value = nextafter(value, side < 0 ? 0.0 : copysign(INFINITY, value));
        }
    }
    return small_float_encode(format, value);
}

static bool parse_special(const char *text, size_t length, double *value)
{
    bool negative = length > 0 && text[0] == '-';
    if (length > 0 && (text[0] == '-' || text[0] == '+')) {
        text++;
        length--;
    }
    if (length == 3 && strncasecmp(text, "nan", 3) == 0) {
        *value = (double)NAN;
        return true;
    }
    if ((length == 3 && strncasecmp(text, "inf", 3) == 0) || (length == 8 && strncasecmp(text, "infinity", 8) == 0)) {
        *value = negative ? -(double)INFINITY : (double)INFINITY;
        return true;
    }
    return false;
}

/* Stores a float of 2, 4 or 8 bytes. */
static void store_bits(void *element, uint64_t bits, size_t bytes)
{
    uint16_t half = (uint16_t)bits;
    uint32_t single = (uint32_t)bits;
    const void *from = bytes == 2 ? (const void *)&half : bytes == 4 ? (const void *)&single : (const void *)&bits;
    memcpy(element, from, bytes);
}

static small_float format_of(tally_type type)
{
    return type == TALLY_F16 ? small_float_f16 : type == TALLY_BF16 ? small_float_bf16 : small_float_f32;
}

static io_number_status parse_float(const char *text, size_t length, tally_type type, void *element)
{
    decimal number;
    double special;
    bool is_decimal = decimal_scan(text, length, &number);
    if (!is_decimal && !parse_special(text, length, &special)) {
        return IO_NUMBER_MALFORMED;
    }
    if (type == TALLY_F64) {
        double value = is_decimal ? decimal_value(&number) : special;
        if (is_decimal && isinf(value)) {
            return IO_NUMBER_RANGE;
        }
        memcpy(element, &value, sizeof value);
        return IO_NUMBER_OK;
    }
    small_float format = format_of(type);
    uint32_t bits = is_decimal ? decimal_encode(&number, format) : small_float_encode(format, special);
    if (is_decimal && isinf(small_float_decode(format, bits))) {
        return IO_NUMBER_RANGE;
    }
    store_bits(element, bits, tally_type_size(type));
    return IO_NUMBER_OK;
}

static io_number_status parse_integer(const char *text, size_t length, tally_type type, void *element)
{
    const char *end = text + length;
    bool negative = length > 0 && text[0] == '-';
    if (length > 0 && (text[0] == '-' || text[0] == '+')) {
        text++;
    }
    if (text == end) {
        return IO_NUMBER_MALFORMED;
    }
    uint64_t magnitude = 0;
    bool overflow = false;
    for (; text < end; text++) {
        if (!is_digit(*text)) {
            return IO_NUMBER_MALFORMED;
        }
        overflow |= __builtin_mul_overflow(magnitude, 10, &magnitude);
        overflow |= __builtin_add_overflow(magnitude, (uint64_t)(*text - '0'), &magnitude);
    }
    size_t bytes = tally_type_size(type);
    bool is_signed = type <= TALLY_I64;
    uint64_t largest = UINT64_MAX >> (64 - 8 * bytes + is_signed);
    uint64_t limit = !negative ? largest : is_signed ? largest + 1 : 0;
    if (overflow || magnitude > limit) {
        return IO_NUMBER_RANGE;
    }
    uint64_t value = negative ? 0 - magnitude : magnitude;
    if (bytes == 1) {
        *(unsigned char *)element = (unsigned char)value;
    } else {
        store_bits(element, value, bytes);
    }
    return IO_NUMBER_OK;
}

static io_number_status parse_bool(const char *text, size_t length, void *element)
{
    static const struct {
        const char *text;
        unsigned char value;
    } words[] = {{"0", 0}, {"1", 1}, {"false", 0}, {"true", 1}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i].text) == length && strncasecmp(text, words[i].text, length) == 0) {
            *(unsigned char *)element = words[i].value;
            return IO_NUMBER_OK;
        }
    }
    return IO_NUMBER_MALFORMED;
}

/* The imaginary part starts at the last sign that is neither the first character nor part of an exponent. */
static io_number_status parse_complex(const char *text, size_t length, tally_type type, void *element)
{
    tally_type part = type == TALLY_C64 ? TALLY_F32 : TALLY_F64;
    size_t part_bytes = tally_type_size(part);
    unsigned char both[16] = {0};
    io_number_status status = IO_NUMBER_OK;
    bool imaginary = length > 0 && text[length - 1] == 'j';
    size_t split = imaginary ? 0 : length;
    for (size_t i = 1; imaginary && i < length; i++) {
        if ((text[i] == '+' || text[i] == '-') && text[i - 1] != 'e' && text[i - 1] != 'E') {
            split = i;
        }
    }
    if (split > 0) {
        /* The parser wants a terminator that cannot continue a number, and the sign of the next part may. */
        char copy[512];
        if (imaginary && split >= sizeof copy) {
            return IO_NUMBER_MALFORMED;
        }
        if (imaginary) {
            memcpy(copy, text, split);
            copy[split] = '\0';
        }
        status = parse_float(imaginary ? copy : text, split, part, both);
    }
    if (imaginary && status == IO_NUMBER_OK) {
        status = parse_float(text + split, length - 1 - split, part, both + part_bytes);
    }
    if (status == IO_NUMBER_OK) {
        memcpy(element, both, 2 * part_bytes);
    }
    return status;
}

io_number_status io_number_parse(const char *text, size_t length, tally_type type, void *element)
{
    if (type == TALLY_BOOL) {
        return parse_bool(text, length, element);
    }
    if (io_type_is_float(type)) {
        return parse_float(text, length, type, element);
    }
    return io_type_is_complex(type) ? parse_complex(text, length, type, element)
                                    : parse_integer(text, length, type, element);
}

const char *io_number_expected(tally_type type)
{
    if (type == TALLY_BOOL) {
        return "true, false, 0 or 1";
    }
    return io_type_is_float(type) ? "a number" : io_type_is_complex(type) ? "a complex number" : "an integer";
}

bool io_type_is_complex(tally_type type)
{
    return type == TALLY_C64 || type == TALLY_C128;
}

bool io_type_is_float(tally_type type)
{
    return type >= TALLY_F16 && type <= TALLY_F64;
}
