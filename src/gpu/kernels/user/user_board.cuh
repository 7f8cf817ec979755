/* SPDX-License-Identifier: MIT
 *
 * user_board.cuh - where blocks publish the states of their chunks: each 8 bytes of a state beside a seal, which is
 * these bytes xor a mark, in one access of 16 bytes. So a reader knows by itself whether all of a state is there. */
#ifndef TALLY_USER_BOARD_CUH
#define TALLY_USER_BOARD_CUH

#include "user_operator.cuh"

#include "packed.cuh"

enum { PLACE_WORDS = (STATE_BYTES + 7) / 8 };

DEVICE void state_publish(struct packed *places, int64_t number, const state *value)
{
    uint64_t word[PLACE_WORDS] = {0};
    memcpy(word, value, sizeof *value);
#pragma unroll
    for (int w = 0; w < PLACE_WORDS; w++)
        packed_store(&places[number * PLACE_WORDS + w], word[w], word[w] ^ TOTAL_MARK);
}

/* Whether it is there. */
DEVICE int state_peek(const struct packed *places, int64_t number, state *value)
{
    uint64_t word[PLACE_WORDS];
    int seen = 1;
#pragma unroll
    for (int w = 0; w < PLACE_WORDS; w++) {
        struct packed v = packed_load(&places[number * PLACE_WORDS + w]);
        word[w] = v.value;
        seen &= (v.value ^ v.seal) == TOTAL_MARK;
    }
    memcpy(value, word, sizeof *value);
    return seen;
}

#endif
