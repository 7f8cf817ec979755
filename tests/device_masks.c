/* SPDX-License-Identifier: MIT
 *
 * device_masks.c - reductions on a device that leave elements out, by options.where or as NaN, give the bits of the CPU
 * engine: whole arrays, rows and columns, at any alignment of elements and of their masks, some of them all absent, and
 * with numbers that no pair of doubles adds up. TALLY_TEST_DEVICE   the device (simt) */
#define _POSIX_C_SOURCE 200809L
#include "device.h"
#include "patches.h"

enum { ROOM = 1 << 21, AROUND = 16, MOST_OFFSET = 19 };

static _Alignas(64) unsigned char room[ROOM], mask[ROOM], want[ROOM], got[ROOM];
static unsigned char *far, *far_mask, *far_out;
static char where_text[200];
static int ordinary; /* numbers that are all finite */

struct shape {
    int64_t rows, columns, gap;
    int axis; /* 2: both, of a single run */
};

/* Which elements are absent: some and the first one, none, all, the first half of each row, or the first half of the
 * rows. */
enum { SOME, NONE, ALL, HALF_ROWS, FIRST_ROWS, KINDS };

static int is_present(int kind, const struct shape *s, int64_t row, int64_t column)
{
    switch (kind) {
    case NONE: return 1;
    case ALL: return 0;
    case HALF_ROWS: return column >= s->columns / 2 && test_random_below(2);
    case FIRST_ROWS: return row >= s->rows / 2 && test_random_below(2);
    default: return (row || column) && test_random_below(4) > 0;
    }
}

static void fill_mask(int kind, const struct shape *s, int64_t offset)
{
    int64_t pitch = s->columns + s->gap;
    memset(mask, 1, sizeof mask);
    for (int64_t i = 0; i < s->rows * pitch; i++)
        mask[offset + i] = is_present(kind, s, i / pitch, i % pitch) ? (unsigned char)(1 + test_random_below(255)) : 0;
}

static void put_nan(tally_type type, int kind, const struct shape *s, int64_t offset)
{
    int64_t pitch = s->columns + s->gap;
    for (int64_t i = 0; i < s->rows * pitch; i++)
        if (!is_present(kind, s, i / pitch, i % pitch)) data_put_real(type, room, offset + i, (double)NAN);
}

static void name_case(tally_op op, tally_type type, const struct shape *s, int kind, int64_t offset, int64_t beyond)
{
    snprintf(where_text, sizeof where_text, "%s of %s, %d x %d, gap %d, axis %d, absent %d, offsets %d and %d",
             tally_op_name(op), tally_type_name(type), (int)s->rows, (int)s->columns, (int)s->gap, s->axis, kind,
             (int)offset, (int)beyond);
    test.section = where_text;
}

/* Both engines' results, with what lies around them, or that both fail; the first element lies at `offset`, its mask at
 * `beyond`. */
static void compare_at(tally_op op, tally_type type, const struct shape *s, int kind, int skip_nan, int with_mask,
                       int64_t offset, int64_t beyond)
{
    int64_t shape[] = {s->rows, s->columns}, elements = s->rows * (s->columns + s->gap);
    int32_t axes[] = {s->axis % 2, 1};
    size_t size = tally_type_size(type);
    tally_options options = TALLY_OPTIONS_INIT;
    name_case(op, type, s, kind, offset, beyond);
    CHECK((size_t)(elements + 2 * MOST_OFFSET) * size <= ROOM);
    if (ordinary) data_fill(type, DATA_ORDINARY, room, elements + offset + AROUND);
    else patches_fill(type, room, elements + offset + AROUND);
    if (skip_nan) put_nan(type, kind, s, offset);
    fill_mask(skip_nan ? SOME : kind, s, beyond);
    tally_array x = tally_shaped(room + (size_t)offset * size, type, 2, shape), where, y;
    x.strides[0] = s->columns + s->gap;
    where = x;
    where.type = TALLY_BOOL;
    where.data = mask + beyond;
    options.axes = axes;
    options.axis_count = s->axis == 2 ? 2 : 1;
    options.flags = skip_nan ? TALLY_SKIP_NAN : 0;
    if (with_mask) options.where = &where;
    CHECK(tally_result_like(TALLY_REDUCE, op, &x, &options, &y) == TALLY_OK);
    size_t each = tally_type_size(y.type), bytes = 2 * AROUND * each;
    bytes += each * (size_t)(s->axis == 2 ? 1 : s->axis ? s->rows : s->columns);
    memset(want, 0xab, bytes);
    memset(got, 0xab, bytes);
    y.data = want + AROUND * each;
    tally_status expected = tally_reduce(judge, op, &x, &y, &options);
    CHECK(tally_copy(device, far, room, sizeof room) == TALLY_OK);
    CHECK(tally_copy(device, far_mask, mask, sizeof mask) == TALLY_OK);
    CHECK(tally_copy(device, far_out, got, bytes) == TALLY_OK);
    x.data = far + (size_t)offset * size;
    where.data = far_mask + beyond;
    y.data = far_out + AROUND * each;
    CHECK(tally_reduce(device, op, &x, &y, &options) == expected);
    CHECK(tally_copy(device, got, far_out, bytes) == TALLY_OK);
    device_same(got, want, bytes, each);
}

static void compare(tally_op op, tally_type type, const struct shape *s, int kind, int skip_nan, int with_mask)
{
    int64_t offset = (int64_t)test_random_below(2) * (int64_t)test_random_below(MOST_OFFSET);
    int64_t beyond = test_random_below(3) ? offset : (int64_t)test_random_below(MOST_OFFSET);
    compare_at(op, type, s, kind, skip_nan, with_mask, offset, beyond);
}

/* Behind those that strips take, rows that are short, and one that is not. */
enum { OF_STRIPS = 16 };
static const struct shape shapes[] = {
    {1, 70001, 0, 2}, {1, 5003, 0, 2},  {1, 300, 0, 2},   {40, 1000, 0, 1}, {40, 1024, 0, 1}, {60, 517, 3, 1},
    {9, 9000, 1, 1},  {30, 2052, 0, 1}, {700, 64, 0, 0},  {700, 61, 0, 0},  {1000, 40, 8, 0}, {3000, 7, 0, 0},
    {80, 515, 0, 0},  {13, 513, 0, 0},  {257, 256, 0, 0}, {70, 300, 4, 0},  {300, 33, 0, 1},  {900, 7, 2, 1},
    {2500, 1, 1, 1},  {40, 100, 28, 1}, {30, 500, 1, 1},  {7, 3000, 1, 1},
};

/* Variances of finite numbers, in rows of all kinds. */
static void spreads(void)
{
    static const struct shape rows[] = {{1, 70001, 0, 2}, {5, 9000, 1, 1}, {50, 70, 1, 1}};
    static const tally_type types[] = {TALLY_F32, TALLY_F64, TALLY_F16};
    ordinary = 1;
    for (int t = 0; t < 3; t++) {
        for (int k = 0; k < 3 && test_in_part(t); k++) {
            compare(TALLY_VAR, types[t], &rows[k], SOME, 1, 0);
            compare(TALLY_VAR, types[t], &rows[k], k == 1 ? HALF_ROWS : SOME, 0, 1);
            if (t == 1) compare(TALLY_NORM2, types[t], &rows[k], SOME, 1, 1);
        }
    }
    ordinary = 0;
}

int main(void)
{
    static const struct problem {
        tally_op op;
        tally_type type;
    } problems[] = {
        {TALLY_SUM, TALLY_F32},          {TALLY_MEAN, TALLY_F32},    {TALLY_MAX, TALLY_F32},
        {TALLY_ANY, TALLY_F32},          {TALLY_SUM, TALLY_F64},     {TALLY_MEAN, TALLY_F64},
        {TALLY_MIN, TALLY_F64},          {TALLY_ALL, TALLY_F64},     {TALLY_SUM, TALLY_BF16},
        {TALLY_MIN, TALLY_BF16},         {TALLY_MEAN, TALLY_F16},    {TALLY_COUNT_NONZERO, TALLY_F16},
        {TALLY_SUM, TALLY_I8},           {TALLY_MAX, TALLY_I8},      {TALLY_ALL, TALLY_I8},
        {TALLY_COUNT_NONZERO, TALLY_U8}, {TALLY_SUM, TALLY_I16},     {TALLY_MIN, TALLY_U16},
        {TALLY_MEAN, TALLY_I32},         {TALLY_BIT_AND, TALLY_I32}, {TALLY_MEAN, TALLY_I64},
        {TALLY_NORMINF, TALLY_F32},      {TALLY_NORM1, TALLY_F64},   {TALLY_BIT_XOR, TALLY_I64},
        {TALLY_PROD, TALLY_I32},         {TALLY_VAR, TALLY_F32},     {TALLY_ARGMAX, TALLY_F32},
        {TALLY_SUM, TALLY_C64},          {TALLY_STD, TALLY_F16},     {TALLY_VAR, TALLY_F64},
        {TALLY_NORM2, TALLY_BF16},       {TALLY_VAR, TALLY_I8},      {TALLY_NORM2, TALLY_U16},
    };
    enum { SHAPES = sizeof shapes / sizeof *shapes };
    setenv("TALLY_SIMT_PROCESSORS", "2", 0);
    setenv("TALLY_SIMT_SHARED", DEVICE_H100_SHARED, 0);
    if (!device_open("cpu")) return test_left_out("device_masks", tally_last_error());
    far = device_room(ROOM);
    far_mask = device_room(ROOM);
    far_out = device_room(ROOM);
    spreads();
    for (int64_t beyond = 0; beyond < 3; beyond++) /* calls that come again, but for where masks begin */
        compare_at(TALLY_SUM, TALLY_F32, &shapes[1], SOME, 0, 1, 0, beyond);
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        const struct problem *problem = &problems[i];
        int is_float = problem->type == TALLY_F16 || problem->type == TALLY_BF16 || problem->type == TALLY_F32 ||
                       problem->type == TALLY_F64;
        int is_spread = problem->op == TALLY_VAR || problem->op == TALLY_STD || problem->op == TALLY_NORM2;
        for (size_t k = 0; k < SHAPES && test_in_part((int64_t)i); k++) {
            /* kernels of variances take long to compile */
            if (k >= OF_STRIPS ? !is_spread && (i + k) % 3 : is_spread && problem->type != TALLY_F32) continue;
            int rounds = device_full() ? KINDS : 2;
            for (int round = 0; round < rounds; round++) {
                int kind = device_full() ? round : (int)(i + k + (size_t)round) % KINDS;
                compare(problem->op, problem->type, &shapes[k], kind, 0, 1);
                if (is_float && (device_full() || round == 0))
                    compare(problem->op, problem->type, &shapes[k], kind, 1, (int)((i + k) % 3 == 0));
            }
        }
    }
    device_close();
    return test_finish("device_masks");
}
