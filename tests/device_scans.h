/* SPDX-License-Identifier: MIT
 *
 * device_scans.h - arrays of three axes, with gaps between their rows and from any element on, scanned on a device and
 * by a judge: the bits must be the same. For tests; include it once. */
#ifndef TALLY_TEST_DEVICE_SCANS_H
#define TALLY_TEST_DEVICE_SCANS_H

#include "data.h"
#include "device.h"

#include <string.h>

#define ROOM (1 << 23)

static _Alignas(64) unsigned char room[ROOM], want[ROOM], got[ROOM], mask[ROOM];
static unsigned char *far, *far_out, *far_mask; /* the last where calls are masked */
static char where_text[240];

/* outer x rows x columns elements, of which rows lie `pitch` apart, from element `offset` on. */
struct shape {
    int64_t outer, rows, columns, pitch, offset;
};

static inline int64_t elements_of(const struct shape *s)
{
    return s->offset + s->outer * s->rows * s->pitch;
}

static inline tally_array shaped(const struct shape *s, tally_type type, unsigned char *memory)
{
    tally_array a = tally_matrix(memory + (size_t)s->offset * tally_type_size(type), type, s->rows, s->columns);
    a.rank = 3;
    a.shape[0] = s->outer, a.shape[1] = s->rows, a.shape[2] = s->columns;
    a.strides[0] = s->rows * s->pitch, a.strides[1] = s->pitch, a.strides[2] = 1;
    return a;
}

struct what {
    tally_op op;
    tally_type type, result;
    uint32_t flags;
    int initial, in_place;
};

/* In every part of the test. */
static inline void compare_always(int32_t axis, const struct what *w, const struct shape *s, int masked)
{
    size_t size = tally_type_size(w->type);
    _Alignas(16) unsigned char initial[16] = {0};
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array x = shaped(s, w->type, room), where = shaped(s, TALLY_BOOL, mask), like;
    options.axes = &axis;
    options.axis_count = 1;
    options.type = w->result;
    options.flags = w->flags;
    snprintf(where_text, sizeof where_text,
             "running %s of %s to %s, axis %d, flags %u%s%s%s, %lld x %lld x %lld, pitch %lld, offset %lld",
             tally_op_name(w->op), tally_type_name(w->type),
             w->result == TALLY_DEFAULT_TYPE ? "its result" : tally_type_name(w->result), (int)axis, w->flags,
             w->initial ? ", initial" : "", w->in_place ? ", in place" : "", masked ? ", masked" : "",
             (long long)s->outer, (long long)s->rows, (long long)s->columns, (long long)s->pitch, (long long)s->offset);
    test.section = where_text;
    CHECK(tally_result_like(TALLY_SCAN, w->op, &x, &options, &like) == TALLY_OK);
    size_t each = tally_type_size(like.type), bytes = (size_t)elements_of(s) * each + 16;
    if (!CHECK(bytes <= ROOM && (size_t)elements_of(s) * size <= ROOM)) return;
    if (w->initial) data_fill(like.type, DATA_ORDINARY, initial, 1), options.initial = initial;
    if (masked) data_fill(TALLY_BOOL, DATA_ORDINARY, mask, elements_of(s)), options.where = &where;
    memset(want, 0xab, bytes);
    if (w->in_place) memcpy(want, room, bytes);
    tally_array out = shaped(s, like.type, want);
    CHECK(tally_scan(judge, w->op, &x, &out, &options) == TALLY_OK);
    memset(got, 0xab, bytes);
    if (w->in_place) memcpy(got, room, bytes);
    CHECK(tally_copy(device, far, room, (size_t)elements_of(s) * size) == TALLY_OK);
    CHECK(tally_copy(device, far_out, got, bytes) == TALLY_OK);
    if (masked) CHECK(tally_copy(device, far_mask, mask, (size_t)elements_of(s)) == TALLY_OK);
    x = shaped(s, w->type, w->in_place ? far_out : far);
    where = shaped(s, TALLY_BOOL, far_mask);
    out = shaped(s, like.type, far_out);
    if (!CHECK(tally_scan(device, w->op, &x, &out, &options) == TALLY_OK))
        fprintf(stderr, "    %s\n", tally_last_error());
    CHECK(tally_copy(device, got, far_out, bytes) == TALLY_OK);
    int shown = test.failed < TEST_SHOWN;
    if (CHECK(memcmp(got, want, bytes) == 0) || !shown) return;
    size_t i = 0;
    while (got[i] == want[i]) i++;
    int64_t at = (int64_t)(i / each) - s->offset;
    fprintf(stderr, "    row %lld, column %lld\n", (long long)(at / s->pitch), (long long)(at % s->pitch));
}

static inline void compare_along(int32_t axis, const struct what *w, const struct shape *s)
{
    if (device_parted(w->op, w->type)) compare_always(axis, w, s, 0);
}

/* Down the columns. */
static inline void compare(const struct what *w, const struct shape *s)
{
    compare_along(1, w, s);
}

/* Sums down columns that are carried from a chunk of so many rows to the rest, and along a vector. */
static inline void in_chunks(tally_type type, int64_t rows, int64_t first, int64_t columns, uint32_t flags)
{
    const int64_t row = (int64_t)tally_type_size(type) * columns, begin = flags & TALLY_REVERSE ? rows - first : 0;
    const int64_t rest = flags & TALLY_REVERSE ? 0 : first;
    int32_t axis = 0;
    tally_scan_carry *carry = NULL;
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array x = tally_matrix(room, type, rows, columns), out = tally_matrix(want, type, rows, columns);
    options.axes = &axis, options.axis_count = 1, options.flags = flags;
    test.section = "running sums in chunks";
    CHECK(tally_scan(judge, TALLY_SUM, &x, &out, &options) == TALLY_OK);
    memset(got, 0xab, (size_t)(rows * row));
    CHECK(tally_scan_carry_new(device, TALLY_SUM, type, columns, &options, &carry) == TALLY_OK);
    for (int k = 0; k < 2; k++) {
        int64_t from = k ? rest : begin, count = k ? rows - first : first;
        x = tally_matrix(room + from * row, type, count, columns);
        out = tally_matrix(got + from * row, type, count, columns);
        CHECK(tally_scan_continue(carry, &x, &out, &options) == TALLY_OK);
    }
    CHECK(memcmp(got, want, (size_t)(rows * row)) == 0);
    tally_scan_carry_free(carry);
}

#endif
