/* SPDX-License-Identifier: MIT
 *
 * whole.h - what the tests of whole contiguous arrays share: an array on a device and the reference engine's result. */
#ifndef TALLY_TEST_WHOLE_H
#define TALLY_TEST_WHOLE_H

#include "device.h"
#include "patches.h"

#define MOST (1 << 20) /* elements */
#define ROOM ((size_t)72 << 20)

static _Alignas(64) unsigned char room[ROOM];
static unsigned char *far, *far_out;
static char where_text[200];

struct problem {
    tally_op op;
    tally_type type;
    int32_t flags;
    int with_initial;
};

static tally_type result_type; /* that is asked for */

/* Elements start `offset` after an aligned address, those of a second array `apart` elements later. */
static inline void compare(const struct problem *problem, int64_t n, int64_t offset)
{
    unsigned char want[48], got[48], initial[16] = {0};
    size_t size = tally_type_size(problem->type);
    tally_array x = tally_vector(room + (size_t)offset * size, problem->type, n), y = x, like;
    tally_options options = TALLY_OPTIONS_INIT;
    if (!device_parted(problem->op, problem->type)) return;
    options.flags = (uint32_t)problem->flags;
    options.type = result_type;
    if (problem->op == TALLY_DOT) options.second = &y;
    CHECK(tally_result_like(TALLY_REDUCE, problem->op, &x, &options, &like) == TALLY_OK);
    if (problem->with_initial) {
        patches_fill(like.type, initial, 1);
        options.initial = initial;
    }
    snprintf(where_text, sizeof where_text, "%s of %lld %s, offset %d, flags %d, %s initial value",
             tally_op_name(problem->op), (long long)n, tally_type_name(problem->type), (int)offset, (int)problem->flags,
             problem->with_initial ? "an" : "no");
    test.section = where_text;
    memset(want, 0xab, sizeof want);
    memset(got, 0xab, sizeof got);
    like.data = want;
    tally_status wanted = tally_reduce(judge, problem->op, &x, &like, &options);
    CHECK(tally_copy(device, far, room, (size_t)(offset + n) * size) == TALLY_OK);
    CHECK(tally_copy(device, far_out, got, sizeof got) == TALLY_OK);
    x.data = y.data = far + (size_t)offset * size;
    like.data = far_out;
    if (!CHECK(tally_reduce(device, problem->op, &x, &like, &options) == wanted))
        fprintf(stderr, "    %s\n", tally_last_error());
    CHECK(tally_copy(device, got, far_out, sizeof got) == TALLY_OK);
    CHECK(memcmp(got, want, sizeof got) == 0);
}

static inline int whole_open(void)
{
    if (!device_open("reference")) return 0;
    far = device_room(ROOM), far_out = device_room(64);
    return 1;
}

#endif
