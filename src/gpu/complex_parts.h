/* SPDX-License-Identifier: MIT
 *
 * complex_parts.h - exact sums of complex numbers as sums of their real and imaginary parts, which lie side by side:
 * one more axis of length 2, and everything that there is for real numbers. */
#ifndef TALLY_GPU_COMPLEX_PARTS_H
#define TALLY_GPU_COMPLEX_PARTS_H

#include "gpu.h"

/* False where a request is none of such sums, or parts depend on each other: then `parts` is not written. */
int complex_parts_of_reduction(const struct reduction *reduction, struct reduction *parts);
int complex_parts_of_scan(const struct scan *scan, struct scan *parts);

#endif
