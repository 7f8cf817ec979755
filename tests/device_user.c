/* SPDX-License-Identifier: MIT
 *
 * device_user.c - users' operators on a GPU give the bits of the reference engine: reductions over any axes and scans
 * along any axis of random views, with masks, NaNs left out, initial states, several inputs and results, in host memory
 * and on the device; by operators that show each change of order. Then what is refused, and what the compiler says. On
 * simt blocks have no more shared memory than kernels can declare.
 *   TALLY_TEST_DEVICE   the device (simt)
 *   TALLY_TEST_FULL     more trials, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "device.h"
#include "device_sources.h"
#include "views.h"

#include <string.h>

#define ROOM ((size_t)3 << 19)
#define BUFFERS 6

enum { X, Y, Z, WHERE, WANT, GOT };

static unsigned char *near[BUFFERS], *far[BUFFERS];
static char where_text[400];

/* ---- operators ---- */

/* Affine maps, 2 x 2 matrices and brackets know the order of their elements; floats show the shape of the tree. */
static const tally_op_source sources[] = {
    SOURCE_AFFINE,
    {SOURCE, .name = "mean", .flags = TALLY_OP_COMMUTATIVE, .input_count = 1, .result_count = 1, .inputs = {TALLY_F32},
     .result = TALLY_F64, .state = "f32 sum; i64 n;", .lift = "STATE(x, 1)",
     .combine = "STATE(a.sum + b.sum, a.n + b.n)", .finish = "s.n == n ? s.sum / n : -1e30"},
    {SOURCE, .name = "brackets", .input_count = 1, .result_count = 1, .inputs = {TALLY_U8}, .result = TALLY_I64,
     .state = "i64 close, open;", .helpers = "static i64 both(i64 a, i64 b) { return min(a, b); }",
     .lift = "STATE(x % 2, 1 - x % 2)",
     .combine = "i64 m = both(a.open, b.close);\nreturn STATE(a.close + b.close - m, a.open + b.open - m);",
     .identity = "STATE(0, 0)", .finish = "s.close * 100000 + s.open"},
    {SOURCE, .name = "matrices", .input_count = 2, .result_count = 4, .inputs = {TALLY_F64, TALLY_I16},
     .result = TALLY_F32, .state = "f64 m[4];", .lift = "STATE(x, y, 1, x - y)",
     .combine = "STATE(a.m[0] * b.m[0] + a.m[1] * b.m[2], a.m[0] * b.m[1] + a.m[1] * b.m[3],\n"
                "      a.m[2] * b.m[0] + a.m[3] * b.m[2], a.m[2] * b.m[1] + a.m[3] * b.m[3])",
     .identity = "STATE(1, 0, 0, 1)", .finish = "for (int k = 0; k < 4; k++) out[k] = (f32)s.m[k];"},
    SOURCE_THREE,
    {SOURCE, .name = "large", .input_count = 1, .result_count = 1, .inputs = {TALLY_BF16}, .result = TALLY_F16,
     .state = "f32 v[64];", .lift = "state s; for (int k = 0; k < 64; k++) s.v[k] = x + k; return s;",
     .combine = "state s; for (int k = 0; k < 64; k++) s.v[k] = a.v[k] * 0.5f + b.v[63 - k]; return s;",
     .identity = "state s; for (int k = 0; k < 64; k++) s.v[k] = 0; return s;", .finish = "s.v[7] + s.v[60]"},
    {SOURCE, .name = "latest", .input_count = 2, .result_count = 1, .inputs = {TALLY_C128, TALLY_U64},
     .result = TALLY_U64, .state = "f64 v; u64 y; i64 at;", .lift = "STATE(x.re, y, i)",
     .combine = "return a.v < b.v ? STATE(a.v, a.y ^ b.y, a.at) : STATE(b.v, b.y + 1, b.at);",
     .finish = "s.y + (u64)s.at * 3u + (u64)n"},
    {SOURCE, .name = "narrow", .input_count = 1, .result_count = 1, .inputs = {TALLY_F64}, .result = TALLY_BF16,
     .state = "f32 a; i16 n; u8 c;", .lift = "STATE(isnan(x) ? M_PI : x / 2.0, 1, i)",
     .combine = "STATE(a.a + b.a * 1.5, a.n + b.n, max(a.c, b.c))", .identity = "STATE(0, 0, 0)",
     .finish = "s.a + s.n + s.c"},
    {SOURCE, .name = "least", .flags = TALLY_OP_COMMUTATIVE | TALLY_OP_IDEMPOTENT, .input_count = 1, .result_count = 1,
     .inputs = {TALLY_I8}, .state = "i8", .combine = "min(a, b)", .identity = "127"},
};
#define OPERATORS (sizeof sources / sizeof *sources)
static tally_op ops[OPERATORS];

/* ---- one call ---- */

struct trial {
    size_t k; /* the operator */
    tally_verb verb;
    tally_array input[3], where, out;
    tally_options options;
    int on_device;
};

static size_t elements_of(const tally_array *a)
{
    size_t n = 1;
    for (int32_t d = 0; d < a->rank; d++) n *= (size_t)a->shape[d];
    return n;
}

static int same(tally_type type, const void *a, const void *b)
{
    size_t size = tally_type_size(type), parts = type == TALLY_C64 || type == TALLY_C128 ? 2 : 1;
    for (size_t part = 0; part < parts; part++) {
        const unsigned char *x = (const unsigned char *)a + part * size / parts;
        const unsigned char *y = (const unsigned char *)b + part * size / parts;
        uint16_t halves[2] = {0};
        float floats[2] = {0};
        double doubles[2] = {0};
        if (memcmp(x, y, size / parts) == 0) continue; /* but a NaN has no bits of its own */
        memcpy(&halves[0], x, 2), memcpy(&halves[1], y, 2);
        if (type == TALLY_F16 && (halves[0] & 0x7fff) > 0x7c00 && (halves[1] & 0x7fff) > 0x7c00) continue;
        if (size / parts >= 4) memcpy(&floats[0], x, 4), memcpy(&floats[1], y, 4);
        if (size / parts >= 8) memcpy(&doubles[0], x, 8), memcpy(&doubles[1], y, 8);
        if ((type == TALLY_F32 || type == TALLY_C64) && isnan(floats[0]) && isnan(floats[1])) continue;
        if ((type == TALLY_F64 || type == TALLY_C128) && isnan(doubles[0]) && isnan(doubles[1])) continue;
        return 0;
    }
    return 1;
}

static tally_status call(tally_context *context, const struct trial *t, unsigned char *const *buffers, int result)
{
    tally_array in[3], where = moved(t->where, near[WHERE], buffers[WHERE]);
    tally_array out = moved(t->out, near[WANT], buffers[result]);
    tally_options options = t->options;
    for (int c = 0; c < 3; c++) in[c] = moved(t->input[c], near[X + c], buffers[X + c]);
    if (options.where) options.where = &where;
    if (options.second) options.second = &in[1];
    if (options.third) options.third = &in[2];
    return t->verb == TALLY_REDUCE ? tally_reduce(context, ops[t->k], &in[0], &out, &options)
                                   : tally_scan(context, ops[t->k], &in[0], &out, &options);
}

static void describe(const struct trial *t)
{
    int used = snprintf(where_text, sizeof where_text, "%s %s, flags %u%s%s%s, axes",
                        t->verb == TALLY_SCAN ? "scan" : "reduce", sources[t->k].name, t->options.flags,
                        t->options.where ? ", where" : "", t->options.initial ? ", initial" : "",
                        t->on_device ? ", on the device" : "");
    for (int32_t a = 0; t->options.axes && a < t->options.axis_count; a++)
        used += snprintf(where_text + used, sizeof where_text - (size_t)used, " %d", (int)t->options.axes[a]);
    for (int32_t d = 0; d < t->input[0].rank; d++)
        used += snprintf(where_text + used, sizeof where_text - (size_t)used, "%s %lld (%lld)", d ? " x" : ", shape",
                         (long long)t->input[0].shape[d], (long long)t->input[0].strides[d]);
    test.section = where_text;
}

static void compare(const struct trial *t)
{
    size_t size = tally_type_size(t->out.type), n = elements_of(&t->out), shown = test.failed < TEST_SHOWN;
    describe(t);
    memset(near[WANT], 0xab, ROOM), memset(near[GOT], 0xab, ROOM);
    tally_status want = call(judge, t, near, WANT), got;
    if (t->on_device) {
        for (int b = 0; b <= WHERE; b++) CHECK(tally_copy(device, far[b], near[b], ROOM) == TALLY_OK);
        CHECK(tally_copy(device, far[GOT], near[GOT], ROOM) == TALLY_OK);
        got = call(device, t, far, GOT);
        CHECK(tally_copy(device, near[GOT], far[GOT], ROOM) == TALLY_OK);
    } else {
        got = call(device, t, near, GOT);
    }
    if (!CHECK_EQUAL_I64(got, want)) fprintf(stderr, "    %s\n", tally_last_error());
    if (want != TALLY_OK) return;
    size_t i = 0;
    while (i < n && same(t->out.type, near[GOT] + i * size, near[WANT] + i * size)) i++;
    if (!CHECK(i == n) && shown) fprintf(stderr, "    result %zu of %zu\n", i, n);
    CHECK(memcmp(near[GOT] + n * size, near[WANT] + n * size, ROOM - n * size) == 0);
}

/* ---- random calls ---- */

/* Random elements again and again: filling takes longer than the calls. */
static void fill(tally_type type, enum data_kind kind, unsigned char *memory)
{
    size_t bytes = 4999 * tally_type_size(type);
    data_fill(type, kind, memory, 4999);
    for (; bytes < ROOM; bytes *= 2) memcpy(memory + bytes, memory, bytes < ROOM - bytes ? bytes : ROOM - bytes);
}

static void fill_inputs(struct trial *t, int32_t rank, const int64_t *shape, int64_t most)
{
    const tally_op_source *source = &sources[t->k];
    for (int c = 0; c < 3; c++) {
        tally_type type = c < source->input_count ? source->inputs[c] : TALLY_U8;
        enum data_kind kind = test_random_below(6) ? DATA_ORDINARY : DATA_SPECIAL;
        fill(type, kind, near[X + c]);
        t->input[c] = random_view(type, rank, shape, near[X + c], most);
    }
    for (size_t i = 0; i < ROOM; i++) near[WHERE][i] = i < 4999 ? test_random_below(4) != 0 : near[WHERE][i - 4999];
    t->where = random_view(TALLY_BOOL, rank, shape, near[WHERE], most);
    t->options = (tally_options)TALLY_OPTIONS_INIT;
    if (source->input_count > 1) t->options.second = &t->input[1];
    if (source->input_count > 2) t->options.third = &t->input[2];
}

/* Options, then the result's shape, then the call; nothing is done when that shape does not fit. */
static void go(struct trial *t)
{
    static _Alignas(16) unsigned char initial[TALLY_OP_MOST_STATE];
    const tally_op_source *source = &sources[t->k];
    size_t bytes;
    CHECK(tally_op_state_size(ops[t->k], &bytes) == TALLY_OK);
    if (test_random_below(3) == 0) t->options.where = &t->where;
    if (test_random_below(4) == 0) t->options.flags |= TALLY_SKIP_NAN;
    if (test_random_below(3) == 0) {
        for (size_t i = 0; i < bytes; i++) initial[i] = (unsigned char)(i % 8 < 2 ? test_random_below(50) : 0);
        t->options.initial = initial;
    }
    if (t->verb == TALLY_SCAN) {
        t->options.flags |= test_random_below(3) == 0 ? TALLY_EXCLUSIVE : 0;
        t->options.flags |= test_random_below(3) == 0 ? TALLY_REVERSE : 0;
        int may_lack = t->options.where || t->options.flags & (TALLY_EXCLUSIVE | TALLY_SKIP_NAN);
        if (may_lack && !source->identity) t->options.initial = initial;
    }
    t->on_device = (int)test_random_below(2);
    describe(t);
    const tally_status like = tally_result_like(t->verb, ops[t->k], &t->input[0], &t->options, &t->out);
    if (like != TALLY_OK) {
        CHECK(like == TALLY_EMPTY && !source->identity && !t->options.initial && t->verb == TALLY_REDUCE);
        return;
    }
    t->out.data = near[WANT];
    if (elements_of(&t->out) * tally_type_size(t->out.type) > ROOM) return;
    compare(t);
}

static void random_trial(size_t k, tally_verb verb, int64_t most)
{
    struct trial t = {.k = k, .verb = verb};
    int64_t shape[8];
    int32_t axes[8], rank = random_shape(shape, most);
    if (rank == 4 && sources[k].result_count > 1) shape[0] = 1;
    fill_inputs(&t, rank, shape, 4 * most);
    t.options.axes = axes;
    t.options.axis_count = random_axes(rank, axes);
    if (verb == TALLY_SCAN) axes[0] = (int32_t)test_random_below((uint64_t)rank), t.options.axis_count = 1;
    go(&t);
}

/* Lengths around those of lanes, leaves, runs, groups and blocks: alone, as rows, and as columns. */
static void length_trial(size_t k, tally_verb verb, int64_t length, int64_t others, int columns)
{
    struct trial t = {.k = k, .verb = verb};
    int64_t shape[2] = {columns ? length : others, columns ? others : length};
    int32_t axis = columns ? 0 : 1;
    fill_inputs(&t, 2, shape, length * others);
    for (int c = 0; c < 3; c++) t.input[c] = tally_matrix(near[X + c], t.input[c].type, shape[0], shape[1]);
    t.where = tally_matrix(near[WHERE], TALLY_BOOL, shape[0], shape[1]);
    t.options.axes = &axis;
    t.options.axis_count = 1;
    go(&t);
}

static void lengths(size_t k, tally_verb verb, int full)
{
    static const int64_t exact[] = {1,   2,   15,  16,  17,   32,   33,   100,   127,
                                    128, 511, 512, 513, 4095, 4096, 4097, 12288, 40000};
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
        int64_t others = 1 + (int64_t)test_random_below(exact[i] < 600 ? 100 : 3);
        if (!full && (i + k) % 3) continue;
        length_trial(k, verb, exact[i], 1, 0);
        length_trial(k, verb, exact[i], others, 0);
        length_trial(k, verb, exact[i], others, 1);
    }
}

/* A scan that writes over its input. */
static void in_place(void)
{
    size_t k = OPERATORS - 1;
    int64_t n = 20000;
    tally_options options = TALLY_OPTIONS_INIT;
    data_fill(TALLY_I8, DATA_ORDINARY, near[X], n);
    for (int reverse = 0; reverse < 2; reverse++) {
        tally_array x = tally_vector(near[X], TALLY_I8, n), want = tally_vector(near[WANT], TALLY_I8, n);
        tally_array own = tally_vector(far[X], TALLY_I8, n);
        options.flags = TALLY_EXCLUSIVE | (reverse ? TALLY_REVERSE : 0);
        CHECK(tally_scan(judge, ops[k], &x, &want, &options) == TALLY_OK);
        CHECK(tally_copy(device, far[X], near[X], (size_t)n) == TALLY_OK);
        CHECK(tally_scan(device, ops[k], &own, &own, &options) == TALLY_OK);
        CHECK(tally_copy(device, near[GOT], far[X], (size_t)n) == TALLY_OK);
        CHECK(memcmp(near[GOT], near[WANT], (size_t)n) == 0);
    }
}

/* A plan gives what the call gives. */
static void planned(void)
{
    int64_t n = 20000;
    tally_plan *plan;
    data_fill(TALLY_F32, DATA_ORDINARY, near[X], n);
    tally_array x = tally_vector(near[X], TALLY_F32, n), own = tally_vector(far[X], TALLY_F32, n);
    tally_array want = tally_shaped(near[WANT], TALLY_F64, 0, NULL), got = tally_shaped(far[GOT], TALLY_F64, 0, NULL);
    CHECK(tally_reduce(judge, ops[1], &x, &want, NULL) == TALLY_OK);
    CHECK(tally_copy(device, far[X], near[X], (size_t)n * 4) == TALLY_OK);
    if (!CHECK(tally_plan_reduce(device, ops[1], &own, &got, NULL, &plan) == TALLY_OK)) return;
    for (int run = 0; run < 2; run++) {
        CHECK(tally_plan_run(plan) == TALLY_OK);
        CHECK(tally_copy(device, near[GOT], far[GOT], 8) == TALLY_OK);
        CHECK(memcmp(near[GOT], near[WANT], 8) == 0);
    }
    CHECK(tally_plan_free(plan) == TALLY_OK);
}

/* Helpers may have any names but those that begin with user_ or tally_. */
static void named_alike(void)
{
    static const char helpers[] = "#define BLOCK 3\n#  define THREADS(n) ((n) + BLOCK)\n#define p room\n"
                                  "enum { WARPS = 5, TEAM = 7 };\n"
                                  "static i32 seat_of(i32 DEVICE) { return DEVICE % 7; }\n"
                                  "static i32 chunk(i32 STAGES) { i32 room = STAGES; return p + WARPS; }\n"
                                  "static i32 arrive(i32 LAG) { return THREADS(LAG); }\n"
                                  "struct place { i32 CHUNK, lane; };\ntypedef struct place run;\n";
    tally_op_source source = TALLY_OP_SOURCE_INIT;
    int64_t n = 20000;
    tally_array x = tally_vector(near[X], TALLY_I32, n), want = tally_vector(near[WANT], TALLY_I32, n);
    tally_array got = tally_vector(near[GOT], TALLY_I32, n);
    tally_op op;
    test.section = "named alike";
    source.name = "alike", source.inputs[0] = TALLY_I32, source.state = "i32 THREADS, INPUT_0;";
    source.helpers = helpers, source.result = TALLY_I32;
    source.lift = "run r = {seat_of(x), arrive(x % 1000)}; return STATE(r.CHUNK + TEAM, r.lane);";
    source.combine = "STATE(max(a.THREADS, b.THREADS), (i32)((u32)a.INPUT_0 * 3u + (u32)chunk(b.INPUT_0 % 1000)))";
    source.finish = "s.THREADS + s.INPUT_0";
    data_fill(TALLY_I32, DATA_ORDINARY, near[X], (size_t)n);
    if (!CHECK(tally_op_compile(device, &source, &op) == TALLY_OK)) {
        fprintf(stderr, "    %s\n", tally_last_error());
        return;
    }
    CHECK(tally_scan(judge, op, &x, &want, NULL) == TALLY_OK);
    CHECK(tally_scan(device, op, &x, &got, NULL) == TALLY_OK);
    CHECK(memcmp(near[WANT], near[GOT], (size_t)n * 4) == 0);
    want = tally_shaped(near[WANT], TALLY_I32, 0, NULL), got = tally_shaped(near[GOT], TALLY_I32, 0, NULL);
    CHECK(tally_reduce(judge, op, &x, &want, NULL) == TALLY_OK);
    if (!CHECK(tally_reduce(device, op, &x, &got, NULL) == TALLY_OK)) fprintf(stderr, "    %s\n", tally_last_error());
    CHECK(memcmp(near[WANT], near[GOT], 4) == 0);
    CHECK(tally_op_free(op) == TALLY_OK);
}

/* ---- what is refused ---- */

static void refused(void)
{
    tally_op_source source = TALLY_OP_SOURCE_INIT;
    tally_op op;
    test.section = "refused";
    source.name = "wrong";
    source.inputs[0] = TALLY_I32;
    source.state = "i32";
    source.combine = "a +\nb + STEP_OF_DEVICE";
    CHECK(tally_op_compile(device, &source, &op) == TALLY_INVALID_ARGUMENT);
    CHECK(strstr(tally_last_error(), "wrong.combine:2") != NULL);
    /* What only the device's compiler refuses: here a word of C++. */
    source.combine = "i32 r = a;\ni32 class = b;\nreturn r + class;";
    CHECK(tally_op_compile(device, &source, &op) == TALLY_INVALID_ARGUMENT);
    CHECK(strstr(tally_last_error(), "wrong.combine") != NULL && strstr(tally_last_error(), "operator wrong") != NULL);
    source.helpers = "typedef struct { i32 v[2]; } pair;";
    source.state = "#ifdef __cplusplus\ni64 v;\n#else\ni32 v;\n#endif\n";
    source.lift = "STATE(x)", source.combine = "STATE(a.v + b.v)", source.finish = "s.v", source.result = TALLY_I32;
    CHECK(tally_op_compile(device, &source, &op) == TALLY_INVALID_ARGUMENT);
    CHECK(strstr(tally_last_error(), "another size") != NULL);
}

int main(void)
{
    int full = device_full();
    if (device_simulated()) setenv("TALLY_SIMT_SHARED", "49152", 0);
    if (!device_open("reference")) return test_left_out("device_user", tally_last_error());
    for (int b = 0; b < BUFFERS; b++) near[b] = malloc(ROOM), far[b] = device_room(ROOM);
    for (size_t k = 0; k < OPERATORS; k++) {
        test.section = sources[k].name;
        if (!CHECK(tally_op_compile(device, &sources[k], &ops[k]) == TALLY_OK))
            return fprintf(stderr, "    %s\n", tally_last_error()), test_finish("device_user");
        for (int i = 0; i < (full ? 200 : 12); i++) {
            random_trial(k, TALLY_REDUCE, i % 4 ? 2000 : 16000);
            random_trial(k, TALLY_SCAN, i % 4 ? 2000 : 16000);
        }
        lengths(k, TALLY_REDUCE, full);
        lengths(k, TALLY_SCAN, full);
    }
    in_place();
    planned();
    named_alike();
    refused();
    for (int b = 0; b < BUFFERS; b++) free(near[b]);
    for (size_t k = 0; k < OPERATORS; k++) CHECK(tally_op_free(ops[k]) == TALLY_OK);
    device_close();
    return test_finish("device_user");
}
