/* SPDX-License-Identifier: MIT
 *
 * scan_plan.h - how a scan is dealt out to blocks: which kernels, how they are compiled, what they are told. */
#ifndef TALLY_GPU_SCAN_PLAN_H
#define TALLY_GPU_SCAN_PLAN_H

#include "program.h"

#include "kernels/parameters/scan_parameters.h"

struct scan_plan {
    struct scan_parameters parameters; /* flags, totals and the like are the caller's */
    const char *file;                  /* of the kernel "scan" */
    struct definitions definitions;
    int64_t blocks;
    uint32_t threads;
    uint32_t shared_bytes;
    size_t flag_bytes;
    int leaves_zeros; /* the kernel leaves the flags zero, as it must find them; else they are cleared for it */
    size_t total_bytes;
    int64_t chains;    /* of ordered folds: totals of blocks come first; blocks of the kernel that chains them
                        * (scan_chain.cu), or 0 */
    int puts_together; /* elements narrower than words are put together from where they lie, one or few at once */
    int wide;          /* exact sums that may leave their window: scan_wide.cu goes over them again */
};

#define VECTOR_BYTES 16 /* the widest access of a thread */

/* Whether kernels that have runs in shared memory can do a scan: contiguous axes, unordered, without masks. */
int scan_goes_by_runs(const struct device_limits *limits, const struct scan *scan);

/* The scan as kernels see it that replace absent elements, and copy elements one by one that lie apart or run against
 * their results: without a mask, elements as close as results. 0 where elements lie so far apart that none shares a
 * sector with its neighbours. */
int scan_make_bare(const struct scan *scan, struct scan *bare);

/* What such kernels are compiled with. */
void scan_define_runs(const struct scan *scan, struct scan_plan *plan);

/* Plan a scan for kernels/scan_waves/scan_few.cu, scan_wave.cu or scan_rows.cu, if it suits; plan has its parameters
 * and the program's definitions already. As a last resort, rows may be too few to keep all of a GPU busy, or several go
 * to scan_few.cu. */
int scan_plan_few(const struct device_limits *limits, const struct scan *scan, int last_resort, size_t state_bytes,
                  struct scan_plan *plan);
int scan_plan_wave(const struct device_limits *limits, const struct scan *scan, size_t state_bytes,
                   struct scan_plan *plan);
int scan_plan_rows(const struct device_limits *limits, const struct scan *scan, int last_resort,
                   struct scan_plan *plan);

/* The same for kernels/scan_columns/scan_columns.cu. */
int scan_plan_columns(const struct device_limits *limits, const struct scan *scan, size_t state_bytes,
                      struct scan_plan *plan);

/* The same for kernels/scan_blocks/scan_blocks.cu. */
int scan_plan_blocks(const struct device_limits *limits, const struct scan *scan, struct scan_plan *plan);

/* And for kernels/scan_tree/scan_ordered_rows.cu. */
int scan_plan_ordered_rows(const struct device_limits *limits, const struct scan *scan, struct scan_plan *plan);

/* Whether bytes are not zero, of any or all of some; of truth values, minima and maxima, too. */
int scan_runs_are_truth(const struct calculation *calculation);

/* Extremes and bits of the elements' own type: see kernels/scan/runner_fold.cuh. */
int scan_results_are_lanes(const struct calculation *calculation);

void scan_plan(const struct device_limits *limits, const struct scan *scan, struct scan_plan *plan);

/* Whether a plan is for the kernels that take whatever the others do not. */
int scan_plan_is_general(const struct scan_plan *plan);

#endif
