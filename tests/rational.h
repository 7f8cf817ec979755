/* SPDX-License-Identifier: MIT
 *
 * rational.h - exact totals of floats and integers as rational numbers, and their one rounding: what oracle tests hold
 * against the library. Nothing here comes from src/. */
#ifndef TALLY_TEST_RATIONAL_H
#define TALLY_TEST_RATIONAL_H

#include "test.h"
#include <gmp.h>
#include <math.h>
#include <tally.h>

__extension__ typedef __int128 int128;

/* Precision, exponent of the smallest subnormal, first exponent that overflows; and the one NaN of results. */
struct rational_format {
    int precision, smallest, largest;
    uint64_t nan;
};

static inline struct rational_format rational_format_of(tally_type type)
{
    static const struct rational_format formats[] = {
        {11, -24, 16, 0x7e00}, {8, -133, 128, 0x7fc0}, {24, -149, 128, 0x7fc00000}, {53, -1074, 1024, 0x7ff8ull << 48}};
    switch (type) {
    case TALLY_F16: return formats[0];
    case TALLY_BF16: return formats[1];
    case TALLY_F32:
    case TALLY_C64: return formats[2];
    default: return formats[3];
    }
}

static inline int is_complex(tally_type type)
{
    return type == TALLY_C64 || type == TALLY_C128;
}

static inline int is_float(tally_type type)
{
    return type >= TALLY_F16;
}

/* The type of a part of a float type. */
static inline tally_type part_type(tally_type type)
{
    return type == TALLY_C64 ? TALLY_F32 : type == TALLY_C128 ? TALLY_F64 : type;
}

/* ---- totals: signed integers by the exponent of their unit, in halves that cannot overflow ---- */

#define TOTAL_OFFSET 2200
#define TOTAL_LENGTH 4400

struct total {
    int128 low[TOTAL_LENGTH], high[TOTAL_LENGTH];
    int nan, plus, minus;
};

static inline void total_clear(struct total *total)
{
    memset(total, 0, sizeof *total);
}

static inline void total_add(struct total *total, int128 value, int exponent)
{
    total->low[exponent + TOTAL_OFFSET] += (uint64_t)value;
    total->high[exponent + TOTAL_OFFSET] += value >> 64;
}

/* |x| is significand * 2^exponent. */
static inline int64_t split(double x, int *exponent)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int field = (int)(bits >> 52 & 0x7ff);
    int64_t significand = (int64_t)((bits & 0xfffffffffffffull) | (uint64_t)(field != 0) << 52);
    *exponent = (field ? field : 1) - 1075;
    return bits >> 63 ? -significand : significand;
}

static inline void total_add_product(struct total *total, double x, double y)
{
    int e, f;
    if (!isfinite(x) || !isfinite(y)) {
        double product = x * y;
        total->nan |= isnan(product) != 0;
        total->plus |= product > 0;
        total->minus |= product < 0;
        return;
    }
    int128 m = split(x, &e);
    m *= split(y, &f);
    total_add(total, m, e + f);
}

static inline int total_special(const struct total *total)
{
    return total->nan || total->plus || total->minus;
}

static inline void total_value(const struct total *total, mpq_t value)
{
    mpz_t sum, term;
    mpz_inits(sum, term, NULL);
    for (int k = 0; k < TOTAL_LENGTH; k++) {
        int128 parts[2] = {total->low[k], total->high[k]};
        for (int i = 0; i < 2; i++) {
            int128 magnitude = parts[i] < 0 ? -parts[i] : parts[i];
            if (magnitude == 0) continue;
            mpz_set_ui(term, (unsigned long)(magnitude >> 64));
            mpz_mul_2exp(term, term, 64);
            mpz_add_ui(term, term, (unsigned long)(uint64_t)magnitude);
            mpz_mul_2exp(term, term, (mp_bitcnt_t)(k + 64 * i));
            if (parts[i] < 0) mpz_sub(sum, sum, term);
            else mpz_add(sum, sum, term);
        }
    }
    mpq_set_z(value, sum);
    mpq_div_2exp(value, value, TOTAL_OFFSET);
    mpz_clears(sum, term, NULL);
}

/* ---- rounding ---- */

static inline void rational_shift(mpq_t x, long exponent)
{
    if (exponent >= 0) mpq_mul_2exp(x, x, (mp_bitcnt_t)exponent);
    else mpq_div_2exp(x, x, (mp_bitcnt_t)-exponent);
}

/* floor(log2(x)), x > 0. */
static inline long rational_exponent(const mpq_t x)
{
    mpq_t power;
    long e = (long)mpz_sizeinbase(mpq_numref(x), 2) - (long)mpz_sizeinbase(mpq_denref(x), 2);
    mpq_init(power);
    mpq_set_ui(power, 1, 1);
    rational_shift(power, e);
    if (mpq_cmp(x, power) < 0) e--;
    mpq_clear(power);
    return e;
}

/* The bits of x, or of the root of x >= 0, in the format of a real type: to nearest, ties to even. */
static inline uint64_t rational_round(const mpq_t x, int root, tally_type type)
{
    struct rational_format format = rational_format_of(type);
    mpq_t scaled, middle;
    mpz_t k;
    if (mpq_sgn(x) == 0) return 0;
    mpq_inits(scaled, middle, NULL);
    mpz_init(k);
    mpq_abs(scaled, x);
    long e = rational_exponent(scaled);
    if (root) e = e >= 0 ? e / 2 : -((1 - e) / 2);
    long unit = e - format.precision + 1;
    if (unit < format.smallest) unit = format.smallest;
    rational_shift(scaled, root ? -2 * unit : -unit);
    mpz_fdiv_q(k, mpq_numref(scaled), mpq_denref(scaled));
    if (root) mpz_sqrt(k, k);
    mpz_mul_2exp(mpq_numref(middle), k, 1); /* k + 1/2, or its square */
    mpz_add_ui(mpq_numref(middle), mpq_numref(middle), 1);
    mpz_set_ui(mpq_denref(middle), 2);
    if (root) mpq_mul(middle, middle, middle);
    int side = mpq_cmp(scaled, middle);
    uint64_t bits = mpz_get_ui(k), hidden = 1ull << (format.precision - 1);
    bits += side > 0 || (side == 0 && bits % 2);
    if (bits >= hidden) bits += (uint64_t)(unit - format.smallest) * hidden;
    uint64_t infinity = (uint64_t)(2 * format.largest - 1) * hidden;
    if (bits > infinity || unit > 2000) bits = infinity;
    if (mpq_sgn(x) < 0) bits |= (uint64_t)(2 * format.largest) * hidden;
    mpq_clears(scaled, middle, NULL);
    mpz_clear(k);
    return bits;
}

/* What a total with infinities or NaN gives. */
static inline uint64_t special_bits(const struct total *total, tally_type type)
{
    struct rational_format format = rational_format_of(type);
    uint64_t hidden = 1ull << (format.precision - 1), infinity = (uint64_t)(2 * format.largest - 1) * hidden;
    if (total->nan || (total->plus && total->minus)) return format.nan;
    return total->plus ? infinity : infinity | (uint64_t)(2 * format.largest) * hidden;
}

static inline uint64_t total_round(const struct total *total, tally_type type)
{
    if (total_special(total)) return special_bits(total, type);
    mpq_t value;
    mpq_init(value);
    total_value(total, value);
    uint64_t bits = rational_round(value, 0, type);
    mpq_clear(value);
    return bits;
}

/* ---- elements ---- */

static inline double half_value(uint16_t bits, int exponent_bits)
{
    int fraction_bits = 15 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
    int field = bits >> fraction_bits & ((1 << exponent_bits) - 1), fraction = bits & ((1 << fraction_bits) - 1);
    double sign = bits >> 15 ? -1 : 1;
    if (field == (1 << exponent_bits) - 1) return fraction ? (double)NAN : sign * (double)INFINITY;
    if (field == 0) return sign * ldexp(fraction, 1 - bias - fraction_bits);
    return sign * ldexp(fraction + (1 << fraction_bits), field - bias - fraction_bits);
}

/* A part of element i of a float array. */
static inline double element_part(tally_type type, const void *data, int64_t i, int part)
{
    int parts = is_complex(type) ? 2 : 1;
    uint16_t half;
    float single;
    double real;
    switch (part_type(type)) {
    case TALLY_F16: memcpy(&half, (const char *)data + 2 * i, 2); return half_value(half, 5);
    case TALLY_BF16: memcpy(&half, (const char *)data + 2 * i, 2); return half_value(half, 8);
    case TALLY_F32: memcpy(&single, (const char *)data + 4 * (parts * i + part), 4); return (double)single;
    default: memcpy(&real, (const char *)data + 8 * (parts * i + part), 8); return real;
    }
}

/* Bits of a part of a result. */
static inline uint64_t result_part(tally_type type, const void *data, int part)
{
    uint64_t bits = 0;
    size_t size = tally_type_size(part_type(type));
    memcpy(&bits, (const char *)data + (size_t)part * size, size);
    return bits;
}

#endif
