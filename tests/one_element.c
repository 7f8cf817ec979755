/* SPDX-License-Identifier: MIT
 *
 * one_element.c - logsumexp of one element each, for which engines take sums, has the bits of the reference engine's
 * powers: every type and result type, every kind of number, reduced and running; and where they do not, with elements
 * left out or initial values. First and last elements, which kernels of other operators copy, are bits or converted,
 * and nothing beside them is written. TALLY_TEST_DEVICE   the device (simt) TALLY_TEST_FULL     all on simt that the
 * CPU does */
#define _POSIX_C_SOURCE 200809L
#include "data.h"
#include "device.h"

enum { CELLS = 3000, ROOM = (CELLS + 4) * 16 };

static _Alignas(64) unsigned char room[ROOM], want[ROOM], got[ROOM], mask[CELLS];
static unsigned char *far, *far_out;
static tally_context *cpu;
static char text[100];

/* Long integers have some that are rounded otherwise by way of a double. */
static void fill(tally_type type)
{
    const uint64_t above_tie = ((uint64_t)0x1000001 << 38) + 1;
    for (int64_t i = 0; i < CELLS + 4; i++) {
        const enum data_kind kind = (enum data_kind)test_random_below(DATA_KINDS);
        data_element(type, kind, room + (size_t)i * tally_type_size(type));
        if ((type == TALLY_I64 || type == TALLY_U64) && i % 50 == 7) memcpy(room + 8 * i, &above_tie, 8);
    }
}

static tally_status call(tally_context *context, tally_verb verb, const tally_array *x, const tally_array *out,
                         const tally_options *options)
{
    return verb == TALLY_REDUCE ? tally_reduce(context, TALLY_LOGSUMEXP, x, out, options)
                                : tally_scan(context, TALLY_LOGSUMEXP, x, out, options);
}

enum way { ALONE, MASKED, WITH_INITIAL };

static void compare(tally_verb verb, tally_type type, tally_type result, uint32_t flags, enum way way, int on_device)
{
    static const double initials[] = {1.5, 1.5};
    const int32_t axis = 1;
    const tally_array where = tally_matrix(mask, TALLY_BOOL, CELLS, 1);
    tally_array x = tally_matrix(room, type, CELLS, 1), out;
    tally_options options = TALLY_OPTIONS_INIT;
    options.axes = &axis, options.axis_count = 1, options.type = result, options.flags = flags;
    if (way == MASKED) options.where = &where;
    if (way == WITH_INITIAL) options.initial = initials;
    if (tally_result_like(verb, TALLY_LOGSUMEXP, &x, &options, &out) != TALLY_OK) return;
    snprintf(text, sizeof text, "%s of %s to %s, flags %u, way %d", verb == TALLY_SCAN ? "scan" : "reduce",
             tally_type_name(type), tally_type_name(result), flags, way);
    test.section = text;
    memset(want, 0xab, ROOM);
    memset(got, 0xab, ROOM);
    out.data = want;
    CHECK(call(judge, verb, &x, &out, &options) == TALLY_OK);
    out.data = got;
    CHECK(call(cpu, verb, &x, &out, &options) == TALLY_OK);
    device_same(got, want, ROOM, tally_type_size(out.type));
    if (!on_device) return;
    memset(got, 0xab, ROOM);
    CHECK(tally_copy(device, far, room, ROOM) == TALLY_OK);
    CHECK(tally_copy(device, far_out, got, ROOM) == TALLY_OK);
    x.data = far, out.data = far_out;
    CHECK(call(device, verb, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, got, far_out, ROOM) == TALLY_OK);
    device_same(got, want, ROOM, tally_type_size(out.type));
}

/* Along rows and down columns, to results that are aligned to their parts alone. */
static void ends(tally_op op, tally_type type, tally_type result, int32_t axis)
{
    tally_array x = tally_matrix(room, type, 100, 10), out;
    tally_options options = TALLY_OPTIONS_INIT;
    options.axes = &axis, options.axis_count = 1, options.type = result;
    if (tally_result_like(TALLY_REDUCE, op, &x, &options, &out) != TALLY_OK) return;
    snprintf(text, sizeof text, "%s of %s to %s along axis %d", tally_op_name(op), tally_type_name(type),
             tally_type_name(out.type), (int)axis);
    test.section = text;
    const size_t part = tally_type_size(out.type) / (out.type >= TALLY_C64 ? 2 : 1);
    memset(want, 0xab, ROOM);
    memset(got, 0xab, ROOM);
    out.data = want + part;
    CHECK(tally_reduce(judge, op, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, far, room, ROOM) == TALLY_OK);
    CHECK(tally_copy(device, far_out, got, ROOM) == TALLY_OK);
    x.data = far, out.data = far_out + part;
    CHECK(tally_reduce(device, op, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, got, far_out, ROOM) == TALLY_OK);
    device_same(got, want, ROOM, 1);
}

/* Along an axis of one element, backwards along the others. */
static void backwards(tally_op op, tally_type type)
{
    const int64_t shape[] = {37, 1, 41}, last = 37 * 41 - 1;
    const int32_t axis = 1;
    tally_array x = tally_shaped(room, type, 3, shape), out;
    tally_options options = TALLY_OPTIONS_INIT;
    options.axes = &axis, options.axis_count = 1;
    x.strides[0] = -41, x.strides[2] = -1;
    x.data = room + last * (int64_t)tally_type_size(type);
    if (tally_result_like(TALLY_SCAN, op, &x, &options, &out) != TALLY_OK) return;
    snprintf(text, sizeof text, "running %s of %s, backwards", tally_op_name(op), tally_type_name(type));
    test.section = text;
    memset(want, 0xab, ROOM);
    memset(got, 0xab, ROOM);
    out.data = want;
    CHECK(tally_scan(judge, op, &x, &out, &options) == TALLY_OK);
    out.data = got;
    CHECK(tally_scan(cpu, op, &x, &out, &options) == TALLY_OK);
    device_same(got, want, ROOM, tally_type_size(out.type));
    memset(got, 0xab, ROOM);
    CHECK(tally_copy(device, far, room, ROOM) == TALLY_OK);
    CHECK(tally_copy(device, far_out, got, ROOM) == TALLY_OK);
    x.data = far + last * (int64_t)tally_type_size(type), out.data = far_out;
    CHECK(tally_scan(device, op, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, got, far_out, ROOM) == TALLY_OK);
    device_same(got, want, ROOM, tally_type_size(out.type));
}

static void other_operators(int full)
{
    for (tally_type type = TALLY_BOOL; type <= TALLY_C128; type++) {
        fill(type);
        for (tally_type result = TALLY_BOOL; result <= TALLY_C128; result++) {
            const int32_t axis = (int32_t)(type + result) % 2;
            if (!full && result != type && result < TALLY_C64 && (int)(type + result) % 5 != 0) continue;
            ends(TALLY_FIRST, type, result, axis);
            ends(TALLY_LAST, type, result, !axis);
        }
        if (!full && type % 3 != 0) continue;
        backwards(TALLY_MIN, type);
        backwards(TALLY_SUM, type);
    }
}

int main(void)
{
    const int full = device_full();
    if (!device_open("reference")) return test_left_out("one_element", tally_last_error());
    CHECK(tally_open("cpu:2", &cpu) == TALLY_OK);
    far = device_room(ROOM), far_out = device_room(ROOM);
    for (int64_t i = 0; i < CELLS; i++) mask[i] = test_random_below(3) != 0;
    for (tally_type type = TALLY_BOOL; type <= TALLY_F64; type++) {
        fill(type);
        for (tally_type result = TALLY_F16; result <= TALLY_F64; result++) {
            const int on_device = full || (int)(type + result) % 4 == 0;
            compare(TALLY_REDUCE, type, result, 0, ALONE, on_device);
            compare(TALLY_SCAN, type, result, 0, ALONE, full);
            compare(TALLY_REDUCE, type, result, TALLY_PLAIN, ALONE, 0);
            compare(TALLY_REDUCE, type, result, TALLY_SKIP_NAN, ALONE, 0);
            compare(TALLY_REDUCE, type, result, 0, MASKED, 0);
            compare(TALLY_REDUCE, type, result, 0, WITH_INITIAL, 0);
        }
    }
    other_operators(full);
    CHECK(tally_close(cpu) == TALLY_OK);
    device_close();
    return test_finish("one_element");
}
