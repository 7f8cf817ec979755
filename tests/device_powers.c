/* SPDX-License-Identifier: MIT
 *
 * device_powers.c - logsumexp of whole leaves of the fixed-shape tree: the device gives the bits of the CPU, whose
 * numbers are near those of long doubles. Elements near each other and far apart, NaN, infinities, integers that a
 * table has and that it lacks. TALLY_TEST_DEVICE   the device (simt) TALLY_TEST_FULL     all lengths, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "device.h"
#include "powers.h"

enum { MOST = 40 * LEAF, CELLS = 24, MANY = 20000 };

static _Alignas(64) unsigned char host_x[MOST * 8];
static long double value[MOST]; /* of the elements, as they were stored */
static unsigned char mask[MOST], *far_x, *far_mask, *far_out;
static char section[200];

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

/* Of a view of `elements` from element `begin` on; nothing is written around its results. */
static void compare_view(tally_array x, const int32_t *axes, int32_t axis_count, int64_t begin, int64_t elements)
{
    static unsigned char want[(MANY + 2) * 8], got[(MANY + 2) * 8];
    size_t size = tally_type_size(x.type);
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array out;
    options.axes = axes;
    options.axis_count = axis_count;
    CHECK(tally_result_like(TALLY_REDUCE, TALLY_LOGSUMEXP, &x, &options, &out) == TALLY_OK);
    size_t each = tally_type_size(out.type), bytes = each * (size_t)(out.shape[0] + 2);
    x.data = host_x + (size_t)begin * size;
    out.data = want + each;
    memset(want, 0xab, sizeof want);
    memset(got, 0xab, sizeof got);
    CHECK(tally_reduce(judge, TALLY_LOGSUMEXP, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, far_x, host_x, (size_t)(begin + elements) * size) == TALLY_OK);
    CHECK(tally_copy(device, far_out, got, bytes) == TALLY_OK);
    x.data = far_x + (size_t)begin * size;
    out.data = far_out + each;
    CHECK(tally_reduce(device, TALLY_LOGSUMEXP, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, got, far_out, bytes) == TALLY_OK);
    CHECK(memcmp(got, want, bytes) == 0);
}

/* Rows that lie `pitch` elements apart; `apart`: from one of a row's elements to the next. */
static void compare_rows(tally_type type, int64_t rows, int64_t n, int64_t pitch, int64_t apart, int64_t begin)
{
    static const int32_t axis = 1;
    int64_t shape[2] = {rows, n};
    tally_array x = tally_shaped(host_x, type, 2, shape);
    x.strides[0] = pitch;
    x.strides[1] = apart;
    compare_view(x, &axis, 1, begin, (rows - 1) * pitch + (n - 1) * apart + 1);
}

/* Axes 0 and 2 of three: short cells and long ones, of runs that are aligned or not, shorter than a row and longer. */
static void check_nests(tally_type type)
{
    static const int64_t shapes[][3] = {{9, 5, 4},     {40, 7, 5},    {30, 6, 100}, {11, 4, 128}, {3, 8, 1363},
                                        {1900, 3, 3},  {2100, 3, 2},  {30, 6, 102}, {900, 3, 5},  {70, 2, 64},
                                        {20, 3, 1001}, {20, 3, 1000}, {2, 2, 4097}};
    static const int32_t axes[] = {0, 2};
    for (int s = 0; s < (int)(sizeof shapes / sizeof *shapes); s++) {
        tally_array x = tally_shaped(host_x, type, 3, shapes[s]);
        int64_t n = x.shape[0] * x.shape[1] * x.shape[2];
        for (int kind = 0; kind < powers_kinds(type); kind++) {
            if (!device_full() && (kind + s) % 4) continue;
            snprintf(section, sizeof section, "%s, kind %d, nest %d", tally_type_name(type), kind, s);
            test.section = section;
            powers_fill(type, kind, host_x, 2 * n + 1);
            compare_view(x, axes, 2, (kind + s) % 2, n);
            tally_array padded = x;
            padded.strides[1] = (x.shape[2] + 3) / 4 * 4;
            padded.strides[0] = padded.strides[1] * x.shape[1];
            compare_view(padded, axes, 2, 0, padded.strides[0] * x.shape[0]);
        }
    }
}

/* Lengths around those of lanes, of rows that are read at once, and of a leaf. */
static void check_rows(tally_type type)
{
    static const int64_t lengths[] = {33, 127, 128, 129, 1000, 1023, 1024, 1153, 2311, 4095, 4096};
    for (int l = 0; l < (int)(sizeof lengths / sizeof *lengths); l++) {
        int64_t n = lengths[l], rows = n < 2048 ? CELLS : 7;
        for (int kind = 0; kind < powers_kinds(type); kind++) {
            if (!device_full() && (kind + l) % 3) continue;
            snprintf(section, sizeof section, "%s, kind %d, rows of %lld", tally_type_name(type), kind, (long long)n);
            test.section = section;
            powers_fill(type, kind, host_x, rows * (n + 4));
            compare_rows(type, rows, n, n, 1, 0);
            compare_rows(type, rows, n, n + 3, 1, 1);
            compare_rows(type, 1, n, n, 1, 3);
            compare_rows(type, 2, n, 2 * n, 2, 1);
        }
    }
    test.section = "several rows of a warp"; /* they overlap */
    powers_fill(type, 2, host_x, MOST);
    compare_rows(type, MANY, 132, 8, 1, 0);
}

/* Integers along rows and down columns: short and long, of whole packs or begun anywhere, of one leaf and several. */
static void check_integers(tally_type type)
{
    static const struct {
        int64_t cells, n;
    } rows[] = {{4000, 2},  {3000, 3},  {1100, 8},  {900, 16},  {700, 17},  {300, 64},
                {130, 128}, {100, 129}, {40, 1000}, {40, 1001}, {30, 1153}, {9, 4095}},
      columns[] = {{4100, 2}, {2004, 8}, {1000, 20}, {999, 33}, {260, 100}, {100, 1000}, {36, 2500}, {16, 8200}};
    for (int s = 0; s < 12 + 8; s++) {
        int is_row = s < 12;
        int64_t cells = is_row ? rows[s].cells : columns[s - 12].cells, n = is_row ? rows[s].n : columns[s - 12].n;
        for (int kind = 0; kind < powers_kinds(type); kind++) {
            if (!device_full() && (kind + s + (int)type) % 3) continue;
            snprintf(section, sizeof section, "%s, kind %d, %lld %s of %lld", tally_type_name(type), kind,
                     (long long)cells, is_row ? "rows" : "columns", (long long)n);
            test.section = section;
            powers_fill(type, kind, host_x, cells * n + 5);
            if (is_row) compare_rows(type, cells, n, n, 1, kind % 2);
            else compare_rows(type, cells, n, 1, cells, kind % 2);
        }
    }
}

/* One that a table lacks, which comes last, first or in between; on either side of the type's ends. */
static void check_outsiders(tally_type type)
{
    enum { ROWS = 40, N = 1000 };
    size_t size = tally_type_size(type);
    for (int k = 0; k < 3; k++) {
        snprintf(section, sizeof section, "%s, outsider %d", tally_type_name(type), k);
        test.section = section;
        powers_fill(type, 0, host_x, ROWS * N);
        memset(host_x + (size_t)(k == 0 ? ROWS * N - 1 : k == 1 ? 1 : 700) * size, 0x7f, size);
        compare_rows(type, ROWS, N, N, 1, 0);
        compare_rows(type, N, ROWS, 1, N, 0);
    }
}

/* Rows whose results are near zero, whose places are far finer than what logarithms are off by; and at zero. */
static void check_near_zero(tally_type type)
{
    enum { ROWS = 4000, N = 4 };
    snprintf(section, sizeof section, "%s, results near zero", tally_type_name(type));
    test.section = section;
    for (int64_t i = 0; i < ROWS * N; i++) {
        double noise = ldexp((double)test_random_below(65) / 64 - 0.5, -(int)(i / N % 24));
        data_put_real(type, host_x, i, noise - (i / N % 3 ? log(4) : i % N ? 40 : 0));
    }
    compare_rows(type, ROWS, N, N, 1, 0);
    compare_rows(type, N, ROWS / 2, 1, N, 0);
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
    for (int kind = 0; kind < powers_kinds(type); kind++) {
        for (int l = 0; l < (device_full() ? 4 : 2); l++) {
            snprintf(section, sizeof section, "%s, kind %d, %lld elements", tally_type_name(type), kind,
                     (long long)lengths[l]);
            test.section = section;
            powers_fill(type, kind, host_x, lengths[l]);
            compare(type, 1, lengths[l], 1, 0);
            int far = type >= TALLY_F16 && kind == FLOAT_KINDS - 1; /* results are off by units of such numbers */
            if (l == 0 && !far) judge_judge(type, lengths[l]);
        }
        for (int v = 0; v < (int)(sizeof views / sizeof *views); v++) {
            if (!device_full() && (kind + v) % 3) continue;
            snprintf(section, sizeof section, "%s, kind %d, view %d", tally_type_name(type), kind, v);
            powers_fill(type, kind, host_x, views[v].rows * views[v].n);
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
    far_out = device_room(sizeof(double) * (MANY + 2));
    for (int64_t i = 0; i < MOST; i++) mask[i] = test_random_below(5) > 0;
    for (int t = 0; t < (int)(sizeof types / sizeof *types); t++) {
        if (test_in_part(t)) check_type(types[t]);
        if (test_in_part(t) && types[t] < TALLY_F16) {
            check_integers(types[t]);
            check_outsiders(types[t]);
            check_nests(types[t]);
        }
        if (!test_in_part(t) || types[t] < TALLY_F16) continue;
        check_near_zero(types[t]);
        check_rows(types[t]);
        check_nests(types[t]);
    }
    device_close();
    return test_finish("device_powers");
}
