/* SPDX-License-Identifier: MIT
 *
 * scan_plan_columns.h - what the plans for scan_columns.cu have in common: by threads that walk down a few columns, and
 * by chunks that blocks share. */
#ifndef TALLY_GPU_SCAN_PLAN_COLUMNS_H
#define TALLY_GPU_SCAN_PLAN_COLUMNS_H

#include "scan_plan.h"

#define SCAN_WORD 4    /* bytes of a row that a thread takes, at least */
#define SCAN_SECTOR 32 /* bytes that memory writes at once: parts of it take longer */

/* The largest power of two, up to a vector, that divides the addresses of all rows, in bytes. */
int64_t scan_columns_alignment(const struct scan *scan, enum operand operand);

/* Whether neighbouring columns lie beside each other, elements and results. */
int scan_columns_lie_beside(const struct scan *scan);

/* Whether all rows of results begin where sectors do. */
int scan_columns_have_whole_sectors(const struct scan *scan);

/* Neighbouring columns whose states the kernels keep together, if a thread has `side`: of extremes, bits and truth of
 * narrow elements those of a word, where one instruction compares a pair of them. */
int64_t scan_columns_pack(const struct device_limits *limits, const struct calculation *calculation, int64_t side);

/* Threads that walk, if these are enough. */
int scan_plan_walk(const struct device_limits *limits, const struct scan *scan, struct scan_plan *plan);
int scan_plan_walk_ordered(const struct device_limits *limits, const struct scan *scan, size_t state_bytes,
                           struct scan_plan *plan);

/* Warps that go through many matrices of few columns, if there are so many. */
int scan_plan_tiles(const struct device_limits *limits, const struct scan *scan, struct scan_plan *plan);

#endif
