/* SPDX-License-Identifier: MIT
 *
 * inside_scan_exact.c - every prefix of a running float sum against an exact accumulator that is rounded at each
 * element, on data of any range, at edges and ties. */
#include "exact_real.h"
#include "narrow.h"
#include "test.h"

#include <math.h>
#include <tally.h>

#define MOST 20000
#define DEVICES 3
static tally_context *device[DEVICES];

static struct exact_format format_of(tally_type type)
{
    switch (type) {
    case TALLY_F16: return (struct exact_format){11, -24, 16};
    case TALLY_BF16: return (struct exact_format){8, -133, 128};
    case TALLY_F32:
    case TALLY_C64: return (struct exact_format){24, -149, 128};
    default: return (struct exact_format){53, -1074, 1024};
    }
}

static size_t part_size(tally_type type)
{
    return type == TALLY_C64 ? 4 : type == TALLY_C128 ? 8 : tally_type_size(type);
}

static double read_part(tally_type type, const void *x, int64_t i)
{
    uint16_t narrow;
    float single;
    double whole;
    const char *at = (const char *)x + (size_t)i * part_size(type);
    switch (type) {
    case TALLY_F16: memcpy(&narrow, at, 2); return f16_to_f32(narrow);
    case TALLY_BF16: memcpy(&narrow, at, 2); return bf16_to_f32(narrow);
    case TALLY_F32:
    case TALLY_C64: memcpy(&single, at, 4); return single;
    default: memcpy(&whole, at, 8); return whole;
    }
}

static void write_part(tally_type type, void *x, int64_t i, double v)
{
    uint16_t narrow = type == TALLY_F16 ? f64_to_f16(v) : f64_to_bf16(v);
    float single = (float)v;
    char *at = (char *)x + (size_t)i * part_size(type);
    if (part_size(type) == 2) memcpy(at, &narrow, 2);
    if (part_size(type) == 4) memcpy(at, &single, 4);
    if (part_size(type) == 8) memcpy(at, &v, 8);
}

/* ---- data ---- */

static double power(int exponent)
{
    return ldexp(1, exponent);
}

static double any_bits(void)
{
    uint64_t bits = test_random();
    if ((bits >> 52 & 0x7ff) == 0x7ff) bits &= ~(uint64_t)1 << 62;
    return double_from_bits(bits);
}

/* One value of a data set of section "wide": index i of n. */
static double value_of(int set, int64_t i, int64_t n)
{
    double sign = test_random() & 1 ? 1 : -1, u = test_random_uniform();
    switch (set) {
    case 0: return u;
    case 1: return sign * u;
    case 2: return sign * power((int)test_random_below(1800) - 900);
    case 3: return sign * u * power((int)test_random_below(250) - 125);
    case 4: return any_bits();
    case 5: return power(-1074) * (double)(test_random() >> 40) * sign;             /* subnormal */
    case 6: return (i % 2 ? -1 : 1) * 1.7976931348623157e308;                       /* overflow in between */
    case 7: return i == 0 ? 1 : i == 1 ? power(-53) : sign * power(-1074);          /* ties, decided far below */
    case 8: return i % 3 == 0 ? power(600) : i % 3 == 1 ? 1.5 * sign : -power(600); /* cancellation */
    case 9: return i < n / 2 ? sign * (double)(test_random_below(1 << 24)) : 0.5;   /* halves on a grid */
    case 10: return i % 700 == 0 ? sign * power(70) : sign * u;                     /* now and then a large one */
    case 11: return -0.0;
    case 12: return (double)(float)(sign * u * power(10));
    case 13: return 1 + power(-24) * (double)test_random_below(3); /* ties of f32 */
    case 14: return sign * (1 - power(-53));
    case 15: return i == n / 3 ? INFINITY : i == n / 2 && n % 2 ? -INFINITY : u;
    case 16: return i == n / 2 ? NAN : sign * any_bits();
    case 17: return i < 100 ? power(1023) : -power(1022) + u;      /* far above the largest double */
    default: return sign * u * power(i % 2000 < 1000 ? -30 : 200); /* pieces of different range */
    }
}
#define SETS 19

/* ---- checks ---- */

struct sums {
    tally_type type, result;
    int64_t n;
    int exclusive;
    const void *x;
    double initial;
};

static void check_prefixes(const struct sums *s, const void *got, int part, int parts, const char *how)
{
    static struct exact sum;
    exact_clear(&sum);
    exact_add_double_bits(&sum, double_bits(part ? 0 : s->initial));
    for (int64_t i = 0; i < s->n; i++) {
        uint64_t bits = 0, wanted;
        double v = read_part(s->type, s->x, i * parts + part);
        if (!s->exclusive) exact_add_double_bits(&sum, double_bits(v));
        wanted = exact_round(exact_value(&sum), format_of(s->result));
        memcpy(&bits, (const char *)got + (size_t)(i * parts + part) * part_size(s->result), part_size(s->result));
        if (bits != wanted) {
            CHECK_EQUAL_U64(bits, wanted);
            fprintf(stderr, "    element %lld of %lld, %s to %s%s, %s\n", (long long)i, (long long)s->n,
                    tally_type_name(s->type), tally_type_name(s->result), s->exclusive ? ", exclusive" : "", how);
            return;
        }
        if (s->exclusive) exact_add_double_bits(&sum, double_bits(v));
    }
    CHECK(1);
}

static void check_sums(tally_type type, tally_type result, int set, int64_t n)
{
    static char x[MOST * 16], y[MOST * 16];
    static char initial[16];
    int parts = type >= TALLY_C64 ? 2 : 1;
    int with_initial = test_random_below(2) == 0;
    struct sums s = {type, result, n, (int)test_random_below(2), x, 0};
    for (int64_t i = 0; i < n * parts; i++) write_part(type, x, i, value_of(set, i, n));
    memset(initial, 0, sizeof initial);
    if (with_initial) write_part(result, initial, 0, value_of(set, 0, n));
    if (with_initial) s.initial = read_part(result, initial, 0);
    tally_options options = TALLY_OPTIONS_INIT;
    options.flags = s.exclusive ? TALLY_EXCLUSIVE : 0;
    options.type = result;
    options.initial = with_initial ? initial : NULL;
    for (int d = 0; d < DEVICES; d++) {
        tally_array input = tally_vector(x, type, n), output = tally_vector(y, result, n);
        CHECK(tally_scan(device[d], TALLY_SUM, &input, &output, &options) == TALLY_OK);
        for (int p = 0; p < parts; p++) check_prefixes(&s, y, p, parts, d ? "cpu" : "reference");
    }
}

/* A long scan, so that chunks are carried: prefixes are looked at now and then. */
static void check_long(int set)
{
    enum { N = 400000 };
    double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
    static struct exact sum;
    exact_clear(&sum);
    for (int64_t i = 0; i < N; i++) x[i] = value_of(set, i, N);
    tally_array input = tally_vector(x, TALLY_F64, N), output = tally_vector(y, TALLY_F64, N);
    CHECK(tally_scan(device[2], TALLY_SUM, &input, &output, NULL) == TALLY_OK);
    for (int64_t i = 0; i < N; i++) {
        exact_add_double_bits(&sum, double_bits(x[i]));
        if (test_random_below(100) && i % 32768 > 3 && i % 32768 < 32760) continue;
        if (!CHECK_EQUAL_U64(double_bits(y[i]), exact_round(exact_value(&sum), format_of(TALLY_F64)))) break;
    }
    free(y);
    free(x);
}

int main(void)
{
    static const tally_type types[] = {TALLY_F16, TALLY_BF16, TALLY_F32, TALLY_F64, TALLY_C64, TALLY_C128};
    static const char *const names[DEVICES] = {"reference", "cpu:1", "cpu:3"};
    static const int64_t sizes[] = {1, 2, 7, 8, 9, 511, 1023, 1024, 1025, 4097};
    for (int d = 0; d < DEVICES; d++) CHECK(tally_open(names[d], &device[d]) == TALLY_OK);
    for (int set = 0; set < SETS; set++) {
        CASE("every prefix")
        {
            for (int a = 0; a < 6; a++) {
                check_sums(types[a], types[a], set, sizes[test_random_below(10)]);
                tally_type other = a < 4 ? types[test_random_below(4)] : types[4 + test_random_below(2)];
                check_sums(types[a], other, set, sizes[test_random_below(10)]);
            }
            check_sums(TALLY_F64, TALLY_F64, set, MOST);
            check_sums(TALLY_F32, TALLY_F32, set, MOST);
        }
        CASE("long") check_long(set);
    }
    for (int d = 0; d < DEVICES; d++) tally_close(device[d]);
    return test_finish("inside_scan_exact");
}
