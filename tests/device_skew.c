/* SPDX-License-Identifier: MIT
 *
 * device_skew.c - scans down columns whose rows are not aligned to vectors give the bits of the CPU engine, and write
 * nothing between rows: any pitch and any beginning, alike or not for elements and results, matrices above or beside
 * each other, forward and backward, in place, results of another width; what lies between rows is no number.
 *   TALLY_TEST_DEVICE   the device (simt)
 *   TALLY_TEST_FULL     all types, and more shapes, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "data.h"
#include "device.h"

#include <string.h>

#define ROOM (1 << 21)
#define GUARD 64 /* bytes on either side */

static _Alignas(64) unsigned char room[ROOM], want[ROOM], got[ROOM];
static unsigned char *far, *far_out;
static char where_text[320];

/* Where elements or results lie: strides in elements, the first one behind so many bytes. */
struct lie {
    int64_t outer, pitch;
    size_t first;
};

struct shape {
    int64_t outer, rows, columns;
    struct lie in, out;
};

struct what {
    tally_op op;
    tally_type type, result;
};

static tally_array shaped(const struct shape *s, const struct lie *lie, tally_type type, unsigned char *memory)
{
    tally_array a = tally_matrix(memory + lie->first, type, s->rows, s->columns);
    a.rank = 3;
    a.shape[0] = s->outer, a.shape[1] = s->rows, a.shape[2] = s->columns;
    a.strides[0] = lie->outer, a.strides[1] = lie->pitch, a.strides[2] = 1;
    return a;
}

/* Bytes from the first one up to the last one's end, and a guard. */
static size_t reach(const struct shape *s, const struct lie *lie, size_t size)
{
    int64_t last = (s->outer - 1) * lie->outer + (s->rows - 1) * lie->pitch + s->columns;
    return lie->first + (size_t)last * size + GUARD;
}

/* ---- shapes ---- */

static int64_t any(int64_t below)
{
    return (int64_t)test_random_below((uint64_t)below);
}

/* Rows behind each other, or those of all matrices before each matrix's next. */
static struct lie any_lie(const struct shape *s, size_t size, int beside)
{
    static const int64_t gaps[] = {0, 0, 1, 2, 3, 5, 7, 8, 9, 15, 16};
    int64_t gap = gaps[any(11)], more = gaps[any(11)];
    struct lie lie = {0, s->columns + gap, GUARD + size * (size_t)any(16 / (int64_t)size)};
    if (beside) lie.outer = s->columns + more, lie.pitch = s->outer * lie.outer + gap;
    else lie.outer = s->rows * lie.pitch + more;
    return lie;
}

/* Elements that fit the room, whatever their results are. */
static struct shape any_shape(size_t size, size_t result)
{
    struct shape s = {1 + any(3) * any(2), 0, any(4) ? 17 + any(120) : 449 + any(130), {0, 0, 0}, {0, 0, 0}};
    int beside = (int)any(2);
    int64_t most = ROOM / 2 / (int64_t)(size > result ? size : result) / (s.outer * (s.columns + 32));
    s.rows = 400 + any(1100);
    if (s.rows > most) s.rows = most;
    s.in = any_lie(&s, size, beside);
    s.out = any_lie(&s, result, beside);
    return s;
}

/* ---- one scan ---- */

/* Rows of numbers among bytes that are none; now and then some columns are none, or numbers lie far apart. */
static void fill(const struct shape *s, tally_type type)
{
    size_t size = tally_type_size(type);
    enum data_kind kind = any(4) ? DATA_ORDINARY : DATA_WIDE;
    int64_t none = any(3) ? -1 : any(s->columns);
    memset(room, 0xff, sizeof room);
    for (int64_t o = 0; o < s->outer; o++) {
        for (int64_t row = 0; row < s->rows; row++) {
            unsigned char *here = room + s->in.first + (size_t)(o * s->in.outer + row * s->in.pitch) * size;
            data_fill(type, kind, here, s->columns);
            if (none >= 0 && row > 3) memset(here + (size_t)none * size, 0xff, size);
        }
    }
}

static void compare(const struct what *w, const struct shape *s, uint32_t flags, int in_place)
{
    int32_t axis = 1;
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array x = shaped(s, &s->in, w->type, room), like;
    options.axes = &axis, options.axis_count = 1;
    options.type = w->result;
    options.flags = flags;
    snprintf(where_text, sizeof where_text,
             "running %s of %s, flags %u%s, %lld x %lld x %lld, from %zu: %lld, %lld, to %zu: %lld, %lld",
             tally_op_name(w->op), tally_type_name(w->type), flags, in_place ? ", in place" : "", (long long)s->outer,
             (long long)s->rows, (long long)s->columns, s->in.first, (long long)s->in.outer, (long long)s->in.pitch,
             s->out.first, (long long)s->out.outer, (long long)s->out.pitch);
    test.section = where_text;
    CHECK(tally_result_like(TALLY_SCAN, w->op, &x, &options, &like) == TALLY_OK);
    const struct lie *to = in_place ? &s->in : &s->out;
    size_t bytes = reach(s, to, tally_type_size(like.type));
    if (!CHECK(bytes <= ROOM && reach(s, &s->in, tally_type_size(w->type)) <= ROOM)) return;
    memset(want, 0xab, sizeof want);
    if (in_place) memcpy(want, room, sizeof want);
    memcpy(got, want, sizeof got);
    tally_array out = shaped(s, to, like.type, want);
    CHECK(tally_scan(judge, w->op, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, far, room, ROOM) == TALLY_OK);
    CHECK(tally_copy(device, far_out, got, ROOM) == TALLY_OK);
    x = shaped(s, &s->in, w->type, in_place ? far_out : far);
    out = shaped(s, to, like.type, far_out);
    if (!CHECK(tally_scan(device, w->op, &x, &out, &options) == TALLY_OK))
        fprintf(stderr, "    %s\n", tally_last_error());
    CHECK(tally_copy(device, got, far_out, ROOM) == TALLY_OK);
    device_same(got, want, ROOM, tally_type_size(like.type));
}

/* Results in place, in rows like the elements', perhaps but for where matrices begin, and elsewhere. */
static void in_turn(const struct what *w, int64_t shapes)
{
    static const uint32_t flags[] = {0, TALLY_REVERSE, TALLY_EXCLUSIVE | TALLY_REVERSE, TALLY_EXCLUSIVE};
    const size_t size = tally_type_size(w->type), result = w->result ? tally_type_size(w->result) : size;
    for (int64_t i = 0; i < shapes; i++) {
        struct shape s = any_shape(size, result);
        if (!device_parted(w->op, w->type)) continue;
        fill(&s, w->type);
        if (result == size && i % 3 != 2) {
            compare(w, &s, flags[any(4)], 1);
            s.out = s.in;
            if (s.in.outer > s.in.pitch) s.out.outer += any(4);
        }
        compare(w, &s, flags[any(4)], 0);
    }
}

/* Results narrower than elements, whose tiles begin between vectors though all rows begin where one does. */
static void narrower(tally_type type, tally_type result)
{
    const struct what w = {TALLY_SUM, type, result};
    const struct shape s = {1, 1400, 33, {0, 36, 16}, {0, 40, 16}};
    fill(&s, type);
    compare(&w, &s, 0, 0);
    compare(&w, &s, TALLY_REVERSE, 0);
}

int main(void)
{
    static const struct what all[] = {
        {TALLY_SUM, TALLY_F32, TALLY_F32},  {TALLY_MAX, TALLY_F32, TALLY_F32},   {TALLY_SUM, TALLY_F16, TALLY_F16},
        {TALLY_SUM, TALLY_I8, TALLY_I64},   {TALLY_MAX, TALLY_I8, TALLY_I8},     {TALLY_SUM, TALLY_F64, TALLY_F64},
        {TALLY_SUM, TALLY_F16, TALLY_F32},  {TALLY_SUM, TALLY_BF16, TALLY_BF16}, {TALLY_MIN, TALLY_I16, TALLY_I16},
        {TALLY_SUM, TALLY_I32, TALLY_I64},  {TALLY_MAX, TALLY_F16, TALLY_F16},   {TALLY_MAX, TALLY_F64, TALLY_F64},
        {TALLY_SUM, TALLY_I16, TALLY_I64},  {TALLY_SUM, TALLY_F32, TALLY_F64},   {TALLY_MIN, TALLY_BF16, TALLY_BF16},
        {TALLY_MAX, TALLY_I64, TALLY_I64},  {TALLY_ANY, TALLY_C128, TALLY_BOOL}, {TALLY_ANY, TALLY_F32, TALLY_BOOL},
        {TALLY_SUM, TALLY_BF16, TALLY_F64}, {TALLY_BIT_XOR, TALLY_U8, TALLY_U8}};
    const int simulated = device_simulated(), full = device_full();
    if (simulated) setenv("TALLY_SIMT_SHARED", DEVICE_H100_SHARED, 0);
    if (!device_open("cpu")) return test_left_out("device_skew", tally_last_error());
    far = device_room(ROOM), far_out = device_room(ROOM);
    for (size_t k = 0; k < (full ? sizeof all / sizeof *all : 8); k++) in_turn(&all[k], full ? 24 : 6);
    narrower(TALLY_F32, TALLY_BF16);
    narrower(TALLY_F64, TALLY_F32);
    device_close();
    return test_finish("device_skew");
}
