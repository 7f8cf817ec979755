/* SPDX-License-Identifier: MIT
 *
 * scratch.h - a context's working memory on its device. It grows in stream order, and calls that share it run one after
 * the other in LANE_MAIN. Counters are zero between launches: kernels leave them so. */
#ifndef TALLY_GPU_SCRATCH_H
#define TALLY_GPU_SCRATCH_H

#include "gpu.h"

#define WIDE_LIST 65536 /* cells that reduce_wide.cu is told of by name */

struct scratch {
    uint32_t *failures;
    uint32_t *wide_count;
    uint32_t *tickets;
    uint32_t *wide_tickets;
    void *wide_states;
    void *room; /* of the bytes asked for, aligned to 256 */
};

tally_status scratch_take(struct tally_context *context, size_t bytes, struct scratch *scratch);

/* More memory that is zero between launches, of the bytes asked for, aligned to 256. */
tally_status scratch_zeros(struct tally_context *context, size_t bytes, uint32_t **zeros);

/* Waits for what is queued, then reads the failure bits and clears them. */
tally_status scratch_failures(struct tally_context *context, uint32_t *failures);

/* Forgets what kernels have counted for one that could not be launched. */
void scratch_clear_counts(struct machine *machine, const struct scratch *scratch);

void scratch_release(struct tally_context *context);

#endif
