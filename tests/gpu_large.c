/* SPDX-License-Identifier: MIT
 *
 * gpu_large.c - arrays of more than 2^32 elements in a GPU's memory, with results that are known beforehand. Says so
 * when there is no GPU, or one with too little memory. */
#include "test.h"

#include <tally.h>

#define CYCLE 251
#define CHUNK ((int64_t)CYCLE << 18)
#define BEYOND ((int64_t)1 << 32)
#define N (BEYOND + 12345)

static tally_context *context;
static unsigned char *chunk;

/* Element i of n is i % 251, as u8, or 251 / 2 less, as i8. */
static void fill_all(unsigned char *far, int64_t n, int offset)
{
    for (int64_t i = 0; i < CHUNK; i++) chunk[i] = (unsigned char)(i % CYCLE - offset);
    for (int64_t at = 0; at < n; at += CHUNK)
        CHECK(tally_copy(context, far + at, chunk, (size_t)(n - at < CHUNK ? n - at : CHUNK)) == TALLY_OK);
}

static void fill(unsigned char *far, int offset)
{
    fill_all(far, N, offset);
}

static void put(unsigned char *far, int64_t index, int value)
{
    unsigned char byte = (unsigned char)value;
    CHECK(tally_copy(context, far + index, &byte, 1) == TALLY_OK);
}

/* The sum of the first n elements of type u8. */
static uint64_t sum_before(int64_t n)
{
    uint64_t cycles = (uint64_t)(n / CYCLE), rest = (uint64_t)(n % CYCLE);
    return cycles * (CYCLE * (CYCLE - 1) / 2) + rest * (rest - 1) / 2 * (rest > 0);
}

static void reduce(tally_op op, tally_array input, const tally_options *options, void *result)
{
    tally_array output;
    test.section = tally_op_name(op);
    CHECK(tally_result_like(TALLY_REDUCE, op, &input, options, &output) == TALLY_OK);
    output.data = result;
    if (!CHECK_EQUAL_I64(tally_reduce(context, op, &input, &output, options), TALLY_OK))
        fprintf(stderr, "    %s\n", tally_last_error());
}

static void totals(unsigned char *far)
{
    uint64_t sum = 0;
    int64_t index = 0;
    unsigned char extreme = 0;
    signed char least = 0;
    tally_array a = tally_vector(far, TALLY_U8, N), b = tally_vector(far, TALLY_I8, N);
    fill(far, 0);
    reduce(TALLY_SUM, a, NULL, &sum);
    CHECK_EQUAL_U64(sum, sum_before(N));
    reduce(TALLY_MAX, a, NULL, &extreme);
    CHECK_EQUAL_U64(extreme, CYCLE - 1);
    put(far, BEYOND + 77, 255);
    reduce(TALLY_ARGMAX, a, NULL, &index);
    CHECK_EQUAL_I64(index, BEYOND + 77);
    reduce(TALLY_MAX, a, NULL, &extreme);
    CHECK_EQUAL_U64(extreme, 255);
    fill(far, 125);
    put(far, BEYOND + 12344, -128);
    reduce(TALLY_ARGMIN, b, NULL, &index);
    CHECK_EQUAL_I64(index, N - 1);
    reduce(TALLY_MIN, b, NULL, &least);
    CHECK_EQUAL_I64(least, -128);
}

/* A view of every second element, and rows and columns of a matrix. */
static void shapes(unsigned char *far)
{
    enum { ROWS = (1 << 16) + 1, COLUMNS = 1 << 16 };
    static uint64_t sums[ROWS];
    tally_array even = tally_vector(far, TALLY_U8, (N + 1) / 2), m = tally_matrix(far, TALLY_U8, ROWS - 1, COLUMNS);
    tally_options options = TALLY_OPTIONS_INIT;
    uint64_t sum = 0, want = 0;
    int32_t axis = 1;
    fill(far, 0);
    even.strides[0] = 2;
    for (int64_t i = 0; i < CYCLE; i++) want += (uint64_t)((N + 1) / 2 / CYCLE) * (uint64_t)i;
    for (int64_t i = (N + 1) / 2 / CYCLE * CYCLE; i < (N + 1) / 2; i++) want += (uint64_t)(2 * i % CYCLE);
    reduce(TALLY_SUM, even, NULL, &sum);
    CHECK_EQUAL_U64(sum, want);
    options.axes = &axis;
    options.axis_count = 1;
    reduce(TALLY_SUM, m, &options, sums);
    for (int64_t r = 0; r < ROWS - 1; r += 4369)
        CHECK_EQUAL_U64(sums[r], sum_before((r + 1) * COLUMNS) - sum_before(r * COLUMNS));
    axis = 0;
    reduce(TALLY_SUM, m, &options, sums);
    for (int64_t c = 0; c < COLUMNS; c += 4369) {
        want = 0;
        for (int64_t r = 0; r < ROWS - 1; r++) want += (uint64_t)((r * COLUMNS + c) % CYCLE);
        CHECK_EQUAL_U64(sums[c], want);
    }
}

static void scan(tally_op op, const tally_array *input, const tally_array *output)
{
    test.section = op == TALLY_SUM ? "scan sum" : "scan max";
    if (!CHECK_EQUAL_I64(tally_scan(context, op, input, output, NULL), TALLY_OK))
        fprintf(stderr, "    %s\n", tally_last_error());
}

static void scans(unsigned char *far, int64_t memory)
{
    static const int64_t places[] = {0, 4095, BEYOND / 2, BEYOND - 1, BEYOND, BEYOND + 1, BEYOND + 77, N - 1};
    tally_array a = tally_vector(far, TALLY_U8, N), out;
    unsigned char byte = 0;
    uint64_t sum = 0;
    void *running;
    fill(far, 0);
    put(far, BEYOND + 1, 255);
    if (!CHECK(tally_alloc(context, N, &running) == TALLY_OK)) return;
    out = tally_vector(running, TALLY_U8, N);
    scan(TALLY_MAX, &a, &out);
    for (int i = 0; i < 8; i++) {
        int64_t at = places[i];
        CHECK(tally_copy(context, &byte, (char *)running + at, 1) == TALLY_OK);
        CHECK_EQUAL_U64(byte, at > BEYOND ? 255 : at >= CYCLE ? CYCLE - 1 : at);
    }
    CHECK(tally_free(context, running, N) == TALLY_OK);
    if (memory < ((int64_t)48 << 30)) {
        printf("LEFT OUT: a running sum of 2^32 elements needs 48 GiB\n");
        return;
    }
    fill(far, 0);
    if (!CHECK(tally_alloc(context, N * 8, &running) == TALLY_OK)) return;
    out = tally_vector(running, TALLY_U64, N);
    scan(TALLY_SUM, &a, &out);
    for (int i = 0; i < 8; i++) {
        CHECK(tally_copy(context, &sum, (char *)running + 8 * places[i], 8) == TALLY_OK);
        CHECK_EQUAL_U64(sum, sum_before(places[i] + 1));
    }
    CHECK(tally_free(context, running, N * 8) == TALLY_OK);
}

/* The largest of two columns out of three lies behind 2^31 rows. */
static void many_rows(void)
{
    const int64_t rows = BEYOND / 2 + 10, bytes = rows * 6;
    const int32_t axis = 0;
    int64_t index[2] = {0, 0};
    tally_options options = TALLY_OPTIONS_INIT;
    void *far;
    if (!CHECK(tally_alloc(context, (size_t)bytes, &far) == TALLY_OK)) return;
    tally_array m = tally_matrix(far, TALLY_U16, rows, 2);
    m.strides[0] = 3;
    fill_all(far, bytes, 0);
    for (int byte = 0; byte < 2; byte++) {
        put(far, (BEYOND / 2 + 5) * 6 + byte, 255);
        put(far, (BEYOND / 2 - 1) * 6 + 2 + byte, 255);
    }
    options.axes = &axis, options.axis_count = 1;
    reduce(TALLY_ARGMAX, m, &options, index);
    CHECK_EQUAL_I64(index[0], BEYOND / 2 + 5);
    CHECK_EQUAL_I64(index[1], BEYOND / 2 - 1);
    CHECK(tally_free(context, far, (size_t)bytes) == TALLY_OK);
}

/* More than 2^32 matrices of two rows and two columns, in place. */
static void many_matrices(void)
{
    const int64_t matrices = BEYOND + 1000, bytes = 4 * matrices, shape[] = {matrices, 2, 2};
    const int64_t places[] = {0, 1, 63, BEYOND - 1, BEYOND, BEYOND + 1, matrices - 1};
    const int32_t axis = 1;
    tally_options options = TALLY_OPTIONS_INIT;
    void *far;
    if (!CHECK(tally_alloc(context, (size_t)bytes, &far) == TALLY_OK)) return;
    const tally_array m = tally_shaped(far, TALLY_U8, 3, shape);
    fill_all(far, bytes, 0);
    options.axes = &axis, options.axis_count = 1;
    test.section = "scan max of small matrices";
    CHECK_EQUAL_I64(tally_scan(context, TALLY_MAX, &m, &m, &options), TALLY_OK);
    for (int k = 0; k < 7; k++) {
        unsigned char results[4];
        CHECK(tally_copy(context, results, (char *)far + 4 * places[k], 4) == TALLY_OK);
        for (int64_t i = 0; i < 4; i++) {
            const int64_t own = (4 * places[k] + i) % CYCLE, above = i < 2 ? 0 : (4 * places[k] + i - 2) % CYCLE;
            CHECK_EQUAL_U64(results[i], own > above ? own : above);
        }
    }
    CHECK(tally_free(context, far, (size_t)bytes) == TALLY_OK);
}

int main(void)
{
    tally_device device = {.size = sizeof device};
    void *far;
    CHECK(sum_before(CYCLE + 2) == CYCLE * (CYCLE - 1) / 2 + 1);
    if (tally_open("cuda", &context) != TALLY_OK) {
        printf("LEFT OUT: no GPU: %s\n", tally_last_error());
        return test_finish("gpu_large");
    }
    CHECK(tally_device_info(context, &device) == TALLY_OK);
    chunk = malloc(CHUNK);
    if (device.memory_bytes < ((int64_t)12 << 30) || !chunk) {
        printf("LEFT OUT: the GPU has less than 12 GiB\n");
    } else if (CHECK(tally_alloc(context, N, &far) == TALLY_OK)) {
        totals(far);
        shapes(far);
        scans(far, device.memory_bytes);
        CHECK(tally_free(context, far, N) == TALLY_OK);
        if (device.memory_bytes >= ((int64_t)20 << 30)) {
            many_rows();
            many_matrices();
        } else {
            printf("LEFT OUT: 2^31 rows and 2^32 matrices need 20 GiB\n");
        }
    }
    free(chunk);
    CHECK(tally_close(context) == TALLY_OK);
    return test_finish("gpu_large");
}
