/* SPDX-License-Identifier: MIT
 *
 * oracle_exact.c - sums, means, roots, variances and deviations of adversarial data against rational arithmetic (GMP):
 * bits equal in all four formats, however the data were split, merged and packed on their way. */
#include "exact_real.h"
#include "test.h"

#include <float.h>
#include <gmp.h>
#include <math.h>

#define LONGEST 256
#define POOL 5

static const struct exact_format formats[] = {{11, -24, 16}, {8, -133, 128}, {24, -149, 128}, {53, -1074, 1024}};

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

/* Random numbers below 2^limit of every width. */
static uint64_t random_width(int limit)
{
    uint64_t bits = test_random() >> (64 - limit);
    return bits >> test_random_below((uint64_t)limit);
}

/* ---------------------------------------------------------------------------------------------------------- *
 * Rounding a rational number, or the square root of one
 * ---------------------------------------------------------------------------------------------------------- */

static void shift(mpq_t x, long exponent)
{
    if (exponent >= 0) mpq_mul_2exp(x, x, (mp_bitcnt_t)exponent);
    else mpq_div_2exp(x, x, (mp_bitcnt_t)-exponent);
}

/* floor(log2(x)), x > 0. */
static long exponent_of(const mpq_t x)
{
    mpq_t power;
    long e = (long)mpz_sizeinbase(mpq_numref(x), 2) - (long)mpz_sizeinbase(mpq_denref(x), 2);
    mpq_init(power);
    mpq_set_ui(power, 1, 1);
    shift(power, e);
    if (mpq_cmp(x, power) < 0) e--;
    mpq_clear(power);
    return e;
}

/* The bits of |x|, or of its root, in a format. */
static uint64_t oracle_round_size(const mpq_t x, int root, struct exact_format format)
{
    mpq_t scaled, middle;
    mpz_t k;
    mpq_inits(scaled, middle, NULL);
    mpz_init(k);
    mpq_abs(scaled, x);
    long e = exponent_of(scaled);
    if (root) e = e >= 0 ? e / 2 : -((1 - e) / 2);
    long unit = e - format.precision + 1;
    if (unit < format.smallest_exponent) unit = format.smallest_exponent;
    shift(scaled, root ? -2 * unit : -unit);
    mpz_fdiv_q(k, mpq_numref(scaled), mpq_denref(scaled));
    if (root) mpz_sqrt(k, k);
    mpq_set_z(middle, k); /* k + 1/2, or its square */
    mpz_mul_2exp(mpq_numref(middle), mpq_numref(middle), 1);
    mpz_add_ui(mpq_numref(middle), mpq_numref(middle), 1);
    mpz_set_ui(mpq_denref(middle), 2);
    if (root) mpq_mul(middle, middle, middle);
    int side = mpq_cmp(scaled, middle);
    uint64_t bits = mpz_get_ui(k);
    bits += side > 0 || (side == 0 && bits % 2);
    uint64_t hidden = (uint64_t)1 << (format.precision - 1);
    uint64_t infinity = (uint64_t)(2 * format.largest_exponent - 1) * hidden;
    if (bits >= hidden) bits += (uint64_t)(unit - format.smallest_exponent) * hidden;
    mpq_clears(scaled, middle, NULL);
    mpz_clear(k);
    return bits < infinity ? bits : infinity;
}

static uint64_t oracle_round(const mpq_t x, int root, struct exact_format format)
{
    uint64_t sign = (uint64_t)(2 * format.largest_exponent) << (format.precision - 1);
    if (mpq_sgn(x) == 0) return 0;
    return (mpq_sgn(x) < 0 ? sign : 0) | oracle_round_size(x, root, format);
}

static int check_real(struct exact_real got, const mpq_t want, int root)
{
    int right = 1;
    for (int i = 0; i < 4; i++) {
        right &= CHECK_EQUAL_U64(exact_round(got, formats[i]), oracle_round(want, root, formats[i]));
    }
    return right;
}

/* ---------------------------------------------------------------------------------------------------------- *
 * Both sides of the comparison: the accumulator, in pieces, and the rational number
 * ---------------------------------------------------------------------------------------------------------- */

struct total {
    struct exact piece[POOL];
    mpq_t exact;
    uint32_t special;
};

static void total_init(struct total *t)
{
    for (int i = 0; i < POOL; i++) exact_clear(&t->piece[i]);
    mpq_init(t->exact);
    t->special = 0;
}

static struct exact *any_piece(struct total *t)
{
    return &t->piece[test_random_below(POOL)];
}

static void total_add_exact(struct total *t, const mpq_t x)
{
    mpq_add(t->exact, t->exact, x);
}

static void total_add_double(struct total *t, double x)
{
    exact_add_double_bits(any_piece(t), bits_of(x));
    if (isnan(x)) t->special |= EXACT_NAN;
    else if (isinf(x)) t->special |= x < 0 ? EXACT_MINUS_INFINITY : EXACT_PLUS_INFINITY;
    else {
        mpq_t term;
        mpq_init(term);
        mpq_set_d(term, x);
        total_add_exact(t, term);
        mpq_clear(term);
    }
}

/* Products of special values: inside_exact_rounding.c. */
static void total_add_product(struct total *t, double x, double y)
{
    if (!isfinite(x) || !isfinite(y)) {
        t->special |= EXACT_NAN;
        return;
    }
    mpq_t a, b;
    mpq_inits(a, b, NULL);
    exact_add_product_bits(any_piece(t), bits_of(x), bits_of(y));
    mpq_set_d(a, x);
    mpq_set_d(b, y);
    mpq_mul(a, a, b);
    total_add_exact(t, a);
    mpq_clears(a, b, NULL);
}

static void total_add_integer(struct total *t, int64_t m, int32_t e)
{
    mpq_t term;
    mpq_init(term);
    exact_add_integer(any_piece(t), m, e);
    mpz_set_si(mpq_numref(term), m);
    shift(term, e);
    total_add_exact(t, term);
    mpq_clear(term);
}

/* Merges the pieces in a random order, some by way of bytes; then doubles the total by merging it with itself. */
static void total_join(struct total *t, int doublings)
{
    struct exact copy;
    unsigned char bytes[EXACT_PACK_BYTES];
    for (int left = POOL; left > 1; left--) {
        int a = (int)test_random_below((uint64_t)left), b = left - 1;
        copy = t->piece[a];
        t->piece[a] = t->piece[b];
        t->piece[b] = copy;
        struct exact *into = &t->piece[test_random_below((uint64_t)b)];
        if (test_random_below(2)) exact_carry(into);
        if (test_random_below(3) == 0) CHECK(exact_unpack(&copy, bytes, exact_pack(&t->piece[b], bytes)) > 0);
        else copy = t->piece[b];
        exact_merge(into, &copy);
    }
    for (int i = 0; i < doublings; i++) {
        copy = t->piece[0];
        exact_merge(&t->piece[0], &copy);
        mpq_add(t->exact, t->exact, t->exact);
    }
}

static void total_clear(struct total *t)
{
    mpq_clear(t->exact);
}

/* ---------------------------------------------------------------------------------------------------------- *
 * Checks of one data set
 * ---------------------------------------------------------------------------------------------------------- */

static void check_total(struct total *t, uint64_t n)
{
    struct exact *a = &t->piece[0];
    mpq_t x, count;
    if (t->special) {
        int both = t->special == (EXACT_PLUS_INFINITY | EXACT_MINUS_INFINITY);
        uint32_t want = t->special & EXACT_NAN || both ? EXACT_NAN : t->special;
        CHECK_EQUAL_U64(exact_value(a).special, want);
        CHECK_EQUAL_U64(exact_mean(a, n).special, n ? want : EXACT_NAN);
        CHECK_EQUAL_U64(exact_root(a).special, want == EXACT_MINUS_INFINITY ? EXACT_NAN : want);
        return;
    }
    mpq_inits(x, count, NULL);
    mpz_set_ui(mpq_numref(count), n);
    check_real(exact_value(a), t->exact, 0);
    if (n) {
        mpq_div(x, t->exact, count);
        check_real(exact_mean(a, n), x, 0);
    } else {
        CHECK_EQUAL_U64(exact_mean(a, n).special, EXACT_NAN);
    }
    if (mpq_sgn(t->exact) >= 0) check_real(exact_root(a), t->exact, 1);
    else CHECK_EQUAL_U64(exact_root(a).special, EXACT_NAN);
    mpq_clears(x, count, NULL);
}

/* (squares - (re^2 + im^2) / n) / (n - correction); 0 where that has no value. The correction counts to 2^-63. */
static int oracle_variance(mpq_t r, struct total *squares, struct total *re, struct total *im, uint64_t n,
                           double correction)
{
    mpq_t count, x;
    mpq_inits(count, x, NULL);
    mpq_set_d(x, fabs(correction));
    shift(x, 63);
    mpz_fdiv_q(mpq_numref(x), mpq_numref(x), mpq_denref(x));
    mpz_set_ui(mpq_denref(x), 1);
    shift(x, -63);
    if (correction < 0) mpq_neg(x, x);
    mpz_set_ui(mpq_numref(count), n);
    mpq_sub(x, count, x);
    int defined = n > 0 && mpq_sgn(x) > 0 && !(squares->special | re->special | im->special);
    if (defined) {
        mpq_t part;
        mpq_init(part);
        mpq_mul(r, re->exact, re->exact);
        mpq_mul(part, im->exact, im->exact);
        mpq_add(r, r, part);
        mpq_div(r, r, count);
        mpq_sub(r, squares->exact, r);
        mpq_div(r, r, x);
        mpq_clear(part);
    }
    mpq_clears(count, x, NULL);
    return defined;
}

static void check_variance(struct total *squares, struct total *re, struct total *im, uint64_t n, double correction)
{
    mpq_t want;
    mpq_init(want);
    struct exact *second = re == im ? NULL : &im->piece[0];
    for (int deviation = 0; deviation < 2; deviation++) {
        struct total empty;
        total_init(&empty);
        struct exact_real got = exact_variance(&squares->piece[0], &re->piece[0], second, n, correction, deviation);
        if (!oracle_variance(want, squares, re, second ? im : &empty, n, correction)) {
            CHECK_EQUAL_U64(got.special, EXACT_NAN);
        } else if (!check_real(got, want, deviation)) {
            fprintf(stderr, "  n %" PRIu64 ", correction %a, deviation %d\n", n, correction, deviation);
        }
        total_clear(&empty);
    }
    mpq_clear(want);
}

static void check_data(const double *x, const double *y, int length, int doublings)
{
    const double n = ldexp(length, doublings);
    const double corrections[] = {0, 1, 0.5, 0.1, -1, -2.75, 0x1p-63, -0x1p62, 1e-300, n - 0.25, n, n + 1};
    struct total sum_x, sum_y, dot, squares, both;
    struct total *all[] = {&sum_x, &sum_y, &dot, &squares, &both};
    uint64_t count = (uint64_t)length << doublings;
    for (int i = 0; i < 5; i++) total_init(all[i]);
    for (int i = 0; i < length; i++) {
        total_add_double(&sum_x, x[i]);
        total_add_double(&sum_y, y[i]);
        total_add_product(&dot, x[i], y[i]);
        total_add_product(&squares, x[i], x[i]);
        total_add_product(&both, x[i], x[i]);
        total_add_product(&both, y[i], y[i]);
    }
    for (int i = 0; i < 5; i++) total_join(all[i], doublings);
    /* total_add_product gives the accumulator no special element: the sums alone have it. */
    dot.piece[0].special = dot.special;
    squares.piece[0].special = squares.special;
    both.piece[0].special = both.special;
    for (int i = 0; i < 5; i++) check_total(all[i], count);
    for (int i = 0; i < 3; i++) {
        double correction = corrections[i < 2 ? (uint64_t)i : test_random_below(12)];
        check_variance(&squares, &sum_x, &sum_x, count, correction);
        check_variance(&both, &sum_x, &sum_y, count, correction);
    }
    for (int i = 0; i < 5; i++) total_clear(all[i]);
}

/* ---------------------------------------------------------------------------------------------------------- *
 * Data sets
 * ---------------------------------------------------------------------------------------------------------- */

static double normal(void)
{
    double radius = sqrt(-2 * log(1 - test_random_uniform()));
    return radius * cos(6.283185307179586 * test_random_uniform());
}

static double power(int low, int high)
{
    int exponent = low + (int)test_random_below((uint64_t)(high - low));
    double x = ldexp(1 + test_random_uniform(), exponent);
    return test_random_below(2) ? x : -x;
}

static double finite_bits(void)
{
    double x = double_of(test_random());
    return isfinite(x) ? x : 0.0;
}

/* Each kind fills element i of n; the kinds that need neighbours read x[i - 1]. */
enum kind {
    UNIFORM,
    NORMAL,
    POWERS,
    CANCELLING,
    SUBNORMAL,
    RANDOM_BITS,
    LARGEST,
    TIES,
    ZEROS,
    INFINITIES,
    ONE_NAN,
    ESCAPES,
    EQUAL,
    OFFSET,
    INTEGERS,
    TINY_PRODUCTS,
    ROOT_TIES,
    HALF_TIES,
    ROOT_BRACKETS,
    KINDS
};

static const char *const kind_names[KINDS] = {"uniform",
                                              "normal",
                                              "powers 2^+-900",
                                              "cancelling",
                                              "subnormal",
                                              "random bits",
                                              "largest",
                                              "ties",
                                              "zeros",
                                              "infinities",
                                              "one NaN",
                                              "binade escape",
                                              "equal",
                                              "offset",
                                              "integers",
                                              "products at the lower end",
                                              "roots at ties",
                                              "halves of 12, 9 and 25 bits",
                                              "beside roots at ties"};

static double element(enum kind kind, const double *x, int i, int n)
{
    const double tiny = 0x1p-1074;
    int last = i == n - 1;
    switch (kind) {
    case UNIFORM: return test_random_uniform();
    case NORMAL: return normal();
    case POWERS: return power(-900, 901);
    case CANCELLING: return last && n % 2 ? tiny : i % 2 ? -x[i - 1] : power(-60, 61);
    case SUBNORMAL: return double_of(test_random() & 0x800fffffffffffff);
    case RANDOM_BITS: return finite_bits();
    case LARGEST: return test_random_below(3) ? DBL_MAX : -DBL_MAX;
    case TIES: return i == 0 ? 1.0 + DBL_EPSILON * (double)test_random_below(2) : i == 1 ? 0x1p-53 : i == 2 ? -tiny : 0;
    case ZEROS: return test_random_below(8) ? -0.0 : 0.0;
    case INFINITIES: return i == 0 ? INFINITY : last && n % 2 ? -INFINITY : normal();
    case ONE_NAN: return i == n / 2 ? NAN : normal();
    case ESCAPES: return i % 3 == 0 ? ldexp(1.5, 40 + 53 * (i / 3 % 7)) : i % 3 == 1 ? -x[i - 1] : ldexp(1.5, i % 90);
    case EQUAL: return i ? x[0] : finite_bits() / 4;
    case OFFSET: return 1e9 + normal() * 1e-3;
    case INTEGERS: return (double)((int64_t)test_random_below(2001) - 1000);
    case TINY_PRODUCTS: return power(-1074, -500);
    case ROOT_TIES: return i == 0 ? (double)(test_random_below(1 << 25) | 1 | 1 << 24) : i == 1 ? -x[0] : 0;
    case HALF_TIES: {
        const int widths[] = {12, 9, 25};
        uint64_t top = (uint64_t)1 << (widths[i % 3] - 1);
        int down = (int)test_random_below(40);
        return ldexp((double)(test_random_below(top) | top | 1), -down);
    }
    case ROOT_BRACKETS:
        return i == 0 ? (double)(test_random_below(1 << 11) | 1 | 1 << 11) : i == 1 ? -x[0] : i % 2 ? tiny : -0x1p-600;
    default: return 0;
    }
}

static void test_data_sets(void)
{
    static const int lengths[] = {0, 1, 2, 3, 4, 7, 33, LONGEST};
    static double x[LONGEST], y[LONGEST];
    for (int kind = 0; kind < KINDS; kind++) {
        test.section = kind_names[kind];
        for (int round = 0; round < 20 * 8; round++) {
            int n = lengths[round % 8];
            for (int i = 0; i < n; i++) {
                x[i] = element((enum kind)kind, x, i, n);
                y[i] = element(round % 3 ? (enum kind)kind : NORMAL, y, i, n);
            }
            for (int i = n - 1; i > 0; i--) {
                int j = (int)test_random_below((uint64_t)i + 1);
                double swap = x[i];
                x[i] = x[j];
                x[j] = swap;
            }
            check_data(x, y, n, 0);
            check_data(x, y, n, (int)test_random_below(55));
        }
    }
}

static void test_integers(void)
{
    CASE("integers at any place")
    for (int round = 0; round < 2000; round++) {
        struct total t;
        int n = 1 + (int)test_random_below(12);
        int32_t low = round % 2 ? -2176 : (int32_t)test_random_below(4000) - 2176;
        uint64_t range = round % 2 ? 4280 : 60;
        total_init(&t);
        for (int i = 0; i < n; i++) {
            int64_t m = (int64_t)random_width(63);
            if (test_random_below(2)) m = -m;
            if (i % 5 == 4) m = INT64_MIN;
            int32_t e = low + (int32_t)test_random_below(range);
            total_add_integer(&t, m, e);
        }
        total_join(&t, (int)test_random_below(60));
        check_total(&t, random_width(64));
        total_clear(&t);
    }
}

/* An odd number with one bit more than some format has, or the square of one. */
static void tie(mpz_t z, int square)
{
    static const int widths[] = {12, 9, 25, 54};
    uint64_t top = (uint64_t)1 << (widths[test_random_below(4)] - 1);
    mpz_set_ui(z, test_random_below(top) | top | 1);
    if (square) mpz_mul(z, z, z);
}

static void total_add_natural(struct total *t, const mpz_t z, int32_t e)
{
    uint32_t digits[16];
    size_t count;
    mpz_export(digits, &count, -1, sizeof *digits, 0, 0, z);
    for (size_t i = 0; i < count; i++) total_add_integer(t, digits[i], e + 32 * (int32_t)i);
}

/* t = tie * factor * 2^e, or beside that by one bit, at any depth, that only "sticky" can show. */
static void total_near_tie(struct total *t, int square, uint64_t factor)
{
    mpz_t z;
    mpz_init(z);
    tie(z, square);
    mpz_mul_ui(z, z, factor);
    int32_t e = 2 * ((int32_t)test_random_below(1000) - 550), side = (int32_t)test_random_below(3) - 1;
    total_add_natural(t, z, e);
    total_add_integer(t, side, e - (int32_t)test_random_below(300));
    total_join(t, 0);
    mpz_clear(z);
}

static void test_ties(void)
{
    CASE("values, means and roots at ties and beside them")
    for (int round = 0; round < 20000; round++) {
        struct total t;
        uint64_t n = random_width(64) | 1;
        total_init(&t);
        total_near_tie(&t, round % 2, round % 2 ? 1 : n);
        check_total(&t, n);
        total_clear(&t);
    }
    CASE("variances and deviations at ties and beside them")
    for (int round = 0; round < 20000; round++) {
        struct total squares, sum;
        uint64_t n = 1 + random_width(62), correction = round % 4 < 2 ? 0 : n == 1 ? 0 : 1;
        total_init(&squares);
        total_init(&sum);
        total_near_tie(&squares, round % 2, n - correction);
        check_variance(&squares, &sum, &sum, n, (double)correction);
        total_clear(&squares);
        total_clear(&sum);
    }
}

/* ---------------------------------------------------------------------------------------------------------- *
 * The natural numbers beneath
 * ---------------------------------------------------------------------------------------------------------- */

/* Limbs that make guessed quotient digits go wrong, among random ones. */
static uint64_t sharp_limb(void)
{
    static const uint64_t sharp[] = {0, 1, 2, UINT64_MAX, UINT64_MAX - 1, (uint64_t)1 << 63, ((uint64_t)1 << 63) - 1};
    uint64_t k = test_random_below(10);
    return k < 7 ? sharp[k] : test_random();
}

static void import(mpz_t z, const uint64_t *limbs, int count)
{
    mpz_import(z, (size_t)count, -1, sizeof *limbs, 0, 0, limbs);
}

static void test_division(void)
{
    mpz_t n, d, quotient, remainder, got;
    mpz_inits(n, d, quotient, remainder, got, NULL);
    CASE("division of limbs")
    for (int round = 0; round < 100000; round++) {
        uint64_t divisor[3], dividend[5], result[2];
        int count = 1 + round % 3;
        for (int i = 0; i < count; i++) divisor[i] = sharp_limb();
        divisor[count - 1] |= (uint64_t)1 << 63;
        import(d, divisor, count);
        for (int i = 0; i < 2; i++) result[i] = sharp_limb();
        import(n, result, 2);
        mpz_mul(n, n, d);
        if (round % 4 == 1) mpz_add(n, n, d), mpz_sub_ui(n, n, 1); /* the largest remainder */
        if (round % 4 == 2 && mpz_sgn(n) > 0) mpz_sub_ui(n, n, 1);
        if (round % 4 == 3) mpz_fdiv_q_2exp(n, n, test_random_below(128));
        mpz_fdiv_qr(quotient, remainder, n, d);
        memset(dividend, 0, sizeof dividend);
        mpz_export(dividend, NULL, -1, sizeof *dividend, 0, 0, n);
        uint128 q = natural_divide(dividend, divisor, count);
        result[0] = (uint64_t)q;
        result[1] = (uint64_t)(q >> 64);
        import(got, result, 2);
        CHECK(mpz_cmp(got, quotient) == 0);
        import(got, dividend, count + 2);
        CHECK(mpz_cmp(got, remainder) == 0);
    }
    mpz_clears(n, d, quotient, remainder, got, NULL);
}

static void test_square_roots(void)
{
    CASE("square roots of 128 bits")
    for (int round = 0; round < 100000; round++) {
        uint64_t root = sharp_limb() | (uint64_t)1 << 62;
        uint128 square = (uint128)root * root;
        uint128 random = (uint128)sharp_limb() << 64 | (uint128)1 << (124 + round % 4);
        random |= sharp_limb();
        CHECK_EQUAL_U64(natural_square_root(square), root);
        CHECK_EQUAL_U64(natural_square_root(square + root), root);
        CHECK_EQUAL_U64(natural_square_root(square + root + root), root);
        CHECK_EQUAL_U64(natural_square_root(square - 1), root - 1);
        uint64_t r = natural_square_root(random);
        CHECK((uint128)r * r <= random && random - (uint128)r * r <= (uint128)2 * r);
    }
}

int main(void)
{
    test_data_sets();
    test_integers();
    test_ties();
    test_division();
    test_square_roots();
    return test_finish("oracle_exact");
}
