/* SPDX-License-Identifier: MIT
 *
 * user_stream.h - reductions by users' operators of contiguous elements. */
#ifndef TALLY_GPU_USER_STREAM_H
#define TALLY_GPU_USER_STREAM_H

#include "user.h"

/* Whether a reduction can go that way: aligned contiguous elements, no masks, small states, work for all of a GPU. */
int user_stream_suits(const struct device_limits *limits, const struct reduction *reduction);

/* Such a reduction; none of its cells is empty. */
tally_status user_stream_launch(struct tally_context *context, const struct reduction *reduction);

/* What every reduction tells its kernels. */
void user_fill_reduction(const struct reduction *reduction, struct user_parameters *p);

#endif
