/* SPDX-License-Identifier: MIT
 *
 * scan_arrange.h - elements that lie in memory otherwise than their results, or are masked, are brought to where the
 * results' order has them before they are scanned: scans that find elements and results in one order go at the speed of
 * memory, which is worth reading and writing the elements once more. */
#ifndef TALLY_GPU_SCAN_ARRANGE_H
#define TALLY_GPU_SCAN_ARRANGE_H

#include "scan_plan.h"

#include "kernels/parameters/arrange_parameters.h"

struct arrangement {
    struct arrange_parameters parameters; /* x, its bounds, where and out are the caller's */
    struct definitions definitions;
    int64_t blocks;
    uint32_t threads;
    size_t bytes;      /* of the copy, */
    int64_t first;     /* of which this one is the first element's */
    int64_t x;         /* parts from the scan's x to the first one that the kernel knows, */
    int64_t where;     /* bytes of the mask, likewise, */
    int64_t out;       /* and parts from the copy's first element */
    int by_words;      /* narrow parts are moved by words, not one by one, */
    int whole_words;   /* of which none is put together from two */
    int64_t low, high; /* parts from the scan's x to the lowest, and behind the highest */
};

/* Fills the scan of elements that are arranged, whose x is the caller's to set, and how they come to be. Returns 0
 * where nothing is to be gained, or elements are few, or too many for a copy. */
int scan_arrange(const struct device_limits *limits, const struct scan *scan, struct scan *arranged,
                 struct arrangement *arrangement);

/* Whether elements that lie close to each other have results that do not. */
int scan_orders_differ(const struct scan *scan);

/* Whether, beyond that, few of them lie side by side together with their results. */
int scan_is_scattered(const struct scan *scan);

/* Whether a scan is no slower than its elements are arranged. */
int scan_lies_well(const struct scan *scan, const struct arrangement *arrangement);

#endif
