/* SPDX-License-Identifier: MIT
 *
 * device_specials.c - sums, means, norms, variances and running sums of floats among which are infinities and NaN give
 * the bits of the CPU engine: none, one or many of them, of either sign, beside numbers whose sums leave the range, in
 * whole arrays, rows and columns of any length.
 *   TALLY_TEST_DEVICE   the device (simt) */
#define _POSIX_C_SOURCE 200809L
#include "data.h"
#include "device.h"

#define ROOM (1 << 22)

static _Alignas(64) unsigned char room[ROOM], want[ROOM], got[ROOM];
static unsigned char *far, *far_out;
static char name[160];

/* What a cell has besides numbers. */
enum kind { NANS, NOTHING, PLUS, MINUS, BOTH, HUGE, HUGE_AND_PLUS, HUGE_AND_LATE, LIMIT, KINDS };

struct shape {
    int32_t rank, axis; /* the axis that is reduced, -1: all, -2: the first and the last */
    int64_t lengths[3];
};

/* Sums that leave the range at once, an infinity that comes early, and what makes it NaN late, in most lengths for
 * another thread. */
static double huge_number(int64_t at, int64_t length)
{
    if (at < 3) return at == 1 ? INFINITY : 1e308;
    if (at != length - 1 - length / 7) return 1e308;
    return test_random_below(2) ? NAN : -INFINITY;
}

/* The largest number and two quarters of its last place, which a pair of doubles holds, but which round to infinity;
 * and in some cells what takes that back, late. */
static double number_at_limit(int64_t at, int64_t length, int returns)
{
    if (at == 0) return 0x1.fffffffffffffp1023;
    if (at < 3) return 0x1p969;
    return returns && at == length - 2 ? -0x1.fffffffffffffp1023 : 0;
}

static double number(enum kind kind, uint64_t rarity)
{
    const double largest = test_random_below(2) ? 1.7e308 : -1.7e308;
    const int is_rare = test_random_below(rarity) == 0;
    if (kind >= HUGE && test_random_below(10) == 0) return largest;
    if (is_rare && (kind == PLUS || kind == HUGE_AND_PLUS)) return INFINITY;
    if (is_rare && kind == MINUS) return -INFINITY;
    if (is_rare && kind == BOTH) return test_random_below(2) ? INFINITY : -INFINITY;
    if (is_rare && kind == NANS) return NAN;
    return (test_random_uniform() - 0.5) * 8;
}

/* Neighbouring cells differ in kind, whatever the axis, and not always alike; all of a whole array are one's. */
static void fill(tally_type type, const struct shape *s, enum kind first, uint64_t rarity)
{
    const int64_t inner = s->lengths[s->rank - 1];
    int64_t count = 1;
    for (int32_t d = 0; d < s->rank; d++) count *= s->lengths[d];
    for (int64_t i = 0; i < count; i++) {
        const int64_t cell = s->axis == -1            ? 0
                             : s->axis == s->rank - 1 ? i / inner
                             : s->axis == -2          ? i / inner
                                                      : i % inner;
        const enum kind kind = (enum kind)((cell + cell / KINDS + (int64_t)first) % KINDS);
        const int64_t at = s->axis == 0 ? i / inner : i % inner, length = s->axis == 0 ? s->lengths[0] : inner;
        double v = kind == HUGE_AND_LATE ? huge_number(at, length)
                   : kind == LIMIT       ? number_at_limit(at, length, cell % 2 == 0)
                                         : number(kind, rarity);
        if (type != TALLY_F64 && fabs(v) > 1e280 && v - v == 0) v = v > 0 ? 60000 : -60000;
        data_put_real(type, room, i, v);
    }
}

static void compare(tally_verb verb, tally_op op, tally_type type, const struct shape *s, uint32_t flags)
{
    static const int32_t ends[] = {0, 2};
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array x = tally_shaped(room, type, s->rank, s->lengths), out;
    options.flags = flags;
    options.axes = s->axis == -2 ? ends : s->axis == -1 ? &ends[0] : &s->axis;
    options.axis_count = s->axis == -2 ? 2 : 1;
    CHECK(tally_result_like(verb, op, &x, &options, &out) == TALLY_OK);
    int64_t elements = 1, results = 1;
    for (int32_t d = 0; d < s->rank; d++) elements *= s->lengths[d];
    for (int32_t d = 0; d < out.rank; d++) results *= out.shape[d];
    const size_t size = tally_type_size(out.type), bytes = (size_t)results * size;
    snprintf(name, sizeof name, "%s %s of %s, flags %u, %lld x %lld x %lld, axis %d", tally_op_name(op),
             verb == TALLY_SCAN ? "scan" : "reduction", tally_type_name(type), flags, (long long)s->lengths[0],
             (long long)s->lengths[1], (long long)s->lengths[2], (int)s->axis);
    test.section = name;
    memset(want, 0xab, bytes);
    out.data = want;
    CHECK(bytes <= ROOM && (size_t)elements * tally_type_size(type) <= ROOM);
    CHECK((verb == TALLY_SCAN ? tally_scan : tally_reduce)(judge, op, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, far, room, (size_t)elements * tally_type_size(type)) == TALLY_OK);
    x.data = far, out.data = far_out;
    CHECK((verb == TALLY_SCAN ? tally_scan : tally_reduce)(device, op, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, got, far_out, bytes) == TALLY_OK);
    device_same(got, want, bytes, size);
}

static void all_calls(tally_type type, const struct shape *s)
{
    static const tally_op ops[] = {TALLY_SUM, TALLY_MEAN, TALLY_NORM1, TALLY_NORM2, TALLY_VAR};
    static const uint32_t ways[] = {0, TALLY_EXCLUSIVE, TALLY_REVERSE, TALLY_SKIP_NAN};
    static int turn;
    const int alone = s->axis == -1; /* a kind at a time */
    for (int first = 0; first < (alone ? KINDS : 1); first++) {
        for (int often = 0; often < 2; often++) {
            fill(type, s, (enum kind)first, often ? 20 : 3000);
            for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
                if (!alone || k < 2) compare(TALLY_REDUCE, ops[k], type, s, 0);
            if (!alone) compare(TALLY_REDUCE, TALLY_MEAN, type, s, TALLY_SKIP_NAN);
            if (s->axis != -2 && (!alone || s->rank == 1))
                compare(TALLY_SCAN, TALLY_SUM, type, s, ways[turn++ % (int)(sizeof ways / sizeof *ways)]);
        }
    }
}

/* Short rows that reach the limit with their last number. */
static void rows_at_limit(void)
{
    const struct shape s = {2, 1, {3000, 3, 1}};
    for (int64_t i = 0; i < 9000; i++) data_put_real(TALLY_F64, room, i, number_at_limit(i % 3, 3, 0));
    compare(TALLY_SCAN, TALLY_SUM, TALLY_F64, &s, 0);
    compare(TALLY_REDUCE, TALLY_SUM, TALLY_F64, &s, 0);
}

int main(void)
{
    static const tally_type types[] = {TALLY_F32, TALLY_F64, TALLY_F16, TALLY_BF16};
    static const struct shape shapes[] = {
        {1, -1, {5000}},    {1, -1, {300000}},  {2, 1, {300, 5}},      {2, 1, {100, 100}},   {2, 1, {40, 1000}},
        {2, 1, {9, 4097}},  {2, 1, {8, 40000}}, {2, 0, {5, 300}},      {2, 0, {100, 333}},   {2, 0, {3000, 40}},
        {2, 0, {20000, 9}}, {2, 0, {60000, 8}}, {3, 1, {40, 300, 10}}, {3, -2, {50, 7, 64}},
    };
    if (device_simulated()) setenv("TALLY_SIMT_SHARED", DEVICE_H100_SHARED, 0), setenv("TALLY_SIMT_PROCESSORS", "2", 0);
    if (!device_open("cpu")) return test_left_out("device_specials", tally_last_error());
    far = device_room(ROOM), far_out = device_room(ROOM);
    for (int t = 0; t < 4; t++) {
        if (!device_parted(TALLY_SUM, types[t])) continue;
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            struct shape s = shapes[k];
            for (int32_t d = s.rank; d < 3; d++) s.lengths[d] = 1;
            all_calls(types[t], &s);
        }
    }
    rows_at_limit();
    device_close();
    return test_finish("device_specials");
}
