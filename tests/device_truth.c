/* SPDX-License-Identifier: MIT
 *
 * device_truth.c - scans on a device that ask whether bytes are not zero (any and all of bytes, minima, maxima and
 * bits of truth values, which may be any bytes) give the bits of the CPU: arrays of one row, and rows of any length
 * that begin anywhere, forward and backward, inclusive and exclusive, with masks and initial values. TALLY_TEST_DEVICE
 * the device (simt) TALLY_TEST_FULL     more of them, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "device.h"

#include <string.h>

enum { ROOM = 1 << 21, EDGE = 64 };

static _Alignas(64) unsigned char room[ROOM], mask[ROOM], want[ROOM], got[ROOM];
static unsigned char *far, *far_mask, *far_out;
static char text[200];

struct call {
    tally_op op;
    tally_type type;
    int64_t rows, length, gap, offset;
    uint32_t flags;
    int masked, initial; /* 0: none; else one more than its value */
};

/* Nearly all bytes are what changes nothing; the others, one in so many. */
static void fill(const struct call *call, int64_t bytes)
{
    uint64_t rare = 1 + test_random_below(1000);
    int absorbs = call->op == TALLY_ALL || call->op == TALLY_MIN || call->op == TALLY_BIT_AND;
    for (int64_t i = 0; i < bytes; i++) {
        int is_set = (test_random_below(rare) == 0) != absorbs;
        room[i] = is_set ? (unsigned char)(1 + test_random_below(test_random_below(2) ? 1 : 255)) : 0;
        mask[i] = test_random_below(4) != 0;
    }
}

static tally_array rows_in(const struct call *call, tally_type type, unsigned char *memory)
{
    tally_array a = tally_matrix(memory + call->offset, type, call->rows, call->length);
    a.strides[0] = call->length + call->gap;
    return a;
}

static void compare(const struct call *call)
{
    int64_t bytes = call->offset + call->rows * (call->length + call->gap) + EDGE;
    unsigned char initial = (unsigned char)(call->initial - 1);
    tally_options options = TALLY_OPTIONS_INIT;
    const int32_t axis = 1;
    if (!device_parted(call->op, call->type)) return;
    snprintf(text, sizeof text, "running %s of %s, %lld x %lld, gap %d, offset %d, flags %u, masked %d, initial %d",
             tally_op_name(call->op), tally_type_name(call->type), (long long)call->rows, (long long)call->length,
             (int)call->gap, (int)call->offset, call->flags, call->masked, call->initial);
    test.section = text;
    CHECK(bytes <= ROOM);
    fill(call, bytes);
    memset(want, 0xab, (size_t)bytes);
    tally_array x = rows_in(call, call->type, room), out = rows_in(call, TALLY_BOOL, want),
                where = rows_in(call, TALLY_BOOL, mask);
    options.axes = &axis;
    options.axis_count = 1;
    options.flags = call->flags;
    options.type = TALLY_BOOL;
    options.where = call->masked ? &where : NULL;
    options.initial = call->initial ? &initial : NULL;
    CHECK(tally_copy(device, far, room, (size_t)bytes) == TALLY_OK);
    CHECK(tally_copy(device, far_mask, mask, (size_t)bytes) == TALLY_OK);
    CHECK(tally_copy(device, far_out, want, (size_t)bytes) == TALLY_OK);
    CHECK(tally_scan(judge, call->op, &x, &out, &options) == TALLY_OK);
    x.data = far + call->offset, where.data = far_mask + call->offset, out.data = far_out + call->offset;
    CHECK(tally_scan(device, call->op, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, got, far_out, (size_t)bytes) == TALLY_OK);
    device_same(got, want, (size_t)bytes, 1);
}

int main(void)
{
    static const struct {
        tally_op op;
        tally_type type;
    } cases[] = {{TALLY_ANY, TALLY_BOOL},     {TALLY_ALL, TALLY_U8},      {TALLY_MAX, TALLY_BOOL},
                 {TALLY_MIN, TALLY_BOOL},     {TALLY_ANY, TALLY_I8},      {TALLY_ALL, TALLY_BOOL},
                 {TALLY_BIT_AND, TALLY_BOOL}, {TALLY_BIT_OR, TALLY_BOOL}, {TALLY_BIT_XOR, TALLY_BOOL}};
    static const int64_t shapes[][3] = {{1, 1000000, 0}, {1, 30000, 0}, {900, 1000, 0}, {901, 1001, 0}, {3000, 100, 3},
                                        {20000, 7, 0},   {5, 90000, 5}, {700, 250, 0},  {1, 5, 0}};
    if (device_simulated()) setenv("TALLY_SIMT_SHARED", DEVICE_H100_SHARED, 0);
    if (!device_open("cpu")) return test_left_out("device_truth", tally_last_error());
    far = device_room(ROOM), far_mask = device_room(ROOM), far_out = device_room(ROOM);
    for (int s = 0, turn = 0; s < 9; s++) {
        for (int c = 0; c < 9; c++, turn++) {
            struct call call = {cases[c].op, cases[c].type, shapes[s][0], shapes[s][1], shapes[s][2], 0, 0, 0, 0};
            if (turn % 4 == 1) call.offset = 1 + turn % 15;
            if (turn % 3 == 1) call.flags |= TALLY_EXCLUSIVE;
            if (turn % 5 == 2) call.flags |= TALLY_REVERSE;
            if (turn % 7 == 3) call.masked = 1;
            if (turn % 4 == 2) call.initial = 1 + turn / 4 % 2;
            if (device_full() || (s + c) % 2 == 0) compare(&call);
        }
    }
    device_close();
    return test_finish("device_truth");
}
