/* SPDX-License-Identifier: MIT
 *
 * functions.c - the kernels of an operator that is given as C functions: kernels_tmpl.h on states that are bytes. */
#include "operator.h"

#include <string.h>

#define STATE_TYPE unsigned char
#define STATE_BYTES_MOST TALLY_OP_MOST_STATE
#define STATE_AT(states, k) ((states) + (ptrdiff_t)(k) * (ptrdiff_t)op->own.state_bytes)
#define STATE_ROOM(name)                                         \
    _Alignas(64) unsigned char name##_room[TALLY_OP_MOST_STATE]; \
    unsigned char *const name = name##_room
#define STATE_COPY(to, from) memcpy(to, from, op->own.state_bytes)
#define COMBINE(a, b) op->functions.combine(op->functions.user, a, b)
#define LIFT(s, inputs, k, index) lift_at(op, s, inputs, k, index)
#define IDENTITY(s) op->functions.identity(op->functions.user, s)
#define FINISH(s, count, results, k) \
    op->functions.finish(op->functions.user, s, count, (char *)(results) + (k)*result_bytes(op))
#define HAS_IDENTITY (op->has_identity)
#define COMMUTATIVE (op->flags & TALLY_OP_COMMUTATIVE)
#define STATE_IS_NUMBER 0

static ptrdiff_t result_bytes(const struct user_op *op)
{
    return (ptrdiff_t)type_row(op->result)->size * op->values;
}

static void lift_at(const struct user_op *op, void *state, const void *const *inputs, long long k, long long index)
{
    const void *at[USER_INPUTS_MOST] = {NULL, NULL, NULL};
    for (int32_t c = 0; c < op->input_count; c++) at[c] = (const char *)inputs[c] + k * type_row(op->inputs[c])->size;
    op->functions.lift(op->functions.user, state, at, index);
}

#include "kernels_tmpl.h"

static void functions_lift(const struct user_op *op, void *state, const void *const *inputs, long long index)
{
    lift_at(op, state, inputs, 0, index);
}

static void functions_combine(const struct user_op *op, void *a, const void *b)
{
    COMBINE(a, b);
}

static void functions_identity(const struct user_op *op, void *state)
{
    IDENTITY(state);
}

static void functions_finish(const struct user_op *op, const void *state, long long count, void *result)
{
    FINISH(state, count, result, 0);
}

void user_functions_open(struct user_op *op)
{
    struct user_kernels kernels = {
        .state_bytes = op->functions.state_bytes,
        .lift = functions_lift,
        .combine = functions_combine,
        .identity = op->has_identity ? functions_identity : NULL,
        .finish = functions_finish,
        .run = user_kernel_run,
        .close = user_kernel_close,
        .run_cells = user_kernel_run_cells,
        .close_cells = user_kernel_close_cells,
        .scan = user_kernel_scan,
        .append = user_kernel_append,
    };
    op->own = kernels;
    atomic_store(&op->kernels, &op->own);
}
