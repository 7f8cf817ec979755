/* SPDX-License-Identifier: MIT
 *
 * device_bytes.c - running minima, maxima and bits of bytes down columns, which kernels combine two at a time, give the
 * bits of the reference engine: columns that fill words and that do not, rows that are aligned and that are not,
 * matrices above each other, few rows of many columns, forward and backward, with and without the element, behind an
 * initial value, in place, and carried from one call to the next. TALLY_TEST_DEVICE   the device (simt) TALLY_TEST_FULL
 * all operators and types on each shape, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "device.h"

#include <string.h>

#define ROOM (1 << 21)
#define BESIDE 0xab /* in bytes that no result may reach */

static _Alignas(64) unsigned char room[ROOM], want[ROOM], got[ROOM];
static unsigned char *far, *far_out;
static char where_text[200];

struct shape {
    int64_t outer, rows, columns, pitch, offset;
};

struct what {
    tally_op op;
    tally_type type;
    uint32_t flags;
    int initial, in_place;
};

static tally_array shaped(const struct shape *s, tally_type type, unsigned char *memory)
{
    tally_array a = tally_matrix(memory + s->offset, type, s->rows, s->columns);
    a.rank = 3;
    a.shape[0] = s->outer, a.shape[1] = s->rows, a.shape[2] = s->columns;
    a.strides[0] = s->rows * s->pitch, a.strides[1] = s->pitch, a.strides[2] = 1;
    return a;
}

/* Bytes that spread from row to row in the scan's direction, so that extremes go on changing until they reach the
 * type's ends: of either sign, or, where these count as large, around the middle. */
static void fill(const struct what *w, const struct shape *s)
{
    memset(room, 0x5a, sizeof room);
    for (int64_t row = 0; row < s->outer * s->rows; row++) {
        int64_t at = w->flags & TALLY_REVERSE ? s->rows - 1 - row % s->rows : row % s->rows;
        int64_t spread = 1 + at * 300 / s->rows;
        for (int64_t column = 0; column < s->columns; column++) {
            int64_t v = (int64_t)test_random_below((uint64_t)spread) - spread / 2 + (column % 7 - 3) * 9;
            v = v < -128 ? -128 : v > 127 ? 127 : v;
            room[s->offset + row * s->pitch + column] = (unsigned char)(w->type == TALLY_U8 ? v + 128 : v);
        }
    }
}

static tally_options options_of(const struct what *w, const int32_t *axis, const unsigned char *initial)
{
    tally_options options = TALLY_OPTIONS_INIT;
    options.axes = axis, options.axis_count = 1;
    options.flags = w->flags;
    if (w->initial) options.initial = initial;
    return options;
}

static void say(const char *way, const struct what *w, const struct shape *s)
{
    snprintf(where_text, sizeof where_text, "%s %s of %s, flags %u%s%s, %lld x %lld x %lld, pitch %lld, offset %lld",
             way, tally_op_name(w->op), tally_type_name(w->type), w->flags, w->initial ? ", initial" : "",
             w->in_place ? ", in place" : "", (long long)s->outer, (long long)s->rows, (long long)s->columns,
             (long long)s->pitch, (long long)s->offset);
    test.section = where_text;
}

static void compare(const struct what *w, const struct shape *s)
{
    const int32_t axis = 1;
    const size_t bytes = (size_t)(s->offset + s->outer * s->rows * s->pitch) + 16;
    _Alignas(16) unsigned char initial[16] = {w->type == TALLY_U8 ? 131 : 3};
    tally_options options = options_of(w, &axis, initial);
    say("running", w, s);
    if (!CHECK(bytes <= ROOM)) return;
    fill(w, s);
    memset(want, BESIDE, bytes);
    if (w->in_place) memcpy(want, room, bytes);
    memcpy(got, want, bytes);
    tally_array x = shaped(s, w->type, room), out = shaped(s, w->type, want);
    CHECK(tally_scan(judge, w->op, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, far, room, bytes) == TALLY_OK);
    CHECK(tally_copy(device, far_out, got, bytes) == TALLY_OK);
    x = shaped(s, w->type, w->in_place ? far_out : far);
    out = shaped(s, w->type, far_out);
    if (!CHECK(tally_scan(device, w->op, &x, &out, &options) == TALLY_OK))
        fprintf(stderr, "    %s\n", tally_last_error());
    CHECK(tally_copy(device, got, far_out, bytes) == TALLY_OK);
    device_same(got, want, bytes, 1);
}

/* The same in two calls, of which the second gets what stands above each of its columns. */
static void carried(const struct what *w, const struct shape *s)
{
    const int32_t axis = 0;
    const int64_t first = s->rows / 3;
    _Alignas(16) unsigned char initial[16] = {w->type == TALLY_U8 ? 131 : 3};
    tally_options options = options_of(w, &axis, initial);
    tally_scan_carry *carry = NULL;
    tally_array x = tally_matrix(room, w->type, s->rows, s->columns), out = x;
    say("carried", w, s);
    fill(w, s);
    out.data = want;
    CHECK(tally_scan(judge, w->op, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, far, room, (size_t)(s->rows * s->columns)) == TALLY_OK);
    CHECK(tally_scan_carry_new(device, w->op, w->type, s->columns, &options, &carry) == TALLY_OK);
    for (int k = 0; k < 2; k++) {
        int64_t rows = k ? s->rows - first : first, above = k ? first : 0;
        int64_t from = (w->flags & TALLY_REVERSE ? s->rows - above - rows : above) * s->columns;
        x = tally_matrix(far + from, w->type, rows, s->columns);
        out = tally_matrix(far_out + from, w->type, rows, s->columns);
        CHECK(tally_scan_continue(carry, &x, &out, &options) == TALLY_OK);
    }
    CHECK(tally_copy(device, got, far_out, (size_t)(s->rows * s->columns)) == TALLY_OK);
    device_same(got, want, (size_t)(s->rows * s->columns), 1);
    tally_scan_carry_free(carry);
}

int main(void)
{
    static const struct shape shapes[] = {
        {1, 9000, 1, 1, 0},       {1, 9000, 3, 3, 0},       {1, 9000, 4, 4, 0},       {1, 3000, 31, 31, 0},
        {1, 3000, 100, 100, 0},   {1, 3000, 127, 127, 0},   {1, 1000, 1000, 1000, 0}, {1, 1000, 1023, 1023, 0},
        {1, 2000, 64, 80, 16},    {1, 1500, 130, 131, 3},   {3, 600, 130, 136, 8},    {2, 900, 132, 132, 0},
        {1, 40, 16384, 16384, 0}, {1, 11, 50000, 50000, 0}, {1, 7, 49152, 49156, 4},
    };
    static const tally_op ops[] = {TALLY_MAX, TALLY_MIN,     TALLY_BIT_XOR, TALLY_MIN,
                                   TALLY_MAX, TALLY_BIT_AND, TALLY_BIT_OR};
    static const uint32_t flags[] = {0, TALLY_REVERSE | TALLY_EXCLUSIVE, TALLY_EXCLUSIVE, TALLY_REVERSE};
    const int simulated = device_simulated(), full = device_full();
    if (simulated) setenv("TALLY_SIMT_SHARED", DEVICE_H100_SHARED, 0);
    if (!device_open("reference")) return test_left_out("device_bytes", tally_last_error());
    far = device_room(ROOM), far_out = device_room(ROOM);
    unsigned turn = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        for (unsigned k = 0; k < (full ? 14 : 3); k++, turn++) {
            struct what w = {ops[turn % 7], turn / 7 % 2 ? TALLY_U8 : TALLY_I8, flags[(turn + turn / 4) % 4],
                             turn % 3 == 0, turn % 5 == 0};
            compare(&w, &shapes[i]);
        }
        struct what w = {ops[i % 7], i % 2 ? TALLY_I8 : TALLY_U8, flags[i % 4], i % 3 == 1, 0};
        if (shapes[i].outer == 1 && shapes[i].pitch == shapes[i].columns) carried(&w, &shapes[i]);
    }
    device_close();
    return test_finish("device_bytes");
}
