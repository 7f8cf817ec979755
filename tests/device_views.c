/* SPDX-License-Identifier: MIT
 *
 * device_views.c - reductions along several axes that are no neighbours, and reductions and scans of views with gaps,
 * on a device give the bits of the CPU engine: runs that begin at vectors and inside of them, few and many of them,
 * kept or reduced, and gaps that hold numbers which no sum would forgive. TALLY_TEST_DEVICE   the device (simt)
 *   TALLY_TEST_FULL     all combinations, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "device.h"
#include "patches.h"

#define ROOM (1 << 23)
#define MOST_RANK 5

static int full;
static _Alignas(64) unsigned char room[ROOM], want[ROOM], got[ROOM];
static unsigned char *far, *far_out;
static char where_text[300];

/* A view whose innermost axis has `gap` elements behind it, from element `offset` on; so has the output of a scan, with
 * a gap of its own. */
struct view {
    int32_t rank;
    int64_t shape[MOST_RANK], gap, offset, out_gap;
};

static tally_array placed(const struct view *v, tally_type type, unsigned char *memory, int64_t gap)
{
    tally_array a = tally_shaped(memory + (size_t)v->offset * tally_type_size(type), type, v->rank, v->shape);
    int64_t stride = v->shape[v->rank - 1] + gap;
    for (int32_t d = v->rank - 2; d >= 0; d--) {
        a.strides[d] = stride;
        stride *= v->shape[d];
    }
    return a;
}

static int64_t elements_of(const struct view *v, int64_t gap)
{
    int64_t elements = v->shape[v->rank - 1] + gap;
    for (int32_t d = 0; d + 1 < v->rank; d++) elements *= v->shape[d];
    return elements + v->offset + 16;
}

static void name_case(tally_op op, tally_type type, const struct view *v, const int32_t *axes, int32_t count)
{
    int used = snprintf(where_text, sizeof where_text, "%s of %s, gap %d, offset %d, out gap %d, shape",
                        tally_op_name(op), tally_type_name(type), (int)v->gap, (int)v->offset, (int)v->out_gap);
    for (int32_t d = 0; d < v->rank; d++)
        used += snprintf(where_text + used, sizeof where_text - (size_t)used, " %lld", (long long)v->shape[d]);
    used += snprintf(where_text + used, sizeof where_text - (size_t)used, ", axes");
    for (int32_t i = 0; i < count; i++)
        used += snprintf(where_text + used, sizeof where_text - (size_t)used, " %d", (int)axes[i]);
    test.section = where_text;
}

static void compare(tally_verb verb, tally_op op, tally_type type, const struct view *v, const int32_t *axes,
                    int32_t count, uint32_t flags)
{
    tally_array x = placed(v, type, room, v->gap), like;
    tally_options options = TALLY_OPTIONS_INIT;
    if (!device_parted(op, type)) return;
    options.axes = axes;
    options.axis_count = count;
    options.flags = flags;
    name_case(op, type, v, axes, count);
    CHECK(elements_of(v, v->gap) * (int64_t)tally_type_size(type) <= ROOM);
    CHECK(tally_result_like(verb, op, &x, &options, &like) == TALLY_OK);
    size_t each = tally_type_size(like.type), bytes = each;
    if (verb == TALLY_SCAN) {
        like = placed(v, like.type, want, v->out_gap);
        bytes = (size_t)elements_of(v, v->out_gap) * each;
    } else {
        for (int32_t d = 0; d < like.rank; d++) bytes *= (size_t)like.shape[d];
        like.data = want;
    }
    CHECK(bytes <= ROOM);
    memset(want, 0xab, bytes);
    memset(got, 0xab, bytes);
    int64_t ahead = (unsigned char *)like.data - want;
    if (verb == TALLY_SCAN) CHECK(tally_scan(judge, op, &x, &like, &options) == TALLY_OK);
    else CHECK(tally_reduce(judge, op, &x, &like, &options) == TALLY_OK);
    CHECK(tally_copy(device, far, room, (size_t)elements_of(v, v->gap) * tally_type_size(type)) == TALLY_OK);
    CHECK(tally_copy(device, far_out, got, bytes) == TALLY_OK);
    x = placed(v, type, far, v->gap);
    like.data = far_out + ahead;
    if (verb == TALLY_SCAN) CHECK(tally_scan(device, op, &x, &like, &options) == TALLY_OK);
    else CHECK(tally_reduce(device, op, &x, &like, &options) == TALLY_OK);
    CHECK(tally_copy(device, got, far_out, bytes) == TALLY_OK);
    device_same(got, want, bytes, each);
}

static const struct {
    tally_op op;
    tally_type type;
} few[] = {{TALLY_SUM, TALLY_F32},  {TALLY_SUM, TALLY_I8},      {TALLY_MAX, TALLY_I8},   {TALLY_SUM, TALLY_F16},
           {TALLY_SUM, TALLY_F64},  {TALLY_MAX, TALLY_F32},     {TALLY_MEAN, TALLY_F32}, {TALLY_SUM, TALLY_BF16},
           {TALLY_ALL, TALLY_BOOL}, {TALLY_BIT_XOR, TALLY_I16}, {TALLY_MIN, TALLY_F64},  {TALLY_MEAN, TALLY_I32},
           {TALLY_SUM, TALLY_I64},  {TALLY_PROD, TALLY_I16},    {TALLY_VAR, TALLY_F32},  {TALLY_ARGMAX, TALLY_F32},
           {TALLY_VAR, TALLY_I8},   {TALLY_ARGMAX, TALLY_U8}};
enum { FEW = sizeof few / sizeof *few };

/* Unless nothing is compared that would read it. */
static void fill(int number, int kind)
{
    const int64_t elements = ROOM / (int64_t)tally_type_size(few[number].type);
    if (!device_parted(few[number].op, few[number].type)) return;
    if (kind == 1) patches_fill(few[number].type, room, elements);
    else data_fill(few[number].type, kind ? DATA_WIDE : DATA_ORDINARY, room, elements);
}

/* Of rank 3 and 4: the first and third axis, the second and fourth. */
static void nests(void)
{
    static const struct view views[] = {
        {4, {5, 3, 64, 32}, 0, 0, 0},   {4, {5, 3, 64, 32}, 0, 1, 0},   {4, {7, 5, 33, 128}, 0, 0, 0},
        {4, {7, 5, 33, 127}, 0, 0, 0},  {4, {3, 2, 40, 512}, 0, 0, 0},  {4, {4, 3, 16, 8}, 0, 0, 0},
        {4, {3, 300, 2, 64}, 0, 0, 0},  {4, {2, 70, 3, 33}, 0, 0, 0},   {3, {31, 63, 63, 0}, 0, 0, 0},
        {3, {4, 1000, 4, 0}, 0, 0, 0},  {3, {4, 1001, 8, 0}, 0, 3, 0},  {3, {9, 40, 200, 0}, 8, 0, 0},
        {3, {9, 40, 200, 0}, 5, 0, 0},  {4, {3, 2, 40, 496}, 16, 0, 0}, {4, {3, 2, 40, 500}, 12, 0, 0},
        {4, {3, 5, 400, 3}, 0, 0, 0},   {3, {4, 999, 2, 0}, 0, 0, 0},   {4, {65, 2, 65, 48}, 0, 0, 0},
        {5, {3, 2, 5, 3, 64}, 0, 0, 0}, {5, {3, 2, 5, 3, 31}, 1, 1, 0}, {3, {2, 3, 4000, 0}, 0, 1, 0},
        {3, {64, 100, 4, 0}, 0, 0, 0},  {4, {5, 9, 70, 16}, 0, 0, 0},   {4, {70, 3, 200, 6}, 0, 0, 0}};
    static const int32_t odd[] = {1, 3}, even[] = {0, 2, 4}, outer[] = {0, 2, 3};
    for (int i = 0; i < FEW; i++) {
        for (int kind = 0; kind < 3; kind++) {
            fill(i, kind);
            for (size_t k = 0; k < sizeof views / sizeof *views; k++) {
                const struct view *v = &views[k];
                if (!full && i > 1 && (i + (int)k + 5 * kind) % 15) continue;
                if (!full && i <= 1 && ((int)k + kind) % 3) continue;
                compare(TALLY_REDUCE, few[i].op, few[i].type, v, even, v->rank == 5 ? 3 : 2, 0);
                if (v->rank >= 4) compare(TALLY_REDUCE, few[i].op, few[i].type, v, odd, 2, 0);
                if (v->rank == 5) compare(TALLY_REDUCE, few[i].op, few[i].type, v, outer, 3, 0);
            }
        }
    }
}

/* Along rows and down columns. */
static void gaps(void)
{
    static const struct view views[] = {
        {2, {300, 24}, 8, 0, 0},   {2, {200, 100}, 4, 0, 0},    {2, {100, 1000}, 8, 0, 0}, {2, {90, 1000}, 8, 1, 0},
        {2, {60, 1023}, 1, 0, 0},  {2, {40, 1025}, 0, 0, 0},    {2, {700, 7}, 0, 3, 0},    {2, {500, 7}, 1, 0, 0},
        {2, {65, 513}, 7, 2, 0},   {3, {7, 20, 100}, 28, 0, 0}, {2, {20, 4100}, 4, 0, 0},  {2, {11, 8195}, 3, 5, 0},
        {2, {33, 250}, 250, 0, 0}, {2, {120, 63}, 0, 0, 0},     {2, {120, 64}, 64, 0, 0}};
    for (int i = 0; i < FEW; i++) {
        for (int kind = 0; kind < 3; kind++) {
            fill(i, kind);
            for (size_t k = 0; k < sizeof views / sizeof *views; k++) {
                const struct view *v = &views[k];
                if (!full && ((i > 5 && i % 2) || (i + (int)k + 3 * kind) % (i < 2 ? 4 : 9))) continue;
                for (int32_t axis = v->rank - 2; axis < v->rank; axis++)
                    compare(TALLY_REDUCE, few[i].op, few[i].type, v, &axis, 1, 0);
            }
        }
    }
}

/* Rows that are a vector each, with vectors between them. */
static void lone_vectors(void)
{
    for (int i = 0; i < FEW; i++) {
        const int64_t length = 16 / (int64_t)tally_type_size(few[i].type);
        const struct view v = {2, {1 + (int64_t)test_random_below(900), length}, (1 + i % 3) * length, 0, 0};
        fill(i, i % 3);
        compare(TALLY_REDUCE, few[i].op, few[i].type, &v, &(int32_t){1}, 1, 0);
    }
}

/* Short rows that are read with what lies between them, and those that begin inside of vectors. */
static void close_rows(void)
{
    static const struct {
        int64_t length, gap, offset;
    } rows[] = {{2, 1, 0},  {10, 2, 1}, {16, 0, 1}, {33, 3, 0}, {15, 1, 0}, {7, 9, 2},
                {32, 0, 3}, {3, 61, 0}, {12, 1, 5}, {24, 8, 1}, {5, 3, 0},  {500, 7, 1}};
    for (int i = 0; i < FEW; i++) {
        fill(i, 2 - i % 3);
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            const int64_t many = 1 + (int64_t)test_random_below(1 + 20000 / rows[k].length);
            const struct view v = {2, {many, rows[k].length}, rows[k].gap, rows[k].offset, 0};
            if (full || (i + (int)k) % 5 == 0) compare(TALLY_REDUCE, few[i].op, few[i].type, &v, &(int32_t){1}, 1, 0);
        }
    }
}

/* All of the first few columns of a matrix, and every other element. */
static void narrow_matrices(void)
{
    static const struct {
        int64_t columns, gap, offset;
    } runs[] = {{3, 1, 0}, {1, 1, 1}, {17, 2, 0}, {10, 1, 3}, {5, 2, 1}, {2, 3, 1}, {1, 4, 0}, {7, 7, 2}, {5, 100, 0}};
    for (int i = 0; i < FEW; i++) {
        fill(i, i % 3);
        for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
            const int64_t many = 1 + (int64_t)test_random_below(k % 2 ? 100 : 60000 / (runs[k].columns + runs[k].gap));
            const struct view v = {2, {many, runs[k].columns}, runs[k].gap, runs[k].offset, 0};
            if (full || (i + (int)k) % 4 == 0)
                compare(TALLY_REDUCE, few[i].op, few[i].type, &v, (const int32_t[]){0, 1}, 2, 0);
        }
    }
}

/* Along rows with gaps in the input, the output or both, or that begin at another place of vectors than results. */
static void scans(void)
{
    static const struct view views[] = {{2, {300, 24}, 8, 0, 0},    {2, {300, 24}, 8, 0, 8},   {2, {200, 100}, 4, 0, 0},
                                        {2, {100, 1000}, 8, 0, 0},  {2, {90, 1000}, 8, 1, 16}, {2, {60, 1023}, 1, 0, 0},
                                        {2, {700, 7}, 1, 3, 0},     {2, {90, 512}, 512, 0, 4}, {2, {65, 516}, 0, 0, 4},
                                        {3, {7, 20, 96}, 32, 4, 0}, {2, {30, 4100}, 4, 0, 0},  {2, {9000, 2}, 2, 0, 0}};
    static const uint32_t flags[] = {0, TALLY_REVERSE, TALLY_EXCLUSIVE, TALLY_EXCLUSIVE | TALLY_REVERSE};
    for (int i = 0; i < FEW; i++) {
        if (few[i].op == TALLY_MEAN || few[i].op == TALLY_VAR || few[i].op == TALLY_ARGMAX) continue;
        for (int kind = 0; kind < 3; kind++) {
            fill(i, kind);
            for (size_t k = 0; k < sizeof views / sizeof *views; k++) {
                const struct view *v = &views[k];
                const int32_t axis = v->rank - 1;
                if (!full && ((i > 5 && i % 2 == 0) || (i + (int)k + kind) % (i < 2 ? 2 : 7))) continue;
                compare(TALLY_SCAN, few[i].op, few[i].type, v, &axis, 1, flags[(i / 2 + (int)k * full) % 4]);
            }
        }
    }
}

int main(void)
{
    full = device_full();
    if (!full) setenv("TALLY_SIMT_SHARED", DEVICE_H100_SHARED, 0);
    if (!device_open("cpu")) return test_left_out("device_views", tally_last_error());
    far = device_room(ROOM), far_out = device_room(ROOM);
    nests();
    gaps();
    lone_vectors();
    close_rows();
    narrow_matrices();
    scans();
    device_close();
    return test_finish("device_views");
}
