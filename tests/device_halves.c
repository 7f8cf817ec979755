/* SPDX-License-Identifier: MIT
 *
 * device_halves.c - running minima and maxima of 2-byte elements, and bits of integers, which kernels combine two at a
 * time, give the bits of the reference engine: NaNs of any sign and payload, zeros of both signs, subnormal numbers and
 * infinities among them; down columns, in the shapes and ways of device_bytes.c, and along rows and whole arrays.
 *   TALLY_TEST_DEVICE   the device (simt)
 *   TALLY_TEST_FULL     all operators and types on each shape, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "narrow_scans.h"

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
    uint16_t *x = (uint16_t *)(void *)room;
    memset(room, 0x5a, sizeof room);
    for (int64_t row = 0; row < s->outer * s->rows; row++) {
        for (int64_t column = 0; column < s->columns; column++) {
            int64_t at = in_scan_order(w, s->along ? column : row % s->rows, length), beside = s->along ? row : column;
            x[s->offset + row * s->pitch + column] =
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
    const int full = device_full();
    if (!open_for_scans()) return test_left_out("device_halves", tally_last_error());
    unsigned turn = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        for (unsigned k = 0; k < (full ? 2 * CASES : shapes[i].along ? 6 : 4); k++, turn++) {
            struct what w = {cases[turn % CASES].op, cases[turn % CASES].type, flags[(turn + turn / 4) % 4],
                             turn % 3 == 0 ? 1 + (int)(turn / 3 % 2) : 0, turn % 5 == 0};
            if (is_float(w.type) && turn % 7 == 3) w.flags |= TALLY_SKIP_NAN;
            if (test_in_part(turn)) compare(&w, &shapes[i]);
        }
        struct what w = {cases[i % CASES].op, cases[i % CASES].type, flags[i % 4], i % 3 == 1, 0};
        if (test_in_part((int64_t)i) && shapes[i].outer == 1 && shapes[i].pitch == shapes[i].columns)
            carried(&w, &shapes[i]);
    }
    device_close();
    return test_finish("device_halves");
}
