/* SPDX-License-Identifier: MIT
 *
 * user_reduce.h - the kernel of a reduction by a user's operator. */
#ifndef TALLY_GPU_USER_REDUCE_H
#define TALLY_GPU_USER_REDUCE_H

#include "user.h"

#include "accumulate.h"

/* As share_leaves, of a user's operator whose cells' element 0 stands at a position: words of a leaf are
 * USER_PART_BYTES (kernels/parameters/user_parameters.h) in all. */
tally_status user_share_leaves(struct tally_context *context, const struct reduction *reduction, int64_t position,
                               struct share *share);

#endif
