/* SPDX-License-Identifier: MIT
 *
 * device_calls.c - random calls have the CPU's bits on a device, and no others in memory change: any operator, type,
 * option, shape and axes; elements, masks and results that lie in memory in any way; made at once, by a plan, in place,
 * in pieces that partials and carries go on from, with arrays of the host, and again at other addresses.
 *   TALLY_TEST_DEVICE   the device (simt)
 *   TALLY_TEST_CALLS    how many (60) */
#define _POSIX_C_SOURCE 200809L
#include "device.h"
#include "user_operators.h"
#include "random_calls.h"

static struct rooms near_rooms, far_rooms, host_rooms;
static unsigned char *outs[3]; /* what the CPU made of room `out`, what the device made, and what was there before */
static char text[400];

enum form { DIRECT, PLAN, PIECES, HOST, AGAIN, FORMS };
static const char *const form_names[FORMS] = {"a call", "a plan", "pieces", "a call with arrays of the host", "again"};

static tally_status make(tally_context *context, const struct random_call *call)
{
    return call->verb == TALLY_REDUCE ? tally_reduce(context, call->op, &call->x, &call->out, &call->options)
                                      : tally_scan(context, call->op, &call->x, &call->out, &call->options);
}

/* Plans are refused where elements may turn out to have no result; the call itself says so. */
static tally_status make_by_plan(tally_context *context, const struct random_call *call)
{
    tally_plan *plan = NULL;
    tally_status status = call->verb == TALLY_REDUCE
                              ? tally_plan_reduce(context, call->op, &call->x, &call->out, &call->options, &plan)
                              : tally_plan_scan(context, call->op, &call->x, &call->out, &call->options, &plan);
    if (status == TALLY_UNSUPPORTED) return make(context, call);
    if (status == TALLY_OK) status = tally_plan_run(plan);
    if (status == TALLY_OK) status = tally_synchronize(context);
    CHECK(tally_plan_free(plan) == TALLY_OK);
    return status;
}

/* ---- in pieces ---- */

static tally_array piece_of(const tally_array *array, int32_t axis, int64_t from, int64_t to)
{
    tally_array piece = *array;
    piece.data = (char *)array->data + from * array->strides[axis] * (int64_t)tally_type_size(array->type);
    piece.shape[axis] = to - from;
    return piece;
}

static tally_status add_pieces(tally_partial *partial, const struct random_call *call, int32_t axis)
{
    const int64_t length = call->x.shape[axis];
    const tally_options *o = &call->options;
    tally_status status = TALLY_OK;
    for (int64_t from = 0, to; from < length && status == TALLY_OK; from = to) {
        to = from + 1 + (int64_t)test_random_below((uint64_t)(length - from));
        tally_array x = piece_of(&call->x, axis, from, to), y, mask;
        if (o->second) y = piece_of(o->second, axis, from, to);
        if (o->where) mask = piece_of(o->where, axis, from, to);
        status = tally_partial_add(partial, &x, o->second ? &y : NULL, o->where ? &mask : NULL);
    }
    return status;
}

static tally_status reduce_in_pieces(tally_context *context, const struct random_call *call)
{
    tally_options options = call->options;
    int64_t cells[TALLY_MAX_RANK];
    int32_t rank = 0, first = -1;
    for (int32_t d = 0; d < call->x.rank; d++) {
        if (!call->reduced[d]) cells[rank++] = call->x.shape[d];
        else if (first < 0) first = d;
    }
    tally_partial *partial = NULL;
    options.second = options.where = NULL;
    tally_status status = tally_partial_new(context, call->op, call->x.type, rank, cells, &options, &partial);
    if (status != TALLY_OK) return status;
    status = add_pieces(partial, call, first);
    if (status == TALLY_OK) status = tally_partial_finish(partial, &call->out);
    CHECK(tally_partial_free(partial) == TALLY_OK);
    return status;
}

static tally_status scan_in_pieces(tally_context *context, const struct random_call *call)
{
    const int32_t axis = call->axes[0];
    const int64_t length = call->x.shape[axis];
    tally_options options = call->options;
    tally_scan_carry *carry = NULL;
    int64_t cells = 1;
    for (int32_t d = 0; d < call->x.rank; d++) cells *= d == axis ? 1 : call->x.shape[d];
    tally_status status = tally_scan_carry_new(context, call->op, call->x.type, cells, &options, &carry);
    for (int64_t done = 0, n; done < length && status == TALLY_OK; done += n) {
        n = 1 + (int64_t)test_random_below((uint64_t)(length - done));
        const int64_t from = options.flags & TALLY_REVERSE ? length - done - n : done;
        tally_array x = piece_of(&call->x, axis, from, from + n), out = piece_of(&call->out, axis, from, from + n),
                    mask;
        if (call->options.where) mask = piece_of(call->options.where, axis, from, from + n), options.where = &mask;
        status = tally_scan_continue(carry, &x, &out, &options);
    }
    CHECK(tally_scan_carry_free(carry) == TALLY_OK);
    return status;
}

/* Whether a call can be made in pieces with the same bits and shapes: of tally's operators, along an axis, none of them
 * empty, and with no failure in a later one. */
static int has_pieces(const struct random_call *call)
{
    if (call->op >= 65536 || call->options.flags & (TALLY_CHECK_OVERFLOW | TALLY_KEEPDIMS)) return 0;
    for (int32_t d = 0; d < call->x.rank; d++) {
        if (call->x.shape[d] == 0) return 0;
    }
    for (int32_t d = 0; d < call->x.rank; d++) {
        if (call->reduced[d]) return 1;
    }
    return 0;
}

/* ---- one call ---- */

static tally_status take_form(enum form form, const struct random_call *call)
{
    switch (form) {
    case PLAN: return make_by_plan(device, call);
    case PIECES: return call->verb == TALLY_SCAN ? scan_in_pieces(device, call) : reduce_in_pieces(device, call);
    default: return make(device, call);
    }
}

/* The call's bytes on the device are the CPU's, wherever results may lie, and so is its status. */
static void compare(enum form form, const struct random_call *call)
{
    const size_t size = tally_type_size(call->out.type);
    unsigned char *to = call->in_place ? near_rooms.x : near_rooms.out;
    snprintf(text, sizeof text, "%s by %s", call->text, form_names[form]);
    test.section = text;
    memcpy(outs[2], to, ROOM);
    struct random_call here = *call, there = *call;
    random_call_in(&here, &near_rooms);
    const tally_status expected = make(judge, &here);
    memcpy(outs[0], to, ROOM);
    memcpy(to, outs[2], ROOM);
    struct rooms *rooms = form == HOST ? &host_rooms : &far_rooms;
    unsigned char *far_to = call->in_place ? rooms->x : rooms->out;
    random_call_in(&there, rooms);
    CHECK(tally_copy(device, far_to, outs[2], ROOM) == TALLY_OK);
    const tally_status status = take_form(form, &there);
    const int shown = test.failed < TEST_SHOWN;
    if (!CHECK_EQUAL_I64(status, expected) && shown) fprintf(stderr, "    %s\n", tally_last_error());
    CHECK(tally_copy(device, outs[1], far_to, ROOM) == TALLY_OK);
    if (status == TALLY_OK && expected == TALLY_OK) device_same(outs[1], outs[0], ROOM, size);
    else if (status == expected) device_same(outs[1], outs[2], ROOM, size);
    CHECK(tally_copy(device, far_to, outs[2], ROOM) == TALLY_OK);
}

static void copy_rooms(void)
{
    CHECK(tally_copy(device, far_rooms.x, near_rooms.x, ROOM) == TALLY_OK);
    CHECK(tally_copy(device, far_rooms.y, near_rooms.y, ROOM) == TALLY_OK);
    CHECK(tally_copy(device, far_rooms.z, near_rooms.z, ROOM) == TALLY_OK);
    CHECK(tally_copy(device, far_rooms.mask, near_rooms.mask, ROOM) == TALLY_OK);
    memcpy(host_rooms.x, near_rooms.x, ROOM);
    memcpy(host_rooms.y, near_rooms.y, ROOM);
    memcpy(host_rooms.z, near_rooms.z, ROOM);
    memcpy(host_rooms.mask, near_rooms.mask, ROOM);
}

/* An operator whose bits depend on no order that devices choose: float sums out of order do. */
static const struct user_case *random_user_case(void)
{
    const struct user_case *c;
    do c = &user_cases[test_random_below(USER_CASES)];
    while (c->flags == TALLY_OP_COMMUTATIVE && c->result >= TALLY_F16);
    return c;
}

static void one_call(tally_op user, const struct user_case *user_case)
{
    struct random_call call;
    enum form form = (enum form)test_random_below(FORMS);
    if (!random_call_draw(&call, user, user_case ? user_case->inputs : NULL)) return;
    if (form == PIECES && !has_pieces(&call)) form = DIRECT;
    random_call_fill(&call, &near_rooms);
    copy_rooms();
    compare(form, &call);
    for (int k = 0; k < 2 && form == AGAIN; k++) {
        random_call_move(&call);
        compare(form, &call);
    }
}

static void rooms_at(struct rooms *rooms, unsigned char *(*make_room)(size_t bytes))
{
    rooms->x = make_room(ROOM), rooms->y = make_room(ROOM), rooms->z = make_room(ROOM);
    rooms->mask = make_room(ROOM), rooms->out = make_room(ROOM);
}

static unsigned char *host_room(size_t bytes)
{
    unsigned char *room = aligned_alloc(64, bytes);
    if (!room) abort();
    return memset(room, 0xab, bytes);
}

static void free_rooms(struct rooms *rooms)
{
    free(rooms->x), free(rooms->y), free(rooms->z), free(rooms->mask), free(rooms->out);
}

int main(void)
{
    const char *calls = getenv("TALLY_TEST_CALLS");
    if (device_simulated()) setenv("TALLY_SIMT_SHARED", DEVICE_H100_SHARED, 0);
#if !defined(__SANITIZE_ADDRESS__) /* which looks for the end of memory */
    setenv("TALLY_SIMT_APART", "1", 0);
#endif
    if (!device_open("cpu:2")) return test_left_out("device_calls", tally_last_error());
    rooms_at(&near_rooms, host_room);
    rooms_at(&host_rooms, host_room);
    rooms_at(&far_rooms, device_room);
    for (int k = 0; k < 3; k++) outs[k] = host_room(ROOM);
    for (int k = 0, n = calls ? atoi(calls) : 60; k < n; k++) {
        const struct user_case *user_case = k % 8 == 7 ? random_user_case() : NULL;
        tally_op forms[2] = {0, 0};
        if (user_case) user_make(judge, user_case, forms);
        one_call(forms[0], user_case);
        if (user_case) user_free(forms);
    }
    free_rooms(&near_rooms);
    free_rooms(&host_rooms);
    for (int k = 0; k < 3; k++) free(outs[k]);
    device_close();
    return test_finish("device_calls");
}
