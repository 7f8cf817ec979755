/* SPDX-License-Identifier: MIT
 *
 * adversary.h - floats chosen to break exact sums: cancellation, all exponents, ties, values on both sides of every
 * limit of the fast paths. Values are made of a sign, an exponent field and a fraction, so all formats get the same. */
#ifndef TALLY_TEST_ADVERSARY_H
#define TALLY_TEST_ADVERSARY_H

#include "rational.h"

enum adversary {
    UNIFORM,
    WIDE,
    CANCELLING,
    SUBNORMAL,
    ANY_BITS,
    HUGE_BOTH,
    TIES,
    NEGATIVE_ZEROS,
    ONE_INFINITY,
    SPECIALS,
    ESCAPING,
    STRADDLING,
    TWO_FIELDS,
    EQUAL,
    HALF_RANGE,
    ONE_FAR,
    OFFSET_LARGE,
    ADVERSARIES
};

static inline const char *adversary_name(int set)
{
    static const char *const names[] = {
        "uniform",    "wide",           "cancelling",   "subnormal", "any bits",    "huge, both signs",
        "ties",       "negative zeros", "one infinity", "specials",  "escaping",    "straddling",
        "two fields", "equal",          "half range",   "one far",   "large offset"};
    return names[set];
}

/* Parameters of one data set. */
struct adversary_state {
    struct rational_format format;
    int bias, fields, base, span;
    uint64_t fraction;
};

static inline uint64_t part_bits(const struct adversary_state *a, uint64_t sign, int field, uint64_t fraction)
{
    uint64_t hidden = 1ull << (a->format.precision - 1);
    if (field < 0) field = 0;
    if (field >= a->fields) field = a->fields - 1;
    return (sign & 1) * hidden * 2 * (uint64_t)a->format.largest + (uint64_t)field * hidden + (fraction & (hidden - 1));
}

/* A value at one of the places where bins, windows and narrow sums end, with all, no or random fraction bits. */
static inline uint64_t straddling(const struct adversary_state *a)
{
    static const int places[] = {0, 1, 8, 9, 10, 11, 12, 13, 44, 45, 52, 53, 88, 89, 96, 97, 21, 22, 23, 24, 29};
    int place = places[test_random_below(sizeof places / sizeof places[0])];
    if (test_random_below(4)) place = -place;
    uint64_t fractions[] = {0, ~0ull, test_random(), 1, 1ull << (a->format.precision - 2)};
    return part_bits(a, test_random(), a->base + place, fractions[test_random_below(5)]);
}

static inline uint64_t ties(const struct adversary_state *a, int64_t i)
{
    if (i == 0) return part_bits(a, 0, a->bias, test_random() & 1);
    if (i == 1) return part_bits(a, 0, a->bias - a->format.precision, 0);
    if (i == 2) return part_bits(a, test_random(), 0, test_random_below(3));
    return part_bits(a, test_random(), 0, 0);
}

/* Ordinary values, then huge, -huge, and the value that such a bin would take for one of its own. */
static inline uint64_t escaping(const struct adversary_state *a, int64_t i)
{
    uint64_t half = 1ull << (a->format.precision - 2);
    int field = a->base + a->span;
    if (i < 40 || i % 7 > 2) return part_bits(a, test_random(), a->base - (int)test_random_below(3), test_random());
    if (i % 7 == 2) return part_bits(a, test_random(), field + (int)test_random_below(3), half);
    return part_bits(a, (uint64_t)(i % 7), field, a->fraction);
}

static inline uint64_t special(const struct adversary_state *a)
{
    uint64_t infinity = (uint64_t)a->fields << (a->format.precision - 1), sign = test_random();
    switch (test_random_below(500)) {
    case 0: return infinity | part_bits(a, sign, 0, 0);
    case 1: return infinity | part_bits(a, sign, 0, test_random() | 1);
    default: return part_bits(a, sign, a->bias, test_random());
    }
}

static inline uint64_t adversary_part(const struct adversary_state *a, int set, int64_t i, int64_t n)
{
    uint64_t sign = test_random(), fraction = test_random();
    int anywhere = (int)test_random_below((uint64_t)a->fields);
    switch (set) {
    case UNIFORM: return part_bits(a, sign, a->bias - 1 - __builtin_ctzll(sign | 1ull << 60) / 2, fraction);
    case SUBNORMAL: return part_bits(a, sign, 0, fraction);
    case HUGE_BOTH: return part_bits(a, sign, a->fields - 1, ~0ull);
    case TIES: return ties(a, i);
    case NEGATIVE_ZEROS: return part_bits(a, 1, 0, 0);
    case ONE_INFINITY:
        if (i == n / 2) return (uint64_t)a->fields << (a->format.precision - 1);
        return part_bits(a, sign, a->bias, fraction);
    case SPECIALS: return special(a);
    case ESCAPING: return escaping(a, i);
    case STRADDLING: return straddling(a);
    case TWO_FIELDS: return part_bits(a, 0, a->base + (fraction & 1 ? a->span : 0), ~0ull);
    case EQUAL: return part_bits(a, 0, a->base, a->fraction);
    case HALF_RANGE:
        return part_bits(a, sign, a->fields * (a->span % 2 ? 3 : 1) / 4 + (int)test_random_below(9), fraction);
    case ONE_FAR: return part_bits(a, sign, i == n - 1 - a->span % (n < 9 ? 1 : 9) ? anywhere : a->base, fraction);
    case OFFSET_LARGE: return part_bits(a, 0, a->base, test_random() & 3);
    default: return part_bits(a, sign, anywhere, fraction);
    }
}

static inline void adversary_store(tally_type part, void *to, int64_t i, uint64_t bits)
{
    size_t size = tally_type_size(part);
    memcpy((char *)to + (size_t)i * size, &bits, size);
}

/* x and -x in random order, and the smallest number once. */
static inline void adversary_pairs(tally_type part, void *to, int64_t n)
{
    size_t size = tally_type_size(part);
    unsigned char *bytes = to, swap[8];
    for (int64_t i = 0; i + 1 < n; i += 2) {
        memcpy(bytes + (size_t)(i + 1) * size, bytes + (size_t)i * size, size);
        bytes[(size_t)(i + 2) * size - 1] ^= 0x80;
    }
    if (n % 2) adversary_store(part, to, n - 1, 1);
    for (int64_t i = n - 1; i > 0; i--) {
        size_t j = (size_t)test_random_below((uint64_t)i + 1) * size, k = (size_t)i * size;
        memcpy(swap, bytes + j, size);
        memcpy(bytes + j, bytes + k, size);
        memcpy(bytes + k, swap, size);
    }
}

/* n elements of a float type; the parts of complex ones are n * 2 values of the set. */
static inline void adversary_fill(tally_type type, int set, void *to, int64_t n)
{
    struct adversary_state a = {.format = rational_format_of(type)};
    int64_t parts = is_complex(type) ? 2 * n : n;
    a.bias = a.format.largest - 1;
    a.fields = 2 * a.format.largest - 1;
    a.base =
        test_random_below(3) ? a.bias - 20 + (int)test_random_below(40) : (int)test_random_below((uint64_t)a.fields);
    a.span = (int)test_random_below(70);
    a.fraction = test_random_below(3) ? ~0ull : test_random();
    for (int64_t i = 0; i < parts; i++) adversary_store(part_type(type), to, i, adversary_part(&a, set, i, parts));
    if (set == CANCELLING) adversary_pairs(part_type(type), to, parts);
}

/* Makes x and y so that the products of neighbours cancel, but for the last. */
static inline void adversary_cancel(tally_type type, void *x, void *y, int64_t n)
{
    size_t size = tally_type_size(type), part = tally_type_size(part_type(type));
    adversary_fill(type, (int)test_random_below(3), y, n);
    for (int64_t i = 0; i + 1 < n; i += 2) {
        unsigned char *yi = (unsigned char *)y + (size_t)i * size;
        memcpy(yi + size, yi, size);
        if (test_random_below(50) == 0) continue;
        memcpy((unsigned char *)x + (size_t)(i + 1) * size, (unsigned char *)x + (size_t)i * size, size);
        for (size_t b = part; b <= size; b += part) yi[size + b - 1] ^= 0x80;
    }
}

#endif
