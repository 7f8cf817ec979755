/* SPDX-License-Identifier: MIT
 *
 * device_tree_rows.c - folds in the fixed-shape tree along rows that are no longer than a leaf, on a device: the bits
 * of the CPU engine. Lengths around powers of two and multiples of packs, few rows and many, rows that lie apart or
 * begin anywhere, every other element, two loops of rows, masks, NaN, a second operand, initial values; and nothing is
 * written around the results.
 *   TALLY_TEST_DEVICE   the device (simt)
 *   TALLY_TEST_FULL     all combinations, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "device.h"
#include "patches.h"

#define ROOM (1 << 24)
#define GUARD 64

static _Alignas(64) unsigned char room[ROOM], mask[ROOM], want[ROOM], got[ROOM];
static unsigned char *far, *far_mask, *far_out;
static char where_text[240];

static const struct call {
    tally_op op;
    tally_type type;
    uint32_t flags;
    int masked, starts;
    tally_type result;
} calls[] = {
    {TALLY_SUM, TALLY_F16, TALLY_PLAIN, 0, 0, 0},
    {TALLY_SUM, TALLY_F32, TALLY_PLAIN, 0, 0, 0},
    {TALLY_SUM, TALLY_F64, TALLY_PLAIN, 0, 0, 0},
    {TALLY_PROD, TALLY_BF16, 0, 0, 0, 0},
    {TALLY_PROD, TALLY_F32, TALLY_SKIP_NAN, 0, 0, 0},
    {TALLY_PROD, TALLY_F64, 0, 1, 1, 0},
    {TALLY_PROD, TALLY_C64, 0, 0, 0, 0},
    {TALLY_PROD, TALLY_C128, TALLY_SKIP_NAN, 1, 0, 0},
    {TALLY_SUM, TALLY_C64, TALLY_PLAIN, 0, 1, 0},
    {TALLY_MEAN, TALLY_F16, TALLY_PLAIN | TALLY_SKIP_NAN, 0, 0, 0},
    {TALLY_NORM2, TALLY_F32, TALLY_PLAIN, 1, 0, 0},
    {TALLY_VAR, TALLY_F32, TALLY_PLAIN, 0, 0, 0},
    {TALLY_VAR, TALLY_C128, TALLY_PLAIN, 0, 0, 0},
    {TALLY_VAR, TALLY_F16, TALLY_PLAIN, 0, 0, TALLY_F64},
    {TALLY_LOGSUMEXP, TALLY_F16, 0, 0, 0, 0},
    {TALLY_LOGSUMEXP, TALLY_BF16, 0, 0, 0, 0},
    {TALLY_LOGSUMEXP, TALLY_F32, 0, 0, 0, 0},
    {TALLY_LOGSUMEXP, TALLY_F64, 0, 0, 1, 0},
    {TALLY_LOGSUMEXP, TALLY_F32, TALLY_SKIP_NAN, 1, 0, 0},
    {TALLY_LOGSUMEXP, TALLY_U8, 0, 0, 0, 0},
    {TALLY_LOGSUMEXP, TALLY_I16, 0, 0, 1, 0},
    {TALLY_LOGSUMEXP, TALLY_I32, 0, 0, 0, TALLY_F32},
    {TALLY_LOGSUMEXP, TALLY_U64, 0, 1, 0, 0},
    {TALLY_DOT, TALLY_F32, TALLY_PLAIN, 0, 0, 0},
    {TALLY_DOT, TALLY_F64, TALLY_PLAIN | TALLY_SKIP_NAN, 1, 0, 0},
};
enum { CALLS = sizeof calls / sizeof *calls };

/* `outer` times `rows` rows of `length` elements, `step` apart; gaps between rows, and between their outer loop's. */
struct box {
    int64_t outer, rows, length, step, gap, outer_gap, offset;
};

static tally_array placed(const struct box *b, tally_type type, unsigned char *memory)
{
    const int64_t shape[3] = {b->outer, b->rows, b->length}, pitch = b->length * b->step + b->gap;
    tally_array x = tally_shaped(memory + (size_t)b->offset * tally_type_size(type), type, 3, shape);
    x.strides[2] = b->step, x.strides[1] = pitch, x.strides[0] = b->rows * pitch + b->outer_gap;
    return x;
}

/* `axes`: along rows alone, or along them and their outer loop. */
static void compare(const struct call *call, const struct box *b, int axes)
{
    static const int32_t along[] = {2, 0};
    static const unsigned char initial[16] = {0, 0, 0, 0, 0, 0, 0xf8, 0x3f};
    tally_array x = placed(b, call->type, room), second = x, where = placed(b, TALLY_BOOL, mask), like;
    tally_options options = TALLY_OPTIONS_INIT;
    options.axes = along, options.axis_count = axes;
    options.flags = call->flags;
    options.type = call->result;
    if (call->masked) options.where = &where;
    if (call->op == TALLY_DOT) options.second = &second;
    if (call->starts) options.initial = initial;
    if (!device_parted(call->op, call->type)) return;
    snprintf(where_text, sizeof where_text,
             "%s of %s, flags %u, %lld x %lld rows of %lld, %lld apart, gaps %lld and %lld, offset %lld",
             tally_op_name(call->op), tally_type_name(call->type), (unsigned)call->flags, (long long)b->outer,
             (long long)b->rows, (long long)b->length, (long long)b->step, (long long)b->gap, (long long)b->outer_gap,
             (long long)b->offset);
    test.section = where_text;
    CHECK(tally_result_like(TALLY_REDUCE, call->op, &x, &options, &like) == TALLY_OK);
    size_t each = tally_type_size(like.type),
           bytes = (size_t)(axes > 1 ? b->rows : b->outer * b->rows) * each + 2 * GUARD;
    memset(want, 0xab, bytes);
    like.data = want + GUARD;
    CHECK(tally_reduce(judge, call->op, &x, &like, &options) == TALLY_OK);
    memset(got, 0xab, bytes);
    CHECK(tally_copy(device, far_out, got, bytes) == TALLY_OK);
    x = placed(b, call->type, far), second = x, where = placed(b, TALLY_BOOL, far_mask);
    like.data = far_out + GUARD;
    CHECK(tally_reduce(device, call->op, &x, &like, &options) == TALLY_OK);
    CHECK(tally_copy(device, got, far_out, bytes) == TALLY_OK);
    device_same(got, want, bytes, each);
}

static void all_boxes(const struct call *call, int turn)
{
    static const struct box boxes[] = {
        {1, 40000, 1, 1, 1, 0, 0},  {1, 30001, 2, 1, 0, 0, 0},  {1, 40003, 3, 1, 0, 0, 0},  {1, 20000, 4, 1, 0, 0, 0},
        {1, 20001, 5, 1, 0, 0, 1},  {1, 24000, 8, 1, 0, 0, 0},  {1, 9000, 12, 1, 4, 0, 0},  {1, 12000, 16, 1, 0, 0, 0},
        {1, 9001, 17, 1, 0, 0, 0},  {1, 7000, 24, 1, 0, 0, 0},  {1, 6001, 32, 1, 0, 0, 0},  {1, 6000, 33, 1, 0, 0, 0},
        {1, 3000, 63, 1, 1, 0, 0},  {1, 3001, 64, 1, 8, 0, 0},  {1, 3000, 100, 1, 0, 0, 0}, {1, 2500, 128, 1, 0, 0, 0},
        {1, 2001, 129, 1, 0, 0, 0}, {1, 1900, 255, 1, 2, 0, 0}, {1, 1000, 256, 1, 0, 0, 8}, {1, 900, 384, 1, 0, 0, 0},
        {1, 301, 1000, 1, 0, 0, 0}, {1, 300, 1001, 1, 0, 0, 0}, {1, 200, 2047, 1, 1, 0, 0}, {1, 70, 4095, 1, 0, 0, 1},
        {1, 70, 4096, 1, 0, 0, 0},  {1, 33, 4092, 1, 4, 0, 0},  {1, 3, 4000, 1, 0, 0, 0},   {1, 1, 513, 1, 0, 0, 0},
        {3, 700, 100, 1, 0, 8, 0},  {5, 901, 9, 1, 0, 3, 0},    {3, 500, 20, 1, 0, 4, 0},   {2, 150, 1024, 1, 0, 0, 2},
        {1, 900, 100, 2, 0, 0, 0},  {1, 5000, 7, 3, 2, 0, 0},   {1, 100, 1500, 2, 0, 0, 1}, {1, 2000, 48, 1, 80, 0, 0},
    };
    const int count = sizeof boxes / sizeof *boxes;
    for (int i = 0; i < count; i++) {
        const struct box *b = &boxes[i];
        int64_t all = b->outer * (b->rows * (b->length * b->step + b->gap) + b->outer_gap) + b->offset;
        if (all * (int64_t)tally_type_size(call->type) > ROOM) continue;
        if (device_simulated() && !device_full() && (i + turn) % 3 != 0) continue;
        compare(call, b, 1);
        if (b->outer > 1) compare(call, b, 2);
    }
}

/* Rows whose neighbours' elements are larger: results are small beside them, and would tell. */
static void small_and_large_rows(void)
{
    static const struct call call = {TALLY_LOGSUMEXP, TALLY_F32, 0, 0, 0, 0};
    static const struct box box = {1, 600, 1001, 1, 0, 0, 1};
    for (int64_t i = 0; i < box.rows * box.length + box.offset; i++) {
        int is_large = (i - box.offset) / box.length % 2 != 0;
        ((float *)(void *)room)[i] = (float)(test_random_uniform() + (is_large ? 3 : -7));
    }
    CHECK(tally_copy(device, far, room, ROOM) == TALLY_OK);
    compare(&call, &box, 1);
}

/* Long rows without a NaN. */
static void ordinary_rows(void)
{
    static const struct call some[] = {{TALLY_VAR, TALLY_F16, TALLY_PLAIN, 0, 0, TALLY_F64},
                                       {TALLY_SUM, TALLY_F16, TALLY_PLAIN, 0, 0, TALLY_F64},
                                       {TALLY_LOGSUMEXP, TALLY_F16, 0, 0, 0, TALLY_F64}};
    static const struct box boxes[] = {{1, 500, 1001, 1, 0, 0, 1}, {1, 300, 2041, 1, 2, 0, 0}};
    data_fill(TALLY_F16, DATA_ORDINARY, room, ROOM / 2);
    CHECK(tally_copy(device, far, room, ROOM) == TALLY_OK);
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        for (size_t k = 0; k < sizeof boxes / sizeof *boxes; k++) compare(&some[i], &boxes[k], 1);
}

int main(void)
{
    if (device_simulated()) setenv("TALLY_SIMT_PROCESSORS", "1", 1); /* rows are so many that warps have several */
    if (!device_open("cpu")) return test_left_out("device_tree_rows", tally_last_error());
    far = device_room(ROOM), far_mask = device_room(ROOM), far_out = device_room(ROOM);
    for (int64_t i = 0; i < ROOM; i++) mask[i] = test_random_below(4) != 0;
    CHECK(tally_copy(device, far_mask, mask, ROOM) == TALLY_OK);
    for (int i = 0; i < CALLS; i++) {
        patches_fill(calls[i].type, room, ROOM / (int64_t)tally_type_size(calls[i].type));
        CHECK(tally_copy(device, far, room, ROOM) == TALLY_OK);
        all_boxes(&calls[i], i);
    }
    small_and_large_rows();
    ordinary_rows();
    device_close();
    return test_finish("device_tree_rows");
}
