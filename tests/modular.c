/* SPDX-License-Identifier: MIT
 *
 * modular.c - sums, products and dots modulo a number against arithmetic of 128 bits, on the CPU's engines: all types
 * of integers, moduli from 2 to 2^64 - 1, the largest and smallest representatives, views, masks, initial values, and
 * what is refused. modular_scan.c has running results and partials, device_modular.c compares GPU kernels with the
 * reference.
 */
#define _POSIX_C_SOURCE 200809L
#include "modular.h"

static unsigned char y_list[MOST * 8], mask_list[MOST];

/* ---- whole vectors ---- */

static uint64_t total(tally_op op, tally_type type, int64_t n, uint64_t p)
{
    uint64_t all = op == TALLY_PROD;
    for (int64_t i = 0; i < n; i++) {
        uint64_t x = element(type, room_x, i, p);
        if (op == TALLY_DOT) x = multiplied(x, element(type, room_y, i, p), p);
        all = op == TALLY_PROD ? multiplied(all, x, p) : added(all, x, p);
    }
    return all;
}

static void check_vector(tally_op op, tally_type type, uint64_t p, int set, int64_t n)
{
    tally_array x = tally_vector(room_x, type, n), y = tally_vector(room_y, type, n), like;
    tally_options options = TALLY_OPTIONS_INIT;
    options.modulus = p;
    options.second = op == TALLY_DOT ? &y : NULL;
    fill(type, set, p, room_x, n);
    fill(type, set, p, room_y, n);
    uint64_t want = total(op, type, n, p);
    for (int c = 0; c < CONTEXTS; c++) {
        uint64_t result = 0x5555;
        test.section = name_of(op, type, p, set, n, c);
        CHECK(tally_result_like(TALLY_REDUCE, op, &x, &options, &like) == TALLY_OK);
        CHECK_EQUAL_I64(like.type, expected_type(type, p));
        like.data = &result;
        CHECK_EQUAL_I64(tally_reduce(contexts[c], op, &x, &like, &options), TALLY_OK);
        CHECK_EQUAL_U64(element(like.type, &result, 0, 0 - 1ull), want % (0 - 1ull));
    }
}

static void vectors(void)
{
    static const tally_op ops[] = {TALLY_SUM, TALLY_PROD, TALLY_DOT};
    static const int64_t lengths[] = {0, 1, 3, 130, 4097, 9001};
    for (tally_type type = TALLY_BOOL; type <= TALLY_U64; type++) {
        for (int m = 0; m < MODULI; m++) {
            for (int o = 0; o < 3; o++) {
                for (int set = 0; set < SETS; set++)
                    check_vector(ops[o], type, moduli[m], set, lengths[test_random_below(6)]);
            }
        }
    }
}

/* Sums whose words overflow many times over, on several threads. */
static void long_sums(void)
{
    const int64_t n = 1 << 20;
    uint64_t *x = malloc((size_t)n * 8), result = 0;
    for (int64_t i = 0; i < n; i++) x[i] = UINT64_MAX;
    tally_array input = tally_vector(x, TALLY_U64, n), output = tally_shaped(&result, TALLY_U64, 0, NULL);
    tally_options options = TALLY_OPTIONS_INIT;
    options.modulus = TALLY_GOLDILOCKS;
    uint64_t r = UINT64_MAX % TALLY_GOLDILOCKS;
    test.section = "long sums";
    CHECK(tally_reduce(contexts[0], TALLY_SUM, &input, &output, &options) == TALLY_OK);
    CHECK_EQUAL_U64(result, multiplied(r, (uint64_t)n, TALLY_GOLDILOCKS));
    options.second = &input;
    CHECK(tally_reduce(contexts[0], TALLY_DOT, &input, &output, &options) == TALLY_OK);
    CHECK_EQUAL_U64(result, multiplied(multiplied(r, r, TALLY_GOLDILOCKS), (uint64_t)n, TALLY_GOLDILOCKS));
    free(x);
}

/* A length at which a word no longer holds the sum, of one element: the view's stride is 0. */
static void longest_word(void)
{
    uint32_t x = UINT32_MAX, result = 0;
    tally_array input = tally_vector(&x, TALLY_U32, ((int64_t)1 << 31) + 3), output = tally_shaped(&result, 8, 0, NULL);
    tally_options options = TALLY_OPTIONS_INIT;
    options.modulus = TALLY_BABYBEAR;
    input.strides[0] = 0;
    test.section = "2^31 + 3 elements";
    CHECK(tally_reduce(contexts[0], TALLY_SUM, &input, &output, &options) == TALLY_OK);
    CHECK_EQUAL_U64(result, multiplied(UINT32_MAX, (uint64_t)input.shape[0], TALLY_BABYBEAR));
}

/* ---- views, masks, initial values ---- */

static int64_t elements_of(const tally_array *array)
{
    return (int64_t)(bytes_of(array) / tally_type_size(array->type));
}

/* Results of a view reduced along the axes of a mask, in C order. */
static void expect_cells(tally_op op, const tally_array *x, uint32_t axes, int masked, uint64_t initial, uint64_t p,
                         uint64_t *want)
{
    int64_t cells = 1, n = elements_of(x);
    for (int32_t d = 0; d < x->rank; d++) cells *= axes >> d & 1 ? 1 : x->shape[d];
    for (int64_t i = 0; i < cells; i++) want[i] = initial;
    for (int64_t i = 0; i < n; i++) {
        int64_t rest = i, cell = 0, step = 1;
        for (int32_t d = x->rank - 1; d >= 0; rest /= x->shape[d], d--) {
            if (axes >> d & 1) continue;
            cell += rest % x->shape[d] * step;
            step *= x->shape[d];
        }
        if (masked && !mask_list[i]) continue;
        uint64_t v = element(x->type, x_list, i, p);
        if (op == TALLY_DOT) v = multiplied(v, element(x->type, y_list, i, p), p);
        want[cell] = op == TALLY_PROD ? multiplied(want[cell], v, p) : added(want[cell], v, p);
    }
}

static void check_view(void)
{
    static const tally_op ops[] = {TALLY_SUM, TALLY_PROD, TALLY_DOT};
    static uint64_t want[MOST];
    tally_op op = ops[test_random_below(3)];
    tally_type type = (tally_type)(TALLY_BOOL + (int)test_random_below(9));
    uint64_t p = moduli[test_random_below(MODULI)], given = test_random();
    int64_t shape[8];
    int32_t rank = random_shape(shape, MOST / 4), axes[8], count = 0;
    uint32_t chosen = (uint32_t)test_random() & ((1u << rank) - 1);
    fill(type, (int)test_random_below(2), p, room_x, MOST);
    fill(type, (int)test_random_below(2), p, room_y, MOST);
    fill(TALLY_BOOL, ANY, p, mask, MOST);
    for (int64_t i = 0; i < MOST; i++) mask[i] &= 1;
    tally_array x = random_view(type, rank, shape, room_x, MOST), y = random_view(type, rank, shape, room_y, MOST);
    tally_array where = random_view(TALLY_BOOL, rank, shape, mask, MOST), like;
    gathered(&x, x_list), gathered(&y, y_list), gathered(&where, mask_list);
    tally_options options = TALLY_OPTIONS_INIT;
    for (int32_t d = 0; d < rank; d++) {
        if (chosen >> d & 1) axes[count++] = d;
    }
    options.axes = axes;
    options.axis_count = count;
    options.modulus = p;
    options.second = op == TALLY_DOT ? &y : NULL;
    int masked = test_random_below(3) == 0, with_initial = test_random_below(3) == 0;
    options.where = masked ? &where : NULL;
    CHECK(tally_result_like(TALLY_REDUCE, op, &x, &options, &like) == TALLY_OK);
    uint64_t initial = with_initial ? element(like.type, &given, 0, p) : op == TALLY_PROD;
    options.initial = with_initial ? &given : NULL;
    expect_cells(op, &x, chosen, masked, initial % p, p, want);
    for (int c = 0; c < CONTEXTS; c++) {
        test.section = name_of(op, type, p, 0, elements_of(&x), c);
        like.data = got;
        CHECK_EQUAL_I64(tally_reduce(contexts[c], op, &x, &like, &options), TALLY_OK);
        for (int64_t i = 0; i < elements_of(&like); i++) {
            uint64_t bits = 0;
            memcpy(&bits, got + (size_t)i * tally_type_size(like.type), tally_type_size(like.type));
            CHECK_EQUAL_U64(bits, want[i]);
        }
    }
}

/* Matrices large enough for threads, and as tall, wide and narrow as tiles are not. */
static void check_matrix(int64_t rows, int64_t columns, int32_t axis, tally_op op, tally_type type, uint64_t p)
{
    static uint64_t want[MOST];
    tally_array x = tally_matrix(calloc((size_t)(rows * columns), 8), type, rows, columns), like;
    tally_options options = TALLY_OPTIONS_INIT;
    options.axes = &axis;
    options.axis_count = 1;
    options.modulus = p;
    fill(type, (int)test_random_below(SETS), p, x.data, rows * columns);
    CHECK(tally_result_like(TALLY_REDUCE, op, &x, &options, &like) == TALLY_OK);
    for (int64_t i = 0; i < like.shape[0]; i++) want[i] = op == TALLY_PROD;
    for (int64_t i = 0; i < rows * columns; i++) {
        uint64_t *cell = &want[axis == 0 ? i % columns : i / columns], v = element(type, x.data, i, p);
        *cell = op == TALLY_PROD ? multiplied(*cell, v, p) : added(*cell, v, p);
    }
    for (int c = 0; c < CONTEXTS; c++) {
        test.section = name_of(op, type, p, (int)axis, rows, c);
        like.data = got;
        CHECK_EQUAL_I64(tally_reduce(contexts[c], op, &x, &like, &options), TALLY_OK);
        for (int64_t i = 0; i < like.shape[0]; i++) {
            uint64_t bits = 0;
            memcpy(&bits, got + (size_t)i * tally_type_size(like.type), tally_type_size(like.type));
            CHECK_EQUAL_U64(bits, want[i]);
        }
    }
    free(x.data);
}

static void matrices(void)
{
    static const tally_type types[] = {TALLY_I8, TALLY_I32, TALLY_U32, TALLY_I64, TALLY_U64};
    static const uint64_t fields[] = {TALLY_KOALABEAR, TALLY_GOLDILOCKS, 12};
    for (int t = 0; t < 5; t++) {
        for (int m = 0; m < 3; m++) {
            tally_op op = test_random_below(2) ? TALLY_SUM : TALLY_PROD;
            check_matrix(3000, 70, (int32_t)test_random_below(2), op, types[t], fields[m]);
            check_matrix(40, 4100, (int32_t)test_random_below(2), TALLY_SUM, types[t], fields[m]);
            check_matrix(60000, 3, 0, TALLY_SUM, types[t], fields[m]);
        }
    }
}

/* ---- what is refused ---- */

static void refused(tally_verb verb, tally_op op, tally_type type, tally_type wanted, uint64_t p, tally_status status,
                    const char *says)
{
    tally_array x = tally_vector(room_x, type, 10), like;
    tally_options options = TALLY_OPTIONS_INIT;
    options.modulus = p;
    options.type = wanted;
    test.section = says;
    CHECK_EQUAL_I64(tally_result_like(verb, op, &x, &options, &like), status);
    if (status != TALLY_OK) CHECK(strstr(tally_last_error(), says) != NULL);
}

static void refusals(void)
{
    refused(TALLY_REDUCE, TALLY_SUM, TALLY_U32, 0, 1, TALLY_INVALID_ARGUMENT, "options.modulus is 1");
    refused(TALLY_REDUCE, TALLY_MEAN, TALLY_U32, 0, 7, TALLY_UNSUPPORTED, "only sum, prod and dot take one: not mean");
    refused(TALLY_SCAN, TALLY_MAX, TALLY_U32, 0, 7, TALLY_UNSUPPORTED, "only sum, prod and dot take one: not max");
    refused(TALLY_REDUCE, TALLY_COUNT_NONZERO, TALLY_U32, 0, 7, TALLY_UNSUPPORTED, "not count_nonzero");
    refused(TALLY_REDUCE, TALLY_SUM, TALLY_F32, 0, 7, TALLY_UNSUPPORTED, "elements are f32");
    refused(TALLY_REDUCE, TALLY_SUM, TALLY_U32, TALLY_U8, 257, TALLY_UNSUPPORTED, "integers up to 256");
    refused(TALLY_REDUCE, TALLY_SUM, TALLY_U32, TALLY_F64, 257, TALLY_UNSUPPORTED, "options.type is f64");
    refused(TALLY_REDUCE, TALLY_SUM, TALLY_U64, TALLY_I64, TALLY_GOLDILOCKS, TALLY_UNSUPPORTED, "i64");
    refused(TALLY_REDUCE, TALLY_SUM, TALLY_U64, TALLY_U8, 256, TALLY_OK, "");
    refused(TALLY_SCAN, TALLY_SUM, TALLY_I8, TALLY_I64, 1ull << 63, TALLY_OK, "");
}

/* Options of a program that was compiled before there was a modulus. */
static void older_options(void)
{
    tally_options options = TALLY_OPTIONS_INIT;
    int64_t x[] = {5, 6}, sum = 0;
    tally_array input = tally_vector(x, TALLY_I64, 2), output = tally_shaped(&sum, TALLY_I64, 0, NULL);
    options.size = offsetof(tally_options, modulus);
    options.modulus = 7; /* no longer theirs */
    test.section = "older options";
    CHECK(tally_reduce(contexts[0], TALLY_SUM, &input, &output, &options) == TALLY_OK);
    CHECK_EQUAL_I64(sum, 11);
}

int main(void)
{
    open_contexts();
    vectors();
    long_sums();
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* it would take minutes */
    longest_word();
#else
    (void)longest_word;
#endif
    for (int i = 0; i < 1500; i++) check_view();
    matrices();
    refusals();
    older_options();
    close_contexts();
    return test_finish("modular");
}
