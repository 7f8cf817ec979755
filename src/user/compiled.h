/* SPDX-License-Identifier: MIT
 *
 * compiled.h - the end of a user's operator as compiled text: kernels_tmpl.h on a state of its own type, and the table
 * of its functions, tally_user_kernels. */

#if !defined(__cplusplus) /* kernels in CUDA C follow the text by themselves */

#define STATE_TYPE state
#define STATE_BYTES_MOST sizeof(state)
#define STATE_AT(states, k) ((states) + (k))
#define STATE_ROOM(name) state name##_room, *const name = &name##_room
#define STATE_COPY(to, from) (*(to) = *(from))
#define COMBINE(a, b) (*(a) = user_combine(*(a), *(b)))

#include "kernels_tmpl.h"

static void user_kernel_lift(const struct user_op *op, void *s, const void *const *inputs, long long index)
{
    LIFT((state *)s, inputs, 0, index);
}

static void user_kernel_combine(const struct user_op *op, void *a, const void *b)
{
    COMBINE((state *)a, (const state *)b);
}

#if HAS_IDENTITY
static void user_kernel_identity(const struct user_op *op, void *s)
{
    IDENTITY((state *)s);
}
#endif

static void user_kernel_finish(const struct user_op *op, const void *s, long long count, void *result)
{
    FINISH((const state *)s, count, result, 0);
}

__attribute__((visibility("default"))) const struct user_kernels tally_user_kernels = {
    .state_bytes = sizeof(state),
    .lift = user_kernel_lift,
    .combine = user_kernel_combine,
#if HAS_IDENTITY
    .identity = user_kernel_identity,
#endif
    .finish = user_kernel_finish,
    .run = user_kernel_run,
    .close = user_kernel_close,
    .run_cells = user_kernel_run_cells,
    .close_cells = user_kernel_close_cells,
    .scan = user_kernel_scan,
    .append = user_kernel_append,
};

#endif
