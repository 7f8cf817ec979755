/* SPDX-License-Identifier: MIT
 *
 * inside_narrow.c - conversions to and from binary16 and bfloat16: every value, every tie and both of its sides. */
#include "narrow.h"
#include "test.h"

#include <float.h>
#include <math.h>

/* A 16-bit format and the functions under test. */
struct format {
    int precision, smallest_exponent;
    uint16_t infinity, nan;
    float (*widen)(uint16_t);
    uint16_t (*from_float)(float), (*from_double)(double);
};

static const struct format formats[] = {
    {11, -24, 0x7c00, 0x7e00, f16_to_f32, f32_to_f16, f64_to_f16},
    {8, -133, 0x7f80, 0x7fc0, bf16_to_f32, f32_to_bf16, f64_to_bf16},
};

/* The value of non-negative bits, by the definition of the format; infinity's bits give the power of two that would
 * come next. */
static double value_of(const struct format *f, uint16_t bits)
{
    int hidden = 1 << (f->precision - 1), field = bits / hidden;
    int significand = bits % hidden + (field ? hidden : 0);
    return ldexp(significand, f->smallest_exponent + (field ? field - 1 : 0));
}

static void check_double(const struct format *f, double x, uint16_t want)
{
    CHECK_EQUAL_U64(f->from_double(x), want);
    CHECK_EQUAL_U64(f->from_double(-x), want | 0x8000);
}

/* For x that is a float as well. */
static void check_both(const struct format *f, double x, uint16_t want)
{
    check_double(f, x, want);
    CHECK_EQUAL_U64(f->from_float((float)x), want);
    CHECK_EQUAL_U64(f->from_float(-(float)x), want | 0x8000);
}

/* Everything from one value to the next. */
static void check_around(const struct format *f, uint16_t bits)
{
    uint16_t above = (uint16_t)(bits + 1), even = (uint16_t)(bits + bits % 2);
    double value = value_of(f, bits), middle = (value + value_of(f, above)) / 2;
    check_both(f, value, bits);
    check_double(f, nextafter(value, INFINITY), bits);
    check_both(f, nextafterf((float)value, INFINITY), bits);
    if (bits) check_double(f, nextafter(value, 0), bits);
    if (bits) check_both(f, nextafterf((float)value, 0), bits);
    check_both(f, middle, even);
    check_double(f, nextafter(middle, INFINITY), above);
    check_both(f, nextafterf((float)middle, INFINITY), above);
    check_double(f, nextafter(middle, 0), bits);
    check_both(f, nextafterf((float)middle, 0), bits);

    const double near[] = {0x1p-1074, 0x1p-300, ldexp(middle, -54), ldexp(middle, -53)};
    check_double(f, round_to_odd_sum(middle, 0), even);
    for (int i = 0; i < 4; i++) {
        check_double(f, round_to_odd_sum(middle, near[i]), above);
        check_double(f, round_to_odd_sum(middle, -near[i]), bits);
        if (near[i] < value / 4) check_double(f, round_to_odd_sum(value, -near[i]), bits);
    }
}

static void check_format(const struct format *f)
{
    for (uint16_t bits = 0; bits < f->infinity; bits++) {
        CHECK(f->widen(bits) == value_of(f, bits));
        CHECK(f->widen(bits | 0x8000) == -value_of(f, bits));
        CHECK(signbit(f->widen(bits | 0x8000)) && !signbit(f->widen(bits)));
        check_around(f, bits);
    }
    CHECK(f->widen(f->infinity) == INFINITY);
    CHECK(f->widen(f->infinity | 0x8000) == -INFINITY);
    for (uint16_t bits = (uint16_t)(f->infinity + 1); bits < 0x8000; bits++) {
        CHECK(isnan(f->widen(bits)) && isnan(f->widen(bits | 0x8000)));
        CHECK_EQUAL_U64(f->from_float(f->widen(bits)), f->nan);
        CHECK_EQUAL_U64(f->from_double(f->widen(bits | 0x8000)), f->nan);
    }
    check_both(f, INFINITY, f->infinity);
    check_both(f, FLT_MAX, f->infinity);
    check_double(f, DBL_MAX, f->infinity);
    check_double(f, 0x1p-1074, 0);
    check_double(f, 0x1p-1022, 0);
    check_both(f, 0x1p-149, 0);
    for (int i = 0; i < 1000; i++) {
        uint64_t payload = test_random() | (uint64_t)1 << test_random_below(51);
        CHECK_EQUAL_U64(f->from_double(double_from_bits(payload | 0x7ff0000000000000)), f->nan);
        CHECK_EQUAL_U64(f->from_float(float_from_bits((uint32_t)payload | 0x7f800001)), f->nan);
    }
}

/* Which 16 bits are nearest is known once those of the next smaller value are: cut the float's bits, then look. */
static void check_random(const struct format *f)
{
    for (int i = 0; i < 300000; i++) {
        float x = float_from_bits((uint32_t)test_random() & 0x7fffffff);
        if (!isfinite(x) || x >= value_of(f, (uint16_t)(f->infinity - 1))) continue;
        uint16_t below = f->from_float(x);
        CHECK_EQUAL_U64(f->from_double(x), below);
        if (below && value_of(f, below) > x) below--;
        double middle = (value_of(f, below) + value_of(f, (uint16_t)(below + 1))) / 2;
        CHECK(value_of(f, below) <= x && x < value_of(f, (uint16_t)(below + 1)));
        CHECK_EQUAL_U64(f->from_float(x), (uint16_t)(below + (x > middle || (x == middle && below % 2))));
    }
}

int main(void)
{
    CASE("binary16") check_format(&formats[0]);
    CASE("binary16, random") check_random(&formats[0]);
    CASE("bfloat16") check_format(&formats[1]);
    CASE("bfloat16, random") check_random(&formats[1]);
    CASE("sums rounded to odd, special")
    {
        CHECK(round_to_odd_sum(INFINITY, 0) == INFINITY && round_to_odd_sum(INFINITY, 1) == INFINITY);
        CHECK(round_to_odd_sum(-INFINITY, DBL_MAX) == -INFINITY);
        CHECK(round_to_odd_sum(DBL_MAX, DBL_MAX) == INFINITY);
        CHECK(isnan(round_to_odd_sum(NAN, 0)) && isnan(round_to_odd_sum(INFINITY, -INFINITY)));
        CHECK(round_to_odd_sum(1, -1) == 0 && round_to_odd_sum(0, 0) == 0);
        CHECK(round_to_odd_sum(0x1p-1074, 0x1p-1074) == 0x1p-1073);
    }
    return test_finish("inside_narrow");
}
