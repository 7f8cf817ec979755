/* SPDX-License-Identifier: MIT
 *
 * engines_agree.c - every engine gives the bits of the reference: operators x types x data x shapes x strides x axes x
 * flags, through the public interface alone. */
#include "data.h"

static tally_context *reference, *engines[3];
static const char *const devices[3] = {"cpu:1", "cpu:2", "cpu:5"};

#define MOST (1 << 17)
static _Alignas(64) unsigned char room_x[MOST * 16 + 64], room_y[MOST * 16 + 64], room_mask[MOST];
static _Alignas(64) unsigned char want[MOST * 16], got[MOST * 16];

struct shape {
    int32_t rank;
    int64_t length[4];
    int32_t axis_count; /* -1: all */
    int32_t axes[4];
    int layout; /* 0 C order, 1 first axes swapped, 2 every second element, 3 last axis backwards, 4 broadcast first */
};

static const struct shape shapes[] = {
    {0, {0}, -1, {0}, 0},
    {1, {0}, -1, {0}, 0},
    {1, {1}, -1, {0}, 0},
    {1, {2}, -1, {0}, 0},
    {1, {7}, -1, {0}, 3},
    {1, {127}, -1, {0}, 0},
    {1, {128}, -1, {0}, 0},
    {1, {129}, -1, {0}, 2},
    {1, {4095}, -1, {0}, 0},
    {1, {4097}, -1, {0}, 0},
    {1, {9001}, -1, {0}, 2},
    {1, {30011}, -1, {0}, 0},
    {2, {3, 5}, 1, {0}, 0},
    {2, {3, 5}, 1, {-1}, 1},
    {2, {3, 5}, 0, {0}, 0},
    {2, {0, 3}, 1, {1}, 0},
    {2, {3, 0}, 1, {0}, 0},
    {2, {300, 7}, 1, {0}, 0},
    {2, {300, 7}, 1, {1}, 0},
    {2, {70, 80}, 1, {0}, 1},
    {2, {70, 80}, 1, {1}, 1},
    {2, {70, 80}, 2, {0, 1}, 1},
    {2, {2, 5003}, 1, {1}, 3},
    {2, {5003, 2}, 1, {0}, 0},
    {2, {40, 50}, 1, {0}, 4},
    {2, {40, 50}, 1, {1}, 4},
    {3, {9, 10, 11}, 1, {1}, 0},
    {3, {9, 10, 11}, 2, {0, 2}, 0},
    {3, {9, 10, 11}, 2, {2, 0}, 1},
    {3, {9, 10, 11}, 2, {0, 1}, 2},
    {4, {3, 4, 5, 6}, 2, {1, -1}, 0},
    {4, {3, 4, 5, 6}, 3, {0, 2, 3}, 1},
};

/* A view of room elements in the shape's layout. */
static tally_array view_of(const struct shape *shape, tally_type type, unsigned char *room)
{
    tally_array view = tally_shaped(room, type, shape->rank, shape->length);
    int32_t last = shape->rank - 1;
    int64_t stride;
    switch (shape->layout) {
    case 1:
        view.strides[1] = 1;
        view.strides[0] = shape->length[1];
        if (shape->rank == 2) view.strides[0] = 1, view.strides[1] = shape->length[0];
        if (shape->rank > 2) {
            view.strides[0] = view.strides[1];
            stride = 1;
            for (int32_t d = last; d >= 2; d--) view.strides[d] = stride, stride *= shape->length[d];
            view.strides[0] = stride;
            view.strides[1] = stride * shape->length[0];
        }
        break;
    case 2:
        for (int32_t d = 0; d < shape->rank; d++) view.strides[d] *= 2;
        break;
    case 3:
        view.data = room + (size_t)(shape->length[last] - 1) * tally_type_size(type);
        view.strides[last] = -1;
        break;
    case 4: view.strides[0] = 0; break;
    default: break;
    }
    return view;
}

static const char *what(tally_op op, tally_type type, enum data_kind kind, size_t shape, uint32_t flags, int masked,
                        const char *device)
{
    static char text[160];
    snprintf(text, sizeof text, "%s of %s, data %d, shape %zu, flags 0x%x, mask %d, on %s", tally_op_name(op),
             tally_type_name(type), (int)kind, shape, (unsigned)flags, masked, device);
    return text;
}

static void compare(tally_op op, tally_type type, enum data_kind kind, size_t s, uint32_t flags, int masked)
{
    const struct shape *shape = &shapes[s];
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array x = view_of(shape, type, room_x), y = view_of(shape, type, room_y), like;
    tally_array mask = tally_shaped(room_mask, TALLY_BOOL, shape->rank, shape->length);
    options.flags = flags;
    options.axes = shape->axis_count < 0 ? NULL : shape->axes;
    options.axis_count = shape->axis_count < 0 ? 0 : shape->axis_count;
    options.correction = (op == TALLY_VAR || op == TALLY_STD) && s % 2 ? 1 : 0;
    if (op == TALLY_DOT) options.second = &y;
    if (masked) options.where = &mask;
    tally_status status = tally_result_like(TALLY_REDUCE, op, &x, &options, &like);
    if (status != TALLY_OK) {
        CHECK(status == TALLY_EMPTY || status == TALLY_UNSUPPORTED);
        return;
    }
    size_t bytes = tally_type_size(like.type);
    for (int32_t d = 0; d < like.rank; d++) bytes *= (size_t)like.shape[d];
    memset(want, 0xab, bytes + 1);
    like.data = want;
    tally_status expected = tally_reduce(reference, op, &x, &like, &options);
    for (int e = 0; e < 3; e++) {
        memset(got, 0xab, bytes + 1);
        like.data = got;
        status = tally_reduce(engines[e], op, &x, &like, &options);
        test.section = what(op, type, kind, s, flags, masked, devices[e]);
        CHECK_EQUAL_I64(status, expected);
        CHECK(memcmp(got, want, bytes + 1) == 0);
    }
}

static void every_shape(tally_op op, tally_type type, enum data_kind kind)
{
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        compare(op, type, kind, s, 0, 0);
        compare(op, type, kind, s, s % 2 ? TALLY_KEEPDIMS : 0, 1);
        if (type >= TALLY_F16) compare(op, type, kind, s, TALLY_SKIP_NAN, s % 2);
        if (type >= TALLY_F16) compare(op, type, kind, s, TALLY_PLAIN, 0);
        if (type <= TALLY_U64) compare(op, type, kind, s, TALLY_CHECK_OVERFLOW, s % 3 == 0);
    }
}

int main(void)
{
    CHECK(tally_open("reference", &reference) == TALLY_OK);
    for (int e = 0; e < 3; e++) CHECK(tally_open(devices[e], &engines[e]) == TALLY_OK);
    for (int64_t i = 0; i < MOST; i++) room_mask[i] = test_random_below(4) != 0;
    for (tally_type type = TALLY_BOOL; type <= TALLY_C128; type++) {
        for (int kind = 0; kind < DATA_KINDS; kind++) {
            data_fill(type, (enum data_kind)kind, room_x, MOST);
            data_fill(type, (enum data_kind)kind, room_y, MOST);
            for (tally_op op = TALLY_SUM; op <= TALLY_LAST; op++) every_shape(op, type, (enum data_kind)kind);
        }
    }
    tally_close(reference);
    for (int e = 0; e < 3; e++) tally_close(engines[e]);
    return test_finish("engines_agree");
}
