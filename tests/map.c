/* SPDX-License-Identifier: MIT
 *
 * map.c - element-wise maps: every type in and out, broadcasting, strides, in place, threads, and what is refused.
 *   TALLY_TEST_DEVICE   a device that runs kernels (simt) */
#define _POSIX_C_SOURCE 200809L
#include "data.h"

#include <math.h>

#define N 200003

static tally_context *contexts[4];
static int devices;
static double x[N], y[N], out[N], expected[N];

static tally_op compiled(const char *text, int32_t inputs, tally_type type, tally_type result)
{
    tally_op_source source = TALLY_OP_SOURCE_INIT;
    tally_op op = 0;
    source.name = "m";
    source.input_count = inputs;
    for (int32_t c = 0; c < inputs; c++) source.inputs[c] = type;
    source.result = result;
    source.lift = text;
    tally_status status = tally_map_compile(contexts[0], &source, &op);
    if (status != TALLY_OK) printf("%s\n", tally_last_error());
    CHECK(status == TALLY_OK);
    return op;
}

/* Lengths around vectors, pieces and tasks. */
static void lengths(void)
{
    static const int64_t n[] = {0, 1, 7, 64, 4095, 4096, 4097, 65535, 65536, 65537, 131073, N};
    tally_op op = compiled("x * y + i", 2, TALLY_F64, TALLY_DEFAULT_TYPE);
    for (int64_t i = 0; i < N; i++) expected[i] = x[i] * y[i] + (double)i;
    for (size_t k = 0; k < sizeof n / sizeof n[0]; k++) {
        for (int c = 0; c < devices; c++) {
            tally_array inputs[] = {tally_vector(x, TALLY_F64, n[k]), tally_vector(y, TALLY_F64, n[k])};
            tally_array to = tally_vector(out, TALLY_F64, n[k]);
            memset(out, 0xee, sizeof out);
            CHECK(tally_map(contexts[c], op, inputs, 2, &to) == TALLY_OK);
            CHECK(memcmp(out, expected, sizeof(double) * (size_t)n[k]) == 0);
            CHECK(n[k] == N || ((unsigned char *)&out[n[k]])[0] == 0xee);
        }
    }
    tally_op_free(op);
}

/* Transposed, reversed and broadcast views; the output strided, too. */
static void views(void)
{
    enum { ROWS = 37, COLUMNS = 301 };
    tally_op op = compiled("x - 2 * y + i", 2, TALLY_F64, TALLY_F64);
    tally_array inputs[] = {tally_matrix(x, TALLY_F64, COLUMNS, ROWS),
                            tally_vector(y + COLUMNS - 1, TALLY_F64, COLUMNS)};
    tally_array to = tally_matrix(out, TALLY_F64, ROWS, COLUMNS);
    inputs[0].shape[0] = ROWS;
    inputs[0].shape[1] = COLUMNS;
    inputs[0].strides[0] = 1;
    inputs[0].strides[1] = ROWS;
    inputs[1].strides[0] = -1;
    to.strides[0] = 2 * COLUMNS;
    to.strides[1] = 2;
    for (int c = 0; c < devices; c++) {
        int right = 1;
        memset(out, 0, sizeof out);
        CHECK(tally_map(contexts[c], op, inputs, 2, &to) == TALLY_OK);
        for (int r = 0; r < ROWS; r++) {
            for (int k = 0; k < COLUMNS; k++) {
                double want = x[k * ROWS + r] - 2 * y[COLUMNS - 1 - k] + (double)(r * COLUMNS + k);
                right &= out[2 * (r * COLUMNS + k)] == want && out[2 * (r * COLUMNS + k) + 1] == 0;
            }
        }
        CHECK(right);
    }
    tally_op_free(op);
}

static void store(tally_type type, int value, void *to)
{
    float single = (float)value;
    double real = value;
    uint16_t half = data_half(value, type == TALLY_F16 ? 5 : 8);
    int64_t integer = value;
    const void *from = type == TALLY_F32                         ? (const void *)&single
                       : type == TALLY_F64                       ? (const void *)&real
                       : type == TALLY_F16 || type == TALLY_BF16 ? (const void *)&half
                                                                 : (const void *)&integer; /* little-endian */
    memcpy(to, from, tally_type_size(type));
}

/* Each type to itself, and from and to f64: what a C cast gives where the value fits. */
static void types(void)
{
    for (tally_type from = TALLY_BOOL; from <= TALLY_F64; from++) {
        for (tally_type to = TALLY_BOOL; to <= TALLY_F64; to++) {
            if (from != to && from != TALLY_F64 && to != TALLY_F64) continue;
            tally_op op = compiled("x + 1", 1, from, to);
            _Alignas(16) unsigned char element[16] = {0}, result[16] = {0}, want[16] = {0};
            store(from, from == TALLY_BOOL ? 1 : 41, element);
            store(to, to == TALLY_BOOL ? 1 : from == TALLY_BOOL ? 2 : 42, want);
            tally_array input = tally_vector(element, from, 1), output = tally_vector(result, to, 1);
            for (int c = 0; c < devices; c++) {
                CHECK(tally_map(contexts[c], op, &input, 1, &output) == TALLY_OK);
                CHECK(memcmp(result, want, tally_type_size(to)) == 0);
            }
            tally_op_free(op);
        }
    }
}

/* Whether results are the same on every device, or those of a function of <math.h> that platforms round differently. */
static int is_exact(const char *text)
{
    return strncmp(text, "cbrt", 4) != 0 && strncmp(text, "pow", 3) != 0;
}

/* How many doubles lie between two of one sign. */
static int64_t doubles_apart(const void *a, const void *b)
{
    int64_t bits[2];
    memcpy(&bits[0], a, 8), memcpy(&bits[1], b, 8);
    return bits[0] > bits[1] ? bits[0] - bits[1] : bits[1] - bits[0];
}

static void own_types(void)
{
    static const struct {
        const char *text;
        tally_type input, result;
    } rows[] = {{"x > 0", TALLY_F64, TALLY_I32},      {"x * 2", TALLY_F32, TALLY_F32},
                {"sqrt(x)", TALLY_I32, TALLY_F64},    {"x", TALLY_F16, TALLY_F32},
                {"x + x", TALLY_U8, TALLY_I32},       {"x", TALLY_U64, TALLY_U64},
                {"i", TALLY_BOOL, TALLY_I64},         {"x", TALLY_C64, TALLY_C64},
                {"x.im", TALLY_C128, TALLY_F64},      {"(bool)(x > 1)", TALLY_F64, TALLY_BOOL},
                {"sqrt(x)", TALLY_F32, TALLY_F64},    {"cbrt(x + i)", TALLY_F16, TALLY_F64},
                {"pow(x, 0.5)", TALLY_U8, TALLY_F64}, {"abs(1 - x)", TALLY_F32, TALLY_F32},
                {"abs(x - 5)", TALLY_I16, TALLY_I32}, {"lround(x * 0.75)", TALLY_BF16, TALLY_I64}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        tally_op op = compiled(rows[k].text, 1, rows[k].input, TALLY_DEFAULT_TYPE);
        tally_type type = 0;
        CHECK(tally_map_result(op, &type) == TALLY_OK && type == rows[k].result);
        for (int c = 0; c < devices && type != 0; c++) {
            _Alignas(16) unsigned char element[16] = {0}, result[2][16] = {{0}};
            tally_array input = tally_vector(element, rows[k].input, 1);
            store(rows[k].input == TALLY_C64    ? TALLY_F32
                  : rows[k].input == TALLY_C128 ? TALLY_F64
                                                : rows[k].input,
                  2, element);
            for (int side = 0; side < 2; side++) {
                tally_array output = tally_vector(result[side], type, 1);
                CHECK(tally_map(contexts[side ? c : 0], op, &input, 1, &output) == TALLY_OK);
            }
            if (is_exact(rows[k].text)) CHECK(memcmp(result[0], result[1], sizeof result[0]) == 0);
            else CHECK(type == TALLY_F64 && doubles_apart(result[0], result[1]) <= 2);
        }
        tally_op_free(op);
    }
}

static void in_place(void)
{
    tally_op op = compiled("2 * x", 1, TALLY_F64, TALLY_F64);
    for (int c = 0; c < devices; c++) {
        int right = 1;
        memcpy(out, x, sizeof out);
        tally_array view = tally_vector(out, TALLY_F64, N), later = tally_vector(out + 1, TALLY_F64, N - 1);
        tally_array earlier = tally_vector(out, TALLY_F64, N - 1);
        CHECK(tally_map(contexts[c], op, &view, 1, &view) == TALLY_OK);
        for (int64_t i = 0; i < N; i++) right &= out[i] == 2 * x[i];
        CHECK(right);
        CHECK(tally_map(contexts[c], op, &earlier, 1, &later) == TALLY_OVERLAP);
    }
    tally_op_free(op);
}

#define MOST_AT_ONCE 50000 /* bytes */

static void *allocate_little(void *most, size_t bytes)
{
    return bytes > *(size_t *)most ? NULL : aligned_alloc(256, (bytes + 255) / 256 * 256);
}

static void release_little(void *most, void *memory, size_t bytes)
{
    (void)most, (void)bytes;
    free(memory);
}

/* Host arrays that a device has no room for are mapped in pieces: of a vector, and of a matrix that is turned. */
static void pieces(void)
{
    enum { ROWS = 301, COLUMNS = 509 };
    static size_t most = MOST_AT_ONCE;
    const tally_allocator little = {sizeof little, 0, &most, allocate_little, release_little};
    tally_context *small;
    tally_op op = compiled("x * 2 + i", 1, TALLY_F64, TALLY_F64);
    tally_array all = tally_vector(x, TALLY_F64, N), to = tally_vector(out, TALLY_F64, N);
    tally_array turned = tally_matrix(x, TALLY_F64, ROWS, COLUMNS),
                matrix = tally_matrix(out, TALLY_F64, ROWS, COLUMNS);
    int right = 1;
    if (devices < 4) return;
    turned.strides[0] = 1;
    turned.strides[1] = ROWS;
    CHECK(tally_open("simt", &small) == TALLY_OK);
    CHECK(tally_set_allocator(small, &little) == TALLY_OK);
    CHECK(tally_map(small, op, &all, 1, &to) == TALLY_OK);
    for (int64_t i = 0; i < N; i++) right &= out[i] == x[i] * 2 + (double)i;
    CHECK(right);
    CHECK(tally_map(small, op, &turned, 1, &matrix) == TALLY_OK);
    for (int64_t r = 0; r < ROWS; r++)
        for (int64_t c = 0; c < COLUMNS; c++)
            right &= out[r * COLUMNS + c] == x[c * ROWS + r] * 2 + (double)(r * COLUMNS + c);
    CHECK(right);
    most = 10; /* not even one element */
    CHECK(tally_map(small, op, &all, 1, &to) == TALLY_OUT_OF_MEMORY);
    CHECK(tally_close(small) == TALLY_OK);
    tally_op_free(op);
}

static void refused(void)
{
    tally_op_source source = TALLY_OP_SOURCE_INIT;
    tally_op op = 0, sum = 0;
    tally_array v = tally_vector(x, TALLY_F64, 4), w = tally_vector(y, TALLY_F64, 3),
                to = tally_vector(out, TALLY_F64, 4);
    tally_array narrow = tally_vector(out, TALLY_F32, 4);
    source.inputs[0] = TALLY_F64;
    CHECK(tally_map_compile(contexts[0], &source, &op) == TALLY_INVALID_ARGUMENT); /* no lift */
    source.lift = "x +* 1";
    CHECK(tally_map_compile(contexts[0], &source, &op) == TALLY_INVALID_ARGUMENT);
    source.lift = "x";
    source.combine = "a";
    CHECK(tally_map_compile(contexts[0], &source, &op) == TALLY_INVALID_ARGUMENT);
    source.combine = NULL;
    source.input_count = 5;
    CHECK(tally_map_compile(contexts[0], &source, &op) == TALLY_INVALID_ARGUMENT);
    source.input_count = 1;
    CHECK(op == 0);
    CHECK(tally_map_compile(contexts[0], &source, &op) == TALLY_OK);
    CHECK(tally_map(contexts[0], op, &w, 1, &to) == TALLY_INVALID_ARGUMENT);
    CHECK(tally_map(contexts[0], op, &v, 2, &to) == TALLY_INVALID_ARGUMENT);
    CHECK(tally_map(contexts[0], op, &v, 1, &narrow) == TALLY_INVALID_ARGUMENT);
    CHECK(tally_map(contexts[0], op, &narrow, 1, &to) == TALLY_INVALID_ARGUMENT);
    CHECK(tally_map(contexts[0], TALLY_SUM, &v, 1, &to) == TALLY_INVALID_ARGUMENT);
    CHECK(tally_reduce(contexts[0], op, &v, &to, NULL) == TALLY_INVALID_ARGUMENT);
    source.state = "f64";
    source.combine = "a + b";
    CHECK(tally_op_compile(contexts[0], &source, &sum) == TALLY_OK);
    CHECK(tally_map(contexts[0], sum, &v, 1, &to) == TALLY_UNSUPPORTED);
    CHECK(tally_op_free(sum) == TALLY_OK && tally_op_free(op) == TALLY_OK);
    CHECK(tally_op_free(op) == TALLY_INVALID_ARGUMENT);
}

int main(void)
{
    const char *names[] = {"cpu:1", "cpu:3", "reference", getenv("TALLY_TEST_DEVICE")};
    if (names[3] == NULL) names[3] = "simt";
    while (devices < 3) CHECK(tally_open(names[devices], &contexts[devices]) == TALLY_OK), devices++;
    if (tally_open(names[3], &contexts[3]) == TALLY_OK) devices++;
    else printf("LEFT OUT: no device %s: %s\n", names[3], tally_last_error());
    data_fill(TALLY_F64, DATA_ORDINARY, x, N);
    data_fill(TALLY_F64, DATA_ORDINARY, y, N);
    CASE("lengths") lengths();
    CASE("views") views();
    CASE("types") types();
    CASE("own types") own_types();
    CASE("in place") in_place();
    CASE("pieces") pieces();
    setenv("TALLY_GPU_CHUNK_BYTES", "70000", 1);
    CASE("pieces by the limit") views();
    unsetenv("TALLY_GPU_CHUNK_BYTES");
    CASE("refused") refused();
    for (int c = 0; c < devices; c++) CHECK(tally_close(contexts[c]) == TALLY_OK);
    return test_finish("map");
}
