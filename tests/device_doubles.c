/* SPDX-License-Identifier: MIT
 *
 * device_doubles.c - running sums of doubles have the bits of the reference engine wherever they lie: near each other,
 * over more binades than bins hold, than pairs do, than words do; down columns, along rows, of one vector, carried from
 * chunk to chunk.
 *   TALLY_TEST_DEVICE   the device (simt)
 *   TALLY_TEST_FULL     all combinations, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "device_scans.h"

/* ---- in bands of rows ---- */

/* Doubles in bands of rows: near each other, over 30 to 45 binades, over more, so large that sums are as good as too
 * large for bins, halves of last places of 1 with the smallest number, which decides, and such numbers alone. Every
 * other row takes back the one above it, but for those of some columns' first two bands. */
static double double_of_band(int64_t band, int64_t row, int64_t column)
{
    static const double near_one[] = {1, 0x1p-53, 0x1.8p-52, 0x1p-1074, 0x1p-105, 0x1.0000000000001p0};
    const double some = 1 + (double)test_random_below(1 << 20) * 0x1p-20 + (double)test_random_below(2) * 0x1p-52;
    switch (band % 6) {
    case 0: return ldexp(some, -(int)test_random_below(9));
    case 1: return ldexp(some, -(int)test_random_below(30 + (uint64_t)column % 16));
    case 2: return ldexp(some, (int)test_random_below(120) - 60);
    case 3: return ldexp(some, 880 + (int)(row % 32));
    case 4: return near_one[test_random_below(6)];
    default: return ldexp(1 + (double)test_random_below(3), -1074);
    }
}

static void banded(int64_t columns)
{
    enum { BAND = 150 };
    const struct shape s = {1, (device_full() ? 1 << 19 : 1 << 16) / columns, columns, columns, 0};
    struct what w = {TALLY_SUM, TALLY_F64, TALLY_DEFAULT_TYPE, 0, 0, 0};
    double v = 0;
    for (int64_t column = 0; column < columns; column++) {
        for (int64_t row = 0; row < s.rows; row++) {
            const int64_t band = (row + 7 * column) / BAND;
            const int stays = column % 3 == 0 && band % 6 < 2;
            v = row % 2 && !stays ? -v : double_of_band(band, row, column);
            data_put_real(TALLY_F64, room, row * columns + column, v);
        }
    }
    compare(&w, &s);
    w.flags = TALLY_EXCLUSIVE;
    w.in_place = 1;
    compare(&w, &s);
}

/* Numbers that go again in the next row, until three of a column come, below all else: two whose sum is a tie, and the
 * smallest number of either sign, which decides. */
static void decided(int64_t columns)
{
    const struct shape s = {1, (1 << 19) / columns, columns, columns, 0};
    struct what w = {TALLY_SUM, TALLY_F64, TALLY_DEFAULT_TYPE, 0, 0, 0};
    for (int64_t i = 0; i < elements_of(&s); i++) data_put_real(TALLY_F64, room, i, i / columns % 2 ? -0.125 : 0.125);
    for (int64_t column = 0; column < columns; column++) {
        const int64_t first = (s.rows - 4 - column % 20) / 2 * 2;
        const int is_odd = (int)(column % 2);
        const double numbers[] = {is_odd ? 1 + 0x1p-52 : 1, 0x1p-20 + 0x1p-53, is_odd ? -0x1p-1074 : 0x1p-1074, 0};
        for (int64_t k = 0; k < 4; k++) data_put_real(TALLY_F64, room, (first + k) * columns + column, numbers[k]);
    }
    compare(&w, &s);
    w.in_place = 1;
    compare(&w, &s);
}

/* ---- that no words hold ---- */

/* What a column has, of these kinds in turn: numbers of any size; large ones that go again, with others between them;
 * halves of last places, which the smallest number decides; numbers that fill a digit of running_digits.cuh, or begin
 * the next; what stands for absent values; sums that leave the range of doubles, and come back. */
static double double_of_kind(int64_t kind, int64_t row)
{
    const double sign = test_random_below(2) ? 1 : -1, some = 1 + (double)test_random_below(1 << 30) * 0x1p-30;
    const int border = 64 * (int)test_random_below(30) - 1024; /* between two digits */
    switch (kind % 6) {
    case 0: return sign * ldexp(some, (int)test_random_below(2000) - 1060);
    case 1: return row % 5 == 0 ? 0x1p1000 : row % 5 == 4 ? -0x1p1000 : sign * ldexp(some, (int)(row % 5) * 400 - 900);
    case 2: return row % 3 == 0 ? sign * 0x1p500 : row % 3 == 1 ? sign * 0x1p447 : sign * 0x1p-900;
    case 3: return sign * (row % 2 ? ldexp(0x1.fffffffffffffp0, border - 1) : ldexp(1, border - (int)(row % 4)));
    case 4: return row % 7 == 0 ? 0x1.dp122 : row % 7 == 3 ? -0x1.fp1000 : row % 7 == 4 ? 0x1.fp1000 : sign * some;
    default: return row % 4 == 3 ? 0x1p-1074 : row / 8 % 2 ? -0x1.fffffffffffffp1023 : 0x1.fffffffffffffp1023;
    }
}

/* Numbers of an array of doubles, or of the parts of one of complex numbers: of a kind for each cell, of which every
 * fourth has something that is no number. */
static void fill_wide(tally_type type, const struct shape *s, int32_t axis)
{
    static const double none[] = {(double)INFINITY, -(double)INFINITY, (double)NAN};
    const int64_t parts = type == TALLY_C128 ? 2 : 1, length = axis == 1 ? s->rows : s->columns;
    for (int64_t i = 0; i < elements_of(s) * parts; i++) {
        const int64_t place = i / parts - s->offset, column = place % s->pitch, row = place / s->pitch;
        const int64_t cell = axis == 1 ? column : row, at = axis == 1 ? row : column;
        data_put_real(TALLY_F64, room, i, double_of_kind(cell + i % parts, at));
        if (cell % 4 == 3 && at == length / 3 + cell % 7) data_put_real(TALLY_F64, room, i, none[cell / 4 % 3]);
    }
}

static void wide_along(int32_t axis, tally_type type, const struct shape *s)
{
    static unsigned turn;
    static const uint32_t flags[] = {0, TALLY_EXCLUSIVE, TALLY_REVERSE, TALLY_SKIP_NAN};
    struct what w = {TALLY_SUM, type, TALLY_DEFAULT_TYPE, flags[turn % 4], turn / 2 % 2 == 1, 0};
    turn++;
    fill_wide(type, s, axis);
    compare_along(axis, &w, s);
    w.in_place = 1;
    compare_along(axis, &w, s);
}

/* Several ways from scans to segments: few cells, cells that are as many as threads, rows that are short. */
static void wide(tally_type type)
{
    const int64_t most = device_full() ? 1 << 18 : 1 << 14;
    const struct shape shapes[] = {{1, most / 8, 8, 8, 0},           {1, 900, 9, 12, 2},
                                   {1, most / 67, 67, 71, 1},        {3, most / 600, 200, 200, 0},
                                   {1, 40, most / 40, most / 40, 0}, {1, 7, most / 7, most / 7 + 2, 3}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        wide_along(1, type, &shapes[i]);
        wide_along(2, type, &shapes[i]);
    }
}

/* What comes before a chunk is as wide as what is in it. */
static void wide_in_chunks(int64_t columns, uint32_t flags)
{
    const struct shape s = {1, 2600, columns, columns, 0};
    fill_wide(TALLY_F64, &s, 1);
    in_chunks(TALLY_F64, s.rows, 300, columns, flags);
}

int main(void)
{
    int simulated = device_simulated(), full = device_full();
    if (simulated) setenv("TALLY_SIMT_SHARED", DEVICE_H100_SHARED, 0);
    if (!device_open("reference")) return test_left_out("device_doubles", tally_last_error());
    far = device_room(ROOM), far_out = device_room(ROOM);
    banded(64);
    banded(full ? 1000 : 100);
    decided(64);
    decided(full ? 1000 : 100);
    wide(TALLY_F64);
    wide(TALLY_C128);
    for (uint32_t k = 0; k < 4; k++) wide_in_chunks(k & 1 ? 1 : 6, k & 2 ? TALLY_REVERSE : 0);
    device_stop();
    if (simulated) setenv("TALLY_SIMT_PROCESSORS", "26", 1);
    CHECK(device_start());
    far = device_room(ROOM), far_out = device_room(ROOM);
    for (int64_t columns = 2; columns < 33; columns += full ? 15 : 29) {
        banded(columns);
        decided(columns);
    }
    device_close();
    return test_finish("device_doubles");
}
