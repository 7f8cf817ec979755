/* SPDX-License-Identifier: MIT
 *
 * device_products.c - dot products along short rows on a device give the bits of the CPU engine: rows behind each other
 * or nearly so, of which a second array has its own, or all the same one, with absent elements and without, and numbers
 * whose products no double holds. TALLY_TEST_DEVICE   the device (simt) */
#define _POSIX_C_SOURCE 200809L
#include "device.h"
#include "patches.h"

enum { ROOM = 1 << 20, AROUND = 16, MOST_OFFSET = 5 };

static _Alignas(64) unsigned char room[2][ROOM], mask[ROOM], want[ROOM], got[ROOM];
static unsigned char *far[2], *far_mask, *far_out;
static char where_text[200];

struct rows {
    int64_t count, length, gap, other_gap; /* other_gap below zero: one row for all */
};

static tally_array placed(const struct rows *r, tally_type type, unsigned char *memory, int64_t offset, int64_t gap)
{
    int64_t shape[] = {gap < 0 ? 1 : r->count, r->length};
    tally_array a = tally_shaped(memory + (size_t)offset * tally_type_size(type), type, 2, shape);
    a.strides[0] = r->length + (gap < 0 ? 0 : gap);
    return a;
}

static void compare(tally_type type, tally_type result, const struct rows *r, int masked, uint32_t flags, int starts)
{
    _Alignas(16) unsigned char initial[16] = {0};
    int64_t offset = (int64_t)test_random_below(MOST_OFFSET), other = (int64_t)test_random_below(MOST_OFFSET);
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array x = placed(r, type, room[0], offset, r->gap), y = placed(r, type, room[1], other, r->other_gap), out;
    tally_array where = placed(r, TALLY_BOOL, mask, other, r->other_gap < 0 ? 0 : r->other_gap);
    snprintf(where_text, sizeof where_text,
             "%s to %s, %d x %d, gaps %d and %d, offsets %d and %d, masked %d, flags %u, start %d",
             tally_type_name(type), tally_type_name(result), (int)r->count, (int)r->length, (int)r->gap,
             (int)r->other_gap, (int)offset, (int)other, masked, flags, starts);
    test.section = where_text;
    options.axes = &(int32_t){1};
    options.axis_count = 1;
    options.type = result;
    options.flags = flags;
    options.second = &y;
    if (masked) options.where = &where;
    CHECK(tally_result_like(TALLY_REDUCE, TALLY_DOT, &x, &options, &out) == TALLY_OK);
    if (starts) data_element(out.type, DATA_ORDINARY, initial), options.initial = initial;
    size_t each = tally_type_size(out.type), bytes = ((size_t)r->count + 2 * AROUND) * each;
    memset(want, 0xab, bytes);
    memset(got, 0xab, bytes);
    out.data = want + AROUND * each;
    CHECK(tally_reduce(judge, TALLY_DOT, &x, &out, &options) == TALLY_OK);
    for (int k = 0; k < 2; k++) CHECK(tally_copy(device, far[k], room[k], ROOM) == TALLY_OK);
    CHECK(tally_copy(device, far_mask, mask, ROOM) == TALLY_OK);
    CHECK(tally_copy(device, far_out, got, bytes) == TALLY_OK);
    x.data = far[0] + ((unsigned char *)x.data - room[0]);
    y.data = far[1] + ((unsigned char *)y.data - room[1]);
    where.data = far_mask + ((unsigned char *)where.data - mask);
    out.data = far_out + AROUND * each;
    CHECK(tally_reduce(device, TALLY_DOT, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, got, far_out, bytes) == TALLY_OK);
    device_same(got, want, bytes, each);
}

/* Numbers near each other, or such that sums of some rows are next to nothing, or far beyond all doubles. */
static void fill(tally_type type, int kind)
{
    const int64_t elements = ROOM / (int64_t)tally_type_size(type);
    for (int k = 0; k < 2; k++) {
        if (kind == 0) data_fill(type, DATA_ORDINARY, room[k], elements);
        else if (kind == 1) patches_fill(type, room[k], elements);
        else data_fill(type, k ? DATA_ORDINARY : DATA_WIDE, room[k], elements);
    }
    for (int64_t i = 0; i < ROOM; i++) mask[i] = test_random_below(4) ? (unsigned char)(1 + test_random_below(255)) : 0;
    memset(mask, 0, 200);
}

int main(void)
{
    static const struct {
        tally_type type, result;
    } problems[] = {{TALLY_F32, TALLY_DEFAULT_TYPE},
                    {TALLY_F64, TALLY_DEFAULT_TYPE},
                    {TALLY_F16, TALLY_DEFAULT_TYPE},
                    {TALLY_F32, TALLY_F64},
                    {TALLY_BF16, TALLY_DEFAULT_TYPE},
                    {TALLY_I8, TALLY_DEFAULT_TYPE},
                    {TALLY_I32, TALLY_DEFAULT_TYPE},
                    {TALLY_U64, TALLY_DEFAULT_TYPE},
                    {TALLY_BOOL, TALLY_U8},
                    {TALLY_BOOL, TALLY_F16},
                    {TALLY_I8, TALLY_F32},
                    {TALLY_I16, TALLY_F64},
                    {TALLY_U16, TALLY_BF16}};
    static const struct rows rows[] = {{901, 3, 0, 0},  {2000, 2, 1, 0},  {333, 5, 0, -1}, {211, 33, 0, 2},
                                       {150, 64, 0, 0}, {97, 100, 1, -1}, {30, 257, 3, 5}, {1000, 1, 1, 2}};
    if (!device_open("cpu")) return test_left_out("device_products", tally_last_error());
    for (int k = 0; k < 2; k++) far[k] = device_room(ROOM);
    far_mask = device_room(ROOM);
    far_out = device_room(ROOM);
    for (int i = 0; i < (int)(sizeof problems / sizeof *problems); i++) {
        const int is_float = problems[i].type >= TALLY_F16;
        for (int k = 0; k < (int)(sizeof rows / sizeof *rows); k++) {
            if (!test_in_part(i + 5 * k)) continue;
            for (int kind = 0; kind < (is_float ? 3 : 1); kind++) {
                fill(problems[i].type, kind);
                const int special = (i + k) % 4;
                compare(problems[i].type, problems[i].result, &rows[k], special == 1 || special == 3,
                        is_float && special > 1 ? TALLY_SKIP_NAN : 0, k % 3 == 1);
            }
        }
    }
    device_close();
    return test_finish("device_products");
}
