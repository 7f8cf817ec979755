/* SPDX-License-Identifier: MIT
 *
 * failures.c - every documented error of the verbs: the status, a text that names the argument and its value, and an
 * output that was left alone. failures_output.c, failures_partial.c and failures_memory.c have the rest. */
#include "failing.h"

/* Under the address sanitizer, too, requests that no machine can grant return NULL. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static tally_context *engines[2];
static double x[64], y[64];
static unsigned char out_room[1024];

/* Runs a verb on both engines and expects the same refusal from tally_result_like unless it cannot know. */
static void refuse_all(tally_verb verb, tally_op op, const tally_array *input, const tally_array *output,
                       const tally_options *options, tally_status want, const char *words, int like_too)
{
    for (int e = 0; e < 2; e++) {
        memset(out_room, 0xa5, sizeof out_room);
        tally_status got = verb == TALLY_REDUCE ? tally_reduce(engines[e], op, input, output, options)
                                                : tally_scan(engines[e], op, input, output, options);
        CHECK_REFUSED(got, want, words);
        CHECK(untouched(out_room, sizeof out_room));
    }
    tally_array like;
    memset(&like, 0x5a, sizeof like);
    if (!like_too) return;
    CHECK_REFUSED(tally_result_like(verb, op, input, options, &like), want, words);
    CHECK(like.rank == 0x5a5a5a5a);
}

static void refuse(tally_op op, const tally_array *input, const tally_options *options, tally_status want,
                   const char *words)
{
    tally_array out = tally_shaped(out_room, TALLY_F64, 0, NULL);
    refuse_all(TALLY_REDUCE, op, input, &out, options, want, words, 1);
}

static void refuse_scan(tally_op op, const tally_array *input, const tally_options *options, tally_status want,
                        const char *words)
{
    tally_array out = input ? *input : tally_vector(out_room, TALLY_F64, 8);
    out.data = out_room;
    refuse_all(TALLY_SCAN, op, input, &out, options, want, words, 1);
}

static void refuse_output(tally_op op, const tally_array *input, const tally_array *out, const tally_options *options,
                          tally_status want, const char *words)
{
    refuse_all(TALLY_REDUCE, op, input, out, options, want, words, 0);
}

static void nulls_and_names(void)
{
    tally_array v = tally_vector(x, TALLY_F64, 8), out = tally_shaped(out_room, TALLY_F64, 0, NULL);
    tally_context *none = NULL;
    tally_type type = 77;
    tally_op op = 77;
    CHECK_REFUSED(tally_reduce(NULL, TALLY_SUM, &v, &out, NULL), TALLY_INVALID_ARGUMENT, "context");
    CHECK_REFUSED(tally_scan(NULL, TALLY_SUM, &v, &v, NULL), TALLY_INVALID_ARGUMENT, "context");
    refuse(TALLY_SUM, NULL, NULL, TALLY_INVALID_ARGUMENT, "input");
    refuse_scan(TALLY_SUM, NULL, NULL, TALLY_INVALID_ARGUMENT, "input");
    refuse_output(TALLY_SUM, &v, NULL, NULL, TALLY_INVALID_ARGUMENT, "output");
    CHECK_REFUSED(tally_result_like(TALLY_REDUCE, TALLY_SUM, &v, NULL, NULL), TALLY_INVALID_ARGUMENT, "result");
    CHECK_REFUSED(tally_result_like(3, TALLY_SUM, &v, NULL, &out), TALLY_INVALID_ARGUMENT, "verb|3");
    CHECK_REFUSED(tally_open(NULL, &none), TALLY_INVALID_ARGUMENT, "device");
    CHECK_REFUSED(tally_open("cpu", NULL), TALLY_INVALID_ARGUMENT, "context");
    static const char *const devices[] = {"",
                                          "cpux",
                                          "cp",
                                          "CPU",
                                          "cpu:0",
                                          "cpu:-1",
                                          "cpu:1025",
                                          "cpu:x",
                                          "cpu:",
                                          "cpu:1x",
                                          "cpu: 1",
                                          "cpu:99999999999999999999",
                                          "reference:1",
                                          "auto:2",
                                          "tpu"};
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        CHECK_REFUSED(tally_open(devices[i], &none), TALLY_INVALID_ARGUMENT, *devices[i] ? devices[i] : "auto|cpu");
        CHECK(none == NULL);
    }
    CHECK_REFUSED(tally_type_parse("f65", &type), TALLY_INVALID_ARGUMENT, "f65|f64");
    CHECK_REFUSED(tally_type_parse(NULL, &type), TALLY_INVALID_ARGUMENT, "name");
    CHECK_REFUSED(tally_type_parse("f64", NULL), TALLY_INVALID_ARGUMENT, "type");
    CHECK_REFUSED(tally_op_parse("summ", &op), TALLY_INVALID_ARGUMENT, "summ|logsumexp");
    CHECK_REFUSED(tally_op_parse("", &op), TALLY_INVALID_ARGUMENT, "sum");
    CHECK_REFUSED(tally_op_parse(NULL, &op), TALLY_INVALID_ARGUMENT, "name");
    CHECK_REFUSED(tally_op_parse("sum", NULL), TALLY_INVALID_ARGUMENT, "op");
    CHECK(type == 77 && op == 77);
    CHECK(tally_type_name(0) == NULL && tally_type_name(16) == NULL && tally_type_name(-1) == NULL);
    CHECK(tally_op_name(0) == NULL && tally_op_name(24) == NULL && tally_op_name(UINT64_MAX) == NULL);
    CHECK(tally_type_size(0) == 0 && tally_type_size(99) == 0);
    CHECK_EQUAL_TEXT(tally_status_name(-1), "unknown status");
    CHECK_EQUAL_TEXT(tally_status_name(10), "unknown status");
    CHECK_EQUAL_TEXT(tally_status_name(TALLY_CORRUPT), "TALLY_CORRUPT");
}

static void context_calls(void)
{
    tally_device device = {.size = 3};
    void *memory = NULL;
    CHECK_REFUSED(tally_synchronize(NULL), TALLY_INVALID_ARGUMENT, "context");
    CHECK_REFUSED(tally_device_info(NULL, &device), TALLY_INVALID_ARGUMENT, "context");
    CHECK_REFUSED(tally_device_info(engines[0], NULL), TALLY_INVALID_ARGUMENT, "device");
    CHECK_REFUSED(tally_device_info(engines[0], &device), TALLY_INVALID_ARGUMENT, "size|3");
    CHECK_REFUSED(tally_alloc(NULL, 8, &memory), TALLY_INVALID_ARGUMENT, "context");
    CHECK_REFUSED(tally_alloc(engines[0], 8, NULL), TALLY_INVALID_ARGUMENT, "memory");
    CHECK_REFUSED(tally_alloc(engines[0], SIZE_MAX, &memory), TALLY_OUT_OF_MEMORY, "18446744073709551615");
    CHECK_REFUSED(tally_alloc(engines[0], SIZE_MAX / 2, &memory), TALLY_OUT_OF_MEMORY, "bytes");
    CHECK(memory == NULL);
    CHECK_REFUSED(tally_free(NULL, NULL, 0), TALLY_INVALID_ARGUMENT, "context");
    CHECK_REFUSED(tally_copy(NULL, x, y, 8), TALLY_INVALID_ARGUMENT, "context");
    CHECK_REFUSED(tally_copy(engines[0], NULL, y, 8), TALLY_INVALID_ARGUMENT, "destination");
    CHECK_REFUSED(tally_copy(engines[0], x, NULL, 8), TALLY_INVALID_ARGUMENT, "source");
    CHECK(tally_copy(engines[0], NULL, NULL, 0) == TALLY_OK);
    CHECK(tally_alloc(engines[0], 0, &memory) == TALLY_OK && memory && (uintptr_t)memory % 64 == 0);
    CHECK(tally_free(engines[0], memory, 0) == TALLY_OK);
    CHECK(tally_free(engines[0], NULL, 5) == TALLY_OK && tally_close(NULL) == TALLY_OK);
    tally_allocator allocator = {.size = sizeof allocator};
    CHECK_REFUSED(tally_set_allocator(NULL, NULL), TALLY_INVALID_ARGUMENT, "context");
    CHECK_REFUSED(tally_set_allocator(engines[0], &allocator), TALLY_INVALID_ARGUMENT, "allocate");
    allocator.size = 7;
    CHECK_REFUSED(tally_set_allocator(engines[0], &allocator), TALLY_INVALID_ARGUMENT, "size|7");
    CHECK(tally_set_allocator(engines[0], NULL) == TALLY_OK);
}

static void bad_arrays(void)
{
    static const int64_t shape[] = {4, 2};
    tally_array v;
#define BAD(change, words) \
    v = tally_shaped(x, TALLY_F64, 2, shape), change, refuse(TALLY_SUM, &v, NULL, TALLY_INVALID_ARGUMENT, words)
    BAD(v.type = 0, "input|type|0");
    BAD(v.type = 16, "input|type|16");
    BAD(v.type = -5, "input|type|-5");
    BAD(v.rank = 9, "input|rank|9");
    BAD(v.rank = -1, "input|rank|-1");
    BAD(v.rank = INT32_MAX, "input|rank");
    BAD(v.shape[1] = -2, "input|shape[1]|-2");
    BAD(v.data = NULL, "input|NULL");
    BAD(v.data = (char *)x + 4, "input|align");
    BAD(v.shape[0] = INT64_MAX / 8, "input|overflow|2^63");
    BAD((v.shape[0] = INT64_MAX, v.strides[0] = 0), "input|2^63");
    BAD((v.shape[0] = 1ll << 31, v.shape[1] = 1ll << 31, v.strides[0] = v.strides[1] = 0), "input|2^63");
    BAD((v.shape[0] = 1ll << 62, v.shape[1] = 0), "input|2^63");
    BAD(v.strides[0] = INT64_MAX, "input|stride");
    BAD(v.strides[0] = INT64_MIN, "input|stride");
    BAD((v.strides[0] = INT64_MAX / 8, v.strides[1] = INT64_MAX / 8), "input|stride");
#undef BAD
    v = tally_shaped(NULL, TALLY_F64, 9, NULL);
    refuse(TALLY_SUM, &v, NULL, TALLY_INVALID_ARGUMENT, "rank|9");
    v = tally_shaped(NULL, TALLY_F64, -3, NULL);
    refuse(TALLY_SUM, &v, NULL, TALLY_INVALID_ARGUMENT, "rank|-3");
    v = tally_vector(x, TALLY_C128, 2);
    v.data = (char *)x + 8; /* complex numbers align to their parts */
    CHECK(tally_result_like(TALLY_REDUCE, TALLY_SUM, &v, NULL, &v) == TALLY_OK);
}

static void bad_axes(void)
{
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array v = tally_matrix(x, TALLY_F64, 4, 2), flat = tally_vector(x, TALLY_F64, 8);
    int32_t axes[9] = {0};
    options.axes = axes;
    options.axis_count = 1;
    static const int32_t wrong[] = {2, -3, INT32_MAX, INT32_MIN};
    for (int i = 0; i < 4; i++) {
        char words[64];
        axes[0] = wrong[i];
        snprintf(words, sizeof words, "axes[0]|%d|rank 2", (int)wrong[i]);
        refuse(TALLY_SUM, &v, &options, TALLY_INVALID_ARGUMENT, words);
        refuse_scan(TALLY_SUM, &v, &options, TALLY_INVALID_ARGUMENT, words);
    }
    axes[0] = 1, axes[1] = -1, options.axis_count = 2;
    refuse(TALLY_SUM, &v, &options, TALLY_INVALID_ARGUMENT, "axes|twice|-1");
    axes[1] = 0;
    refuse_scan(TALLY_SUM, &v, &options, TALLY_INVALID_ARGUMENT, "axis_count|2");
    options.axis_count = 0;
    refuse_scan(TALLY_SUM, &v, &options, TALLY_INVALID_ARGUMENT, "axis_count|0");
    options.axis_count = 9;
    refuse(TALLY_SUM, &v, &options, TALLY_INVALID_ARGUMENT, "axis_count|9");
    options.axis_count = -1;
    refuse(TALLY_SUM, &v, &options, TALLY_INVALID_ARGUMENT, "axis_count|-1");
    options.axes = NULL, options.axis_count = 1;
    refuse(TALLY_SUM, &v, &options, TALLY_INVALID_ARGUMENT, "axes|NULL|1");
    options.axis_count = 0;
    refuse_scan(TALLY_SUM, &v, &options, TALLY_INVALID_ARGUMENT, "axes|rank 2");
    tally_array out = tally_vector(out_room, TALLY_F64, 8);
    CHECK(tally_scan(engines[0], TALLY_SUM, &flat, &out, NULL) == TALLY_OK);
}

static void bad_options(void)
{
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array v = tally_vector(x, TALLY_F64, 8);
    double value = 0;
#define BAD(change, op, status, words)            \
    do {                                          \
        tally_options fresh = TALLY_OPTIONS_INIT; \
        options = fresh;                          \
        change;                                   \
        refuse(op, &v, &options, status, words);  \
    } while (0)
    BAD(options.size = 0, TALLY_SUM, TALLY_INVALID_ARGUMENT, "options.size|0");
    BAD(options.size = 12, TALLY_SUM, TALLY_INVALID_ARGUMENT, "options.size|12");
    BAD(options.flags = 1u << 6, TALLY_SUM, TALLY_INVALID_ARGUMENT, "options.flags|0x40");
    BAD(options.flags = 1u << 31, TALLY_SUM, TALLY_INVALID_ARGUMENT, "options.flags|0x80000000");
    BAD(options.flags = TALLY_EXCLUSIVE, TALLY_SUM, TALLY_INVALID_ARGUMENT, "options.flags|0x10|reduce");
    BAD(options.flags = TALLY_REVERSE, TALLY_SUM, TALLY_INVALID_ARGUMENT, "options.flags|0x20|reduce");
    BAD(options.type = 16, TALLY_SUM, TALLY_INVALID_ARGUMENT, "options.type|16");
    BAD(options.type = -1, TALLY_SUM, TALLY_INVALID_ARGUMENT, "options.type|-1");
    BAD(options.type = TALLY_I64, TALLY_SUM, TALLY_UNSUPPORTED, "options.type|i64|sum of f64");
    BAD(options.type = TALLY_C64, TALLY_SUM, TALLY_UNSUPPORTED, "options.type|c64");
    BAD(options.type = TALLY_F32, TALLY_MIN, TALLY_UNSUPPORTED, "options.type|f32|min of f64");
    BAD(options.type = TALLY_C128, TALLY_MIN, TALLY_UNSUPPORTED, "options.type|c128|min of f64");
    BAD(options.type = TALLY_I32, TALLY_ARGMIN, TALLY_UNSUPPORTED, "options.type|i32|argmin");
    BAD(options.type = TALLY_I64, TALLY_ANY, TALLY_UNSUPPORTED, "options.type|i64|any");
    BAD(options.correction = 1, TALLY_SUM, TALLY_UNSUPPORTED, "options.correction|1");
    BAD(options.correction = 1, TALLY_MEAN, TALLY_UNSUPPORTED, "options.correction|1");
    BAD(options.correction = NAN, TALLY_VAR, TALLY_INVALID_ARGUMENT, "options.correction|nan");
    BAD(options.correction = INFINITY, TALLY_STD, TALLY_INVALID_ARGUMENT, "options.correction|inf");
    BAD(options.position = 1, TALLY_SUM, TALLY_INVALID_ARGUMENT, "options.position|1|partial");
    BAD(options.position = -1, TALLY_SUM, TALLY_INVALID_ARGUMENT, "options.position|-1");
    static const tally_op without_initial[] = {TALLY_MEAN,  TALLY_VAR,   TALLY_STD,
                                               TALLY_NORM1, TALLY_NORM2, TALLY_NORMINF};
    for (int i = 0; i < 6; i++)
        BAD(options.initial = &value, without_initial[i], TALLY_UNSUPPORTED, tally_op_name(without_initial[i]));
    BAD(options.second = &v, TALLY_SUM, TALLY_UNSUPPORTED, "options.second|sum");
    BAD((void)0, TALLY_DOT, TALLY_INVALID_ARGUMENT, "options.second|NULL|dot");
#undef BAD
    static const struct {
        tally_op op;
        const char *words;
    } unknown[] = {{0, "op|0"}, {24, "op|24"}, {1 << 16, "op|65536"}, {UINT64_MAX, "op|18446744073709551615"}};
    for (int i = 0; i < 4; i++) {
        refuse(unknown[i].op, &v, NULL, TALLY_INVALID_ARGUMENT, unknown[i].words);
        refuse_scan(unknown[i].op, &v, NULL, TALLY_INVALID_ARGUMENT, unknown[i].words);
    }
    tally_options keep = TALLY_OPTIONS_INIT;
    keep.flags = TALLY_KEEPDIMS;
    refuse_scan(TALLY_SUM, &v, &keep, TALLY_INVALID_ARGUMENT, "options.flags|0x1|scan");
}

static void meaningless_pairs(void)
{
    static const tally_op bits[] = {TALLY_BIT_AND, TALLY_BIT_OR, TALLY_BIT_XOR};
    static const tally_op ordered[] = {TALLY_MIN, TALLY_MAX, TALLY_ARGMIN, TALLY_ARGMAX, TALLY_MINMAX, TALLY_LOGSUMEXP};
    static const tally_op no_scan[] = {TALLY_MEAN,  TALLY_VAR,           TALLY_ARGMIN, TALLY_MINMAX, TALLY_DOT,
                                       TALLY_FIRST, TALLY_COUNT_NONZERO, TALLY_NORM1,  TALLY_NORM2,  TALLY_NORMINF,
                                       TALLY_STD};
    for (tally_type type = TALLY_F16; type <= TALLY_C128; type++) {
        tally_array v = tally_vector(x, type, 4);
        for (int i = 0; i < 3; i++) {
            char words[64];
            snprintf(words, sizeof words, "%s of %s", tally_op_name(bits[i]), tally_type_name(type));
            refuse(bits[i], &v, NULL, TALLY_UNSUPPORTED, words);
            refuse_scan(bits[i], &v, NULL, TALLY_UNSUPPORTED, words);
        }
        for (int i = 0; type >= TALLY_C64 && i < 6; i++) refuse(ordered[i], &v, NULL, TALLY_UNSUPPORTED, "complex");
    }
    tally_array v = tally_vector(x, TALLY_F64, 4);
    for (size_t i = 0; i < sizeof no_scan / sizeof no_scan[0]; i++)
        refuse_scan(no_scan[i], &v, NULL, TALLY_UNSUPPORTED, tally_op_name(no_scan[i]));
}

int main(void)
{
    CHECK(tally_open("cpu:2", &engines[0]) == TALLY_OK && tally_open("reference", &engines[1]) == TALLY_OK);
    for (int i = 0; i < 64; i++) x[i] = i, y[i] = -i;
    CASE("nulls and names") nulls_and_names();
    CASE("contexts") context_calls();
    CASE("arrays") bad_arrays();
    CASE("axes") bad_axes();
    CASE("options") bad_options();
    CASE("pairs") meaningless_pairs();
    tally_close(engines[0]);
    tally_close(engines[1]);
    return test_finish("failures");
}
