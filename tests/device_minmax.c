/* SPDX-License-Identifier: MIT
 *
 * device_minmax.c - minima and maxima side by side, on a device: the bits of the CPU engine. Columns few and many,
 * short and long, of matrices and of nests, that begin anywhere; rows; whole arrays; NaN, zeros of both signs, cells
 * without elements that get a fallback, an initial value, masks; and nothing is written around the results.
 *   TALLY_TEST_DEVICE   the device (simt)
 *   TALLY_TEST_FULL     all combinations, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "device.h"
#include "patches.h"

#define ROOM (1 << 24)
#define GUARD 64

static _Alignas(64) unsigned char room[ROOM], mask[ROOM], want[ROOM], got[ROOM];
static unsigned char *far, *far_mask, *far_out;
static char where_text[200];

enum { PLAIN, MASKED, SKIPPED, STARTED, MASKED_ALONE, SKIPPED_ALONE, APART, WAYS };

/* {outer, rows, columns}, a gap behind each row; reduced over these axes. */
struct box {
    int64_t outer, rows, columns, gap, offset;
    int32_t axes[2], axis_count;
};

static tally_array placed(const struct box *b, tally_type type, unsigned char *memory)
{
    const int64_t shape[3] = {b->outer, b->rows, b->columns}, pitch = b->columns + b->gap;
    tally_array x = tally_shaped(memory + (size_t)b->offset * tally_type_size(type), type, 3, shape);
    x.strides[1] = pitch, x.strides[0] = b->rows * pitch;
    return x;
}

static void compare(tally_type type, const struct box *b, int way)
{
    static const unsigned char initial[16] = {3};
    tally_array x = placed(b, type, room), where = placed(b, TALLY_BOOL, mask), like;
    tally_options options = TALLY_OPTIONS_INIT;
    options.axes = b->axes, options.axis_count = b->axis_count;
    if (way == MASKED) options.where = &where, options.initial = initial;
    if (way == SKIPPED) options.flags = TALLY_SKIP_NAN, options.initial = initial;
    if (way == STARTED) options.initial = initial;
    if (way == MASKED_ALONE) options.where = &where;
    if (way == SKIPPED_ALONE) options.flags = TALLY_SKIP_NAN;
    snprintf(where_text, sizeof where_text, "minmax of %s, %lld x %lld x %lld, gap %lld, offset %lld, axis %d, way %d",
             tally_type_name(type), (long long)b->outer, (long long)b->rows, (long long)b->columns, (long long)b->gap,
             (long long)b->offset, b->axes[0], way);
    test.section = where_text;
    CHECK(tally_result_like(TALLY_REDUCE, TALLY_MINMAX, &x, &options, &like) == TALLY_OK);
    size_t each = tally_type_size(like.type), bytes = each;
    for (int d = 0; d < like.rank; d++) bytes *= (size_t)like.shape[d];
    if (way == APART) { /* all minima, and then all maxima */
        for (int d = 0; d + 1 < like.rank; d++) like.strides[d] /= 2;
        like.strides[like.rank - 1] = (int64_t)(bytes / each / 2);
    }
    bytes += 2 * GUARD;
    CHECK(bytes <= ROOM);
    memset(want, 0xab, bytes);
    like.data = want + GUARD;
    const tally_status status = tally_reduce(judge, TALLY_MINMAX, &x, &like, &options); /* cells may be empty */
    CHECK(status == TALLY_OK || (way == MASKED_ALONE && status == TALLY_EMPTY));
    memset(got, 0xab, bytes);
    CHECK(tally_copy(device, far_out, got, bytes) == TALLY_OK);
    x = placed(b, type, far), where = placed(b, TALLY_BOOL, far_mask);
    like.data = far_out + GUARD;
    CHECK(tally_reduce(device, TALLY_MINMAX, &x, &like, &options) == status);
    if (status != TALLY_OK) return;
    CHECK(tally_copy(device, got, far_out, bytes) == TALLY_OK);
    device_same(got, want, bytes, each);
}

static void all_boxes(tally_type type, int turn)
{
    static const struct box boxes[] = {
        {1, 3, 5000, 0, 0, {1}, 1},    {1, 20, 3000, 0, 0, {1}, 1},   {1, 100, 1024, 0, 0, {1}, 1},
        {1, 1000, 257, 0, 0, {1}, 1},  {1, 1000, 256, 0, 1, {1}, 1},  {1, 4000, 30, 2, 0, {1}, 1},
        {1, 9000, 7, 0, 0, {1}, 1},    {1, 30000, 16, 0, 0, {1}, 1},  {1, 120000, 2, 0, 0, {1}, 1},
        {40, 50, 33, 0, 0, {1}, 1},    {200, 64, 16, 0, 0, {1}, 1},   {3, 400, 100, 28, 0, {1}, 1},
        {30, 40, 48, 0, 0, {0, 2}, 2}, {50, 7, 127, 0, 0, {0, 2}, 2}, {64, 32, 64, 0, 0, {0, 1}, 2},
        {1, 900, 100, 0, 0, {2}, 1},   {1, 61, 4096, 0, 0, {2}, 1},   {1, 2, 70000, 0, 1, {2}, 1},
        {1, 5, 20001, 3, 0, {2}, 1},   {1, 3000, 17, 0, 0, {2}, 1},   {1, 1, 200000, 0, 0, {1, 2}, 2},
        {300, 1, 257, 0, 1, {0}, 1},   {2, 3000, 1200, 0, 0, {1}, 1}};
    const int count = sizeof boxes / sizeof *boxes;
    for (int i = 0; i < count; i++) {
        int64_t all = boxes[i].outer * boxes[i].rows * (boxes[i].columns + boxes[i].gap) + boxes[i].offset;
        if (all * (int64_t)tally_type_size(type) > ROOM) continue;
        if (!device_full() && (i + turn) % 3 != 0) continue;
        for (int way = 0; way < WAYS; way++)
            if (way == PLAIN || (device_full() && i % 7 == way) || (way == APART && i % 2))
                compare(type, &boxes[i], way);
    }
}

int main(void)
{
    static const tally_type types[] = {TALLY_I8,  TALLY_U8,  TALLY_I16, TALLY_U16, TALLY_F16, TALLY_BF16,
                                       TALLY_I32, TALLY_F32, TALLY_I64, TALLY_U64, TALLY_F64};
    const int count = sizeof types / sizeof *types;
    if (device_simulated()) setenv("TALLY_SIMT_PROCESSORS", "2", 1);
    if (!device_open("cpu")) return test_left_out("device_minmax", tally_last_error());
    far = device_room(ROOM), far_mask = device_room(ROOM), far_out = device_room(ROOM);
    for (int64_t i = 0; i < ROOM; i++) mask[i] = test_random_below(4) != 0;
    CHECK(tally_copy(device, far_mask, mask, ROOM) == TALLY_OK);
    for (int t = 0; t < count; t++) {
        patches_fill(types[t], room, ROOM / (int64_t)tally_type_size(types[t]));
        CHECK(tally_copy(device, far, room, ROOM) == TALLY_OK);
        if (device_parted(TALLY_MINMAX, types[t])) all_boxes(types[t], t);
    }
    /* below what stands for no element, if that is zero */
    for (int64_t i = 0; i < ROOM; i++) room[i] |= 0x80;
    CHECK(tally_copy(device, far, room, ROOM) == TALLY_OK);
    if (device_parted(TALLY_MINMAX, TALLY_I8)) all_boxes(TALLY_I8, 1);
    if (device_parted(TALLY_MINMAX, TALLY_I16)) all_boxes(TALLY_I16, 1);
    device_close();
    return test_finish("device_minmax");
}
