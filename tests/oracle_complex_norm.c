/* SPDX-License-Identifier: MIT
 *
 * oracle_complex_norm.c - complex norms and sums rounded to odd against MPFR. */
#include "complex_norm.h"
#include "test.h"

#include <float.h>
#include <mpfr.h>

/* Enough for any sum of two doubles, or of two squares. */
#define BITS 4400

static double random_finite(void)
{
    double x = double_from_bits(test_random());
    return isfinite(x) ? x : 0;
}

static double random_near(int exponent, int spread)
{
    int shift = exponent + (int)test_random_below((uint64_t)spread) - spread / 2;
    return ldexp(1 + test_random_uniform(), shift);
}

/* |z| as the root of an exact sum of squares; 300 bits of it. */
static void oracle_norm(mpfr_t norm, double re, double im)
{
    mpfr_t a, b;
    mpfr_init2(a, BITS);
    mpfr_init2(b, BITS);
    mpfr_set_d(a, re, MPFR_RNDN);
    mpfr_set_d(b, im, MPFR_RNDN);
    mpfr_sqr(a, a, MPFR_RNDN);
    mpfr_sqr(b, b, MPFR_RNDN);
    mpfr_add(a, a, b, MPFR_RNDN);
    mpfr_sqrt(norm, a, MPFR_RNDN);
    mpfr_clear(a);
    mpfr_clear(b);
}

static void check_norm(double re, double im)
{
    mpfr_t want, got;
    mpfr_init2(want, 300);
    mpfr_init2(got, BITS);
    oracle_norm(want, re, im);
    struct complex_norm norm = complex_norm(re, im), swapped = complex_norm(-im, re);
    CHECK(norm.hi == swapped.hi && norm.lo == swapped.lo && norm.exponent == swapped.exponent);
    CHECK(norm.hi + norm.lo == norm.hi);
    if (!CHECK_EQUAL_U64(double_bits(complex_norm_to_double(norm)), double_bits(mpfr_get_d(want, MPFR_RNDN)))) {
        fprintf(stderr, "  |%a + %a i|\n", re, im);
    }
    mpfr_set_d(got, norm.hi, MPFR_RNDN);
    mpfr_add_d(got, got, norm.lo, MPFR_RNDN);
    mpfr_mul_2si(got, got, norm.exponent, MPFR_RNDN);
    mpfr_sub(got, got, want, MPFR_RNDN);
    if (mpfr_sgn(got)) {
        mpfr_div(got, got, want, MPFR_RNDN);
        CHECK(mpfr_get_exp(got) <= -100);
    }
    mpfr_clear(want);
    mpfr_clear(got);
}

static void test_norms(void)
{
    CASE("norms of any numbers")
    for (int i = 0; i < 20000; i++) {
        double re = random_finite(), im = random_finite();
        check_norm(re, im);
    }
    CASE("norms of parts of similar size, at every exponent")
    for (int i = 0; i < 60000; i++) {
        int exponent = i % 2100 - 1076;
        double re = random_near(exponent, 3), im = random_near(exponent, 120);
        if (isfinite(re) && isfinite(im)) check_norm(re, im);
    }
    CASE("norms of small subnormal numbers, where ties are frequent")
    for (int i = 0; i < 64 * 64; i++) check_norm(i % 64 * 0x1p-1074, i / 64 * 0x1p-1074);
    CASE("norms of Pythagorean pairs are exact")
    for (int i = 0; i < 2000; i++) {
        int64_t p = (int64_t)test_random_below(1 << 25) + 1, q = (int64_t)test_random_below(1 << 25) + 1;
        int exponent = (int)test_random_below(1900) - 1020;
        double re = ldexp((double)(p * p - q * q), exponent), im = ldexp((double)(2 * p * q), exponent);
        check_norm(re, im);
        CHECK(complex_norm(re, im).lo == 0 &&
              complex_norm_to_double(complex_norm(re, im)) == ldexp((double)(p * p + q * q), exponent));
    }
    CASE("norms at the edges")
    {
        const double edges[] = {0,     0x1p-1074,         0x1p-1022, 0x1p-401, 0x1p-400, 0x1.fffffffffffffp-401,
                                1.0,   0x1p499,           0x1p500,   0x1p501,  0x1p1023, 0x1.fffffffffffffp499,
                                0x1p0, 0x1.6a09e667p1023, 0x1p27,    0x1p-53,  DBL_MAX,  DBL_MAX / 2};
        const int count = sizeof edges / sizeof *edges;
        for (int i = 0; i < count; i++) {
            for (int j = 0; j < count; j++) {
                check_norm(edges[i], edges[j]);
                check_norm(-edges[i], edges[j]);
            }
        }
    }
}

static void test_special_norms(void)
{
    CASE("special norms")
    {
        const double others[] = {0, -1, DBL_MAX, INFINITY, -INFINITY, NAN, 0x1p-1074};
        for (int i = 0; i < 7; i++) {
            for (int sign = -1; sign <= 1; sign += 2) {
                CHECK(complex_norm(sign * INFINITY, others[i]).hi == INFINITY);
                CHECK(complex_norm(others[i], sign * INFINITY).hi == INFINITY);
                CHECK(complex_norm_to_double(complex_norm(others[i], sign * INFINITY)) == INFINITY);
            }
            if (isinf(others[i])) continue;
            struct complex_norm norm = complex_norm(others[i], -NAN);
            CHECK_EQUAL_U64(double_bits(norm.hi), 0x7ff8000000000000);
            CHECK(norm.lo == 0 && norm.exponent == 0);
            CHECK_EQUAL_U64(double_bits(complex_norm_to_double(norm)), 0x7ff8000000000000);
        }
        struct complex_norm zero = complex_norm(-0.0, 0.0);
        CHECK(double_bits(zero.hi) == 0 && zero.lo == 0 && zero.exponent == 0);
    }
}

/* Of the two doubles around an inexact sum, towards zero and away from it, the odd one. */
static void check_odd(double hi, double lo)
{
    mpfr_t sum;
    mpfr_init2(sum, BITS);
    mpfr_set_d(sum, hi, MPFR_RNDN);
    mpfr_add_d(sum, sum, lo, MPFR_RNDN);
    double down = mpfr_get_d(sum, MPFR_RNDZ), up = mpfr_get_d(sum, MPFR_RNDA), got = round_to_odd_sum(hi, lo);
    if (isfinite(up)) {
        CHECK(got == (double_bits(down) & 1 ? down : up));
        CHECK(float_bits((float)got) == float_bits(mpfr_get_flt(sum, MPFR_RNDN)));
    }
    mpfr_clear(sum);
}

static void test_odd_sums(void)
{
    CASE("sums rounded to odd")
    for (int i = 0; i < 50000; i++) {
        double hi = random_finite(), lo = random_finite();
        check_odd(hi, lo);
        hi = ldexp(1 + test_random_uniform(), i % 300 - 170);
        lo = ldexp(test_random_uniform() - 0.5, i % 300 - 170 - (int)test_random_below(120));
        check_odd(hi, lo);
        check_odd(-hi, lo);
        check_odd(lo, hi);
    }
    CASE("sums rounded to odd, beside ties of floats and powers of two")
    for (int i = 0; i < 50000; i++) {
        double hi = ldexp((double)(test_random_below(1 << 25) | 1), i % 250 - 150);
        double lo = ldexp(1, -(int)test_random_below(1000) - 74);
        check_odd(hi, lo);
        check_odd(hi, -lo);
        check_odd(ldexp(1, i % 2000 - 1000), lo);
        check_odd(ldexp(1, i % 2000 - 1000), -lo);
    }
}

int main(void)
{
    test_norms();
    test_special_norms();
    test_odd_sums();
    mpfr_free_cache();
    return test_finish("oracle_complex_norm");
}
