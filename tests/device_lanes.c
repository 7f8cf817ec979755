/* SPDX-License-Identifier: MIT
 *
 * device_lanes.c - folds in the fixed-shape tree of cells side by side, and of many short ones, on a device: the bits
 * of the CPU engine. Lengths around those of lanes and leaves, few columns and many, masks, NaN, a second operand,
 * nests, initial values; and nothing is written around the results.
 *   TALLY_TEST_DEVICE   the device (simt) */
#define _POSIX_C_SOURCE 200809L
#include "device.h"
#include "patches.h"

#define ROOM (1 << 25)
#define GUARD 64
#define FEW_KINDS 300

static _Alignas(64) unsigned char room[ROOM], mask[ROOM], want[ROOM], got[ROOM];
static unsigned char *far, *far_mask, *far_out;
static char where_text[240];

struct call {
    tally_op op;
    tally_type type;
    uint32_t flags;
    int masked, starts;
    tally_type result; /* 0: the operator's */
};

/* Cells of `length` elements: axes 0 and, of a nest, 2 of {length, cells, inner}; `gap` elements lie between rows. */
struct box {
    int64_t length, cells, inner, gap;
    int rows; /* a cell's elements lie side by side, not the cells */
};

static tally_array view_of(const struct call *call, const struct box *box, int64_t gap)
{
    int64_t shape[3] = {box->length, box->cells, box->inner};
    tally_array x = tally_shaped(room, call->type, 3, shape);
    x.strides[0] = box->rows ? 1 : box->cells * box->inner + gap;
    x.strides[1] = box->rows ? box->length + gap : box->inner;
    return x;
}

/* Bytes that an array begins behind a multiple of much: none, or an element, of complex ones a part. */
static size_t some_begin(tally_type type)
{
    size_t size = tally_type_size(type);
    return test_random_below(2) ? 0 : type == TALLY_C64 || type == TALLY_C128 ? size / 2 : size;
}

static void compare(const struct call *call, const struct box *box)
{
    static const int32_t axes[] = {0, 2};
    static const unsigned char initial[16] = {0, 0x3c, 0, 0x40};
    tally_array x = view_of(call, box, box->gap), second = x, where = view_of(call, box, 0), like;
    tally_options options = TALLY_OPTIONS_INIT;
    int64_t elements = (box->length + box->gap) * (box->cells + box->gap) * box->inner;
    if (!device_parted(call->op, call->type)) return;
    snprintf(where_text, sizeof where_text, "%s of %s, %lld x %lld x %lld, gap %lld, rows %d, flags %u, masked %d",
             tally_op_name(call->op), tally_type_name(call->type), (long long)box->length, (long long)box->cells,
             (long long)box->inner, (long long)box->gap, box->rows, (unsigned)call->flags, call->masked);
    test.section = where_text;
    /* Long cells of many kinds of data are nearly all infinite, or no numbers. */
    if (box->length > FEW_KINDS && test_random_below(4)) data_fill(call->type, DATA_ORDINARY, room, elements);
    else patches_fill(call->type, room, elements);
    for (int64_t i = 0; i < box->length * box->cells * box->inner; i++) mask[i] = test_random_below(4) != 0;
    options.axes = axes;
    options.axis_count = box->inner > 1 ? 2 : 1;
    options.flags = call->flags;
    options.type = call->result;
    where.type = TALLY_BOOL;
    if (call->masked) options.where = &where;
    if (call->op == TALLY_DOT) options.second = &second;
    if (call->starts) options.initial = initial;
    CHECK(tally_result_like(TALLY_REDUCE, call->op, &x, &options, &like) == TALLY_OK);
    size_t each = tally_type_size(like.type), bytes = (size_t)box->cells * each + 2 * GUARD;
    size_t begin = some_begin(call->type), out_begin = some_begin(like.type);
    memset(want, 0xab, bytes);
    memset(got, 0xab, bytes);
    memmove(room + begin, room, ROOM - begin);
    x.data = second.data = room + begin;
    where.data = mask;
    like.data = want + GUARD + out_begin;
    CHECK(tally_reduce(judge, call->op, &x, &like, &options) == TALLY_OK);
    CHECK(tally_copy(device, far, room, ROOM) == TALLY_OK);
    CHECK(tally_copy(device, far_mask, mask, ROOM) == TALLY_OK);
    CHECK(tally_copy(device, far_out, got, bytes) == TALLY_OK);
    x.data = second.data = far + begin;
    where.data = far_mask;
    like.data = far_out + GUARD + out_begin;
    CHECK(tally_reduce(device, call->op, &x, &like, &options) == TALLY_OK);
    CHECK(tally_copy(device, got, far_out, bytes) == TALLY_OK);
    device_same(got, want, bytes, each);
}

static void all_boxes(const struct call *call, int few)
{
    static const struct box boxes[] = {
        {1, 3001, 1, 0, 0},
        {2, 2500, 1, 1, 0},
        {7, 700, 1, 0, 0},
        {17, 300, 1, 3, 0},
        {33, 210, 1, 0, 0},
        {129, 35, 1, 0, 0},
        {4095, 5, 1, 0, 0},
        {4097, 10, 1, 0, 0},
        {12500, 3, 1, 2, 0},
        {40000, 2, 1, 0, 0},
        {5, 3000, 1, 0, 1},
        {1, 999, 1, 2, 0},
        {600, 70, 1, 1, 0},
        {3, 40, 5, 0, 0},
        {900, 3, 7, 4, 0},
        {32, 5000, 1, 0, 0},
        {17, 8200, 1, 0, 1},
        {40, 8200, 1, 0, 1},
        {33, 8200, 1, 0, 0},
        {1, 8200, 1, 1, 0},
        /* sides of neighbouring cells, at multiples of their size, and in rows with gaps */
        {2, 2504, 1, 8, 0},
        {8, 1200, 1, 0, 0},
        {30, 344, 1, 4, 0},
        {257, 132, 1, 0, 0},
        {4096, 36, 1, 4, 0},
        {4100, 66, 1, 2, 0},
        {9000, 20, 1, 0, 0},
        /* sides that begin anywhere */
        {2, 4001, 1, 0, 0},
        {6, 1003, 1, 1, 0},
        {3000, 61, 1, 0, 0},
        {8300, 35, 1, 3, 0},
        /* several leaves to a split */
        {280000, 8, 1, 0, 0},
        /* all lanes of many cells, by a thread */
        {100, 4200, 1, 0, 0},
        {65, 4200, 1, 0, 1},
        {65, 135300, 1, 0, 0},
    };
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        int64_t bytes = boxes[i].length * boxes[i].cells * boxes[i].inner * (int64_t)tally_type_size(call->type);
        if (few && boxes[i].cells > 100000) continue;
        if (bytes > ROOM / 2 || (few && (i + (size_t)call->op + (size_t)call->type) % 3 != 0)) continue;
        compare(call, &boxes[i]);
    }
}

int main(void)
{
    static const struct call calls[] = {
        {TALLY_PROD, TALLY_F32, 0, 0, 0, 0},
        {TALLY_PROD, TALLY_F32, 0, 0, 0, TALLY_F64},
        {TALLY_PROD, TALLY_I8, 0, 1, 0, TALLY_F64},
        {TALLY_PROD, TALLY_BF16, 0, 1, 0, 0},
        {TALLY_PROD, TALLY_F64, TALLY_SKIP_NAN, 0, 0, 0},
        {TALLY_PROD, TALLY_C64, 0, 0, 0, 0},
        {TALLY_PROD, TALLY_C128, TALLY_SKIP_NAN, 1, 0, 0},
        {TALLY_SUM, TALLY_C64, TALLY_PLAIN, 0, 0, 0},
        {TALLY_DOT, TALLY_C128, TALLY_PLAIN, 0, 0, 0},
        {TALLY_PROD, TALLY_F16, 0, 0, 1, 0},
        {TALLY_LOGSUMEXP, TALLY_F32, 0, 1, 0, 0},
        {TALLY_LOGSUMEXP, TALLY_F16, TALLY_SKIP_NAN, 0, 0, 0},
        {TALLY_LOGSUMEXP, TALLY_U8, 0, 0, 0, 0},
        {TALLY_LOGSUMEXP, TALLY_F16, 0, 0, 0, TALLY_F64},
        {TALLY_LOGSUMEXP, TALLY_F32, 0, 0, 0, 0},
        {TALLY_LOGSUMEXP, TALLY_F64, 0, 0, 1, 0},
        {TALLY_LOGSUMEXP, TALLY_I64, 0, 0, 0, 0},
        {TALLY_LOGSUMEXP, TALLY_U16, 0, 0, 0, 0},
        {TALLY_LOGSUMEXP, TALLY_I32, 0, 1, 0, 0},
        {TALLY_SUM, TALLY_F32, TALLY_PLAIN, 0, 0, 0},
        {TALLY_SUM, TALLY_BF16, TALLY_PLAIN, 0, 0, 0},
        {TALLY_SUM, TALLY_F16, TALLY_PLAIN, 0, 0, 0},
        {TALLY_MEAN, TALLY_F32, TALLY_PLAIN, 1, 0, 0},
        {TALLY_VAR, TALLY_F32, TALLY_PLAIN | TALLY_SKIP_NAN, 0, 0, 0},
        {TALLY_VAR, TALLY_C128, TALLY_PLAIN, 1, 0, 0},
        {TALLY_DOT, TALLY_F64, TALLY_PLAIN | TALLY_SKIP_NAN, 0, 0, 0},
    };
    setenv("TALLY_SIMT_PROCESSORS", "4", 1);
    if (!device_open("cpu")) return test_left_out("device_lanes", tally_last_error());
    far = device_room(ROOM), far_mask = device_room(ROOM), far_out = device_room(ROOM);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) all_boxes(&calls[i], device_simulated());
    device_close();
    return test_finish("device_lanes");
}
