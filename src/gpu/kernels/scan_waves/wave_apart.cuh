/* SPDX-License-Identifier: MIT
 *
 * wave_apart.cuh - parts of chunks of scan_wave.cu whose elements lie apart in memory, or run against the results: each
 * is copied by itself to its place among the results'. No include guard. */
#include "copy_async.cuh"

/* From an element's address to that of the one whose result lies behind its own, in elements. */
#define INPUT_STEP(given) (BACKWARD ? -(given)->reduce.reduced[0].x : (given)->reduce.reduced[0].x)

/* Every lane's share; what lies beside the part's elements changes no total. */
#if ELEMENT_BYTES >= 4
DEVICE void begin_apart(const struct scan_parameters *given, const struct chunk *c, struct vector16 *room)
{
    struct part part = part_of(c);
    int64_t step = INPUT_STEP(given) * ELEMENT_SIZE;
    const char *from = c->input + part.offset * step;
    int32_t lane = (int32_t)threadIdx.x & 31;
#pragma unroll 4
    for (int32_t i = lane; i < PART; i += 32) {
        char *to = (char *)room + i * ELEMENT_SIZE;
        int32_t at = i - part.begin;
        if (at >= 0 && at < part.count) copy_async(to, from + at * step, ELEMENT_SIZE);
        else copy_unit(to, (const char *)&given->fill, ELEMENT_SIZE);
    }
    copy_group();
}
#else
/* Copies of so few bytes cannot wait for each other in shared memory: many are under way in registers. */
DEVICE void begin_apart(const struct scan_parameters *given, const struct chunk *c, struct vector16 *room)
{
    enum { AT_ONCE = 16 };
    struct part part = part_of(c);
    int64_t step = INPUT_STEP(given);
    const storage *from = (const storage *)c->input + part.offset * step;
    storage *to = (storage *)room, x[AT_ONCE];
    int32_t lane = (int32_t)threadIdx.x & 31;
    for (int32_t i = lane; i < PART; i += AT_ONCE * 32) {
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            int32_t at = i + k * 32 - part.begin;
            memcpy(&x[k], &given->fill, sizeof x[k]);
            if (at >= 0 && at < part.count) x[k] = from[at * step];
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            if (i + k * 32 < PART) to[i + k * 32] = x[k];
        }
    }
}
#endif
