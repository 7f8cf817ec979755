/* SPDX-License-Identifier: MIT
 *
 * device_columns.c - scans down columns that lie beside each other give the bits of the reference engine: every number
 * of columns around those of vectors and tiles, rows that are longer than the columns are many, axes in the middle, any
 * alignment, in place, forward and backward; exact sums of numbers that cancel, tie, lie far apart or are none, and of
 * every number of 2 bytes.
 *   TALLY_TEST_DEVICE   the device (simt)
 *   TALLY_TEST_FULL     all combinations, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "data.h"
#include "device_scans.h"
#include "tied_columns.h"

#include <string.h>

/* ---- numbers ---- */

/* Stretches of every kind of data; then neighbours in a column that cancel, and the smallest number among large ones.
 */
static void fill(tally_type type, int64_t n, int64_t pitch)
{
    size_t size = tally_type_size(type);
    for (int64_t i = 0; i < n;) {
        int64_t count = 1 + (int64_t)test_random_below(900), kind = (int64_t)test_random_below(DATA_KINDS + 4);
        if (count > n - i) count = n - i;
        /* Numbers that are none are everywhere afterwards: most columns had better have none. */
        if (kind == DATA_SPECIAL && test_random_below(16)) kind = DATA_ORDINARY;
        data_fill(type, kind < DATA_KINDS ? (enum data_kind)kind : DATA_ORDINARY, room + (size_t)i * size, count);
        for (int64_t k = 0; kind >= DATA_KINDS && k < count; k++) {
            unsigned char *here = room + (size_t)(i + k) * size;
            if (kind == DATA_KINDS && i + k >= pitch && (i + k) / pitch % 2) {
                memcpy(here, here - (size_t)pitch * size, size);
                here[size - 1] ^= 0x80;
            } else if (kind == DATA_KINDS + 1 && k % 13 == 5) {
                memset(here, 0, size);
                here[0] = 1;
            }
        }
        i += count;
    }
}

/* Numbers that need every way of summing in turn: halves of units that are ties, then far smaller ones. */
static void fill_ties(tally_type type, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double v = ldexp(1 + (double)test_random_below(4) * 0.25, (int)test_random_below(27));
        if (test_random_below(40) == 0) v = ldexp(-1, -120 - (int)test_random_below(20));
        if (test_random_below(200) == 0) v = ldexp(1, 100);
        if (test_random_below(200) == 0) v = -ldexp(1, 100);
        float single = (float)v;
        uint16_t half = data_half(v, type == TALLY_F16 ? 5 : 8);
        if (type == TALLY_F64) memcpy(room + 8 * i, &v, 8);
        else if (type == TALLY_F32) memcpy(room + 4 * i, &single, 4);
        else memcpy(room + 2 * i, &half, 2);
    }
}

static int is_float(tally_type type)
{
    return type == TALLY_F16 || type == TALLY_BF16 || type == TALLY_F32 || type == TALLY_F64;
}

/* Forward and backward, with and without the element, after something or nothing, to another place or the same: all in
 * turn, and for few columns together. */
static void in_turn(tally_op op, tally_type type, tally_type result, const struct shape *s)
{
    static const uint32_t flags[] = {0, TALLY_REVERSE, TALLY_EXCLUSIVE, TALLY_EXCLUSIVE | TALLY_REVERSE};
    static unsigned turn;
    struct what w = {op, type, result, flags[turn % 4], turn / 2 % 3 == 0, 0};
    turn++;
    compare(&w, s);
    w.in_place =
        result == TALLY_DEFAULT_TYPE && (op == TALLY_MAX || op == TALLY_MIN || op == TALLY_BIT_XOR || is_float(type));
    if (w.in_place && op != TALLY_ANY) compare(&w, s);
}

/* A matrix of so many rows and columns: dense, with room behind the rows, from an address that is no vector's, and
 * several above each other. */
static void matrices(tally_op op, tally_type type, tally_type result, int64_t rows, int64_t columns)
{
    int64_t offset = (int64_t)test_random_below(4);
    struct shape shapes[] = {{1, rows, columns, columns, 0},
                             {1, rows, columns, columns + 1 + (int64_t)test_random_below(40), offset},
                             {3, rows / 3 + 1, columns, columns, 0}};
    for (int i = 0; i < 3; i++) {
        const int64_t most = (ROOM / 16 - 8) / (shapes[i].outer * shapes[i].pitch); /* rows of any type */
        if (shapes[i].rows > most) shapes[i].rows = most;
        fill(type, elements_of(&shapes[i]), shapes[i].pitch);
        if (is_float(type) && test_random_below(3) == 0) fill_ties(type, elements_of(&shapes[i]));
        if (type == TALLY_F32 && op == TALLY_SUM && shapes[i].outer == 1 && rows > 40 && columns % 2)
            tied_columns_fill((float *)(void *)room + shapes[i].offset, shapes[i].rows, columns, shapes[i].pitch);
        in_turn(op, type, result, &shapes[i]);
    }
}

/* Sums that two doubles hold, do not hold, and hold again. */
static void parted(int64_t rows, int64_t columns)
{
    struct what w = {TALLY_SUM, TALLY_F32, TALLY_DEFAULT_TYPE, 0, 0, 0};
    struct shape s = {1, rows, columns, columns, 0};
    parted_columns_fill((float *)(void *)room, rows, columns, columns);
    compare(&w, &s);
}

/* Stores the number that has these bits, of a 2-byte float's. */
static void put_half(int64_t i, uint32_t bits)
{
    uint16_t half = (uint16_t)bits;
    memcpy(room + 2 * i, &half, sizeof half);
}

/* Every finite number of a 2-byte type once, the smallest first, and then those with a sign: down few columns, and in
 * two rows of many. */
static void every_half(tally_type type)
{
    const uint32_t finite = type == TALLY_F16 ? 0x7c00 : 0x7f80;
    struct what w = {TALLY_SUM, type, TALLY_DEFAULT_TYPE, 0, 0, 0};
    struct shape few = {1, 2 * finite / 64, 64, 64, 0}, many = {1, 2, finite, finite, 0};
    for (uint32_t k = 0; k < finite; k++) put_half(k, k), put_half(finite + k, 0x8000 | k);
    compare(&w, &few);
    w.flags = TALLY_REVERSE;
    compare(&w, &few);
    compare(&w, &many);
}

/* Numbers that are none among small ones: an infinity, two that cancel, and NaN, each in columns of its own. */
static void specials(tally_type type, const struct shape *s, uint32_t flags)
{
    const size_t size = tally_type_size(type);
    const uint32_t infinity = type == TALLY_F16 ? 0x7c00 : type == TALLY_F64 ? 0x7ff0 : 0x7f80;
    struct what w = {TALLY_SUM, type, TALLY_DEFAULT_TYPE, flags, 0, 0};
    data_fill(type, DATA_ORDINARY, room, s->rows * s->columns);
    for (int64_t column = 0; column < s->columns; column += 3) {
        int64_t row = (int64_t)test_random_below((uint64_t)s->rows - 1);
        const uint32_t upper[2] = {infinity | (uint32_t)(column % 4 == 3), infinity | 0x8000};
        for (int64_t k = 0; k < 1 + column % 2; k++) {
            unsigned char *here = room + (size_t)((row + k) * s->columns + column) * size;
            uint16_t half = (uint16_t)upper[k];
            memset(here, 0, size);
            memcpy(here + size - 2, &half, sizeof half);
        }
    }
    compare(&w, s);
}

/* In every column three numbers that lie far apart, of which the smallest stays: the others go soon, or far below. */
static void cancelling(tally_type type, const struct shape *s)
{
    const double large = type == TALLY_F64 ? 0x1p60 : 0x1p40, small = type == TALLY_F64 ? 0x1p-60 : 0x1p-20;
    struct what w = {TALLY_SUM, type, TALLY_DEFAULT_TYPE, 0, 0, 0};
    memset(room, 0, (size_t)(s->rows * s->columns) * tally_type_size(type));
    for (int64_t column = 0; column < s->columns; column++) {
        int64_t first = (int64_t)test_random_below((uint64_t)s->rows - 8),
                second = first + 3 + (int64_t)test_random_below(column % 2 ? 3 : (uint64_t)(s->rows - first - 4));
        const double numbers[] = {large, 1, small, -large, -1};
        for (int64_t k = 0; k < 5; k++)
            data_put_real(type, room, (k < 3 ? first + k : second + k - 3) * s->columns + column, numbers[k]);
    }
    compare(&w, s);
}

/* Sums beyond all numbers, of either sign. */
static void carried(tally_type type, int64_t columns, uint32_t flags)
{
    for (int64_t i = 0; i < 7 * columns; i++) data_put_real(type, room, i, i % columns % 2 ? 0x1.fcp127 : -0x1.fcp127);
    in_chunks(type, 7, 3, columns, flags);
}

/* Two doubles hold a sum, but not from its leading bits on; then one does, far below the numbers that come and go. */
static void carried_apart(int64_t columns)
{
    enum { ROWS = 60 };
    const double numbers[ROWS] = {0x1p100, 0x1p-40, -0x1p100, [50] = 0x1.8p20, [52] = -0x1.8p20};
    for (int64_t i = 0; i < ROWS * columns; i++) data_put_real(TALLY_F32, room, i, numbers[i / columns]);
    in_chunks(TALLY_F32, ROWS, 2, columns, 0);
}

/* Numbers over so many binades, which cancel in every 16 rows but for the first one of a column, far below them; in
 * every third column ties, beside which come and go numbers that decide. */
static void binades(tally_type type, const struct shape *s, int count, uint32_t flags)
{
    struct what w = {TALLY_SUM, type, TALLY_DEFAULT_TYPE, flags, 0, 0};
    const size_t size = tally_type_size(type), back = 8 * size * (size_t)s->columns;
    const int bits = type == TALLY_BF16 ? 8 : 24;
    for (int64_t i = 0; i < s->rows * s->columns; i++) {
        int64_t row = i / s->columns;
        unsigned char *here = room + (size_t)i * size;
        int is_tied = i % s->columns % 3 == 0, sign = test_random_below(2) ? 1 : -1;
        double v = sign * ldexp(1 + (double)test_random_below(4) * 0.25, (int)test_random_below((uint64_t)count));
        if (is_tied) v = row == 1 ? 1 : ldexp(sign, -30 - (int)test_random_below((uint64_t)count / 2));
        if (row == 0) v = ldexp(1, is_tied ? bits : -25);
        data_put_real(type, room, i, v);
        if (row < 2 || (row - 2) % 16 < 8) continue;
        memcpy(here, here - back, size);
        here[size - 1] ^= 0x80;
    }
    compare(&w, s);
    w.in_place = 1;
    compare(&w, s);
}

static void hard_numbers(tally_type type)
{
    const struct shape shapes[] = {{1, 700, 64, 64, 0}, {1, 700, 31, 31, 0}, {1, 34, 4096, 4096, 0}};
    if (type == TALLY_F16 || type == TALLY_BF16) every_half(type);
    for (int i = 0; i < 3; i++) {
        specials(type, &shapes[i], 0);
        specials(type, &shapes[i], TALLY_SKIP_NAN);
        if (type != TALLY_F16) cancelling(type, &shapes[i]);
        for (int k = 40; k <= 100 && (type == TALLY_BF16 || type == TALLY_F32); k += 20)
            binades(type, &shapes[i], k, k % 40 ? TALLY_EXCLUSIVE : 0);
    }
}

/* Chunks of which many lie above each other, and whose totals are looked through in totals of one double each; sums of
 * some are none, and totals of few. */
static void looked_through(tally_type type, int64_t columns)
{
    const struct shape s = {1, (device_full() ? 1 << 19 : 1 << 16) / columns, columns, columns, 0};
    const struct what w = {TALLY_SUM, type, TALLY_DEFAULT_TYPE, 0, 0, 0};
    const double values[] = {0x1p40, 0x1p-21, -0x1p39, 0x1p-20, -0x1p39, 1};
    fill(type, elements_of(&s), columns);
    compare(&w, &s);
    if (type == TALLY_F16) return;
    memset(room, 0, (size_t)elements_of(&s) * tally_type_size(type));
    for (int64_t i = 0; i < elements_of(&s); i += 1 + i % 3)
        if (i / columns % 97 == 5) data_put_real(type, room, i, values[i / columns / 97 % 6]);
    compare(&w, &s);
    specials(type, &s, 0);
    binades(type, &s, 40, 0);
    binades(type, &s, 100, 0);
}

/* Bytes down so many columns that a thread has one of them. */
static void lone_bytes(int64_t columns)
{
    const struct shape s = {1, 70, columns, columns, 0};
    struct what w = {TALLY_MIN, TALLY_I8, TALLY_DEFAULT_TYPE, 0, 0, 0};
    fill(TALLY_I8, elements_of(&s), columns);
    compare(&w, &s);
    w.flags = TALLY_REVERSE | TALLY_EXCLUSIVE;
    compare(&w, &s);
}

/* Exact sums down odd columns, so many that a thread has one, and so few that all threads run at once. */
static void lone_sums(tally_type type, int64_t columns)
{
    const struct shape s = {1, 33, columns, columns, 0};
    struct what w = {TALLY_SUM, type, TALLY_DEFAULT_TYPE, 0, 0, 0};
    fill(type, elements_of(&s), columns);
    compare(&w, &s);
    w.flags = TALLY_REVERSE | TALLY_EXCLUSIVE;
    w.in_place = 1;
    compare(&w, &s);
}

int main(void)
{
    static const struct {
        tally_op op;
        tally_type type, result;
    } all[] = {{TALLY_MAX, TALLY_F32, TALLY_DEFAULT_TYPE},
               {TALLY_SUM, TALLY_F32, TALLY_DEFAULT_TYPE},
               {TALLY_SUM, TALLY_I32, TALLY_DEFAULT_TYPE},
               {TALLY_SUM, TALLY_F16, TALLY_DEFAULT_TYPE},
               {TALLY_SUM, TALLY_F64, TALLY_DEFAULT_TYPE},
               {TALLY_MIN, TALLY_I8, TALLY_DEFAULT_TYPE},
               {TALLY_SUM, TALLY_BF16, TALLY_DEFAULT_TYPE},
               {TALLY_SUM, TALLY_I8, TALLY_DEFAULT_TYPE},
               {TALLY_PROD, TALLY_U16, TALLY_DEFAULT_TYPE},
               {TALLY_MAX, TALLY_F16, TALLY_DEFAULT_TYPE},
               {TALLY_BIT_XOR, TALLY_U64, TALLY_DEFAULT_TYPE},
               {TALLY_ANY, TALLY_F32, TALLY_DEFAULT_TYPE},
               {TALLY_SUM, TALLY_F32, TALLY_F64},
               {TALLY_ANY, TALLY_C128, TALLY_DEFAULT_TYPE},
               {TALLY_SUM, TALLY_BOOL, TALLY_DEFAULT_TYPE},
               {TALLY_MIN, TALLY_F64, TALLY_DEFAULT_TYPE},
               {TALLY_SUM, TALLY_F16, TALLY_F64}};
    int simulated = device_simulated(), full = device_full();
    if (simulated) setenv("TALLY_SIMT_SHARED", DEVICE_H100_SHARED, 0);
    if (!device_open("reference")) return test_left_out("device_columns", tally_last_error());
    far = device_room(ROOM), far_out = device_room(ROOM);
    for (size_t k = 0; k < (full ? sizeof all / sizeof *all : 6); k++) { /* compiling takes its time */
        int turn = (int)(k % 3);
        for (int64_t columns = 2 + turn; columns <= 40; columns += full ? 1 : 13)
            matrices(all[k].op, all[k].type, all[k].result, 1 + (int64_t)test_random_below(40), columns);
        matrices(all[k].op, all[k].type, all[k].result, 8, 4096 + (int64_t)(k % 2));
        matrices(all[k].op, all[k].type, all[k].result, 34 + (int64_t)test_random_below(40), 4096 + (int64_t)(k % 3));
        matrices(all[k].op, all[k].type, all[k].result, 16 + (int64_t)test_random_below(17), 4097);
        for (int64_t columns = 2 + turn; columns <= 300; columns += full ? 1 + columns / 10 : 5 + 3 * columns / 2)
            matrices(all[k].op, all[k].type, all[k].result, 40000 / columns + 200, columns);
    }
    lone_bytes(full ? 101401 : 3085);
    lone_sums(TALLY_F16, full ? 31701 : 1025);
    lone_sums(TALLY_F32, full ? 31701 : 1025);
    lone_sums(TALLY_F64, full ? 31701 : 1025);
    for (int64_t columns = 20; columns <= 320; columns += 100) parted(400, columns);
    hard_numbers(TALLY_F16);
    hard_numbers(TALLY_BF16);
    hard_numbers(TALLY_F32);
    hard_numbers(TALLY_F64);
    for (uint32_t k = 0; k < 8; k++) carried(k & 1 ? TALLY_BF16 : TALLY_F32, k & 2 ? 1 : 6, k & 4 ? TALLY_REVERSE : 0);
    carried_apart(full ? 31701 : 1025);
    device_stop();
    if (simulated) setenv("TALLY_SIMT_PROCESSORS", "26", 1);
    CHECK(device_start());
    far = device_room(ROOM), far_out = device_room(ROOM);
    for (int64_t columns = 2; columns < 33; columns += full ? 15 : 29) {
        looked_through(TALLY_F32, columns);
        looked_through(TALLY_BF16, columns);
        looked_through(TALLY_F16, columns);
    }
    device_close();
    return test_finish("device_columns");
}
