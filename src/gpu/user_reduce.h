/* SPDX-License-Identifier: MIT
 *
 * user_reduce.h - the kernel of a reduction by a user's operator. */
#ifndef TALLY_GPU_USER_REDUCE_H
#define TALLY_GPU_USER_REDUCE_H

#include "user.h"

/* Compiles the kernel of long reductions. */
tally_status user_reduce_prepare(struct machine *machine, const struct user_op *op);

#endif
