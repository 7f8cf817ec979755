/* SPDX-License-Identifier: MIT
 *
 * scan_scheme.c - the block scheme of running results that are not associative, written down a second time as
 * docs/semantics.md has it, against every engine. */
#include "test.h"

#include <math.h>
#include <tally.h>

#define RUN 16
#define RUNS 32
#define GROUP (RUN * RUNS)
#define BLOCK (8 * GROUP)
#define DEVICES 3

static tally_context *device[DEVICES];

/* A value that may be missing; missing operands are left out. Of logsumexp, the largest exponent and the sum. */
struct value {
    int there;
    double re, im;
};

enum kind {
    KIND_PLAIN_SUM_F32,
    KIND_PROD_F32,
    KIND_PROD_F64,
    KIND_PROD_C128,
    KIND_LOGSUMEXP_F32,
    KIND_LOGSUMEXP_F64,
    KIND_COUNT
};

static int is_logsumexp(enum kind kind)
{
    return kind == KIND_LOGSUMEXP_F32 || kind == KIND_LOGSUMEXP_F64;
}

/* a + b / 2^halvings, rounded to float or double. */
static double scaled_sum(enum kind kind, double a, double b, double halvings)
{
    double smaller = ldexp(b, halvings < 1000 ? -(int)halvings : -1000);
    return kind == KIND_LOGSUMEXP_F32 ? (double)(float)(a + smaller) : a + smaller;
}

/* e^x is 2^k p, for elements that are not large. */
static double exponent_of(enum kind kind, double x)
{
    if (kind == KIND_LOGSUMEXP_F32) return (double)(fmaf((float)x, 0x1.715476p+0f, 0x1.8p23f) - 0x1.8p23f);
    return fma(x, 0x1.71547652b82fep+0, 0x1.8p52) - 0x1.8p52;
}

static double factor_of(enum kind kind, double x)
{
    static const double series[] = {2.5000042896524453e-08,
                                    2.7630248066541834e-07,
                                    2.7557586430346135e-06,
                                    2.4801493099877013e-05,
                                    0.00019841269506519688,
                                    0.0013888888943629077,
                                    0.008333333333494486,
                                    0.04166666666653016,
                                    0.16666666666666413,
                                    0.5000000000000011,
                                    1,
                                    1};
    static const float short_series[] = {0.00138145965f, 0.00836871658f, 0.041668389f, 0.166665211f, 0.49999994f, 1, 1};
    double k = exponent_of(kind, x);
    if (kind == KIND_LOGSUMEXP_F32) {
        float n = (float)k, r = fmaf(n, 1.9046542e-9f, fmaf(n, -0.693147182f, (float)x)), p = short_series[0];
        for (int i = 1; i < 7; i++) p = fmaf(p, r, short_series[i]);
        return (double)p;
    }
    double r = fma(k, -2.3190468138462996e-17, fma(k, -0.6931471805599453, x)), p = series[0];
    for (int i = 1; i < 12; i++) p = fma(p, r, series[i]);
    return p;
}

/* The logarithm of a finite sum, by the steps of src/elementary.h. */
static double logarithm_of(double sum)
{
    int exponent;
    double z = frexp(sum, &exponent); /* in [1/2, 1) */
    if (z < 0x1.6a09e667f3bcdp-1) z *= 2, exponent--;
    double t = (z - 1) / (z + 1), q = t * t, p = 1.0 / 21, k = exponent;
    for (int n = 19; n >= 3; n -= 2) p = p * q + 1.0 / n;
    double tail = p * q * (2 * t) + k * 1.9082149292705877e-10;
    return k * 0.69314718036912382 + (2 * t + tail);
}

static struct value combined(enum kind kind, struct value a, struct value b)
{
    struct value c = {1, 0, 0};
    if (!a.there) return b;
    if (!b.there) return a;
    switch (kind) {
    case KIND_PLAIN_SUM_F32: c.re = (float)((float)a.re + (float)b.re); break;
    case KIND_PROD_F32: c.re = (float)((float)a.re * (float)b.re); break;
    case KIND_PROD_F64: c.re = a.re * b.re; break;
    case KIND_LOGSUMEXP_F32:
    case KIND_LOGSUMEXP_F64: {
        if (a.re == -INFINITY || b.re == -INFINITY) return a.re == -INFINITY ? b : a;
        double apart = exponent_of(kind, a.re) - exponent_of(kind, b.re);
        c.re = b.re > a.re ? b.re : a.re;
        c.im = b.re > a.re ? scaled_sum(kind, b.im, a.im, -apart) : scaled_sum(kind, a.im, b.im, apart);
        break;
    }
    default:
        c.re = a.re * b.re - a.im * b.im;
        c.im = a.re * b.im + a.im * b.re;
        break;
    }
    return c;
}

/* Totals of the runs up to each: Kogge and Stone's steps, all runs of a step at once. */
static void run_prefixes(enum kind kind, struct value *t)
{
    for (int d = 1; d < RUNS; d *= 2) {
        struct value before[RUNS];
        memcpy(before, t, sizeof before);
        for (int r = d; r < RUNS; r++) t[r] = combined(kind, before[r - d], before[r]);
    }
}

static void scheme(enum kind kind, const struct value *x, int64_t n, struct value initial, int exclusive,
                   struct value *result)
{
    struct value carry = initial;
    for (int64_t b = 0; b < n; b += BLOCK) {
        struct value groups = {0, 0, 0};
        for (int64_t g = b; g < n && g < b + BLOCK; g += GROUP) {
            struct value local[GROUP], total[RUNS];
            for (int64_t i = 0; i < GROUP; i++) {
                struct value none = {0, 0, 0};
                local[i] = g + i < n ? x[g + i] : none;
                if (i % RUN != 0) local[i] = combined(kind, local[i - 1], local[i]);
            }
            for (int r = 0; r < RUNS; r++) total[r] = local[r * RUN + RUN - 1];
            run_prefixes(kind, total);
            for (int64_t i = 0; i < GROUP && g + i < n; i++) {
                struct value left = combined(kind, carry, groups);
                if (i >= RUN) left = combined(kind, left, total[i / RUN - 1]);
                if (!exclusive) result[g + i] = combined(kind, left, local[i]);
                else result[g + i] = i % RUN == 0 ? left : combined(kind, left, local[i - 1]);
            }
            groups = combined(kind, groups, total[RUNS - 1]);
        }
        carry = combined(kind, carry, groups);
    }
}

static tally_type type_of(enum kind kind)
{
    if (kind == KIND_PROD_F64 || kind == KIND_LOGSUMEXP_F64) return TALLY_F64;
    return kind == KIND_PROD_C128 ? TALLY_C128 : TALLY_F32;
}

static void store(enum kind kind, void *to, int64_t i, struct value v)
{
    double neutral = is_logsumexp(kind) ? -INFINITY : kind == KIND_PLAIN_SUM_F32 ? 0 : 1;
    double parts[2] = {v.there ? v.re : neutral, v.there ? v.im : 0};
    float single = (float)parts[0];
    size_t size = tally_type_size(type_of(kind));
    if (size == 4) memcpy((char *)to + (size_t)i * size, &single, size);
    else memcpy((char *)to + (size_t)i * size, parts, size);
}

/* The power of x. */
static struct value lifted(enum kind kind, double x)
{
    struct value v = {1, x, x > -INFINITY ? factor_of(kind, x) : 0};
    return v;
}

static struct value logarithm(enum kind kind, struct value v)
{
    if (v.there && v.re > -INFINITY) v.re += logarithm_of(v.im / factor_of(kind, v.re));
    return v;
}

/* Where exponents lie, and whether there is -infinity among them. */
static struct {
    double middle, spread;
    int gaps;
} powers;

static struct value random_value(enum kind kind)
{
    struct value v = {1, 0, 0};
    if (is_logsumexp(kind)) {
        double x = powers.middle + powers.spread * (test_random_uniform() - 0.5);
        int none = powers.gaps && test_random_below(50) == 0;
        return lifted(kind, none ? -INFINITY : kind == KIND_LOGSUMEXP_F32 ? (double)(float)x : x);
    }
    double angle = 6.3 * test_random_uniform();
    v.re =
        kind == KIND_PLAIN_SUM_F32 ? (float)(test_random_uniform() - 0.5) : (float)(0.9 + 0.2 * test_random_uniform());
    if (kind == KIND_PROD_C128) v.re = cos(angle), v.im = sin(angle);
    return v;
}

static void check(enum kind kind, int64_t n, int exclusive, int with_initial)
{
    tally_type type = type_of(kind);
    size_t size = tally_type_size(type), bytes = (size_t)n * size;
    struct value *x = calloc((size_t)n, sizeof *x), *result = calloc((size_t)n, sizeof *result);
    char *input = malloc(bytes), *want = malloc(bytes), *got = malloc(bytes), initial[16];
    struct value first = {0, 0, 0};
    if (with_initial) first = random_value(kind);
    store(kind, initial, 0, first);
    for (int64_t i = 0; i < n; i++) {
        if (i % 700 == 0) {
            powers.spread = test_random_below(8) ? 9 : 400;
            powers.middle = test_random_below(3) ? 0 : 400 * (test_random_uniform() - 0.5);
            powers.gaps = test_random_below(4) == 0;
        }
        x[i] = random_value(kind);
        store(kind, input, i, x[i]);
    }
    scheme(kind, x, n, first, exclusive, result);
    for (int64_t i = 0; i < n; i++) store(kind, want, i, is_logsumexp(kind) ? logarithm(kind, result[i]) : result[i]);
    if (is_logsumexp(kind) && !exclusive && !with_initial) CHECK(memcmp(want, input, size) == 0); /* one is itself */
    tally_options options = TALLY_OPTIONS_INIT;
    options.flags = (exclusive ? TALLY_EXCLUSIVE : 0) | (kind == KIND_PLAIN_SUM_F32 ? TALLY_PLAIN : 0);
    options.initial = with_initial ? initial : NULL;
    tally_op op = is_logsumexp(kind) ? TALLY_LOGSUMEXP : kind == KIND_PLAIN_SUM_F32 ? TALLY_SUM : TALLY_PROD;
    for (int d = 0; d < DEVICES; d++) {
        tally_array from = tally_vector(input, type, n), to = tally_vector(got, type, n);
        CHECK(tally_scan(device[d], op, &from, &to, &options) == TALLY_OK);
        CHECK(memcmp(got, want, bytes) == 0);
    }
    free(got);
    free(want);
    free(input);
    free(result);
    free(x);
}

int main(void)
{
    static const char *const names[DEVICES] = {"reference", "cpu:1", "cpu:3"};
    static const int64_t sizes[] = {1, 2, 16, 17, 33, 511, 512, 513, 4095, 4096, 4097, 9000, 90001};
    for (int d = 0; d < DEVICES; d++) CHECK(tally_open(names[d], &device[d]) == TALLY_OK);
    for (enum kind kind = 0; kind < KIND_COUNT; kind++) {
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            for (int form = 0; form < 4; form++) check(kind, sizes[s], form & 1, form >> 1);
        }
    }
    for (int d = 0; d < DEVICES; d++) tally_close(device[d]);
    return test_finish("scan_scheme");
}
