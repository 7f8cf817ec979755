/* SPDX-License-Identifier: MIT
 *
 * device_again.c - calls that come again, in turns with others like them: a device recalls what it planned for the last
 * ones, and must not take one for another. Other memory and numbers each time; shapes, types, operators, flags and
 * alignments that differ in one thing; more calls than are recalled. The CPU engine's results.
 *   TALLY_TEST_DEVICE   the device (simt) */
#define _POSIX_C_SOURCE 200809L
#include "device.h"

#define ROOM (1 << 20)
#define ELEMENTS 6000 /* of a call, at most */
#define TURNS 3

static _Alignas(64) unsigned char room[ROOM], want[ROOM], got[ROOM];
static unsigned char *far, *far_out;

struct again {
    tally_verb verb;
    tally_op op;
    tally_type type;
    uint32_t flags;
    int32_t axis; /* of `rows` x `columns` */
    int64_t rows, columns, gap, offset,
        out_offset; /* elements between rows, before the first one, and before results */
    double correction;
    int masked;
};

static const struct again calls[] = {
    {TALLY_REDUCE, TALLY_SUM, TALLY_F32, 0, 1, 1, 5000, 0, 0, 0, 0, 0},
    {TALLY_REDUCE, TALLY_SUM, TALLY_F32, 0, 1, 1, 5000, 0, 1, 0, 0, 0},
    {TALLY_REDUCE, TALLY_SUM, TALLY_F32, 0, 1, 1, 4999, 0, 0, 1, 0, 0},
    {TALLY_REDUCE, TALLY_SUM, TALLY_F32, 0, 1, 50, 100, 0, 0, 0, 0, 0},
    {TALLY_REDUCE, TALLY_SUM, TALLY_F32, 0, 1, 50, 100, 3, 0, 0, 0, 0},
    {TALLY_REDUCE, TALLY_SUM, TALLY_F32, 0, 0, 50, 100, 0, 0, 0, 0, 0},
    {TALLY_REDUCE, TALLY_SUM, TALLY_F32, 0, 0, 50, 100, 0, 0, 0, 0, 1},
    {TALLY_REDUCE, TALLY_MEAN, TALLY_F32, 0, 0, 50, 100, 0, 0, 0, 0, 0},
    {TALLY_REDUCE, TALLY_MAX, TALLY_F32, 0, 0, 50, 100, 0, 0, 0, 0, 0},
    {TALLY_REDUCE, TALLY_MAX, TALLY_F32, TALLY_SKIP_NAN, 0, 50, 100, 0, 0, 0, 0, 0},
    {TALLY_REDUCE, TALLY_MAX, TALLY_I32, 0, 0, 50, 100, 0, 0, 0, 0, 0},
    {TALLY_REDUCE, TALLY_MIN, TALLY_I32, 0, 0, 50, 100, 0, 0, 0, 0, 0},
    {TALLY_REDUCE, TALLY_ARGMAX, TALLY_I32, 0, 0, 50, 100, 0, 0, 0, 0, 0},
    {TALLY_REDUCE, TALLY_PROD, TALLY_F32, 0, 0, 10, 600, 0, 0, 0, 0, 0},
    {TALLY_REDUCE, TALLY_PROD, TALLY_F32, 0, 0, 10, 600, 0, 0, 1, 0, 0},
    {TALLY_REDUCE, TALLY_VAR, TALLY_F32, 0, 1, 50, 100, 0, 0, 0, 0, 0},
    {TALLY_REDUCE, TALLY_VAR, TALLY_F32, 0, 1, 50, 100, 0, 0, 0, 1, 0},
    {TALLY_SCAN, TALLY_SUM, TALLY_F32, 0, 1, 1, 5000, 0, 0, 0, 0, 0},
    {TALLY_SCAN, TALLY_SUM, TALLY_F32, TALLY_EXCLUSIVE, 1, 1, 5000, 0, 0, 0, 0, 0},
    {TALLY_SCAN, TALLY_SUM, TALLY_F32, TALLY_REVERSE, 1, 1, 5000, 0, 0, 0, 0, 0},
    {TALLY_SCAN, TALLY_SUM, TALLY_F32, 0, 1, 1, 5000, 0, 1, 0, 0, 0},
    {TALLY_SCAN, TALLY_SUM, TALLY_F32, 0, 1, 1, 5000, 0, 0, 1, 0, 0},
    {TALLY_SCAN, TALLY_SUM, TALLY_F32, 0, 1, 50, 100, 0, 0, 0, 0, 0},
    {TALLY_SCAN, TALLY_SUM, TALLY_F32, 0, 0, 50, 100, 0, 0, 0, 0, 0},
    {TALLY_SCAN, TALLY_MAX, TALLY_I32, 0, 0, 50, 100, 0, 0, 0, 0, 0},
    {TALLY_SCAN, TALLY_MAX, TALLY_I32, 0, 0, 50, 100, 5, 0, 0, 0, 0},
};
enum { CALLS = sizeof calls / sizeof *calls };

static void fill(const struct again *a)
{
    for (int64_t i = 0; i < 2 * ELEMENTS; i++) {
        float number = (float)(test_random_uniform() - 0.5);
        int32_t integer = (int32_t)test_random();
        memcpy(room + 4 * i, a->type == TALLY_F32 ? (void *)&number : (void *)&integer, 4);
    }
}

/* The same call on either side: `in` and `out` are the places of offset 0 there. */
static tally_status call(tally_context *context, const struct again *a, void *in, void *mask, void *out, size_t *each,
                         size_t *bytes)
{
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array input = tally_matrix((char *)in + 4 * a->offset, a->type, a->rows, a->columns), output;
    tally_array where = tally_matrix(mask, TALLY_BOOL, a->rows, a->columns);
    options.flags = a->flags;
    options.correction = a->correction;
    options.where = a->masked ? &where : NULL;
    options.axes = &a->axis;
    options.axis_count = 1;
    input.strides[0] += a->gap;
    tally_status status = tally_result_like(a->verb, a->op, &input, &options, &output);
    if (status != TALLY_OK) return status;
    *bytes = *each = (size_t)tally_type_size(output.type);
    for (int32_t d = 0; d < output.rank; d++) *bytes *= (size_t)output.shape[d];
    output.data = (char *)out + *each * (size_t)a->out_offset;
    if (a->verb == TALLY_SCAN) return tally_scan(context, a->op, &input, &output, &options);
    return tally_reduce(context, a->op, &input, &output, &options);
}

/* `turn` decides where operands lie, at the same alignment. */
static void compare(const struct again *a, int turn)
{
    static unsigned char mask[ELEMENTS];
    size_t shift = 256 * (size_t)turn + 64 * test_random_below(4), each = 1, bytes = 0;
    unsigned char *in = far + shift, *out = far_out + shift, *far_mask = far + ROOM / 2 + shift;
    fill(a);
    for (size_t i = 0; i < sizeof mask; i++) mask[i] = test_random_below(3) > 0;
    CHECK(tally_copy(device, in, room, 8 * ELEMENTS) == TALLY_OK);
    CHECK(tally_copy(device, far_mask, mask, sizeof mask) == TALLY_OK);
    CHECK(call(judge, a, room, mask, want, &each, &bytes) == TALLY_OK);
    CHECK(call(device, a, in, far_mask, out, &each, &bytes) == TALLY_OK);
    size_t first = each * (size_t)a->out_offset;
    CHECK(tally_copy(device, got, out, first + bytes) == TALLY_OK);
    test.section = tally_op_name(a->op);
    device_same(got + first, want + first, bytes, each);
}

int main(void)
{
    if (!device_open("cpu")) return test_left_out("device_again", tally_last_error());
    far = device_room(ROOM), far_out = device_room(ROOM);
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < CALLS; i++) {
            compare(&calls[i], turn);
            compare(&calls[test_random_below((uint64_t)i + 1)], turn);
        }
    }
    device_close();
    return test_finish("device_again");
}
