/* SPDX-License-Identifier: MIT
 *
 * scan_agree.c - running results of the CPU engine against the reference engine, bit for bit: operators, types, sizes,
 * flags, masks, strides, in place, and in chunks. */
#include "test.h"

#include <math.h>
#include <tally.h>

#define DEVICES 3
static const char *const device_names[DEVICES] = {"cpu:1", "cpu:2", "cpu:5"};
static tally_context *reference, *device[DEVICES];

static const tally_op ops[] = {TALLY_SUM, TALLY_PROD,    TALLY_MIN,    TALLY_MAX,     TALLY_ANY,
                               TALLY_ALL, TALLY_BIT_AND, TALLY_BIT_OR, TALLY_BIT_XOR, TALLY_LOGSUMEXP};
#define OPS ((int)(sizeof ops / sizeof ops[0]))

/* ---- data ---- */

enum data { DATA_PLAIN, DATA_WIDE, DATA_SPECIAL, DATA_BITS, DATA_COUNT };

static double random_value(enum data data)
{
    static const double specials[] = {0.0, -0.0, 1e308 * 10, -1e308 * 10, 5e-324, -5e-324, 1.7976931348623157e308};
    double v = 2 * test_random_uniform() - 1;
    if (data == DATA_SPECIAL && test_random_below(40) == 0) return specials[test_random_below(7)];
    if (data == DATA_SPECIAL && test_random_below(400) == 0) return specials[2] - specials[2];
    return data == DATA_WIDE ? ldexp(v, (int)test_random_below(1200) - 600) : v;
}

/* Elements of a type: floats by value through the library's own conversion, or any bits. */
static void fill(tally_type type, enum data data, unsigned char *bytes, int64_t n)
{
    size_t size = tally_type_size(type);
    for (size_t i = 0; i < (size_t)n * size; i++) bytes[i] = (unsigned char)(test_random() >> 40);
    if (data == DATA_BITS) return;
    for (int64_t i = 0; i < n; i++) {
        double v = random_value(data);
        if (type == TALLY_F64) memcpy(bytes + (size_t)i * 8, &v, 8);
        if (type == TALLY_F32 || type == TALLY_C64) {
            float parts[2] = {(float)v, (float)random_value(data)};
            memcpy(bytes + (size_t)i * size, parts, size);
        }
        if (type == TALLY_C128) {
            double parts[2] = {v, random_value(data)};
            memcpy(bytes + (size_t)i * size, parts, size);
        }
        if (type == TALLY_BF16) {
            float single = (float)v;
            uint32_t bits;
            memcpy(&bits, &single, 4);
            uint16_t high = (uint16_t)(bits >> 16);
            memcpy(bytes + (size_t)i * 2, &high, 2);
        }
        /* The exponent of most binary16 numbers is made small enough to keep sums finite. */
        if (type == TALLY_F16 && data == DATA_PLAIN) bytes[2 * i + 1] &= 0xbf;
        if (type <= TALLY_U64 && data == DATA_PLAIN) memset(bytes + (size_t)i * size + size / 2, 0, size - size / 2);
    }
}

/* ---- one comparison ---- */

struct problem {
    tally_op op;
    tally_array input, like, mask;
    tally_options options;
    unsigned char *x, *where;
    int32_t axis;
};

static int64_t elements(const tally_array *a)
{
    int64_t n = 1;
    for (int32_t d = 0; d < a->rank; d++) n *= a->shape[d];
    return n;
}

static void describe(const struct problem *p, const char *how)
{
    fprintf(stderr, "%s of %s to %s, %s: rank %d shape %lld %lld %lld axis %d flags 0x%x%s%s\n", tally_op_name(p->op),
            tally_type_name(p->input.type), tally_type_name(p->like.type), how, (int)p->input.rank,
            (long long)p->input.shape[0], (long long)p->input.shape[1], (long long)p->input.shape[2], (int)p->axis,
            (unsigned)p->options.flags, p->options.where ? " where" : "", p->options.initial ? " initial" : "");
}

static void compare(const struct problem *p, tally_status status, const void *got, tally_status wanted,
                    const void *want, const char *how)
{
    size_t bytes = (size_t)elements(&p->like) * tally_type_size(p->like.type), i = 0;
    int same = status == wanted;
    while (same && status == TALLY_OK && i < bytes && ((const char *)got)[i] == ((const char *)want)[i]) i++;
    if (status == TALLY_OK) same &= i == bytes;
    if (!CHECK(same)) {
        if (test.failed > TEST_SHOWN) return;
        describe(p, how);
        fprintf(stderr, "    status %s, not %s; first difference in element %lld\n", tally_status_name(status),
                tally_status_name(wanted), (long long)(i / tally_type_size(p->like.type)));
    }
}

/* The same scan through a carry, in chunks of random lengths along axis 0 of a vector. */
static void compare_chunks(const struct problem *p, tally_context *context, const void *want, void *got)
{
    tally_scan_carry *carry = NULL;
    size_t size = tally_type_size(p->input.type), result_size = tally_type_size(p->like.type);
    int64_t n = p->input.shape[0], at = 0;
    int reverse = (p->options.flags & TALLY_REVERSE) != 0;
    tally_status status = tally_scan_carry_new(context, p->op, p->input.type, 1, &p->options, &carry);
    while (status == TALLY_OK && at < n) {
        int64_t length = 1 + (int64_t)test_random_below(test_random_below(2) ? 50 : 9000);
        if (length > n - at) length = n - at;
        int64_t first = reverse ? n - at - length : at;
        tally_array input = p->input,
                    output = tally_vector((char *)got + (size_t)first * result_size, p->like.type, length);
        tally_array mask = p->mask;
        tally_options options = p->options;
        input.data = (char *)input.data + first * input.strides[0] * (int64_t)size;
        input.shape[0] = mask.shape[0] = length;
        mask.data = (char *)mask.data + first * mask.strides[0];
        if (options.where) options.where = &mask;
        status = tally_scan_continue(carry, &input, &output, &options);
        at += length;
    }
    compare(p, status, got, TALLY_OK, want, "in chunks");
    tally_scan_carry_free(carry);
}

static void compare_in_place(const struct problem *p, tally_context *context, const void *want)
{
    size_t size = tally_type_size(p->input.type);
    int64_t lowest = 0, highest = 0;
    for (int32_t d = 0; d < p->input.rank; d++) {
        int64_t reach = p->input.strides[d] * (p->input.shape[d] - 1);
        if (p->input.strides[d] == 0 && p->input.shape[d] > 1) return;
        if (reach < 0) lowest += reach;
        else highest += reach;
    }
    size_t bytes = (size_t)(highest - lowest + 1) * size;
    char *copy = malloc(bytes), *packed = malloc((size_t)elements(&p->like) * size + 1);
    memcpy(copy, (char *)p->input.data + lowest * (int64_t)size, bytes);
    tally_array output = p->input;
    output.data = copy - lowest * (int64_t)size;
    output.type = p->like.type;
    tally_array input = output;
    input.type = p->input.type;
    tally_status status = tally_scan(context, p->op, &input, &output, &p->options);
    for (int64_t i = 0; i < elements(&output); i++) {
        int64_t rest = i, at = 0;
        for (int32_t d = output.rank - 1; d >= 0; d--) {
            at += rest % output.shape[d] * output.strides[d];
            rest /= output.shape[d];
        }
        memcpy(packed + (size_t)i * size, (char *)output.data + at * (int64_t)size, size);
    }
    compare(p, status, packed, TALLY_OK, want, "in place");
    free(packed);
    free(copy);
}

static void run(struct problem *p)
{
    tally_status made = tally_result_like(TALLY_SCAN, p->op, &p->input, &p->options, &p->like);
    if (made != TALLY_OK) {
        CHECK(made == TALLY_UNSUPPORTED);
        return;
    }
    size_t bytes = (size_t)elements(&p->like) * tally_type_size(p->like.type);
    unsigned char initial[16];
    unsigned char *want = malloc(bytes + 1), *got = malloc(bytes + 1);
    if (p->options.initial) {
        fill(p->like.type, DATA_PLAIN, initial, 1);
        p->options.initial = initial;
    }
    tally_array output = p->like;
    output.data = want;
    tally_status wanted = tally_scan(reference, p->op, &p->input, &output, &p->options);
    if (wanted != TALLY_OK) CHECK(wanted == TALLY_OVERFLOW);
    for (int d = 0; d < DEVICES; d++) {
        memset(got, 0xa5, bytes);
        output.data = got;
        tally_status status = tally_scan(device[d], p->op, &p->input, &output, &p->options);
        compare(p, status, got, wanted, want, device_names[d]);
        for (size_t i = 0; status != TALLY_OK && i < bytes; i += 1 + bytes / 7) CHECK(got[i] == 0xa5);
    }
    if (wanted == TALLY_OK && p->input.rank == 1 && p->input.shape[0] > 0) {
        compare_chunks(p, device[test_random_below(DEVICES)], want, got);
        compare_chunks(p, reference, want, got);
    }
    if (wanted == TALLY_OK && tally_type_size(p->like.type) == tally_type_size(p->input.type) && bytes > 0)
        compare_in_place(p, device[test_random_below(DEVICES)], want);
    free(got);
    free(want);
}

/* ---- problems ---- */

static tally_type random_result(tally_op op, tally_type type)
{
    (void)op;
    (void)type;
    return test_random_below(4) ? TALLY_DEFAULT_TYPE : (tally_type)(1 + test_random_below(TALLY_C128));
}

static uint32_t random_flags(void)
{
    static const uint32_t flags[] = {TALLY_EXCLUSIVE, TALLY_REVERSE, TALLY_SKIP_NAN, TALLY_PLAIN, TALLY_CHECK_OVERFLOW};
    uint32_t chosen = 0;
    for (int i = 0; i < 5; i++) chosen |= test_random_below(3) == 0 ? flags[i] : 0;
    return chosen;
}

/* A view with these lengths, in random memory order, with gaps, backwards or broadcast. */
static tally_array random_view(tally_type type, int32_t rank, const int64_t *shape, enum data data, int gaps,
                               unsigned char **memory)
{
    tally_array view = tally_shaped(NULL, type, rank, shape);
    int64_t stride = 1, first = 0;
    int32_t order[3] = {0, 1, 2};
    for (int32_t d = rank - 1; d > 0; d--) {
        int32_t other = (int32_t)test_random_below((uint64_t)d + 1), swap = order[d];
        order[d] = order[other];
        order[other] = swap;
    }
    for (int32_t i = 0; i < rank; i++) {
        int32_t d = order[i];
        int64_t step = gaps ? 1 + (int64_t)test_random_below(3) : 1;
        view.strides[d] = stride * step;
        stride *= step * (shape[d] > 0 ? shape[d] : 1);
        if (gaps && test_random_below(3) == 0) {
            first += view.strides[d] * (shape[d] > 0 ? shape[d] - 1 : 0);
            view.strides[d] = -view.strides[d];
        }
    }
    *memory = malloc((size_t)stride * tally_type_size(type) + 16);
    fill(type, data, *memory, stride);
    view.data = *memory + (size_t)first * tally_type_size(type);
    if (gaps && type != TALLY_BOOL && rank > 1 && test_random_below(5) == 0) {
        int32_t d = (int32_t)test_random_below((uint64_t)rank);
        view.strides[d] = 0;
        if (shape[d] > 0) view.data = *memory + (size_t)(first < stride ? first : 0) * tally_type_size(type);
        view.data = *memory;
        for (int32_t e = 0; e < rank; e++) view.strides[e] = view.strides[e] < 0 ? -view.strides[e] : view.strides[e];
    }
    return view;
}

static void random_problem(tally_op op, tally_type type, int32_t rank, const int64_t *shape)
{
    struct problem p = {.op = op, .options = TALLY_OPTIONS_INIT};
    enum data data = (enum data)test_random_below(DATA_COUNT);
    int gaps = test_random_below(2) == 0;
    p.axis = (int32_t)test_random_below((uint64_t)rank);
    p.input = random_view(type, rank, shape, data, gaps, &p.x);
    p.mask = random_view(TALLY_BOOL, rank, shape, DATA_BITS, gaps, &p.where);
    for (int64_t i = 0; i < elements(&p.mask); i++) {
        if (test_random_below(2)) p.where[i] &= 1;
    }
    p.options.flags = random_flags();
    p.options.type = random_result(op, type);
    p.options.axes = &p.axis;
    p.options.axis_count = 1;
    if (test_random_below(3) == 0) p.options.where = &p.mask;
    if (test_random_below(3) == 0) p.options.initial = &p; /* run() gives it a value */
    tally_array like;
    const void *initial = p.options.initial;
    p.options.initial = NULL;
    if (tally_result_like(TALLY_SCAN, op, &p.input, &p.options, &like) != TALLY_OK) p.options.type = TALLY_DEFAULT_TYPE;
    p.options.initial = initial;
    run(&p);
    free(p.x);
    free(p.where);
}

int main(void)
{
    static const int64_t sizes[] = {0, 1, 2, 15, 16, 17, 511, 512, 513, 1023, 1024, 1025, 4095, 4096, 4097, 20000};
    CHECK(tally_open("reference", &reference) == TALLY_OK);
    for (int d = 0; d < DEVICES; d++) CHECK(tally_open(device_names[d], &device[d]) == TALLY_OK);
    for (int i = 0; i < OPS; i++) {
        for (tally_type type = TALLY_BOOL; type <= TALLY_C128; type++) {
            CASE("vectors")
            {
                for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) random_problem(ops[i], type, 1, &sizes[s]);
            }
            CASE("any shape")
            {
                for (int k = 0; k < 12; k++) {
                    int32_t rank = 2 + (int32_t)test_random_below(2);
                    int64_t shape[3];
                    for (int32_t d = 0; d < rank; d++) shape[d] = (int64_t)test_random_below(rank == 2 ? 80 : 20);
                    if (k % 4 == 0) shape[test_random_below((uint64_t)rank)] = 700;
                    random_problem(ops[i], type, rank, shape);
                }
            }
        }
    }
    CASE("long")
    {
        for (int k = 0; k < 60; k++) {
            int64_t n = 300001 - (int64_t)test_random_below(3000);
            random_problem(ops[k % OPS], (tally_type)(1 + test_random_below(TALLY_C128)), 1, &n);
        }
        for (int k = 0; k < 40; k++) {
            int64_t shape[2] = {90000, 1 + (int64_t)test_random_below(6)};
            if (k % 2) shape[0] = shape[1], shape[1] = 90000;
            random_problem(ops[k % OPS], (tally_type)(1 + test_random_below(TALLY_C128)), 2, shape);
        }
    }
    for (int d = 0; d < DEVICES; d++) tally_close(device[d]);
    tally_close(reference);
    return test_finish("scan_agree");
}
