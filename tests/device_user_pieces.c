/* SPDX-License-Identifier: MIT
 *
 * device_user_pieces.c - users' operators on a GPU piece by piece: partials that grow by views of any length, in host
 * memory and on the device, and host arrays that are cut because TALLY_GPU_CHUNK_BYTES leaves no room for them at once.
 * All bits must be the reference engine's of the whole.
 *   TALLY_TEST_DEVICE   the device (simt) */
#define _POSIX_C_SOURCE 200809L
#include "data.h"
#include "device.h"
#include "device_sources.h"

#include <string.h>

#define MOST 40000 /* elements */
#define ROOM ((size_t)MOST * 16)

enum { X, Y, Z, WHERE, WANT, GOT, BUFFERS };

static unsigned char *near[BUFFERS], *far[BUFFERS];

static const tally_op_source sources[] = {
    SOURCE_AFFINE,
    {SOURCE, .name = "total", .flags = TALLY_OP_COMMUTATIVE, .input_count = 1, .result_count = 1, .inputs = {TALLY_F32},
     .state = "f32", .combine = "a + b", .identity = "0"},
    {SOURCE, .name = "latest", .input_count = 2, .result_count = 1, .inputs = {TALLY_F64, TALLY_U16},
     .result = TALLY_I64, .state = "f64 v; i64 at; u16 y;", .lift = "STATE(x, i, y)",
     .combine = "return a.v < b.v ? STATE(a.v, a.at, a.y ^ b.y) : STATE(b.v, b.at, b.y + 1);",
     .finish = "s.y + s.at * 3 + n"},
    SOURCE_THREE,
};
#define OPERATORS (sizeof sources / sizeof *sources)
static tally_op ops[OPERATORS];

static void fill(size_t k)
{
    for (int c = 0; c < 3; c++) {
        data_fill(c < sources[k].input_count ? sources[k].inputs[c] : TALLY_U8, DATA_ORDINARY, near[c], MOST);
        CHECK(tally_copy(device, far[c], near[c], ROOM) == TALLY_OK);
    }
    for (size_t i = 0; i < MOST; i++) near[WHERE][i] = i % 9000 < 5000 ? test_random_below(4) != 0 : 0;
    CHECK(tally_copy(device, far[WHERE], near[WHERE], ROOM) == TALLY_OK);
    memset(near[WANT], 0xab, ROOM), memset(near[GOT], 0xab, ROOM);
}

static tally_array matrix(unsigned char *const *buffers, int which, tally_type type, int64_t rows, int64_t columns)
{
    return tally_matrix(buffers[which], type, rows, columns);
}

/* Columns [first, end) of a matrix. */
static tally_array columns_of(tally_array a, int64_t first, int64_t end)
{
    a.data = (unsigned char *)a.data + (size_t)first * tally_type_size(a.type);
    a.shape[1] = end - first;
    return a;
}

/* ---- partials ---- */

static void try_partial(size_t k, int64_t rows, int64_t columns, int masked, int skips, int whole)
{
    const tally_op_source *source = &sources[k];
    const int32_t axes[] = {0, 1};
    tally_options options = TALLY_OPTIONS_INIT;
    tally_partial *partial = NULL;
    tally_array x = matrix(near, X, source->inputs[0], rows, columns);
    tally_array y = matrix(near, Y, source->inputs[1], rows, columns),
                where = matrix(near, WHERE, TALLY_BOOL, rows, columns);
    tally_array want, got;
    memset(near[WANT], 0xab, ROOM), memset(near[GOT], 0xab, ROOM);
    options.axes = whole ? axes : axes + 1;
    options.axis_count = whole ? 2 : 1;
    options.flags = skips ? TALLY_SKIP_NAN : 0;
    CHECK(tally_partial_new(device, ops[k], source->inputs[0], !whole, &rows, &options, &partial) == TALLY_OK ||
          fprintf(stderr, "    %s\n", tally_last_error()) < 0);
    if (!partial) return;
    for (int64_t first = 0; first < columns;) {
        int64_t most = test_random_below(2) ? 9000 : 100, end = first + 1 + (int64_t)test_random_below((uint64_t)most);
        int on_device = test_random_below(2) != 0;
        unsigned char *const *buffers = on_device ? far : near;
        if (end > columns || whole) end = columns;
        tally_array piece = columns_of(matrix(buffers, X, source->inputs[0], rows, columns), first, end);
        tally_array second = columns_of(matrix(buffers, Y, source->inputs[1], rows, columns), first, end);
        tally_array mask = columns_of(matrix(buffers, WHERE, TALLY_BOOL, rows, columns), first, end);
        if (!CHECK(tally_partial_add(partial, &piece, source->input_count > 1 ? &second : NULL,
                                     masked ? &mask : NULL) == TALLY_OK)) {
            fprintf(stderr, "    %s\n", tally_last_error());
            break;
        }
        first = end;
    }
    if (source->input_count > 1) options.second = &y;
    if (masked) options.where = &where;
    tally_status like = tally_result_like(TALLY_REDUCE, ops[k], &x, &options, &want);
    CHECK(like == TALLY_OK);
    got = want;
    want.data = near[WANT], got.data = near[GOT];
    tally_status status = tally_reduce(judge, ops[k], &x, &want, &options);
    CHECK_EQUAL_I64(tally_partial_finish(partial, &got), status);
    if (status == TALLY_OK && !CHECK(memcmp(near[WANT], near[GOT], ROOM) == 0))
        fprintf(stderr, "    %s, %lld x %lld, masked %d, whole %d\n", source->name, (long long)rows, (long long)columns,
                masked, whole);
    CHECK(tally_partial_free(partial) == TALLY_OK);
}

/* ---- host arrays in pieces ---- */

static void try_pieces(size_t k, tally_verb verb, int64_t rows, int64_t columns, int32_t axis, int masked)
{
    const tally_op_source *source = &sources[k];
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array x = matrix(near, X, source->inputs[0], rows, columns);
    tally_array y = matrix(near, Y, source->inputs[1], rows, columns);
    tally_array z = matrix(near, Z, source->inputs[2], rows, columns),
                where = matrix(near, WHERE, TALLY_BOOL, rows, columns);
    tally_array want, got;
    options.axes = &axis;
    options.axis_count = 1;
    if (source->input_count > 1) options.second = &y;
    if (source->input_count > 2) options.third = &z;
    if (masked) options.where = &where;
    memset(near[WANT], 0xab, ROOM), memset(near[GOT], 0xab, ROOM);
    CHECK(tally_result_like(verb, ops[k], &x, &options, &want) == TALLY_OK);
    got = want;
    want.data = near[WANT], got.data = near[GOT];
    tally_status status = verb == TALLY_SCAN ? tally_scan(judge, ops[k], &x, &want, &options)
                                             : tally_reduce(judge, ops[k], &x, &want, &options);
    setenv("TALLY_GPU_CHUNK_BYTES", "70000", 1);
    tally_status had = verb == TALLY_SCAN ? tally_scan(device, ops[k], &x, &got, &options)
                                          : tally_reduce(device, ops[k], &x, &got, &options);
    unsetenv("TALLY_GPU_CHUNK_BYTES");
    CHECK_EQUAL_I64(had, status);
    if (had != TALLY_OK || status != TALLY_OK) return;
    if (!CHECK(memcmp(near[WANT], near[GOT], ROOM) == 0))
        fprintf(stderr, "    %s %s, %lld x %lld, axis %d, masked %d\n", source->name,
                verb == TALLY_SCAN ? "scan" : "reduce", (long long)rows, (long long)columns, (int)axis, masked);
}

static void try_operator(size_t k)
{
    test.section = sources[k].name;
    fill(k);
    for (int masked = 0; masked < 2; masked++) {
        int scans = !masked || sources[k].identity;
        for (int whole = 0; whole < 2 && sources[k].input_count < 3; whole++) {
            try_partial(k, 1, 4096, masked, 0, whole);
            try_partial(k, 1, MOST - 3, masked, masked, whole);
            try_partial(k, 7, 5000, masked, 0, whole);
            try_partial(k, 100, 60, masked, 0, whole);
        }
        try_pieces(k, TALLY_REDUCE, 1, MOST, 1, masked);
        try_pieces(k, TALLY_REDUCE, 3, 12345, 1, masked);
        try_pieces(k, TALLY_REDUCE, 12345, 3, 0, masked);
        try_pieces(k, TALLY_REDUCE, 300, 100, 0, masked);
        if (!scans) continue;
        try_pieces(k, TALLY_SCAN, 30, 1000, 1, masked);
        try_pieces(k, TALLY_SCAN, 1, MOST / sources[k].result_count, 1, masked);
        try_pieces(k, TALLY_SCAN, 9000, 2, 0, masked);
    }
}

int main(void)
{
    if (!device_open("reference")) return test_left_out("device_user_pieces", tally_last_error());
    for (int b = 0; b < BUFFERS; b++) near[b] = calloc(1, ROOM), far[b] = device_room(ROOM);
    for (size_t k = 0; k < OPERATORS; k++) {
        if (CHECK(tally_op_compile(device, &sources[k], &ops[k]) == TALLY_OK)) try_operator(k);
        else fprintf(stderr, "    %s\n", tally_last_error());
        CHECK(tally_op_free(ops[k]) == TALLY_OK);
    }
    for (int b = 0; b < BUFFERS; b++) free(near[b]);
    device_close();
    return test_finish("device_user_pieces");
}
