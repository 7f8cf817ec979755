/* SPDX-License-Identifier: MIT
 *
 * oracle_integer.c - sums, means, variances, deviations, norms and dots of integers against rational arithmetic (GMP):
 * integers modulo 2^64 or refused when they do not fit, floats rounded once. */
#define _POSIX_C_SOURCE 200809L
#include "rational.h"

#define MOST 300000
#define CONTEXTS 7

static tally_context *contexts[CONTEXTS];
static _Alignas(64) unsigned char room_x[MOST * 8 + 64], room_y[MOST * 8 + 64];

static void open_contexts(void)
{
    static const char *const isas[] = {"base", "avx2", "avx512"}, *const devices[] = {"cpu:1", "cpu:3"};
    for (int i = 0; i < CONTEXTS; i++) {
        setenv("TALLY_CPU_ISA", isas[i / 2 % 3], 1);
        CHECK(tally_open(i == 6 ? "reference" : devices[i % 2], &contexts[i]) == TALLY_OK);
    }
    unsetenv("TALLY_CPU_ISA");
}

static int128 element(tally_type type, const void *data, int64_t i)
{
    uint64_t bits = 0;
    size_t size = tally_type_size(type);
    memcpy(&bits, (const char *)data + (size_t)i * size, size);
    if (type == TALLY_BOOL) return bits != 0;
    if (type <= TALLY_I64) return (int64_t)(bits << (64 - 8 * size)) >> (64 - 8 * size);
    return bits;
}

enum set { ANY, SMALL, TOP, BOTTOM, BOTH_ENDS, ONES, NEARLY_EQUAL, SETS };

static void fill(tally_type type, int set, void *to, int64_t n)
{
    size_t size = tally_type_size(type);
    int bits = (int)size * 8, is_signed = type <= TALLY_I64;
    uint64_t top = is_signed ? (1ull << (bits - 1)) - 1 : ~0ull, bottom = is_signed ? 1ull << (bits - 1) : 0;
    uint64_t base = test_random();
    for (int64_t i = 0; i < n; i++) {
        uint64_t value = test_random();
        if (set == SMALL) value = value % 7 - (is_signed ? 3 : 0);
        if (set == TOP) value = top;
        if (set == BOTTOM) value = bottom;
        if (set == BOTH_ENDS) value = value % 2 ? top : bottom;
        if (set == ONES) value = value % 64 == 0;
        if (set == NEARLY_EQUAL) value = base + (value % 1000 == 0);
        if (type == TALLY_BOOL && set != ANY) value &= 1;
        memcpy((char *)to + (size_t)i * size, &value, size);
    }
}

static void set_wide(mpz_t to, int128 value)
{
    int128 magnitude = value < 0 ? -value : value;
    mpz_set_ui(to, (unsigned long)(magnitude >> 64));
    mpz_mul_2exp(to, to, 64);
    mpz_add_ui(to, to, (unsigned long)(uint64_t)magnitude);
    if (value < 0) mpz_neg(to, to);
}

static mpz_t sum, magnitude, square, dot;

static void add_all(tally_type type, const void *x, const void *y, int64_t n)
{
    mpz_t term;
    int128 plain = 0, size = 0;
    mpz_init(term);
    mpz_set_ui(square, 0), mpz_set_ui(dot, 0);
    for (int64_t i = 0; i < n; i++) {
        int128 a = element(type, x, i), b = element(type, y, i);
        plain += a, size += a < 0 ? -a : a;
        mpz_t product;
        mpz_init(product);
        set_wide(term, a), set_wide(product, b);
        mpz_addmul(dot, term, product);
        mpz_addmul(square, term, term);
        mpz_clear(product);
    }
    set_wide(sum, plain), set_wide(magnitude, size);
    mpz_clear(term);
}

/* The value behind a result, and whether it is its root. */
static int want_value(tally_op op, int64_t n, double correction, mpq_t value)
{
    mpq_t count;
    mpq_init(count);
    mpq_set_si(count, (long)(n ? n : 1), 1);
    mpq_set_z(value, op == TALLY_NORM1 ? magnitude : op == TALLY_NORM2 ? square : op == TALLY_DOT ? dot : sum);
    if (op == TALLY_MEAN) mpq_div(value, value, count);
    if (op == TALLY_VAR || op == TALLY_STD) {
        mpq_t squares, rest;
        mpq_inits(squares, rest, NULL);
        mpq_mul(value, value, value);
        mpq_div(value, value, count);
        mpq_set_z(squares, square);
        mpq_sub(value, squares, value);
        mpq_set_d(rest, correction);
        mpq_sub(rest, count, rest);
        if (mpq_sgn(rest) > 0) mpq_div(value, value, rest);
        mpq_clears(squares, rest, NULL);
    }
    mpq_clear(count);
    return op == TALLY_NORM2 || op == TALLY_STD;
}

static const char *say(tally_op op, tally_type type, tally_type result, int set, int64_t n, int context)
{
    static char text[160];
    snprintf(text, sizeof text, "%s of %s to %s, set %d, n %lld, context %d", tally_op_name(op), tally_type_name(type),
             tally_type_name(result), set, (long long)n, context);
    return text;
}

/* Results that are floats. */
static void check_real(tally_op op, tally_type type, tally_type result, int set, tally_array x, tally_array y,
                       unsigned which)
{
    tally_options options = TALLY_OPTIONS_INIT;
    int64_t n = x.shape[0];
    mpq_t value;
    mpq_init(value);
    options.type = result;
    options.second = op == TALLY_DOT ? &y : NULL;
    if (op == TALLY_VAR || op == TALLY_STD) options.correction = (double)test_random_below(3) * 0.75;
    int root = want_value(op, n, options.correction, value);
    int nothing = n == 0 ? op == TALLY_MEAN || op == TALLY_VAR || op == TALLY_STD : 0;
    if ((op == TALLY_VAR || op == TALLY_STD) && (double)n - options.correction <= 0) nothing = 1;
    uint64_t want = nothing ? rational_format_of(result).nan : rational_round(value, root, result);
    for (int c = 0; c < CONTEXTS; c++) {
        _Alignas(8) unsigned char got[8] = {0};
        tally_array out = tally_shaped(got, result, 0, NULL);
        if (!(which >> c & 1)) continue;
        test.section = say(op, type, result, set, n, c);
        CHECK_EQUAL_I64(tally_reduce(contexts[c], op, &x, &out, &options), TALLY_OK);
        CHECK_EQUAL_U64(result_part(result, got, 0), want);
    }
    mpq_clear(value);
}

/* Results that are integers: they wrap, or are refused when that was asked for. */
static void check_integer(tally_op op, tally_type type, tally_type result, int set, tally_array x, tally_array y,
                          unsigned which)
{
    tally_options options = TALLY_OPTIONS_INIT;
    size_t size = tally_type_size(result);
    int bits = (int)size * 8, is_signed = result <= TALLY_I64;
    mpz_srcptr exact = op == TALLY_DOT ? dot : sum;
    mpz_t low, high, wrapped;
    mpz_inits(low, high, wrapped, NULL);
    mpz_ui_pow_ui(high, 2, (unsigned long)(is_signed ? bits - 1 : bits));
    if (is_signed) mpz_neg(low, high);
    int fits = mpz_cmp(exact, high) < 0 && mpz_cmp(exact, low) >= 0;
    mpz_fdiv_r_2exp(wrapped, exact, (mp_bitcnt_t)bits);
    uint64_t want = mpz_get_ui(wrapped);
    options.type = result;
    options.second = op == TALLY_DOT ? &y : NULL;
    for (int c = 0; c < CONTEXTS; c++) {
        if (!(which >> c & 1)) continue;
        for (int checked = 0; checked < 2; checked++) {
            uint64_t got = 0;
            tally_array out = tally_shaped(&got, result, 0, NULL);
            options.flags = checked ? TALLY_CHECK_OVERFLOW : 0;
            test.section = say(op, type, result, set, x.shape[0], c);
            tally_status status = tally_reduce(contexts[c], op, &x, &out, &options);
            CHECK_EQUAL_I64(status, checked && !fits ? TALLY_OVERFLOW : TALLY_OK);
            CHECK_EQUAL_U64(got, checked && !fits ? 0 : want);
        }
    }
    mpz_clears(low, high, wrapped, NULL);
}

static void check_set(tally_type type, int set, int64_t n, unsigned which)
{
    static const tally_op reals[] = {TALLY_SUM, TALLY_MEAN, TALLY_VAR, TALLY_STD, TALLY_NORM1, TALLY_NORM2, TALLY_DOT};
    static const tally_type floats[] = {TALLY_F16, TALLY_BF16, TALLY_F32, TALLY_F64};
    size_t size = tally_type_size(type), shift = (size_t)test_random_below(4) * size;
    fill(type, set, room_x + shift, n);
    fill(type, (int)test_random_below(SETS), room_y, n);
    tally_array x = tally_vector(room_x + shift, type, n), y = tally_vector(room_y, type, n);
    add_all(type, x.data, y.data, n);
    for (int i = 0; i < 7; i++) {
        check_real(reals[i], type, TALLY_F64, set, x, y, which);
        check_real(reals[i], type, floats[test_random_below(4)], set, x, y, 1u << test_random_below(CONTEXTS));
    }
    for (tally_type result = TALLY_I8; result <= TALLY_U64; result++) {
        check_integer(TALLY_SUM, type, result, set, x, y,
                      result == TALLY_I64 || result == TALLY_U64 ? which : 1u << test_random_below(CONTEXTS));
        check_integer(TALLY_DOT, type, result, set, x, y,
                      result == TALLY_I64 || result == TALLY_U64 ? which : 1u << test_random_below(CONTEXTS));
    }
}

int main(void)
{
    static const int64_t sizes[] = {0, 1, 2, 3, 63, 64, 65, 1000, 4095, 4096, 4097, 12289};
    mpz_inits(sum, magnitude, square, dot, NULL);
    open_contexts();
    for (tally_type type = TALLY_BOOL; type <= TALLY_U64; type++) {
        for (int set = 0; set < SETS; set++) {
            for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) check_set(type, set, sizes[s], 0x7f);
            check_set(type, set, set % 2 ? 262145 : 290001, 1u << test_random_below(6));
        }
    }
    for (int i = 0; i < CONTEXTS; i++) tally_close(contexts[i]);
    mpz_clears(sum, magnitude, square, dot, NULL);
    return test_finish("oracle_integer");
}
