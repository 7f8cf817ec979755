/* SPDX-License-Identifier: MIT
 *
 * blocks_runs.cuh - a warp's group of a block, for scan_blocks.cu: the way of its elements to shared memory, and of its
 * results out of it. A lane has a run. Memory is read and written in vectors, which groups may begin inside of. No
 * include guard.
 *   IN_SHIFTS     1: groups of elements begin inside of vectors
 *   IN_BACKWARD   1: elements lie behind each other, the last one first
 *   OUT_SHIFTS, OUT_BACKWARD   the same of results */

/* Elements of the warp's group that there are. */
DEVICE int32_t group_share(const struct reduce_parameters *p, int64_t number)
{
    int64_t left = p->length - number * BLOCK_ELEMENTS - (int64_t)(threadIdx.x >> 5) * GROUP_ELEMENTS;
    return left < 0 ? 0 : left < GROUP_ELEMENTS ? (int32_t)left : GROUP_ELEMENTS;
}

/* Vector i of a group lies there in its room: vectors of neighbouring runs in different banks. */
DEVICE int32_t place_of(int32_t i)
{
    return i ^ (i >> 3 & (RUN_VECTORS - 1));
}

/* Bytes of a vector before the lowest address of any whole group. */
DEVICE int32_t lead_of(const void *first, int shifts, int backward)
{
    return shifts ? (int32_t)(((uintptr_t)first + (backward ? ELEMENT_SIZE : 0)) & 15) : 0;
}

/* The vector that the lowest address of the warp's group would lie in, if the group were whole. */
DEVICE char *frame_of(const void *first, int64_t number, int shifts, int backward)
{
    int64_t before = number * BLOCK_ELEMENTS + (int64_t)(threadIdx.x >> 5) * GROUP_ELEMENTS;
    int64_t lowest = backward ? 1 - GROUP_ELEMENTS - before : before;
    return (char *)first + lowest * ELEMENT_SIZE - lead_of(first, shifts, backward);
}

/* ---- elements ---- */

/* Of a vector that the axis begins or ends in, the elements from one address to another. */
DEVICE_CALL void load_edge(char *to, const char *from, const char *low, const char *high)
{
#pragma unroll 1
    for (int32_t i = 0; i < 16; i += (int32_t)sizeof(storage)) {
        if (from + i >= low && from + i < high) copy_unit(to + i, from + i, sizeof(storage));
    }
}

DEVICE void begin_vectors(const struct reduce_parameters *p, int64_t number, struct vector16 *memory)
{
    const char *low = (const char *)p->x - (IN_BACKWARD ? (p->length - 1) * ELEMENT_SIZE : 0);
    const char *high = low + p->length * ELEMENT_SIZE, *frame = frame_of(p->x, number, IN_SHIFTS, IN_BACKWARD);
    int64_t behind = high - frame;
    int32_t from = low > frame ? (int32_t)(low - frame) : 0, to = behind < 16 * ROOM ? (int32_t)behind : 16 * ROOM;
#pragma unroll
    for (int32_t k = 0; k < RUN_VECTORS + IN_SHIFTS; k++) {
        int32_t i = k * 32 + ((int32_t)threadIdx.x & 31);
        char *place = (char *)&memory[place_of(i)];
        if (16 * i >= from && 16 * i + 16 <= to) copy_async(place, frame + 16 * i, 16);
        else if (16 * i + 16 > from && 16 * i < to) load_edge(place, frame + 16 * i, low, high);
    }
}

DEVICE void begin_loading(const struct scan_parameters *given, int64_t number, struct vector16 *memory)
{
    if (number != NO_BLOCK && group_share(&given->reduce, number) > 0) begin_vectors(&given->reduce, number, memory);
    copy_group();
}

/* The lane's run. */
struct run {
    struct vector16 vectors[RUN_VECTORS];
};

DEVICE struct run run_load(const struct vector16 *memory)
{
    int32_t first = ((int32_t)threadIdx.x & 31) * RUN_VECTORS;
    struct run run;
#pragma unroll
    for (int i = 0; i < RUN_VECTORS; i++) run.vectors[i] = memory[place_of(first + i)];
    return run;
}

DEVICE element run_element(const struct run *run, int i)
{
    struct vector16 v = run->vectors[i * ELEMENT_SIZE / 16];
    return vector_element(&v, i % (16 / ELEMENT_SIZE));
}

#include "blocks_turned.cuh"

/* The lane's run as it was loaded; from then on it lies where run_load() finds it. Every lane of the warp calls it. */
DEVICE struct run run_settle(const struct reduce_parameters *p, struct vector16 *memory)
{
    if (!IN_SHIFTS && !IN_BACKWARD) return run_load(memory);
    int32_t lane = (int32_t)threadIdx.x & 31, first = (IN_BACKWARD ? 31 - lane : lane) * RUN_VECTORS;
    struct vector16 read[RUN_VECTORS + IN_SHIFTS];
    struct run run;
#pragma unroll
    for (int i = 0; i < RUN_VECTORS + IN_SHIFTS; i++) read[i] = memory[place_of(first + i)];
#pragma unroll
    for (int i = 0; i < RUN_VECTORS; i++) {
        struct vector16 v = joined(&read[i], &read[i + IN_SHIFTS], lead_of(p->x, IN_SHIFTS, IN_BACKWARD));
        run.vectors[IN_BACKWARD ? RUN_VECTORS - 1 - i : i] = IN_BACKWARD ? turned(&v) : v;
    }
    __syncwarp(); /* all have read */
#pragma unroll
    for (int i = 0; i < RUN_VECTORS; i++) memory[place_of(lane * RUN_VECTORS + i)] = run.vectors[i];
    return run;
}

/* ---- results ---- */

/* What goes to vector i of memory, all of which is the group's. */
DEVICE struct vector16 results_for(const struct vector16 *memory, int32_t i, int32_t lead)
{
    int32_t first = OUT_BACKWARD ? 32 * RUN_VECTORS - 1 - i : i - OUT_SHIFTS;
    struct vector16 low = memory[place_of(first)], high = memory[place_of(first + OUT_SHIFTS)];
    struct vector16 v = joined(&low, &high, OUT_BACKWARD ? lead : -lead & 15);
    return OUT_BACKWARD ? turned(&v) : v;
}

/* Result number i of the group in the order of addresses. */
DEVICE void store_alone(char *to, const struct vector16 *memory, int32_t i)
{
    int32_t at = (OUT_BACKWARD ? GROUP_ELEMENTS - 1 - i : i) * RESULT_SIZE;
    copy_unit(to, (const char *)&memory[place_of(at >> 4)] + (at & 15), RESULT_SIZE);
}

/* Those in vectors that are not the group's alone: the first one and the last one. */
DEVICE_CALL void store_edges(char *frame, int32_t lead, int32_t low, int32_t high, const struct vector16 *memory)
{
    int32_t own = ((int32_t)threadIdx.x & 31) * RESULT_SIZE, inner = min((low + 15) & ~15, high);
    int32_t first = low + own, last = max(high & ~15, inner) + own;
    if (first < inner) store_alone(frame + first, memory, (first - lead) / RESULT_SIZE);
    if (last < high) store_alone(frame + last, memory, (last - lead) / RESULT_SIZE);
}

/* The same of a whole group, whose edges are a vector together. */
DEVICE void store_edges_of_whole(char *frame, int32_t lead, const struct vector16 *memory)
{
    enum { PER_VECTOR = 16 / RESULT_SIZE };
    int32_t i = (int32_t)threadIdx.x & 31;
    if (i >= PER_VECTOR) return;
    if (i * RESULT_SIZE >= 16 - lead) i += GROUP_ELEMENTS - PER_VECTOR;
    store_alone(frame + lead + i * RESULT_SIZE, memory, i);
}

DEVICE void store_group(const struct scan_parameters *given, int64_t number, const struct vector16 *memory)
{
    const struct reduce_parameters *p = &given->reduce;
    int32_t share = group_share(p, number), lead = lead_of(p->out, OUT_SHIFTS, OUT_BACKWARD);
    int32_t low = lead + (OUT_BACKWARD ? GROUP_ELEMENTS - share : 0) * RESULT_SIZE, high = low + share * RESULT_SIZE;
    char *frame = frame_of(p->out, number, OUT_SHIFTS, OUT_BACKWARD);
#pragma unroll
    for (int32_t k = 0; k < RUN_VECTORS; k++) {
        int32_t i = k * 32 + ((int32_t)threadIdx.x & 31);
        if (16 * i >= low && 16 * i + 16 <= high) *(struct vector16 *)(frame + 16 * i) = results_for(memory, i, lead);
    }
    if (share < GROUP_ELEMENTS) store_edges(frame, lead, low, high, memory);
    else if (OUT_SHIFTS) store_edges_of_whole(frame, lead, memory);
}
