/* SPDX-License-Identifier: MIT
 *
 * device_user_long.c - scans by users' operators along contiguous axes on a GPU, chunk by chunk: lengths around those
 * of groups, blocks, chunks and sections, rows, backward, exclusive, going on from an initial state, views that begin
 * inside of vectors, several inputs, states of 1 to 32 bytes. All bits must be the reference engine's.
 *   TALLY_TEST_DEVICE   the device (simt)
 *   TALLY_TEST_FULL     more trials, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "data.h"
#include "device.h"

#include <string.h>

#define MOST 400000 /* elements */
#define ROOM ((size_t)(MOST + 64) * 16)

enum { X, Y, WANT, GOT, BUFFERS };

static unsigned char *near[BUFFERS], *far[BUFFERS];

#define SOURCE .size = (uint32_t)sizeof(tally_op_source), .result_count = 1

/* Floats show in which order they are added, the others know the order of their elements. */
static const tally_op_source sources[] = {
    {SOURCE, .name = "sum", .input_count = 1, .inputs = {TALLY_F32}, .state = "f32", .combine = "a + b",
     .identity = "-0.0f"},
    {SOURCE, .name = "later", .input_count = 1, .inputs = {TALLY_F64}, .result = TALLY_I64,
     .state = "f64 value; i64 index;", .lift = "STATE(x, i)", .combine = "b.value > a.value ? b : a",
     .finish = "s.index + n"},
    {SOURCE, .name = "least", .input_count = 1, .inputs = {TALLY_I8}, .state = "i8", .combine = "min(a, b)",
     .identity = "127"},
    {SOURCE, .name = "affine", .input_count = 2, .inputs = {TALLY_U16, TALLY_F64}, .result = TALLY_F16,
     .state = "f32 a, b; u8 c;", .lift = "STATE(x % 5u * 0.25f, y, x)",
     .combine = "STATE(a.a * b.a, a.b * b.a + b.b, a.c ^ b.c * 3)", .identity = "STATE(1, 0, 0)",
     .finish = "s.a + s.b + s.c"},
    {SOURCE, .name = "matrix", .input_count = 1, .inputs = {TALLY_F32}, .result = TALLY_C128, .state = "f64 m[4];",
     .lift = "STATE(x, 1, 0.5, -x)",
     .combine = "STATE(0.5 * (a.m[0] * b.m[0] + a.m[1] * b.m[2]), 0.5 * (a.m[0] * b.m[1] + a.m[1] * b.m[3]),\n"
                "      0.5 * (a.m[2] * b.m[0] + a.m[3] * b.m[2]), 0.5 * (a.m[2] * b.m[1] + a.m[3] * b.m[3]))",
     .identity = "STATE(1, 0, 0, 1)", .finish = "c128 r = {s.m[0] + s.m[3], s.m[1] - s.m[2]}; return r;"},
    {SOURCE, .name = "turn", .input_count = 1, .inputs = {TALLY_C128}, .state = "c128",
     .combine = "c128 r = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; return r;",
     .identity = "c128 r = {1, 0}; return r;"},
    {SOURCE, .name = "total", .flags = TALLY_OP_COMMUTATIVE, .input_count = 1, .inputs = {TALLY_F32}, .state = "f32",
     .combine = "a + b"},
    {SOURCE, .name = "mean", .flags = TALLY_OP_COMMUTATIVE, .input_count = 2, .inputs = {TALLY_F64, TALLY_U8},
     .result = TALLY_F64, .state = "f64 sum; f32 weight;", .lift = "STATE(x * y, y)",
     .combine = "STATE(a.sum + b.sum, a.weight + b.weight)", .finish = "s.sum / (s.weight + n)"},
    {SOURCE, .name = "most", .flags = TALLY_OP_COMMUTATIVE, .input_count = 1, .inputs = {TALLY_U16}, .state = "u16",
     .combine = "max(a, b)"},
};
#define OPERATORS (sizeof sources / sizeof *sources)

struct trial {
    size_t k;
    tally_verb verb;
    tally_op op;
    int64_t rows, length, skip; /* skip: elements before the view */
    uint32_t flags;
    int initial, on_device, down; /* down: reduced along axis 0 */
};

static tally_array view(const struct trial *t, tally_type type, unsigned char *buffer)
{
    unsigned char *first = buffer + (size_t)t->skip * tally_type_size(type);
    return t->rows == 1 ? tally_vector(first, type, t->length) : tally_matrix(first, type, t->rows, t->length);
}

static tally_status call(tally_context *context, const struct trial *t, unsigned char *const *buffers, int to)
{
    const tally_op_source *source = &sources[t->k];
    static _Alignas(16) const unsigned char initial[TALLY_OP_MOST_STATE] = {1, 0, 3};
    tally_options options = TALLY_OPTIONS_INIT;
    int32_t axis = t->rows == 1 || t->down ? 0 : 1;
    tally_array x = view(t, source->inputs[0], buffers[X]), y = view(t, source->inputs[1], buffers[Y]);
    tally_type result = source->result ? source->result : source->inputs[0];
    tally_array out = view(t, result, buffers[to]);
    if (t->verb == TALLY_REDUCE)
        out = t->rows == 1 ? tally_shaped(out.data, result, 0, NULL)
                           : tally_vector(out.data, result, t->down ? t->length : t->rows);
    options.flags = t->flags;
    options.axes = &axis;
    options.axis_count = 1;
    if (source->input_count > 1) options.second = &y;
    if (t->initial) options.initial = initial;
    return t->verb == TALLY_REDUCE ? tally_reduce(context, t->op, &x, &out, &options)
                                   : tally_scan(context, t->op, &x, &out, &options);
}

static int same(tally_type type, const void *a, const void *b, size_t n)
{
    size_t size = tally_type_size(type), part = type == TALLY_C128 ? 8 : size;
    if (memcmp(a, b, n * size) == 0) return 1;
    for (size_t at = 0; at < n * size; at += part) { /* a NaN has no bits of its own */
        double doubles[2] = {0};
        const unsigned char *x = (const unsigned char *)a + at, *y = (const unsigned char *)b + at;
        uint16_t halves[2];
        if (memcmp(x, y, part) == 0) continue;
        memcpy(&halves[0], x, part < 2 ? part : 2), memcpy(&halves[1], y, part < 2 ? part : 2);
        if (part == 8) memcpy(&doubles[0], x, 8), memcpy(&doubles[1], y, 8);
        if (part == 8 && isnan(doubles[0]) && isnan(doubles[1])) continue;
        if (type == TALLY_F16 && (halves[0] & 0x7fff) > 0x7c00 && (halves[1] & 0x7fff) > 0x7c00) continue;
        return 0;
    }
    return 1;
}

static void compare(const struct trial *t)
{
    const tally_op_source *source = &sources[t->k];
    tally_type result = source->result ? source->result : source->inputs[0];
    size_t n = (size_t)(t->verb == TALLY_SCAN ? t->rows * t->length
                        : t->down             ? t->length
                                              : t->rows),
           size = tally_type_size(result), first = (size_t)t->skip * size;
    memset(near[WANT], 0xab, ROOM), memset(near[GOT], 0xab, ROOM);
    CHECK(call(judge, t, near, WANT) == TALLY_OK);
    if (t->on_device) {
        CHECK(tally_copy(device, far[GOT], near[GOT], ROOM) == TALLY_OK);
        CHECK(call(device, t, far, GOT) == TALLY_OK);
        CHECK(tally_copy(device, near[GOT], far[GOT], ROOM) == TALLY_OK);
    } else {
        CHECK(call(device, t, near, GOT) == TALLY_OK);
    }
    if (!CHECK(same(result, near[WANT] + first, near[GOT] + first, n)))
        fprintf(stderr, "    %s %s, %lld x %lld, skip %lld, flags %u, initial %d, on the device %d\n",
                t->verb == TALLY_REDUCE ? "reduce" : "scan", source->name, (long long)t->rows, (long long)t->length,
                (long long)t->skip, t->flags, t->initial, t->on_device);
    CHECK(memcmp(near[WANT], near[GOT], first) == 0);
    CHECK(memcmp(near[WANT] + first + n * size, near[GOT] + first + n * size, ROOM - first - n * size) == 0);
}

static void try_length(struct trial t, int64_t rows, int64_t length)
{
    t.rows = rows, t.length = length;
    t.skip = test_random_below(3) ? 0 : (int64_t)test_random_below(17);
    t.initial = !test_random_below(3);
    t.on_device = test_random_below(3) != 0;
    t.verb = TALLY_REDUCE;
    compare(&t);
    t.verb = TALLY_SCAN;
    t.flags = (test_random_below(3) ? 0 : TALLY_REVERSE) | (test_random_below(3) ? 0 : TALLY_EXCLUSIVE);
    t.initial |= t.flags & TALLY_EXCLUSIVE && !sources[t.k].identity;
    compare(&t);
}

/* Reductions down columns beside each other. */
static void try_columns(struct trial t, int64_t rows, int64_t columns)
{
    t.rows = rows, t.length = columns, t.down = 1;
    t.skip = test_random_below(3) ? 0 : (int64_t)test_random_below(17);
    t.initial = !test_random_below(3);
    t.on_device = test_random_below(3) != 0;
    t.verb = TALLY_REDUCE;
    compare(&t);
}

static void try_operator(size_t k, int full)
{
    static const int64_t lengths[] = {512,  513,  527,   1024,  4095,  4096,  4097,   4608,   8191,   8192,
                                      8193, 8704, 12288, 12801, 65536, 90000, 131072, 131073, 266000, 393217};
    struct trial t = {.k = k};
    test.section = sources[k].name;
    if (!CHECK(tally_op_compile(device, &sources[k], &t.op) == TALLY_OK)) {
        fprintf(stderr, "    %s\n", tally_last_error());
        return;
    }
    for (int c = 0; c < 2; c++) {
        data_fill(c < sources[k].input_count ? sources[k].inputs[c] : TALLY_U8, DATA_ORDINARY, near[c], MOST);
        CHECK(tally_copy(device, far[c], near[c], ROOM) == TALLY_OK);
    }
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        if (!full && lengths[i] > 100000 && (i + k) % 2) continue;
        for (int again = 0; again < (full ? 6 : 2); again++) try_length(t, 1, lengths[i]);
    }
    try_length(t, 3, 131073);
    try_length(t, 7, 8192);
    try_length(t, 30, 5000);
    try_length(t, 70, 513);
    try_length(t, 40, 8192);
    try_length(t, 6, 32768 + 512);
    static const int64_t shapes[][2] = {{1024, 388}, {1025, 256}, {4095, 64},  {4096, 96},
                                        {4097, 70},  {2000, 200}, {12289, 32}, {33000, 12}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        for (int again = 0; again < 2; again++) try_columns(t, shapes[i][0], shapes[i][1]);
    }
    CHECK(tally_op_free(t.op) == TALLY_OK);
}

int main(void)
{
    int simulated = device_simulated(), full = device_full();
    if (simulated) setenv("TALLY_SIMT_SHARED", DEVICE_H100_SHARED, 0);
    if (!device_open("reference")) return test_left_out("device_user_long", tally_last_error());
    for (int b = 0; b < BUFFERS; b++) near[b] = calloc(1, ROOM), far[b] = device_room(ROOM);
    for (size_t k = 0; k < OPERATORS; k++) {
        if (test_in_part((int64_t)k)) try_operator(k, full);
    }
    for (int b = 0; b < BUFFERS; b++) free(near[b]);
    device_close();
    return test_finish("device_user_long");
}
