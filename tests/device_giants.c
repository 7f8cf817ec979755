/* SPDX-License-Identifier: MIT
 *
 * device_giants.c - running sums along rows in which a few numbers are far above all others, as those that stand for
 * absent ones, have the bits of the reference engine: whatever the sums of the few are, and whichever way the others
 * decide.
 *   TALLY_TEST_DEVICE   the device (simt)
 *   TALLY_TEST_FULL     all combinations, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "device_scans.h"

enum { KINDS = 15 };

/* A third of an array's rows are alike, as a tile has several. */
static int64_t rows_of_kind;

static int64_t kind_of(int64_t row)
{
    return row / rows_of_kind % KINDS;
}

/* Of a number's fraction. */
static int bits_of(tally_type type)
{
    return type == TALLY_F64 ? 52 : type == TALLY_F32 ? 23 : 7;
}

/* A number of the type with all of its bits, times 2^exponent. */
static double some_number(tally_type type, int exponent)
{
    const int bits = bits_of(type);
    return ldexp(1 + (double)test_random_below((uint64_t)1 << bits) * ldexp(1, -bits), exponent);
}

/* Rows of one kind each: the largest number again and again; of either sign, with all their bits, whose sums are often
 * the middle between two; that cancel each other; that get larger along the row, and smaller; so large that their sums
 * are infinite; that are not far enough from the others; not all of which lie near each other; one at most; some behind
 * each other; that change their size, and then come no more; beside the smallest numbers; whose sums are so much
 * smaller that others matter; or the middle between two to the end; as large as giants may be. */
static double giant_of_kind(tally_type type, int64_t kind, int64_t row, int64_t at)
{
    const double sign = test_random_below(2) ? 1 : -1;
    const int wide = type == TALLY_F64, top = wide ? 900 : 120, high = (int)(at * (wide ? 700 : 60) / (at + 3000));
    switch (kind) {
    case 0: return 0x1.ep122;
    case 1: return sign * some_number(type, 100 + (int)test_random_below(6));
    case 2: return (at / 64 % 2 ? 1 : -1) * (0x1p100 + ldexp((double)(at / 128 % 3), 96));
    case 3: return sign * some_number(type, 60 + high);
    case 4: return sign * some_number(type, top - high);
    case 5: return wide ? 0x1.fffffffffffffp1023 : 0x1.fep127;
    case 6: return sign * some_number(type, wide ? 60 : 30);
    case 7: return sign * some_number(type, 70 + (int)test_random_below(40));
    case 8: return at / 64 == 3 ? (row % 2 ? 1 : -1) * 0x1p90 : 0;
    case 9: return 0x1.ep122;
    case 10: return at < 300 ? sign * 0x1p40 : at < 1500 ? 0x1.8p100 : at < 2000 ? some_number(type, 110) : 1;
    case 11: return sign * some_number(type, wide ? -960 : -100);
    case 12: return (at / 64 % 2 ? 1 : -1) * (0x1p60 + ldexp((double)(at / 64 % 5), 40));
    case 13: return at >= 192 ? 0 : at / 64 == 1 ? 0x1p100 + ldexp(1, 100 - bits_of(type)) : 0x1p100;
    default:
        return sign * some_number(type, wide ? 955 + (int)test_random_below(30) : 118 + (int)test_random_below(10));
    }
}

/* In one of 64 places, in every other row's first one, too, and in some more of some rows; and stretches of them. */
static int is_giant(int64_t row, int64_t at)
{
    if (kind_of(row) == 9 && at / 700 % 3 == row % 3) return 1;
    return at % 64 == row % 64 || (at == 0 && row % 2) || (row % 5 == 4 && at % 64 < 3);
}

/* Others: of either sign, of one, or such that go again in the next place, and so sum up to nothing. */
static double other_of_row(tally_type type, int64_t row, int64_t at, double before)
{
    const int smallest = type == TALLY_F64 ? -1070 : -135;
    const int64_t kind = kind_of(row);
    const int lowest = kind == 11 ? smallest : kind == 12 ? 18 : 0;
    const double x = some_number(type, lowest - (int)test_random_below(kind == 12 ? 60 : 8));
    switch (row % 4) {
    case 0: return test_random_below(2) ? x : -x;
    case 1: return x;
    case 2: return -x;
    default: return at % 2 ? -before : x;
    }
}

/* Rows of each kind from one on, some of them with infinities and NaN. */
static void fill_giants(tally_type type, const struct shape *s, int64_t first)
{
    static const double none[] = {(double)INFINITY, -(double)INFINITY, (double)NAN};
    double x = 0;
    for (int64_t i = 0; i < elements_of(s); i++) {
        const int64_t place = i - s->offset, row = first + place / s->pitch, at = place % s->pitch;
        x = other_of_row(type, row, at, x);
        data_put_real(type, room, i, is_giant(row, at) ? giant_of_kind(type, kind_of(row), row, at) : x);
        if (row % 11 == 10 && at == s->columns * 2 / 3) data_put_real(type, room, i, none[row / 11 % 3]);
    }
}

/* Each call has three kinds of rows, all of them all. */
static void giants(tally_type type, tally_type result, const struct shape *s, int64_t number)
{
    static const struct what calls[] = {
        {.flags = 0},
        {.flags = TALLY_EXCLUSIVE, .initial = 1},
        {.flags = TALLY_REVERSE, .in_place = 1},
        {.flags = TALLY_SKIP_NAN},
        {.flags = TALLY_EXCLUSIVE | TALLY_REVERSE},
        {.flags = 0}, /* masked */
    };
    rows_of_kind = s->rows < 3 ? 1 : s->rows / 3;
    for (int64_t k = 0; k < (int64_t)(sizeof calls / sizeof *calls); k++) {
        struct what w = calls[k];
        w.op = TALLY_SUM, w.type = type, w.result = result;
        w.in_place = w.in_place && result == TALLY_DEFAULT_TYPE;
        if (!test_in_part(6 * number + k)) continue;
        fill_giants(type, s, (6 * number + k) * 3 * rows_of_kind);
        compare_always(2, &w, s, k == 5);
    }
}

int main(void)
{
    static const int64_t lengths[] = {8, 64, 100, 1000, 4096, 7, 129, 20001};
    static const struct {
        tally_type type, result;
        unsigned lengths; /* a bit for each, unless all are asked for */
    } types[] = {{TALLY_F32, TALLY_DEFAULT_TYPE, 0x59},  {TALLY_F64, TALLY_DEFAULT_TYPE, 0x9a},
                 {TALLY_BF16, TALLY_DEFAULT_TYPE, 0x32}, {TALLY_F32, TALLY_F64, 0x02},
                 {TALLY_BF16, TALLY_F32, 0x10},          {TALLY_F32, TALLY_BF16, 0x02}};
    const int full = device_full();
    int64_t number = 0;
    if (device_simulated()) setenv("TALLY_SIMT_SHARED", DEVICE_H100_SHARED, 0), setenv("TALLY_SIMT_PROCESSORS", "1", 0);
    if (!device_open("reference")) return test_left_out("device_giants", tally_last_error());
    far = device_room(ROOM), far_out = device_room(ROOM), far_mask = device_room(ROOM);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++) {
            const int64_t rows = (full ? 1 << 18 : 1 << 17) / lengths[n];
            const struct shape s = {1, rows, lengths[n], lengths[n] + (n % 3 == 2 ? 4 : 0), n % 3 == 2};
            if (!full && !(types[t].lengths >> n & 1)) continue;
            giants(types[t].type, types[t].result, &s, number++);
        }
    }
    device_close();
    return test_finish("device_giants");
}
