/* SPDX-License-Identifier: MIT
 *
 * scan_on_host.h - a scan of a GPU context that the host computes: every kind, from states and into them. */
#ifndef TALLY_GPU_SCAN_ON_HOST_H
#define TALLY_GPU_SCAN_ON_HOST_H

#include "gpu.h"

/* As engine.scan; returns when done. Where states are given and it fails, they are no longer of use. */
tally_status scan_on_host(struct tally_context *context, const struct scan *scan);

#endif
