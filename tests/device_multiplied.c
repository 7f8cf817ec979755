/* SPDX-License-Identifier: MIT
 *
 * device_multiplied.c - products of integers on a device give the bits of the CPU engine: columns, long rows and nests
 * of them, which begin anywhere, of odd numbers, of whose products none is zero, so that an element that is missing, or
 * comes twice, shows. With masks and without. TALLY_TEST_DEVICE   the device (simt) */
#define _POSIX_C_SOURCE 200809L
#include "device_boxes.h"
#include "data.h"

static _Alignas(64) unsigned char mask[ROOM];
static unsigned char *far_mask;

static const struct {
    struct shape shape;
    int32_t axes[2], count;
} places[] = {
    {{1, 3000, 40, 0, 0}, {1}, 1},    {{1, 500, 333, 0, 1}, {1}, 1},    {{4, 300, 1001, 0, 0}, {1}, 1},
    {{1, 400, 1024, 0, 0}, {1}, 1},   {{300, 70, 7, 0, 0}, {1}, 1},     {{1, 2000, 5, 3, 1}, {1}, 1},
    {{1, 2, 150001, 0, 1}, {2}, 1},   {{1, 40, 5000, 0, 0}, {2}, 1},    {{70, 30, 48, 0, 0}, {0, 2}, 2},
    {{5, 200, 64, 0, 0}, {0, 1}, 2},  {{50, 200, 7, 0, 1}, {0, 1}, 2},  {{13, 9, 1048, 0, 0}, {0, 2}, 2},
    {{190, 20, 37, 2, 1}, {0, 2}, 2}, {{300, 40, 21, 2, 0}, {0, 1}, 2}, {{1, 3000, 255, 1, 0}, {1}, 1},
};

/* The same of all but some. */
static void compare_masked(tally_type type, const struct shape *s, const int32_t *axes, int32_t count)
{
    tally_array x = shaped(s, type, room), where = shaped(s, TALLY_BOOL, mask), y;
    tally_options options = TALLY_OPTIONS_INIT;
    options.axes = axes;
    options.axis_count = count;
    options.where = &where;
    if (!device_parted(TALLY_PROD, type)) return;
    for (int64_t i = 0; i < elements_of(s); i++) mask[i] = test_random_below(3) != 0;
    CHECK(tally_result_like(TALLY_REDUCE, TALLY_PROD, &x, &options, &y) == TALLY_OK);
    size_t each = tally_type_size(y.type), bytes = each;
    for (int32_t d = 0; d < y.rank; d++) bytes *= (size_t)y.shape[d];
    y.data = want;
    CHECK(tally_reduce(judge, TALLY_PROD, &x, &y, &options) == TALLY_OK);
    CHECK(tally_copy(device, far_mask, mask, (size_t)elements_of(s)) == TALLY_OK);
    x = shaped(s, type, far), where = shaped(s, TALLY_BOOL, far_mask); /* whose elements are there already */
    y.data = far_out;
    CHECK(tally_reduce(device, TALLY_PROD, &x, &y, &options) == TALLY_OK);
    CHECK(tally_copy(device, got, far_out, bytes) == TALLY_OK);
    device_same(got, want, bytes, each);
}

static void each_place(tally_type type)
{
    const size_t size = tally_type_size(type);
    for (int i = 0; i < (int)(sizeof places / sizeof *places); i++) {
        const struct shape *s = &places[i].shape;
        const int64_t n = elements_of(s);
        data_fill(type, DATA_ORDINARY, room, n);
        for (int64_t k = 0; k < n; k++) room[(size_t)k * size] |= 1;
        compare_axes(TALLY_PROD, type, s, places[i].axes, places[i].count);
        compare_masked(type, s, places[i].axes, places[i].count);
    }
}

int main(void)
{
    static const tally_type types[] = {TALLY_I8, TALLY_U16, TALLY_I32, TALLY_I64};
    setenv("TALLY_SIMT_SHARED", DEVICE_H100_SHARED, 1);
    choose_processors("2");
    if (!device_open("cpu")) return test_left_out("device_multiplied", tally_last_error());
    make_room();
    far_mask = device_room(ROOM);
    for (int t = 0; t < (int)(sizeof types / sizeof *types); t++) each_place(types[t]);
    device_close();
    return test_finish("device_multiplied");
}
