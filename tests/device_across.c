/* SPDX-License-Identifier: MIT
 *
 * device_across.c - scans along contiguous axes of arrays that begin, and of rows that lie apart, anywhere in vectors
 * of 16 bytes, each of the two arrays elsewhere; and of rows that have masks, or whose elements lie apart, or run
 * against their results: the bits of the CPU, and nothing written beside them.
 *   TALLY_TEST_DEVICE   the device (simt)
 *   TALLY_TEST_FULL     all ways to scan, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "data.h"
#include "device.h"

#define MOST 70000                   /* elements, with gaps */
#define ROOM ((MOST + 64) * 16 + 64) /* what lies around them, too */

static _Alignas(64) unsigned char host_x[ROOM], host_masks[ROOM], want[ROOM], got[ROOM];
static unsigned char *far_x, *far_masks, *far_out;
static char section[300];

/* A way to scan. */
struct way {
    tally_op op;
    tally_type type, result;
    uint32_t flags;
};

/* Where an array lies: its first element, the distance of rows, and that of their elements. */
struct place {
    int64_t first, pitch, step;
};

static tally_array matrix_at(unsigned char *room, tally_type type, int64_t rows, int64_t length, struct place at)
{
    tally_array a = tally_matrix(room + (size_t)at.first * tally_type_size(type), type, rows, length);
    a.strides[0] = at.pitch, a.strides[1] = at.step;
    return a;
}

/* masks_at: NULL for none. */
static void compare(const struct way *way, int64_t rows, int64_t length, struct place x_at, struct place out_at,
                    const struct place *masks_at)
{
    static const int32_t last = 1;
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array x = matrix_at(host_x, way->type, rows, length, x_at), out, masks;
    options.flags = way->flags, options.type = way->result;
    options.axes = &last, options.axis_count = 1;
    if (masks_at) masks = matrix_at(host_masks, TALLY_BOOL, rows, length, *masks_at), options.where = &masks;
    snprintf(section, sizeof section,
             "running %s of %s, flags %u, %lld x %lld, from %lld + %lld + %lld to %lld + %lld + %lld%s",
             tally_op_name(way->op), tally_type_name(way->type), way->flags, (long long)rows, (long long)length,
             (long long)x_at.first, (long long)x_at.pitch, (long long)x_at.step, (long long)out_at.first,
             (long long)out_at.pitch, (long long)out_at.step, masks_at ? ", masked" : "");
    test.section = section;
    CHECK(tally_result_like(TALLY_SCAN, way->op, &x, &options, &out) == TALLY_OK);
    size_t result = tally_type_size(out.type), bytes = (size_t)(out_at.first + rows * out_at.pitch + 32) * result;
    memset(want, 0xab, bytes);
    CHECK(tally_copy(device, far_out, want, bytes) == TALLY_OK);
    out = matrix_at(want, out.type, rows, length, out_at);
    CHECK(tally_scan(judge, way->op, &x, &out, &options) == TALLY_OK);
    x = matrix_at(far_x, way->type, rows, length, x_at);
    out = matrix_at(far_out, out.type, rows, length, out_at);
    if (masks_at) masks = matrix_at(far_masks, TALLY_BOOL, rows, length, *masks_at);
    CHECK(tally_scan(device, way->op, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, got, far_out, bytes) == TALLY_OK);
    device_same(got, want, bytes, result);
}

static int64_t below(int64_t n)
{
    return (int64_t)test_random_below((uint64_t)n);
}

/* One row, of lengths that are the same kernel's; then few elements. */
static void vectors(const struct way *way, int count)
{
    for (int k = 0; k < count; k++) {
        int64_t length = k % 4 == 3 ? 2000 + below(40) : 60000 + below(40);
        compare(way, 1, length, (struct place){below(20), length, 1}, (struct place){below(20), length, 1}, NULL);
    }
}

/* Rows that lie behind each other, or apart. */
static void rows(const struct way *way, int count)
{
    static const int64_t lengths[] = {2, 7, 10, 16, 33, 64, 100, 127, 128, 1000, 1024, 4097};
    for (int k = 0; k < count; k++) {
        int64_t length = lengths[below(12)], apart = length + 8, most = MOST / apart;
        int64_t x_pitch = length + (k % 2 ? 0 : below(9)), out_pitch = length + (k % 4 ? 0 : below(9));
        int64_t count = most - below(most / 2);
        struct place x = {below(20), x_pitch, 1};
        if (k % 5 == 4) x = (struct place){x.first + (count - 1) * x_pitch, -x_pitch, 1}; /* the last row first */
        compare(way, count, length, x, (struct place){below(20), out_pitch, 1}, NULL);
    }
}

/* Rows of elements so far apart, the first at such a place or, backwards, the last one. */
static struct place row_from(int64_t first, int64_t length, int64_t step, int64_t gap)
{
    int64_t distance = step < 0 ? -step : step;
    return (struct place){first + (step < 0 ? (length - 1) * distance : 0), length * distance + gap, step};
}

/* Some of which are absent: most, few, or all from some place on. */
static void fill_masks(int64_t count)
{
    int64_t chance = 1 + below(8), end = below(3) ? count : below(count);
    for (int64_t i = 0; i < count; i++)
        host_masks[i] = (unsigned char)(i < end && below(chance) == 0 ? 1 + below(255) : 0);
    CHECK(tally_copy(device, far_masks, host_masks, (size_t)count) == TALLY_OK);
}

/* Rows whose elements lie apart or run against their results, or that have masks: as results lie, otherwise, or those
 * of one row for all. */
static void views(const struct way *way, int count)
{
    static const int64_t lengths[] = {2, 7, 16, 33, 100, 127, 1000, 1024, 4097};
    static const int64_t steps[] = {-1, 2, -2, 3, 1, -1, 2, -3};
    for (int k = 0; k < count; k++) {
        int64_t length = lengths[below(9)], count = 1 + below(9000 / length),
                limit = 16 / (int64_t)tally_type_size(way->type);
        int64_t step = k % 2 ? steps[below(8)] : 1, out_step = k % 4 == 3 ? -1 : 1;
        if (step > limit || -step > limit) step = -out_step;
        if (k % 2 == 0) step = out_step = k % 8 == 6 ? -1 : 1;
        struct place x = row_from(below(20), length, step, k % 3 ? 0 : below(9));
        struct place out = row_from(below(20), length, out_step, k % 5 ? 0 : below(9));
        struct place masks =
            row_from(k % 6 ? 16 : below(20), length, out_step * (k % 7 == 6 ? -1 : 1), k % 9 ? 0 : below(9));
        if (k % 11 == 10) masks.pitch = 0;
        if (k % 13 == 12) masks.step = 0;
        fill_masks(9000 + 60 + count * 9);
        compare(way, count, length, x, out, k % 8 < 6 && way->type < TALLY_C64 ? &masks : NULL);
    }
}

static void all_ways(const struct way *ways, int count, int full)
{
    static const uint32_t flags[] = {0, TALLY_EXCLUSIVE | TALLY_REVERSE, TALLY_REVERSE, TALLY_EXCLUSIVE};
    for (int i = 0; i < count; i++) {
        if (!device_parted(ways[i].op, ways[i].type)) continue;
        for (int f = 0; f < (full ? 2 : 1); f++) {
            struct way way = ways[i];
            way.flags = flags[(i + f) % 4];
            data_fill(way.type, i % 2 ? DATA_ORDINARY : DATA_SPECIAL, host_x, MOST + 64);
            CHECK(tally_copy(device, far_x, host_x, (size_t)(MOST + 64) * tally_type_size(way.type)) == TALLY_OK);
            vectors(&way, full ? 20 : 16);
            rows(&way, 36);
            views(&way, 30);
        }
    }
}

int main(void)
{
    static const struct way ways[] = {
        {TALLY_SUM, TALLY_U64, TALLY_DEFAULT_TYPE, 0},
        {TALLY_SUM, TALLY_F32, TALLY_DEFAULT_TYPE, 0},
        {TALLY_MAX, TALLY_I8, TALLY_DEFAULT_TYPE, 0},
        {TALLY_SUM, TALLY_U8, TALLY_DEFAULT_TYPE, 0},
        {TALLY_BIT_XOR, TALLY_U16, TALLY_DEFAULT_TYPE, 0},
        {TALLY_SUM, TALLY_I32, TALLY_DEFAULT_TYPE, 0},
        {TALLY_SUM, TALLY_BF16, TALLY_DEFAULT_TYPE, 0},
        {TALLY_ANY, TALLY_BOOL, TALLY_DEFAULT_TYPE, 0},
        {TALLY_MIN, TALLY_I16, TALLY_DEFAULT_TYPE, 0},
        {TALLY_SUM, TALLY_F64, TALLY_DEFAULT_TYPE, 0},
        {TALLY_SUM, TALLY_F32, TALLY_F64, 0},
        {TALLY_PROD, TALLY_I16, TALLY_I32, 0},
        {TALLY_ANY, TALLY_F32, TALLY_DEFAULT_TYPE, 0},
        {TALLY_ALL, TALLY_BF16, TALLY_DEFAULT_TYPE, 0},
        {TALLY_ALL, TALLY_U64, TALLY_DEFAULT_TYPE, 0},
        {TALLY_ANY, TALLY_C64, TALLY_DEFAULT_TYPE, 0},
        {TALLY_ALL, TALLY_C128, TALLY_DEFAULT_TYPE, 0},
        {TALLY_SUM, TALLY_I64, TALLY_U16, 0},
        {TALLY_SUM, TALLY_I32, TALLY_U8, 0},
        {TALLY_PROD, TALLY_I64, TALLY_I32, 0},
        {TALLY_ALL, TALLY_I8, TALLY_DEFAULT_TYPE, 0},
        {TALLY_BIT_AND, TALLY_BOOL, TALLY_DEFAULT_TYPE, 0},
    };
    int full = device_full();
    if (device_simulated()) setenv("TALLY_SIMT_SHARED", DEVICE_H100_SHARED, 0);
    if (!device_open("cpu")) return test_left_out("device_across", tally_last_error());
    far_x = device_room(ROOM), far_masks = device_room(ROOM), far_out = device_room(ROOM);
    all_ways(ways, (int)(sizeof ways / sizeof *ways), full);
    device_close();
    return test_finish("device_across");
}
