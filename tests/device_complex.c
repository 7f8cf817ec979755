/* SPDX-License-Identifier: MIT
 *
 * device_complex.c - sums, means, norms and running sums of complex numbers on a device give the bits of the CPU
 * engine: of arrays, rows and columns, in any direction, under masks, with gaps and in any order of the axes, narrowed
 * and widened, in place, with infinities and NaN in one part alone.
 *   TALLY_TEST_DEVICE   the device (simt)
 *   TALLY_TEST_FULL     as many cases as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "data.h"
#include "device.h"

#define ROOM (1 << 21)
#define MOST 40000 /* elements */

static _Alignas(64) unsigned char room[ROOM], mask[ROOM], want[ROOM], got[ROOM];
static unsigned char *far, *far_mask, *far_out;

struct problem {
    tally_array x, where, out; /* data: offsets in their rooms */
    tally_options options;
    int32_t axes[3], axis_count;
    tally_verb verb;
    tally_op op;
    int is_in_place;
};

/* A random shape of at most MOST elements; dimensions of 1 and long ones among them. */
static int32_t random_shape(int64_t *shape)
{
    static const int64_t few[] = {1, 2, 3, 5, 8, 17, 33, 100};
    int32_t rank = 1 + (int32_t)test_random_below(3);
    int64_t left = MOST;
    for (int32_t d = 0; d < rank; d++) {
        shape[d] = d > 0 || rank == 1 ? 1 + (int64_t)test_random_below((uint64_t)(left > 4000 ? 4000 : left))
                                      : few[test_random_below(8)];
        left /= shape[d];
        if (left < 1) left = 1;
    }
    return rank;
}

/* Any order of the axes in memory, and `gap` elements behind every line of the last of them. */
static void place(tally_array *a, int32_t rank, int64_t gap)
{
    int32_t order[3] = {0, 1, 2};
    for (int32_t d = rank - 1; d > 0; d--) {
        int32_t other = (int32_t)test_random_below((uint64_t)d + 1), swapped = order[d];
        order[d] = order[other];
        order[other] = swapped;
    }
    int64_t stride = 1;
    for (int32_t d = rank - 1; d >= 0; d--) {
        a->strides[order[d]] = stride;
        stride = stride * a->shape[order[d]] + (d == rank - 1 ? gap : 0);
    }
}

static void choose_axes(struct problem *p)
{
    int32_t rank = p->x.rank;
    p->axis_count = 0;
    if (p->verb == TALLY_SCAN) p->axes[p->axis_count++] = (int32_t)test_random_below((uint64_t)rank);
    for (int32_t d = 0; d < rank && p->verb == TALLY_REDUCE; d++)
        if (test_random_below(2) || (d == rank - 1 && p->axis_count == 0)) p->axes[p->axis_count++] = d;
    p->options.axes = p->axes;
    p->options.axis_count = p->axis_count;
}

static void choose_options(struct problem *p, tally_type type)
{
    static const tally_type sums[] = {TALLY_C64, TALLY_C128}, norms[] = {TALLY_F32, TALLY_F64};
    if (test_random_below(4) == 0) p->options.type = (p->op == TALLY_NORM2 ? norms : sums)[test_random_below(2)];
    if (test_random_below(6) == 0) p->options.flags |= TALLY_SKIP_NAN;
    if (p->verb == TALLY_SCAN) {
        if (test_random_below(3) == 0) p->options.flags |= TALLY_EXCLUSIVE;
        if (test_random_below(3) == 0) p->options.flags |= TALLY_REVERSE;
    }
    if (test_random_below(4) == 0) {
        p->where = tally_shaped(mask, TALLY_BOOL, p->x.rank, p->x.shape);
        p->options.where = &p->where;
    }
    p->is_in_place =
        p->verb == TALLY_SCAN && test_random_below(4) == 0 && (p->options.type == 0 || p->options.type == type);
}

static tally_status run(tally_context *context, const struct problem *p, unsigned char *x, unsigned char *where,
                        unsigned char *out)
{
    struct problem local = *p;
    local.x.data = x + (size_t)p->x.data;
    local.out.data = p->is_in_place ? local.x.data : out;
    local.where.data = where;
    if (p->options.where) local.options.where = &local.where;
    if (p->verb == TALLY_SCAN) return tally_scan(context, p->op, &local.x, &local.out, &local.options);
    return tally_reduce(context, p->op, &local.x, &local.out, &local.options);
}

/* The same bytes of both, and none written beside results. */
static void compare(const struct problem *p)
{
    CHECK(tally_copy(device, far, room, ROOM) == TALLY_OK);
    CHECK(tally_copy(device, far_mask, mask, ROOM) == TALLY_OK);
    memset(want, 0xab, ROOM);
    CHECK(tally_copy(device, far_out, want, ROOM) == TALLY_OK);
    CHECK(run(device, p, far, far_mask, far_out) == TALLY_OK);
    CHECK(tally_copy(device, got, p->is_in_place ? far : far_out, ROOM) == TALLY_OK);
    CHECK(run(judge, p, room, mask, want) == TALLY_OK);
    device_same(got, p->is_in_place ? room : want, ROOM, tally_type_size(p->out.type));
}

static void one_problem(tally_type type)
{
    static const tally_op ops[] = {TALLY_SUM, TALLY_MEAN, TALLY_NORM2};
    struct problem p = {.options = TALLY_OPTIONS_INIT};
    int64_t shape[3], size = (int64_t)tally_type_size(type), offset = (int64_t)test_random_below(4) * size;
    int32_t rank = random_shape(shape);
    p.verb = test_random_below(2) ? TALLY_SCAN : TALLY_REDUCE;
    p.op = p.verb == TALLY_SCAN ? TALLY_SUM : ops[test_random_below(3)];
    p.x = tally_shaped((void *)(uintptr_t)offset, type, rank, shape);
    if (test_random_below(2)) place(&p.x, rank, (int64_t)test_random_below(3));
    choose_axes(&p);
    choose_options(&p, type);
    data_fill(type, (enum data_kind)test_random_below(DATA_KINDS), room, ROOM / size);
    for (int i = 0; i < ROOM; i++) mask[i] = test_random_below(3) > 0;
    tally_array x = p.x;
    x.data = room + offset;
    CHECK(tally_result_like(p.verb, p.op, &x, &p.options, &p.out) == TALLY_OK);
    if (p.verb == TALLY_SCAN && test_random_below(2)) place(&p.out, rank, (int64_t)test_random_below(3));
    if (p.is_in_place) p.out = p.x;
    compare(&p);
}

int main(void)
{
    int problems = device_full() ? 300 : 40;
    if (!device_full()) setenv("TALLY_SIMT_SHARED", DEVICE_H100_SHARED, 0);
    if (!device_open("cpu")) return test_left_out("device_complex", tally_last_error());
    far = device_room(ROOM), far_mask = device_room(ROOM), far_out = device_room(ROOM);
    for (int i = 0; i < problems; i++) {
        test.section = i % 2 ? "c64" : "c128";
        one_problem(i % 2 ? TALLY_C64 : TALLY_C128);
    }
    device_close();
    return test_finish("device_complex");
}
