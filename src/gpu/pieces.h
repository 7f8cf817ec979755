/* SPDX-License-Identifier: MIT
 *
 * pieces.h - reductions of host arrays that do not fit into the device's memory at once. */
#ifndef TALLY_GPU_PIECES_H
#define TALLY_GPU_PIECES_H

#include "gpu.h"

/* Whether the copies of what lies in host memory go beyond the limit: TALLY_GPU_CHUNK_BYTES, else most of what the
 * device has free. */
int pieces_needed(struct tally_context *context, const struct reduction *reduction, size_t *limit);

/* The same after an allocation has failed: half of what is free. */
int pieces_worth_trying(struct tally_context *context, const struct reduction *reduction, size_t *limit);

tally_status pieces_reduce(struct tally_context *context, const struct reduction *reduction, size_t limit);

#endif
