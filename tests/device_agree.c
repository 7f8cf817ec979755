/* SPDX-License-Identifier: MIT
 *
 * device_agree.c - a device gives the bits of the reference engine: random operators, types, flags, masks, initial
 * values, shapes, views and axes, with arrays in host and in device memory.
 *   TALLY_TEST_DEVICE     the device (simt)
 *   TALLY_TEST_PROGRAMS   how many operators on types are tried, each with several cases (40) */
#define _POSIX_C_SOURCE 200809L
#include "device.h"
#include "views.h"

#define LONGEST 200000
#define ROOM (LONGEST * 32 + 64)

static _Alignas(64) unsigned char room_x[ROOM], room_y[ROOM], mask[ROOM], want[ROOM], got[ROOM];
static unsigned char *far_x, *far_y, *far_mask, *far_out;
static char where_text[300];

static void copy_in(unsigned char *to, const unsigned char *from)
{
    CHECK(tally_copy(device, to, from, ROOM) == TALLY_OK);
}

static tally_type random_result(tally_op op, tally_type type)
{
    tally_array one = tally_vector(NULL, type, 0), like;
    tally_options options = TALLY_OPTIONS_INIT;
    options.type = (tally_type)test_random_below(16);
    if (test_random_below(3)) return TALLY_DEFAULT_TYPE;
    tally_array y = one;
    if (op == TALLY_DOT) options.second = &y;
    options.initial = "";
    if (tally_result_like(TALLY_REDUCE, op, &one, &options, &like) == TALLY_OK) return options.type;
    options.initial = NULL;
    return tally_result_like(TALLY_REDUCE, op, &one, &options, &like) == TALLY_OK ? options.type : TALLY_DEFAULT_TYPE;
}

struct problem {
    tally_verb verb;
    tally_op op;
    tally_type type;
    tally_options options;
    int with_initial;
};

static tally_status run(tally_context *context, const struct problem *p, const tally_array *x,
                        const tally_options *options, const tally_array *out)
{
    return p->verb == TALLY_REDUCE ? tally_reduce(context, p->op, x, out, options)
                                   : tally_scan(context, p->op, x, out, options);
}

static void compare(const struct problem *p, int64_t most)
{
    int64_t shape[8];
    int32_t axes[8], rank = random_shape(shape, most);
    _Alignas(16) unsigned char initial[16];
    tally_options options = p->options;
    tally_array x = random_view(p->type, rank, shape, room_x, LONGEST),
                y = random_view(p->type, rank, shape, room_y, LONGEST);
    tally_array m = random_view(TALLY_BOOL, rank, shape, mask, LONGEST), like;
    tally_array far_second = moved(y, room_y, far_y), far_where = moved(m, mask, far_mask);
    int on_device = (int)test_random_below(2);
    options.axes = axes;
    options.axis_count = random_axes(rank, axes);
    if (p->verb == TALLY_SCAN) axes[0] = (int32_t)test_random_below((uint64_t)rank), options.axis_count = 1;
    if (p->op == TALLY_DOT) options.second = &y;
    int masked = options.where != NULL;
    if (masked) options.where = &m;
    options.initial = p->with_initial ? initial : NULL;
    if (tally_result_like(p->verb, p->op, &x, &options, &like) != TALLY_OK) return;
    data_element(like.type, DATA_ORDINARY, initial);
    if (p->op == TALLY_VAR || p->op == TALLY_STD) options.correction = (double)test_random_below(3) / 2;
    snprintf(where_text, sizeof where_text,
             "%s %s of %s to %s, shape %lld %lld %lld %lld (%d), axes %d (%d %d), flags 0x%x, mask %d, initial %d, %s "
             "memory",
             p->verb == TALLY_SCAN ? "scan" : "reduce", tally_op_name(p->op), tally_type_name(p->type),
             tally_type_name(like.type), (long long)shape[0], (long long)(rank > 1 ? shape[1] : 0),
             (long long)(rank > 2 ? shape[2] : 0), (long long)(rank > 3 ? shape[3] : 0), (int)rank,
             (int)options.axis_count, (int)axes[0], options.axis_count > 1 ? (int)axes[1] : -9, (unsigned)options.flags,
             masked, p->with_initial, on_device ? "device" : "host");
    test.section = where_text;
    size_t bytes = bytes_of(&like);
    memset(want, 0xab, bytes + 16);
    memset(got, 0xab, bytes + 16);
    like.data = want;
    tally_status expected = run(judge, p, &x, &options, &like), status;
    if (on_device) {
        CHECK(tally_copy(device, far_out, got, bytes + 16) == TALLY_OK);
        like.data = far_out;
        x = moved(x, room_x, far_x);
        if (options.second) options.second = &far_second;
        if (options.where) options.where = &far_where;
        status = run(device, p, &x, &options, &like);
        CHECK(tally_copy(device, got, far_out, bytes + 16) == TALLY_OK);
    } else {
        like.data = got;
        status = run(device, p, &x, &options, &like);
    }
    int shown = test.failed < TEST_SHOWN;
    if (!CHECK_EQUAL_I64(status, expected) && shown) fprintf(stderr, "    %s\n", tally_last_error());
    if (status == expected && !CHECK(memcmp(got, want, bytes + 16) == 0) && shown) {
        size_t i = 0;
        while (got[i] == want[i]) i++;
        size_t at = i / tally_type_size(like.type) * tally_type_size(like.type);
        fprintf(stderr, "    element %zu of %zu: got", at / tally_type_size(like.type),
                bytes / tally_type_size(like.type));
        for (size_t k = tally_type_size(like.type); k-- > 0;) fprintf(stderr, " %02x", got[at + k]);
        fprintf(stderr, ", want");
        for (size_t k = tally_type_size(like.type); k-- > 0;) fprintf(stderr, " %02x", want[at + k]);
        fprintf(stderr, "\n");
    }
}

static void random_program(int with_scans, int64_t scale)
{
    static const uint32_t flags[] = {0, 0, TALLY_SKIP_NAN, TALLY_PLAIN, TALLY_CHECK_OVERFLOW};
    struct problem p = {TALLY_REDUCE, 1 + test_random_below(23), 1 + (tally_type)test_random_below(15),
                        TALLY_OPTIONS_INIT, test_random_below(4) == 0};
    if (with_scans && test_random_below(3) == 0) p.verb = TALLY_SCAN;
    p.options.flags = flags[test_random_below(5)];
    if (p.verb == TALLY_SCAN) p.options.flags |= (uint32_t)test_random_below(4) * TALLY_EXCLUSIVE;
    p.options.type = random_result(p.op, p.type);
    tally_array any;
    if (test_random_below(4) == 0) p.options.where = &any;
    enum data_kind kind = (enum data_kind)test_random_below(DATA_KINDS);
    data_fill(p.type, kind, room_x, LONGEST);
    data_fill(p.type, kind, room_y, LONGEST);
    copy_in(far_x, room_x);
    copy_in(far_y, room_y);
    for (int k = 0; k < 8; k++) compare(&p, k == 7 ? 20 * scale : k < 4 ? scale / 5 : scale);
}

/* Long enough for splits to look back at each other. */
static void long_scan(tally_context *cpu, tally_op op, tally_type type, int64_t n, int repeats)
{
    tally_array x = tally_vector(room_x, type, n), like;
    CHECK(tally_result_like(TALLY_SCAN, op, &x, NULL, &like) == TALLY_OK);
    size_t bytes = bytes_of(&like);
    snprintf(where_text, sizeof where_text, "scan %s of %lld %s", tally_op_name(op), (long long)n,
             tally_type_name(type));
    test.section = where_text;
    like.data = want;
    CHECK(tally_scan(cpu, op, &x, &like, NULL) == TALLY_OK);
    for (int k = 0; k < repeats; k++) {
        memset(got, 0xab, bytes);
        like.data = got;
        CHECK(tally_scan(device, op, &x, &like, NULL) == TALLY_OK);
        CHECK(memcmp(got, want, bytes) == 0);
    }
}

static void long_scans(int simulated)
{
    static const tally_type types[] = {TALLY_I8, TALLY_I32, TALLY_F32, TALLY_F64};
    static const tally_op ops[] = {TALLY_MAX, TALLY_SUM, TALLY_ANY};
    tally_context *cpu;
    CHECK(tally_open("cpu", &cpu) == TALLY_OK);
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        int64_t n = (simulated ? 40000 : ROOM / 8) - (int64_t)test_random_below(9000);
        data_fill(types[t], DATA_TIES, room_x, n / 2);
        data_fill(types[t], DATA_ORDINARY, room_x + (size_t)(n / 2) * tally_type_size(types[t]), n - n / 2);
        for (size_t o = 0; o < sizeof ops / sizeof ops[0]; o++) {
            if (simulated && (t + o) % 3 != 1) continue; /* compiling takes its time */
            long_scan(cpu, ops[o], types[t], n, simulated ? 1 : 5);
        }
    }
    CHECK(tally_close(cpu) == TALLY_OK);
}

/* Running results that are to be checked for overflow, of every width: side by side, and every second element. */
static void checked_scans(int simulated)
{
    static const tally_type types[] = {TALLY_I8, TALLY_U16, TALLY_I32, TALLY_U64};
    static const tally_op ops[] = {TALLY_SUM, TALLY_PROD};
    for (int k = 0; k < 16; k++) {
        tally_op op = ops[k / 2 % 2];
        tally_type type = types[k / 4];
        int64_t n = k % 2 ? 60 : 9000, size = (int64_t)tally_type_size(type);
        if (simulated && k % 5 != 0) continue; /* compiling takes its time */
        memset(room_x, 0, (size_t)(n * size * 2));
        for (int64_t i = 0; i < n * 2; i += op == TALLY_PROD ? 1 : n / 25) room_x[i * size] = 1; /* little-endian */
        tally_array x = tally_vector(room_x, type, n), like;
        tally_options options = TALLY_OPTIONS_INIT;
        options.flags = TALLY_CHECK_OVERFLOW;
        options.type = type;
        x.strides[0] = k % 2 ? 2 : 1;
        snprintf(where_text, sizeof where_text, "checked scan %s of %s", tally_op_name(op), tally_type_name(type));
        test.section = where_text;
        CHECK(tally_result_like(TALLY_SCAN, op, &x, &options, &like) == TALLY_OK);
        memset(want, 0xab, (size_t)(n * size));
        memset(got, 0xab, (size_t)(n * size));
        like.data = want;
        CHECK(tally_scan(judge, op, &x, &like, &options) == TALLY_OK);
        like.data = got;
        CHECK(tally_scan(device, op, &x, &like, &options) == TALLY_OK);
        CHECK(memcmp(got, want, (size_t)(n * size)) == 0);
    }
}

/* Vectors of every length around those of tiles, from every alignment: ends of vectors, tiles and splits. */
static void every_length(tally_op op, tally_type type)
{
    size_t size = tally_type_size(type);
    data_fill(type, DATA_ORDINARY, room_x, 9000);
    copy_in(far_x, room_x);
    for (int64_t n = 1; n < 9000 - 8; n += n < 300 ? 1 : 1 + n / 7) {
        unsigned char results[2][16] = {{0}};
        size_t offset = (size_t)test_random_below(8) * size;
        tally_array x = tally_vector(room_x + offset, type, n), like;
        snprintf(where_text, sizeof where_text, "reduce %s of %lld %s", tally_op_name(op), (long long)n,
                 tally_type_name(type));
        test.section = where_text;
        CHECK(tally_result_like(TALLY_REDUCE, op, &x, NULL, &like) == TALLY_OK);
        like.data = results[0];
        CHECK(tally_reduce(judge, op, &x, &like, NULL) == TALLY_OK);
        x.data = far_x + offset;
        like.data = far_out;
        CHECK(tally_copy(device, far_out, results[1], 16) == TALLY_OK);
        CHECK(tally_reduce(device, op, &x, &like, NULL) == TALLY_OK);
        CHECK(tally_copy(device, results[1], far_out, 16) == TALLY_OK);
        CHECK(memcmp(results[0], results[1], 16) == 0);
    }
}

int main(void)
{
    const char *programs = getenv("TALLY_TEST_PROGRAMS"), *scans = getenv("TALLY_TEST_SCANS");
    if (!device_open("reference")) return test_left_out("device_agree", tally_last_error());
    far_x = device_room(ROOM), far_y = device_room(ROOM), far_mask = device_room(ROOM), far_out = device_room(ROOM);
    for (int64_t i = 0; i < ROOM; i++) mask[i] = test_random_below(5) != 0;
    copy_in(far_mask, mask);
    int simulated = device_simulated();
    int64_t scale = simulated ? 500 : 4000;
    int with_scans = scans == NULL || *scans != '0';
    for (int k = 0; k < (programs ? atoi(programs) : 40); k++) random_program(with_scans, scale);
    if (with_scans) long_scans(simulated);
    if (with_scans) checked_scans(simulated);
    every_length(TALLY_SUM, TALLY_I32);
    every_length(TALLY_SUM, TALLY_F32);
    every_length(TALLY_PROD, TALLY_F32);
    device_close();
    return test_finish("device_agree");
}
