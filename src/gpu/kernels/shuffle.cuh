/* SPDX-License-Identifier: MIT
 *
 * shuffle.cuh - whole structures from another lane of the warp. */
#ifndef TALLY_SHUFFLE_CUH
#define TALLY_SHUFFLE_CUH

#include "device.cuh"

/* Defines NAME_up, NAME_down and NAME_xor for a structure: the one of the lane `distance` below or above, or that this
 * bit tells apart. Every lane of the warp calls it. */
#define SHUFFLE(name)                                                                \
    DEVICE_UNUSED struct name name##_up(struct name mine, uint32_t distance)         \
    {                                                                                \
        uint32_t word[(sizeof mine + 3) / 4];                                        \
        memcpy(word, &mine, sizeof mine);                                            \
        _Pragma("unroll") for (int i = 0; i < (int)(sizeof word / 4); i++) word[i] = \
            __shfl_up_sync(FULL_WARP, word[i], distance);                            \
        memcpy(&mine, word, sizeof mine);                                            \
        return mine;                                                                 \
    }                                                                                \
    DEVICE_UNUSED struct name name##_down(struct name mine, uint32_t distance)       \
    {                                                                                \
        uint32_t word[(sizeof mine + 3) / 4];                                        \
        memcpy(word, &mine, sizeof mine);                                            \
        _Pragma("unroll") for (int i = 0; i < (int)(sizeof word / 4); i++) word[i] = \
            __shfl_down_sync(FULL_WARP, word[i], distance);                          \
        memcpy(&mine, word, sizeof mine);                                            \
        return mine;                                                                 \
    }                                                                                \
    DEVICE_UNUSED struct name name##_xor(struct name mine, uint32_t distance)        \
    {                                                                                \
        uint32_t word[(sizeof mine + 3) / 4];                                        \
        memcpy(word, &mine, sizeof mine);                                            \
        _Pragma("unroll") for (int i = 0; i < (int)(sizeof word / 4); i++) word[i] = \
            __shfl_xor_sync(FULL_WARP, word[i], distance);                           \
        memcpy(&mine, word, sizeof mine);                                            \
        return mine;                                                                 \
    }

#endif
