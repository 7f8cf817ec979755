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

/* A value that may be missing; missing operands are left out. */
struct value {
    int there;
    double re, im;
};

enum kind { KIND_PLAIN_SUM_F32, KIND_PROD_F32, KIND_PROD_F64, KIND_PROD_C128, KIND_COUNT };

static struct value combined(enum kind kind, struct value a, struct value b)
{
    struct value c = {1, 0, 0};
    if (!a.there) return b;
    if (!b.there) return a;
    switch (kind) {
    case KIND_PLAIN_SUM_F32: c.re = (float)((float)a.re + (float)b.re); break;
    case KIND_PROD_F32: c.re = (float)((float)a.re * (float)b.re); break;
    case KIND_PROD_F64: c.re = a.re * b.re; break;
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
    return kind == KIND_PROD_F64 ? TALLY_F64 : kind == KIND_PROD_C128 ? TALLY_C128 : TALLY_F32;
}

static void store(enum kind kind, void *to, int64_t i, struct value v)
{
    double neutral = kind == KIND_PLAIN_SUM_F32 ? 0 : 1;
    double parts[2] = {v.there ? v.re : neutral, v.there ? v.im : 0};
    float single = (float)parts[0];
    size_t size = tally_type_size(type_of(kind));
    if (size == 4) memcpy((char *)to + (size_t)i * size, &single, size);
    else memcpy((char *)to + (size_t)i * size, parts, size);
}

static struct value random_value(enum kind kind)
{
    struct value v = {1, 0, 0};
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
        x[i] = random_value(kind);
        store(kind, input, i, x[i]);
    }
    scheme(kind, x, n, first, exclusive, result);
    for (int64_t i = 0; i < n; i++) store(kind, want, i, result[i]);
    tally_options options = TALLY_OPTIONS_INIT;
    options.flags = (exclusive ? TALLY_EXCLUSIVE : 0) | (kind == KIND_PLAIN_SUM_F32 ? TALLY_PLAIN : 0);
    options.initial = with_initial ? initial : NULL;
    for (int d = 0; d < DEVICES; d++) {
        tally_array from = tally_vector(input, type, n), to = tally_vector(got, type, n);
        CHECK(tally_scan(device[d], kind == KIND_PLAIN_SUM_F32 ? TALLY_SUM : TALLY_PROD, &from, &to, &options) ==
              TALLY_OK);
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
