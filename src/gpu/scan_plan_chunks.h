/* SPDX-License-Identifier: MIT
 *
 * scan_plan_chunks.h - chunks of a contiguous axis, which blocks go through: for scan_wave.cu and scan_few.cu. */
#ifndef TALLY_GPU_SCAN_PLAN_CHUNKS_H
#define TALLY_GPU_SCAN_PLAN_CHUNKS_H

#include "scan_plan.h"

/* Of each cell; head and fill as in struct scan_parameters. */
struct scan_chunks {
    int64_t splits, elements, head;
    uint64_t fill;
};

/* Whether a scan can go by them. Chunks that are no whole aligned vectors go element by element, which takes longer. */
int scan_goes_by_chunks(const struct device_limits *limits, const struct scan *scan);

/* The bits of an element that changes no total, of those operators that have one. */
int scan_find_fill(const struct calculation *calculation, uint64_t *fill);

/* Whether rows begin at different places of vectors. */
int scan_rows_are_ragged(const struct scan *scan);

/* Elements before a vector's border, in the scan's direction, if they are the same number in all rows; 0 where there
 * are none, or nothing can fill the rest of their chunk. */
int64_t scan_head(const struct scan *scan, uint64_t *fill);

int64_t scan_count_chunks(int64_t length, int64_t head, int64_t chunk);

/* Exact sums of doubles keep digits of whatever lies far apart. */
int scan_is_wide(const struct calculation *calculation);

/* What a plan has of its chunks: all but the kernel, its blocks and their size. */
void scan_fill_chunks(const struct scan *scan, const struct scan_chunks *chunks, size_t state_bytes,
                      struct scan_plan *plan);

#endif
