/* SPDX-License-Identifier: MIT
 *
 * device_scan_powers.c - running logsumexp along rows, down columns and where a line is not what one pass takes: the
 * device gives the bits of the CPU, of the elements of powers.h, behind and before them, forward and backward, masked,
 * with an initial value far below, near and far above.
 *   TALLY_TEST_DEVICE   the device (simt)
 *   TALLY_TEST_FULL     all combinations, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "device.h"
#include "powers.h"

#define MOST (3 * LEAF + 900)
#define LONG (1027 * LEAF + 5) /* more blocks than are chained at once */
#define ROOM ((size_t)LONG * 8 + 64)

static _Alignas(64) unsigned char host_x[ROOM], mask[ROOM], want[ROOM], got[ROOM];
static unsigned char *far_x, *far_mask, *far_out;
static char section[200];

static const struct view {
    int64_t rows, n, offset; /* of elements before the first */
    int32_t axis;
} views[] = {{1, 3 * LEAF + 700, 1, 1}, {3, LEAF + 77, 0, 1}, {40, 130, 0, 1}, {300, 33, 1, 1}, {600, 17, 0, 0}};
enum { VIEWS = sizeof views / sizeof *views };

static void compare(tally_type type, const struct view *view, int turn)
{
    static const uint32_t ways[] = {0, TALLY_EXCLUSIVE, TALLY_REVERSE, TALLY_EXCLUSIVE | TALLY_REVERSE};
    static const double initials[] = {-1e5, 3.25, 1e5};
    static const float narrow_initials[] = {-1e5f, 3.25f, 1e5f};
    const int64_t shape[2] = {view->rows, view->n};
    const size_t size = tally_type_size(type), before = (size_t)view->offset * size;
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array x = tally_shaped(host_x + before, type, 2, shape), where = tally_shaped(mask, TALLY_BOOL, 2, shape);
    options.axes = &view->axis, options.axis_count = 1;
    options.flags = ways[turn % 4];
    options.type = type >= TALLY_F16 && type != TALLY_F64 && turn % 5 ? TALLY_DEFAULT_TYPE
                   : turn % 7                                         ? TALLY_F64
                                                                      : TALLY_F32;
    if (turn % 3 == 1) options.where = &where;
    if (type >= TALLY_F16 && turn % 4 == 2) options.flags |= TALLY_SKIP_NAN;
    tally_array out;
    CHECK(tally_result_like(TALLY_SCAN, TALLY_LOGSUMEXP, &x, &options, &out) == TALLY_OK);
    if (out.type == TALLY_F64 && turn % 6 < 3) options.initial = &initials[turn % 3];
    if (out.type == TALLY_F32 && turn % 6 < 3) options.initial = &narrow_initials[turn % 3];
    snprintf(section, sizeof section, "%s to %s, turn %d, flags %u, %lld x %lld, axis %d", tally_type_name(type),
             tally_type_name(out.type), turn, options.flags, (long long)view->rows, (long long)view->n, view->axis);
    test.section = section;
    const size_t results = (size_t)(view->rows * view->n) * tally_type_size(out.type), bytes = results + 32;
    CHECK(bytes <= ROOM && before + (size_t)(view->rows * view->n) * size <= ROOM);
    memset(want, 0xab, bytes);
    CHECK(tally_copy(device, far_x, host_x, before + (size_t)(view->rows * view->n) * size) == TALLY_OK);
    CHECK(tally_copy(device, far_out, want, bytes) == TALLY_OK);
    out.data = want + 16;
    CHECK(tally_scan(judge, TALLY_LOGSUMEXP, &x, &out, &options) == TALLY_OK);
    x.data = far_x + before, where.data = far_mask, out.data = far_out + 16;
    CHECK(tally_scan(device, TALLY_LOGSUMEXP, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, got, far_out, bytes) == TALLY_OK);
    device_same(got, want, bytes, tally_type_size(out.type));
}

/* Few sets of options for each view of a type: each is a kernel to compile. */
static void check_type(tally_type type, int number)
{
    for (int kind = 0; kind < powers_kinds(type); kind++) {
        powers_fill(type, kind, host_x, MOST);
        for (int v = 0; v < VIEWS; v++) {
            if (device_full() || (kind + v + number) % 3 == 0)
                compare(type, &views[v], number * 7 + v * 3 + (device_simulated() ? (kind & 1) * 5 : 0));
        }
    }
}

/* Many blocks, of which larger and larger elements stand in some. */
static void check_long(void)
{
    const struct view view = {1, LONG, 1, 1};
    for (int64_t i = 0; i <= LONG; i++)
        host_x[i] =
            (unsigned char)(i % (90 * LEAF) == 7 ? 100 + i / (90 * LEAF) * 10 : (int64_t)test_random_below(100));
    compare(TALLY_U8, &view, 12);
    compare(TALLY_U8, &view, 5);
}

/* Rows whose last element is so large that what is left of it is small beside it: sums of these must not lose bits, and
 * of some numbers in a hundred million the quotient shows whether they did. */
static void check_growing(void)
{
    enum { ROWS = 3, LENGTH = 16 };
    static double x[ROWS][LENGTH], results[2][ROWS][LENGTH];
    for (int row = 0; row < ROWS; row++)
        x[row][0] = -0x1.b4b506202af3ep-1, x[row][1] = 0x1.a9517ca6055b8p-2, x[row][LENGTH - 1] = 692 - 60 * row;
    const int32_t axis = 1;
    tally_options options = TALLY_OPTIONS_INIT;
    options.axes = &axis, options.axis_count = 1;
    test.section = "growing";
    for (int k = 0; k < 2; k++) {
        tally_array in = tally_matrix(x, TALLY_F64, ROWS, LENGTH),
                    out = tally_matrix(results[k], TALLY_F64, ROWS, LENGTH);
        CHECK(tally_scan(k ? device : judge, TALLY_LOGSUMEXP, &in, &out, &options) == TALLY_OK);
    }
    CHECK(memcmp(results[0], results[1], sizeof results[0]) == 0);
}

int main(void)
{
    static const tally_type types[] = {TALLY_F32, TALLY_F64, TALLY_F16, TALLY_BF16, TALLY_I8,  TALLY_U8, TALLY_BOOL,
                                       TALLY_I16, TALLY_U16, TALLY_I32, TALLY_U32,  TALLY_I64, TALLY_U64};
    if (!device_open("cpu")) return test_left_out("device_scan_powers", tally_last_error());
    far_x = device_room(ROOM), far_mask = device_room(ROOM), far_out = device_room(ROOM);
    for (size_t i = 0; i < ROOM; i++) mask[i] = test_random_below(5) > 0;
    CHECK(tally_copy(device, far_mask, mask, ROOM) == TALLY_OK);
    for (int t = 0; t < (int)(sizeof types / sizeof *types); t++) {
        if (test_in_part(t)) check_type(types[t], t);
    }
    if (test_in_part(13)) check_long();
    check_growing();
    device_close();
    return test_finish("device_scan_powers");
}
