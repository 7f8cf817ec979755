/* SPDX-License-Identifier: MIT
 *
 * lanes.cuh - sums and extremes of a warp's integers, by the hardware where it can. */
#ifndef TALLY_LANES_CUH
#define TALLY_LANES_CUH

#include "device.cuh"

/* Sum, least and most of a warp's integers, in all lanes. */
#if defined(TALLY_SIMT) || __CUDA_ARCH__ >= 800
#define sum_of_lanes(x) __reduce_add_sync(FULL_WARP, (uint32_t)(x))
#define least_of_lanes(x) __reduce_min_sync(FULL_WARP, (int32_t)(x))
#define most_of_lanes(x) __reduce_max_sync(FULL_WARP, (int32_t)(x))
#else
DEVICE_UNUSED uint32_t sum_of_lanes(uint32_t x)
{
    for (int half = 16; half > 0; half /= 2) x += __shfl_xor_sync(FULL_WARP, x, half);
    return x;
}

DEVICE_UNUSED int32_t least_of_lanes(int32_t x)
{
    for (int half = 16; half > 0; half /= 2) {
        int32_t other = __shfl_xor_sync(FULL_WARP, x, half);
        x = other < x ? other : x;
    }
    return x;
}

DEVICE_UNUSED int32_t most_of_lanes(int32_t x)
{
    return ~least_of_lanes(~x);
}
#endif

/* The most of 64-bit ones: by high words, and among those that have the highest one by low words. */
DEVICE_UNUSED int64_t most_of_long_lanes(int64_t x)
{
    int32_t high = (int32_t)(x >> 32), most = most_of_lanes(high);
    int32_t low = most_of_lanes(high == most ? (int32_t)((uint32_t)x ^ 0x80000000u) : INT32_MIN);
    return (int64_t)((uint64_t)(uint32_t)most << 32 | ((uint32_t)low ^ 0x80000000u));
}

#endif
