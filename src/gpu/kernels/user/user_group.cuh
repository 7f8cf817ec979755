/* SPDX-License-Identifier: MIT
 *
 * user_group.cuh - a warp's group of 512 neighbouring elements in shared memory: 32 runs of 16, a lane's each, which
 * come and go in vectors of 16 bytes. A run is as many vectors as an element has bytes; they are permuted so that
 * neighbouring lanes find theirs in different banks.
 *   BACKWARD   1: the scan goes against the addresses; places in shared memory keep the order of these */
#ifndef TALLY_USER_GROUP_CUH
#define TALLY_USER_GROUP_CUH

#include "user_vectors.cuh"

/* Vectors of a group of each input, one input's behind the other's. */
enum {
    GROUP_AT_1 = 32 * INPUT_BYTES_0,
    GROUP_AT_2 = GROUP_AT_1 + (INPUT_COUNT > 1 ? 32 * INPUT_BYTES_1 : 0),
    GROUP_VECTORS = GROUP_AT_2 + (INPUT_COUNT > 2 ? 32 * INPUT_BYTES_2 : 0),
    RESULT_VECTORS = 32 * RESULT_BYTES,
    IN_PLACE = INPUT_COUNT == 1 && INPUT_BYTES_0 == RESULT_BYTES
};

DEVICE int32_t group_at(int c)
{
    return c == 0 ? 0 : c == 1 ? GROUP_AT_1 : GROUP_AT_2;
}

/* Where element `at` of a group lies, in bytes, by the order of addresses. */
DEVICE int32_t element_place(int32_t bytes, int32_t at)
{
    int32_t inside = at % USER_RUN * bytes;
    return vector_place(bytes, at / USER_RUN, inside / 16) * 16 + inside % 16;
}

/* Element i in the order of the scan, by the order of addresses; the same of lanes and runs. */
#define IN_ORDER(i, count) (BACKWARD ? (count)-1 - (i) : (i))

/* Begins to load `count` elements of an input; `from` is the address of the first one in the order of the scan. Groups
 * that are no whole aligned vectors come element by element. */
DEVICE void group_load_input(const char *from, int32_t bytes, int32_t align, int32_t count, struct vector16 *room)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    const char *low = from - (BACKWARD ? (int64_t)(USER_GROUP - 1) * bytes : 0);
    if (count == USER_GROUP && (uintptr_t)low % 16 == 0) {
        int32_t place = vector_place(bytes, lane / bytes, lane % bytes);
#pragma unroll
        for (int32_t k = 0; k < bytes; k++)
            copy_async((char *)(room + vector_place_behind(bytes, place, k)), low + (k * 32 + lane) * 16, 16);
        return;
    }
#pragma unroll 8
    for (int32_t i = lane; i < USER_GROUP; i += 32) {
        if (i < count)
            copy_element((char *)room + element_place(bytes, IN_ORDER(i, USER_GROUP)),
                         from + (BACKWARD ? -(int64_t)i : i) * bytes, bytes, align);
    }
}

DEVICE void group_load(const char *const from[INPUT_COUNT], int32_t count, struct vector16 *room)
{
#pragma unroll
    for (int c = 0; c < INPUT_COUNT; c++)
        group_load_input(from[c], input_bytes(c), input_align(c), count, room + group_at(c));
}

/* Results to memory; `to` is the address of the first one in the order of the scan. */
DEVICE void group_store(char *to, int32_t count, const struct vector16 *room)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
    char *low = to - (BACKWARD ? (int64_t)(USER_GROUP - 1) * RESULT_BYTES : 0);
    if (count == USER_GROUP && (uintptr_t)low % 16 == 0) {
        int32_t place = vector_place(RESULT_BYTES, lane / RESULT_BYTES, lane % RESULT_BYTES);
#pragma unroll
        for (int32_t k = 0; k < RESULT_BYTES; k++)
            ((struct vector16 *)low)[k * 32 + lane] = room[vector_place_behind(RESULT_BYTES, place, k)];
        return;
    }
    for (int32_t i = lane; i < count; i += 32)
        copy_element(to + (BACKWARD ? -(int64_t)i : i) * RESULT_BYTES,
                     (const char *)room + element_place(RESULT_BYTES, IN_ORDER(i, USER_GROUP)), RESULT_BYTES,
                     RESULT_ALIGN);
}

/* ---- a lane's run ---- */

/* The vectors that hold the element at hand. */
struct run_window {
    struct vector16 vector[INPUT_COUNT];
};

/* The state of element j of the lane's run; j goes up from 0. */
DEVICE state run_lift(const struct vector16 *room, struct run_window *window, int j, int64_t index)
{
    int at = IN_ORDER(j, USER_RUN);
    int32_t run = IN_ORDER((int32_t)threadIdx.x & 31, 32);
    const void *element[INPUT_COUNT];
    state value;
#pragma unroll
    for (int c = 0; c < INPUT_COUNT; c++) {
        int bytes = input_bytes(c), inside = at * bytes % 16;
        if (inside == (BACKWARD ? 16 - bytes : 0))
            window->vector[c] = room[group_at(c) + vector_place(bytes, run, at * bytes / 16)];
        element[c] = (const char *)&window->vector[c] + inside;
    }
    LIFT(&value, element, 0, index);
    return value;
}

/* The total of the first n elements, at least one. `whole`, a constant: n is USER_RUN. */
DEVICE state run_total(const struct vector16 *room, int whole, int32_t n, int64_t index)
{
    struct run_window window;
    state total = run_lift(room, &window, 0, index);
#pragma unroll
    for (int j = 1; j < USER_RUN; j++) {
        state value;
        if (!whole && j >= n) break;
        value = run_lift(room, &window, j, index + j);
        total = user_combine(total, value);
    }
    return total;
}

/* A left operand, which may not exist. */
struct left {
    state value;
    int32_t some;
};

DEVICE void left_append(struct left *left, const state *right)
{
    if (left->some) left->value = user_combine(left->value, *right);
    else left->value = *right;
    left->some = 1;
}

/* Results of the first n elements, which go on from the base, to `to`, which may be the room of the elements. `whole`,
 * a constant: n is USER_RUN, and there is a base. `absent`: elements to the left that are not in it. */
DEVICE void run_results(const struct vector16 *room, int whole, int32_t n, int64_t index, int64_t absent,
                        const struct left *base, struct vector16 *to)
{
    struct run_window window;
    struct vector16 results = {{0}};
    int32_t run = IN_ORDER((int32_t)threadIdx.x & 31, 32);
    state local;
#pragma unroll
    for (int j = 0; j < USER_RUN; j++) {
        struct left result = *base;
        state value;
        int at = IN_ORDER(j, USER_RUN), inside = at * RESULT_BYTES % 16;
        if (whole) result.some = 1;
        if (!whole && j >= n) continue;
        value = run_lift(room, &window, j, index + j);
        if (EXCLUSIVE && j > 0) left_append(&result, &local);
        local = j > 0 ? user_combine(local, value) : value;
        if (!EXCLUSIVE) left_append(&result, &local);
        if (EXCLUSIVE && !result.some) IDENTITY(&result.value);
        FINISH_APART(&result.value, index - absent + j + !EXCLUSIVE, (char *)&results + inside, 0, 1);
        if (inside == (BACKWARD ? 0 : 16 - RESULT_BYTES) || (!whole && j == n - 1))
            to[vector_place(RESULT_BYTES, run, at * RESULT_BYTES / 16)] = results;
    }
}

#endif
