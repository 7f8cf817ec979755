/* SPDX-License-Identifier: MIT
 *
 * device_spread.c - variances, deviations and norms on a device give the bits of the reference engine where they lie in
 * the middle between two results or just beside it, where numbers differ by little and lie far from zero, or next to
 * none do, where squares leave the range; of floats, complex numbers and integers of 32 and 64 bits; of whole arrays,
 * long rows, short rows and columns, some without elements that a mask leaves out, or NaN.
 *   TALLY_TEST_DEVICE   the device (simt) */
#define _POSIX_C_SOURCE 200809L
#include "device.h"
#include "patches.h"

#define MOST (1 << 18) /* elements */
#define ROOM ((MOST + 64) * 16)

static _Alignas(64) unsigned char room[ROOM], want[ROOM], got[ROOM], mask[MOST];
static unsigned char *far, *far_out, *far_mask;
static char where_text[200];

/* In place of an axis: the first and the last of three, RUNS runs of every cell; or the middle one, of matrices of
 * CELLS columns. */
enum { NEST = 2, RUNS = 4, MIDDLE = 3, CELLS = 10 };

/* Elements of columns that are left out: a quarter, in some columns the first ones, in others all. */
static enum absence { NONE, MASKED, NOT_A_NUMBER } absence;

/* Of complex numbers that are none, one part is. */
static void leave_out(tally_type type, int64_t rows, int64_t columns)
{
    for (int64_t i = 0; i < rows * columns; i++) {
        const int64_t row = i / columns, column = i % columns;
        const int all = column % 13 == 2, first = column % 5 == 1 && row < 10;
        mask[i] = !all && !first && test_random_below(4) != 0;
        if (absence != NOT_A_NUMBER || mask[i]) continue;
        if (type == TALLY_C64) data_put_real(TALLY_F32, room, 2 * i + i % 2, (double)NAN);
        else if (type == TALLY_C128) data_put_real(TALLY_F64, room, 2 * i + i % 2, (double)NAN);
        else data_put_real(type, room, i, (double)NAN);
    }
}

static void compare(tally_op op, tally_type type, int64_t rows, int64_t columns, int32_t axis, double correction)
{
    size_t size = tally_type_size(type);
    const int32_t axes[] = {axis == NEST ? 0 : axis == MIDDLE ? 1 : axis, 2};
    const int64_t nest[] = {RUNS, rows, columns / RUNS}, matrices[] = {rows / CELLS, columns, CELLS};
    tally_array x = tally_matrix(room, type, rows, columns), where = tally_matrix(mask, TALLY_BOOL, rows, columns),
                like;
    tally_options options = TALLY_OPTIONS_INIT;
    if (!device_parted(op, type)) return;
    if (axis >= NEST) {
        x = tally_shaped(room, type, 3, axis == NEST ? nest : matrices);
        where = tally_shaped(mask, TALLY_BOOL, 3, axis == NEST ? nest : matrices);
    }
    options.axes = axes;
    options.axis_count = axis == NEST ? 2 : 1;
    options.correction = correction;
    if (absence == MASKED) options.where = &where;
    if (absence == NOT_A_NUMBER) options.flags = TALLY_SKIP_NAN;
    snprintf(where_text, sizeof where_text, "%s of %s, %lld x %lld, axis %d, correction %g, absence %d",
             tally_op_name(op), tally_type_name(type), (long long)rows, (long long)columns, (int)axis, correction,
             (int)absence);
    test.section = where_text;
    CHECK(tally_result_like(TALLY_REDUCE, op, &x, &options, &like) == TALLY_OK);
    size_t bytes = (size_t)(axis ? rows : columns) * tally_type_size(like.type);
    memset(want, 0xab, bytes);
    memset(got, 0xab, bytes);
    like.data = want;
    CHECK(tally_reduce(judge, op, &x, &like, &options) == TALLY_OK);
    CHECK(tally_copy(device, far, room, (size_t)(rows * columns) * size) == TALLY_OK);
    if (absence) CHECK(tally_copy(device, far_mask, mask, (size_t)(rows * columns)) == TALLY_OK);
    x.data = far;
    where.data = far_mask;
    like.data = far_out;
    if (!CHECK(tally_reduce(device, op, &x, &like, &options) == TALLY_OK))
        fprintf(stderr, "    %s\n", tally_last_error());
    CHECK(tally_copy(device, got, far_out, bytes) == TALLY_OK);
    CHECK(memcmp(got, want, bytes) == 0);
}

/* What complex numbers are made of: a number in both parts, or in one, beside another that is always the same, or
 * beside the number before. */
static enum parts { BOTH, FIRST, SECOND, BEFORE, PARTS } parts;

static void store_real(tally_type type, int64_t i, double v)
{
    if (type == TALLY_F32) ((float *)(void *)room)[i] = (float)v;
    else ((double *)(void *)room)[i] = v;
}

static void store(tally_type type, int64_t i, double v)
{
    static double before;
    const tally_type real = type == TALLY_C64 ? TALLY_F32 : TALLY_F64;
    if (type < TALLY_C64) {
        store_real(type, i, v);
        return;
    }
    store_real(real, 2 * i, parts == SECOND ? 0.3 : v);
    store_real(real, 2 * i + 1, parts == FIRST ? 0.3 : parts == BEFORE ? before : v);
    before = v;
}

static void compare_all(tally_type type, int64_t rows, int64_t columns, int32_t axis)
{
    if (absence) leave_out(type, rows, columns);
    compare(TALLY_VAR, type, rows, columns, axis, 0);
    compare(TALLY_STD, type, rows, columns, axis, 0);
    compare(TALLY_NORM2, type, rows, columns, axis, 0);
    compare(TALLY_VAR, type, rows, columns, axis, 1);
}

/* Where element i of a cell lies. */
static int64_t place_of(int64_t cell, int64_t i, int64_t rows, int64_t columns, int32_t axis)
{
    int64_t run = columns / RUNS;
    if (axis == NEST) return (i / run * rows + cell) * run + i % run;
    if (axis == MIDDLE) return (cell / CELLS * columns + i) * CELLS + cell % CELLS;
    return axis ? cell * columns + i : i * columns + cell;
}

/* Half of the numbers lie d above the others: the variance is d^2 / 4, which takes a bit more than a float has when d^2
 * is odd and has 25; one number that is off by little moves it from there. The deviation is such a middle where d has
 * 25 bits. */
static void middles(tally_type type, int64_t rows, int64_t columns, int32_t axis)
{
    int64_t cells = axis ? rows : columns, n = axis ? columns : rows;
    for (int k = -1; k <= 1; k++) {
        for (int64_t cell = 0; cell < cells; cell++) {
            int64_t d = 4097 + 2 * (int64_t)test_random_below(800);
            int wide = test_random_below(4) == 0;
            parts = (enum parts)(cell % BEFORE);
            for (int64_t i = 0; i < n; i++) {
                double v = wide ? (i % 2 ? 16777216 : -1) : i % 2 ? (double)d / 2 : -(double)d / 2;
                if (i == n - 1 && !wide) v += k * 0x1p-12;
                store(type, place_of(cell, i, rows, columns, axis), v);
            }
        }
        compare_all(type, rows, columns, axis);
    }
}

/* As above, a quarter of the numbers each way, and one so small that only its square, far below what doubles or pairs
 * of them hold, tells that the variance is no middle. n: a power of two, at least 4. */
static void beside(tally_type type, int64_t rows, int64_t columns, int32_t axis)
{
    int64_t cells = axis ? rows : columns, n = axis ? columns : rows;
    int narrow = type == TALLY_F32 || type == TALLY_C64;
    for (int64_t cell = 0; cell < cells; cell++) {
        int64_t d = 2 * (int64_t)test_random_below(800) + (narrow ? 4097 : 94906267);
        parts = (enum parts)(cell % BEFORE);
        for (int64_t i = 0; i < n; i++) {
            double v = i % 4 == 1 ? (double)d / 2 : i % 4 == 2 ? -(double)d / 2 : 0;
            if (i == n - 1) v = ldexp(1, narrow ? -40 : -200);
            store(type, place_of(cell, i, rows, columns, axis), v);
        }
    }
    compare_all(type, rows, columns, axis);
}

enum kind {
    EQUAL,       /* but not zero */
    ZEROS,       /* of one sign, or both */
    FAR,         /* differ by little, far from zero */
    FAR_BUT_FEW, /* as above, and a few of another size and sign behind the first */
    FEW_FAR,     /* small, and some large behind the first */
    TINY,        /* squares are nothing, and sums cancel */
    TINY_EQUAL,
    HUGE_ONES,   /* squares overflow */
    AMONG_SMALL, /* some such among others */
    AT_THE_END,  /* results are near the largest double */
    SUBNORMAL,   /* or below the smallest normal one */
    SMALLEST,    /* or just below that */
    TIED,        /* squares are small, and halves of last places but for the third */
    SPECIAL,     /* infinities and NaN among others */
    KINDS
};

static double number(enum kind kind, int64_t i, int64_t cell)
{
    int few = i > 40 && test_random_below(97) == 0;
    double some = (double)test_random_below(1 << 20), sign = i % 2 ? -1 : 1;
    switch (kind) {
    case EQUAL: return 0.1 * (double)(1 + cell);
    case ZEROS: return cell % 2 && i % 3 == 1 ? -0.0 : 0;
    case FAR: return 1700000000.0 + some * 0x1p-10;
    case FAR_BUT_FEW: return few ? 0.3 : -1e15 + some;
    case FEW_FAR: return few ? 1e9 + some : some * 1.1;
    case TINY: return cell % 2 ? ldexp(sign, -560) : ldexp(sign * (1 + some), -1074);
    case TINY_EQUAL: return cell % 2 ? ldexp(3, -1074) : ldexp(5, -600);
    case HUGE_ONES: return ldexp(1 + some, 985) * sign;
    case AMONG_SMALL: return (i + cell) % 7 == 3 ? 1.7e300 : some;
    case AT_THE_END: return sign * (cell % 4 == 3 ? 0x1p512 : 0x1.fffffffffffffp511);
    case TIED: return i < 2 ? ldexp(sign * (double)((1 << 27) - 1 - 2 * cell), -520) : i == 2 ? 0x1p-650 : 0;
    case SMALLEST: return sign * (i % 10 < 6 ? 0x1.fffffffffffffp-512 : 0x1p-511);
    case SUBNORMAL: return sign * ldexp(1 + some * 0x1p-20, -512 - (int)(cell % 3) * 8);
    default: return few ? (cell % 3 == 0 ? INFINITY : cell % 3 == 1 ? (double)NAN : -INFINITY) : some;
    }
}

static void kinds(tally_type type, int64_t rows, int64_t columns, int32_t axis)
{
    int64_t cells = axis ? rows : columns, n = axis ? columns : rows;
    for (enum kind kind = EQUAL; kind < KINDS; kind++) {
        for (int64_t cell = 0; cell < cells; cell++) {
            parts = (enum parts)((cell / 3 + (int64_t)kind) % PARTS);
            for (int64_t i = 0; i < n; i++) store(type, place_of(cell, i, rows, columns, axis), number(kind, i, cell));
        }
        compare_all(type, rows, columns, axis);
        if (kind == FAR) compare(TALLY_VAR, type, rows, columns, axis, (double)n - 0x1p-40);
        if (kind == FAR) compare(TALLY_VAR, type, rows, columns, axis, (double)n);
        if (kind == FAR) compare(TALLY_VAR, type, rows, columns, axis, -1); /* also of nothing */
        if (kind == AMONG_SMALL) compare(TALLY_STD, type, rows, columns, axis, -1e30);
    }
}

/* Every type, numbers of all sorts. */
static void any_numbers(tally_type type, int64_t rows, int64_t columns, int32_t axis)
{
    patches_fill(type, room, rows * columns);
    compare_all(type, rows, columns, axis);
}

enum integer_kind {
    INTEGERS_EQUAL,
    INTEGERS_ZERO,
    INTEGERS_FAR, /* differ by little, far from zero */
    INTEGERS_OF_ALL_BITS,
    INTEGERS_AT_ENDS, /* the least and the largest, in some cells beside others */
    INTEGERS_FEW_FAR,
    INTEGERS_TIED, /* variances lie in the middle between two doubles; in some cells nearly */
    INTEGER_KINDS
};

/* Bits of numbers of so many, with signs or without. */
static uint64_t integer(enum integer_kind kind, int64_t i, int64_t cell, int bits)
{
    const uint64_t all = ~0ull >> (64 - bits), top = 1ull << (bits - 1), some = test_random_below(1 << 10);
    const uint64_t any = test_random_below(all >> 1) << 1 | (some & 1);
    switch (kind) {
    case INTEGERS_EQUAL: return all - 12345678 * (uint64_t)(1 + cell);
    case INTEGERS_ZERO: return 0;
    case INTEGERS_FAR: return (cell % 2 ? top / 5 * 4 : all / 3 * 2) + some;
    case INTEGERS_OF_ALL_BITS: return any;
    case INTEGERS_AT_ENDS: return cell % 3 == 0 && i % 5 == 2 ? some : i % 2 ? top : top - 1;
    case INTEGERS_FEW_FAR: return i > 40 && test_random_below(97) == 0 ? top - some : some;
    default: return (uint64_t)(i % 2) * ((1 << 26) + 1 + 2 * (uint64_t)(cell % 1000)) + (cell % 3 == 0 && i == 7);
    }
}

static void integers(tally_type type, int64_t rows, int64_t columns, int32_t axis)
{
    int64_t cells = axis ? rows : columns, n = axis ? columns : rows;
    size_t size = tally_type_size(type);
    for (enum integer_kind kind = INTEGERS_EQUAL; kind < INTEGER_KINDS; kind++) {
        for (int64_t cell = 0; cell < cells; cell++) {
            for (int64_t i = 0; i < n; i++) {
                uint64_t v = integer(kind, i, cell, (int)(8 * size));
                memcpy(room + (size_t)place_of(cell, i, rows, columns, axis) * size, &v, size);
            }
        }
        compare_all(type, rows, columns, axis);
        if (kind == INTEGERS_FAR) compare(TALLY_VAR, type, rows, columns, axis, (double)n);
    }
    any_numbers(type, rows, columns, axis);
}

static const tally_type integer_types[] = {TALLY_I64, TALLY_U32, TALLY_I32, TALLY_U64};

/* Without some of their elements. */
static void absent_elements(int64_t rows, int64_t columns, int32_t axis)
{
    absence = MASKED;
    for (int t = 0; t < (device_simulated() ? 2 : 4); t++) integers(integer_types[t], rows, columns, axis);
    for (absence = MASKED; absence <= NOT_A_NUMBER; absence++) {
        kinds(TALLY_F64, rows, columns, axis);
        kinds(TALLY_F32, rows, columns, axis);
        for (tally_type type = TALLY_F16; type <= TALLY_F64; type++) any_numbers(type, rows, columns, axis);
    }
    absence = NONE;
}

static void complex_numbers(tally_type type, int64_t rows, int64_t columns, int32_t axis)
{
    int64_t n = axis ? columns : rows;
    if (type == TALLY_C64 && n % 2 == 0) middles(type, rows, columns, axis);
    if (n >= 4 && (n & (n - 1)) == 0) beside(type, rows, columns, axis);
    kinds(type, rows, columns, axis);
    any_numbers(type, rows, columns, axis);
}

static void all_complex_numbers(void)
{
    static const int64_t shapes[][3] = {{99, 2, 1},    {65, 16, 1},       {77, 101, 1}, {2, 4097, 1},
                                        {1, 32768, 1}, {2, 77, 0},        {33, 64, 0},  {512, 35, 0},
                                        {4096, 3, 0},  {300, 532, NEST},  {3, 4, NEST}, {700, 8, NEST},
                                        {9, 100, 1},   {200, 60, MIDDLE}, {99, 1, 1},   {1, 131072, 1}};
    int simulated = device_simulated();
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        for (tally_type type = TALLY_C64; type <= TALLY_C128; type++) {
            if (simulated && i >= 9 && (i + (type == TALLY_C64)) % 2) continue; /* compiling takes its time */
            complex_numbers(type, shapes[i][0], shapes[i][1], (int32_t)shapes[i][2]);
        }
    }
    for (absence = MASKED; absence <= NOT_A_NUMBER; absence++) {
        for (tally_type type = TALLY_C64; type <= TALLY_C128; type++) {
            kinds(type, 999, 36, 0);
            kinds(type, 77, 16, 1);
            kinds(type, 2, 9000, 1);
            if (!simulated) kinds(type, 300, 101, 1);
            if (!simulated) kinds(type, 700, 8, NEST);
        }
    }
    absence = NONE;
}

/* A correction counts to 2^-63. */
static void fine_corrections(void)
{
    static const double corrections[] = {1e-4, 0x1p-64, 1e-20, -3e-7};
    for (int k = 0; k < 4; k++) {
        data_fill(TALLY_F64, DATA_ORDINARY, room, 2 * 3000);
        ((double *)(void *)room)[0] = 0;
        ((double *)(void *)room)[1] = 0x1p27 - 1;
        compare(TALLY_VAR, TALLY_F64, 3000, 2, 1, corrections[k]);
    }
}

int main(void)
{
    /* rows, columns, axis; one cell by one block, by several, and too long for these to sum it exactly */
    static const int64_t shapes[][3] = {{333, 2, 1},      {99, 4, 1},         {77, 16, 1},       {65, 100, 1},
                                        {33, 300, 1},     {2, 777, 0},        {16, 301, 0},      {3, 3000, 1},
                                        {1, 1000, 1},     {2, 9000, 1},       {1, 32768, 1},     {1, 131072, 1},
                                        {2, 100002, 1},   {4096, 3, 0},       {1000, 70, 0},     {300, 532, NEST},
                                        {3, 20004, NEST}, {200, 600, MIDDLE}, {80, 3000, MIDDLE}};
    int simulated = device_simulated();
    if (!device_open("reference")) return test_left_out("device_spread", tally_last_error());
    far = device_room(ROOM), far_out = device_room(ROOM), far_mask = device_room(MOST);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        int64_t rows = shapes[i][0], columns = shapes[i][1];
        int32_t axis = (int32_t)shapes[i][2];
        if (simulated && (i == 1 || i == 4 || i == 7 || i == 12)) continue; /* compiling takes its time */
        if ((axis ? columns : rows) % 2 == 0) middles(TALLY_F32, rows, columns, axis);
        for (tally_type type = TALLY_F32; type <= TALLY_F64; type++)
            if (columns == 4 || columns == 16 || columns >= 1 << 15) beside(type, rows, columns, axis);
        kinds(TALLY_F64, rows, columns, axis);
        kinds(TALLY_F32, rows, columns, axis);
        for (size_t t = 0; t < 4; t++)
            if (!simulated || t == i % 4) integers(integer_types[t], rows, columns, axis);
        if (simulated && i != 2 && i != 8 && i != 14 && axis < NEST) continue;
        for (tally_type type = TALLY_F16; type <= TALLY_F64; type++) any_numbers(type, rows, columns, axis);
    }
    any_numbers(TALLY_F32, 400, 1100, 1); /* rows enough for a few threads each, though they are long */
    fine_corrections();
    all_complex_numbers();
    absent_elements(999, 72, 0);
    absent_elements(2, 9000, 1);
    if (!simulated) absent_elements(4096, 3, 0);
    if (!simulated) absent_elements(400, 531, 0);
    if (!simulated) absent_elements(1, 32768, 1);
    if (!simulated) absent_elements(3000, 40, 1);
    device_close();
    return test_finish("device_spread");
}
