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

static void kernel_lift(const struct user_op *op, void *s, const void *const *inputs, long long index)
{
    LIFT((state *)s, inputs, 0, index);
}

static void kernel_combine(const struct user_op *op, void *a, const void *b)
{
    COMBINE((state *)a, (const state *)b);
}

#if HAS_IDENTITY
static void kernel_identity(const struct user_op *op, void *s)
{
    IDENTITY((state *)s);
}
#endif

static void kernel_finish(const struct user_op *op, const void *s, long long count, void *result)
{
    FINISH((const state *)s, count, result, 0);
}

__attribute__((visibility("default"))) const struct user_kernels tally_user_kernels = {
    .version = USER_KERNELS_VERSION,
    .state_bytes = sizeof(state),
    .lift = kernel_lift,
    .combine = kernel_combine,
#if HAS_IDENTITY
    .identity = kernel_identity,
#endif
    .finish = kernel_finish,
    .run = kernel_run,
    .close = kernel_close,
    .scan = kernel_scan,
};

#endif
