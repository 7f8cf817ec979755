/* SPDX-License-Identifier: MIT
 *
 * host_arrays.c - arrays in host memory on a device with memory of its own: copies of every length through the pinned
 * ring, and reductions and scans cut into pieces that fit (TALLY_GPU_CHUNK_BYTES), bit for bit those of the whole. On
 * simt, or TALLY_TEST_DEVICE. */
#define _POSIX_C_SOURCE 200809L
#include "device.h"
#include "views.h"

#define LONGEST 20000
#define ROOM (LONGEST * 32 + 64)

static _Alignas(64) unsigned char x[ROOM], y[ROOM], mask[ROOM], want[ROOM], got[ROOM];
static char section[200];

static void copies(void)
{
    static const size_t lengths[] = {1, 4096, (1 << 20) - 1, 1 << 20, (2 << 20) + 1, 5000000, 16 << 20, 70000003};
    size_t most = 70000003 + 64;
    unsigned char *from = malloc(most), *to = malloc(most);
    void *far;
    test.section = "copies";
    if (!CHECK(from && to)) return;
    for (size_t i = 0; i < most; i++) from[i] = (unsigned char)(i * 2654435761u >> 13);
    if (!CHECK(tally_alloc(device, most, &far) == TALLY_OK)) return;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        memset(to, 0, most);
        CHECK(tally_copy(device, far, to, most) == TALLY_OK);
        CHECK(tally_copy(device, (char *)far + 3, from + 1, lengths[i]) == TALLY_OK);
        CHECK(tally_copy(device, to + 5, (char *)far + 3, lengths[i]) == TALLY_OK);
        CHECK(memcmp(to + 5, from + 1, lengths[i]) == 0 && to[4] == 0 && to[5 + lengths[i]] == 0);
    }
    CHECK(tally_free(device, far, most) == TALLY_OK);
    free(from);
    free(to);
}

/* Whether the device lacks what pieces along a reduced axis are added with. */
static int has_partials(void)
{
    tally_partial *partial;
    float one = 1;
    tally_array input = tally_vector(&one, TALLY_F32, 1);
    if (tally_partial_new(device, TALLY_SUM, TALLY_F32, 0, NULL, NULL, &partial) != TALLY_OK) return 0;
    tally_status status = tally_partial_add(partial, &input, NULL, NULL);
    tally_partial_free(partial);
    if (status != TALLY_OK) printf("LEFT OUT: pieces along reduced axes: %s\n", tally_last_error());
    return status == TALLY_OK;
}

static tally_status run(tally_context *context, tally_verb verb, tally_op op, const tally_array *a,
                        const tally_array *out, const tally_options *options)
{
    return (verb == TALLY_SCAN ? tally_scan : tally_reduce)(context, op, a, out, options);
}

/* Random views up to `most` elements; pieces of at least so many bytes. */
static void random_pieces(tally_verb verb, int partials, int64_t most, size_t least)
{
    static const uint32_t flags[] = {0, 0, TALLY_SKIP_NAN, TALLY_PLAIN, TALLY_CHECK_OVERFLOW};
    tally_op op = 1 + test_random_below(23);
    tally_type type = 1 + (tally_type)test_random_below(15);
    int64_t shape[8];
    int32_t axes[8], rank = random_shape(shape, most);
    _Alignas(16) unsigned char initial[16];
    tally_options options = TALLY_OPTIONS_INIT;
    enum data_kind kind = (enum data_kind)test_random_below(DATA_KINDS);
    data_fill(type, kind, x, LONGEST);
    data_fill(type, kind, y, LONGEST);
    tally_array a = random_view(type, rank, shape, x, LONGEST), b = random_view(type, rank, shape, y, LONGEST);
    tally_array m = random_view(TALLY_BOOL, rank, shape, mask, LONGEST), like;
    char limit[32];
    options.flags = flags[test_random_below(5)];
    options.axes = axes;
    options.axis_count = random_axes(rank, axes);
    if (verb == TALLY_SCAN) {
        axes[0] = (int32_t)test_random_below((uint64_t)rank), options.axis_count = 1;
        options.flags |= (uint32_t)test_random_below(4) * TALLY_EXCLUSIVE; /* and reverse */
    }
    if (op == TALLY_DOT) options.second = &b;
    if (test_random_below(3) == 0) options.where = &m;
    if (test_random_below(3) == 0) options.initial = initial;
    if (tally_result_like(verb, op, &a, &options, &like) != TALLY_OK) return;
    data_element(like.type, DATA_ORDINARY, initial);
    size_t bytes = bytes_of(&like), whole = bytes_of(&a);
    snprintf(limit, sizeof limit, "%zu", least + (size_t)test_random_below(whole + 1));
    snprintf(section, sizeof section, "%s %s of %s, flags 0x%x, rank %d, axes %d%s%s, limit %s of %zu",
             verb == TALLY_SCAN ? "scan" : "reduce", tally_op_name(op), tally_type_name(type), (unsigned)options.flags,
             (int)rank, (int)options.axis_count, options.where ? ", mask" : "", options.initial ? ", initial" : "",
             limit, whole);
    test.section = section;
    memset(want, 0xab, bytes + 16);
    memset(got, 0xab, bytes + 16);
    like.data = want;
    tally_status expected = run(judge, verb, op, &a, &like, &options);
    setenv("TALLY_GPU_CHUNK_BYTES", limit, 1);
    like.data = got;
    tally_status status = run(device, verb, op, &a, &like, &options);
    unsetenv("TALLY_GPU_CHUNK_BYTES");
    if (status == TALLY_OUT_OF_MEMORY) {
        CHECK(strstr(tally_last_error(), "bytes") && strstr(tally_last_error(), "are free"));
        return;
    }
    if (status == TALLY_UNSUPPORTED && !partials) return;
    if (!CHECK_EQUAL_I64(status, expected)) fprintf(stderr, "    %s\n", tally_last_error());
    CHECK(memcmp(got, want, bytes + 16) == 0);
}

/* A matrix that is cut by rows, into an output on the device with gaps that stay as they are. */
static void rows_to_device(void)
{
    enum { ROWS = 60, COLUMNS = 100 };
    tally_array a = tally_matrix(x, TALLY_I32, ROWS, COLUMNS), out;
    tally_options options = TALLY_OPTIONS_INIT;
    int32_t axis = 1;
    int64_t shape[] = {ROWS}, total[ROWS], spread[ROWS * 3];
    void *far;
    test.section = "rows to the device";
    options.axes = &axis;
    options.axis_count = 1;
    options.flags = TALLY_CHECK_OVERFLOW;
    data_fill(TALLY_I32, DATA_ORDINARY, x, ROWS * COLUMNS);
    memset(spread, 0x77, sizeof spread);
    CHECK(tally_alloc(device, sizeof spread, &far) == TALLY_OK);
    CHECK(tally_copy(device, far, spread, sizeof spread) == TALLY_OK);
    out = tally_shaped(total, TALLY_I64, 1, shape);
    CHECK(tally_reduce(judge, TALLY_SUM, &a, &out, &options) == TALLY_OK);
    setenv("TALLY_GPU_CHUNK_BYTES", "5000", 1);
    out.data = far;
    out.strides[0] = 3;
    CHECK_EQUAL_I64(tally_reduce(device, TALLY_SUM, &a, &out, &options), TALLY_OK);
    unsetenv("TALLY_GPU_CHUNK_BYTES");
    CHECK(tally_copy(device, spread, far, sizeof spread) == TALLY_OK);
    for (int i = 0; i < ROWS; i++)
        CHECK(spread[3 * i] == total[i] && spread[3 * i + 1] == 0x7777777777777777 &&
              spread[3 * i + 2] == 0x7777777777777777);
    CHECK(tally_free(device, far, sizeof spread) == TALLY_OK);
}

/* Running sums that go into host memory whose axes lie in any order, run backwards, or have gaps: nothing else there is
 * written. */
static void layouts(void)
{
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const int64_t shape[3] = {5, 6, 7};
    tally_array a = tally_shaped(x, TALLY_F32, 3, shape), out = tally_shaped(want, TALLY_F32, 3, shape);
    tally_options options = TALLY_OPTIONS_INIT;
    test.section = "results in any layout";
    data_fill(TALLY_F32, DATA_ORDINARY, x, 5 * 6 * 7);
    for (int k = 0; k < 6 * 8 * 3 * 3; k++) {
        const int *order = orders[k % 6], backwards = k / 6 % 8,
                  gap = k / 48 % 3; /* behind rows, behind planes, none */
        int32_t axis = k / 144;
        int64_t stride = 1, low = 16;
        for (int i = 2; i >= 0; i--) {
            const int d = order[i];
            out.strides[d] = backwards >> d & 1 ? -stride : stride;
            if (backwards >> d & 1) low += (shape[d] - 1) * stride;
            stride = stride * shape[d] + (gap == i);
        }
        options.axes = &axis;
        options.axis_count = 1;
        options.flags = k % 5 == 0 ? TALLY_REVERSE : 0;
        memset(want, 0xab, 2000);
        memset(got, 0xab, 2000);
        out.data = want + 4 * low;
        CHECK(tally_scan(judge, TALLY_SUM, &a, &out, &options) == TALLY_OK);
        out.data = got + 4 * low;
        CHECK(tally_scan(device, TALLY_SUM, &a, &out, &options) == TALLY_OK);
        CHECK(memcmp(got, want, 2000) == 0);
    }
}

int main(void)
{
    const char *programs = getenv("TALLY_TEST_PROGRAMS");
    if (!device_open("reference")) return test_left_out("host_arrays", tally_last_error());
    for (int64_t i = 0; i < ROOM; i++) mask[i] = test_random_below(5) != 0;
    copies();
    rows_to_device();
    layouts();
    int partials = has_partials();
    for (int i = 0; i < (programs ? atoi(programs) : 60); i++) {
        random_pieces(TALLY_REDUCE, partials, 2000, 200);
        random_pieces(TALLY_SCAN, partials, 2000, 400);
        if (i % 4 == 0) random_pieces(TALLY_SCAN, partials, LONGEST, 40000); /* whole blocks of ordered scans */
    }
    device_close();
    return test_finish("host_arrays");
}
