/* SPDX-License-Identifier: MIT
 *
 * largest_of_warp.cuh - the largest of a warp's numbers, in all lanes. No include guard. */

#include "lanes.cuh"

/* NaN or anything where one is. As integers floats compare by size, but for the order of those below zero. */
#if POWERS_ARE_FLOATS
DEVICE_UNUSED power_real largest_of_warp(power_real own)
{
    int32_t bits = (int32_t)float_bits(own), most = most_of_lanes(bits ^ (bits >> 31 & 0x7fffffff));
    return float_from_bits((uint32_t)(most ^ (most >> 31 & 0x7fffffff)));
}
#else
DEVICE_UNUSED power_real largest_of_warp(power_real own)
{
    int64_t bits = (int64_t)double_bits(own), most = most_of_long_lanes(bits ^ (bits >> 63 & INT64_MAX));
    return double_from_bits((uint64_t)(most ^ (most >> 63 & INT64_MAX)));
}
#endif
