/* SPDX-License-Identifier: MIT
 *
 * data.h - elements of any type for tests: ordinary values, and the ones that break sums. */
#ifndef TALLY_TEST_DATA_H
#define TALLY_TEST_DATA_H

#include "test.h"
#include <math.h>
#include <tally.h>

enum data_kind {
    DATA_ORDINARY, /* integers of any size, floats like normal ones, some zeros */
    DATA_WIDE,     /* floats over all exponents */
    DATA_SPECIAL,  /* NaNs, infinities, both zeros among ordinary values */
    DATA_TIES,     /* few different values */
    DATA_KINDS
};

static inline double data_real(enum data_kind kind, int range)
{
    double u = test_random_uniform() * 2 - 1;
    switch (kind) {
    case DATA_WIDE: return ldexp(u, (int)test_random_below((uint64_t)(2 * range)) - range);
    case DATA_SPECIAL:
        switch (test_random_below(12)) {
        case 0: return NAN;
        case 1: return INFINITY;
        case 2: return -INFINITY;
        case 3: return -0.0;
        case 4: return 0.0;
        default: return u;
        }
    case DATA_TIES: return (double)((int)test_random_below(5) - 2) * 0.5;
    default: return test_random_below(20) == 0 ? 0 : u * 3 + u * u;
    }
}

/* Bits of a float of `bits` exponent and fraction bits, by truncation: good enough to make data. */
static inline uint16_t data_half(double v, int exponent_bits)
{
    int fraction = 15 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1, e;
    uint16_t sign = signbit(v) ? 0x8000 : 0;
    if (isnan(v)) return (uint16_t)(0x7fff ^ (sign >> 1 & 1));
    if (isinf(v)) return (uint16_t)(sign | ((1 << exponent_bits) - 1) << fraction);
    if (v == 0) return sign;
    double m = frexp(fabs(v), &e);
    e += bias - 1;
    if (e >= (1 << exponent_bits) - 1) e = (1 << exponent_bits) - 2;
    if (e <= 0) return (uint16_t)(sign | (uint16_t)ldexp(m, fraction + (e > -fraction ? e : -fraction)));
    return (uint16_t)(sign | e << fraction | ((uint16_t)ldexp(m, fraction + 1) & ((1 << fraction) - 1)));
}

/* v as element i of real floats. */
static inline void data_put_real(tally_type type, unsigned char *elements, int64_t i, double v)
{
    float single = (float)v;
    uint16_t half = data_half(v, type == TALLY_F16 ? 5 : 8);
    if (type == TALLY_F64) memcpy(elements + 8 * i, &v, 8);
    else if (type == TALLY_F32) memcpy(elements + 4 * i, &single, 4);
    else memcpy(elements + 2 * i, &half, 2);
}

static inline void data_element(tally_type type, enum data_kind kind, void *to)
{
    uint64_t bits = kind == DATA_TIES ? (uint64_t)((int64_t)test_random_below(5) - 2) : test_random();
    if (kind == DATA_ORDINARY) bits = (uint64_t)((int64_t)bits >> test_random_below(60));
    float f[2] = {(float)data_real(kind, 140), (float)data_real(kind, 140)};
    double d[2] = {data_real(kind, 1070), data_real(kind, 1070)};
    uint16_t half = type == TALLY_F16 ? data_half(data_real(kind, 22), 5) : data_half(data_real(kind, 130), 8);
    switch (type) {
    case TALLY_BOOL:
        bits = kind == DATA_TIES ? bits & 1 : test_random_below(3) % 2;
        memcpy(to, &bits, 1);
        break;
    case TALLY_F16:
    case TALLY_BF16: memcpy(to, &half, 2); break;
    case TALLY_F32: memcpy(to, f, 4); break;
    case TALLY_F64: memcpy(to, d, 8); break;
    case TALLY_C64: memcpy(to, f, 8); break;
    case TALLY_C128: memcpy(to, d, 16); break;
    default: memcpy(to, &bits, tally_type_size(type)); break;
    }
}

static inline void data_fill(tally_type type, enum data_kind kind, void *to, int64_t n)
{
    size_t size = tally_type_size(type);
    for (int64_t i = 0; i < n; i++) data_element(type, kind, (char *)to + (size_t)i * size);
}

#endif
