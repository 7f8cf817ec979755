/* SPDX-License-Identifier: MIT
 *
 * narrow_scans.h - what device_bytes.c and device_halves.c share: a running result on a device beside the reference
 * engine's, with what lies between and behind results, in one call and in two. Each has its own numbers:
 *   fill        elements into `room`
 *   initial_of  an initial value */
#ifndef TALLY_TEST_NARROW_SCANS_H
#define TALLY_TEST_NARROW_SCANS_H

#include "device.h"

#include <string.h>

#define ROOM (1 << 21)
#define BESIDE 0xab /* in bytes that no result may reach */

static _Alignas(64) unsigned char room[ROOM], want[ROOM], got[ROOM];
static unsigned char *far, *far_out;
static char where_text[200];

struct shape { /* in elements */
    int64_t outer, rows, columns, pitch, offset;
    int along; /* scans go along rows */
};

struct what {
    tally_op op;
    tally_type type;
    uint32_t flags;
    int initial, in_place;
};

static void fill(const struct what *w, const struct shape *s);
static uint16_t initial_of(const struct what *w);

/* The place of element `at` of `length` in the direction of the scan. */
static inline int64_t in_scan_order(const struct what *w, int64_t at, int64_t length)
{
    return w->flags & TALLY_REVERSE ? length - 1 - at : at;
}

static inline tally_array shaped(const struct shape *s, tally_type type, unsigned char *memory)
{
    tally_array a = tally_matrix(memory + (size_t)s->offset * tally_type_size(type), type, s->rows, s->columns);
    a.rank = 3;
    a.shape[0] = s->outer, a.shape[1] = s->rows, a.shape[2] = s->columns;
    a.strides[0] = s->rows * s->pitch, a.strides[1] = s->pitch, a.strides[2] = 1;
    return a;
}

static inline tally_options options_of(const struct what *w, const int32_t *axis, const void *initial)
{
    tally_options options = TALLY_OPTIONS_INIT;
    options.axes = axis, options.axis_count = 1;
    options.flags = w->flags;
    if (w->initial) options.initial = initial;
    return options;
}

static inline void say(const char *way, const struct what *w, const struct shape *s)
{
    snprintf(where_text, sizeof where_text,
             "%s %s%s of %s, flags %u%s%s%s, %lld x %lld x %lld, pitch %lld, offset %lld", way, tally_op_name(w->op),
             s->along ? " along rows" : "", tally_type_name(w->type), w->flags, w->initial ? ", initial" : "",
             w->initial > 1 ? " -0" : "", w->in_place ? ", in place" : "", (long long)s->outer, (long long)s->rows,
             (long long)s->columns, (long long)s->pitch, (long long)s->offset);
    test.section = where_text;
}

static inline void compare(const struct what *w, const struct shape *s)
{
    const int32_t axis = s->along ? 2 : 1;
    const size_t size = tally_type_size(w->type),
                 bytes = (size_t)(s->offset + s->outer * s->rows * s->pitch) * size + 16;
    const uint16_t initial = initial_of(w);
    tally_options options = options_of(w, &axis, &initial);
    say("running", w, s);
    if (!CHECK(bytes <= ROOM)) return;
    fill(w, s);
    memset(want, BESIDE, bytes);
    if (w->in_place) memcpy(want, room, bytes);
    memcpy(got, want, bytes);
    tally_array x = shaped(s, w->type, room), out = shaped(s, w->type, want);
    CHECK(tally_scan(judge, w->op, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, far, room, bytes) == TALLY_OK);
    CHECK(tally_copy(device, far_out, got, bytes) == TALLY_OK);
    x = shaped(s, w->type, w->in_place ? far_out : far);
    out = shaped(s, w->type, far_out);
    if (!CHECK(tally_scan(device, w->op, &x, &out, &options) == TALLY_OK))
        fprintf(stderr, "    %s\n", tally_last_error());
    CHECK(tally_copy(device, got, far_out, bytes) == TALLY_OK);
    device_same(got, want, bytes, size);
}

/* The same in two calls, of which the second gets what stands before each of its cells. */
static inline void carried(const struct what *w, const struct shape *s)
{
    const int32_t axis = s->along;
    const int64_t length = s->along ? s->columns : s->rows, step = s->along ? 1 : s->columns, first = length / 3;
    const size_t size = tally_type_size(w->type), bytes = (size_t)(s->rows * s->columns) * size;
    const uint16_t initial = initial_of(w);
    tally_options options = options_of(w, &axis, &initial);
    tally_scan_carry *carry = NULL;
    tally_array x = tally_matrix(room, w->type, s->rows, s->columns), out = x;
    say("carried", w, s);
    fill(w, s);
    out.data = want;
    CHECK(tally_scan(judge, w->op, &x, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, far, room, bytes) == TALLY_OK);
    CHECK(tally_scan_carry_new(device, w->op, w->type, s->along ? s->rows : s->columns, &options, &carry) == TALLY_OK);
    for (int k = 0; k < 2; k++) {
        int64_t count = k ? length - first : first, before = k ? first : 0;
        size_t from = (size_t)((w->flags & TALLY_REVERSE ? length - before - count : before) * step) * size;
        x.shape[s->along] = out.shape[s->along] = count;
        x.data = far + from;
        out.data = far_out + from;
        CHECK(tally_scan_continue(carry, &x, &out, &options) == TALLY_OK);
    }
    CHECK(tally_copy(device, got, far_out, bytes) == TALLY_OK);
    device_same(got, want, bytes, size);
    tally_scan_carry_free(carry);
}

/* With as much shared memory as a GPU has, so that its plans are taken. */
static inline int open_for_scans(void)
{
    if (device_simulated()) setenv("TALLY_SIMT_SHARED", DEVICE_H100_SHARED, 0);
    if (!device_open("reference")) return 0;
    far = device_room(ROOM), far_out = device_room(ROOM);
    return 1;
}

#endif
