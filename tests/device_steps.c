/* SPDX-License-Identifier: MIT
 *
 * device_steps.c - scans of masked, strided, reversed and permuted views on a device give the bits of the CPU engine,
 * and write nothing beside them: tiles whose elements, masks and results lie in memory in orders of their own.
 *   TALLY_TEST_DEVICE   the device (simt)
 *   TALLY_TEST_FULL     as many cases as on a GPU
 *   TALLY_TEST_SEED     of the random cases */
#define _POSIX_C_SOURCE 200809L
#include "device.h"
#include "views.h"

#define ROOM (1 << 23)

static _Alignas(64) unsigned char room[ROOM], masks[ROOM], want[ROOM], got[ROOM];
static unsigned char *far, *far_masks, *far_out;
static char what[400];

static const struct {
    tally_op op;
    tally_type type;
    uint32_t flags;
} few[] = {{TALLY_SUM, TALLY_I32, 0},
           {TALLY_SUM, TALLY_F32, 0},
           {TALLY_MAX, TALLY_I8, 0},
           {TALLY_SUM, TALLY_F64, 0},
           {TALLY_MIN, TALLY_F16, 0},
           {TALLY_ALL, TALLY_BOOL, 0},
           {TALLY_PROD, TALLY_F32, 0},
           {TALLY_SUM, TALLY_U8, 0},
           {TALLY_BIT_XOR, TALLY_I64, 0},
           {TALLY_LOGSUMEXP, TALLY_F32, 0},
           {TALLY_SUM, TALLY_C64, 0},
           {TALLY_ANY, TALLY_F64, 0},
           {TALLY_MAX, TALLY_F32, TALLY_SKIP_NAN},
           {TALLY_PROD, TALLY_C128, 0},
           {TALLY_SUM, TALLY_BF16, TALLY_SKIP_NAN},
           {TALLY_MIN, TALLY_U16, 0},
           {TALLY_PROD, TALLY_I16, 0},
           {TALLY_SUM, TALLY_F16, 0},
           {TALLY_MAX, TALLY_BF16, 0},
           {TALLY_BIT_AND, TALLY_U32, 0},
           {TALLY_SUM, TALLY_BOOL, 0},
           {TALLY_MIN, TALLY_F64, TALLY_SKIP_NAN},
           {TALLY_SUM, TALLY_C128, 0},
           {TALLY_MAX, TALLY_BOOL, 0}};
enum { FEW = sizeof few / sizeof *few };

/* Elements of memory that a view reaches, from the first byte on. */
static int64_t reach_of(const tally_array *view, const unsigned char *memory)
{
    int64_t reach = ((unsigned char *)view->data - memory) / (int64_t)tally_type_size(view->type) + 1;
    for (int32_t d = 0; d < view->rank; d++)
        if (view->strides[d] > 0) reach += (view->shape[d] - 1) * view->strides[d];
    return reach;
}

/* Axes in memory in this order, each backwards or not, with `step` elements from each to the next. */
struct layout {
    int order; /* 0: C's, 1: Fortran's */
    int64_t step, gap, offset;
    uint32_t backwards; /* a bit for each axis */
};

static tally_array laid_out(const struct layout *l, tally_type type, int32_t rank, const int64_t *shape,
                            unsigned char *memory)
{
    tally_array view = tally_shaped(memory, type, rank, shape);
    int64_t stride = l->step, first = l->offset;
    for (int32_t i = 0; i < rank; i++) {
        int32_t d = l->order ? i : rank - 1 - i;
        view.strides[d] = l->backwards >> d & 1 ? -stride : stride;
        if (view.strides[d] < 0) first += stride * (shape[d] - 1);
        stride *= shape[d];
        if (i == 0) stride += l->gap;
    }
    view.data = memory + first * (int64_t)tally_type_size(type);
    return view;
}

static void compare(tally_op op, tally_array x, const tally_array *where, const struct layout *out_layout, int32_t axis,
                    uint32_t flags)
{
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array like, mask, far_mask;
    options.axes = &axis;
    options.axis_count = 1;
    options.flags = flags;
    if (where) mask = *where, far_mask = moved(mask, masks, far_masks), options.where = &mask;
    if (!CHECK(tally_result_like(TALLY_SCAN, op, &x, &options, &like) == TALLY_OK)) return;
    tally_array out = laid_out(out_layout, like.type, x.rank, x.shape, want);
    size_t each = tally_type_size(out.type), bytes = (size_t)(reach_of(&out, want) + 16) * each;
    size_t read = (size_t)reach_of(&x, room) * tally_type_size(x.type);
    if (!CHECK(bytes <= ROOM && read <= ROOM)) return;
    memset(want, 0xab, bytes);
    memset(got, 0xab, bytes);
    CHECK(tally_copy(device, far_out, got, bytes) == TALLY_OK);
    CHECK(tally_copy(device, far, room, read) == TALLY_OK);
    if (where) CHECK(tally_copy(device, far_masks, masks, (size_t)reach_of(where, masks)) == TALLY_OK);
    CHECK(tally_scan(judge, op, &x, &out, &options) == TALLY_OK);
    tally_array far_x = moved(x, room, far), far_to = moved(out, want, far_out);
    if (where) options.where = &far_mask;
    if (!CHECK(tally_scan(device, op, &far_x, &far_to, &options) == TALLY_OK))
        fprintf(stderr, "    %s\n", tally_last_error());
    CHECK(tally_copy(device, got, far_out, bytes) == TALLY_OK);
    device_same(got, want, bytes, each);
}

/* Mostly there, mostly absent, none at first, or all but the first. */
static void fill_masks(int kind)
{
    for (int64_t i = 0; i < ROOM; i++) /* true is whatever is not 0 */
        masks[i] = test_random_below(kind ? 2 : 9) ? (unsigned char)(1 + test_random_below(255)) : 0;
    if (kind == 2) memset(masks, 0, 5000);
    if (kind == 3) memset(masks, 1, ROOM), memset(masks, 0, 100);
}

static struct layout random_layout(void)
{
    struct layout l = {(int)test_random_below(2), 1, 0, 0, 0};
    if (test_random_below(4) == 0) l.step = 2 + (int64_t)test_random_below(2);
    if (test_random_below(4) == 0) l.gap = 1 + (int64_t)test_random_below(16);
    if (test_random_below(3) == 0) l.offset = 1 + (int64_t)test_random_below(5);
    if (test_random_below(3) == 0) l.backwards = (uint32_t)test_random_below(8);
    return l;
}

/* One long axis, many short ones, columns few and many, and lengths around those of runs and steps. */
static void random_case(int number)
{
    static const int64_t shapes[][3] = {{4096, 1, 1},  {20011, 1, 1}, {8192, 1, 1}, {3, 4096, 1}, {5, 1, 5003},
                                        {2, 8200, 1},  {65, 130, 1},  {64, 128, 1}, {33, 7, 50},  {300, 40, 2},
                                        {1, 900, 33},  {700, 3, 7},   {129, 67, 3}, {16, 16, 64}, {2, 3, 2048},
                                        {12288, 1, 2}, {256, 1, 64}};
    const int64_t *shape = shapes[test_random_below(sizeof shapes / sizeof *shapes)];
    struct layout in = random_layout(), to = random_layout(), over = random_layout();
    int is_masked = test_random_below(2) == 0, i = number % FEW;
    int32_t axis = (int32_t)test_random_below(3);
    static const uint32_t ways[] = {0, TALLY_REVERSE, TALLY_EXCLUSIVE, TALLY_EXCLUSIVE | TALLY_REVERSE};
    uint32_t flags = few[i].flags | ways[test_random_below(4)];
    tally_array x = laid_out(&in, few[i].type, 3, shape, room);
    tally_array where = laid_out(&over, TALLY_BOOL, 3, shape, masks);
    if (test_random_below(3) == 0) over = in, where = laid_out(&in, TALLY_BOOL, 3, shape, masks);
    if (test_random_below(4) == 0) where.strides[test_random_below(3)] = 0, where.data = masks + 60000;
    if (where.data == masks + 60000 && over.backwards) is_masked = 0;
    snprintf(what, sizeof what,
             "case %d: %s of %s, flags %u, shape %d %d %d, axis %d, x %d %d %d %d %u, out %d %d %d %d %u, where %d: %d "
             "%d %d %d %u",
             number, tally_op_name(few[i].op), tally_type_name(few[i].type), flags, (int)shape[0], (int)shape[1],
             (int)shape[2], (int)axis, in.order, (int)in.step, (int)in.gap, (int)in.offset, in.backwards, to.order,
             (int)to.step, (int)to.gap, (int)to.offset, to.backwards, is_masked, over.order, (int)over.step,
             (int)over.gap, (int)over.offset, over.backwards);
    test.section = what;
    if (!device_parted(few[i].op, few[i].type)) return;
    if (number % 7 == 0) fill_masks((int)test_random_below(4));
    data_fill(few[i].type, test_random_below(3) ? DATA_ORDINARY : DATA_WIDE, room, 200000);
    compare(few[i].op, x, is_masked ? &where : NULL, &to, axis, flags);
}

/* Contiguous axes, forward and backward, which waves of chunks go through: absent elements must change nothing,
 * whatever their types. */
static const struct {
    tally_op op;
    tally_type type;
} masked[] = {
    {TALLY_SUM, TALLY_I8},     {TALLY_SUM, TALLY_U16},    {TALLY_SUM, TALLY_I32},     {TALLY_SUM, TALLY_U64},
    {TALLY_SUM, TALLY_F16},    {TALLY_SUM, TALLY_BF16},   {TALLY_SUM, TALLY_F32},     {TALLY_SUM, TALLY_F64},
    {TALLY_SUM, TALLY_BOOL},   {TALLY_PROD, TALLY_I16},   {TALLY_PROD, TALLY_BOOL},   {TALLY_PROD, TALLY_U64},
    {TALLY_MIN, TALLY_I8},     {TALLY_MAX, TALLY_I8},     {TALLY_MIN, TALLY_U8},      {TALLY_MAX, TALLY_U16},
    {TALLY_MIN, TALLY_I16},    {TALLY_MAX, TALLY_I32},    {TALLY_MIN, TALLY_U64},     {TALLY_MAX, TALLY_I64},
    {TALLY_MIN, TALLY_F16},    {TALLY_MAX, TALLY_F16},    {TALLY_MIN, TALLY_BF16},    {TALLY_MAX, TALLY_F32},
    {TALLY_MIN, TALLY_F64},    {TALLY_MAX, TALLY_F64},    {TALLY_MIN, TALLY_BOOL},    {TALLY_MAX, TALLY_BOOL},
    {TALLY_ANY, TALLY_BOOL},   {TALLY_ALL, TALLY_BOOL},   {TALLY_ANY, TALLY_I8},      {TALLY_ALL, TALLY_U8},
    {TALLY_BIT_AND, TALLY_I8}, {TALLY_BIT_OR, TALLY_U16}, {TALLY_BIT_XOR, TALLY_I64}, {TALLY_BIT_AND, TALLY_BOOL}};
enum { MASKED = sizeof masked / sizeof *masked };

static void masked_case(int i, int variant)
{
    static const uint32_t ways[] = {0, TALLY_REVERSE, TALLY_EXCLUSIVE, TALLY_REVERSE | TALLY_EXCLUSIVE};
    static const int64_t lengths[] = {70016, 70013, 300, 20000, 65537};
    int64_t shape[3] = {1, 1, lengths[test_random_below(5)]};
    struct layout in = {0, 1, 0, 0, 0}, to = in, over = in;
    uint32_t flags = ways[test_random_below(4)];
    int kind = (int)test_random_below(4);
    if (test_random_below(3) == 0) shape[1] = 3;
    if (test_random_below(3) == 0) in.offset = test_random_below(4);
    if (test_random_below(3) == 0) to.offset = in.offset;
    if (test_random_below(3) == 0) over.offset = test_random_below(4);
    if (test_random_below(6) == 0) over.backwards = 4;
    if (test_random_below(3) == 0) in.backwards = 4;
    if (test_random_below(4) == 0) to.backwards = 4;
    if (test_random_below(4) == 0) flags |= TALLY_SKIP_NAN;
    if (!(masked[i].type >= TALLY_F16 && masked[i].op <= TALLY_MAX)) flags &= ~(uint32_t)TALLY_SKIP_NAN;
    tally_array x = laid_out(&in, masked[i].type, 3, shape, room);
    tally_array where = laid_out(&over, TALLY_BOOL, 3, shape, masks);
    if (test_random_below(8) == 0) where.strides[2] = 0;
    snprintf(what, sizeof what,
             "chunks, case %d: %s of %s, flags %u, %d rows of %d, offsets %d %d %d, backwards %u %u, masks %d", variant,
             tally_op_name(masked[i].op), tally_type_name(masked[i].type), flags, (int)shape[1], (int)shape[2],
             (int)in.offset, (int)to.offset, (int)over.offset, in.backwards, to.backwards, kind);
    test.section = what;
    if (!device_parted(masked[i].op, masked[i].type)) return;
    fill_masks(kind);
    data_fill(masked[i].type, variant % 3 ? DATA_ORDINARY : DATA_WIDE, room, 220000);
    compare(masked[i].op, x, variant % 2 ? NULL : &where, &to, 2, flags);
}

/* Columns enough for threads that walk down them, and more rows than these take at once. */
static void masked_columns(int i)
{
    static const uint32_t ways[] = {0, TALLY_EXCLUSIVE, TALLY_REVERSE};
    const int64_t shape[3] = {1, 41 + i, i % 2 ? 1500 : 2016};
    struct layout in = {0, 1, 0, 0, 0}, over = in;
    if (i % 3 == 1) over.gap = 8;
    if (i % 4 == 2) in.offset = 1;
    if (!device_parted(few[i].op, few[i].type)) return;
    tally_array x = laid_out(&in, few[i].type, 3, shape, room), where = laid_out(&over, TALLY_BOOL, 3, shape, masks);
    snprintf(what, sizeof what, "masked columns, case %d: %s of %s", i, tally_op_name(few[i].op),
             tally_type_name(few[i].type));
    test.section = what;
    fill_masks(i % 4);
    data_fill(few[i].type, i % 2 ? DATA_ORDINARY : DATA_TIES, room, 150000);
    compare(few[i].op, x, &where, &in, 1, few[i].flags | ways[i % 3]);
}

/* Rows of small elements that run against their results, of whole vectors, and of some that are none. */
static void turned_rows(int i)
{
    static const struct {
        tally_op op;
        tally_type type;
    } of[] = {{TALLY_MAX, TALLY_U8}, {TALLY_BIT_XOR, TALLY_I8}, {TALLY_MIN, TALLY_F16}, {TALLY_SUM, TALLY_BF16}};
    static const int64_t lengths[] = {16, 48, 112, 208, 1024, 1032};
    enum { OPERATORS = sizeof of / sizeof *of, LENGTHS = sizeof lengths / sizeof *lengths };
    int64_t shape[3] = {1, 0, lengths[i % LENGTHS]};
    struct layout in = {0, 1, 0, 0, 0}, to = in;
    int k = i / LENGTHS % OPERATORS, is_masked = i % 4 == 3;
    shape[1] = 40000 / shape[2];
    if (i % 2) in.backwards = 4;
    else to.backwards = 4;
    if (i % 5 == 4) in.gap = 16;
    if (i % 7 == 6) to.gap = 3;
    if (i % 3 == 2) to.offset = 1 + i % 5;
    if (!device_parted(of[k].op, of[k].type)) return;
    tally_array x = laid_out(&in, of[k].type, 3, shape, room), where = laid_out(&to, TALLY_BOOL, 3, shape, masks);
    snprintf(what, sizeof what, "turned rows, case %d: %s of %s, %d of %d", i, tally_op_name(of[k].op),
             tally_type_name(of[k].type), (int)shape[1], (int)shape[2]);
    test.section = what;
    data_fill(of[k].type, DATA_ORDINARY, room, 60000);
    compare(of[k].op, x, is_masked ? &where : NULL, &to, 2, i % 8 < 4 ? 0 : TALLY_EXCLUSIVE);
}

int main(void)
{
    const int cases = device_full() ? 200 : 120; /* most compile a kernel */
    if (!device_full()) setenv("TALLY_SIMT_SHARED", DEVICE_H100_SHARED, 0), setenv("TALLY_SIMT_PROCESSORS", "3", 0);
    if (!device_open("cpu")) return test_left_out("device_steps", tally_last_error());
    far = device_room(ROOM), far_masks = device_room(ROOM), far_out = device_room(ROOM);
    fill_masks(0);
    for (int i = 0; i < cases; i++) random_case(i);
    for (int i = 0; i < 24; i++) turned_rows(i);
    for (int i = 0; i < FEW; i++) masked_columns(i);
    for (int i = 0; i < MASKED; i++)
        for (int variant = 0; variant < (device_full() ? 6 : 4); variant++) masked_case(i, variant);
    device_close();
    return test_finish("device_steps");
}
