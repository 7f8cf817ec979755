/* SPDX-License-Identifier: MIT
 *
 * invariance_scan.c - running results have the same bits for every engine, thread count and instruction set, in chunks
 * of any length through a carry, along transposed, turned and broadcast views, and in place. */
#define _POSIX_C_SOURCE 200809L
#include "data.h"

#define LONGEST 140000
#define CONTEXTS 6

static tally_context *contexts[CONTEXTS];
static _Alignas(64) unsigned char room[LONGEST * 16], turned[LONGEST * 16], mask[LONGEST], turned_mask[LONGEST];
static _Alignas(64) unsigned char want[LONGEST * 16], got[LONGEST * 16], back[LONGEST * 16];
static const tally_op ops[] = {TALLY_SUM, TALLY_PROD,    TALLY_MIN,    TALLY_MAX,     TALLY_ANY,
                               TALLY_ALL, TALLY_BIT_AND, TALLY_BIT_OR, TALLY_BIT_XOR, TALLY_LOGSUMEXP};

static void open_contexts(void)
{
    static const char *const devices[] = {"reference", "cpu:1", "cpu:2", "cpu:7", "cpu:1", "cpu:3"};
    static const char *const isas[] = {"base", "avx512", "avx2", "avx512", "base", "base"};
    for (int c = 0; c < CONTEXTS; c++) {
        setenv("TALLY_CPU_ISA", isas[c], 1);
        CHECK(tally_open(devices[c], &contexts[c]) == TALLY_OK);
    }
    unsetenv("TALLY_CPU_ISA");
}

struct setting {
    tally_op op;
    tally_type type, result;
    uint32_t flags;
    int64_t rows, n; /* rows scans of n elements each */
    int masked, initial;
    unsigned char first[16];
};

static tally_options options_of(const struct setting *s, const tally_array *where)
{
    static const int32_t axis = 1;
    tally_options options = TALLY_OPTIONS_INIT;
    options.flags = s->flags;
    options.axes = &axis, options.axis_count = 1;
    options.type = s->result;
    options.where = s->masked ? where : NULL;
    options.initial = s->initial ? s->first : NULL;
    return options;
}

static void say(const struct setting *s, const char *what, int context)
{
    static char text[160];
    snprintf(text, sizeof text, "scan %s of %s to %s, %lld x %lld, flags 0x%x, mask %d, initial %d, %s, context %d",
             tally_op_name(s->op), tally_type_name(s->type), tally_type_name(s->result), (long long)s->rows,
             (long long)s->n, (unsigned)s->flags, s->masked, s->initial, what, context);
    test.section = text;
}

/* Columns [from, to) of a matrix. */
static tally_array columns(tally_array matrix, int64_t from, int64_t to)
{
    matrix.data = (char *)matrix.data + (size_t)(from * matrix.strides[1]) * tally_type_size(matrix.type);
    matrix.shape[1] = to - from;
    return matrix;
}

static void check_chunks(const struct setting *s, size_t bytes)
{
    tally_array x = tally_matrix(room, s->type, s->rows, s->n), m = tally_matrix(mask, TALLY_BOOL, s->rows, s->n);
    tally_array out = tally_matrix(got, s->result, s->rows, s->n);
    for (int k = 0; k < 3; k++) {
        int c = (int)test_random_below(CONTEXTS), reverse = (s->flags & TALLY_REVERSE) != 0;
        tally_options options = options_of(s, &m);
        tally_scan_carry *carry = NULL;
        options.where = NULL;
        say(s, "in chunks", c);
        memset(got, 0xa5, bytes);
        CHECK_EQUAL_I64(tally_scan_carry_new(contexts[c], s->op, s->type, s->rows, &options, &carry), TALLY_OK);
        if (!carry) return;
        for (int64_t done = 0; done < s->n;) {
            static const uint64_t steps[] = {2, 20, 600, 5000, 200000};
            int64_t end = done + (int64_t)test_random_below(steps[test_random_below(5)]);
            if (end > s->n) end = s->n;
            int64_t from = reverse ? s->n - end : done, to = reverse ? s->n - done : end;
            tally_array chunk = columns(x, from, to), chunk_out = columns(out, from, to),
                        chunk_mask = columns(m, from, to);
            options.where = s->masked ? &chunk_mask : NULL;
            CHECK_EQUAL_I64(tally_scan_continue(carry, &chunk, &chunk_out, &options), TALLY_OK);
            done = end;
        }
        CHECK(memcmp(got, want, bytes) == 0);
        tally_scan_carry_free(carry);
    }
}

/* The same matrix stored by columns, and every row backwards in memory. */
static void check_views(const struct setting *s, size_t bytes)
{
    size_t size = tally_type_size(s->type), out_size = tally_type_size(s->result);
    for (int way = 0; way < 2; way++) {
        int c = (int)test_random_below(CONTEXTS);
        int64_t row = way ? -s->n : 1, step = way ? -1 : s->rows, start = way ? s->rows * s->n - 1 : 0;
        tally_array x = tally_matrix(turned, s->type, s->rows, s->n),
                    m = tally_matrix(turned_mask, TALLY_BOOL, s->rows, s->n);
        for (int64_t i = 0; i < s->rows * s->n; i++) {
            int64_t to = start + i / s->n * row + i % s->n * step;
            memcpy(turned + (size_t)to * size, room + (size_t)i * size, size);
            turned_mask[to] = mask[i];
        }
        x.strides[0] = m.strides[0] = row, x.strides[1] = m.strides[1] = step;
        x.data = turned + (size_t)start * size, m.data = turned_mask + start;
        tally_array out = x;
        out.type = s->result, out.data = got + (size_t)start * out_size;
        tally_options options = options_of(s, &m);
        say(s, way ? "backwards" : "transposed", c);
        CHECK_EQUAL_I64(tally_scan(contexts[c], s->op, &x, &out, &options), TALLY_OK);
        for (int64_t i = 0; i < s->rows * s->n; i++) {
            int64_t from = start + i / s->n * row + i % s->n * step;
            memcpy(back + (size_t)i * out_size, got + (size_t)from * out_size, out_size);
        }
        CHECK(memcmp(back, want, bytes) == 0);
        if (out_size != size || s->masked) continue;
        out = x, out.type = s->result; /* in place, over x itself */
        say(s, way ? "backwards, in place" : "transposed, in place", c);
        CHECK_EQUAL_I64(tally_scan(contexts[c], s->op, &x, &out, &options), TALLY_OK);
        for (int64_t i = 0; i < s->rows * s->n; i++) {
            int64_t from = start + i / s->n * row + i % s->n * step;
            memcpy(back + (size_t)i * out_size, turned + (size_t)from * out_size, out_size);
        }
        CHECK(memcmp(back, want, bytes) == 0);
    }
}

/* A broadcast row: every scan of it is the same. */
static void check_broadcast(const struct setting *s)
{
    int c = (int)test_random_below(CONTEXTS);
    size_t bytes = tally_type_size(s->result) * (size_t)s->n;
    tally_array x = tally_matrix(room, s->type, s->rows, s->n), out = tally_matrix(got, s->result, s->rows, s->n);
    tally_array m = tally_matrix(mask, TALLY_BOOL, s->rows, s->n);
    x.strides[0] = m.strides[0] = 0;
    tally_options options = options_of(s, &m);
    say(s, "broadcast", c);
    CHECK_EQUAL_I64(tally_scan(contexts[c], s->op, &x, &out, &options), TALLY_OK);
    for (int64_t r = 0; r < s->rows; r++) CHECK(memcmp(got + (size_t)r * bytes, want, bytes) == 0);
}

static void check_setting(const struct setting *s)
{
    tally_array x = tally_matrix(room, s->type, s->rows, s->n), m = tally_matrix(mask, TALLY_BOOL, s->rows, s->n);
    tally_array out = tally_matrix(want, s->result, s->rows, s->n);
    tally_options options = options_of(s, &m);
    size_t bytes = tally_type_size(s->result) * (size_t)(s->rows * s->n);
    if (tally_scan(contexts[0], s->op, &x, &out, &options) != TALLY_OK) return;
    out.data = got;
    for (int c = 1; c < CONTEXTS; c++) {
        say(s, "whole", c);
        memset(got, 0xa5, bytes);
        CHECK_EQUAL_I64(tally_scan(contexts[c], s->op, &x, &out, &options), TALLY_OK);
        CHECK(memcmp(got, want, bytes) == 0);
    }
    check_chunks(s, bytes);
    check_views(s, bytes);
    check_broadcast(s);
}

/* The last of an inclusive sum is the total; of a float sum by another path altogether. */
static void check_total(const struct setting *s)
{
    if (s->op != TALLY_SUM || s->flags || s->n == 0) return;
    unsigned char total[16];
    tally_array x = tally_vector(room, s->type, s->n), out = tally_shaped(total, s->result, 0, NULL),
                m = tally_vector(mask, TALLY_BOOL, s->n);
    tally_options options = options_of(s, &m);
    options.axes = NULL, options.axis_count = 0;
    say(s, "total", 1);
    CHECK_EQUAL_I64(tally_reduce(contexts[1], TALLY_SUM, &x, &out, &options), TALLY_OK);
    size_t size = tally_type_size(s->result);
    CHECK(memcmp(total, want + (size_t)(s->n - 1) * size, size) == 0);
}

int main(void)
{
    static const uint32_t flags[] = {0,
                                     TALLY_EXCLUSIVE,
                                     TALLY_REVERSE,
                                     TALLY_EXCLUSIVE | TALLY_REVERSE,
                                     TALLY_PLAIN,
                                     TALLY_SKIP_NAN,
                                     TALLY_PLAIN | TALLY_REVERSE};
    static const int64_t lengths[] = {0, 1, 15, 16, 17, 511, 512, 513, 4095, 4096, 4097, 9000, 0, 70000};
    open_contexts();
    for (tally_type type = TALLY_BOOL; type <= TALLY_C128; type++) {
        for (int kind = 0; kind < DATA_KINDS; kind++) {
            data_fill(type, (enum data_kind)kind, room, LONGEST);
            for (size_t o = 0; o < sizeof ops / sizeof ops[0]; o++) {
                for (int k = 0; k < 7; k++) {
                    struct setting s = {.op = ops[o], .type = type, .flags = flags[k]};
                    tally_array probe = tally_vector(room, type, 1), like;
                    if (tally_result_like(TALLY_SCAN, s.op, &probe, NULL, &like) != TALLY_OK) continue;
                    s.result = like.type;
                    s.n = lengths[test_random_below(kind == 0 && k == 0 ? 14 : 13)];
                    s.rows = s.n > 60000 ? 1 + (int64_t)test_random_below(2)
                                         : 1 + (int64_t)test_random_below(s.n > 600 ? 6 : 40);
                    s.masked = k % 3 == 2, s.initial = test_random_below(3) == 0;
                    data_element(s.result, DATA_TIES, s.first);
                    for (int64_t i = 0; i < s.rows * s.n; i++) mask[i] = test_random_below(4) != 0;
                    check_setting(&s);
                    check_total(&s);
                }
            }
        }
    }
    for (int c = 0; c < CONTEXTS; c++) tally_close(contexts[c]);
    return test_finish("invariance_scan");
}
