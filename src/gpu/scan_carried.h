/* SPDX-License-Identifier: MIT
 *
 * scan_carried.h - scans that start from states and leave states behind. */
#ifndef TALLY_GPU_SCAN_CARRIED_H
#define TALLY_GPU_SCAN_CARRIED_H

#include "gpu.h"

/* engine.scan of a scan that has states. Returns when done; where it fails the states are no longer of use. */
tally_status scan_carried(struct tally_context *context, const struct scan *scan);

/* Takes all operands so many steps of a loop further. */
void scan_move(struct scan *scan, const struct loop *loop, int64_t steps);

/* The scan's inputs and loops as a reduction of the axis, whose results would lie one after the other. */
struct reduction scan_as_reduction(const struct scan *scan);

#endif
