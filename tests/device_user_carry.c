/* SPDX-License-Identifier: MIT
 *
 * device_user_carry.c - scans by users' operators that continue on a GPU, in chunks that begin and end anywhere in
 * runs, groups, blocks and sections: vectors, rows and columns, several inputs and results, masks that come and go,
 * exclusive, from the end, from an initial state, in host memory and on the device, states of 4 to 256 bytes. All bits
 * must be the reference engine's of the whole. TALLY_TEST_DEVICE   the device (simt) TALLY_TEST_FULL     more trials,
 * as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "data.h"
#include "device.h"
#include "device_sources.h"

#include <string.h>

#define MOST 440000 /* elements */
#define ROOM ((size_t)MOST * 16)
#define BLOCK 4096
#define SECTION (32 * BLOCK)

enum { X, Y, Z, WHERE, WANT, GOT, BUFFERS };

static unsigned char *near[BUFFERS], *far[BUFFERS];

/* Floats show in which order they are added, the others know the order of their elements, or these' indices. */
static const tally_op_source sources[] = {
    {SOURCE, .name = "sum", .input_count = 1, .result_count = 1, .inputs = {TALLY_F32}, .state = "f32",
     .combine = "a + b", .identity = "0"},
    {SOURCE, .name = "latest", .input_count = 2, .result_count = 1, .inputs = {TALLY_F64, TALLY_U16},
     .result = TALLY_I64, .state = "f64 v; i64 at; u16 y;", .lift = "STATE(x, i, y)",
     .combine = "return a.v < b.v ? STATE(a.v, a.at, a.y ^ b.y) : STATE(b.v, b.at, b.y + 1);",
     .finish = "s.y + s.at * 3 + n"},
    SOURCE_AFFINE,
    SOURCE_THREE,
    {SOURCE, .name = "large", .input_count = 1, .result_count = 1, .inputs = {TALLY_I16}, .result = TALLY_U32,
     .state = "u32 v[64];", .lift = "state s; for (int k = 0; k < 64; k++) s.v[k] = (u32)(x + k * i); return s;",
     .combine = "state s; for (int k = 0; k < 64; k++) s.v[k] = a.v[k] * 3u + b.v[63 - k]; return s;",
     .identity = "state s; for (int k = 0; k < 64; k++) s.v[k] = 0; return s;", .finish = "s.v[7] ^ s.v[60] + (u32)n"},
};
#define OPERATORS (sizeof sources / sizeof *sources)
static tally_op ops[OPERATORS];

struct trial {
    size_t k;
    int64_t shape[2];
    int32_t axis;
    uint32_t flags;
    int masked, initial, far_out;
    int64_t most; /* elements of a chunk; 0: two chunks, and the mask leaves nothing of the first */
};

static void fill(size_t k)
{
    for (int c = 0; c < 3; c++) {
        data_fill(c < sources[k].input_count ? sources[k].inputs[c] : TALLY_U8, DATA_ORDINARY, near[c], MOST);
        CHECK(tally_copy(device, far[c], near[c], ROOM) == TALLY_OK);
    }
}

/* Elements [first, first + n) of an axis. */
static tally_array part(tally_array a, int32_t axis, int64_t first, int64_t n)
{
    a.data = (char *)a.data + first * a.strides[axis] * (int64_t)tally_type_size(a.type);
    a.shape[axis] = n;
    return a;
}

static tally_array whole(const struct trial *t, unsigned char *const *buffers, int which)
{
    tally_type type = which == WHERE ? TALLY_BOOL : sources[t->k].inputs[which];
    return tally_matrix(buffers[which], type, t->shape[0], t->shape[1]);
}

/* A chunk is masked, or it is not, and then the whole's mask is true there. `cuts` are its ends. */
static int32_t cut(const struct trial *t, int64_t *cuts, int *masked)
{
    int64_t length = t->shape[t->axis], end = 0;
    int32_t count = 0;
    if (!t->most) {
        cuts[0] = 3 * BLOCK, masked[0] = 1;
        cuts[1] = length, masked[1] = 0;
        return 2;
    }
    for (; end < length; count++) {
        int64_t most = test_random_below(3) ? t->most : test_random_below(2) ? 600 : 3 * BLOCK, n;
        n = 1 + (int64_t)test_random_below((uint64_t)most);
        if (test_random_below(3) == 0) n += BLOCK - (end + n) % BLOCK;
        end = end + n < length ? end + n : length;
        cuts[count] = end;
        masked[count] = t->masked && test_random_below(2);
    }
    return count;
}

static void fill_mask(const struct trial *t, const int64_t *cuts, const int *masked)
{
    int reverse = (t->flags & TALLY_REVERSE) != 0;
    int64_t length = t->shape[t->axis], others = t->shape[0] * t->shape[1] / length;
    for (int64_t i = 0, chunk = 0; i < length; i++) {
        if (i == cuts[chunk]) chunk++;
        int none = !t->most || i % 50000 > 30000; /* whole blocks of nothing */
        int64_t at = reverse ? length - 1 - i : i;
        for (int64_t c = 0; c < others; c++)
            near[WHERE][t->axis == 0 ? at * others + c : c * length + at] =
                !masked[chunk] || (!none && test_random_below(4) != 0);
    }
    CHECK(tally_copy(device, far[WHERE], near[WHERE], ROOM) == TALLY_OK);
}

static tally_status go_on(const struct trial *t, tally_scan_carry *carry, tally_options options, tally_array out,
                          int64_t first, int64_t n, int masked)
{
    int64_t at = t->flags & TALLY_REVERSE ? t->shape[t->axis] - first - n : first;
    unsigned char *const *from = test_random_below(2) ? far : near;
    tally_array in[3], where = part(whole(t, from, WHERE), t->axis, at, n), to = part(out, t->axis, at, n);
    for (int c = 0; c < sources[t->k].input_count; c++) in[c] = part(whole(t, from, c), t->axis, at, n);
    options.second = sources[t->k].input_count > 1 ? &in[1] : NULL;
    options.third = sources[t->k].input_count > 2 ? &in[2] : NULL;
    options.where = masked ? &where : NULL;
    return tally_scan_continue(carry, &in[0], &to, &options);
}

static tally_status judge_whole(const struct trial *t, tally_options options, tally_array *out)
{
    tally_array in[3], where = whole(t, near, WHERE);
    for (int c = 0; c < sources[t->k].input_count; c++) in[c] = whole(t, near, c);
    options.second = sources[t->k].input_count > 1 ? &in[1] : NULL;
    options.third = sources[t->k].input_count > 2 ? &in[2] : NULL;
    options.where = t->masked ? &where : NULL;
    CHECK(tally_result_like(TALLY_SCAN, ops[t->k], &in[0], &options, out) == TALLY_OK);
    out->data = near[WANT];
    return tally_scan(judge, ops[t->k], &in[0], out, &options);
}

static void try(struct trial t)
{
    static int64_t cuts[MOST];
    static int masked[MOST];
    static const _Alignas(16) unsigned char initial[TALLY_OP_MOST_STATE] = {5, 0, 0, 0, 0, 0, 0, 0, 1};
    int64_t cells = t.shape[1 - t.axis], first = 0;
    tally_options options = TALLY_OPTIONS_INIT;
    tally_scan_carry *carry = NULL;
    tally_array out;
    int shown = test.failed < TEST_SHOWN;
    if ((t.masked || t.flags & TALLY_EXCLUSIVE) && !sources[t.k].identity) t.initial = 1;
    options.axes = &t.axis, options.axis_count = 1;
    options.flags = t.flags;
    options.initial = t.initial ? initial : NULL;
    int32_t count = cut(&t, cuts, masked);
    fill_mask(&t, cuts, masked);
    memset(near[WANT], 0xab, ROOM), memset(near[GOT], 0xab, ROOM);
    CHECK(judge_whole(&t, options, &out) == TALLY_OK);
    if (t.far_out) CHECK(tally_copy(device, far[GOT], near[GOT], ROOM) == TALLY_OK);
    out.data = t.far_out ? far[GOT] : near[GOT];
    CHECK(tally_scan_carry_new(device, ops[t.k], sources[t.k].inputs[0], cells, &options, &carry) == TALLY_OK);
    for (int32_t c = 0; c < count && carry; first = cuts[c++]) {
        if (CHECK(go_on(&t, carry, options, out, first, cuts[c] - first, masked[c]) == TALLY_OK)) continue;
        fprintf(stderr, "    %s\n", tally_last_error());
        break;
    }
    CHECK(tally_scan_carry_free(carry) == TALLY_OK);
    if (t.far_out) CHECK(tally_copy(device, near[GOT], far[GOT], ROOM) == TALLY_OK);
    if (CHECK(memcmp(near[WANT], near[GOT], ROOM) == 0) || !shown) return;
    size_t at = 0, size = tally_type_size(out.type);
    while (near[WANT][at] == near[GOT][at]) at++;
    fprintf(stderr, "    %s, %lld x %lld, axis %d, flags %u, masked %d, initial %d, first at %zu, cuts",
            sources[t.k].name, (long long)t.shape[0], (long long)t.shape[1], (int)t.axis, t.flags, t.masked, t.initial,
            at / size);
    for (int32_t c = 0; c < count && c < 12; c++) fprintf(stderr, " %lld%s", (long long)cuts[c], masked[c] ? "m" : "");
    fprintf(stderr, "\n");
}

static void try_shape(size_t k, int64_t rows, int64_t columns, int32_t axis, int64_t most)
{
    struct trial t = {.k = k, .shape = {rows, columns}, .axis = axis, .most = most};
    t.flags = (test_random_below(3) ? 0 : TALLY_REVERSE) | (test_random_below(3) ? 0 : TALLY_EXCLUSIVE);
    t.masked = !most || test_random_below(3) == 0;
    t.initial = test_random_below(3) == 0;
    t.far_out = test_random_below(2) == 0;
    try(t);
}

static void try_operator(size_t k, int full)
{
    int64_t values = sources[k].result_count, large = k == 4;
    test.section = sources[k].name;
    fill(k);
    for (int again = 0; again < (full ? 3 : 1); again++) {
        if (!large) try_shape(k, 1, MOST / values, 1, SECTION * 3 / 2);
        try_shape(k, 1, large ? 9 * BLOCK + 5 : 40 * BLOCK + 100, 1, 9 * BLOCK);
        try_shape(k, 3, 5 * BLOCK + 700, 1, 3 * BLOCK);
        try_shape(k, 3 * BLOCK + 100, large ? 3 : 13, 0, 2 * BLOCK);
        try_shape(k, 20, 1000, 1, 400);
        try_shape(k, 2, 9 * BLOCK, 1, 0);
    }
}

int main(void)
{
    int full = device_full();
    if (device_simulated()) setenv("TALLY_SIMT_SHARED", DEVICE_H100_SHARED, 0);
    if (!device_open("reference")) return test_left_out("device_user_carry", tally_last_error());
    for (int b = 0; b < BUFFERS; b++) near[b] = calloc(1, ROOM), far[b] = device_room(ROOM);
    for (size_t k = 0; k < OPERATORS; k++) {
        if (CHECK(tally_op_compile(device, &sources[k], &ops[k]) == TALLY_OK)) try_operator(k, full);
        else fprintf(stderr, "    %s\n", tally_last_error());
        CHECK(tally_op_free(ops[k]) == TALLY_OK);
    }
    for (int b = 0; b < BUFFERS; b++) free(near[b]);
    device_close();
    return test_finish("device_user_carry");
}
