/* SPDX-License-Identifier: MIT
 *
 * device_short_columns.c - short columns of one matrix and of many give the bits of the reference engine on a device,
 * most of numbers narrower than a word, whose rows begin at any element: few rows and many, any number of columns,
 * several loops around them, gaps, steps back, results that lie apart or begin anywhere, arrays that end where their
 * memory does; many matrices of narrow rows, up to some thousand of them; and rows less than 16 bytes apart.
 *   TALLY_TEST_DEVICE   the device (simt) */
#define _POSIX_C_SOURCE 200809L
#include "device.h"
#include "patches.h"

#define ROOM (1 << 22)
#define MARGIN 16 /* bytes around results that stay as they were */

static _Alignas(64) unsigned char room[ROOM], want[ROOM], got[ROOM], marks[ROOM];
static char where_text[240];

/* blocks x outer x rows x columns elements, of which all but the last axis have `gap` elements more between them, and
 * of which rows may lie backwards. Results lie `apart` elements apart, from element `lead` on. */
struct shape {
    int64_t blocks, outer, rows, columns, gap, offset, apart, lead;
    int backward, both; /* both: blocks are reduced, too */
    int initial, masked;
};

static tally_array array_of(const struct shape *s, tally_type type, unsigned char *memory)
{
    tally_array a = tally_matrix(memory, type, s->rows, s->columns);
    int64_t pitch = s->columns + s->gap, first = s->offset + (s->backward ? (s->rows - 1) * pitch : 0);
    a.data = memory + first * (int64_t)tally_type_size(type);
    a.rank = 4;
    a.shape[0] = s->blocks, a.shape[1] = s->outer, a.shape[2] = s->rows, a.shape[3] = s->columns;
    a.strides[0] = s->outer * s->rows * pitch, a.strides[1] = s->rows * pitch;
    a.strides[2] = s->backward ? -pitch : pitch, a.strides[3] = 1;
    return a;
}

/* Bytes up to the last element: none of the device's memory lies behind that. */
static size_t bytes_of(const struct shape *s, tally_type type)
{
    int64_t pitch = s->columns + s->gap, all = s->blocks * s->outer * s->rows * pitch - s->gap + s->offset;
    return (size_t)all * tally_type_size(type);
}

static size_t lay_out_results(const struct shape *s, tally_array *like, unsigned char *memory)
{
    size_t each = tally_type_size(like->type);
    int64_t step = s->apart;
    for (int32_t d = like->rank; d-- > 0;) {
        like->strides[d] = step;
        step *= like->shape[d];
    }
    like->data = memory + MARGIN + (size_t)s->lead * each;
    return (size_t)(step + s->lead) * each + 2 * MARGIN;
}

/* The bytes in memory of the device. */
static void *lent(const void *bytes, size_t size)
{
    void *memory = NULL;
    CHECK(tally_alloc(device, size, &memory) == TALLY_OK);
    CHECK(tally_copy(device, memory, bytes, size) == TALLY_OK);
    return memory;
}

static void compare(tally_op op, tally_type type, const struct shape *s)
{
    static const int32_t axes[] = {2, 0};
    size_t bytes = bytes_of(s, type), places = bytes_of(s, TALLY_BOOL), out_bytes;
    tally_array x = array_of(s, type, room), where = array_of(s, TALLY_BOOL, marks), like;
    _Alignas(16) unsigned char initial[16];
    tally_options options = TALLY_OPTIONS_INIT;
    void *far, *far_out, *far_marks = NULL;
    if (!device_parted(op, type)) return;
    options.axes = axes;
    options.axis_count = s->both ? 2 : 1;
    snprintf(where_text, sizeof where_text, "%s of %s, %lld x %lld x %lld x %lld, gap %d, offset %d, to %d + %d i%s%s",
             tally_op_name(op), tally_type_name(type), (long long)s->blocks, (long long)s->outer, (long long)s->rows,
             (long long)s->columns, (int)s->gap, (int)s->offset, (int)s->lead, (int)s->apart,
             s->backward  ? ", backward"
             : s->initial ? ", initial"
                          : "",
             s->both     ? ", axes 0 and 2"
             : s->masked ? ", masked"
                         : "");
    test.section = where_text;
    CHECK(tally_result_like(TALLY_REDUCE, op, &x, &options, &like) == TALLY_OK);
    if (s->initial && (op == TALLY_MAX || op == TALLY_MIN || op == TALLY_SUM)) {
        data_fill(like.type, DATA_ORDINARY, initial, 1);
        options.initial = initial;
    }
    out_bytes = lay_out_results(s, &like, want);
    memset(want, 0xab, out_bytes);
    memset(got, 0xab, out_bytes);
    if (s->masked) {
        for (size_t i = 0; i < places; i++) marks[i] = test_random_below(8) != 0;
        options.where = &where;
    }
    CHECK(tally_reduce(judge, op, &x, &like, &options) == TALLY_OK);
    far = lent(room, bytes);
    far_out = lent(got, out_bytes);
    if (s->masked) where = array_of(s, TALLY_BOOL, far_marks = lent(marks, places));
    x = array_of(s, type, far);
    lay_out_results(s, &like, far_out);
    CHECK(tally_reduce(device, op, &x, &like, &options) == TALLY_OK);
    CHECK(tally_copy(device, got, far_out, out_bytes) == TALLY_OK);
    device_same(got, want, out_bytes, tally_type_size(like.type));
    CHECK(tally_free(device, far, bytes) == TALLY_OK);
    CHECK(tally_free(device, far_out, out_bytes) == TALLY_OK);
    if (far_marks) CHECK(tally_free(device, far_marks, places) == TALLY_OK);
}

/* Of so many columns, whole ones or nearly so at a time, as threads take them. */
static struct shape draw_shape(int64_t rows, int64_t cells)
{
    static const int64_t few[] = {8, 9, 11, 15, 16, 17, 31, 33, 127, 128, 135, 255, 257, 1000};
    struct shape s = {.blocks = 1, .outer = 1, .rows = rows, .apart = 1};
    s.columns = test_random_below(4) ? few[test_random_below(sizeof few / sizeof *few)] : cells;
    s.outer = 1 + cells / s.columns;
    if (test_random_below(2)) s.gap = (int64_t)test_random_below(6);
    if (test_random_below(3) == 0) s.blocks = 1 + (int64_t)test_random_below(3);
    if (s.gap && s.blocks > 1) s.outer = 1 + s.outer / s.blocks;
    s.both = s.blocks > 1 && test_random_below(2);
    s.offset = (int64_t)test_random_below(9);
    s.lead = (int64_t)test_random_below(9);
    s.apart = test_random_below(5) ? 1 : 2;
    s.backward = test_random_below(4) == 0;
    s.initial = test_random_below(6) == 0;
    return s;
}

/* Anything but zero is true. */
static void fill_truths(int64_t n)
{
    for (int64_t i = 0; i < n; i++) room[i] = (unsigned char)(test_random_below(2) ? test_random_below(256) : 0);
}

static void fill(tally_op op, tally_type type, int64_t n)
{
    if (op == TALLY_ARGMAX || op == TALLY_ARGMIN) data_fill(type, DATA_TIES, room, n);
    else if (type == TALLY_BOOL) fill_truths(n);
    else patches_fill(type, room, n);
}

static void some_shapes(tally_op op, tally_type type, int64_t rows, int64_t cells, int count)
{
    for (int i = 0; i < count; i++) {
        struct shape s = draw_shape(rows, cells);
        size_t bytes = bytes_of(&s, type);
        if (bytes > ROOM || (size_t)(s.blocks * s.outer * s.columns * 2 + 9) * 8 + 2 * MARGIN > ROOM) continue;
        fill(op, type, (int64_t)(bytes / tally_type_size(type)));
        compare(op, type, &s);
    }
}

/* Matrices behind each other, or nearly so, of rows that are no wider than 56 bytes. */
static void narrow_shapes(tally_op op, tally_type type, int64_t rows, int count)
{
    int64_t size = (int64_t)tally_type_size(type), most = 56 / size;
    for (int i = 0; i < count; i++) {
        struct shape s = {.blocks = 1, .rows = rows, .apart = 1};
        s.columns = 1 + (int64_t)test_random_below(test_random_below(2) ? 7 : (uint64_t)most);
        if (s.columns > most) s.columns = most;
        if (test_random_below(4) == 0) s.gap = (s.columns + 1) / 5;
        s.offset = (int64_t)test_random_below(3);
        s.lead = (int64_t)test_random_below(9);
        s.initial = test_random_below(6) == 0;
        s.masked = test_random_below(4) == 0;
        s.outer = 1 + 120000 / (rows * (s.columns + s.gap) * size);
        fill(op, type, (int64_t)bytes_of(&s, type) / size);
        compare(op, type, &s);
    }
}

/* Columns of a matrix whose rows are less than 16 bytes apart. */
static void close_shapes(tally_op op, tally_type type, int count)
{
    int64_t size = (int64_t)tally_type_size(type), most = 15 / size;
    for (int i = 0; i < count && most > 1; i++) {
        int64_t pitch = 2 + (int64_t)test_random_below((uint64_t)most - 1);
        struct shape s = {.blocks = 1, .outer = 1, .apart = 1};
        s.rows = 2 + (int64_t)test_random_below(i % 2 ? 40 : 30000);
        s.columns = 1 + (int64_t)test_random_below((uint64_t)pitch - 1);
        s.gap = pitch - s.columns;
        s.offset = (int64_t)test_random_below(9);
        s.masked = test_random_below(3) == 0;
        fill(op, type, (int64_t)bytes_of(&s, type) / size);
        compare(op, type, &s);
    }
}

static void narrow_rows(int simulated)
{
    static const struct {
        tally_op op;
        tally_type type;
    } few[] = {{TALLY_SUM, TALLY_I8},   {TALLY_SUM, TALLY_F32},   {TALLY_MAX, TALLY_U8},  {TALLY_SUM, TALLY_F16},
               {TALLY_ANY, TALLY_BOOL}, {TALLY_MEAN, TALLY_U8},   {TALLY_MAX, TALLY_F16}, {TALLY_ARGMAX, TALLY_F32},
               {TALLY_SUM, TALLY_F64},  {TALLY_VAR, TALLY_F16},   {TALLY_MIN, TALLY_F64}, {TALLY_SUM, TALLY_BF16},
               {TALLY_PROD, TALLY_I32}, {TALLY_VAR, TALLY_F32},   {TALLY_SUM, TALLY_U64}, {TALLY_NORM2, TALLY_F32},
               {TALLY_VAR, TALLY_U8},   {TALLY_ARGMIN, TALLY_I16}};
    static const int64_t lengths[] = {33, 64, 100, 224, 300, 512, 640, 1000, 1024, 1777};
    for (size_t k = 0; k < sizeof few / sizeof *few; k++) {
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            if (!device_full() && i != k % 9) continue;
            narrow_shapes(few[k].op, few[k].type, lengths[i], simulated ? 2 : 8);
        }
        close_shapes(few[k].op, few[k].type, device_full() ? 20 : 4);
    }
}

int main(void)
{
    static const struct {
        tally_op op;
        tally_type type;
    } few[] = {{TALLY_SUM, TALLY_I8},     {TALLY_MAX, TALLY_I8},     {TALLY_SUM, TALLY_F16},
               {TALLY_MAX, TALLY_F16},    {TALLY_SUM, TALLY_BF16},   {TALLY_SUM, TALLY_U16},
               {TALLY_ARGMAX, TALLY_I8},  {TALLY_ARGMIN, TALLY_F16}, {TALLY_COUNT_NONZERO, TALLY_BOOL},
               {TALLY_ANY, TALLY_BOOL},   {TALLY_MEAN, TALLY_F16},   {TALLY_MIN, TALLY_U8},
               {TALLY_SUM, TALLY_U8},     {TALLY_PROD, TALLY_I16},   {TALLY_BIT_XOR, TALLY_I8},
               {TALLY_NORM1, TALLY_BF16}, {TALLY_MEAN, TALLY_I8},    {TALLY_NORM1, TALLY_I16},
               {TALLY_MIN, TALLY_BF16},   {TALLY_MAX, TALLY_U16},    {TALLY_SUM, TALLY_F32},
               {TALLY_MAX, TALLY_F64},    {TALLY_SUM, TALLY_I32},    {TALLY_VAR, TALLY_F32},
               {TALLY_VAR, TALLY_F16},    {TALLY_ARGMAX, TALLY_F32}, {TALLY_SUM, TALLY_F64},
               {TALLY_MIN, TALLY_I16},    {TALLY_MAX, TALLY_F32},    {TALLY_VAR, TALLY_F64},
               {TALLY_MAX, TALLY_BOOL},   {TALLY_MIN, TALLY_BOOL}};
    static const int64_t lengths[] = {2, 3, 4, 5, 8, 9, 16, 17, 40, 64, 100, 127, 128, 129, 199, 200, 201};
    int simulated = device_simulated();
    if (simulated) setenv("TALLY_SIMT_SHARED", DEVICE_H100_SHARED, 0);
    if (simulated) setenv("TALLY_SIMT_PROCESSORS", "1", 1); /* that few threads are many */
    if (!device_open("reference")) return test_left_out("device_short_columns", tally_last_error());
    for (size_t k = 0; k < sizeof few / sizeof *few; k++) {
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            int64_t wide = simulated ? 2500 : lengths[i] <= 16 ? 20000 : 300000;
            if (!device_full() && (i + k) % 7 != 0) continue; /* compiling takes its time */
            if (wide * lengths[i] * (int64_t)tally_type_size(few[k].type) > ROOM) wide = 2000;
            some_shapes(few[k].op, few[k].type, lengths[i], wide, simulated ? 4 : 8);
        }
    }
    narrow_rows(simulated);
    device_close();
    return test_finish("device_short_columns");
}
