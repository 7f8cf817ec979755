/* SPDX-License-Identifier: MIT
 *
 * shuffle.cuh - whole structures from another lane of the warp. */
#ifndef TALLY_SHUFFLE_CUH
#define TALLY_SHUFFLE_CUH

#include "device.cuh"

#define SHUFFLE_BY(name, way, operation)                                             \
    DEVICE_UNUSED struct name name##_##way(struct name mine, uint32_t lanes)         \
    {                                                                                \
        uint32_t word[(sizeof mine + 3) / 4];                                        \
        memcpy(word, &mine, sizeof mine);                                            \
        _Pragma("unroll") for (int i = 0; i < (int)(sizeof word / 4); i++) word[i] = \
            operation(FULL_WARP, word[i], lanes);                                    \
        memcpy(&mine, word, sizeof mine);                                            \
        return mine;                                                                 \
    }

/* Defines, for a structure, NAME_up and NAME_down: that of the lane so many lanes below or above; NAME_xor: of the lane
 * that these bits tell apart; NAME_from: of this lane. Every lane of the warp calls them. */
#define SHUFFLE(name)                        \
    SHUFFLE_BY(name, up, __shfl_up_sync)     \
    SHUFFLE_BY(name, down, __shfl_down_sync) \
    SHUFFLE_BY(name, xor, __shfl_xor_sync)   \
    SHUFFLE_BY(name, from, __shfl_sync)

#endif
