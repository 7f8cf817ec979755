/* SPDX-License-Identifier: MIT
 *
 * device_middle.c - scans along an axis with few columns behind it and many matrices before it give the bits of the
 * reference engine, and write nothing else: rows around the borders of runs and of tiles, one matrix and many in a
 * tile, few long rows, any alignment of either operand, matrices that lie apart, in place, forward and backward; exact
 * sums that leave pairs of doubles inside of a matrix, and come back.
 *   TALLY_TEST_DEVICE   the device (simt)
 *   TALLY_TEST_FULL     all combinations, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "data.h"
#include "device.h"

#include <string.h>

#define ROOM (1 << 24)
#define GUARD 64 /* bytes around results */

static _Alignas(64) unsigned char room[ROOM], want[ROOM], got[ROOM];
static unsigned char *far, *far_out;
static char where_text[240];

/* Elements of x lie from `offset` on, results from `out_offset` on, and matrices `gap` elements apart. */
struct shape {
    int64_t matrices, rows, columns, gap, offset, out_offset;
};

struct what {
    tally_op op;
    tally_type type, result;
    uint32_t flags;
    int initial, in_place;
};

static int64_t elements_of(const struct shape *s)
{
    return s->matrices * (s->rows * s->columns + s->gap);
}

static tally_array shaped(const struct shape *s, tally_type type, unsigned char *memory, int64_t offset)
{
    tally_array a = tally_matrix(memory + (size_t)offset * tally_type_size(type), type, s->rows, s->columns);
    a.rank = 3;
    a.shape[0] = s->matrices, a.shape[1] = s->rows, a.shape[2] = s->columns;
    a.strides[0] = s->rows * s->columns + s->gap, a.strides[1] = s->columns, a.strides[2] = 1;
    return a;
}

static void describe(const struct what *w, const struct shape *s)
{
    snprintf(where_text, sizeof where_text,
             "running %s of %s, flags %u%s%s, %lld x %lld x %lld, gap %lld, offsets %lld, %lld", tally_op_name(w->op),
             tally_type_name(w->type), w->flags, w->initial ? ", initial" : "", w->in_place ? ", in place" : "",
             (long long)s->matrices, (long long)s->rows, (long long)s->columns, (long long)s->gap, (long long)s->offset,
             (long long)s->out_offset);
    test.section = where_text;
}

static void compare(const struct what *w, const struct shape *s)
{
    size_t size = tally_type_size(w->type);
    int32_t axis = 1;
    int64_t out_offset = w->in_place ? s->offset : s->out_offset;
    _Alignas(16) unsigned char initial[16] = {0};
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array x = shaped(s, w->type, room, s->offset), like;
    options.axes = &axis, options.axis_count = 1, options.type = w->result, options.flags = w->flags;
    describe(w, s);
    CHECK(tally_result_like(TALLY_SCAN, w->op, &x, &options, &like) == TALLY_OK);
    size_t each = tally_type_size(like.type), bytes = (size_t)(elements_of(s) + out_offset) * each + 2 * GUARD;
    if (!CHECK(bytes <= ROOM && (size_t)(elements_of(s) + s->offset) * size <= ROOM)) return;
    if (w->initial) data_fill(like.type, DATA_ORDINARY, initial, 1), options.initial = initial;
    memset(want, 0xab, bytes);
    if (w->in_place) memcpy(want + GUARD, room, (size_t)(elements_of(s) + s->offset) * size);
    memcpy(got, want, bytes);
    tally_array out = shaped(s, like.type, want + GUARD, out_offset);
    CHECK(tally_scan(judge, w->op, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, far, room, (size_t)(elements_of(s) + s->offset) * size) == TALLY_OK);
    CHECK(tally_copy(device, far_out, got, bytes) == TALLY_OK);
    x = shaped(s, w->type, w->in_place ? far_out + GUARD : far, s->offset);
    out = shaped(s, like.type, far_out + GUARD, out_offset);
    if (!CHECK(tally_scan(device, w->op, &x, &out, &options) == TALLY_OK))
        fprintf(stderr, "    %s\n", tally_last_error());
    CHECK(tally_copy(device, got, far_out, bytes) == TALLY_OK);
    CHECK(memcmp(got, want, bytes) == 0);
}

static void fill(tally_type type, int64_t count)
{
    const size_t size = tally_type_size(type);
    for (int64_t i = 0; i < count;) {
        int64_t n = 1 + (int64_t)test_random_below(900);
        enum data_kind kind = (enum data_kind)test_random_below(DATA_KINDS);
        if (n > count - i) n = count - i;
        if (kind == DATA_SPECIAL && test_random_below(8)) kind = DATA_ORDINARY;
        data_fill(type, kind, room + (size_t)i * size, n);
        i += n;
    }
}

/* Few matrices with numbers that lie so far apart that no pair of doubles holds their sums, over several runs, until
 * they cancel; and one with an infinity. */
static void lose_pairs(tally_type type, const struct shape *s)
{
    static const double numbers[] = {0x1p100, 0x1p-100, 1, -0x1p100, -1};
    const double special = HUGE_VAL;
    if (type != TALLY_F32 && type != TALLY_F64 && type != TALLY_BF16) return;
    for (int64_t m = 0; m < s->matrices; m += 1 + s->matrices / 7) {
        int64_t begin = s->offset + m * (s->rows * s->columns + s->gap);
        for (int64_t k = 0; k < 5 && s->rows > 5; k++)
            data_put_real(type, room, begin + k * (s->rows / 5) * s->columns + m % s->columns, numbers[k]);
        if (m % 2) data_put_real(type, room, begin + s->rows / 2 * s->columns, special);
    }
}

/* Elements of all matrices, about so many. */
static void middle(const struct what *given, int64_t rows, int64_t columns, int64_t elements)
{
    static const uint32_t flags[] = {0, TALLY_REVERSE, TALLY_EXCLUSIVE, TALLY_EXCLUSIVE | TALLY_REVERSE};
    struct what w = *given;
    struct shape s = {elements / (rows * columns) + 11, rows, columns, 0, 0, 0};
    if (!device_parted(w.op, w.type)) return;
    if (test_random_below(2)) s.offset = (int64_t)test_random_below(5);
    s.out_offset = test_random_below(2) ? s.offset : (int64_t)test_random_below(5);
    if (test_random_below(5) == 0) s.gap = (int64_t)test_random_below(9);
    fill(w.type, s.offset + elements_of(&s));
    if (w.op == TALLY_SUM && test_random_below(3) == 0) lose_pairs(w.type, &s);
    w.flags |= flags[test_random_below(4)];
    w.initial = test_random_below(4) == 0;
    compare(&w, &s);
    w.in_place = test_random_below(2) && w.result == TALLY_DEFAULT_TYPE && w.op != TALLY_ANY &&
                 (w.op != TALLY_SUM || w.type == TALLY_F16 || w.type == TALLY_BF16 || w.type == TALLY_F32 ||
                  w.type == TALLY_F64);
    if (w.in_place) compare(&w, &s);
}

/* Matrices of a few long rows, of which one or several are a tile. */
static void few_rows(const struct what *w, int count, int64_t elements)
{
    static const int64_t rows[] = {2, 3, 4, 5, 7, 8, 9, 12, 13, 16},
                         columns[] = {65, 127, 129, 255, 300, 511, 1001, 2001};
    const int64_t most = 8192 / (int64_t)tally_type_size(w->type);
    for (int i = 0; i < count;) {
        int64_t r = rows[test_random_below(sizeof rows / sizeof *rows)];
        int64_t c = columns[test_random_below(sizeof columns / sizeof *columns)];
        if (r * c > most) continue;
        middle(w, r, c, elements);
        i++;
    }
}

/* Whether any or all bytes are true, or an odd number of them, whose columns are a word's, or are not. */
static void truths(int64_t columns)
{
    static const struct what kinds[] = {
        {.op = TALLY_ANY, .type = TALLY_BOOL},     {.op = TALLY_ALL, .type = TALLY_BOOL},
        {.op = TALLY_ANY, .type = TALLY_I8},       {.op = TALLY_ALL, .type = TALLY_I8},
        {.op = TALLY_BIT_OR, .type = TALLY_BOOL},  {.op = TALLY_BIT_AND, .type = TALLY_BOOL},
        {.op = TALLY_BIT_XOR, .type = TALLY_BOOL}, {.op = TALLY_MIN, .type = TALLY_BOOL},
        {.op = TALLY_MAX, .type = TALLY_BOOL}};
    for (int k = 0; k < (int)(sizeof kinds / sizeof *kinds); k++) {
        struct what w = kinds[k];
        struct shape s = {9, 100, columns, 0, 4 * (int64_t)test_random_below(2), 0};
        if (!device_parted(w.op, w.type)) continue;
        for (int64_t i = 0; i < s.offset + elements_of(&s); i++) {
            int is_rare = test_random_below(60) == 0;
            room[i] = (unsigned char)(is_rare == (k & 1) ? 0 : 1 + test_random_below(255));
        }
        w.flags = test_random_below(2) ? TALLY_EXCLUSIVE : 0;
        w.initial = test_random_below(4) == 0;
        compare(&w, &s);
    }
}

int main(void)
{
    static const struct what all[] = {{.op = TALLY_SUM, .type = TALLY_F32},
                                      {.op = TALLY_MAX, .type = TALLY_F32},
                                      {.op = TALLY_SUM, .type = TALLY_F16},
                                      {.op = TALLY_SUM, .type = TALLY_F64},
                                      {.op = TALLY_MIN, .type = TALLY_U16},
                                      {.op = TALLY_SUM, .type = TALLY_I8},
                                      {.op = TALLY_ANY, .type = TALLY_BOOL},
                                      {.op = TALLY_SUM, .type = TALLY_BF16},
                                      {.op = TALLY_MAX, .type = TALLY_F16},
                                      {.op = TALLY_SUM, .type = TALLY_I32},
                                      {.op = TALLY_MIN, .type = TALLY_I8},
                                      {.op = TALLY_MAX, .type = TALLY_F64},
                                      {.op = TALLY_SUM, .type = TALLY_F32, .result = TALLY_F64},
                                      {.op = TALLY_SUM, .type = TALLY_F32, .flags = TALLY_SKIP_NAN}};
    static const int64_t rows[] = {2, 7, 8, 9, 31, 36, 37, 64, 73, 100, 127, 255, 577, 1000, 1153};
    enum { ROWS = sizeof rows / sizeof *rows };
    int simulated = device_simulated(), full = device_full();
    if (simulated) setenv("TALLY_SIMT_SHARED", DEVICE_H100_SHARED, 0), setenv("TALLY_SIMT_PROCESSORS", "1", 0);
    if (!device_open("reference")) return test_left_out("device_middle", tally_last_error());
    far = device_room(ROOM), far_out = device_room(ROOM);
    for (size_t k = 0; k < (full ? sizeof all / sizeof *all : 7); k++) { /* compiling takes its time */
        for (int64_t columns = 2 + (int64_t)(k % 3); columns <= 40; columns += full ? 1 + columns / 4 : 1 + columns) {
            struct what w = all[k];
            for (int i = 0; i < (full ? 6 : 4); i++) /* the last one of the longest rows */
                middle(&w, rows[i == 5 ? ROWS - 1 : test_random_below(ROWS)], columns, simulated ? 20000 : 200000);
        }
        few_rows(&all[k], full ? 8 : 4, simulated ? 20000 : 1200000);
    }
    truths(4);
    truths(12);
    truths(64);
    device_close();
    return test_finish("device_middle");
}
