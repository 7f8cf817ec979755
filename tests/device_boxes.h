/* SPDX-License-Identifier: MIT
 *
 * device_boxes.h - arrays of three axes, with gaps between their rows and from any element on, reduced on a device and
 * by a judge: the bits must be the same. For tests; include it once. */
#ifndef TALLY_TEST_DEVICE_BOXES_H
#define TALLY_TEST_DEVICE_BOXES_H

#include "device.h"

#if !defined(ROOM)
#define ROOM (1 << 24)
#endif

static _Alignas(64) unsigned char room[ROOM], want[ROOM], got[ROOM];
static unsigned char *far, *far_out;
static char where_text[280];
static const void *initial; /* of all reductions, or NULL */
static uint32_t flags;      /* of them */

/* outer x rows x columns elements, of which rows lie `columns + gap` apart, from element `offset` on. */
struct shape {
    int64_t outer, rows, columns, gap, offset;
};

static inline int64_t elements_of(const struct shape *s)
{
    return s->offset + s->outer * s->rows * (s->columns + s->gap);
}

static inline tally_array shaped(const struct shape *s, tally_type type, unsigned char *memory)
{
    int64_t pitch = s->columns + s->gap;
    tally_array a = tally_matrix(memory + (size_t)s->offset * tally_type_size(type), type, s->rows, s->columns);
    a.rank = 3;
    a.shape[0] = s->outer, a.shape[1] = s->rows, a.shape[2] = s->columns;
    a.strides[0] = s->rows * pitch, a.strides[1] = pitch, a.strides[2] = 1;
    return a;
}

/* Over one axis, or two; result: of the results, or TALLY_DEFAULT_TYPE. */
static inline void compare_as(tally_type result, tally_op op, tally_type type, const struct shape *s,
                              const int32_t *axes, int32_t count)
{
    tally_array x = shaped(s, type, room), like;
    tally_options options = TALLY_OPTIONS_INIT;
    if (!device_parted(op, type)) return;
    options.axes = axes;
    options.axis_count = count;
    options.type = result;
    options.initial = initial;
    options.flags = flags;
    CHECK(tally_result_like(TALLY_REDUCE, op, &x, &options, &like) == TALLY_OK);
    snprintf(where_text, sizeof where_text, "%s of %s to %s, %lld x %lld x %lld, axis %d to %d, gap %d, offset %d",
             tally_op_name(op), tally_type_name(type), tally_type_name(like.type), (long long)s->outer,
             (long long)s->rows, (long long)s->columns, (int)axes[0], (int)axes[count - 1], (int)s->gap,
             (int)s->offset);
    test.section = where_text;
    size_t each = tally_type_size(like.type), bytes = each;
    for (int32_t d = 0; d < like.rank; d++) bytes *= (size_t)like.shape[d];
    memset(want, 0xab, bytes + 16);
    memset(got, 0xab, bytes + 16);
    like.data = want;
    CHECK(tally_reduce(judge, op, &x, &like, &options) == TALLY_OK);
    CHECK(tally_copy(device, far, room, (size_t)elements_of(s) * tally_type_size(type)) == TALLY_OK);
    CHECK(tally_copy(device, far_out, got, bytes + 16) == TALLY_OK);
    x = shaped(s, type, far);
    like.data = far_out;
    CHECK(tally_reduce(device, op, &x, &like, &options) == TALLY_OK);
    CHECK(tally_copy(device, got, far_out, bytes + 16) == TALLY_OK);
    device_same(got, want, bytes + 16, each);
}

static inline void compare_axes(tally_op op, tally_type type, const struct shape *s, const int32_t *axes, int32_t count)
{
    compare_as(TALLY_DEFAULT_TYPE, op, type, s, axes, count);
}

/* Down the columns (axis 1) or along the rows (2). */
static inline void compare_axis(tally_op op, tally_type type, const struct shape *s, int32_t axis)
{
    compare_axes(op, type, s, &axis, 1);
}

/* A device simt has so many processors: many make many splits, few let warps have rows of their own. */
static inline void choose_processors(const char *processors)
{
    if (device_simulated()) setenv("TALLY_SIMT_PROCESSORS", processors, 1);
}

static inline void make_room(void)
{
    far = device_room(ROOM), far_out = device_room(ROOM);
}

static inline void start_again(const char *processors)
{
    device_stop();
    choose_processors(processors);
    CHECK(device_start());
    make_room();
}

#endif
