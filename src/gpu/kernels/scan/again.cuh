/* SPDX-License-Identifier: MIT
 *
 * again.cuh - whether a running sum was found that its words do not hold. scan_wide.cu writes all results again then,
 * whatever the kernel before it leaves; that still has to end, and others may wait for what its blocks publish. */
#ifndef TALLY_AGAIN_CUH
#define TALLY_AGAIN_CUH

#include "device.cuh"
#include "scan_parameters.h"

DEVICE_UNUSED int all_comes_again(const struct scan_parameters *given)
{
    return *(volatile uint32_t *)given->reduce.wide_count != 0;
}

/* The same for all lanes of a warp. */
DEVICE_UNUSED int warp_comes_again(const struct scan_parameters *given)
{
    return __shfl_sync(FULL_WARP, all_comes_again(given), 0);
}

#endif
