/* SPDX-License-Identifier: MIT
 *
 * device_short.c - many short rows and columns on a device give the bits of the reference engine: every length around
 * those of vectors, teams and lines, odd numbers of cells, any alignment, numbers that cannot be summed as doubles.
 *   TALLY_TEST_DEVICE   the device (simt) */
#define _POSIX_C_SOURCE 200809L
#include "device.h"
#include "patches.h"

#define ROOM (1 << 24)
#define SMALL (1 << 16) /* bytes of most problems */

static tally_type result; /* of all reductions; 0: as by default */
static uint32_t flags;    /* of all reductions */
static _Alignas(64) unsigned char room[ROOM], want[ROOM], got[ROOM];
static unsigned char *far, *far_out;
static char where_text[200];

/* Elements start `offset` after an aligned address. */
static void compare(tally_op op, tally_type type, int64_t rows, int64_t columns, int32_t axis, int64_t offset)
{
    size_t size = tally_type_size(type);
    tally_array x = tally_matrix(room + (size_t)offset * size, type, rows, columns), like;
    tally_options options = TALLY_OPTIONS_INIT;
    if (!device_parted(op, type)) return;
    options.axes = &axis;
    options.axis_count = 1;
    options.type = result;
    options.flags = flags;
    snprintf(where_text, sizeof where_text, "%s of %s, %lld x %lld, axis %d, offset %d", tally_op_name(op),
             tally_type_name(type), (long long)rows, (long long)columns, (int)axis, (int)offset);
    test.section = where_text;
    CHECK(tally_result_like(TALLY_REDUCE, op, &x, &options, &like) == TALLY_OK);
    size_t each = tally_type_size(like.type), bytes = (size_t)like.shape[0] * each;
    memset(want, 0xab, bytes + 16);
    memset(got, 0xab, bytes + 16);
    like.data = want;
    CHECK(tally_reduce(judge, op, &x, &like, &options) == TALLY_OK);
    CHECK(tally_copy(device, far, room, ROOM) == TALLY_OK);
    CHECK(tally_copy(device, far_out, got, bytes + 16) == TALLY_OK);
    x.data = far + (size_t)offset * size;
    like.data = far_out;
    CHECK(tally_reduce(device, op, &x, &like, &options) == TALLY_OK);
    CHECK(tally_copy(device, got, far_out, bytes + 16) == TALLY_OK);
    device_same(got, want, bytes + 16, each);
}

/* Matrices of rows and of columns of one length, of few and of more cells than a block takes. */
static void one_length(tally_op op, tally_type type, int64_t length, int64_t cells)
{
    int64_t size = (int64_t)tally_type_size(type), most = SMALL / size;
    if (cells * length > most) cells = most / length;
    patches_fill(type, room, cells * length + 8);
    compare(op, type, cells, length, 1, 0);
    compare(op, type, length, cells, 0, 0);
    cells = cells / 4 + 1;
    compare(op, type, cells, length, 1, (int64_t)test_random_below(8));
    compare(op, type, length, cells / 8 * 8 + 8 > most / length ? cells : cells / 8 * 8 + 8, 0, 0);
    compare(op, type, length, cells / 2 * 2, 0, (int64_t)test_random_below(3));
}

/* Running results of one element each. */
static void lone_scans(tally_op op, tally_type type)
{
    int64_t cells = 1001 + (int64_t)test_random_below(3000), offset = (int64_t)test_random_below(3);
    size_t size = tally_type_size(type);
    tally_array x = tally_matrix(room + (size_t)offset * size, type, 1, cells), like;
    tally_options options = TALLY_OPTIONS_INIT;
    if (!device_parted(op, type)) return;
    options.axes = &(int32_t){0};
    options.axis_count = 1;
    snprintf(where_text, sizeof where_text, "running %s of %s, 1 x %lld, offset %d", tally_op_name(op),
             tally_type_name(type), (long long)cells, (int)offset);
    test.section = where_text;
    patches_fill(type, room, cells + 8);
    CHECK(tally_result_like(TALLY_SCAN, op, &x, &options, &like) == TALLY_OK);
    size_t each = tally_type_size(like.type), bytes = (size_t)cells * each;
    memset(want, 0xab, bytes + 16);
    memset(got, 0xab, bytes + 16);
    like.data = want;
    CHECK(tally_scan(judge, op, &x, &like, &options) == TALLY_OK);
    CHECK(tally_copy(device, far, room, ROOM) == TALLY_OK);
    CHECK(tally_copy(device, far_out, got, bytes + 16) == TALLY_OK);
    x.data = far + (size_t)offset * size;
    like.data = far_out;
    CHECK(tally_scan(device, op, &x, &like, &options) == TALLY_OK);
    CHECK(tally_copy(device, got, far_out, bytes + 16) == TALLY_OK);
    device_same(got, want, bytes + 16, each);
}

/* Few different values, with a NaN here and there; and nothing but the worst. */
static void searches(tally_op op, tally_type type, int64_t length, int64_t cells, int simulated)
{
    static const unsigned char lowest[TALLY_C128 + 1][16] = {[TALLY_I8] = {0x80},
                                                             [TALLY_F16] = {0, 0xfc},
                                                             [TALLY_F32] = {0, 0, 0x80, 0xff},
                                                             [TALLY_F64] = {0, 0, 0, 0, 0, 0, 0xf0, 0xff}};
    int64_t size = (int64_t)tally_type_size(type), n = cells * length;
    for (int kind = 0; kind < 2; kind++) {
        data_fill(type, DATA_TIES, room, n + 8);
        for (int64_t i = 0; i < n && type == TALLY_F32; i += 1 + (int64_t)test_random_below(3000))
            ((float *)(void *)room)[i] = NAN;
        for (int64_t i = 0; kind && i < n; i++) {
            if (i / 50 % 3 == 0) memcpy(room + i * size, lowest[type], (size_t)size);
        }
        compare(op, type, cells, length, 1, 0);
        compare(op, type, length, cells, 0, 0);
        if (!simulated || kind == 0) compare(op, type, cells / 4 + 1, length, 1, 1);
        if (!simulated || kind == 0) compare(op, type, length, cells / 2 * 2 + 1, 0, 1);
    }
}

/* A mean in the middle between two doubles, in every row. */
static void middle(void)
{
    const double ulp = ldexp(1, -52);
    double *x = (double *)(void *)room;
    for (int64_t i = 0; i < 333; i++) x[3 * i] = 0.75 + ulp / 2, x[3 * i + 1] = 1.5, x[3 * i + 2] = 1.5 + ulp;
    compare(TALLY_MEAN, TALLY_F64, 333, 3, 1, 0);
}

/* Sums just above 2^53 units of their smallest number, and just above the middle between two floats: a double loses
 * what decides. 2^k numbers are as large as they can be; n >= 2^k + 2. */
static void beyond(int64_t n, int64_t cells, int k, int32_t axis)
{
    float *x = (float *)(void *)room;
    for (int64_t cell = 0; cell < cells; cell++) {
        for (int64_t i = 0, m = (int64_t)1 << k; i < n; i++) {
            int64_t at = (i + cell) % n;
            float v = i < m        ? (float)ldexp(16777215, 29 - k)
                      : i == m     ? (float)ldexp(127, 23)
                      : i == m + 1 ? 8388609
                                   : 0;
            x[axis == 1 ? cell * n + at : at * cells + cell] = v;
        }
    }
    compare(TALLY_SUM, TALLY_F32, axis == 1 ? cells : n, axis == 1 ? n : cells, axis, 0);
}

/* Matrices so wide that a thread goes through long columns, too. */
static void long_columns(int simulated)
{
    static const int64_t lengths[] = {17, 24, 64};
    for (int k = 0; k < (simulated ? 3 : 2); k++) {
        int64_t cells = simulated ? 4096 : 160000;
        patches_fill(TALLY_F32, room, lengths[k] * cells);
        compare(TALLY_SUM, TALLY_F32, lengths[k], cells, 0, 0);
        compare(TALLY_MAX, TALLY_F32, lengths[k], cells, 0, 0);
        beyond(lengths[k], cells, 4, 0);
        beyond(lengths[k], cells, 0, 0);
    }
}

static void all_searches(int simulated)
{
    static const int64_t lengths[] = {2, 3, 8, 16, 33, 64, 255, 1000, 1024, 2048};
    static const struct {
        tally_op op;
        tally_type type;
    } few[] = {{TALLY_ARGMAX, TALLY_F32}, {TALLY_ARGMAX, TALLY_I8},  {TALLY_ARGMAX, TALLY_F16},
               {TALLY_ARGMIN, TALLY_F64}, {TALLY_ARGMIN, TALLY_U16}, {TALLY_ARGMIN, TALLY_BOOL},
               {TALLY_ARGMIN, TALLY_F32}, {TALLY_ARGMIN, TALLY_I8},  {TALLY_ARGMAX, TALLY_U8}};
    for (size_t k = 0; k < sizeof few / sizeof *few; k++) {
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            if (simulated && (k ? (i + k) % 5 != 0 : i % 2 == 0)) continue;
            searches(few[k].op, few[k].type, lengths[i], 40 + SMALL / 8 / lengths[i], simulated);
        }
    }
    for (int64_t n = 17; n <= 65; n += 24) {
        data_fill(TALLY_F32, DATA_TIES, room, n * 4096);
        compare(TALLY_ARGMAX, TALLY_F32, n, 4096, 0, 0);
    }
}

/* Rows without what the kernels of short ones take: whole vectors, and a few elements behind them. */
static void leaving_out(tally_type type)
{
    flags = TALLY_SKIP_NAN;
    for (int64_t n = 9; n <= 73; n += 4) {
        patches_fill(type, room, 100 * n);
        compare(TALLY_SUM, type, 100, n, 1, 0);
    }
    flags = 0;
}

static int64_t random_cells(void)
{
    return 1 + 2 * (int64_t)test_random_below(test_random_below(3) ? 700 : 3000);
}

int main(void)
{
    static const struct {
        tally_op op;
        tally_type type;
    } few[] = {{TALLY_MAX, TALLY_F32},      {TALLY_MEAN, TALLY_F32},   {TALLY_SUM, TALLY_F64},
               {TALLY_MEAN, TALLY_F64},     {TALLY_SUM, TALLY_F16},    {TALLY_MEAN, TALLY_BF16},
               {TALLY_MAX, TALLY_I8},       {TALLY_SUM, TALLY_I8},     {TALLY_NORM1, TALLY_F32},
               {TALLY_SUM, TALLY_I32},      {TALLY_ANY, TALLY_F16},    {TALLY_MIN, TALLY_I64},
               {TALLY_MEAN, TALLY_I64},     {TALLY_MEAN, TALLY_I32},   {TALLY_MEAN, TALLY_U8},
               {TALLY_MEAN, TALLY_U64},     {TALLY_ANY, TALLY_C128},   {TALLY_COUNT_NONZERO, TALLY_C64},
               {TALLY_NORMINF, TALLY_C128}, {TALLY_VAR, TALLY_I8},     {TALLY_STD, TALLY_U8},
               {TALLY_VAR, TALLY_U16},      {TALLY_VAR, TALLY_BOOL},   {TALLY_STD, TALLY_I16},
               {TALLY_NORM1, TALLY_U8},     {TALLY_NORM1, TALLY_BOOL}, {TALLY_NORM1, TALLY_U64},
               {TALLY_NORM1, TALLY_I8},     {TALLY_NORM1, TALLY_I16},  {TALLY_NORM1, TALLY_I32},
               {TALLY_NORM1, TALLY_I64},    {TALLY_NORM2, TALLY_I8},   {TALLY_NORM2, TALLY_U16},
               {TALLY_NORM2, TALLY_BOOL}},
      lone[] = {{TALLY_PROD, TALLY_BF16}, {TALLY_LOGSUMEXP, TALLY_U16}, {TALLY_SUM, TALLY_F32}, {TALLY_SUM, TALLY_F64},
                {TALLY_PROD, TALLY_C64},  {TALLY_MAX, TALLY_BOOL},      {TALLY_SUM, TALLY_I8},  {TALLY_ANY, TALLY_F32}};
    static const int64_t lengths[] = {2,   3,   4,   5,   8,   12,  16,  20,  33,   64,
                                      100, 127, 128, 129, 255, 256, 500, 512, 1000, 1024};
    int simulated = device_simulated();
    if (!device_open("reference")) return test_left_out("device_short", tally_last_error());
    far = device_room(ROOM), far_out = device_room(ROOM);
    for (int64_t n = 1; n <= 70; n++) one_length(TALLY_SUM, TALLY_F32, n, random_cells());
    for (size_t k = 0; k < sizeof few / sizeof *few; k++) one_length(few[k].op, few[k].type, 1, random_cells());
    for (size_t k = 0; k < sizeof lone / sizeof *lone; k++) lone_scans(lone[k].op, lone[k].type);
    for (size_t i = 11; i < sizeof lengths / sizeof *lengths; i++)
        one_length(TALLY_SUM, TALLY_F32, lengths[i], random_cells());
    middle();
    all_searches(simulated);
    for (int64_t n = 3; n <= 100; n += n < 16 ? 1 : 21) {
        int k = 0;
        while ((int64_t)2 << k <= n - 2) k++;
        beyond(n, 35, k, 1);
        beyond(n, 35, 0, 1);
        if (n <= 16) beyond(n, 35, k, 0);
    }
    long_columns(simulated);
    leaving_out(TALLY_F32);
    result = TALLY_F64;
    for (int64_t n = 3; n <= (simulated ? 4 : 70); n++) one_length(TALLY_SUM, TALLY_F32, n, random_cells());
    result = TALLY_DEFAULT_TYPE;
    for (size_t k = 0; k < sizeof few / sizeof *few; k++) {
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            int thin = simulated && (i + k) % 9 != 0; /* compiling takes its time */
            if (thin && !(few[k].type >= TALLY_C64 && i == 4)) continue;
            one_length(few[k].op, few[k].type, lengths[i], random_cells());
        }
    }
    device_close();
    return test_finish("device_short");
}
