/* SPDX-License-Identifier: MIT
 *
 * modular_scan.c - running sums and products modulo a number, and partials, against arithmetic of 128 bits: both
 * directions, exclusive, masked, in place, chunk by chunk, merged and packed. */
#define _POSIX_C_SOURCE 200809L
#include "modular.h"

/* ---- running results ---- */

static void check_scan(void)
{
    tally_op op = test_random_below(2) ? TALLY_SUM : TALLY_PROD;
    tally_type type = (tally_type)(TALLY_BOOL + (int)test_random_below(9));
    uint64_t p = moduli[test_random_below(MODULI)], given = test_random();
    int64_t n = (int64_t)test_random_below(MOST / 2) + 1, cells = (int64_t)test_random_below(3) + 1;
    int32_t axis = (int32_t)test_random_below(2);
    if (n * cells > MOST) cells = 1;
    tally_array x = axis ? tally_matrix(room_x, type, cells, n) : tally_matrix(room_x, type, n, cells), like;
    tally_array where = tally_matrix(mask, TALLY_BOOL, x.shape[0], x.shape[1]);
    tally_options options = TALLY_OPTIONS_INIT;
    int exclusive = (int)test_random_below(2), reverse = (int)test_random_below(2);
    fill(type, (int)test_random_below(SETS), p, room_x, MOST);
    for (int64_t i = 0; i < MOST; i++) mask[i] = test_random_below(3) > 0;
    options.axes = &axis;
    options.axis_count = 1;
    options.modulus = p;
    options.flags = (exclusive ? TALLY_EXCLUSIVE : 0u) | (reverse ? TALLY_REVERSE : 0u);
    options.where = test_random_below(3) ? NULL : &where;
    CHECK(tally_result_like(TALLY_SCAN, op, &x, &options, &like) == TALLY_OK);
    CHECK_EQUAL_I64(like.type, expected_type(type, p));
    options.initial = test_random_below(2) ? &given : NULL;
    size_t size = tally_type_size(like.type);
    for (int c = 0; c < CONTEXTS; c++) {
        test.section = name_of(op, type, p, exclusive + 2 * reverse, n, c);
        int in_place = like.type == type && test_random_below(2);
        memcpy(x_list, room_x, sizeof x_list);
        like.data = in_place ? x_list : got;
        x.data = in_place ? x_list : room_x;
        CHECK_EQUAL_I64(tally_scan(contexts[c], op, &x, &like, &options), TALLY_OK);
        for (int64_t cell = 0; cell < cells; cell++) {
            uint64_t run = options.initial ? element(like.type, &given, 0, p) : op == TALLY_PROD;
            for (int64_t i = 0; i < n; i++) {
                int64_t k = reverse ? n - 1 - i : i, at = axis ? cell * n + k : k * cells + cell;
                uint64_t before = run, bits = 0, v = element(type, room_x, at, p);
                if (options.where && !mask[at]) v = op == TALLY_PROD;
                run = op == TALLY_PROD ? multiplied(run, v, p) : added(run, v, p);
                memcpy(&bits, (const char *)like.data + (size_t)at * size, size);
                CHECK_EQUAL_U64(bits, exclusive ? before : run);
            }
        }
    }
}

/* A long one, which threads share; and chunk by chunk. */
static void long_scan(tally_op op, tally_type type, uint64_t p)
{
    const int64_t n = 300000;
    size_t size = tally_type_size(type);
    unsigned char *x = malloc((size_t)n * size), *want = malloc((size_t)n * 8), *out = malloc((size_t)n * 8);
    tally_array input = tally_vector(x, type, n), like;
    tally_options options = TALLY_OPTIONS_INIT;
    options.modulus = p;
    fill(type, ANY, p, x, n);
    test.section = name_of(op, type, p, 0, n, 0);
    CHECK(tally_result_like(TALLY_SCAN, op, &input, &options, &like) == TALLY_OK);
    size_t bytes = (size_t)n * tally_type_size(like.type);
    like.data = want;
    CHECK(tally_scan(contexts[4], op, &input, &like, &options) == TALLY_OK);
    like.data = out;
    CHECK(tally_scan(contexts[0], op, &input, &like, &options) == TALLY_OK);
    CHECK(memcmp(out, want, bytes) == 0);
    memset(out, 0, bytes);
    tally_scan_carry *carry;
    CHECK(tally_scan_carry_new(contexts[0], op, type, 1, &options, &carry) == TALLY_OK);
    for (int64_t i = 0, count; i < n; i += count) {
        count = 1 + (int64_t)test_random_below(100000);
        if (count > n - i) count = n - i;
        tally_array chunk = tally_vector(x + (size_t)i * size, type, count);
        tally_array to = tally_vector(out + (size_t)i * tally_type_size(like.type), like.type, count);
        CHECK(tally_scan_continue(carry, &chunk, &to, &options) == TALLY_OK);
        options.modulus = p + 1;
        CHECK(tally_scan_continue(carry, &chunk, &to, &options) == TALLY_INVALID_ARGUMENT);
        options.modulus = p;
    }
    tally_scan_carry_free(carry);
    CHECK(memcmp(out, want, bytes) == 0);
    free(x), free(want), free(out);
}

/* ---- partials ---- */

static void check_partials(tally_op op, tally_type type, uint64_t p)
{
    const int64_t rows = 700, columns = 11, axis = 0;
    tally_options options = TALLY_OPTIONS_INIT;
    tally_partial *parts[3], *copy;
    uint64_t given = 5;
    int32_t axes[] = {(int32_t)axis};
    size_t size = tally_type_size(type);
    tally_array x = tally_matrix(room_x, type, rows, columns), y = tally_matrix(room_y, type, rows, columns), like;
    fill(type, TOP, p, room_x, rows * columns);
    fill(type, ANY, p, room_y, rows * columns);
    options.axes = axes;
    options.axis_count = 1;
    options.modulus = p;
    options.second = op == TALLY_DOT ? &y : NULL;
    test.section = name_of(op, type, p, 0, rows, 0);
    CHECK(tally_result_like(TALLY_REDUCE, op, &x, &options, &like) == TALLY_OK);
    options.initial = &given;
    like.data = x_list;
    CHECK(tally_reduce(contexts[4], op, &x, &like, &options) == TALLY_OK);
    options.second = NULL;
    for (int i = 0; i < 3; i++) {
        int64_t first = i * 200, count = i == 2 ? rows - first : 200;
        tally_array xs = tally_matrix(room_x + (size_t)(first * columns) * size, type, count, columns);
        tally_array ys = tally_matrix(room_y + (size_t)(first * columns) * size, type, count, columns);
        CHECK(tally_partial_new(contexts[i], op, type, 1, &columns, &options, &parts[i]) == TALLY_OK);
        CHECK(tally_partial_add(parts[i], &xs, op == TALLY_DOT ? &ys : NULL, NULL) == TALLY_OK);
    }
    size_t bytes = 0;
    CHECK(tally_partial_pack(parts[2], NULL, &bytes) == TALLY_OK);
    unsigned char *packed = malloc(bytes);
    CHECK(tally_partial_pack(parts[2], packed, &bytes) == TALLY_OK);
    CHECK(tally_partial_unpack(contexts[1], packed, bytes, &copy) == TALLY_OK);
    CHECK(tally_partial_merge(parts[0], copy) == TALLY_OK && tally_partial_merge(parts[0], parts[1]) == TALLY_OK);
    like.data = got;
    CHECK(tally_partial_finish(parts[0], &like) == TALLY_OK);
    CHECK(memcmp(got, x_list, bytes_of(&like)) == 0);
    options.modulus = 17;
    tally_partial_free(copy);
    CHECK(tally_partial_new(contexts[0], op, type, 1, &columns, &options, &copy) == TALLY_OK);
    CHECK(tally_partial_merge(parts[0], copy) == TALLY_INVALID_ARGUMENT);
    tally_partial_free(copy);
    for (int i = 0; i < 3; i++) tally_partial_free(parts[i]);
    free(packed);
}

int main(void)
{
    static const tally_op ops[] = {TALLY_SUM, TALLY_PROD, TALLY_DOT};
    open_contexts();
    for (int i = 0; i < 200; i++) check_scan();
    for (int m = 0; m < MODULI; m++) {
        tally_type type = (tally_type)(TALLY_BOOL + m % 9);
        long_scan(m % 2 ? TALLY_SUM : TALLY_PROD, type, moduli[m]);
        for (int o = 0; o < 3; o++) check_partials(ops[o], (tally_type)(TALLY_BOOL + (m + o) % 9), moduli[m]);
    }
    close_contexts();
    return test_finish("modular_scan");
}
