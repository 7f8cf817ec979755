/* SPDX-License-Identifier: MIT
 *
 * user_vectors.cuh - runs of elements in shared memory, a lane's each, which come and go in vectors of 16 bytes; and
 * states that lanes hand to each other. */
#ifndef TALLY_USER_VECTORS_CUH
#define TALLY_USER_VECTORS_CUH

#include "user_operator.cuh"

#include "copy_async.cuh"

/* Where vector i of a run lies, of runs of so many vectors, a power of two. They are permuted so that neighbouring
 * lanes find theirs in different banks. */
DEVICE int32_t vector_place(int32_t vectors, int32_t run, int32_t i)
{
    int32_t turn = vectors >= 8 ? run & 7 : run * vectors >> 3 & (vectors - 1);
    return run * vectors + (i ^ turn);
}

/* That of lane `from`, whose number is taken modulo 32. Every lane of the warp calls it. */
DEVICE state state_shuffled(state mine, int32_t from)
{
    uint32_t word[(STATE_BYTES + 3) / 4] = {0};
    memcpy(word, &mine, sizeof mine);
#pragma unroll
    for (int i = 0; i < (STATE_BYTES + 3) / 4; i++) word[i] = __shfl_sync(FULL_WARP, word[i], from);
    memcpy(&mine, word, sizeof mine);
    return mine;
}

#endif
