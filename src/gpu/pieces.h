/* SPDX-License-Identifier: MIT
 *
 * pieces.h - reductions of host arrays that do not fit into the device's memory at once. */
#ifndef TALLY_GPU_PIECES_H
#define TALLY_GPU_PIECES_H

#include "gpu.h"

/* Whether bytes, of copies on the device, go beyond the limit: TALLY_GPU_CHUNK_BYTES, else most of what is free. */
int pieces_over_limit(struct tally_context *context, size_t bytes, size_t *limit);

/* Whether bytes are so many that it is worth asking. */
int pieces_may_be_needed(struct tally_context *context, size_t bytes);

/* Whether the copies of what lies in host memory go beyond the limit. */
int pieces_needed(struct tally_context *context, const struct reduction *reduction, size_t *limit);

/* The same after an allocation has failed: half of what is free. */
int pieces_worth_trying(struct tally_context *context, const struct reduction *reduction, size_t *limit);

tally_status pieces_reduce(struct tally_context *context, const struct reduction *reduction, size_t limit);

#endif
