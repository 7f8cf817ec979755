/* SPDX-License-Identifier: MIT
 *
 * user_map.cu - a user's map: neighbouring threads have neighbouring elements of the output. Several of a thread's are
 * read before one is written, since the output may be an input.
 *   INPUT_COUNT      1 to 4; for each input c INPUT_BYTES_c, the size of its type
 *   USER_RESULT      the name of the output's type, RESULT_BYTES its size
 *   USER_LOOPS       of the output: 1, where nothing need be divided, or 2 for any number of them */
#include "user_prelude.cuh"

#include "map_parameters.h"

enum { USER_AT_ONCE = RESULT_BYTES > 8 ? 2 : 4 };

DEVICE int32_t user_input_bytes(int c)
{
    static_assert(INPUT_COUNT >= 1 && INPUT_COUNT <= MAP_INPUTS, "a map has inputs");
#if INPUT_COUNT > 3
    if (c == 3) return INPUT_BYTES_3;
#endif
#if INPUT_COUNT > 2
    if (c == 2) return INPUT_BYTES_2;
#endif
#if INPUT_COUNT > 1
    if (c == 1) return INPUT_BYTES_1;
#endif
    (void)c;
    return INPUT_BYTES_0;
}

/* Element k of the output, and where its inputs lie. */
DEVICE stored_result *place_of(const struct map_parameters *p, int64_t k, struct user_run *run)
{
    int64_t rest = k, at[INPUT_COUNT] = {0}, out = 0;
    run->n = 1;
    run->index = p->first + k;
    for (int32_t d = USER_LOOPS > 1 ? p->count - 1 : 0; d >= 0; d--) {
        int64_t extent = p->loops[d].extent, outer = 0;
        if (USER_LOOPS > 1)
            outer = (uint64_t)(rest | extent) >> 32 ? rest / extent : (int64_t)((uint32_t)rest / (uint32_t)extent);
        int64_t index = rest - outer * extent;
#pragma unroll
        for (int c = 0; c < INPUT_COUNT; c++) at[c] += index * p->loops[d].input[c];
        out += index * p->loops[d].out;
        rest = outer;
    }
#pragma unroll
    for (int c = 0; c < INPUT_COUNT; c++) run->inputs[c] = (const char *)p->inputs[c] + at[c] * user_input_bytes(c);
    return (stored_result *)p->out + out;
}

KERNEL(user_map, struct map_parameters, p)
{
    int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t k = (int64_t)blockIdx.x * THREADS + threadIdx.x; k < p.elements; k += USER_AT_ONCE * step) {
        stored_result value[USER_AT_ONCE], *to[USER_AT_ONCE];
#pragma unroll
        for (int j = 0; j < USER_AT_ONCE; j++) {
            struct user_run run;
            if (k + j * step >= p.elements) continue;
            to[j] = place_of(&p, k + j * step, &run);
            user_map_element(&run, 0, &value[j]);
        }
#pragma unroll
        for (int j = 0; j < USER_AT_ONCE; j++) {
            if (k + j * step < p.elements) *to[j] = value[j];
        }
    }
}
