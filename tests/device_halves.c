/* SPDX-License-Identifier: MIT
 *
 * device_halves.c - running minima and maxima of 2-byte elements, and bits of integers, which kernels combine two at a
 * time, give the bits of the reference engine: NaNs of any sign and payload, zeros of both signs, subnormal numbers and
 * infinities among them; down columns, in the shapes and ways of device_bytes.c, and along rows and whole arrays.
 *   TALLY_TEST_DEVICE   the device (simt)
 *   TALLY_TEST_FULL     all operators and types on each shape, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "device.h"

#include <string.h>

#define ROOM (1 << 21)
#define BESIDE 0xab /* in bytes that no result may reach */

static _Alignas(64) uint16_t room[ROOM / 2], want[ROOM / 2], got[ROOM / 2];
static uint16_t *far, *far_out;
static char where_text[200];

struct shape { /* in elements */
    int64_t outer, rows, columns, pitch, offset;
    int along; /* scans go along rows */
};

struct what {
    tally_op op;
    tally_type type;
    uint32_t flags;
    int initial, in_place;
};

static tally_array shaped(const struct shape *s, tally_type type, uint16_t *memory)
{
    tally_array a = tally_matrix(memory + s->offset, type, s->rows, s->columns);
    a.rank = 3;
    a.shape[0] = s->outer, a.shape[1] = s->rows, a.shape[2] = s->columns;
    a.strides[0] = s->rows * s->pitch, a.strides[1] = s->pitch, a.strides[2] = 1;
    return a;
}

static int is_float(tally_type type)
{
    return type == TALLY_F16 || type == TALLY_BF16;
}

/* An integer of a range that spreads with the rows, so that extremes go on changing until they reach the type's ends:
 * of either sign, or, where these count as large, around the middle. */
static uint16_t integer_at(const struct what *w, int64_t at, int64_t rows, int64_t column)
{
    int64_t spread = 1 + at * 70000 / rows;
    int64_t v = (int64_t)test_random_below((uint64_t)spread) - spread / 2 + (column % 7 - 3) * 999;
    v = v < -32768 ? -32768 : v > 32767 ? 32767 : v;
    return (uint16_t)(w->type == TALLY_U16 ? v + 32768 : v);
}

/* Numbers of either sign whose sizes spread from zero to infinity; in some columns those of the lesser sign, from
 * infinity to zero; in a few NaN, late. */
static uint16_t float_at(const struct what *w, int64_t at, int64_t rows, int64_t column)
{
    uint16_t infinity = w->type == TALLY_F16 ? 0x7c00 : 0x7f80, sign = test_random_below(2) ? 0x8000 : 0;
    int64_t spread = at * infinity / rows;
    if (column % 5 == 2 && 2 * at > rows && test_random_below((uint64_t)rows) < 2)
        return (uint16_t)(sign | (infinity + 1 + test_random_below(0x7fffu - infinity)));
    if (column % 3 == 1) {
        sign = w->op == TALLY_MAX ? 0x8000 : 0;
        spread = infinity - spread;
    }
    return (uint16_t)(sign | test_random_below((uint64_t)spread + 2));
}

static void fill(const struct what *w, const struct shape *s)
{
    int64_t length = s->along ? s->columns : s->rows;
    memset(room, 0x5a, sizeof room);
    for (int64_t row = 0; row < s->outer * s->rows; row++) {
        for (int64_t column = 0; column < s->columns; column++) {
            int64_t at = s->along ? column : row % s->rows, beside = s->along ? row : column;
            if (w->flags & TALLY_REVERSE) at = length - 1 - at;
            room[s->offset + row * s->pitch + column] =
                is_float(w->type) ? float_at(w, at, length, beside) : integer_at(w, at, length, beside);
        }
    }
}

/* A small number, or -0. */
static uint16_t initial_of(const struct what *w)
{
    if (!is_float(w->type)) return w->type == TALLY_U16 ? 32771 : 3;
    return w->initial > 1 ? 0x8000 : w->type == TALLY_F16 ? 0x4200 : 0x4040;
}

static tally_options options_of(const struct what *w, const int32_t *axis, const uint16_t *initial)
{
    tally_options options = TALLY_OPTIONS_INIT;
    options.axes = axis, options.axis_count = 1;
    options.flags = w->flags;
    if (w->initial) options.initial = initial;
    return options;
}

static void say(const char *way, const struct what *w, const struct shape *s)
{
    snprintf(where_text, sizeof where_text,
             "%s %s%s of %s, flags %u%s%s%s, %lld x %lld x %lld, pitch %lld, offset %lld", way, tally_op_name(w->op),
             s->along ? " along rows" : "", tally_type_name(w->type), w->flags, w->initial ? ", initial" : "",
             w->initial > 1 ? " -0" : "", w->in_place ? ", in place" : "", (long long)s->outer, (long long)s->rows,
             (long long)s->columns, (long long)s->pitch, (long long)s->offset);
    test.section = where_text;
}

static void compare(const struct what *w, const struct shape *s)
{
    const int32_t axis = s->along ? 2 : 1;
    const size_t bytes = (size_t)(s->offset + s->outer * s->rows * s->pitch) * 2 + 16;
    _Alignas(16) uint16_t initial[8] = {initial_of(w)};
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
    device_same((unsigned char *)got, (unsigned char *)want, bytes, 2);
}

/* The same in two calls, of which the second gets what stands before each of its cells. */
static void carried(const struct what *w, const struct shape *s)
{
    const int32_t axis = s->along;
    const int64_t length = s->along ? s->columns : s->rows, step = s->along ? 1 : s->columns, first = length / 3;
    const size_t bytes = (size_t)(2 * s->rows * s->columns);
    _Alignas(16) uint16_t initial[8] = {initial_of(w)};
    tally_options options = options_of(w, &axis, initial);
    tally_scan_carry *carry = NULL;
    tally_array x = tally_matrix(room, w->type, s->rows, s->columns), out = x;
    say("carried", w, s);
    fill(w, s);
    out.data = want;
    CHECK(tally_scan(judge, w->op, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, far, room, bytes) == TALLY_OK);
    CHECK(tally_scan_carry_new(device, w->op, w->type, s->along ? s->rows : s->columns, &options, &carry) == TALLY_OK);
    for (int k = 0; k < 2; k++) {
        int64_t count = k ? length - first : first, before = k ? first : 0;
        int64_t from = (w->flags & TALLY_REVERSE ? length - before - count : before) * step;
        x.shape[s->along] = out.shape[s->along] = count;
        x.data = far + from;
        out.data = far_out + from;
        CHECK(tally_scan_continue(carry, &x, &out, &options) == TALLY_OK);
    }
    CHECK(tally_copy(device, got, far_out, bytes) == TALLY_OK);
    device_same((unsigned char *)got, (unsigned char *)want, bytes, 2);
    tally_scan_carry_free(carry);
}

int main(void)
{
    static const struct shape shapes[] = {
        {1, 9000, 1, 1, 0, 0},        {1, 9000, 2, 2, 0, 0},       {1, 9000, 3, 3, 0, 0},
        {1, 3000, 31, 31, 0, 0},      {1, 3000, 100, 100, 0, 0},   {1, 1000, 127, 127, 0, 0},
        {1, 600, 1000, 1000, 0, 0},   {1, 500, 1023, 1023, 0, 0},  {1, 2000, 64, 80, 16, 0},
        {1, 1500, 130, 131, 3, 0},    {3, 600, 130, 136, 8, 0},    {2, 900, 132, 132, 0, 0},
        {1, 40, 8192, 8192, 0, 0},    {1, 11, 50000, 50000, 0, 0}, {1, 7, 49152, 49154, 2, 0},
        {1, 1, 900000, 900000, 0, 1}, {1, 1, 60000, 60000, 5, 1},  {1, 900, 1000, 1000, 0, 1},
        {1, 9000, 7, 7, 0, 1},        {1, 4000, 57, 57, 0, 1},     {1, 90, 4001, 4001, 3, 1},
        {1, 3000, 112, 120, 8, 1},    {3, 300, 224, 230, 1, 1},
    };
    static const struct {
        tally_op op;
        tally_type type;
    } cases[] = {
        {TALLY_MAX, TALLY_F16},     {TALLY_MIN, TALLY_BF16},   {TALLY_MIN, TALLY_I16},     {TALLY_MAX, TALLY_BF16},
        {TALLY_MIN, TALLY_F16},     {TALLY_MAX, TALLY_U16},    {TALLY_BIT_XOR, TALLY_U16}, {TALLY_MAX, TALLY_I16},
        {TALLY_BIT_AND, TALLY_I16}, {TALLY_BIT_OR, TALLY_U16}, {TALLY_MIN, TALLY_U16},
    };
    enum { CASES = sizeof cases / sizeof *cases };
    static const uint32_t flags[] = {0, TALLY_REVERSE | TALLY_EXCLUSIVE, TALLY_EXCLUSIVE, TALLY_REVERSE};
    const int simulated = device_simulated(), full = device_full();
    if (simulated) setenv("TALLY_SIMT_SHARED", DEVICE_H100_SHARED, 0);
    if (!device_open("reference")) return test_left_out("device_halves", tally_last_error());
    far = (uint16_t *)device_room(ROOM), far_out = (uint16_t *)device_room(ROOM);
    unsigned turn = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        for (unsigned k = 0; k < (full ? 2 * CASES : shapes[i].along ? 6 : 4); k++, turn++) {
            struct what w = {cases[turn % CASES].op, cases[turn % CASES].type, flags[(turn + turn / 4) % 4],
                             turn % 3 == 0 ? 1 + (int)(turn / 3 % 2) : 0, turn % 5 == 0};
            if (is_float(w.type) && turn % 7 == 3) w.flags |= TALLY_SKIP_NAN;
            compare(&w, &shapes[i]);
        }
        struct what w = {cases[i % CASES].op, cases[i % CASES].type, flags[i % 4], i % 3 == 1, 0};
        if (shapes[i].outer == 1 && shapes[i].pitch == shapes[i].columns) carried(&w, &shapes[i]);
    }
    device_close();
    return test_finish("device_halves");
}
