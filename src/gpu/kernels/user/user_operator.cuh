/* SPDX-License-Identifier: MIT
 *
 * user_operator.cuh - a user's operator in a kernel: its text, states that may be missing, and where the elements of
 * its inputs lie. What kernels of users do once or rarely is a function that is called, or loops that are not unrolled:
 * a text is compiled while its user waits, which takes time in proportion to the code.
 *   INPUT_COUNT                    1 to 3
 *   INPUT_c, INPUT_BYTES_c         of each input c its type's name and size
 *   INPUT_ALIGN_c                  to which its elements are aligned
 *   RESULT_BYTES, RESULT_ALIGN     of an element of a result
 *   STATE_BYTES                    as the host's compiler has it */
#ifndef TALLY_USER_OPERATOR_CUH
#define TALLY_USER_OPERATOR_CUH

#include "user_prelude.cuh"

#include "user_parameters.h"

static_assert(sizeof(state) == STATE_BYTES, "a state has another size on this device than on the host");
static_assert(alignof(state) <= 16, "a state is aligned to at most 16 bytes on this device");

/* ---- states ---- */

/* A state, or none; and the elements in it. */
struct part {
    state value;
    int64_t count;
    int32_t some;
};
static_assert(sizeof(struct part) <= USER_PART_BYTES(STATE_BYTES), "the host makes room for parts");

DEVICE void part_clear(struct part *part)
{
    part->count = 0;
    part->some = 0;
}

/* a becomes a . b, either of which may be none. */
DEVICE void part_join(struct part *a, const struct part *b)
{
    a->count += b->count;
    if (!b->some) return;
    if (a->some) a->value = user_combine(a->value, b->value);
    else a->value = b->value;
    a->some = 1;
}

DEVICE_UNUSED void part_initial(const struct user_parameters *p, struct part *part)
{
    part_clear(part);
    if (!p->has_initial) return;
    memcpy(&part->value, p->initial, sizeof part->value);
    part->some = 1;
}

/* Writes the result; 0 when there is none. */
DEVICE int part_finish(struct part *part, char *to, int64_t step)
{
    if (!part->some) {
        if (!HAS_IDENTITY) return 0;
        IDENTITY(&part->value);
    }
    FINISH_APART(&part->value, part->count, to, 0, step);
    return 1;
}

/* ---- elements ---- */

/* Where an element of each input lies. */
struct place {
    const char *input[INPUT_COUNT];
    const unsigned char *where;
};

DEVICE int32_t input_bytes(int c)
{
    return c == 0 ? INPUT_BYTES_0 : c == 1 ? INPUT_BYTES_1 : INPUT_BYTES_2;
}

DEVICE_UNUSED int32_t input_align(int c)
{
    return c == 0 ? INPUT_ALIGN_0 : c == 1 ? INPUT_ALIGN_1 : INPUT_ALIGN_2;
}

DEVICE_UNUSED void copy_element(char *to, const char *from, int32_t bytes, int32_t align)
{
    if (align == 8) {
        for (int32_t b = 0; b < bytes; b += 8) *(uint64_t *)(to + b) = *(const uint64_t *)(from + b);
    } else if (align == 4) {
        for (int32_t b = 0; b < bytes; b += 4) *(uint32_t *)(to + b) = *(const uint32_t *)(from + b);
    } else if (align == 2) {
        *(uint16_t *)to = *(const uint16_t *)from;
    } else {
        *to = *from;
    }
}

DEVICE void place_move(struct place *at, const struct user_loop *loop, int64_t steps)
{
#pragma unroll
    for (int c = 0; c < INPUT_COUNT; c++) at->input[c] += steps * loop->input[c] * input_bytes(c);
    at->where += steps * loop->where;
}

/* Index i of a nest, in C order, from where the nest begins. */
DEVICE_UNUSED void place_walk(struct place *at, const struct user_loop *loops, int32_t count, int64_t i)
{
#pragma unroll 1
    for (int32_t d = count - 1; d > 0; d--) {
        int64_t outer = i / loops[d].extent;
        place_move(at, &loops[d], i - outer * loops[d].extent);
        i = outer;
    }
    if (count > 0) place_move(at, &loops[0], i);
}

DEVICE struct place place_of_cell(const struct user_parameters *p, int64_t cell)
{
    struct place at;
#pragma unroll
    for (int c = 0; c < INPUT_COUNT; c++) at.input[c] = (const char *)p->inputs[c];
    at.where = p->where;
    place_walk(&at, p->kept, p->kept_count, cell);
    return at;
}

DEVICE char *result_of_cell(const struct user_parameters *p, int64_t cell)
{
    int64_t offset = 0;
#pragma unroll 1
    for (int32_t d = p->kept_count - 1; d >= 0; d--) {
        int64_t outer = cell / p->kept[d].extent;
        offset += (cell - outer * p->kept[d].extent) * p->kept[d].out;
        cell = outer;
    }
    return (char *)p->out + offset * RESULT_BYTES;
}

/* Whether a value of a type is NaN. */
#define NAN_bool(x) 0
#define NAN_i8(x) 0
#define NAN_i16(x) 0
#define NAN_i32(x) 0
#define NAN_i64(x) 0
#define NAN_u8(x) 0
#define NAN_u16(x) 0
#define NAN_u32(x) 0
#define NAN_u64(x) 0
#define NAN_f16(x) ((x) != (x))
#define NAN_bf16(x) ((x) != (x))
#define NAN_f32(x) ((x) != (x))
#define NAN_f64(x) ((x) != (x))
#define NAN_c64(x) ((x).re != (x).re || (x).im != (x).im)
#define NAN_c128(x) ((x).re != (x).re || (x).im != (x).im)
#define IS_NAN(type, memory) IS_NAN_OF(type, memory)
#define IS_NAN_OF(type, memory) NAN_##type(LOAD_##type(memory, 0))

DEVICE int is_masked(const struct user_parameters *p)
{
    return p->where || p->skip_nan;
}

DEVICE int is_present(const struct user_parameters *p, const struct place *at)
{
    int nan = 0;
    if (p->where && !*at->where) return 0;
    if (!p->skip_nan) return 1;
    nan |= IS_NAN(INPUT_0, at->input[0]);
#if INPUT_COUNT > 1
    nan |= IS_NAN(INPUT_1, at->input[1]);
#endif
#if INPUT_COUNT > 2
    nan |= IS_NAN(INPUT_2, at->input[2]);
#endif
    return !nan;
}

/* The element behind all that the part has. */
DEVICE void part_append(struct part *part, const struct place *at, int64_t index)
{
    state value;
    LIFT(&value, at->input, 0, index);
    if (part->some) part->value = user_combine(part->value, value);
    else part->value = value;
    part->some = 1;
    part->count++;
}

#endif
