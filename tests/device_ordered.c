/* SPDX-License-Identifier: MIT
 *
 * device_ordered.c - running products, plain sums and logsumexp down columns, whose order shows in the bits, give the
 * bits of the CPU engine: rows around those of runs, groups and blocks, few and many columns, of any alignment, forward
 * and backward, in place, with an initial value, with NaN left out.
 *   TALLY_TEST_DEVICE   the device (simt)
 *   TALLY_TEST_FULL     all combinations, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "data.h"
#include "device.h"

#define ROOM (1 << 24)

static _Alignas(64) unsigned char room[ROOM], want[ROOM], got[ROOM];
static unsigned char *far, *far_out;
static char name[160];

static const struct what {
    tally_op op;
    tally_type type, result;
    uint32_t flags;
} all[] = {{TALLY_PROD, TALLY_F32, 0, 0},
           {TALLY_SUM, TALLY_F16, 0, TALLY_PLAIN},
           {TALLY_LOGSUMEXP, TALLY_F32, 0, 0},
           {TALLY_PROD, TALLY_F64, 0, TALLY_SKIP_NAN},
           {TALLY_LOGSUMEXP, TALLY_U8, 0, 0},
           {TALLY_PROD, TALLY_BF16, 0, 0},
           {TALLY_PROD, TALLY_C64, 0, 0},
           {TALLY_SUM, TALLY_F32, TALLY_F64, TALLY_PLAIN},
           {TALLY_LOGSUMEXP, TALLY_F64, 0, TALLY_SKIP_NAN},
           {TALLY_LOGSUMEXP, TALLY_BF16, 0, 0},
           {TALLY_SUM, TALLY_C128, 0, TALLY_PLAIN},
           {TALLY_SUM, TALLY_F64, TALLY_F16, TALLY_PLAIN},
           {TALLY_PROD, TALLY_F16, 0, TALLY_SKIP_NAN}};
enum { ALL = sizeof all / sizeof *all };

struct shape {
    int64_t outer, rows, columns, gap, offset;
};

static tally_array placed(const struct shape *s, tally_type type, unsigned char *memory)
{
    const int64_t shape[] = {s->outer, s->rows, s->columns}, pitch = s->columns + s->gap;
    tally_array a = tally_shaped(memory + (size_t)s->offset * tally_type_size(type), type, 3, shape);
    a.strides[0] = s->rows * pitch, a.strides[1] = pitch;
    return a;
}

/* Numbers near 1 and -1, so that products stay in range; some that are none. */
static void fill(tally_type type)
{
    const int64_t size = (int64_t)tally_type_size(type), part = type == TALLY_C64 || type == TALLY_C128 ? 2 : 1;
    const tally_type real = type == TALLY_C64 ? TALLY_F32 : type == TALLY_C128 ? TALLY_F64 : type;
    if (type == TALLY_U8) {
        data_fill(type, DATA_ORDINARY, room, ROOM);
        return;
    }
    for (int64_t i = 0; i < ROOM / size * part; i++) {
        double v = 1 + (test_random_uniform() - 0.5) / 8;
        if (test_random_below(9) == 0) v = -v;
        if (part == 2 && i % 2) v = (v - 1) / 8;
        if (test_random_below(20000) == 0) v = test_random_below(2) ? NAN : INFINITY;
        data_put_real(real, room, i, v);
    }
}

static void compare(const struct what *w, const struct shape *s, int turn)
{
    static const uint32_t ways[] = {0, TALLY_REVERSE, TALLY_EXCLUSIVE, TALLY_EXCLUSIVE | TALLY_REVERSE};
    static const double initial[2] = {1.5, 0.5};
    const int32_t axis = 1;
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array x = placed(s, w->type, room), out;
    options.axes = &axis, options.axis_count = 1;
    options.flags = w->flags | ways[turn % 4];
    options.type = w->result;
    CHECK(tally_result_like(TALLY_SCAN, w->op, &x, &options, &out) == TALLY_OK);
    const int in_place = turn % 3 == 0 && out.type == w->type;
    if (turn % 5 == 0 && out.type == TALLY_F64) options.initial = initial;
    snprintf(name, sizeof name, "running %s of %s to %s, flags %u, %lld x %lld x %lld, gap %lld, offset %lld%s",
             tally_op_name(w->op), tally_type_name(w->type), tally_type_name(out.type), options.flags,
             (long long)s->outer, (long long)s->rows, (long long)s->columns, (long long)s->gap, (long long)s->offset,
             in_place ? ", in place" : "");
    test.section = name;
    const size_t bytes =
        (size_t)(s->outer * s->rows * (s->columns + s->gap) + s->offset) *
        (tally_type_size(out.type) > tally_type_size(w->type) ? tally_type_size(out.type) : tally_type_size(w->type));
    CHECK(bytes <= ROOM);
    memset(want, 0xab, bytes);
    if (in_place) memcpy(want, room, bytes);
    CHECK(tally_copy(device, far, room, bytes) == TALLY_OK);
    CHECK(tally_copy(device, far_out, want, bytes) == TALLY_OK);
    out = placed(s, out.type, want);
    if (in_place) x.data = out.data;
    CHECK(tally_scan(judge, w->op, &x, &out, &options) == TALLY_OK);
    x = placed(s, w->type, in_place ? far_out : far);
    out = placed(s, out.type, far_out);
    CHECK(tally_scan(device, w->op, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, got, far_out, bytes) == TALLY_OK);
    device_same(got, want, bytes, tally_type_size(out.type));
}

/* So long columns that a GPU's threads have blocks of them. */
static void long_columns(void)
{
    const int64_t shape[] = {57400, 700};
    const size_t bytes = (size_t)(shape[0] * shape[1]) * 2;
    const int32_t axis = 0;
    unsigned char *from = malloc(bytes), *right = malloc(bytes), *mine = malloc(bytes);
    void *far_from = device_room(bytes), *far_to = device_room(bytes);
    tally_options options = TALLY_OPTIONS_INIT;
    options.axes = &axis, options.axis_count = 1;
    test.section = "running products of f16 down long columns";
    fill(TALLY_F16);
    for (size_t i = 0; i < bytes; i += ROOM) memcpy(from + i, room, bytes - i < ROOM ? bytes - i : ROOM);
    tally_array x = tally_shaped(from, TALLY_F16, 2, shape), out = tally_shaped(right, TALLY_F16, 2, shape);
    CHECK(tally_scan(judge, TALLY_PROD, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, far_from, from, bytes) == TALLY_OK);
    x.data = far_from, out.data = far_to;
    CHECK(tally_scan(device, TALLY_PROD, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, mine, far_to, bytes) == TALLY_OK);
    device_same(mine, right, bytes, 2);
    free(from), free(right), free(mine);
}

int main(void)
{
    static const struct shape shapes[] = {
        {1, 4, 5000, 0, 0},  {3, 2, 4097, 0, 1},   {1, 16, 1000, 0, 0},  {1, 17, 999, 1, 0},  {2, 31, 640, 0, 0},
        {1, 33, 1024, 0, 0}, {1, 65, 501, 0, 3},   {1, 100, 800, 8, 0},  {5, 200, 70, 0, 0},  {1, 512, 256, 0, 0},
        {1, 513, 255, 0, 0}, {1, 1100, 200, 2, 0}, {1, 4096, 100, 0, 0}, {2, 4101, 50, 0, 0}, {1, 9000, 100, 0, 0},
        {1, 16900, 8, 0, 0}, {1, 12289, 21, 0, 0}, {1, 8192, 40, 2, 1},  {3, 8200, 9, 1, 0},  {1, 20479, 33, 0, 0}};
    const int simulated = device_simulated(), full = device_full();
    int turn = 0;
    if (simulated) setenv("TALLY_SIMT_PROCESSORS", "1", 1); /* enough threads walk down few columns */
    if (!device_open("cpu")) return test_left_out("device_ordered", tally_last_error());
    far = device_room(ROOM), far_out = device_room(ROOM);
    for (int i = 0; i < ALL; i++) {
        if (!device_parted(all[i].op, all[i].type)) continue;
        fill(all[i].type);
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            if (!full && (k + (size_t)i) % 5 && (i || shapes[k].rows < 9000)) continue;
            compare(&all[i], &shapes[k], turn++);
        }
        const struct shape wide = {1, 70, 7400, 0, 0}; /* enough columns for a GPU's threads */
        if (!simulated) compare(&all[i], &wide, turn++);
    }
    if (!simulated && device_parted(TALLY_PROD, TALLY_F16)) long_columns();
    device_close();
    return test_finish("device_ordered");
}
