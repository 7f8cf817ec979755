/* SPDX-License-Identifier: MIT
 *
 * scan_launch.h - running results on a GPU, of operands that lie there. */
#ifndef TALLY_GPU_SCAN_LAUNCH_H
#define TALLY_GPU_SCAN_LAUNCH_H

#include "gather.h"

/* What comes before the cells of a scan that has states, and, of ordered scans, room for what its whole blocks leave
 * behind: words on the device, as kernels/parameters/scan_carry.h has them; of users' operators lines, and a copy of
 * these. */
struct scan_carries {
    const uint64_t *in;
    uint64_t *out;
    int64_t words; /* of a cell */
};

/* The caller holds the device's mutex. Results in host memory are there when it returns; carries NULL: none. */
tally_status scan_launch(struct tally_context *context, const struct scan *scan, int host_output,
                         const struct scan_carries *carries);

size_t scan_result_bytes(const struct scan *scan);

/* All elements, for gather.h. */
struct walk scan_walk(const struct scan *scan);

/* Results as C order has them, the axis innermost; from there in host memory to where the scan wants them there, or on
 * the device, which is done when it returns (room as in scatter_to_device). */
void scan_make_dense(struct scan *scan, void *out);
void scan_scatter(const struct scan *scan, const char *dense);
tally_status scan_scatter_to_device(struct tally_context *context, const struct scan *scan, const void *dense,
                                    void *room);

#endif
