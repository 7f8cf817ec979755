/* SPDX-License-Identifier: MIT
 *
 * device_bytes.c - running minima, maxima and bits of bytes down columns, which kernels combine two at a time, give the
 * bits of the reference engine: columns that fill words and that do not, rows that are aligned and that are not,
 * matrices above each other, few rows of many columns, forward and backward, with and without the element, behind an
 * initial value, in place, and carried from one call to the next.
 *   TALLY_TEST_DEVICE   the device (simt)
 *   TALLY_TEST_FULL     all operators and types on each shape, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "narrow_scans.h"

/* Bytes that spread from row to row in the scan's direction, so that extremes go on changing until they reach the
 * type's ends: of either sign, or, where these count as large, around the middle. */
static void fill(const struct what *w, const struct shape *s)
{
    memset(room, 0x5a, sizeof room);
    for (int64_t row = 0; row < s->outer * s->rows; row++) {
        int64_t at = in_scan_order(w, row % s->rows, s->rows);
        int64_t spread = 1 + at * 300 / s->rows;
        for (int64_t column = 0; column < s->columns; column++) {
            int64_t v = (int64_t)test_random_below((uint64_t)spread) - spread / 2 + (column % 7 - 3) * 9;
            v = v < -128 ? -128 : v > 127 ? 127 : v;
            room[s->offset + row * s->pitch + column] = (unsigned char)(w->type == TALLY_U8 ? v + 128 : v);
        }
    }
}

static uint16_t initial_of(const struct what *w)
{
    return w->type == TALLY_U8 ? 131 : 3;
}

int main(void)
{
    static const struct shape shapes[] = {
        {1, 9000, 1, 1, 0, 0},       {1, 9000, 3, 3, 0, 0},       {1, 9000, 4, 4, 0, 0},
        {1, 3000, 31, 31, 0, 0},     {1, 3000, 100, 100, 0, 0},   {1, 3000, 127, 127, 0, 0},
        {1, 1000, 1000, 1000, 0, 0}, {1, 1000, 1023, 1023, 0, 0}, {1, 2000, 64, 80, 16, 0},
        {1, 1500, 130, 131, 3, 0},   {3, 600, 130, 136, 8, 0},    {2, 900, 132, 132, 0, 0},
        {1, 40, 16384, 16384, 0, 0}, {1, 11, 50000, 50000, 0, 0}, {1, 7, 49152, 49156, 4, 0},
    };
    static const tally_op ops[] = {TALLY_MAX, TALLY_MIN,     TALLY_BIT_XOR, TALLY_MIN,
                                   TALLY_MAX, TALLY_BIT_AND, TALLY_BIT_OR};
    static const uint32_t flags[] = {0, TALLY_REVERSE | TALLY_EXCLUSIVE, TALLY_EXCLUSIVE, TALLY_REVERSE};
    const int full = device_full();
    if (!open_for_scans()) return test_left_out("device_bytes", tally_last_error());
    unsigned turn = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        for (unsigned k = 0; k < (full ? 14 : 3); k++, turn++) {
            struct what w = {ops[turn % 7], turn / 7 % 2 ? TALLY_U8 : TALLY_I8, flags[(turn + turn / 4) % 4],
                             turn % 3 == 0, turn % 5 == 0};
            if (test_in_part(turn)) compare(&w, &shapes[i]);
        }
        struct what w = {ops[i % 7], i % 2 ? TALLY_I8 : TALLY_U8, flags[i % 4], i % 3 == 1, 0};
        if (test_in_part((int64_t)i) && shapes[i].outer == 1 && shapes[i].pitch == shapes[i].columns)
            carried(&w, &shapes[i]);
    }
    device_close();
    return test_finish("device_bytes");
}
