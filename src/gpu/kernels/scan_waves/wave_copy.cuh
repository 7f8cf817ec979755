/* SPDX-License-Identifier: MIT
 *
 * wave_copy.cuh - how a warp's part of a chunk of scan_wave.cu comes into shared memory, and out of it at once. No
 * include guard. */

#include "turned.cuh"

#if LOADS_APART
#include "wave_apart.cuh"
#endif

/* By all lanes. */
DEVICE void begin_loading(const struct scan_parameters *given, const struct chunk *c, struct vector16 *room,
                          struct bulk_barrier *arrived)
{
#if LOADS_APART
    (void)arrived;
    if (c->count) begin_apart(given, c, room);
#else
    struct part part = part_of(c);
    (void)given;
    if ((threadIdx.x & 31) || !c->loads_bulk || part.count == 0) return;
    int32_t begin = TURNED ? PART - part.begin - part.count : part.begin; /* turn_part does the rest */
    bulk_load((char *)room + begin * ELEMENT_SIZE, c->input + (int64_t)part_in_input(c, &part) * ELEMENT_SIZE,
              (uint32_t)part.count * ELEMENT_SIZE, arrived);
#endif
}

/* Turns the elements of a room round. */
DEVICE_UNUSED void turn_part(struct vector16 *room)
{
    int32_t lane = (int32_t)threadIdx.x & 31;
#pragma unroll
    for (int32_t k = 0; k <= VECTORS / 2; k++) {
        int32_t i = k * 32 + lane, other = ROOM - 1 - i;
        if (i >= other) continue;
        struct vector16 low = room[i], high = room[other];
        room[i] = turned(high, ELEMENT_SIZE);
        room[other] = turned(low, ELEMENT_SIZE);
    }
    __syncwarp();
}

/* Exact sums look at all of a room: zeros where a part that was copied at once has none. What lies there otherwise
 * changes no result, but may be far from the numbers, which takes time. */
#if defined(METHOD_EXACT)
#define FILLS_PARTS 1
#else
#define FILLS_PARTS 0
#endif

DEVICE void fill_part(const struct chunk *c, struct vector16 *room)
{
    struct part part = part_of(c);
    struct vector16 zero = {{0, 0, 0, 0}};
    int32_t begin = part.begin / PER_VECTOR, end = (part.begin + part.count) / PER_VECTOR;
    for (int32_t i = (int32_t)threadIdx.x & 31; i < ROOM; i += 32) {
        if (part.count == 0 || i < begin || i >= end) room[i] = zero;
    }
    __syncwarp();
}

/* By one lane: a part in place, whole vectors. */
DEVICE void store_part(const struct chunk *c, const struct vector16 *room)
{
    struct part part = part_of(c);
    if (part.count == 0) return;
    bulk_store(c->output + (int64_t)part.offset * RESULT_SIZE, (const char *)room + part.begin * RESULT_SIZE,
               (uint32_t)part.count * RESULT_SIZE);
}
