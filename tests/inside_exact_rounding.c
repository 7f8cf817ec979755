/* SPDX-License-Identifier: MIT
 *
 * inside_exact_rounding.c - the accumulator's rounder, integers, signs, headroom and packed bytes, by reasoning alone:
 * neighbours of a float differ by one in their bits, so every tie and both of its sides are known without an oracle. */
#include "exact_real.h"
#include "test.h"

#include <float.h>
#include <math.h>

static const struct exact_format f16 = {11, -24, 16}, bf16 = {8, -133, 128}, f32 = {24, -149, 128},
                                 f64 = {53, -1074, 1024};

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t sign_bit(struct exact_format format)
{
    return (uint64_t)(2 * format.largest_exponent) << (format.precision - 1);
}

static uint64_t infinity_bits(struct exact_format format)
{
    return (uint64_t)(2 * format.largest_exponent - 1) << (format.precision - 1);
}

static uint64_t nan_bits(struct exact_format format)
{
    return infinity_bits(format) | (uint64_t)1 << (format.precision - 2);
}

/* m * 2^e, m > 0. */
static struct exact_real real(uint64_t m, int32_t e)
{
    struct exact_real x = {m, e, 0, 0, 0};
    while (!(x.significand >> 63)) {
        x.significand <<= 1;
        x.exponent--;
    }
    return x;
}

/* Something just below x, closer than any double. */
static struct exact_real just_below(struct exact_real x)
{
    x.sticky = 1;
    if (--x.significand >> 63) return x;
    x.significand = UINT64_MAX;
    x.exponent--;
    return x;
}

static struct exact_real just_above(struct exact_real x)
{
    x.sticky = 1;
    return x;
}

static void check_rounds(struct exact_real x, struct exact_format format, uint64_t want)
{
    CHECK_EQUAL_U64(exact_round(x, format), want);
    x.negative = 1;
    CHECK_EQUAL_U64(exact_round(x, format), sign_bit(format) | want);
}

/* The positive finite number with these bits, and everything up to the next one (perhaps infinity). */
static void check_around(uint64_t bits, struct exact_format format)
{
    int32_t field = (int32_t)(bits >> (format.precision - 1));
    uint64_t m = bits & (((uint64_t)1 << (format.precision - 1)) - 1);
    if (field) m |= (uint64_t)1 << (format.precision - 1);
    int32_t e = format.smallest_exponent + (field ? field - 1 : 0);
    if (m) {
        check_rounds(real(m, e), format, bits);
        check_rounds(just_above(real(m, e)), format, bits);
        check_rounds(just_below(real(m, e)), format, bits);
    }
    struct exact_real middle = real(2 * m + 1, e - 1);
    check_rounds(just_below(middle), format, bits);
    check_rounds(middle, format, bits + (bits & 1));
    check_rounds(just_above(middle), format, bits + 1);
}

static void test_formats(void)
{
    CASE("every binary16 and bfloat16 value and tie")
    {
        for (uint64_t bits = 0; bits < infinity_bits(f16); bits++) check_around(bits, f16);
        for (uint64_t bits = 0; bits < infinity_bits(bf16); bits++) check_around(bits, bf16);
    }
    CASE("random float and double values and ties")
    {
        for (int i = 0; i < 20000; i++) {
            check_around(test_random_below(infinity_bits(f32)), f32);
            check_around(test_random_below(infinity_bits(f64)), f64);
        }
    }
    CASE("power-of-two boundaries, from zero to infinity")
    {
        const struct exact_format formats[] = {f16, bf16, f32, f64};
        for (int i = 0; i < 4; i++) {
            uint64_t step = (uint64_t)1 << (formats[i].precision - 1);
            for (uint64_t power = 0; power < infinity_bits(formats[i]); power += step) {
                check_around(power, formats[i]);
                check_around(power + 1, formats[i]);
                check_around(power + step - 1, formats[i]);
            }
        }
    }
    CASE("far out of range, and special")
    {
        const struct exact_format formats[] = {f16, bf16, f32, f64};
        for (int i = 0; i < 4; i++) {
            for (int32_t e = formats[i].largest_exponent; e < 5000; e += 97) {
                check_rounds(real(1, e), formats[i], infinity_bits(formats[i]));
                check_rounds(real(UINT64_MAX, e), formats[i], infinity_bits(formats[i]));
            }
            for (int32_t e = formats[i].smallest_exponent - 2; e > -5000; e -= 97) {
                check_rounds(real(1, e), formats[i], 0);
                check_rounds(just_above(real(1, e)), formats[i], 0);
            }
            struct exact_real special = {0, 0, 0, 0, EXACT_NAN};
            CHECK_EQUAL_U64(exact_round(special, formats[i]), nan_bits(formats[i]));
            special.special = EXACT_PLUS_INFINITY;
            CHECK_EQUAL_U64(exact_round(special, formats[i]), infinity_bits(formats[i]));
            special.special = EXACT_MINUS_INFINITY;
            CHECK_EQUAL_U64(exact_round(special, formats[i]), sign_bit(formats[i]) | infinity_bits(formats[i]));
            special.special = 0;
            CHECK_EQUAL_U64(exact_round(special, formats[i]), 0);
        }
    }
}

static double sum_of(const double *x, int n)
{
    struct exact a;
    exact_clear(&a);
    for (int i = 0; i < n; i++) exact_add_double_bits(&a, bits_of(x[i]));
    return double_of(exact_round(exact_value(&a), f64));
}

#define CHECK_SUM(want, ...)                                                                                          \
    CHECK_EQUAL_U64(bits_of(sum_of((const double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double))), \
                    bits_of(want))

static void test_sums(void)
{
    CASE("signs")
    {
        CHECK_SUM(-1.0, -1.0);
        CHECK_SUM(1.0, 1.0);
        CHECK_SUM(-DBL_MAX, -DBL_MAX);
        CHECK_SUM(DBL_MAX, DBL_MAX, DBL_MAX, -DBL_MAX);
        CHECK_SUM(-DBL_MAX, -DBL_MAX, -DBL_MAX, DBL_MAX);
        CHECK_SUM(-INFINITY, -DBL_MAX, -DBL_MAX);
        CHECK_SUM(0.0, -0.0, -0.0);
        CHECK_SUM(0.0, 1.0, -1.0);
        CHECK_SUM(1.0, 1e100, 1.0, -1e100);
        CHECK_SUM(-1.0, -1e100, -1.0, 1e100);
        CHECK_SUM(-0x1p-1074, 0x1p-1074, -0x1p-1073);
        CHECK_SUM(-0x1p-1074, DBL_MAX, -0x1p-1074, -DBL_MAX);
        CHECK_SUM(1.0, 1.0, 0x1p-53, -0x1p-1074);
        CHECK_SUM(1.0 + DBL_EPSILON, 1.0, 0x1p-53, 0x1p-1074);
        CHECK_SUM(DBL_MAX, DBL_MAX, 0x1p969, 0x1p968);
        CHECK_SUM(INFINITY, DBL_MAX, 0x1p969, 0x1p969);
        CHECK_SUM(DBL_MAX, DBL_MAX, 0x1p969, 0x1p969, -0x1p-1074);
    }
    CASE("infinities and NaN")
    {
        CHECK_SUM(INFINITY, INFINITY, -DBL_MAX, 1.0);
        CHECK_SUM(-INFINITY, 1.0, -INFINITY);
        CHECK_EQUAL_U64(bits_of(sum_of((double[]){INFINITY, -INFINITY}, 2)), nan_bits(f64));
        CHECK_EQUAL_U64(bits_of(sum_of((double[]){-NAN, 1.0}, 2)), nan_bits(f64));
        CHECK_EQUAL_U64(bits_of(sum_of((double[]){INFINITY, NAN}, 2)), nan_bits(f64));
        const double factors[] = {INFINITY, -INFINITY, NAN, 0.0, -0.0, 2.0, -0x1p-1074, DBL_MAX};
        for (int i = 0; i < 8; i++) {
            for (int j = 0; j < 8; j++) {
                if (isfinite(factors[i]) && isfinite(factors[j])) continue;
                struct exact a;
                exact_clear(&a);
                exact_add_product_bits(&a, bits_of(factors[i]), bits_of(factors[j]));
                double want = factors[i] * factors[j];
                uint64_t got = exact_round(exact_value(&a), f64);
                CHECK_EQUAL_U64(got, isnan(want) ? nan_bits(f64) : bits_of(want));
            }
        }
    }
}

static void test_single_values(void)
{
    CASE("zeros do not widen the accumulator")
    {
        struct exact a;
        exact_clear(&a);
        exact_add_double_bits(&a, bits_of(1.0));
        int32_t low = a.low, high = a.high;
        exact_add_double_bits(&a, bits_of(-0.0));
        exact_add_integer(&a, 0, -2000);
        exact_add_product_bits(&a, bits_of(0.0), bits_of(1.0));
        exact_add_product_bits(&a, bits_of(DBL_MAX), bits_of(-0.0));
        CHECK(a.low == low && a.high == high);
    }
    CASE("one double is its own sum, and converts as the machine does")
    {
        for (int i = 0; i < 50000; i++) {
            uint64_t bits = test_random();
            double x = double_of(i % 3 ? bits : (bits & 0x800fffffffffffffull) | (897 - 30 + bits / 3 % 300) << 52);
            if (!isfinite(x)) continue;
            struct exact a;
            exact_clear(&a);
            exact_add_double_bits(&a, bits_of(x));
            CHECK_EQUAL_U64(exact_round(exact_value(&a), f64), bits_of(x));
            float narrow = (float)x;
            uint32_t narrow_bits;
            memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
            CHECK_EQUAL_U64(exact_round(exact_value(&a), f32), narrow_bits);
        }
    }
}

/* Every limb stays within what the accumulator's count of pending additions allows. */
static int limbs_within_bounds(const struct exact *a)
{
    if (a->low < 0 || a->high > EXACT_LIMBS || a->pending > EXACT_PENDING_LIMIT + 2) return 0;
    for (int32_t i = a->low; i < a->high; i++) {
        int64_t bound = (int64_t)a->pending << EXACT_LIMB_BITS;
        if (a->limb[i] > bound || a->limb[i] < -bound) return 0;
    }
    return 1;
}

/* x * y, 2^doublings times, by merging the accumulator with its own copies; then taken away again in halves. */
static void check_doublings(double x, double y, int doublings)
{
    struct exact a, copy;
    exact_clear(&a);
    exact_add_product_bits(&a, bits_of(x), bits_of(y));
    for (int i = 0; i < doublings; i++) {
        copy = a;
        exact_merge(&a, &copy);
        CHECK(limbs_within_bounds(&a));
    }
    copy = a;
    struct exact_real mean = exact_mean(&copy, (uint64_t)1 << doublings), value = exact_value(&copy);
    CHECK_EQUAL_U64(exact_round(mean, f64), bits_of(x * y));
    CHECK_EQUAL_I64(value.exponent, mean.exponent + doublings);
    struct exact negative;
    exact_clear(&negative);
    exact_add_product_bits(&negative, bits_of(-x), bits_of(y));
    for (int i = 0; i < doublings; i++) {
        copy = negative;
        exact_merge(&negative, &copy);
    }
    exact_merge(&a, &negative);
    CHECK(limbs_within_bounds(&a));
    CHECK_EQUAL_U64(exact_value(&a).significand, 0);
}

static void test_headroom(void)
{
    CASE("2^62 equal values")
    {
        for (int doublings = 0; doublings <= 62; doublings++) {
            check_doublings(1.0, 3.0, doublings);
            check_doublings(-1.0, 0x1.fffffffffffffp31, doublings);
            check_doublings(-DBL_MAX, 1.0, doublings);
            check_doublings(0x1p-1074, 1.0, doublings);
            check_doublings(DBL_MAX, -DBL_MAX, doublings);
        }
    }
    CASE("additions across a carry pass")
    {
        for (int negative = 0; negative < 2; negative++) {
            struct exact a, copy;
            exact_clear(&a);
            double x = negative ? -0x1.fffffffffffffp52 : 0x1.fffffffffffffp52;
            exact_add_double_bits(&a, bits_of(x));
            for (int i = 0; i < 27; i++) {
                copy = a;
                exact_merge(&a, &copy);
            }
            int passes = 0;
            uint64_t n = (uint64_t)1 << 27;
            a.pending = EXACT_PENDING_LIMIT - 1000; /* as if there had been more additions, which cancelled */
            for (int i = 0; i < 2000; i++, n++) {
                uint32_t pending = a.pending;
                exact_add_double_bits(&a, bits_of(x));
                passes += a.pending < pending;
                CHECK(limbs_within_bounds(&a));
            }
            CHECK_EQUAL_I64(passes, 1);
            CHECK_EQUAL_U64(exact_round(exact_mean(&a, n), f64), bits_of(x));
        }
    }
    CASE("a carry through all limbs")
    {
        for (int32_t e = -2176; e < 2100; e += 13) {
            struct exact a;
            exact_clear(&a);
            exact_add_integer(&a, -1, -2176);
            exact_add_integer(&a, 1, e + 1);
            exact_add_integer(&a, 1, -2176);
            struct exact_real value = exact_value(&a);
            CHECK(limbs_within_bounds(&a));
            CHECK(!value.negative && !value.sticky && value.significand >> 63 == 1 && value.exponent == e + 1 - 63);
            exact_add_integer(&a, INT64_MIN, e);
            exact_add_integer(&a, INT64_MAX, e);
            exact_add_integer(&a, -2, e);
            value = exact_value(&a);
            CHECK(value.negative && !value.sticky && value.significand >> 63 == 1 && value.exponent == e - 63);
        }
    }
}

static void check_integer(const int64_t *x, int n, int fits_signed, int fits_unsigned)
{
    struct exact a;
    uint64_t want = 0;
    int is_signed = -1, is_unsigned = -1;
    exact_clear(&a);
    for (int i = 0; i < n; i++) {
        exact_add_integer(&a, x[i], 0);
        want += (uint64_t)x[i];
    }
    CHECK_EQUAL_U64(exact_integer(&a, NULL, NULL), want);
    CHECK_EQUAL_U64(exact_integer(&a, &is_signed, &is_unsigned), want);
    CHECK_EQUAL_I64(is_signed, fits_signed);
    CHECK_EQUAL_I64(is_unsigned, fits_unsigned);
}

#define CHECK_INTEGER(fits_signed, fits_unsigned, ...)                                                             \
    check_integer((const int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), fits_signed, \
                  fits_unsigned)

static void check_no_variance(double squares, double sum, uint64_t n, double correction)
{
    struct exact q, a;
    exact_clear(&q);
    exact_clear(&a);
    exact_add_double_bits(&q, bits_of(squares));
    exact_add_double_bits(&a, bits_of(sum));
    for (int deviation = 0; deviation < 2; deviation++) {
        struct exact_real value = exact_variance(&q, &a, NULL, n, correction, deviation);
        CHECK_EQUAL_U64(exact_round(value, f64), nan_bits(f64));
        value = exact_variance(&q, &a, &a, n, correction, deviation);
        CHECK_EQUAL_U64(exact_round(value, f64), nan_bits(f64));
    }
}

static void test_no_variance(void)
{
    CASE("what has no variance, or cannot come from any data")
    {
        check_no_variance(0.0, 0.0, 0, 0.0);
        check_no_variance(0.0, 0.0, 0, -1.0);
        check_no_variance(5.0, 1.0, 3, 3.0);
        check_no_variance(5.0, 1.0, 3, 3.5);
        check_no_variance(5.0, 1.0, 3, 1e300);
        check_no_variance(5.0, 1.0, 3, INFINITY);
        check_no_variance(5.0, 1.0, 3, -INFINITY);
        check_no_variance(5.0, 1.0, 3, NAN);
        check_no_variance(NAN, 1.0, 3, 0.0);
        check_no_variance(INFINITY, 1.0, 3, 0.0);
        check_no_variance(5.0, -INFINITY, 3, 0.0);
        check_no_variance(-5.0, 1.0, 3, 0.0);
        check_no_variance(-5.0, 0.0, 3, 0.0);
        check_no_variance(5.0, 4.0, 3, 0.0);
        check_no_variance(0.0, 0x1p-500, 3, 0.0);
        check_no_variance(1.0, 0x1p500, 3, 0.0);
    }
}

static void test_integers(void)
{
    CASE("integers and their ranges")
    {
        CHECK_INTEGER(1, 1, 0);
        CHECK_INTEGER(1, 1, 5);
        CHECK_INTEGER(1, 0, -5);
        CHECK_INTEGER(1, 1, 5, -5);
        CHECK_INTEGER(1, 1, (int64_t)1 << 32, -1);
        CHECK_INTEGER(1, 0, -((int64_t)1 << 32));
        CHECK_INTEGER(1, 1, INT64_MAX);
        CHECK_INTEGER(0, 1, INT64_MAX, 1);
        CHECK_INTEGER(1, 0, INT64_MIN);
        CHECK_INTEGER(0, 0, INT64_MIN, -1);
        CHECK_INTEGER(0, 1, INT64_MAX, INT64_MAX, 1);
        CHECK_INTEGER(0, 0, INT64_MAX, INT64_MAX, 2);
        CHECK_INTEGER(0, 0, INT64_MIN, INT64_MIN);
        CHECK_INTEGER(0, 0, INT64_MIN, INT64_MIN, INT64_MIN, 12345);
        CHECK_INTEGER(1, 1, INT64_MIN, INT64_MIN, INT64_MAX, INT64_MAX, 2);
    }
    CASE("random integers")
    {
        for (int i = 0; i < 5000; i++) {
            int64_t x = (int64_t)test_random() >> test_random_below(64), y = (int64_t)test_random() >> 1;
            check_integer((int64_t[]){x, y, -x, -y, x}, 5, 1, x >= 0);
        }
    }
    CASE("no integer: special")
    {
        struct exact a;
        int fits_signed = 1, fits_unsigned = 1;
        exact_clear(&a);
        exact_add_double_bits(&a, bits_of(7.0));
        exact_add_double_bits(&a, bits_of(INFINITY));
        exact_integer(&a, &fits_signed, &fits_unsigned);
        CHECK(!fits_signed && !fits_unsigned);
    }
}

/* Reads packed bytes back and packs again; the result must be the same bytes. */
static void check_bytes_return(const unsigned char *bytes, size_t size)
{
    unsigned char again[EXACT_PACK_BYTES];
    struct exact b;
    CHECK_EQUAL_U64(exact_unpack(&b, bytes, size), size);
    CHECK(limbs_within_bounds(&b));
    CHECK_EQUAL_U64(exact_pack(&b, again), size);
    CHECK(memcmp(bytes, again, size) == 0);
}

static void random_accumulator(struct exact *a)
{
    int n = (int)test_random_below(8);
    exact_clear(a);
    for (int i = 0; i < n; i++) {
        uint64_t x = test_random() & 0xbfffffffffffffffull, y = test_random() & 0xbfffffffffffffffull;
        if (i % 2) exact_add_product_bits(a, x, y);
        else exact_add_double_bits(a, x);
    }
}

static void test_round_trips(void)
{
    CASE("packed bytes come back")
    {
        for (int i = 0; i < 3000; i++) {
            unsigned char bytes[EXACT_PACK_BYTES + 1];
            struct exact a, b;
            random_accumulator(&a);
            size_t size = exact_pack(&a, bytes + 1);
            check_bytes_return(bytes + 1, size);
            exact_unpack(&b, bytes + 1, size);
            CHECK_EQUAL_U64(exact_round(exact_value(&b), f64), exact_round(exact_value(&a), f64));
            for (size_t cut = 0; cut < size; cut += cut < 9 ? 1 : 7) CHECK(exact_unpack(&b, bytes + 1, cut) == 0);
        }
    }
    CASE("packed bytes depend on the value alone")
    {
        for (int i = 0; i < 3000; i++) {
            unsigned char bytes[EXACT_PACK_BYTES], other[EXACT_PACK_BYTES];
            struct exact a, b;
            random_accumulator(&a);
            b = a;
            uint64_t x = test_random() & 0xbfffffffffffffffull, sign = (uint64_t)1 << 63;
            exact_add_double_bits(&b, x);
            exact_add_product_bits(&b, x, x);
            exact_add_double_bits(&b, x ^ sign);
            exact_add_product_bits(&b, x, x ^ sign);
            size_t size = exact_pack(&a, bytes);
            CHECK_EQUAL_U64(exact_pack(&b, other), size);
            CHECK(memcmp(bytes, other, size) == 0);
        }
    }
    CASE("packed special values")
    {
        for (int i = 0; i < 8; i++) {
            unsigned char bytes[EXACT_PACK_BYTES], other[EXACT_PACK_BYTES];
            struct exact a, b;
            random_accumulator(&a);
            exact_clear(&b);
            a.special = b.special = (uint32_t)i;
            if (i == 0) continue;
            CHECK_EQUAL_U64(exact_pack(&a, bytes), exact_pack(&b, other));
            CHECK(memcmp(bytes, other, 8) == 0);
            check_bytes_return(bytes, 8);
            exact_unpack(&b, bytes, 8);
            CHECK_EQUAL_U64(exact_round(exact_value(&b), f32), exact_round(exact_value(&a), f32));
        }
    }
    CASE("the layout is fixed")
    {
        const unsigned char minus_three[] = {68, 0, 1, 0, 1, 0, 0, 0, 3, 0, 0, 0};
        unsigned char bytes[EXACT_PACK_BYTES];
        struct exact a;
        exact_clear(&a);
        exact_add_integer(&a, -3, 0);
        CHECK_EQUAL_U64(exact_pack(&a, bytes), sizeof minus_three);
        CHECK(memcmp(bytes, minus_three, sizeof minus_three) == 0);
    }
}

static void test_malformed(void)
{
    const unsigned char good[] = {68, 0, 2, 0, 0, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0};
    struct exact a;
    CASE("malformed bytes")
    {
        const struct {
            int at, value;
        } bad[] = {{0, 137}, {1, 1}, {2, 3}, {2, 1}, {3, 1}, {4, 2},  {4, 255}, {5, 1},
                   {5, 3},   {5, 8}, {6, 1}, {7, 1}, {8, 0}, {12, 0}, {2, 0}};
        CHECK_EQUAL_U64(exact_unpack(&a, good, sizeof good), sizeof good);
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            unsigned char bytes[sizeof good];
            memcpy(bytes, good, sizeof bytes);
            bytes[bad[i].at] = (unsigned char)bad[i].value;
            size_t used = exact_unpack(&a, bytes, sizeof bytes);
            CHECK(used == 0 || (bad[i].at == 2 && bad[i].value == 1 && used == 12)); /* fewer limbs may be right */
        }
    }
    CASE("random bytes: refused, or canonical")
    {
        for (int i = 0; i < 200000; i++) {
            unsigned char bytes[EXACT_PACK_BYTES];
            size_t size = 8 + test_random_below(40);
            for (size_t k = 0; k < size; k++) bytes[k] = (unsigned char)test_random();
            if (i % 8) bytes[6] = bytes[7] = 0;
            if (i % 8 > 1) bytes[1] = bytes[3] = 0;
            if (i % 8 > 2) bytes[4] &= 1, bytes[5] = 0, bytes[2] &= 7;
            size_t used = exact_unpack(&a, bytes, size);
            CHECK(used <= size);
            if (used) check_bytes_return(bytes, used);
        }
    }
    CASE("the largest number that unpacks still merges 2^60 times")
    {
        unsigned char bytes[EXACT_PACK_BYTES];
        struct exact b;
        for (int negative = 0; negative < 2; negative++) {
            memset(bytes, 0, 8);
            memset(bytes + 8, 0xff, sizeof bytes - 8);
            bytes[2] = EXACT_LIMBS - 2;
            bytes[4] = (unsigned char)negative;
            CHECK_EQUAL_U64(exact_unpack(&a, bytes, sizeof bytes), 8 + 4 * (EXACT_LIMBS - 2));
            for (int i = 0; i < 60; i++) {
                b = a;
                exact_merge(&a, &b);
                CHECK(limbs_within_bounds(&a));
            }
            CHECK(exact_value(&a).negative == negative);
            CHECK(exact_pack(&a, bytes) <= sizeof bytes);
        }
    }
}

int main(void)
{
    test_formats();
    test_sums();
    test_single_values();
    test_headroom();
    test_no_variance();
    test_integers();
    test_round_trips();
    test_malformed();
    return test_finish("inside_exact_rounding");
}
