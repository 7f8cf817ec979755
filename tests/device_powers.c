/* SPDX-License-Identifier: MIT
 *
 * device_powers.c - logsumexp of whole leaves of the fixed-shape tree: the device gives the bits of the CPU, whose
 * numbers are near those of long doubles. Elements near each other and far apart, NaN, infinities, integers that a
 * table has and that it lacks. TALLY_TEST_DEVICE   the device (simt) TALLY_TEST_FULL     all lengths, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "data.h"
#include "device.h"

#include <math.h>
#include <string.h>

enum { LEAF = 4096, MOST = 40 * LEAF, CELLS = 24, FLOAT_KINDS = 18, INTEGER_KINDS = 12 };

static _Alignas(64) unsigned char host_x[MOST * 8];
static long double value[MOST]; /* of the elements, as they were stored */
static unsigned char mask[MOST], *far_x, *far_mask, *far_out;
static char section[200];

static double uniform(void)
{
    return (double)test_random_below(1 << 20) / (1 << 20);
}

static double float_value(tally_type type, int kind, int64_t i)
{
    double most = type == TALLY_F16 ? 60000 : type == TALLY_F64 ? 1e300 : 1e30, reach = type == TALLY_F64 ? 3000 : 300;
    switch (kind) {
    case 0: return 10 * uniform() - 5;
    case 1: return (type == TALLY_BF16 ? 128 : 4096) + uniform();
    case 2: return reach * (uniform() - 0.5);                 /* more than fit */
    case 3: return (i / LEAF % 2 ? 1000 : -1000) + uniform(); /* each guess is wrong */
    case 4: return i == LEAF + 77 ? NAN : uniform();
    case 5: return uniform() < 0.02 ? -INFINITY : uniform();
    case 6: return i == LEAF + 77 ? INFINITY : uniform();
    case 7: return uniform() < 0.001 ? most * uniform() : uniform();
    case 8: return (double)i * (type == TALLY_F16 ? 0.1 : 0.02);   /* each is the largest one */
    case 9: return (double)i * (type == TALLY_F16 ? -0.1 : -0.02); /* the first one is */
    case 10: return -INFINITY;
    case 11: return (i / LEAF % 3 == 1 ? 60 : 0) + (i % 5 ? 0.5 : 25.0 * (double)(i % 7)); /* many that are equal */
    case 12: return i % LEAF == 4 ? NAN : 1 + uniform(); /* at a thread's first element */
    case 13: return i == LEAF + 124 ? NAN : i == 0 ? 900 : 5 + uniform();
    case 14: return type == TALLY_F64 && i == 1000 ? -4294966906 * 0.69314718055994531 : 0; /* 2^32 halvings away */
    case 15: return type == TALLY_F64 && i == 1000 ? 2977044056 : 0;
    case 16: return i % 1000 == 0 ? -INFINITY : uniform(); /* the first of leaves, or of rows */
    default: return i % 2 ? -0.0 : 0.0;
    }
}

static int64_t integer_value(tally_type type, int kind, int64_t i)
{
    int bytes = (int)tally_type_size(type),
        is_signed = type == TALLY_I8 || type == TALLY_I16 || type == TALLY_I32 || type == TALLY_I64;
    int64_t most = bytes == 8 ? (is_signed ? INT64_MAX : -1) : ((int64_t)1 << (8 * bytes - is_signed)) - 1;
    int64_t least = !is_signed ? 0 : bytes == 8 ? INT64_MIN : -((int64_t)1 << (8 * bytes - 1));
    int64_t high = bytes == 1 ? 100 : bytes == 2 ? 30000 : bytes == 4 ? 2000000000 : (int64_t)1 << 62;
    switch (kind) {
    case 0: return (int64_t)test_random_below(100);
    case 1: return high + (int64_t)test_random_below(20);
    case 2: return (int64_t)(test_random_below(UINT32_MAX) << 32 | test_random_below(UINT32_MAX));
    case 3: return i % 3 ? (int64_t)test_random_below(50) * 62 : (int64_t)test_random_below(50) * 67; /* apart or not */
    case 4: return high - i / 128 * (bytes == 1 ? 1 : 70);            /* the first one is the largest */
    case 5: return i / 128 % 32 * 64 + (i % 128 == 5 && i / 128 % 2); /* each is, far or not */
    case 6: return i == LEAF + 3 ? high : is_signed ? -high : 0;
    case 7: return high - (int64_t)test_random_below(bytes == 1 ? 50 : 9000);
    case 8: return i == LEAF + 5 ? least + 5 : most - i % 50; /* both ends of the type */
    case 9: return i == 7 ? most : least + i % 50;
    case 10: return ((int64_t)5 << 60) + 512 + i % 300 - 150; /* about a border between doubles */
    default: return 1767225600000000000 + (i + 350) % 700;
    }
}

static void fill(tally_type type, int kind, int64_t n)
{
    size_t size = tally_type_size(type);
    for (int64_t i = 0; i < n; i++) {
        int64_t whole = integer_value(type, kind % INTEGER_KINDS, i); /* its low bytes are of every type */
        if (type >= TALLY_F16) data_put_real(type, host_x, i, float_value(type, kind, i));
        else if (type == TALLY_BOOL) host_x[i] = whole & 1;
        else memcpy(host_x + size * (size_t)i, &whole, size);
    }
}

/* The elements as f64, by the library's own conversion: a reduction of nothing. */
static void read_back(tally_type type, int64_t n)
{
    static double copy[MOST];
    static const int32_t none;
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array x = tally_vector(host_x, type, n), out = tally_vector(copy, TALLY_F64, n);
    options.axes = &none;
    options.type = TALLY_F64;
    CHECK(tally_reduce(judge, TALLY_SUM, &x, &out, &options) == TALLY_OK);
    for (int64_t i = 0; i < n; i++) value[i] = copy[i];
}

static long double expected(int64_t n)
{
    long double largest = -INFINITY, sum = 0;
    for (int64_t i = 0; i < n; i++) {
        if (isnan(value[i])) return NAN;
        largest = value[i] > largest ? value[i] : largest;
    }
    if (isinf(largest)) return largest;
    for (int64_t i = 0; i < n; i++) sum += expl(value[i] - largest);
    return largest + logl(sum);
}

/* Of a matrix, along one axis. */
static void compare(tally_type type, int64_t rows, int64_t n, int32_t axis, int masked)
{
    double want[CELLS], got[CELLS];
    int64_t shape[2] = {rows, n}, cells = axis == 1 ? rows : n;
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array x = tally_shaped(host_x, type, 2, shape), where = tally_shaped(mask, TALLY_BOOL, 2, shape);
    tally_array out = tally_shaped(want, TALLY_F64, 1, &cells);
    options.axes = &axis;
    options.axis_count = 1;
    options.type = TALLY_F64;
    options.flags = masked ? TALLY_SKIP_NAN : 0;
    if (masked) options.where = &where;
    CHECK(tally_reduce(judge, TALLY_LOGSUMEXP, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, far_x, host_x, (size_t)(rows * n) * tally_type_size(type)) == TALLY_OK);
    if (masked) CHECK(tally_copy(device, far_mask, mask, (size_t)(rows * n)) == TALLY_OK);
    x.data = far_x;
    where.data = far_mask;
    out.data = far_out;
    CHECK(tally_reduce(device, TALLY_LOGSUMEXP, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, got, far_out, sizeof *got * (size_t)cells) == TALLY_OK);
    CHECK(memcmp(got, want, sizeof *got * (size_t)cells) == 0);
}

/* The CPU's result, of few enough elements. */
static void judge_judge(tally_type type, int64_t n)
{
    double v = 0;
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array x = tally_vector(host_x, type, n), out = tally_shaped(&v, TALLY_F64, 0, NULL);
    options.type = TALLY_F64;
    CHECK(tally_reduce(judge, TALLY_LOGSUMEXP, &x, &out, &options) == TALLY_OK);
    read_back(type, n);
    long double want = expected(n), unit = type >= TALLY_F16 && type != TALLY_F64 ? 0x1p-23L : 0x1p-52L;
    long double off = fabsl((long double)v - want), size = fabsl(want);
    int near = off <= 4 * unit + size * 0x1p-52L; /* of the sum, and of the result as a double */
    CHECK(isfinite((double)want) ? near : isnan((double)want) ? isnan(v) : v == (double)want);
}

static void check_type(tally_type type)
{
    static const int64_t lengths[] = {3 * LEAF + 5, 20 * LEAF + 777, LEAF, MOST};
    static const struct {
        int64_t rows, n;
        int32_t axis;
        int masked;
    } views[] = {{3, 2 * LEAF + 112, 1, 0}, {20, 1000, 1, 0}, {2, LEAF + 77, 1, 1}, {3000, 5, 0, 0}, {24, 99, 1, 0}};
    int kinds = type >= TALLY_F16 ? FLOAT_KINDS : type == TALLY_BOOL ? 1 : INTEGER_KINDS;
    for (int kind = 0; kind < kinds; kind++) {
        for (int l = 0; l < (device_full() ? 4 : 2); l++) {
            snprintf(section, sizeof section, "%s, kind %d, %lld elements", tally_type_name(type), kind,
                     (long long)lengths[l]);
            test.section = section;
            fill(type, kind, lengths[l]);
            compare(type, 1, lengths[l], 1, 0);
            if (l == 0) judge_judge(type, lengths[l]);
        }
        for (int v = 0; v < (int)(sizeof views / sizeof *views); v++) {
            if (!device_full() && (kind + v) % 3) continue;
            snprintf(section, sizeof section, "%s, kind %d, view %d", tally_type_name(type), kind, v);
            fill(type, kind, views[v].rows * views[v].n);
            compare(type, views[v].rows, views[v].n, views[v].axis, views[v].masked);
        }
    }
}

int main(void)
{
    static const tally_type types[] = {TALLY_F32, TALLY_F64, TALLY_F16, TALLY_BF16, TALLY_I8,  TALLY_U8, TALLY_BOOL,
                                       TALLY_I16, TALLY_U16, TALLY_I32, TALLY_U32,  TALLY_I64, TALLY_U64};
    if (!device_open("cpu")) return test_left_out("device_powers", tally_last_error());
    far_x = device_room(MOST * 8);
    far_mask = device_room(MOST);
    far_out = device_room(sizeof(double) * CELLS);
    for (int64_t i = 0; i < MOST; i++) mask[i] = test_random_below(5) > 0;
    for (int t = 0; t < (int)(sizeof types / sizeof *types); t++) {
        if (test_in_part(t)) check_type(types[t]);
    }
    device_close();
    return test_finish("device_powers");
}
