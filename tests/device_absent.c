/* SPDX-License-Identifier: MIT
 *
 * device_absent.c - reductions on a device along many rows, over nests of loops and down columns, some of whose
 * elements options.where or TALLY_SKIP_NAN leaves out, give the bits of the CPU engine: rows of whole vectors and
 * others, side by side and apart, of any length that kernels for short rows take; runs that are whole vectors and not;
 * variances and means of narrow floats down columns; rows that are all absent, and results of these that fail; means
 * that lie next to a tie. TALLY_TEST_DEVICE   the device (simt) */
#define _POSIX_C_SOURCE 200809L
#define ROOM (16 << 20)
#include "device_boxes.h"
#include "patches.h"

enum { AROUND = 16 };
enum way { OF_NAN, OF_MASK, OF_BOTH, WAYS };

static _Alignas(64) unsigned char mask[ROOM];
static unsigned char *far_mask;

struct call {
    tally_op op;
    tally_type type;
    enum way way;
    int32_t axes[2], count; /* of outer x rows x columns */
    int64_t beyond;         /* where masks begin, from where they lie as elements do */
    int64_t apart;          /* results */
    int most;               /* one element of so many is absent; 1: all of some rows are */
};

static int is_absent(const struct call *call, int64_t row)
{
    if (call->most == 1) return row % 3 == 1 || test_random_below(3) == 0;
    return test_random_below((uint64_t)call->most) == 0;
}

/* Any, or one that is hardly larger than an infinity; of a complex number in either part. */
static void put_nan(tally_type type, int64_t i)
{
    static const uint16_t least[] = {0x7c01, 0x7f81};
    static const uint32_t least_single = 0x7f800001;
    static const uint64_t least_double = 0x7ff0000000000001;
    if (type == TALLY_C64 || type == TALLY_C128) {
        data_put_real(type == TALLY_C64 ? TALLY_F32 : TALLY_F64, room, 2 * i + (int64_t)test_random_below(2),
                      (double)NAN);
        return;
    }
    data_put_real(type, room, i, (double)NAN);
    if (test_random_below(2)) return;
    if (type == TALLY_F64) memcpy(room + 8 * i, &least_double, 8);
    else if (type == TALLY_F32) memcpy(room + 4 * i, &least_single, 4);
    else memcpy(room + 2 * i, &least[type == TALLY_BF16], 2);
}

static void fill(const struct call *call, const struct shape *s)
{
    int64_t n = elements_of(s) + AROUND, pitch = s->columns + s->gap;
    if (test_random_below(2)) data_fill(call->type, DATA_ORDINARY, room, n);
    else patches_fill(call->type, room, n);
    for (int64_t i = 0; i < n; i++) {
        int64_t row = i < s->offset ? 0 : (i - s->offset) / pitch;
        mask[i] = is_absent(call, row) ? 0 : (unsigned char)(1 + test_random_below(255));
        if (call->way != OF_MASK && is_absent(call, row)) put_nan(call->type, i);
    }
}

/* Both engines' results, with what lies around them, or that both fail and write nothing. */
static void compare_call(const struct call *call, const struct shape *s)
{
    _Alignas(16) unsigned char start[16] = {0};
    tally_array x = shaped(s, call->type, room), where = x, y;
    tally_options options = TALLY_OPTIONS_INIT;
    size_t size = tally_type_size(call->type);
    if (!device_parted(call->op, call->type) || (size_t)(elements_of(s) + AROUND) * size > ROOM) return;
    fill(call, s);
    where.type = TALLY_BOOL;
    where.data = mask + s->offset + call->beyond;
    options.axes = call->axes;
    options.axis_count = call->count;
    if (call->way != OF_MASK) options.flags = TALLY_SKIP_NAN;
    if (call->way != OF_NAN) options.where = &where;
    CHECK(tally_result_like(TALLY_REDUCE, call->op, &x, &options, &y) == TALLY_OK);
    if (call->op == TALLY_SUM && call->most < 100) data_element(y.type, DATA_ORDINARY, start), options.initial = start;
    size_t each = tally_type_size(y.type), bytes = each * (size_t)call->apart;
    for (int d = y.rank - 1; d >= 0; d--) {
        y.strides[d] = (int64_t)(bytes / each);
        bytes *= (size_t)y.shape[d];
    }
    snprintf(where_text, sizeof where_text,
             "%s of %s, %lld x %lld x %lld, gap %d, offset %d, axes %d %d, way %d, 1 of %d", tally_op_name(call->op),
             tally_type_name(call->type), (long long)s->outer, (long long)s->rows, (long long)s->columns, (int)s->gap,
             (int)s->offset, call->axes[0], call->axes[call->count - 1], call->way, call->most);
    test.section = where_text;
    memset(want, 0xab, bytes);
    memset(got, 0xab, bytes);
    y.data = want;
    tally_status expected = tally_reduce(judge, call->op, &x, &y, &options);
    CHECK(tally_copy(device, far, room, ((size_t)elements_of(s) + AROUND) * size) == TALLY_OK);
    CHECK(tally_copy(device, far_mask, mask, (size_t)elements_of(s) + AROUND) == TALLY_OK);
    CHECK(tally_copy(device, far_out, got, bytes) == TALLY_OK);
    x = shaped(s, call->type, far);
    where.data = far_mask + s->offset + call->beyond;
    y.data = far_out;
    CHECK(tally_reduce(device, call->op, &x, &y, &options) == expected);
    CHECK(tally_copy(device, got, far_out, bytes) == TALLY_OK);
    device_same(got, want, bytes, each);
}

static const tally_type floats[] = {TALLY_F32, TALLY_F16, TALLY_F64, TALLY_BF16};
static const tally_op ops[] = {TALLY_SUM, TALLY_VAR, TALLY_MAX, TALLY_MEAN, TALLY_NORM2};

static void each_way(tally_type type, tally_op op, const struct shape *s, const int32_t *axes, int32_t count, int turn)
{
    for (int way = 0; way < WAYS; way++) {
        if (!device_full() && (way + turn) % 3) continue;
        struct call call = {op,    type,          (enum way)way,    {axes[0], axes[count - 1]},
                            count, turn % 5 == 4, 1 + turn % 4 / 3, turn % 7 == 2 ? 1 : turn % 2 ? 4 : 100};
        compare_call(&call, s);
    }
}

/* Rows of `bytes`, and of an element more. */
static void rows(void)
{
    static const int64_t bytes[] = {32, 48, 96, 128, 304, 512, 1040, 2064, 4096, 8208, 12288};
    static const int32_t axes[] = {2, 2};
    for (int i = 0; i < (int)(sizeof bytes / sizeof *bytes); i++) {
        for (int t = 0; t < 4; t++) {
            for (int o = 0; o < 5; o++) {
                int64_t columns = bytes[i] / (int64_t)tally_type_size(floats[t]), many = 200000 / bytes[i] + 300;
                int turn = i + 3 * t + o;
                struct shape whole = {1, many, columns, turn % 4 == 3 ? 16 : 0, 0};
                struct shape odd = {1, many, columns | 1, turn % 4 == 2 ? 3 : 0, turn % 3};
                if (!device_full() && turn % 6 != 1) continue;
                each_way(floats[t], ops[o], &whole, axes, 1, turn);
                each_way(floats[t], ops[o], &odd, axes, 1, turn + 1);
            }
        }
    }
}

/* Rows that a thread goes through alone, and that do not fill a warp's last batch. */
static void few_rows(void)
{
    for (int64_t length = 9; length < 36; length += 8) {
        for (int t = 0; t < 4; t += 2) {
            struct call mean = {TALLY_MEAN, floats[t], OF_NAN, {2, 2}, 1, 0, 1, 3};
            compare_call(&mean, &(struct shape){1, 333, length, 0, 0});
        }
    }
    for (int way = OF_NAN; way < WAYS; way++) { /* elements of several words */
        static const tally_type types[] = {TALLY_C64, TALLY_C128, TALLY_F64};
        for (int t = 0; t < 3; t++) {
            struct call count = {TALLY_COUNT_NONZERO, types[t], (enum way)way, {2, 2}, 1, 0, 1, 3};
            compare_call(&count, &(struct shape){1, 333, 64, 0, 0});
            count.axes[0] = count.axes[1] = 1;
            compare_call(&count, &(struct shape){1, 333, 64, 0, 0});
        }
    }
    for (int64_t many = 1; many < 40; many += 12) {
        struct call most = {TALLY_MAX, TALLY_F32, OF_MASK, {2, 2}, 1, 0, 1, 7};
        compare_call(&most, &(struct shape){1, many, 64, 0, 0});
    }
}

/* Over the first and the last axis: runs of 16 bytes and more, whole vectors and not. */
static void nests(void)
{
    static const int64_t columns[] = {16, 32, 37, 262, 1048, 1051};
    static const int32_t axes[] = {0, 2};
    for (int i = 0; i < (int)(sizeof columns / sizeof *columns); i++) {
        for (int t = 0; t < 4; t++) {
            for (int o = 0; o < 5; o++) {
                int turn = i + 3 * t + 2 * o;
                struct shape s = {columns[i] > 40 ? 13 : 40, i % 2 ? 5 : 70, columns[i], turn % 5 == 1 ? 2 : 0,
                                  turn % 3};
                struct shape one = {2001, 1, columns[i], 0, 0}; /* cells of which several blocks have parts */
                if (!device_full() && turn % 6 != 1) continue;
                each_way(floats[t], ops[o], &s, axes, 2, turn);
                if (turn % 4 == 0) each_way(floats[t], ops[o], &one, axes, 2, turn);
            }
        }
    }
}

/* The same of runs of a few bytes, which are columns beside each other. */
static void merged(void)
{
    static const int32_t axes[] = {0, 2};
    for (int i = 0; i < 6; i++) {
        for (int t = 0; t < 4; t++) {
            for (int o = 0; o < 5; o++) {
                int turn = i + 3 * t + 2 * o;
                struct shape s = {i % 2 ? 300 : 31, 40 + i * 37, 2 + i % 3, 0, turn % 5 == 1};
                if (device_full() || turn % 4 == 1) each_way(floats[t], ops[o], &s, axes, 2, turn);
            }
        }
    }
}

static void columns(void)
{
    static const struct shape shapes[] = {{1, 900, 64, 0, 0},  {1, 700, 370, 0, 0}, {1, 300, 1000, 8, 0},
                                          {3, 257, 136, 0, 0}, {1, 40, 333, 0, 1},  {1, 5000, 24, 0, 0},
                                          {1, 130, 41, 19, 0}, {20, 50, 10, 0, 0}};
    static const int32_t axes[] = {1, 1};
    for (int i = 0; i < (int)(sizeof shapes / sizeof *shapes); i++) {
        for (int t = 0; t < 4; t++) {
            for (int o = 0; o < 5; o++) {
                int is_counted = ops[o] == TALLY_VAR || ops[o] == TALLY_MEAN;
                if (!device_full() && (!is_counted || tally_type_size(floats[t]) > 2 || (i + t + o) % 2)) continue;
                each_way(floats[t], ops[o], &shapes[i], axes, 1, i + t + o);
            }
        }
    }
}

/* Odd columns whose rows fill a block's lanes: words, and totals with counts, beside each other in shared memory. */
static void wide_columns(void)
{
    static const struct shape shapes[] = {{1, 450, 1023, 0, 0}, {4, 200, 1023, 0, 1}, {1, 35, 510, 24, 3}};
    for (int i = 0; i < 3; i++) {
        for (int t = 1; t < 4; t += 2) { /* f16, bf16 */
            struct call mean = {TALLY_MEAN, floats[t], i == 1 ? OF_MASK : OF_NAN, {1, 1}, 1, 0, 1, 5};
            compare_call(&mean, &shapes[i]);
        }
    }
}

/* Rows without absent elements that begin and end inside of vectors: variances are relative to a row's first number. */
static void odd_variances(void)
{
    static const int64_t lengths[] = {5, 17, 65, 513, 1001, 2003};
    for (int i = 0; i < (int)(sizeof lengths / sizeof *lengths); i++) {
        for (int t = 0; t < 4; t++) {
            struct shape close = {1, 90, lengths[i], 0, 1}, apart = {1, 70, lengths[i], 3 * lengths[i], 2};
            data_fill(floats[t], i % 3 == 2 ? DATA_SPECIAL : DATA_ORDINARY, room, elements_of(&apart));
            for (int64_t k = 0; k < elements_of(&apart) && i % 2; k++)
                data_put_real(floats[t], room, k, 1000 + (double)test_random_below(64));
            compare_axis(TALLY_VAR, floats[t], &close, 2);
            compare_axis(i % 2 ? TALLY_NORM2 : TALLY_VAR, floats[t], &apart, 2);
        }
    }
}

/* Means of 2^53 + k a number: halves of the last place, and close to these. */
static void tied_means(void)
{
    double *x = (double *)(void *)room;
    const struct shape s = {1, 400, 1000, 0, 0};
    for (int64_t row = 0; row < s.rows; row++) {
        for (int64_t i = 0; i < s.columns; i++) x[row * s.columns + i] = i % 2 ? 0x1p53 : 0x1p53 + 2;
        x[row * s.columns] += (double)(2 * (row % 40)) * (row % 2 ? 50 : 1);
        if (row % 5 == 4) x[row * s.columns + 1] = 0x1p53 + (row % 10 == 4 ? 2 : -1);
        if (row % 8 == 1) { /* a tie but for 2^-36, which a pair of doubles has */
            for (int64_t i = 2; i < s.columns; i++) x[row * s.columns + i] = i % 2 ? 0x1p53 : 0x1p53 + 2;
            x[row * s.columns] = 0x1p54;
            x[row * s.columns + 1] = row % 16 == 1 ? 2 + 0x1p-36 : 2 - 0x1p-36;
        }
        for (int64_t i = 0; i < s.columns && row % 3 == 2; i++) x[row * s.columns + i] *= -1;
    }
    compare_axis(TALLY_MEAN, TALLY_F64, &s, 2);
    compare_axis(TALLY_MEAN, TALLY_F64, &s, 1);
}

int main(void)
{
    setenv("TALLY_SIMT_SHARED", DEVICE_H100_SHARED, 1);
    choose_processors("2");
    if (!device_open("cpu")) return test_left_out("device_absent", tally_last_error());
    make_room();
    far_mask = device_room(ROOM);
    rows();
    few_rows();
    nests();
    merged();
    columns();
    wide_columns();
    odd_variances();
    tied_means();
    device_close();
    return test_finish("device_absent");
}
