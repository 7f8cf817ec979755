/* SPDX-License-Identifier: MIT
 *
 * scan_plan.h - how a scan is dealt out to blocks: which kernels, how they are compiled, what they are told. */
#ifndef TALLY_GPU_SCAN_PLAN_H
#define TALLY_GPU_SCAN_PLAN_H

#include "program.h"

#include "kernels/scan_parameters.h"

struct scan_plan {
    struct scan_parameters parameters; /* flags, totals and the like are the caller's */
    const char *file;                  /* of the kernel "scan" */
    struct definitions definitions;
    int64_t blocks;
    uint32_t threads;
    uint32_t shared_bytes;
    size_t flag_bytes; /* zero before a launch, and after it */
    size_t total_bytes;
    int wide; /* exact sums that may leave their window: scan_wide.cu goes over them again */
};

/* Segments of scan_wide.cu, and what it keeps of each. */
#define SCAN_WIDE_SEGMENT 1024
size_t scan_wide_bytes(const struct calculation *calculation);

/* Plans a scan for kernels/scan_wave.cu, if it suits; plan has its parameters and the program's definitions already. */
int scan_plan_wave(const struct device_limits *limits, const struct scan *scan, size_t state_bytes,
                   struct scan_plan *plan);

void scan_plan(const struct device_limits *limits, const struct scan *scan, struct scan_plan *plan);

#endif
