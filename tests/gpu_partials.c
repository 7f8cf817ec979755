/* SPDX-License-Identifier: MIT
 *
 * gpu_partials.c - partials and carried scans on a GPU (TALLY_TEST_DEVICE, else simt): added in random pieces from host
 * and device memory, packed, sent to other engines and merged, they have the bits that the reference engine gives for
 * the whole. */
#define _POSIX_C_SOURCE 200809L
#include "data.h"

#define LONGEST 14000 /* three leaves, and some */
#define BYTES ((size_t)LONGEST * 16)

static tally_context *device, *reference, *cpu;
static _Alignas(64) unsigned char room_x[BYTES], room_y[BYTES], room_mask[LONGEST], want[BYTES], got[BYTES];
static unsigned char *device_x, *device_y, *device_mask, *device_out;

struct setting {
    tally_op op;
    tally_type type;
    uint32_t flags;
    enum data_kind kind;
    int64_t cells, n; /* elements of a cell */
    int masked, rows; /* rows: the cells' elements lie side by side */
    int with_initial;
};

static int is_ordered(const struct setting *s)
{
    if (s->op == TALLY_LOGSUMEXP) return 1;
    if (s->type < TALLY_F16) return 0;
    if (s->op == TALLY_PROD) return 1;
    return (s->flags & TALLY_PLAIN) != 0 && s->op != TALLY_MIN && s->op != TALLY_MAX;
}

static void describe(const struct setting *s, const char *what)
{
    fprintf(stderr, "%s: %s of %s, flags 0x%x, %lld x %lld, %s%s\n", what, tally_op_name(s->op),
            tally_type_name(s->type), (unsigned)s->flags, (long long)s->cells, (long long)s->n,
            s->rows ? "rows" : "columns", s->masked ? ", masked" : "");
}

/* Elements [from, to) of every cell. */
static tally_array slice(const struct setting *s, tally_type type, unsigned char *room, int64_t from, int64_t to)
{
    size_t size = tally_type_size(type);
    if (s->cells == 0) return tally_vector(room + (size_t)from * size, type, to - from);
    tally_array a = tally_matrix(room, type, s->rows ? s->cells : to - from, s->rows ? to - from : s->cells);
    a.strides[0] = s->rows ? s->n : s->cells;
    a.data = room + (size_t)(from * (s->rows ? 1 : s->cells)) * size;
    return a;
}

static tally_options options_of(const struct setting *s)
{
    static const int32_t axes[] = {0, 1};
    tally_options options = TALLY_OPTIONS_INIT;
    options.flags = s->flags;
    options.axes = &axes[s->cells && s->rows], options.axis_count = 1;
    if (s->op == TALLY_VAR || s->op == TALLY_STD) options.correction = 1;
    return options;
}

static void fill(const struct setting *s)
{
    int64_t n = s->n * (s->cells ? s->cells : 1);
    data_fill(s->type, s->kind, room_x, n);
    data_fill(s->type, s->kind, room_y, n);
    for (int64_t i = 0; i < n; i++) room_mask[i] = test_random_below(4) != 0;
    CHECK(tally_copy(device, device_x, room_x, BYTES) == TALLY_OK);
    CHECK(tally_copy(device, device_y, room_y, BYTES) == TALLY_OK);
    CHECK(tally_copy(device, device_mask, room_mask, LONGEST) == TALLY_OK);
}

/* ---- partials ---- */

static tally_partial *open_partial(tally_context *context, const struct setting *s, int64_t position)
{
    tally_options options = options_of(s);
    tally_partial *partial = NULL;
    options.position = position;
    CHECK_EQUAL_I64(tally_partial_new(context, s->op, s->type, s->cells ? 1 : 0, &s->cells, &options, &partial),
                    TALLY_OK);
    return partial;
}

static void add(tally_partial *partial, const struct setting *s, int64_t from, int64_t to, int on_device)
{
    tally_array x = slice(s, s->type, on_device & 1 ? device_x : room_x, from, to);
    tally_array y = slice(s, s->type, on_device & 1 ? device_y : room_y, from, to);
    tally_array mask = slice(s, TALLY_BOOL, on_device & 2 ? device_mask : room_mask, from, to);
    if (tally_partial_add(partial, &x, s->op == TALLY_DOT ? &y : NULL, s->masked ? &mask : NULL) != TALLY_OK) {
        CHECK(!"tally_partial_add");
        describe(s, tally_last_error());
    }
}

/* Through bytes to another engine, which must write the same ones. */
static tally_partial *sent(tally_partial *partial, tally_context *to)
{
    size_t size = 0;
    tally_partial *other = NULL;
    CHECK(tally_partial_pack(partial, NULL, &size) == TALLY_OK);
    unsigned char *bytes = malloc(size), *again = malloc(size);
    CHECK(tally_partial_pack(partial, bytes, &size) == TALLY_OK);
    CHECK_EQUAL_I64(tally_partial_unpack(to, bytes, size, &other), TALLY_OK);
    CHECK(tally_partial_pack(other, again, &size) == TALLY_OK && memcmp(bytes, again, size) == 0);
    free(bytes), free(again);
    tally_partial_free(partial);
    return other;
}

static tally_partial *piece(const struct setting *s, int64_t from, int64_t to)
{
    tally_partial *partial = open_partial(device, s, from);
    while (from < to) {
        int64_t end = from + (int64_t)test_random_below((uint64_t)(to - from) + 1);
        if (test_random_below(3) == 0) end = to;
        add(partial, s, from, end, (int)test_random_below(4));
        if (test_random_below(6) == 0) partial = sent(sent(partial, test_random_below(2) ? cpu : reference), device);
        from = end;
    }
    return partial;
}

/* Into memory of the device, results side by side or `apart`: what lies between is as it was. */
static void finish_there(const tally_partial *partial, const tally_array *like, size_t bytes, int64_t apart)
{
    const size_t size = tally_type_size(like->type), room = bytes * (size_t)apart;
    tally_array result = *like;
    unsigned char *expected = malloc(room), *found = malloc(room);
    result.data = device_out;
    for (int32_t d = 0; d < result.rank; d++) result.strides[d] *= apart;
    memset(expected, 0xab, room);
    CHECK(tally_copy(device, device_out, expected, room) == TALLY_OK);
    for (size_t i = 0; i < bytes / size; i++) memcpy(expected + i * (size_t)apart * size, want + i * size, size);
    CHECK_EQUAL_I64(tally_partial_finish(partial, &result), TALLY_OK);
    CHECK(tally_copy(device, found, device_out, room) == TALLY_OK);
    CHECK(memcmp(found, expected, room) == 0);
    free(expected), free(found);
}

static void check_finish(tally_partial *partial, const struct setting *s, const tally_array *like, tally_status status)
{
    int64_t values = s->op == TALLY_MINMAX ? 2 : 1, added, absent, added_there, absent_there;
    size_t bytes = (size_t)(values * (s->cells ? s->cells : 1)) * tally_type_size(like->type);
    tally_array result = *like;
    result.data = got;
    CHECK_EQUAL_I64(tally_partial_finish(partial, &result), status);
    if (status == TALLY_OK && !CHECK(memcmp(got, want, bytes) == 0)) describe(s, "results differ");
    if (status == TALLY_OK) finish_there(partial, like, bytes, 1 + (int64_t)test_random_below(3));
    tally_partial *whole = open_partial(reference, s, 0);
    add(whole, s, 0, s->n, 0);
    CHECK(tally_partial_count(partial, &added, &absent) == TALLY_OK);
    CHECK(tally_partial_count(whole, &added_there, &absent_there) == TALLY_OK);
    CHECK_EQUAL_I64(added, added_there);
    CHECK_EQUAL_I64(absent, absent_there);
    tally_partial_free(whole);
}

static void check_partial(const struct setting *s)
{
    tally_array like, x = slice(s, s->type, room_x, 0, s->n), y = slice(s, s->type, room_y, 0, s->n);
    tally_array mask = slice(s, TALLY_BOOL, room_mask, 0, s->n);
    tally_options options = options_of(s);
    if (s->masked) options.where = &mask;
    if (s->op == TALLY_DOT) options.second = &y;
    if (!CHECK(tally_result_like(TALLY_REDUCE, s->op, &x, &options, &like) == TALLY_OK)) {
        describe(s, tally_last_error());
        return;
    }
    fill(s);
    like.data = want;
    tally_status status = tally_reduce(reference, s->op, &x, &like, &options);
    tally_partial *all = piece(s, 0, s->n);
    check_finish(all, s, &like, status);
    tally_partial_free(all);
    int64_t cut = (int64_t)test_random_below((uint64_t)s->n + 1);
    if (is_ordered(s)) cut = cut / 4096 * 4096;
    tally_partial *first = piece(s, 0, cut), *second = piece(s, cut, s->n);
    CHECK_EQUAL_I64(tally_partial_merge(first, second), TALLY_OK);
    check_finish(first, s, &like, status);
    tally_partial_free(first), tally_partial_free(second);
}

/* The same programs in several shapes, so that few kernels are compiled. */
static void every_shape(struct setting s)
{
    static const int64_t shapes[][2] = {{0, 13000}, {0, 5000}, {3, 4400}, {60, 40}, {0, 1}};
    int first = (int)test_random_below(DATA_KINDS);
    if (!test_in_part((int)s.op + (int)s.type)) return;
    for (int i = 0; i < 5; i++) {
        s.cells = shapes[i][0], s.n = shapes[i][1];
        s.rows = (int)test_random_below(2);
        s.kind =
            (enum data_kind)((first + i) % DATA_KINDS); /* each at least once: wide ones take kernels of their own */
        check_partial(&s);
    }
}

static void unordered_partials(void)
{
    static const struct setting settings[] = {
        {.op = TALLY_SUM, .type = TALLY_F64},
        {.op = TALLY_SUM, .type = TALLY_F32, .masked = 1},
        {.op = TALLY_VAR, .type = TALLY_C64},
        {.op = TALLY_STD, .type = TALLY_F64, .flags = TALLY_SKIP_NAN},
        {.op = TALLY_DOT, .type = TALLY_F64, .masked = 1},
        {.op = TALLY_DOT, .type = TALLY_I32},
        {.op = TALLY_MEAN, .type = TALLY_I64},
        {.op = TALLY_NORM1, .type = TALLY_C128},
        {.op = TALLY_SUM, .type = TALLY_U8},
        {.op = TALLY_SUM, .type = TALLY_I64, .flags = TALLY_CHECK_OVERFLOW},
        {.op = TALLY_PROD, .type = TALLY_I16},
        {.op = TALLY_PROD, .type = TALLY_I64, .flags = TALLY_CHECK_OVERFLOW},
        {.op = TALLY_MIN, .type = TALLY_F16, .flags = TALLY_SKIP_NAN},
        {.op = TALLY_MAX, .type = TALLY_U64, .masked = 1},
        {.op = TALLY_MINMAX, .type = TALLY_BF16},
        {.op = TALLY_NORMINF, .type = TALLY_F32},
        {.op = TALLY_COUNT_NONZERO, .type = TALLY_C64},
        {.op = TALLY_ALL, .type = TALLY_BOOL},
        {.op = TALLY_BIT_XOR, .type = TALLY_U32},
    };
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) every_shape(settings[i]);
}

static void chosen_partials(void)
{
    static const struct setting settings[] = {
        {.op = TALLY_ARGMIN, .type = TALLY_F32},
        {.op = TALLY_ARGMAX, .type = TALLY_I8, .masked = 1},
        {.op = TALLY_ARGMAX, .type = TALLY_F16, .flags = TALLY_SKIP_NAN},
        {.op = TALLY_FIRST, .type = TALLY_C128},
        {.op = TALLY_LAST, .type = TALLY_U16},
        {.op = TALLY_LAST, .type = TALLY_BF16, .masked = 1},
        {.op = TALLY_FIRST, .type = TALLY_C64, .flags = TALLY_SKIP_NAN},
    };
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) every_shape(settings[i]);
}

static void ordered_partials(void)
{
    static const struct setting settings[] = {
        {.op = TALLY_PROD, .type = TALLY_F64},
        {.op = TALLY_PROD, .type = TALLY_F16, .masked = 1},
        {.op = TALLY_PROD, .type = TALLY_C64},
        {.op = TALLY_LOGSUMEXP, .type = TALLY_F32, .flags = TALLY_SKIP_NAN},
        {.op = TALLY_LOGSUMEXP, .type = TALLY_I32},
        {.op = TALLY_SUM, .type = TALLY_F32, .flags = TALLY_PLAIN},
        {.op = TALLY_DOT, .type = TALLY_C128, .flags = TALLY_PLAIN},
        {.op = TALLY_VAR, .type = TALLY_F64, .flags = TALLY_PLAIN, .masked = 1},
    };
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) every_shape(settings[i]);
}

/* Rows with gaps that go on behind elements added before, so that leaves of the tree begin at any element of a row. */
static void rows_after_others(tally_type type, int64_t before, int64_t rows, int64_t columns, int64_t pitch)
{
    tally_context *const contexts[] = {reference, device};
    unsigned char *const results[] = {want, got};
    const size_t size = tally_type_size(type);
    const int32_t both[] = {0, 1};
    for (int64_t i = 0; i < rows * pitch + 8; i++) data_element(type, DATA_ORDINARY, room_x + (size_t)i * size);
    CHECK(tally_copy(device, device_x, room_x, BYTES) == TALLY_OK);
    for (int k = 0; k < 2; k++) {
        unsigned char *from = k ? device_x : room_x;
        tally_array first = tally_vector(from, type, before), x = tally_matrix(from + 16, type, rows, columns), out;
        tally_options options = TALLY_OPTIONS_INIT;
        tally_partial *partial;
        x.strides[0] = pitch, x.strides[1] = columns == 2 ? 2 : 1;
        CHECK(tally_partial_new(contexts[k], TALLY_LOGSUMEXP, type, 0, NULL, &options, &partial) == TALLY_OK);
        options.axes = both, options.axis_count = 2;
        CHECK(tally_partial_add(partial, &first, NULL, NULL) == TALLY_OK);
        if (!CHECK(tally_partial_add(partial, &x, NULL, NULL) == TALLY_OK))
            fprintf(stderr, "    %s\n", tally_last_error());
        out = tally_shaped(results[k], type, 0, NULL);
        CHECK(tally_partial_finish(partial, &out) == TALLY_OK);
        CHECK(tally_partial_free(partial) == TALLY_OK);
    }
    CHECK(memcmp(want, got, size) == 0);
}

/* Several calculations in one pass, one of which wants what another does not. */
static void several_at_once(void)
{
    static const tally_op ops[] = {TALLY_SUM, TALLY_PROD, TALLY_ARGMIN, TALLY_LAST, TALLY_FIRST};
    enum { COUNT = sizeof ops / sizeof ops[0] };
    struct setting s = {.type = TALLY_F64, .n = 9000, .kind = DATA_WIDE};
    tally_partial *ours[COUNT], *theirs[COUNT];
    for (int i = 0; i < COUNT; i++) {
        s.op = ops[i];
        ours[i] = open_partial(device, &s, 0), theirs[i] = open_partial(reference, &s, 0);
    }
    fill(&s);
    for (int64_t from = 0, end; from < s.n; from = end) {
        end = from + 1 + (int64_t)test_random_below(6000);
        if (end > s.n) end = s.n;
        tally_array x = slice(&s, s.type, test_random_below(2) ? device_x : room_x, from, end);
        tally_array same = slice(&s, s.type, room_x, from, end);
        CHECK_EQUAL_I64(tally_partial_add_all(ours, COUNT, &x, NULL, NULL), TALLY_OK);
        CHECK_EQUAL_I64(tally_partial_add_all(theirs, COUNT, &same, NULL, NULL), TALLY_OK);
    }
    for (int i = 0; i < COUNT; i++) {
        tally_type type = ops[i] == TALLY_ARGMIN ? TALLY_I64 : TALLY_F64;
        tally_array a = tally_shaped(got, type, 0, NULL), b = tally_shaped(want, type, 0, NULL);
        CHECK_EQUAL_I64(tally_partial_finish(ours[i], &a), TALLY_OK);
        CHECK_EQUAL_I64(tally_partial_finish(theirs[i], &b), TALLY_OK);
        if (!CHECK(memcmp(got, want, 8) == 0)) fprintf(stderr, "%s of several\n", tally_op_name(ops[i]));
        tally_partial_free(ours[i]), tally_partial_free(theirs[i]);
    }
}

/* ---- carried scans ---- */

/* Along axis 0 of a vector, or of a matrix with s->cells columns. */
static void check_carry(const struct setting *s)
{
    _Alignas(16) unsigned char initial[16];
    tally_options options = options_of(s);
    tally_scan_carry *carry = NULL;
    int64_t cells = s->cells ? s->cells : 1;
    tally_array like, x = slice(s, s->type, room_x, 0, s->n), mask = slice(s, TALLY_BOOL, room_mask, 0, s->n);
    fill(s);
    CHECK_EQUAL_I64(tally_result_like(TALLY_SCAN, s->op, &x, &options, &like), TALLY_OK);
    data_element(like.type, s->kind, initial);
    if (s->with_initial) options.initial = initial;
    CHECK_EQUAL_I64(tally_scan_carry_new(device, s->op, s->type, cells, &options, &carry), TALLY_OK);
    if (s->masked) options.where = &mask;
    like.data = want;
    tally_status expected = tally_scan(reference, s->op, &x, &like, &options), status = TALLY_OK;
    size_t size = tally_type_size(like.type);
    memset(got, 0, BYTES);
    for (int64_t from = 0, end; from < s->n && status == TALLY_OK; from = end) {
        end = from + 1 + (int64_t)test_random_below((uint64_t)(s->n - from));
        int in_place = size == tally_type_size(s->type) && test_random_below(3) == 0;
        int places = (int)test_random_below(8);
        unsigned char *input = places & 1 ? device_x : room_x;
        unsigned char *output = in_place ? input : places & 2 ? device_out : got;
        x = slice(s, s->type, input, from, end);
        mask = slice(s, TALLY_BOOL, places & 4 ? device_mask : room_mask, from, end);
        tally_array out = slice(s, like.type, output, from, end);
        status = tally_scan_continue(carry, &x, &out, &options);
        size_t first = (size_t)(from * cells) * size, bytes = (size_t)((end - from) * cells) * size;
        CHECK(tally_copy(device, got + first, output + first, bytes) == TALLY_OK);
    }
    if (!CHECK_EQUAL_I64(status, expected)) describe(s, tally_last_error());
    if (status == TALLY_OK && !CHECK(memcmp(got, want, (size_t)(s->n * cells) * size) == 0))
        describe(s, "carried scans differ");
    tally_scan_carry_free(carry);
}

static void carried_scans(void)
{
    static const struct setting settings[] = {
        {.op = TALLY_SUM, .type = TALLY_F64},
        {.op = TALLY_SUM, .type = TALLY_F16, .flags = TALLY_EXCLUSIVE, .masked = 1},
        {.op = TALLY_SUM, .type = TALLY_C64, .flags = TALLY_SKIP_NAN},
        {.op = TALLY_SUM, .type = TALLY_F32, .with_initial = 1},
        {.op = TALLY_PROD, .type = TALLY_I16, .flags = TALLY_CHECK_OVERFLOW},
        {.op = TALLY_PROD, .type = TALLY_C128, .with_initial = 1},
        {.op = TALLY_LOGSUMEXP, .type = TALLY_F32, .flags = TALLY_EXCLUSIVE},
        {.op = TALLY_MIN, .type = TALLY_BF16},
    };
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        struct setting s = settings[i];
        if (!test_in_part((int)s.op + (int)s.type)) continue;
        for (int kind = 0; kind < DATA_KINDS; kind++) {
            int columns = (int)test_random_below(2);
            s.cells = columns ? 5 : 0, s.n = columns ? 900 : 9000;
            s.kind = (enum data_kind)kind;
            check_carry(&s);
        }
    }
}

/* A chunk that does not fit leaves the carry and the output as they were. */
static void carry_after_failure(void)
{
    signed char x[] = {100, 20, 100}, out[3] = {1, 2, 3};
    tally_options options = TALLY_OPTIONS_INIT;
    tally_scan_carry *carry = NULL;
    tally_array two = tally_vector(x, TALLY_I8, 2), three = tally_vector(x, TALLY_I8, 3);
    tally_array to_two = tally_vector(out, TALLY_I8, 2), to_three = tally_vector(out, TALLY_I8, 3);
    options.type = TALLY_I8;
    options.flags = TALLY_CHECK_OVERFLOW;
    CHECK_EQUAL_I64(tally_scan_carry_new(device, TALLY_SUM, TALLY_I8, 1, &options, &carry), TALLY_OK);
    CHECK_EQUAL_I64(tally_scan_continue(carry, &three, &to_three, &options), TALLY_OVERFLOW);
    CHECK(out[0] == 1 && out[1] == 2 && out[2] == 3);
    CHECK_EQUAL_I64(tally_scan_continue(carry, &two, &to_two, &options), TALLY_OK);
    CHECK(out[0] == 100 && out[1] == 120);
    tally_scan_carry_free(carry);
}

int main(void)
{
    const char *name = getenv("TALLY_TEST_DEVICE");
    setenv("TALLY_SIMT_APART", "1", 0); /* out of the host's reach, as a GPU's memory is */
    if (tally_open(name ? name : "simt", &device) != TALLY_OK) {
        printf("gpu_partials: SKIPPED, %s\n", tally_last_error());
        printf("gpu_partials: 0 passed, 0 failed\n");
        return 0;
    }
    CHECK(tally_open("reference", &reference) == TALLY_OK && tally_open("cpu:1", &cpu) == TALLY_OK);
    void **rooms[] = {(void **)&device_x, (void **)&device_y, (void **)&device_mask, (void **)&device_out};
    for (int i = 0; i < 4; i++) CHECK(tally_alloc(device, BYTES, rooms[i]) == TALLY_OK);
    CASE("unordered folds and exact sums") unordered_partials();
    CASE("elements that are chosen") chosen_partials();
    CASE("ordered folds") ordered_partials();
    CASE("rows after others")
    {
        static const tally_type types[] = {TALLY_F32, TALLY_F16, TALLY_F64};
        for (int k = 0; k < 3; k++) {
            rows_after_others(types[k], 1 + 2 * k, 1024, 8, 16);
            rows_after_others(types[k], 3, 4096, 2, 5);
            rows_after_others(types[k], 4, 1024, 8, 16);
        }
    }
    CASE("several at once") several_at_once();
    CASE("carried scans") carried_scans();
    CASE("a carry after a failure") carry_after_failure();
    for (int i = 0; i < 4; i++) CHECK(tally_free(device, *rooms[i], BYTES) == TALLY_OK);
    CHECK(tally_close(device) == TALLY_OK && tally_close(cpu) == TALLY_OK && tally_close(reference) == TALLY_OK);
    return test_finish("gpu_partials");
}
