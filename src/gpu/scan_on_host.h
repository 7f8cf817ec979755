/* SPDX-License-Identifier: MIT
 *
 * scan_on_host.h - a part of an ordered scan of a GPU context that the host computes, from states and into them. In
 * three steps, so that a caller can have all that may fail behind it before a result is written. */
#ifndef TALLY_GPU_SCAN_ON_HOST_H
#define TALLY_GPU_SCAN_ON_HOST_H

#include "gpu.h"

/* A scan's dense copies of what lies on the device, and results beside it until the end. */
struct host_scan {
    struct scan scan, dense;
    struct host_copy {
        void *memory;
        size_t bytes;
    } copies[OPERAND_COUNT];
    void *way; /* of results to the device, if they go there */
};

/* Fetches what the scan reads and takes all memory; of no elements nothing is done. On failure host_scan_end releases
 * what there is. */
tally_status host_scan_begin(struct tally_context *context, const struct scan *scan, struct host_scan *host);

/* Moves the states on. Floats and users' operators alone: nothing can fail. */
void host_scan_compute(struct host_scan *host);

/* Writes the results, if they are wanted, and releases the copies. */
tally_status host_scan_end(struct tally_context *context, struct host_scan *host, int wanted);

#endif
