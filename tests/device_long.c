/* SPDX-License-Identifier: MIT
 *
 * device_long.c - reductions along long rows, and of cells of many runs, on a device give the bits of the CPU engine:
 * rows of warps and of blocks, in one split and in several, of any alignment; exact sums of numbers that pairs of
 * doubles hold beside ones that they do not, next to ties, and of such that cancel.
 *   TALLY_TEST_DEVICE   the device (simt)
 *   TALLY_TEST_FULL     more rows, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "device_boxes.h"
#include "patches.h"
#include "tied_columns.h"

static int full;

/* Rows for warps and rows for blocks, in one split and in several, of any alignment. */
static void long_rows(void)
{
    static const struct {
        tally_op op;
        tally_type type;
    } few[] = {
        {TALLY_SUM, TALLY_F32},     {TALLY_SUM, TALLY_F64},    {TALLY_SUM, TALLY_F16},    {TALLY_SUM, TALLY_BF16},
        {TALLY_MEAN, TALLY_F32},    {TALLY_SUM, TALLY_I8},     {TALLY_SUM, TALLY_U16},    {TALLY_SUM, TALLY_I32},
        {TALLY_MAX, TALLY_I8},      {TALLY_ALL, TALLY_I8},     {TALLY_MAX, TALLY_F32},    {TALLY_MEAN, TALLY_I16},
        {TALLY_MEAN, TALLY_U64},    {TALLY_ANY, TALLY_F64},    {TALLY_NORM1, TALLY_BF16}, {TALLY_BIT_XOR, TALLY_I16},
        {TALLY_ARGMAX, TALLY_F32},  {TALLY_ARGMIN, TALLY_F16}, {TALLY_ARGMAX, TALLY_I8},  {TALLY_ARGMIN, TALLY_U8},
        {TALLY_ARGMIN, TALLY_BOOL}, {TALLY_VAR, TALLY_I8},     {TALLY_STD, TALLY_U8},     {TALLY_VAR, TALLY_U16},
        {TALLY_NORM1, TALLY_I8},    {TALLY_NORM1, TALLY_I64},  {TALLY_NORM2, TALLY_U8},   {TALLY_NORM2, TALLY_I16}};
    static const int64_t bytes[] = {2050, 4096, 5000, 32768, 32772, 140000, 300001};
    for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
        for (size_t k = 0; k < sizeof bytes / sizeof *bytes; k++) {
            int64_t size = (int64_t)tally_type_size(few[i].type), length = bytes[k] / size;
            int64_t rows = full ? ROOM / 8 / bytes[k] : bytes[k] < 6000 ? 150 : 3;
            if (!full && (i + k) % 3) continue;
            struct shape s = {1, rows, length, 0, 0}, odd = {2, (rows + 1) / 2, length, 3, 1};
            for (int kind = 0; kind < 3; kind++) {
                if (kind == 1) patches_fill(few[i].type, room, 2 * (s.rows + 2) * (length + 3));
                else
                    data_fill(few[i].type,
                              kind                        ? DATA_WIDE
                              : few[i].op == TALLY_ARGMAX ? DATA_TIES
                                                          : DATA_ORDINARY,
                              room, 2 * (s.rows + 2) * (length + 3));
                compare_axis(few[i].op, few[i].type, &s, 2);
                compare_axis(few[i].op, few[i].type, &odd, 2);
            }
        }
    }
}

/* Rows of binary16 numbers whose large ones cancel at last, after threads' sums have become too large for the least of
 * them. */
static void cancelling_fill(uint16_t *x, int64_t length)
{
    const uint16_t large = 0x7b53, sign = 0x8000; /* 59,997 and more */
    for (int64_t i = 0; i < length; i++) x[i] = i / 16 * 16 + 16 > length ? 0 : i / 8 % 2 ? large | sign : large;
    for (int64_t k = 0; k < length / 600; k++) {
        int64_t i = (int64_t)test_random_below((uint64_t)(length / 16)) * 16 + (int64_t)test_random_below(8);
        x[i] = 1; /* 2^-24 */
        x[i + 8] = 0;
    }
}

/* So many long rows that a warp goes through each. */
static void many_long_rows(void)
{
    static const struct {
        tally_op op;
        tally_type type;
        int64_t length;
    } few[] = {{TALLY_SUM, TALLY_F16, 8193},     {TALLY_MEAN, TALLY_F16, 10000}, {TALLY_SUM, TALLY_F16, 32768},
               {TALLY_MEAN, TALLY_BF16, 8200},   {TALLY_SUM, TALLY_BF16, 32768}, {TALLY_SUM, TALLY_F64, 2049},
               {TALLY_MEAN, TALLY_F64, 5000},    {TALLY_SUM, TALLY_F64, 16384},  {TALLY_SUM, TALLY_F32, 9001},
               {TALLY_MEAN, TALLY_F32, 40000},   {TALLY_SUM, TALLY_I8, 66001},   {TALLY_ARGMAX, TALLY_I8, 66001},
               {TALLY_VAR, TALLY_U8, 66001},     {TALLY_SUM, TALLY_I16, 33001},  {TALLY_VAR, TALLY_U16, 33001},
               {TALLY_ARGMIN, TALLY_F16, 33001}, {TALLY_MAX, TALLY_F32, 16501},  {TALLY_MEAN, TALLY_I64, 8193}};
    for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
        int is_float = i < 10;
        struct shape s = {1, is_float ? 52 : 97, few[i].length, 0, 0};
        for (int kind = 0; kind < (is_float ? 3 : 1); kind++) {
            if (kind == 1) patches_fill(few[i].type, room, s.rows * s.columns);
            else data_fill(few[i].type, kind ? DATA_WIDE : DATA_ORDINARY, room, s.rows * s.columns);
            compare_axis(few[i].op, few[i].type, &s, 2);
        }
        if (few[i].op != TALLY_SUM || few[i].type != TALLY_F16) continue;
        for (int64_t r = 0; r < s.rows; r++) cancelling_fill((uint16_t *)(void *)room + r * s.columns, s.columns);
        compare_axis(TALLY_SUM, TALLY_F16, &s, 2);
    }
}

/* Long rows, and cells of many runs (axes 0 and 2), whose sums lie next to ties: no bound of what a sum is off tells
 * the result, so that one team goes through a cell that several had splits of. */
static void tied_rows(void)
{
    static const int64_t lengths[] = {1500, 8191, 20000, 65536};
    static const int32_t outer_and_inner[] = {0, 2};
    static float cell[1 << 16];
    float *x = (float *)(void *)room;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        for (int64_t rows = 2; rows <= 34; rows += 32) {
            struct shape s = {1, rows, lengths[i], i % 2, i % 2};
            for (int64_t r = 0; r < rows; r++)
                tied_columns_fill(x + s.offset + r * (s.columns + s.gap), s.columns, 1, 1);
            compare_axis(TALLY_SUM, TALLY_F32, &s, 2);
            compare_axis(TALLY_MEAN, TALLY_F32, &s, 2);
        }
        int64_t run = 24 + 11 * (int64_t)i; /* whole vectors, and not */
        struct shape runs = {lengths[i] / run, 3, run, 0, 0};
        for (int64_t r = 0; r < runs.rows; r++) {
            tied_columns_fill(cell, runs.outer * run, 1, 1);
            for (int64_t k = 0; k < runs.outer; k++)
                memcpy(x + (k * runs.rows + r) * run, cell + k * run, (size_t)run * sizeof *cell);
        }
        compare_axes(TALLY_SUM, TALLY_F32, &runs, outer_and_inner, 2);
    }
}

/* Sums next to ties of doubles, which the third of three doubles decides. */
static void deciding_rows(void)
{
    static const int32_t along = 2;
    float *x = (float *)(void *)room;
    struct shape s = {1, 40, 6000, 0, 0};
    memset(x, 0, (size_t)(s.rows * s.columns) * sizeof *x);
    for (int64_t r = 0; r < s.rows; r++) {
        x[r * s.columns + 7] = 1;
        x[r * s.columns + 300 * (1 + r % 7)] = 0x1p-53f;
        x[r * s.columns + 2999 + r] = r % 3 == 0 ? 0 : r % 3 == 1 ? 0x1p-140f : -0x1p-140f;
    }
    compare_as(TALLY_F64, TALLY_SUM, TALLY_F32, &s, &along, 1);
}

/* Three doubles of which the last is as large as the first, which it cancels; rows of doubles whose loss depends on the
 * order in which lanes are joined. */
static void cancelling_rows(void)
{
    static const int64_t place[] = {17, 18, 41, 52, 106, 117};
    static const double joined[] = {-0x1.d069df49b074cp-46, 0x1.691b6dfbeb321p-225,  0x1.10f9f879486c9p-223,
                                    0x1.a4b8d8ac20f38p-49,  -0x1.10f9f879486c9p-223, -0x1.a4b8d8ac20f38p-49};
    float *x = (float *)(void *)room;
    double *y = (double *)(void *)room;
    struct shape row = {1, 2, 60000, 0, 0}, rows = {1, 600, 129, 0, 0};
    memset(x, 0, 120000 * sizeof *x);
    cancelled_fill(x, 256);
    cancelled_fill(x + 60000, 300);
    compare_axis(TALLY_SUM, TALLY_F32, &row, 2);
    compare_axis(TALLY_MEAN, TALLY_F32, &row, 2);
    memset(y, 0, (size_t)(rows.rows * rows.columns) * sizeof *y);
    for (int64_t r = 0; r < rows.rows; r++) {
        for (int k = 0; k < 6; k++) y[r * rows.columns + place[k]] = joined[k];
    }
    compare_axis(TALLY_SUM, TALLY_F64, &rows, 2);
}

/* Cells of so many of the largest 16-bit integers that a thread's 32 bits hold no third of them. Of runs of 33 and 3
 * vectors some threads take more than their share, of runs of megabytes a few take all. All cells have the same
 * elements. */
static void heavy_runs(void)
{
    static const int64_t shapes[][2] = {{62060, 264}, {682000, 24}, {2, 2200000}}; /* runs, elements of each */
    static const int32_t axes[] = {0, 2};
    static uint64_t sums[3];
    enum { CELLS = 3, GAP = 8 };
    int64_t most = 682000 * (24 + GAP);
    uint16_t *x = malloc((size_t)most * 2);
    if (!CHECK(x != NULL)) return;
    unsigned char *far_x = device_room((size_t)most * 2);
    memset(x, 0xff, (size_t)most * 2);
    CHECK(tally_copy(device, far_x, x, (size_t)most * 2) == TALLY_OK);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        tally_array input = tally_matrix(far_x, TALLY_U16, 1, 1), output = tally_vector(far_out, TALLY_U64, CELLS);
        tally_options options = TALLY_OPTIONS_INIT;
        int64_t strides[] = {shapes[i][1] + GAP, 0, 1}, shape[] = {shapes[i][0], CELLS, shapes[i][1]};
        input.rank = 3;
        memcpy(input.shape, shape, sizeof shape);
        memcpy(input.strides, strides, sizeof strides);
        options.axes = axes;
        options.axis_count = 2;
        CHECK(tally_reduce(device, TALLY_SUM, &input, &output, &options) == TALLY_OK);
        CHECK(tally_copy(device, sums, far_out, sizeof sums) == TALLY_OK);
        for (int c = 0; c < CELLS; c++) CHECK_EQUAL_U64(sums[c], 0xffffull * (uint64_t)(shape[0] * shape[2]));
    }
    free(x);
}

int main(void)
{
    full = device_full();
    choose_processors("1");
    if (!device_open("cpu")) return test_left_out("device_long", tally_last_error());
    make_room();
    long_rows();
    tied_rows();
    many_long_rows();
    deciding_rows();
    cancelling_rows();
    heavy_runs();
    device_close();
    return test_finish("device_long");
}
