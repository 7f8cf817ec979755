/* SPDX-License-Identifier: MIT
 *
 * user_stage.cuh - threads that each have STAGE_RUN elements in a row read and write them through shared memory: a warp
 * copies them so that neighbouring lanes touch neighbouring elements. Rows are padded, against bank conflicts. */
#ifndef TALLY_USER_STAGE_CUH
#define TALLY_USER_STAGE_CUH

#include "user_operator.cuh"

#define STAGE_ROW(bytes) (STAGE_RUN * (bytes) + ((bytes) < 4 ? 4 : (bytes)))

/* Of a warp: 32 rows of each input. */
enum {
    STAGE_AT_1 = 32 * STAGE_ROW(INPUT_BYTES_0),
    STAGE_AT_2 = STAGE_AT_1 + (INPUT_COUNT > 1 ? 32 * STAGE_ROW(INPUT_BYTES_1) : 0),
    STAGE_BYTES = STAGE_AT_2 + (INPUT_COUNT > 2 ? 32 * STAGE_ROW(INPUT_BYTES_2) : 0)
};

DEVICE int32_t stage_at(int c)
{
    return c == 0 ? 0 : c == 1 ? STAGE_AT_1 : STAGE_AT_2;
}

DEVICE uint64_t address_of(const char *memory)
{
    return (uint64_t)(uintptr_t)memory;
}

/* Of each lane's row the elements [first, first + STAGE_RUN) below n; rows begin at the lanes' places. All lanes of the
 * warp call it, and wait for each other before they read. */
DEVICE void stage_inputs(const struct user_loop *along, const struct place *at, int32_t first, int32_t n, char *area)
{
    int32_t lane = (int32_t)(threadIdx.x % 32);
#pragma unroll
    for (int c = 0; c < INPUT_COUNT; c++) {
        int32_t bytes = input_bytes(c);
#pragma unroll 16
        for (int32_t i = lane; i < 32 * STAGE_RUN; i += 32) {
            int32_t row = i / STAGE_RUN, k = i % STAGE_RUN;
            const char *from = (const char *)(uintptr_t)__shfl_sync(FULL_WARP, address_of(at->input[c]), row);
            if (first + k >= __shfl_sync(FULL_WARP, n, row)) continue;
            copy_element(area + stage_at(c) + row * STAGE_ROW(bytes) + k * bytes,
                         from + (first + k) * along->input[c] * bytes, bytes, input_align(c));
        }
    }
}

#endif
