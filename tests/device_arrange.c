/* SPDX-License-Identifier: MIT
 *
 * device_arrange.c - scans of elements that are brought into their results' order before they are scanned give the
 * bits of the CPU engine on a device, and write nothing beside them: axes in other orders than their results', two
 * apart, backwards, broadcast, and masks in either order. As calls, again at another place, and as plans.
 *   TALLY_TEST_DEVICE   the device (simt) */
#define _POSIX_C_SOURCE 200809L
#include "data.h"
#include "device.h"

#define ROOM (5 << 20)
#define MOST_RANK 4
#define AGAIN 96 /* bytes from which a call finds what was planned for the first one */

static _Alignas(64) unsigned char room[ROOM + AGAIN], masks[ROOM], want[ROOM], got[ROOM];
static unsigned char *far, *far_masks, *far_out;

/* The order of axes in memory: that of C, or of Fortran; and what is special about it. */
enum { IN_ORDER = 0, TURNED = 1, BACKWARD_LAST = 2, BACKWARD_ALL = 4, TWO_APART = 8, BROADCAST_FIRST = 16 };

static const struct arranged {
    tally_op op;
    tally_type type;
    int32_t rank, axis;
    int64_t shape[MOST_RANK];
    uint32_t flags;
    int x, out, where; /* where: -1 for none */
} cases[] = {
    /* words of both orders, turned in squares, and tiles at the edges */
    {TALLY_MAX, TALLY_U8, 2, 0, {260, 1284}, 0, TURNED, IN_ORDER, -1},
    {TALLY_BIT_XOR, TALLY_I8, 3, 2, {1284, 2, 132}, TALLY_REVERSE, TURNED | BACKWARD_ALL, IN_ORDER, -1},
    {TALLY_SUM, TALLY_I16, 2, 1, {516, 262}, TALLY_EXCLUSIVE, TURNED, IN_ORDER, -1},
    {TALLY_MIN, TALLY_U8, 2, 0, {1028, 260}, TALLY_REVERSE, TURNED, IN_ORDER, IN_ORDER},
    {TALLY_SUM, TALLY_I16, 2, 0, {516, 262}, 0, TURNED, IN_ORDER, IN_ORDER},
    /* rows that begin anywhere, and runs of several loops */
    {TALLY_MAX, TALLY_I8, 2, 0, {131, 2003}, TALLY_EXCLUSIVE, TURNED, IN_ORDER, -1},
    {TALLY_MAX, TALLY_I8, 3, 1, {5, 13421, 4}, TALLY_REVERSE, TURNED, IN_ORDER, -1},
    {TALLY_ANY, TALLY_U16, 4, 2, {7, 33, 31, 21}, 0, TURNED, IN_ORDER, -1},
    {TALLY_MIN, TALLY_U8, 2, 1, {2003, 131}, 0, TURNED, IN_ORDER, IN_ORDER},
    {TALLY_MAX, TALLY_I16, 2, 1, {40001, 5}, 0, TURNED, IN_ORDER, -1},
    {TALLY_BIT_XOR, TALLY_U8, 3, 1, {64, 131, 127}, TALLY_EXCLUSIVE, TURNED | BACKWARD_LAST, IN_ORDER, -1},
    {TALLY_MAX, TALLY_U8, 3, 0, {300, 128, 9}, 0, TURNED, IN_ORDER, -1},
    /* bytes and halves in one order, but backwards or two apart; the last of rows that are put together otherwise */
    {TALLY_MAX, TALLY_I8, 2, 0, {3001, 127}, TALLY_REVERSE, BACKWARD_LAST, IN_ORDER, -1},
    {TALLY_BIT_OR, TALLY_U16, 2, 0, {3001, 127}, 0, BACKWARD_LAST, IN_ORDER, -1},
    {TALLY_SUM, TALLY_U8, 2, 0, {3001, 100}, 0, TWO_APART, IN_ORDER, IN_ORDER},
    {TALLY_MIN, TALLY_U8, 2, 0, {3001, 131}, 0, TWO_APART | BACKWARD_LAST, IN_ORDER, -1},
    {TALLY_MAX, TALLY_U16, 2, 0, {3001, 67}, TALLY_EXCLUSIVE, TWO_APART | BACKWARD_LAST, IN_ORDER, -1},
    {TALLY_SUM, TALLY_I16, 2, 0, {3001, 67}, 0, TWO_APART, IN_ORDER, -1},
    {TALLY_ANY, TALLY_BOOL, 2, 1, {33100, 127}, 0, BACKWARD_LAST, IN_ORDER, -1},
    {TALLY_BIT_OR, TALLY_BOOL, 3, 0, {5369, 5, 10}, 0, TURNED | BACKWARD_LAST, IN_ORDER, TURNED},
    {TALLY_BIT_AND, TALLY_U16, 2, 0, {131, 1100}, 0, IN_ORDER, TURNED, -1},
    {TALLY_PROD, TALLY_BOOL, 3, 0, {22369, 4, 3}, TALLY_REVERSE, TURNED, IN_ORDER, IN_ORDER},
    /* words and what is wider, halves of complex numbers */
    {TALLY_SUM, TALLY_F32, 2, 0, {300, 301}, 0, TURNED, IN_ORDER, -1},
    {TALLY_MIN, TALLY_U32, 3, 0, {67, 33, 31}, 0, TURNED, IN_ORDER, IN_ORDER},
    {TALLY_SUM, TALLY_F64, 2, 1, {190, 181}, TALLY_REVERSE, TURNED, IN_ORDER, -1},
    {TALLY_MAX, TALLY_F64, 2, 0, {190, 181}, 0, TURNED, IN_ORDER, TURNED},
    {TALLY_SUM, TALLY_C64, 2, 0, {190, 181}, TALLY_EXCLUSIVE, TURNED, IN_ORDER, -1},
    {TALLY_ANY, TALLY_C64, 2, 0, {190, 181}, 0, TURNED, IN_ORDER, -1},
    {TALLY_LOGSUMEXP, TALLY_F32, 2, 0, {300, 301}, 0, TURNED, IN_ORDER, -1},
    /* one order, and masks, gaps, directions and repetitions that other kernels do not take */
    {TALLY_SUM, TALLY_F16, 2, 0, {19173, 7}, 0, TWO_APART, IN_ORDER, IN_ORDER},
    {TALLY_PROD, TALLY_U8, 3, 1, {10, 5369, 5}, 0, BACKWARD_LAST, IN_ORDER, -1},
    {TALLY_SUM, TALLY_I32, 3, 2, {5, 128, 257}, 0, TURNED | BROADCAST_FIRST, IN_ORDER, -1},
    /* lines of one element */
    {TALLY_ANY, TALLY_BOOL, 3, 2, {516, 516, 1}, 0, TURNED, IN_ORDER, -1}};

static tally_array laid_out(const struct arranged *c, int layout, tally_type type, unsigned char *memory)
{
    tally_array view = tally_shaped(memory, type, c->rank, c->shape);
    int64_t stride = layout & TWO_APART ? 2 : 1, first = 0;
    for (int32_t i = 0; i < c->rank; i++) {
        int32_t d = layout & TURNED ? i : c->rank - 1 - i;
        int is_backward = layout & BACKWARD_ALL || (layout & BACKWARD_LAST && d == c->rank - 1);
        if (layout & BROADCAST_FIRST && d == 0) {
            view.strides[d] = 0;
            continue;
        }
        view.strides[d] = is_backward ? -stride : stride;
        if (is_backward) first += stride * (c->shape[d] - 1);
        stride *= c->shape[d];
    }
    view.data = memory + first * (int64_t)tally_type_size(type);
    return view;
}

static void make(const struct arranged *c, tally_array x, tally_array out, tally_options *options, int as_plan)
{
    if (!as_plan) {
        if (!CHECK(tally_scan(device, c->op, &x, &out, options) == TALLY_OK))
            fprintf(stderr, "    %s\n", tally_last_error());
        return;
    }
    tally_plan *plan;
    if (!CHECK(tally_plan_scan(device, c->op, &x, &out, options, &plan) == TALLY_OK)) return;
    CHECK(tally_plan_run(plan) == TALLY_OK);
    CHECK(tally_synchronize(device) == TALLY_OK);
    tally_plan_free(plan);
}

static void compare(const struct arranged *c, int as_plan, size_t ahead)
{
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array x = laid_out(c, c->x, c->type, room + ahead), far_x = laid_out(c, c->x, c->type, far + ahead), out;
    tally_array where = laid_out(c, c->where, TALLY_BOOL, masks),
                far_where = laid_out(c, c->where, TALLY_BOOL, far_masks);
    options.axes = &c->axis;
    options.axis_count = 1;
    options.flags = c->flags;
    if (!CHECK(tally_result_like(TALLY_SCAN, c->op, &x, &options, &out) == TALLY_OK)) return;
    size_t each = tally_type_size(out.type), bytes = each;
    for (int32_t d = 0; d < c->rank; d++) bytes *= (size_t)c->shape[d];
    bytes += 32 * each;
    if (!CHECK(bytes <= ROOM)) return;
    memset(want, 0xab, bytes);
    CHECK(tally_copy(device, far_out, want, bytes) == TALLY_OK);
    out = laid_out(c, c->out, out.type, want + 16 * each);
    if (c->where >= 0) options.where = &where;
    CHECK(tally_scan(judge, c->op, &x, &out, &options) == TALLY_OK);
    if (c->where >= 0) options.where = &far_where;
    make(c, far_x, laid_out(c, c->out, out.type, far_out + 16 * each), &options, as_plan);
    CHECK(tally_copy(device, got, far_out, bytes) == TALLY_OK);
    device_same(got, want, bytes, each);
}

/* Where the device has no memory for what is arranged, elements are scanned where they lie. */
static void *little_memory(void *user, size_t bytes)
{
    return bytes != *(const size_t *)user ? aligned_alloc(64, (bytes + 63) / 64 * 64) : NULL;
}

static void release_memory(void *user, void *memory, size_t bytes)
{
    (void)user, (void)bytes;
    free(memory);
}

static void without_memory(void)
{
    size_t copy = (size_t)(cases[0].shape[0] * cases[0].shape[1]);
    const tally_allocator little = {
        .size = sizeof little, .allocate = little_memory, .release = release_memory, .user = &copy};
    tally_context *whole = device;
    test.section = "little memory";
    if (!device_simulated()) return; /* the allocator's memory is the host's */
    CHECK(tally_open(device_name(), &device) == TALLY_OK);
    CHECK(tally_set_allocator(device, &little) == TALLY_OK);
    data_fill(cases[0].type, DATA_ORDINARY, room, ROOM);
    CHECK(tally_copy(device, far, room, ROOM) == TALLY_OK);
    compare(&cases[0], 0, 0);
    compare(&cases[0], 1, 0);
    CHECK(tally_close(device) == TALLY_OK);
    device = whole;
}

int main(void)
{
    char text[80];
    if (!device_full()) setenv("TALLY_SIMT_SHARED", DEVICE_H100_SHARED, 0), setenv("TALLY_SIMT_PROCESSORS", "3", 0);
    if (!device_open("cpu")) return test_left_out("device_arrange", tally_last_error());
    far = device_room(ROOM + AGAIN), far_masks = device_room(ROOM), far_out = device_room(ROOM);
    for (int64_t i = 0; i < ROOM; i++)
        masks[i] = test_random_below(5) ? (unsigned char)(1 + test_random_below(255)) : 0;
    CHECK(tally_copy(device, far_masks, masks, ROOM) == TALLY_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct arranged *c = &cases[i];
        if (!device_parted(c->op, c->type)) continue;
        snprintf(text, sizeof text, "case %d, %s of %s", (int)i, tally_op_name(c->op), tally_type_name(c->type));
        test.section = text;
        data_fill(c->type, DATA_ORDINARY, room, (ROOM + AGAIN) / (int64_t)tally_type_size(c->type));
        CHECK(tally_copy(device, far, room, ROOM + AGAIN) == TALLY_OK);
        compare(c, 0, 0);
        compare(c, 0, AGAIN);
        compare(c, 1, 0);
    }
    if (device_parted(cases[0].op, cases[0].type)) without_memory();
    device_close();
    return test_finish("device_arrange");
}
