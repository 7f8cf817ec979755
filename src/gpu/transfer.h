/* SPDX-License-Identifier: MIT
 *
 * transfer.h - copies between ordinary host memory and the device at the speed of the link: through a ring of pinned
 * buffers, filled and emptied by several threads. */
#ifndef TALLY_GPU_TRANSFER_H
#define TALLY_GPU_TRANSFER_H

#include "gpu.h"

/* Smaller copies go to the driver as they are. */
#define TRANSFER_LEAST ((size_t)1 << 20)

/* The caller holds the device's mutex. What enters LANE_MAIN afterwards sees the copy; from is free to change when the
 * main lane has come this far. */
tally_status transfer_in(struct tally_context *context, void *to, const void *from, size_t bytes);

/* After all that is in LANE_MAIN; done when it returns. */
tally_status transfer_out(struct tally_context *context, void *to, const void *from, size_t bytes);

void transfer_close(struct tally_context *context);

#endif
