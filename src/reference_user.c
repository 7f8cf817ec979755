/* SPDX-License-Identifier: MIT
 *
 * reference_user.c - the reference engine's way with users' operators: one element after the other, through the steps
 * that take one. */
#include "reference.h"
#include "user/tree.h"

#include <fenv.h>
#include <string.h>

/* The element at the given offsets as a run of one; aligned copies, since views may be anywhere. */
struct one {
    struct user_run run;
    _Alignas(16) unsigned char element[USER_INPUTS_MOST][16];
    unsigned char present;
};

static void one_read(const struct calculation *calculation, const void *const inputs[USER_INPUTS_MOST],
                     const unsigned char *where, const int64_t at[OPERAND_COUNT], int64_t index, struct one *one)
{
    static const enum operand operands[USER_INPUTS_MOST] = {OPERAND_X, OPERAND_Y, OPERAND_Z};
    const struct user_op *op = calculation->user;
    memset(one, 0, sizeof *one);
    one->present = !where || where[at[OPERAND_WHERE]];
    for (int32_t c = 0; c < op->input_count; c++) {
        int64_t size = type_row(op->inputs[c])->size;
        memcpy(one->element[c], (const char *)inputs[c] + at[operands[c]] * size, (size_t)size);
        one->run.inputs[c] = one->element[c];
        if (calculation->flags & TALLY_SKIP_NAN) one->present &= !reference_is_nan(op->inputs[c], one->element[c]);
    }
    one->run.present = &one->present;
    one->run.n = 1;
    one->run.index = index;
}

void reference_user_reduce(const struct reduction *reduction, const struct calculation *calculation, int64_t cell,
                           struct state *state)
{
    const void *const inputs[USER_INPUTS_MOST] = {reduction->x, reduction->y, reduction->z};
    for (int64_t i = 0; i < reduction->length; i++) {
        int64_t at[OPERAND_COUNT] = {0};
        struct one one;
        reference_offsets(reduction->kept, reduction->kept_count, cell, at);
        reference_offsets(reduction->reduced, reduction->reduced_count, i, at);
        one_read(calculation, inputs, reduction->where, at, state->start + state->count, &one);
        user_state_add(calculation->user, state, &one.run);
    }
}

tally_status reference_map(struct tally_context *context, const struct map *map)
{
    const struct user_op *op = map->user;
    int64_t size = type_row(map->result)->size;
    fenv_t environment;
    (void)context;
    feholdexcept(&environment);
    fesetenv(FE_DFL_ENV);
    for (int64_t i = 0; i < map->elements; i++) {
        _Alignas(16) unsigned char element[USER_INPUTS_MOST][16], result[16];
        struct user_run run = {.n = 1, .index = i};
        int64_t at[OPERAND_COUNT] = {0};
        reference_offsets(map->loops, map->count, i, at);
        for (int32_t c = 0; c < op->input_count; c++) {
            int64_t bytes = type_row(op->inputs[c])->size;
            memcpy(element[c], (const char *)map->inputs[c] + at[map_operands[c]] * bytes, (size_t)bytes);
            run.inputs[c] = element[c];
        }
        user_kernels(op)->map(op, &run, result);
        memcpy((char *)map->out + at[OPERAND_OUT] * size, result, (size_t)size);
    }
    fesetenv(&environment);
    return TALLY_OK;
}

void reference_user_scan(const struct scan *scan, int64_t cell, struct scan_state *state)
{
    const struct calculation *calculation = &scan->calculation;
    const void *const inputs[USER_INPUTS_MOST] = {scan->x, scan->y, scan->z};
    int64_t start[OPERAND_COUNT] = {0}, size = type_row(calculation->result)->size;
    reference_offsets(scan->kept, scan->kept_count, cell, start);
    for (int64_t i = 0; i < scan->axis.extent; i++) {
        _Alignas(16) unsigned char results[TALLY_OP_MOST_RESULTS * 16];
        int64_t at[OPERAND_COUNT];
        struct one one;
        for (int o = 0; o < OPERAND_COUNT; o++) at[o] = start[o] + i * scan->axis.stride[o];
        one_read(calculation, inputs, scan->where, at, user_line_elements(state), &one);
        user_line_run(calculation, state, &one.run, results);
        for (int32_t v = 0; v < calculation->values; v++)
            memcpy((char *)scan->out + (at[OPERAND_OUT] + v * scan->step) * size, results + v * size, (size_t)size);
    }
}
