/* SPDX-License-Identifier: MIT
 *
 * columns_ordered.c - plain sums, products and sums of powers of cells side by side and of short rows on the CPU
 * against the reference engine, bit for bit: widths and lengths around the borders of tiles, lanes and leaves, views,
 * masks, initial values, and data that make every order show. */
#define _POSIX_C_SOURCE 200809L
#include "data.h"
#include "test.h"

#include <tally.h>

#define MOST 200000
#define DEVICES 5
static tally_context *reference, *device[DEVICES];
static _Alignas(64) unsigned char input[2 * MOST * 16], other[2 * MOST * 16], mask[2 * MOST];
static _Alignas(64) unsigned char want[2 * MOST * 16 + 64], got[2 * MOST * 16 + 64];

struct order {
    tally_op op;
    uint32_t flags;
    tally_type type; /* of results */
    int floats;      /* of these alone */
    int reals;       /* not of complex ones */
};

static const struct order orders[] = {
    {TALLY_SUM, TALLY_PLAIN, TALLY_DEFAULT_TYPE, 1, 0},
    {TALLY_MEAN, TALLY_PLAIN, TALLY_DEFAULT_TYPE, 1, 0},
    {TALLY_NORM1, TALLY_PLAIN, TALLY_DEFAULT_TYPE, 1, 0},
    {TALLY_NORM2, TALLY_PLAIN, TALLY_DEFAULT_TYPE, 1, 0},
    {TALLY_DOT, TALLY_PLAIN, TALLY_DEFAULT_TYPE, 1, 0},
    {TALLY_VAR, TALLY_PLAIN, TALLY_DEFAULT_TYPE, 1, 0},
    {TALLY_STD, TALLY_PLAIN, TALLY_DEFAULT_TYPE, 1, 0},
    {TALLY_PROD, 0, TALLY_DEFAULT_TYPE, 1, 0},
    {TALLY_PROD, 0, TALLY_F64, 0, 1},
    {TALLY_LOGSUMEXP, 0, TALLY_DEFAULT_TYPE, 0, 1},
};
#define ORDERS ((int)(sizeof orders / sizeof orders[0]))

static int is_float(tally_type type)
{
    return type >= TALLY_F16 && type <= TALLY_C128;
}

static int is_complex(tally_type type)
{
    return type == TALLY_C64 || type == TALLY_C128;
}

static int has(const struct order *order, tally_type type)
{
    if (order->floats && !is_float(type)) return 0;
    return !order->reals || !is_complex(type);
}

/* Factors whose products stay in range, and are rounded. */
static void fill_near_one(tally_type type, unsigned char *to, int64_t n)
{
    const int64_t parts = is_complex(type) ? 2 : 1, size = (int64_t)tally_type_size(type) / parts;
    const tally_type part = !is_complex(type) ? type : type == TALLY_C64 ? TALLY_F32 : TALLY_F64;
    for (int64_t i = 0; i < n * parts; i++) {
        const double u = exp2((test_random_uniform() - 0.5) * 0.05), sign = test_random_below(2) ? 1 : -1;
        if (is_float(type)) {
            data_put_real(part, to, i, sign * u * (parts == 2 ? sqrt(0.5) : 1));
        } else {
            memset(to + i * size, 0, (size_t)size);
            to[i * size] = type != TALLY_BOOL && test_random_below(8) == 0 ? 3 : 1;
        }
    }
}

/* One element, or a part of one, that is infinite, NaN, zero or far from all others. */
static void put_strange(tally_type type, unsigned char *to, int64_t n)
{
    static const double strange[] = {900, -900, 3000,  -3000, INFINITY, -INFINITY, NAN,
                                     2e6, -2e6, 1e200, 1e30,  1e-30,    0.0,       -0.0};
    const int64_t parts = is_complex(type) ? 2 : 1;
    const tally_type part = !is_complex(type) ? type : type == TALLY_C64 ? TALLY_F32 : TALLY_F64;
    data_put_real(part, to, (int64_t)test_random_below((uint64_t)(n * parts)), strange[test_random_below(14)]);
}

/* Units and zeros of both signs, which show how often an identity was joined. */
static void fill_zeros(tally_type type, unsigned char *to, int64_t n)
{
    static const double values[] = {0.0, -0.0, 1, -1};
    for (int64_t i = 0; i < 2 * n; i++)
        data_put_real(type == TALLY_C64 ? TALLY_F32 : TALLY_F64, to, i, values[test_random_below(4)]);
}

static void fill(const struct order *order, tally_type type, unsigned char *to, int64_t n)
{
    const uint64_t kind = test_random_below(DATA_KINDS + 4);
    if (kind == DATA_TIES && is_complex(type)) {
        fill_zeros(type, to, n);
        return;
    }
    if (kind < DATA_KINDS) {
        data_fill(type, (enum data_kind)kind, to, n);
        return;
    }
    if (order->op == TALLY_LOGSUMEXP && is_float(type)) {
        for (int64_t i = 0; i < n; i++) data_put_real(type, to, i, test_random_uniform() * 100 - 50);
    } else {
        fill_near_one(type, to, n);
    }
    for (uint64_t k = kind - DATA_KINDS; k > 0 && is_float(type); k--) put_strange(type, to, n);
}

/* What a call has beside its input. */
struct extras {
    int masked, skip, initial, strided_out;
};

static struct extras extras_random(void)
{
    struct extras extras = {0, 0, 0, 0};
    if (test_random_below(5) == 0) extras.masked = 1;
    if (test_random_below(5) == 0) extras.skip = 1;
    if (test_random_below(3) == 0) extras.initial = 1;
    if (test_random_below(4) == 0) extras.strided_out = 1;
    return extras;
}

static void check(const struct order *order, const tally_array *x, const int32_t *axes, int32_t axis_count,
                  struct extras extras)
{
    _Alignas(16) unsigned char initial[16];
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array y = *x, where = *x, out;
    y.data = other, where.data = mask, where.type = TALLY_BOOL;
    options.axes = axes, options.axis_count = axis_count, options.type = order->type;
    options.flags = order->flags | (extras.skip ? TALLY_SKIP_NAN : 0);
    if (order->op == TALLY_DOT) options.second = &y;
    if (extras.masked) options.where = &where;
    CHECK(tally_result_like(TALLY_REDUCE, order->op, x, &options, &out) == TALLY_OK);
    fill_near_one(out.type, initial, 1);
    int takes = order->op == TALLY_SUM || order->op == TALLY_DOT || order->op == TALLY_PROD;
    if (extras.initial && (takes || order->op == TALLY_LOGSUMEXP)) options.initial = initial;
    size_t bytes = 2 * tally_type_size(out.type); /* the results', with gaps, and some beyond */
    for (int32_t d = 0; d < out.rank; d++) bytes *= (size_t)out.shape[d];
    bytes += 64;
    for (int32_t d = 0; d < out.rank && extras.strided_out; d++) out.strides[d] *= 2;
    memset(want, 0xa5, bytes);
    out.data = want;
    CHECK(tally_reduce(reference, order->op, x, &out, &options) == TALLY_OK);
    out.data = got;
    for (int d = 0; d < DEVICES; d++) {
        memset(got, 0xa5, bytes);
        const tally_status status = tally_reduce(device[d], order->op, x, &out, &options);
        if (!CHECK(status == TALLY_OK && memcmp(got, want, bytes) == 0))
            fprintf(stderr, "%s of %s, %lld x %lld x %lld, mask %d, skip %d, initial %d, out %d, device %d\n",
                    tally_op_name(order->op), tally_type_name(x->type), (long long)x->shape[0], (long long)x->shape[1],
                    (long long)x->shape[2], extras.masked, extras.skip, extras.initial, extras.strided_out, d);
    }
}

/* The middle axis; step: between columns, gap: between rows. */
static void check_columns(const struct order *order, tally_type type, int64_t outer, int64_t length, int64_t inner,
                          int64_t step, int64_t gap, struct extras extras)
{
    const int64_t shape[] = {outer, length, inner}, row = inner * step + gap, n = outer * length * row;
    const int32_t axis = 1;
    tally_array x = tally_shaped(input, type, 3, shape);
    x.strides[0] = length * row, x.strides[1] = row, x.strides[2] = step;
    if (n > 2 * MOST) return;
    fill(order, type, input, n);
    if (order->op == TALLY_DOT) fill(order, type, other, n);
    for (int64_t i = 0; i < n; i++) mask[i] = test_random_below(4) != 0;
    check(order, &x, &axis, 1, extras);
}

/* Two kept axes and two reduced ones in turns, and columns that are read backward. */
static void check_nest(const struct order *order, tally_type type)
{
    const int64_t shape[] = {5, 3, 60, 40};
    const int32_t axes[] = {0, 2};
    tally_array x = tally_shaped(input, type, 4, shape);
    fill(order, type, input, 5 * 3 * 60 * 40);
    fill(order, type, other, 5 * 3 * 60 * 40);
    check(order, &x, axes, 2, (struct extras){0, 0, 0, 0});
    x.strides[2] = -x.strides[2];
    x.data = input + 59 * 40 * tally_type_size(type);
    if (order->op != TALLY_DOT) check(order, &x, axes, 2, (struct extras){0, 0, 1, 1});
}

static void check_all(const struct order *order, tally_type type)
{
    static const int64_t widths[] = {1, 2, 3, 15, 16, 17, 31, 33, 100, 127, 128, 129, 255, 256, 257, 300, 513};
    static const int64_t lengths[] = {1, 2, 3, 7, 8, 9, 63, 64, 65, 127, 128, 129, 130, 191, 192, 193, 255, 256, 300};
    static const int64_t longs[] = {4095, 4096, 4097, 4224, 8191, 8192, 8193, 12289, 20481};
    static const struct extras none = {0, 0, 0, 0};
    for (int k = 0; k < 20; k++) {
        const int64_t length = k % 2 ? lengths[test_random_below(19)] : 1 + (int64_t)test_random_below(300);
        const int64_t outer = 1 + (int64_t)test_random_below(3);
        int64_t inner = widths[test_random_below(17)];
        while (outer * length * inner > 20000 && inner > 1) inner /= 2;
        check_columns(order, type, outer, length, inner, 1, k % 5 == 0, k % 3 == 0 ? extras_random() : none);
    }
    const int64_t length = 1 + (int64_t)test_random_below(300), length_of_view = 1 + (int64_t)test_random_below(70);
    check_columns(order, type, 1 + (int64_t)test_random_below(300), 1 + (int64_t)test_random_below(70), 1, 1, 0, none);
    check_columns(order, type, 20000 / length, length, 1, 1, 0, none);
    check_columns(order, type, 2, length_of_view, 80, 2, 3, none);
    check_columns(order, type, 1, longs[test_random_below(9)], 2 + (int64_t)test_random_below(3), 1, 0, none);
    check_columns(order, type, 1, longs[test_random_below(7)], 16 + (int64_t)test_random_below(4), 1, 1, none);
    check_nest(order, type);
}

/* More cells of several leaves than go at once: each begins two rows below the one before. */
static void check_many(void)
{
    enum { ROWS = 4097, COLUMNS = 2, CELLS = 140000 }; /* whose totals take 102 MiB */
    static double variances[CELLS * COLUMNS];
    const int64_t shape[] = {CELLS, ROWS, COLUMNS};
    const int32_t axis = 1;
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array x = tally_shaped(input, TALLY_F64, 3, shape), out;
    data_fill(TALLY_F64, DATA_ORDINARY, input, (2 * CELLS + ROWS) * COLUMNS);
    x.strides[0] = 2 * COLUMNS;
    options.axes = &axis, options.axis_count = 1, options.flags = TALLY_PLAIN;
    CHECK(tally_result_like(TALLY_REDUCE, TALLY_VAR, &x, &options, &out) == TALLY_OK);
    out.data = variances;
    CHECK(tally_reduce(device[4], TALLY_VAR, &x, &out, &options) == TALLY_OK);
    x.shape[0] = out.shape[0] = 1;
    for (int64_t cell = 0; cell < CELLS; cell += 1 + (int64_t)test_random_below(3000)) {
        x.data = input + (size_t)(2 * cell * COLUMNS) * sizeof(double);
        out.data = want;
        CHECK(tally_reduce(reference, TALLY_VAR, &x, &out, &options) == TALLY_OK);
        CHECK(memcmp(variances + cell * COLUMNS, want, COLUMNS * sizeof *variances) == 0);
    }
}

int main(void)
{
    static const char *const isas[] = {"base", "avx2", "avx512"};
    CHECK(tally_open("reference", &reference) == TALLY_OK);
    for (int d = 0; d < DEVICES; d++) {
        if (d < 3) setenv("TALLY_CPU_ISA", isas[d], 1);
        else unsetenv("TALLY_CPU_ISA");
        CHECK(tally_open(d < 4 ? "cpu:1" : "cpu:3", &device[d]) == TALLY_OK);
    }
    for (tally_type type = TALLY_BOOL; type <= TALLY_C128; type++) {
        CASE(tally_type_name(type))
        {
            for (int o = 0; o < ORDERS; o++) {
                if (has(&orders[o], type)) check_all(&orders[o], type);
            }
        }
    }
    CASE("more than go at once") check_many();
    for (int d = 0; d < DEVICES; d++) CHECK(tally_close(device[d]) == TALLY_OK);
    CHECK(tally_close(reference) == TALLY_OK);
    return test_finish("columns_ordered");
}
