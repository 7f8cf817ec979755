/* SPDX-License-Identifier: MIT
 *
 * device_ordered_rows.c - running results of operators that are not associative in floating point, along many rows and
 * down a few long columns: the bits of the CPU, whatever the length, however rows lie and begin, and nothing beside
 * them is touched.
 *   TALLY_TEST_DEVICE   the device (simt)
 *   TALLY_TEST_FULL     all combinations, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "data.h"
#include "device.h"

#include <string.h>

enum { ROOM = 96 << 20, EDGE = 64 }; /* bytes; elements of room around arrays */

static _Alignas(64) unsigned char room[ROOM], want[ROOM], got[ROOM];
static unsigned char *far, *far_out;
static char text[240];
static int64_t processors;

/* How an operand's rows lie: elements from one to the next, between rows, and before the first. */
struct lie {
    int64_t step, gap, offset;
};

struct call {
    tally_op op;
    tally_type type, result;
    int64_t rows, length;
    struct lie x, out;
    uint32_t flags;
    enum data_kind data;
    int initial;
};

static int64_t pitch_of(const struct call *call, const struct lie *lie)
{
    return call->length * (lie->step < 0 ? -lie->step : lie->step) + lie->gap;
}

static size_t bytes_of(const struct call *call, const struct lie *lie, tally_type type)
{
    return (size_t)(lie->offset + call->rows * pitch_of(call, lie) + EDGE) * tally_type_size(type);
}

static tally_array rows_in(const struct call *call, const struct lie *lie, tally_type type, unsigned char *memory)
{
    int64_t first = lie->offset + (lie->step < 0 ? (call->length - 1) * -lie->step : 0);
    tally_array a = tally_matrix(memory + (size_t)first * tally_type_size(type), type, call->rows, call->length);
    a.strides[0] = pitch_of(call, lie);
    a.strides[1] = lie->step;
    return a;
}

/* Products stay between 0 and infinity. */
static void fill(const struct call *call)
{
    int64_t n = (int64_t)(bytes_of(call, &call->x, call->type) / tally_type_size(call->type));
    data_fill(call->type, call->data, room, n);
    for (int64_t i = 0; call->op == TALLY_PROD && call->data == DATA_ORDINARY && i < n; i++) {
        double x = test_random_below(2) ? 1.0078125 : -0.9921875;
        float single = (float)x;
        if (call->type == TALLY_F64) memcpy(room + 8 * i, &x, 8);
        if (call->type == TALLY_F32) memcpy(room + 4 * i, &single, 4);
    }
}

static void compare_arrays(const struct call *call, tally_array x, tally_array out, int32_t axis, size_t in_bytes,
                           size_t out_bytes)
{
    static const _Alignas(16) unsigned char initial[16] = {1};
    tally_options options = TALLY_OPTIONS_INIT;
    int64_t at = (unsigned char *)x.data - room, out_at = (unsigned char *)out.data - want;
    options.axes = &axis;
    options.axis_count = 1;
    options.flags = call->flags;
    options.type = call->result;
    if (call->initial) options.initial = initial;
    snprintf(text, sizeof text,
             "running %s of %s to %s, %lld x %lld, axis %d, steps %d %d, gaps %d %d, offsets %d %d, flags %u, data %d",
             tally_op_name(call->op), tally_type_name(call->type), tally_type_name(call->result), (long long)call->rows,
             (long long)call->length, (int)axis, (int)call->x.step, (int)call->out.step, (int)call->x.gap,
             (int)call->out.gap, (int)call->x.offset, (int)call->out.offset, call->flags, (int)call->data);
    test.section = text;
    memset(want, 0xab, out_bytes);
    CHECK(tally_copy(device, far, room, in_bytes) == TALLY_OK);
    CHECK(tally_copy(device, far_out, want, out_bytes) == TALLY_OK);
    CHECK(tally_scan(judge, call->op, &x, &out, &options) == TALLY_OK);
    x.data = far + at;
    out.data = far_out + out_at;
    CHECK(tally_scan(device, call->op, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, got, far_out, out_bytes) == TALLY_OK);
    CHECK(memcmp(got, want, out_bytes) == 0);
}

static void compare(const struct call *call)
{
    size_t in_bytes = bytes_of(call, &call->x, call->type), out_bytes = bytes_of(call, &call->out, call->result);
    if (!device_parted(call->op, call->type)) return;
    CHECK(in_bytes <= ROOM && out_bytes <= ROOM);
    fill(call);
    compare_arrays(call, rows_in(call, &call->x, call->type, room), rows_in(call, &call->out, call->result, want), 1,
                   in_bytes, out_bytes);
}

/* Enough rows for a warp to have several alone. */
static int64_t rows_for(int64_t length)
{
    int64_t least = processors * 4 + 3, wanted = (device_full() ? 400000 : 12000) / length;
    return length > 512 || wanted < 40 ? least + (wanted > least ? wanted - least : 0) : wanted;
}

static const struct lie dense = {1, 0, 0};

/* Rows that lie behind each other, of all lengths that differ in how runs and groups meet the ends of rows and tiles;
 * with arrays that begin with vectors, or inside of them. */
static void lengths(void)
{
    static const int64_t some[] = {2,  3,  5,  7,   8,   12,  15,  16,  17,  20,   31,   32,   33,   48,
                                   63, 64, 65, 127, 128, 500, 511, 512, 513, 1000, 1023, 1025, 2000, 9000};
    static const tally_type types[] = {TALLY_F32, TALLY_F16, TALLY_F64, TALLY_BF16, TALLY_C64};
    int64_t count = (int64_t)(sizeof some / sizeof *some);
    for (int t = 0, turn = 0; t < 5; t++) {
        for (int64_t l = 0; l < count; l++, turn++) {
            if (!device_full() && (l + t) % 5 && !(t == 1 && l % 3 == 1)) continue;
            struct call call = {turn % 4 == 3 ? TALLY_PROD : TALLY_SUM,
                                types[t],
                                types[t],
                                0,
                                some[l],
                                dense,
                                dense,
                                TALLY_PLAIN,
                                DATA_ORDINARY,
                                turn % 7 == 2};
            call.rows = rows_for(some[l]);
            if (turn % 3 == 1) call.x.offset = 1 + turn % 5;
            if (turn % 4 == 2) call.out.offset = 1 + turn % 6;
            if (turn % 5 == 1) call.flags |= TALLY_EXCLUSIVE;
            if (turn % 6 == 4) call.flags |= TALLY_REVERSE;
            compare(&call);
        }
    }
}

/* Blocks of the axis that a warp goes through one after the other. */
static void blocks(void)
{
    struct call call = {TALLY_SUM, TALLY_F32, TALLY_F32,   processors * 4 + 3, 9000,
                        dense,     dense,     TALLY_PLAIN, DATA_ORDINARY,      0};
    compare(&call);
}

/* So many rows that a warp has several, which begin and end anywhere in its tiles, and their groups, too. */
static void spans(void)
{
    static const struct {
        tally_type type;
        int64_t length, gap;
        uint32_t flags;
    } some[] = {{TALLY_F32, 530, 0, 0},  {TALLY_F16, 65, 0, TALLY_EXCLUSIVE}, {TALLY_F64, 100, 0, TALLY_REVERSE},
                {TALLY_BF16, 530, 3, 0}, {TALLY_F32, 1030, 0, TALLY_REVERSE}, {TALLY_C64, 33, 0, TALLY_EXCLUSIVE}};
    for (int k = 0; k < 6; k++) {
        struct call call = {k % 3 == 2 ? TALLY_PROD : TALLY_SUM,
                            some[k].type,
                            some[k].type,
                            processors * 16 * 8 * 5 / 2,
                            some[k].length,
                            {1, some[k].gap, k},
                            dense,
                            TALLY_PLAIN | some[k].flags,
                            DATA_ORDINARY,
                            k == 1};
        if (!device_simulated() && call.length > 1000) call.rows = 18000;
        compare(&call);
    }
}

/* Gaps between rows, elements that lie apart or run backwards, in either operand. */
static void ways_to_lie(void)
{
    static const struct lie ways[][2] = {{{1, 8, 0}, {1, 0, 0}},   {{1, 0, 0}, {1, 8, 0}},  {{1, 3, 1}, {1, 5, 2}},
                                         {{2, 0, 0}, {1, 0, 0}},   {{1, 0, 0}, {2, 1, 0}},  {{-1, 0, 0}, {1, 0, 0}},
                                         {{-1, 0, 0}, {-1, 0, 3}}, {{1, 0, 5}, {-1, 0, 0}}, {{-2, 1, 1}, {-1, 4, 4}},
                                         {{-1, 8, 8}, {-1, 8, 0}}};
    static const int64_t some[] = {9, 24, 100, 1000, 2001};
    static const tally_type types[] = {TALLY_F32, TALLY_F16, TALLY_F64};
    for (int w = 0, turn = 0; w < 10; w++) {
        for (int k = 0; k < (device_full() ? 5 : 2); k++, turn++) {
            int64_t length = some[(w + 2 * k) % 5];
            struct call call = {TALLY_SUM,       types[turn % 3],
                                types[turn % 3], rows_for(length),
                                length,          ways[w][0],
                                ways[w][1],      TALLY_PLAIN | (turn % 4 == 1 ? TALLY_EXCLUSIVE : 0),
                                DATA_ORDINARY,   0};
            compare(&call);
        }
    }
}

/* Results of other sizes than elements, and integers whose products are floats; `logsumexp`. */
static void other_types(void)
{
    static const struct {
        tally_op op;
        tally_type from, to;
        int64_t length;
    } some[] = {{TALLY_SUM, TALLY_F16, TALLY_F32, 1000},  {TALLY_SUM, TALLY_F32, TALLY_BF16, 65},
                {TALLY_PROD, TALLY_I8, TALLY_F64, 40},    {TALLY_PROD, TALLY_I32, TALLY_F32, 513},
                {TALLY_SUM, TALLY_F32, TALLY_F64, 7},     {TALLY_PROD, TALLY_C128, TALLY_C128, 33},
                {TALLY_SUM, TALLY_C64, TALLY_C128, 1000}, {TALLY_PROD, TALLY_I16, TALLY_F64, 11}};
    for (int k = 0; k < 8; k++) {
        struct call call = {
            some[k].op,  some[k].from,  some[k].to, rows_for(some[k].length), some[k].length, dense, dense,
            TALLY_PLAIN, DATA_ORDINARY, 0};
        compare(&call);
        call.x.offset = call.out.offset = 3;
        if (device_full()) compare(&call);
    }
    static const tally_type types[] = {TALLY_F32, TALLY_F16, TALLY_BF16, TALLY_F64};
    for (int k = 0; k < (device_full() ? 12 : 3); k++) {
        int64_t length = k % 3 == 0 ? 1000 : k % 3 == 1 ? 65 : 6;
        struct call call = {TALLY_LOGSUMEXP, types[k % 4],
                            types[k % 4],    rows_for(length),
                            length,          dense,
                            dense,           k % 2 ? TALLY_REVERSE : 0,
                            DATA_ORDINARY,   0};
        call.x.offset = k % 5;
        compare(&call);
    }
}

/* NaN have the bits of the CPU's, to the end of a row and no further. */
static void specials(void)
{
    static const tally_type types[] = {TALLY_F16, TALLY_F32, TALLY_BF16, TALLY_F64, TALLY_C64};
    for (int t = 0, turn = 0; t < 5; t++) {
        for (int k = 0; k < (device_full() ? 6 : 1); k++, turn++) {
            int64_t length = (k + t) % 3 == 0 ? 700 : (k + t) % 3 == 1 ? 6 : 50;
            struct call call = {turn % 2 ? TALLY_PROD : TALLY_SUM,
                                types[t],
                                types[t],
                                rows_for(length),
                                length,
                                dense,
                                dense,
                                TALLY_PLAIN | (k % 2 ? TALLY_SKIP_NAN : 0),
                                DATA_SPECIAL,
                                0};
            compare(&call);
        }
    }
}

/* Products of an infinity that are NaN, and behind them others that are not: rows of 32, of which the first half is
 * (infinity, 0) together. */
static void complex_infinities(void)
{
    struct call call = {TALLY_PROD, TALLY_C64, TALLY_C64, 40, 32, dense, dense, 0, DATA_ORDINARY, 0};
    float(*numbers)[2] = (float(*)[2])(void *)room;
    if (!device_parted(call.op, call.type)) return;
    for (int64_t i = 0; i < call.rows * call.length + EDGE; i++) {
        int64_t k = i % call.length;
        numbers[i][0] = k == 14 || k == 15 ? 0x1p100f : 1;
        numbers[i][1] = k == 17 ? 1 : 0;
    }
    compare_arrays(&call, rows_in(&call, &call.x, call.type, room), rows_in(&call, &call.out, call.result, want), 1,
                   bytes_of(&call, &call.x, call.type), bytes_of(&call, &call.out, call.result));
}

/* Few long rows, each the work of several warps. */
static void teams(void)
{
    static const int64_t some[] = {16384, 16383, 65537, 4 * 4096 - 1024, 20480};
    static const tally_type types[] = {TALLY_F32, TALLY_F16, TALLY_F64};
    for (int l = 0, turn = 0; l < 5; l++) {
        for (int t = 0; t < 3; t++, turn++) {
            if (!device_full() && turn % 3 != l % 3) continue;
            int64_t rows = processors / 2 + 1 + (l == 0 ? processors : 0);
            struct call call = {turn % 4 == 3 ? TALLY_PROD : TALLY_SUM,
                                types[t],
                                types[t],
                                rows,
                                some[l],
                                dense,
                                dense,
                                TALLY_PLAIN,
                                DATA_ORDINARY,
                                turn % 5 == 2};
            if (turn % 3 == 1) call.x.offset = 1, call.flags |= TALLY_EXCLUSIVE;
            if (turn % 4 == 2) call.flags |= TALLY_REVERSE;
            if (turn % 5 == 4) call.out.gap = 7;
            compare(&call);
        }
    }
}

/* Threads with a group of a block of the axis each, a block, or all of it. */
static void columns(void)
{
    static const struct {
        tally_op op;
        tally_type from, to;
        int64_t rows, columns; /* of a GPU; on the simulator a 33rd of the columns */
    } some[] = {{TALLY_SUM, TALLY_F32, TALLY_F32, 2600, 2000},      {TALLY_PROD, TALLY_F32, TALLY_F64, 2600, 1650},
                {TALLY_SUM, TALLY_F16, TALLY_F16, 9000, 1650},      {TALLY_SUM, TALLY_F64, TALLY_F64, 1100, 3960},
                {TALLY_PROD, TALLY_F16, TALLY_F64, 100, 9900},      {TALLY_SUM, TALLY_C64, TALLY_C64, 2600, 1650},
                {TALLY_LOGSUMEXP, TALLY_F16, TALLY_F16, 8892, 4950}};
    for (int k = 0; k < 7; k++) {
        int64_t width = device_simulated() ? some[k].columns / 33 + 1 : some[k].columns;
        struct call call = {some[k].op, some[k].from, some[k].to,  width,         some[k].rows,
                            dense,      dense,        TALLY_PLAIN, DATA_ORDINARY, k == 2};
        size_t in_bytes = bytes_of(&call, &dense, call.type), out_bytes = bytes_of(&call, &dense, call.result);
        if (k % 3 == 1) call.flags |= TALLY_EXCLUSIVE;
        if (!device_parted(call.op, call.type)) continue;
        fill(&call);
        compare_arrays(&call, tally_matrix(room, call.type, call.length, width),
                       tally_matrix(want, call.result, call.length, width), 0, in_bytes, out_bytes);
    }
}

int main(void)
{
    if (device_simulated()) setenv("TALLY_SIMT_SHARED", DEVICE_H100_SHARED, 0);
    if (!device_open("cpu")) return test_left_out("device_ordered_rows", tally_last_error());
    processors = device_simulated() ? 4 : 132;
    far = device_room(ROOM);
    far_out = device_room(ROOM);
    lengths();
    blocks();
    spans();
    ways_to_lie();
    other_types();
    specials();
    complex_infinities();
    teams();
    columns();
    device_close();
    return test_finish("device_ordered_rows");
}
