/* SPDX-License-Identifier: MIT
 *
 * turned.cuh - a vector whose elements, of so many bytes each, are to lie in the other order. */
#ifndef TALLY_TURNED_CUH
#define TALLY_TURNED_CUH

#include "device.cuh"

DEVICE_UNUSED struct vector16 turned(struct vector16 v, int32_t size)
{
    struct vector16 turned;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        uint32_t word = v.word[size == 16 ? i : size == 8 ? i ^ 2 : 3 - i];
        if (size <= 2) word = word >> 16 | word << 16;
        if (size == 1) word = (word >> 8 & 0x00ff00ffu) | (word & 0x00ff00ffu) << 8;
        turned.word[i] = word;
    }
    return turned;
}

#endif
