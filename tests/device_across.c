/* SPDX-License-Identifier: MIT
 *
 * device_across.c - scans along contiguous axes of arrays that begin, and of rows that lie apart, anywhere in vectors
 * of 16 bytes, each of the two arrays elsewhere: the bits of the CPU, and nothing written beside them.
 *   TALLY_TEST_DEVICE   the device (simt)
 *   TALLY_TEST_FULL     all ways to scan, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "data.h"
#include "device.h"

#define MOST 70000                   /* elements, with gaps */
#define ROOM ((MOST + 64) * 16 + 64) /* what lies around them, too */

static _Alignas(64) unsigned char host_x[ROOM], want[ROOM], got[ROOM];
static unsigned char *far_x, *far_out;
static char section[200];

/* A way to scan. */
struct way {
    tally_op op;
    tally_type type, result;
    uint32_t flags;
};

/* Where an array lies: its first element, and the distance of rows. */
struct place {
    int64_t first, pitch;
};

static void compare(const struct way *way, int64_t rows, int64_t length, struct place x_at, struct place out_at)
{
    static const int32_t last = 1;
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array x = tally_matrix(host_x, way->type, rows, length), out;
    options.flags = way->flags, options.type = way->result;
    options.axes = &last, options.axis_count = 1;
    x.strides[0] = x_at.pitch;
    snprintf(section, sizeof section, "running %s of %s, flags %u, %lld x %lld, from %lld + %lld to %lld + %lld",
             tally_op_name(way->op), tally_type_name(way->type), way->flags, (long long)rows, (long long)length,
             (long long)x_at.first, (long long)x_at.pitch, (long long)out_at.first, (long long)out_at.pitch);
    test.section = section;
    CHECK(tally_result_like(TALLY_SCAN, way->op, &x, &options, &out) == TALLY_OK);
    out.strides[0] = out_at.pitch;
    size_t size = tally_type_size(way->type), result = tally_type_size(out.type);
    size_t bytes = (size_t)(out_at.first + rows * out_at.pitch + 32) * result;
    memset(want, 0xab, bytes);
    CHECK(tally_copy(device, far_out, want, bytes) == TALLY_OK);
    x.data = host_x + (size_t)x_at.first * size;
    out.data = want + (size_t)out_at.first * result;
    CHECK(tally_scan(judge, way->op, &x, &out, &options) == TALLY_OK);
    x.data = far_x + (size_t)x_at.first * size;
    out.data = far_out + (size_t)out_at.first * result;
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
        compare(way, 1, length, (struct place){below(20), length}, (struct place){below(20), length});
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
        struct place x = {below(20), x_pitch};
        if (k % 5 == 4) x = (struct place){x.first + (count - 1) * x_pitch, -x_pitch}; /* the last row first */
        compare(way, count, length, x, (struct place){below(20), out_pitch});
    }
}

static void all_ways(const struct way *ways, int count, int full)
{
    static const uint32_t flags[] = {0, TALLY_EXCLUSIVE | TALLY_REVERSE, TALLY_REVERSE, TALLY_EXCLUSIVE};
    for (int i = 0; i < count; i++) {
        if (!device_parted(ways[i].op, ways[i].type)) continue;
        for (int f = 0; f < (full ? 4 : 1); f++) {
            struct way way = ways[i];
            way.flags = flags[(i + f) % 4];
            data_fill(way.type, i % 2 ? DATA_ORDINARY : DATA_SPECIAL, host_x, MOST + 64);
            CHECK(tally_copy(device, far_x, host_x, (size_t)(MOST + 64) * tally_type_size(way.type)) == TALLY_OK);
            vectors(&way, full ? 60 : 16);
            rows(&way, full ? 100 : 36);
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
    far_x = device_room(ROOM), far_out = device_room(ROOM);
    all_ways(ways, (int)(sizeof ways / sizeof *ways), full);
    device_close();
    return test_finish("device_across");
}
