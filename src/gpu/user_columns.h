/* SPDX-License-Identifier: MIT
 *
 * user_columns.h - reductions by users' operators down columns. */
#ifndef TALLY_GPU_USER_COLUMNS_H
#define TALLY_GPU_USER_COLUMNS_H

#include "user_stream.h"

/* Whether a reduction can go that way: columns beside each other, no masks, small states, work for all of a GPU. */
int user_columns_suit(const struct device_limits *limits, const struct reduction *reduction);

/* Such a reduction. */
tally_status user_columns_launch(struct tally_context *context, const struct reduction *reduction);

#endif
