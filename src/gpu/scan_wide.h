/* SPDX-License-Identifier: MIT
 *
 * scan_wide.h - goes over exact running sums again whose window was too narrow (kernels/scan/scan_wide.cu). All that it
 * needs is there before the main kernel writes a result. */
#ifndef TALLY_GPU_SCAN_WIDE_H
#define TALLY_GPU_SCAN_WIDE_H

#include "scan_plan.h"
#include "scratch.h"

struct scan_wide {
    const struct kernel *kernel;
    void *room; /* of segments' totals, or NULL: threads do without */
    size_t bytes;
    int64_t segments; /* of all cells */
};

/* Finds the kernel and takes memory; the plan is told how long segments are. */
tally_status scan_wide_prepare(struct tally_context *context, const struct calculation *calculation,
                               struct scan_plan *plan, struct scan_wide *wide);

/* Behind the main kernel, which may have counted failures: they count nothing for the next call, whatever fails
 * here. */
tally_status scan_wide_launch(struct tally_context *context, const struct calculation *calculation,
                              struct scan_plan *plan, const struct scan_wide *wide, const struct scratch *scratch);

void scan_wide_release(struct tally_context *context, const struct scan_wide *wide);

#endif
