/* SPDX-License-Identifier: MIT
 *
 * scan_cells.c - scans down columns and along short rows on the CPU against the reference engine, bit for bit: widths
 * and lengths on both sides of the borders of tiles and blocks, every layout, in place, and numbers that become too
 * wide for quick sums in the middle. */
#include "test.h"

#include <math.h>
#include <tally.h>

#define ROOM ((size_t)1 << 21)
#define DEVICES 2
static tally_context *reference, *device[DEVICES];
static _Alignas(64) unsigned char input[ROOM], output[ROOM], want[ROOM], start[ROOM];

enum layout { COLUMNS, ROWS, MIDDLE, GAPS, TURNED, LAYOUTS };

struct problem {
    tally_op op;
    tally_type type, result;
    uint32_t flags;
    enum layout layout;
    int64_t cells, length;
    int wide_from; /* the row from which on floats are far apart; -1: none */
};

/* Cells and their elements as a matrix or a box; strides in elements. */
static int32_t shape_of(const struct problem *p, int64_t shape[3])
{
    int64_t columns[] = {p->length, p->cells}, rows[] = {p->cells, p->length}, middle[] = {3, p->length, p->cells};
    memcpy(shape, p->layout == ROWS ? rows : p->layout == MIDDLE ? middle : columns, sizeof middle - 8);
    if (p->layout == MIDDLE) memcpy(shape, middle, sizeof middle);
    return p->layout == MIDDLE ? 3 : 2;
}

static tally_array view_of(const struct problem *p, tally_type type, void *data, int is_output)
{
    int64_t shape[3];
    int32_t rank = shape_of(p, shape);
    tally_array view = tally_shaped(data, type, rank, shape);
    if (p->layout == GAPS) view.strides[0] = p->cells + 5 + is_output;
    if (p->layout == GAPS && is_output) view.strides[0] *= 2, view.strides[1] = 2;
    if (p->layout == TURNED && is_output) view.strides[0] = 1, view.strides[1] = p->length;
    return view;
}

static void fill(const struct problem *p)
{
    size_t size = tally_type_size(p->type);
    for (size_t i = 0; i < ROOM; i++) input[i] = (unsigned char)(test_random() >> 32);
    if (p->type != TALLY_F32 && p->type != TALLY_F64) return;
    tally_array view = view_of(p, p->type, NULL, 0);
    int64_t row_stride = view.strides[view.rank == 3 ? 1 : p->layout == ROWS ? 1 : 0];
    for (size_t i = 0; i < ROOM / size; i++) {
        int64_t row = row_stride > 0 ? (int64_t)i / row_stride % p->length : 0;
        double v = row == 0 && i % 5 == 0 ? -0.0 : 2 * test_random_uniform() - 1;
        if (p->wide_from >= 0 && row >= p->wide_from) {
            v = ldexp(v, (int)test_random_below(200) - 100);
            if (test_random_below(300) == 0) v = test_random_below(2) ? (double)INFINITY : -0.0;
        }
        float single = (float)v;
        memcpy(input + i * size, p->type == TALLY_F32 ? (void *)&single : (void *)&v, size);
    }
}

static void report(const struct problem *p, int run)
{
    fprintf(stderr, "%s of %s to %s, layout %d, %lld cells of %lld, flags 0x%x, wide from %d, run %d: %s\n",
            tally_op_name(p->op), tally_type_name(p->type), tally_type_name(p->result), (int)p->layout,
            (long long)p->cells, (long long)p->length, (unsigned)p->flags, p->wide_from, run, tally_last_error());
}

static void check(const struct problem *p)
{
    const int32_t axis = p->layout == COLUMNS || p->layout == GAPS || p->layout == TURNED ? 0 : 1;
    tally_options options = TALLY_OPTIONS_INIT;
    options.axes = &axis, options.axis_count = 1, options.flags = p->flags, options.type = p->result;
    fill(p);
    tally_array x = view_of(p, p->type, input, 0), out = view_of(p, p->result, want, 1);
    for (size_t i = 0; i < ROOM; i++) start[i] = (unsigned char)i;
    memcpy(want, start, ROOM);
    CHECK(tally_scan(reference, p->op, &x, &out, &options) == TALLY_OK);
    out.data = output;
    for (int d = 0; d < DEVICES; d++) {
        memcpy(output, start, ROOM);
        const tally_status status = tally_scan(device[d], p->op, &x, &out, &options);
        if (!CHECK(status == TALLY_OK && memcmp(output, want, ROOM) == 0)) report(p, d);
    }
    if (p->type != p->result || p->layout == GAPS || p->layout == TURNED) return;
    for (int d = 0; d < DEVICES; d++) { /* in place */
        memcpy(output, input, ROOM);
        x.data = output;
        const size_t bytes = (size_t)(x.shape[0] * x.strides[0]) * tally_type_size(p->type);
        const tally_status status = tally_scan(device[d], p->op, &x, &x, &options);
        if (!CHECK(status == TALLY_OK && memcmp(output, want, bytes) == 0)) report(p, DEVICES + d);
    }
}

static const struct {
    tally_op op;
    tally_type type, result;
} kinds[] = {
    {TALLY_SUM, TALLY_F32, TALLY_F32},   {TALLY_SUM, TALLY_F64, TALLY_F64},       {TALLY_SUM, TALLY_F16, TALLY_F32},
    {TALLY_SUM, TALLY_BF16, TALLY_BF16}, {TALLY_SUM, TALLY_F32, TALLY_F64},       {TALLY_SUM, TALLY_F64, TALLY_F32},
    {TALLY_MAX, TALLY_F32, TALLY_F32},   {TALLY_MIN, TALLY_F16, TALLY_F16},       {TALLY_SUM, TALLY_I8, TALLY_I64},
    {TALLY_SUM, TALLY_U32, TALLY_U32},   {TALLY_MAX, TALLY_I16, TALLY_I16},       {TALLY_MIN, TALLY_U64, TALLY_U64},
    {TALLY_PROD, TALLY_I32, TALLY_I64},  {TALLY_ANY, TALLY_F64, TALLY_BOOL},      {TALLY_ALL, TALLY_U8, TALLY_BOOL},
    {TALLY_BIT_XOR, TALLY_U8, TALLY_U8}, {TALLY_BIT_AND, TALLY_I64, TALLY_I64},   {TALLY_SUM, TALLY_BOOL, TALLY_I64},
    {TALLY_SUM, TALLY_I32, TALLY_F64},   {TALLY_LOGSUMEXP, TALLY_F32, TALLY_F32}, {TALLY_SUM, TALLY_C64, TALLY_C64},
    {TALLY_PROD, TALLY_F32, TALLY_F32},  {TALLY_PROD, TALLY_F64, TALLY_F64},      {TALLY_PROD, TALLY_F16, TALLY_F16},
    {TALLY_PROD, TALLY_F32, TALLY_F64},  {TALLY_PROD, TALLY_BF16, TALLY_F32},     {TALLY_PROD, TALLY_I32, TALLY_F64},
    {TALLY_PROD, TALLY_U64, TALLY_F32},  {TALLY_PROD, TALLY_BOOL, TALLY_F16},     {TALLY_PROD, TALLY_I8, TALLY_F32},
};

/* Of cells in one group of the order, and one more; on both sides of the borders of runs. */
static int64_t draw_length(int64_t cells)
{
    static const int64_t lengths[] = {2, 3, 31, 32, 33, 48, 49, 100}, orders[] = {15, 16, 17, 192, 193, 272, 512, 513};
    return (cells > 130 || test_random_below(2) ? lengths : orders)[test_random_below(8)];
}

int main(void)
{
    static const int64_t widths[] = {7, 8, 9, 63, 64, 65, 130, 700};
    static const uint32_t flags[] = {0, TALLY_EXCLUSIVE, TALLY_REVERSE, TALLY_EXCLUSIVE | TALLY_REVERSE,
                                     TALLY_SKIP_NAN};
    CHECK(tally_open("reference", &reference) == TALLY_OK);
    CHECK(tally_open("cpu:1", &device[0]) == TALLY_OK && tally_open("cpu:3", &device[1]) == TALLY_OK);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        CASE(tally_type_name(kinds[k].type))
        for (int n = 0; n < 60; n++) {
            struct problem p = {.op = kinds[k].op, .type = kinds[k].type, .result = kinds[k].result};
            p.layout = (enum layout)(n % LAYOUTS);
            p.cells = widths[test_random_below(8)], p.length = draw_length(p.cells);
            p.flags = flags[test_random_below(5)] | (test_random_below(2) ? TALLY_PLAIN : 0);
            p.wide_from = test_random_below(3) ? -1 : (int)test_random_below((uint64_t)p.length);
            check(&p);
        }
    }
    CHECK(tally_close(device[0]) == TALLY_OK && tally_close(device[1]) == TALLY_OK);
    CHECK(tally_close(reference) == TALLY_OK);
    return test_finish("scan_cells");
}
