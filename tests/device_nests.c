/* SPDX-License-Identifier: MIT
 *
 * device_nests.c - searches over axes that do not lie side by side, on a device: the places that the CPU engine finds.
 * Cells of many runs, with whole vectors and without, and columns of many runs of rows, in one split and in several;
 * few numbers that come often, NaN, cells that are all alike, and between rows numbers better than any.
 *   TALLY_TEST_DEVICE   the device (simt)
 *   TALLY_TEST_FULL     larger arrays, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "device.h"
#include <math.h>

#define ROOM (1 << 24)
#define RANK 5

static _Alignas(64) unsigned char room[ROOM], want[ROOM], got[ROOM];
static unsigned char *far, *far_out;
static char where_text[240];
static int64_t most; /* elements */

/* `gap` elements lie between rows, which are those of the last axis; the first one begins at element `offset`. */
struct nest {
    tally_op op;
    tally_type type;
    int64_t extent[RANK], gap, offset;
    int32_t axes[RANK], axis_count;
};

enum level { WORST, USUAL, BETTER, BEST };

/* Levels for argmax; those of argmin are the negative ones. */
static void put(const struct nest *nest, int64_t at, enum level level)
{
    static const uint32_t floats[] = {0xff800000, 0x3f800000, 0x3fc00000, 0x7fc00000}, signs = 0x80000000;
    static const uint16_t halves[] = {0xfc00, 0x3c00, 0x3e00, 0x7e00}, brains[] = {0xff80, 0x3f80, 0x3fc0, 0x7fc0};
    static const double doubles[] = {-INFINITY, 1, 1.5, NAN};
    int least = nest->op == TALLY_ARGMIN;
    size_t size = tally_type_size(nest->type);
    unsigned char *to = room + (size_t)at * size;
    switch (nest->type) {
    case TALLY_F32: memcpy(to, &(uint32_t){floats[level] ^ (least ? signs : 0)}, 4); return;
    case TALLY_F16: memcpy(to, &(uint16_t){(uint16_t)(halves[level] ^ (least ? 0x8000 : 0))}, 2); return;
    case TALLY_BF16: memcpy(to, &(uint16_t){(uint16_t)(brains[level] ^ (least ? 0x8000 : 0))}, 2); return;
    case TALLY_F64: memcpy(to, &(double){least ? -doubles[level] : doubles[level]}, 8); return;
    case TALLY_BOOL: *to = (unsigned char)((level >= BETTER) != least); return;
    default: break;
    }
    int is_signed = nest->type == TALLY_I8 || nest->type == TALLY_I16 || nest->type == TALLY_I32;
    memset(to, level == BEST ? 0xff : level == BETTER ? 0x51 : level == USUAL ? 0x50 : 0, size);
    if (least) {
        for (size_t i = 0; i < size; i++) to[i] = (unsigned char)~to[i];
    }
    if (is_signed) to[size - 1] ^= 0x80;
}

static int64_t pitch_of(const struct nest *nest)
{
    return nest->extent[RANK - 1] + nest->gap;
}

static int64_t rows_of(const struct nest *nest)
{
    int64_t rows = 1;
    for (int d = 0; d < RANK - 1; d++) rows *= nest->extent[d];
    return rows;
}

/* One of `usual` elements is not the usual one, and of them all but a few are only as good as others; 0: all alike. */
static void fill(const struct nest *nest, uint64_t usual, enum level base)
{
    int64_t elements = nest->offset + rows_of(nest) * pitch_of(nest);
    for (int64_t i = 0; i < elements; i++) put(nest, i, BEST);
    for (int64_t r = 0; r < rows_of(nest); r++) {
        for (int64_t c = 0; c < nest->extent[RANK - 1]; c++) {
            enum level level = base;
            if (usual && test_random_below(usual) == 0) level = test_random_below(4) ? BETTER : BEST;
            put(nest, nest->offset + r * pitch_of(nest) + c, level);
        }
    }
}

static tally_array array_of(const struct nest *nest, unsigned char *memory)
{
    tally_array a = tally_matrix(memory + (size_t)nest->offset * tally_type_size(nest->type), nest->type, 1, 1);
    a.rank = RANK;
    int64_t stride = 1;
    for (int d = RANK - 1; d >= 0; d--) {
        a.shape[d] = nest->extent[d];
        a.strides[d] = stride;
        stride *= d == RANK - 1 ? pitch_of(nest) : nest->extent[d];
    }
    return a;
}

static void compare(const struct nest *nest)
{
    const int64_t *e = nest->extent;
    tally_array x = array_of(nest, room), like;
    tally_options options = TALLY_OPTIONS_INIT;
    options.axes = nest->axes;
    options.axis_count = nest->axis_count;
    snprintf(where_text, sizeof where_text, "%s of %s, %d x %d x %d x %d x %d, gap %d, offset %d, axes %d, %d ...",
             tally_op_name(nest->op), tally_type_name(nest->type), (int)e[0], (int)e[1], (int)e[2], (int)e[3],
             (int)e[4], (int)nest->gap, (int)nest->offset, (int)nest->axes[0], (int)nest->axes[1]);
    test.section = where_text;
    CHECK(tally_result_like(TALLY_REDUCE, nest->op, &x, &options, &like) == TALLY_OK);
    size_t each = tally_type_size(like.type), bytes = each;
    for (int32_t d = 0; d < like.rank; d++) bytes *= (size_t)like.shape[d];
    memset(want, 0xab, bytes + 16);
    memset(got, 0xab, bytes + 16);
    like.data = want;
    CHECK(tally_reduce(judge, nest->op, &x, &like, &options) == TALLY_OK);
    size_t all = (size_t)(nest->offset + rows_of(nest) * pitch_of(nest)) * tally_type_size(nest->type);
    CHECK(tally_copy(device, far, room, all) == TALLY_OK);
    CHECK(tally_copy(device, far_out, got, bytes + 16) == TALLY_OK);
    x = array_of(nest, far);
    like.data = far_out;
    CHECK(tally_reduce(device, nest->op, &x, &like, &options) == TALLY_OK);
    CHECK(tally_copy(device, got, far_out, bytes + 16) == TALLY_OK);
    device_same(got, want, bytes + 16, each);
}

static int64_t pick(const int64_t *from, size_t count)
{
    return from[test_random_below(count)];
}

/* Extents whose last two reduced ones are long, as far as there is room. */
static void choose_extents(struct nest *nest)
{
    static const int64_t runs[] = {2, 3, 5, 9, 17, 40}, inner[] = {8, 12, 16, 31, 32, 33, 64, 100, 127, 256, 300, 1500};
    static const int64_t kept[] = {1, 2, 3, 5};
    for (int d = 0; d < RANK; d++) nest->extent[d] = pick(kept, sizeof kept / sizeof *kept);
    int32_t last = nest->axes[nest->axis_count - 1];
    nest->extent[RANK - 1] = pick(inner, sizeof inner / sizeof *inner);
    nest->extent[nest->axes[0]] = pick(runs, sizeof runs / sizeof *runs);
    if (last != RANK - 1) nest->extent[last] = pick(inner, sizeof inner / sizeof *inner);
    nest->gap = test_random_below(2) ? 0 : (int64_t)test_random_below(20);
    nest->offset = test_random_below(2) ? 0 : (int64_t)test_random_below(20);
    while (rows_of(nest) * pitch_of(nest) < most / 2) {
        int d = (int)test_random_below(RANK - 1);
        nest->extent[d] += 1 + nest->extent[d] / 2;
    }
    while (rows_of(nest) * pitch_of(nest) > most) {
        int d = (int)test_random_below(RANK);
        nest->extent[d] -= nest->extent[d] / 2;
    }
}

static void searches(int count)
{
    static const struct {
        int32_t count, axes[3];
    } over[] = {{2, {0, 2}}, {2, {1, 3}}, {2, {1, 4}}, {2, {2, 4}}, {3, {0, 2, 4}}, {3, {1, 3, 4}}, {3, {0, 1, 3}}};
    static const tally_type types[] = {TALLY_F32, TALLY_F16, TALLY_BF16, TALLY_F64, TALLY_I8,
                                       TALLY_U8,  TALLY_I16, TALLY_I32,  TALLY_U64, TALLY_BOOL};
    static const uint64_t usual[] = {0, 3, 40, 1000, 20000};
    for (int i = 0; i < count; i++) {
        size_t o = (size_t)i % (sizeof over / sizeof *over), t = test_random_below(sizeof types / sizeof *types);
        struct nest nest = {test_random_below(2) ? TALLY_ARGMAX : TALLY_ARGMIN, types[t], {0}, 0, 0, {0}, 0};
        nest.axis_count = over[o].count;
        memcpy(nest.axes, over[o].axes, sizeof over[o].axes);
        choose_extents(&nest);
        if (!device_parted(nest.op, nest.type)) continue;
        fill(&nest, usual[test_random_below(sizeof usual / sizeof *usual)], test_random_below(3) ? USUAL : WORST);
        compare(&nest);
    }
}

/* Of a cell's best elements, which are all alike, the first one lies behind what a thread reads of later runs before.
 */
static void late_in_first_run(void)
{
    static const tally_type types[] = {TALLY_F32, TALLY_F64, TALLY_U64};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        int64_t run = 2400 / tally_type_size(types[t]), far_apart = 1024 / tally_type_size(types[t]);
        struct nest nest = {TALLY_ARGMAX, types[t], {1, 40, 3, 1, run}, 0, 0, {1, 4}, 2};
        fill(&nest, 0, USUAL);
        for (int64_t r = 0; r < rows_of(&nest); r++) put(&nest, r * run + 7 + (r / 3 == 0 ? far_apart : 0), BETTER);
        compare(&nest);
    }
}

int main(void)
{
    static const char *const processors[] = {"1", "4", "14"};
    int full = device_full();
    most = full ? 2000000 : 60000;
    for (size_t i = 0; i < (device_full() ? 1 : 3); i++) {
        if (device_simulated()) setenv("TALLY_SIMT_PROCESSORS", processors[i], 1);
        if (!device_open("cpu")) return test_left_out("device_nests", tally_last_error());
        far = device_room(ROOM), far_out = device_room(ROOM);
        searches(full ? 700 : 84);
        late_in_first_run();
        device_close();
    }
    return test_finish("device_nests");
}
