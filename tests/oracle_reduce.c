/* SPDX-License-Identifier: MIT
 *
 * oracle_reduce.c - sums, means, dots, norms, variances and deviations of adversarial floats, as tally_reduce gives
 * them with every instruction set and several thread counts, against rational arithmetic (GMP) rounded once: equal
 * bits. The norm1 of complex numbers is held against MPFR, within 1 ulp. */
#define _POSIX_C_SOURCE 200809L
#include "rational.h"

#include "adversary.h"
#include <mpfr.h>

#define MOST 600000
#define CONTEXTS 7

static tally_context *contexts[CONTEXTS];
static char names[CONTEXTS][32];
static _Alignas(64) unsigned char room_x[MOST * 16 + 64], room_y[MOST * 16 + 64];

static void open_contexts(void)
{
    static const char *const isas[] = {"base", "avx2", "avx512"}, *const devices[] = {"cpu:1", "cpu:3"};
    for (int i = 0; i < CONTEXTS; i++) {
        const char *isa = isas[i / 2 % 3], *device = i == 6 ? "reference" : devices[i % 2];
        setenv("TALLY_CPU_ISA", isa, 1);
        snprintf(names[i], sizeof names[i], "%s %s", device, isa);
        CHECK(tally_open(device, &contexts[i]) == TALLY_OK);
    }
    unsetenv("TALLY_CPU_ISA");
}

/* Everything that the operators are made of, exactly. */
static struct {
    struct total sum[2], square, dot[2], magnitude;
} totals;

static void add_all(tally_type type, const void *x, const void *y, int64_t n)
{
    memset(&totals, 0, sizeof totals);
    for (int64_t i = 0; i < n; i++) {
        double re = element_part(type, x, i, 0), yr = element_part(type, y, i, 0);
        total_add_product(&totals.sum[0], re, 1);
        total_add_product(&totals.square, re, re);
        total_add_product(&totals.dot[0], re, yr);
        total_add_product(&totals.magnitude, fabs(re), 1);
        if (!is_complex(type)) continue;
        double im = element_part(type, x, i, 1), yi = element_part(type, y, i, 1);
        total_add_product(&totals.sum[1], im, 1);
        total_add_product(&totals.square, im, im);
        total_add_product(&totals.dot[0], -im, yi);
        total_add_product(&totals.dot[1], re, yi);
        total_add_product(&totals.dot[1], im, yr);
    }
}

static uint64_t want_mean(const struct total *sum, int64_t n, tally_type type)
{
    if (n == 0) return rational_format_of(type).nan;
    if (total_special(sum)) return special_bits(sum, type);
    mpq_t value;
    mpq_init(value);
    total_value(sum, value);
    mpq_t count;
    mpq_init(count);
    mpq_set_si(count, (long)n, 1);
    mpq_div(value, value, count);
    uint64_t bits = rational_round(value, 0, type);
    mpq_clears(value, count, NULL);
    return bits;
}

static uint64_t want_norm2(tally_type type)
{
    if (total_special(&totals.square)) return special_bits(&totals.square, type);
    mpq_t value;
    mpq_init(value);
    total_value(&totals.square, value);
    uint64_t bits = rational_round(value, 1, type);
    mpq_clear(value);
    return bits;
}

/* (squares - |sum|^2 / n) / (n - correction) */
static uint64_t want_variance(int64_t n, double correction, int root, tally_type type)
{
    if (total_special(&totals.square) || (double)n - correction <= 0 || n == 0) return rational_format_of(type).nan;
    mpq_t value, part, count;
    mpq_inits(value, part, count, NULL);
    total_value(&totals.square, value);
    mpq_set_si(count, (long)n, 1);
    for (int p = 0; p < 2; p++) {
        total_value(&totals.sum[p], part);
        mpq_mul(part, part, part);
        mpq_div(part, part, count);
        mpq_sub(value, value, part);
    }
    mpq_set_d(part, correction);
    mpq_sub(count, count, part);
    mpq_div(value, value, count);
    uint64_t bits = rational_round(value, root, type);
    mpq_clears(value, part, count, NULL);
    return bits;
}

/* The bits of a part of the operator's result in the real type. */
static uint64_t want_bits(tally_op op, tally_type type, int64_t n, int part, double correction)
{
    switch (op) {
    case TALLY_SUM: return total_round(&totals.sum[part], type);
    case TALLY_DOT: return total_round(&totals.dot[part], type);
    case TALLY_NORM1: return total_round(&totals.magnitude, type);
    case TALLY_MEAN: return want_mean(&totals.sum[part], n, type);
    case TALLY_NORM2: return want_norm2(type);
    default: return want_variance(n, correction, op == TALLY_STD, type);
    }
}

static void describe(tally_op op, tally_type type, tally_type result, int set, int64_t n, int context)
{
    static char text[400];
    snprintf(text, sizeof text, "%s of %s to %s, set %s, n %lld, on %s", tally_op_name(op), tally_type_name(type),
             tally_type_name(result), adversary_name(set), (long long)n, names[context]);
    test.section = text;
}

static void check_op(tally_op op, tally_type type, tally_type result, int set, tally_array x, tally_array y,
                     unsigned contexts_mask)
{
    tally_options options = TALLY_OPTIONS_INIT;
    static const double corrections[] = {0, 1, 0.5, 2.25, -3};
    int real_result = op == TALLY_NORM1 || op == TALLY_NORM2 || op == TALLY_VAR || op == TALLY_STD;
    if (op == TALLY_VAR || op == TALLY_STD) options.correction = corrections[test_random_below(5)];
    if (op == TALLY_DOT) options.second = &y;
    if (real_result) result = part_type(result);
    options.type = result;
    int parts = is_complex(result) ? 2 : 1;
    uint64_t want[2] = {0, 0};
    for (int p = 0; p < parts; p++) want[p] = want_bits(op, part_type(result), x.shape[0], p, options.correction);
    for (int c = 0; c < CONTEXTS; c++) {
        if (!(contexts_mask >> c & 1)) continue;
        _Alignas(16) unsigned char got[16] = {0};
        tally_array out = tally_shaped(got, result, 0, NULL);
        describe(op, type, result, set, x.shape[0], c);
        CHECK_EQUAL_I64(tally_reduce(contexts[c], op, &x, &out, &options), TALLY_OK);
        for (int p = 0; p < parts; p++) CHECK_EQUAL_U64(result_part(result, got, p), want[p]);
    }
}

/* Complex: a sum of roots, which MPFR brackets. */
static void check_complex_norm1(tally_type type, int set, tally_array x)
{
    mpfr_t sum, size, re, im;
    if (totals.square.nan || totals.square.plus) return;
    mpfr_inits2(2400, sum, re, im, (mpfr_ptr)NULL);
    mpfr_init2(size, 300);
    mpfr_set_zero(sum, 1);
    for (int64_t i = 0; i < x.shape[0]; i++) {
        mpfr_set_d(re, element_part(type, x.data, i, 0), MPFR_RNDN);
        mpfr_set_d(im, element_part(type, x.data, i, 1), MPFR_RNDN);
        mpfr_hypot(size, re, im, MPFR_RNDN);
        mpfr_add(sum, sum, size, MPFR_RNDN);
    }
    double want = type == TALLY_C64 ? (double)mpfr_get_flt(sum, MPFR_RNDN) : mpfr_get_d(sum, MPFR_RNDN);
    uint64_t bits = 0;
    float single = (float)want;
    if (type == TALLY_C64) memcpy(&bits, &single, 4);
    else memcpy(&bits, &want, 8);
    for (int c = 0; c < CONTEXTS; c++) {
        _Alignas(8) unsigned char got[8] = {0};
        tally_array out = tally_shaped(got, part_type(type), 0, NULL);
        describe(TALLY_NORM1, type, part_type(type), set, x.shape[0], c);
        CHECK_EQUAL_I64(tally_reduce(contexts[c], TALLY_NORM1, &x, &out, NULL), TALLY_OK);
        int64_t apart = (int64_t)(result_part(part_type(type), got, 0) - bits);
        CHECK(apart >= -1 && apart <= 1);
    }
    mpfr_clears(sum, size, re, im, (mpfr_ptr)NULL);
}

/* The same result type, or another float type that the operator may be asked for. */
static tally_type other_result(tally_type type)
{
    static const tally_type reals[] = {TALLY_F16, TALLY_BF16, TALLY_F32, TALLY_F64};
    if (is_complex(type)) return test_random_below(2) ? TALLY_C64 : TALLY_C128;
    return reals[test_random_below(4)];
}

static void check_set(tally_type type, int set, int64_t n, int offset, unsigned mask)
{
    static const tally_op ops[] = {TALLY_SUM, TALLY_MEAN, TALLY_DOT, TALLY_NORM1, TALLY_NORM2, TALLY_VAR, TALLY_STD};
    size_t step = tally_type_size(type) / (is_complex(type) ? 2 : 1);
    unsigned char *x = room_x + (size_t)offset * step, *y = room_y + (size_t)(3 - offset) * step;
    adversary_fill(type, set, x, n);
    if (test_random_below(2)) adversary_fill(type, (int)test_random_below(ADVERSARIES), y, n);
    else adversary_cancel(type, x, y, n);
    add_all(type, x, y, n);
    tally_array view_x = tally_vector(x, type, n), view_y = tally_vector(y, type, n);
    for (size_t o = 0; o < sizeof ops / sizeof ops[0]; o++) {
        if (ops[o] == TALLY_NORM1 && is_complex(type)) continue;
        check_op(ops[o], type, type, set, view_x, view_y, mask);
        if (o < 6 && n < 5000) check_op(ops[o], type, other_result(type), set, view_x, view_y, 1u << n % CONTEXTS);
    }
    if (is_complex(type) && n < 300) check_complex_norm1(type, set, view_x);
}

int main(void)
{
    static const int64_t sizes[] = {0, 1, 2, 3, 31, 33, 127, 129, 1000, 4095, 4096, 4097, 8192, 12291};
    static const int64_t large[] = {65537, 262143, 262144, 262145, 524289, 590001};
    open_contexts();
    for (tally_type type = TALLY_F16; type <= TALLY_C128; type++) {
        for (int set = 0; set < ADVERSARIES; set++) {
            for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
                check_set(type, set, sizes[s], (int)test_random_below(4), 0x7f);
            check_set(type, set, large[test_random_below(6)], (int)test_random_below(4), 1u << test_random_below(6));
        }
    }
    for (int i = 0; i < CONTEXTS; i++) tally_close(contexts[i]);
    return test_finish("oracle_reduce");
}
