/* SPDX-License-Identifier: MIT
 *
 * device_modular.c - sums, products, dots and running results modulo a number on a device give the bits of the
 * reference engine: whole arrays, rows and columns of every plan, masks, initial values, partials and scans.
 *   TALLY_TEST_DEVICE   the device (simt) */
#define _POSIX_C_SOURCE 200809L
#include "device.h"
#include "views.h"

#define MOST (1 << 16)

static uint64_t room_x[MOST], room_y[MOST], want[MOST], got[MOST];
static unsigned char mask[MOST];
static char section[200];

/* Random words, with the largest, the smallest and zero among them. */
static void fill(int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        uint64_t kind = test_random_below(8);
        room_x[i] = kind == 0 ? UINT64_MAX : kind == 1 ? 1ull << 63 : test_random() | 1;
        room_y[i] = kind == 2 ? UINT64_MAX : kind == 3 ? 0x8000000080000000ull : test_random();
        mask[i] = test_random_below(3) > 0;
    }
}

static void name(const char *verb, tally_op op, const tally_array *x, uint64_t p, int32_t axis)
{
    snprintf(section, sizeof section, "%s %s of %s, %lld x %lld, axis %d, modulo %llu", verb, tally_op_name(op),
             tally_type_name(x->type), (long long)x->shape[0], (long long)x->shape[1], (int)axis,
             (unsigned long long)p);
    test.section = section;
}

static void compare(tally_verb verb, tally_op op, const tally_array *x, tally_options *options)
{
    tally_array y = *x, like;
    uint64_t initial = UINT64_MAX - 4;
    y.data = room_y;
    options->second = op == TALLY_DOT ? &y : NULL;
    if (options->initial) options->initial = &initial;
    CHECK(tally_result_like(verb, op, x, options, &like) == TALLY_OK);
    for (int on_device = 0; on_device < 2; on_device++) {
        like.data = on_device ? got : want;
        memset(like.data, 0xab, bytes_of(&like));
        tally_status status =
            (verb == TALLY_REDUCE ? tally_reduce : tally_scan)(on_device ? device : judge, op, x, &like, options);
        if (!CHECK(status == TALLY_OK)) fprintf(stderr, "    %s\n", tally_last_error());
    }
    CHECK(memcmp(got, want, bytes_of(&like)) == 0);
}

static void reduce(tally_op op, tally_type type, uint64_t p, int64_t rows, int64_t columns, int32_t axis)
{
    tally_array x = tally_matrix(room_x, type, rows, columns);
    tally_options options = TALLY_OPTIONS_INIT;
    int32_t axes[] = {axis, 1};
    options.axes = axes;
    options.axis_count = axis < 0 ? 2 : 1; /* axis -2: both */
    options.modulus = p;
    fill(rows * columns);
    name("reduce", op, &x, p, axis);
    compare(TALLY_REDUCE, op, &x, &options);
}

/* Under a mask and with an initial value. */
static void reduce_masked(tally_op op, tally_type type, uint64_t p)
{
    tally_array x = tally_matrix(room_x, type, 40, 70), where = tally_matrix(mask, TALLY_BOOL, 40, 70);
    tally_options options = TALLY_OPTIONS_INIT;
    options.modulus = p;
    options.where = &where;
    options.initial = mask;
    fill(MOST);
    name("masked", op, &x, p, -1);
    compare(TALLY_REDUCE, op, &x, &options);
}

/* Long columns with an initial value, whose sums stay wide. */
static void long_columns(tally_type type, uint64_t p, int64_t columns)
{
    tally_array x = tally_matrix(room_x, type, MOST / columns, columns);
    tally_options options = TALLY_OPTIONS_INIT;
    int32_t axis = 0;
    options.axes = &axis;
    options.axis_count = 1;
    options.modulus = p;
    options.initial = mask;
    fill(MOST);
    name("from an initial value, reduce", TALLY_SUM, &x, p, axis);
    compare(TALLY_REDUCE, TALLY_SUM, &x, &options);
}

static void scan(tally_op op, tally_type type, uint64_t p, int64_t rows, int64_t columns, int32_t axis, uint32_t flags)
{
    tally_array x = tally_matrix(room_x, type, rows, columns), where = tally_matrix(mask, TALLY_BOOL, rows, columns);
    tally_options options = TALLY_OPTIONS_INIT;
    options.axes = &axis;
    options.axis_count = 1;
    options.flags = flags;
    options.modulus = p;
    options.initial = flags & TALLY_EXCLUSIVE ? mask : NULL;
    options.where = flags & TALLY_REVERSE ? &where : NULL;
    fill(rows * columns);
    name("scan", op, &x, p, axis);
    compare(TALLY_SCAN, op, &x, &options);
}

/* Columns chunk by chunk, and in partials that are merged. */
static void goes_on(tally_op op, tally_type type, uint64_t p, int64_t columns)
{
    const int64_t n = 9000 / columns, half = n / 2 + 1;
    tally_array x = tally_matrix(room_x, type, n, columns), like;
    tally_options options = TALLY_OPTIONS_INIT;
    tally_scan_carry *carry;
    tally_partial *partial[2];
    int32_t axis = 0;
    options.axes = &axis;
    options.axis_count = 1;
    options.modulus = p;
    fill(MOST);
    name("chunks of", op, &x, p, 0);
    CHECK(tally_result_like(TALLY_SCAN, op, &x, &options, &like) == TALLY_OK);
    like.data = want;
    CHECK(tally_scan(judge, op, &x, &like, &options) == TALLY_OK);
    CHECK(tally_scan_carry_new(device, op, type, columns, &options, &carry) == TALLY_OK);
    for (int i = 0; i < 2; i++) {
        int64_t first = i ? half * columns : 0, rows = i ? n - half : half;
        tally_array chunk = tally_matrix((char *)room_x + (size_t)first * tally_type_size(type), type, rows, columns);
        tally_array to =
            tally_matrix((char *)got + (size_t)first * tally_type_size(like.type), like.type, rows, columns);
        CHECK(tally_scan_continue(carry, &chunk, &to, &options) == TALLY_OK);
        CHECK(tally_partial_new(device, op, type, 1, &columns, &options, &partial[i]) == TALLY_OK);
        CHECK(tally_partial_add(partial[i], &chunk, NULL, NULL) == TALLY_OK);
    }
    CHECK(memcmp(got, want, bytes_of(&like)) == 0);
    CHECK(tally_partial_merge(partial[0], partial[1]) == TALLY_OK);
    like = tally_shaped(got, like.type, 1, &columns);
    CHECK(tally_partial_finish(partial[0], &like) == TALLY_OK);
    like.data = want;
    CHECK(tally_reduce(judge, op, &x, &like, &options) == TALLY_OK);
    CHECK(memcmp(got, want, bytes_of(&like)) == 0);
    tally_scan_carry_free(carry);
    tally_partial_free(partial[0]), tally_partial_free(partial[1]);
}

int main(void)
{
    if (tally_open(device_name(), &device) == TALLY_NO_DEVICE)
        return test_left_out("device_modular", tally_last_error());
    CHECK(device && tally_open("reference", &judge) == TALLY_OK);
    const tally_type types[] = {TALLY_U32, TALLY_U64, TALLY_I32};
    const uint64_t fields[] = {TALLY_KOALABEAR, TALLY_GOLDILOCKS, 6};
    for (int t = 0; t < 3; t++) {
        tally_type type = types[t];
        uint64_t p = fields[t];
        if (!test_in_part(t)) continue;
        for (tally_op op = TALLY_SUM; op <= TALLY_PROD; op++) {
            reduce(op, type, p, 50, 1000, -2); /* a whole array */
            reduce(op, type, p, 3, 9000, 1);   /* few rows */
            reduce(op, type, p, 700, 12, 1);   /* short ones */
            reduce(op, type, p, 1300, 16, 0);  /* tall columns */
            reduce(op, type, p, 7, 5000, 0);   /* short ones */
            reduce(op, type, p, 2, 16000, 1);  /* long rows */
            scan(op, type, p, 1, 30000, 1, 0); /* in waves */
            scan(op, type, p, 300, 20, 1, 0);  /* rows */
            scan(op, type, p, 3000, 12, 0, 0); /* columns */
            scan(op, type, p, 9000, 2, 0, TALLY_EXCLUSIVE | TALLY_REVERSE);
            goes_on(op, type, p, 1);
            goes_on(op, type, p, 16);
        }
        reduce(TALLY_DOT, type, p, 50, 1000, -2);
        reduce(TALLY_DOT, type, p, 30, 1000, 1);
        reduce(TALLY_DOT, type, p, 1000, 30, 0);
        for (tally_op op = TALLY_SUM; op <= TALLY_PROD; op++) reduce_masked(op, type, p);
        reduce_masked(TALLY_DOT, type, p);
    }
    for (tally_type type = TALLY_BOOL; type <= TALLY_U64; type++) {
        if (!test_in_part((int)type)) continue;
        reduce(TALLY_SUM, type, 1000003, 50, 1000, -2);
        reduce(TALLY_SUM, type, 1000003, 1300, 16, 0);
        for (int64_t columns = 7; columns <= 64; columns += 57) long_columns(type, 1000003, columns);
        scan(TALLY_PROD, type, 257, 1, 3000, 1, 0);
    }
    tally_close(device), tally_close(judge);
    return test_finish("device_modular");
}
