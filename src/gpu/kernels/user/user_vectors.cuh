/* SPDX-License-Identifier: MIT
 *
 * user_vectors.cuh - runs of elements in shared memory, a lane's each, which come and go in vectors of 16 bytes; and
 * states that lanes hand to each other. */
#ifndef TALLY_USER_VECTORS_CUH
#define TALLY_USER_VECTORS_CUH

#include "user_operator.cuh"

#include "copy_async.cuh"

/* How the vectors of a run are permuted, of runs of so many vectors, a power of two: so that neighbouring lanes find
 * theirs in different banks. */
DEVICE int32_t vector_turn(int32_t vectors, int32_t run)
{
    return vectors >= 8 ? run & 7 : run * vectors >> 3 & (vectors - 1);
}

/* Where vector i of a run lies. */
DEVICE int32_t vector_place(int32_t vectors, int32_t run, int32_t i)
{
    return run * vectors + (i ^ vector_turn(vectors, run));
}

/* Where the vector lies that is 32 k behind the one at `place`, which is of the first 32 of all runs: for lanes that
 * take turns at the vectors, with one address for all k. */
DEVICE int32_t vector_place_behind(int32_t vectors, int32_t place, int32_t k)
{
    return k * 32 + (place ^ vector_turn(vectors, k * (32 / vectors)));
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
