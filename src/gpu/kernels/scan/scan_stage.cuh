/* SPDX-License-Identifier: MIT
 *
 * scan_stage.cuh - the way of a step's elements, masks and results between memory and the runs of threads.
 *
 * A step is a tile: of each cell of the block as many neighbouring elements as its team has runs for. Memory wants
 * neighbouring threads at neighbouring addresses, whatever the runs are, so that tiles pass through shared memory:
 * threads go through them in the order of memory, along the axis or across the cells, for each operand its own. Run r
 * lies there at r * RUN_STRIDE bytes, an odd number of vectors, which keeps banks apart. The host defines
 *   ONE_CELL                      1: a block has one cell
 *   X_WAY, WHERE_WAY, OUT_WAY     the order of each operand, a number of the enum below
 *   X_UNIT, WHERE_UNIT, OUT_UNIT  1, -1: the operand's stride along the axis, if whole vectors may be copied where
 *                                 addresses allow; else 0 */
#ifndef TALLY_SCAN_STAGE_CUH
#define TALLY_SCAN_STAGE_CUH

#include "team.cuh"

#include "copy_async.cuh"
#include "scan_parameters.h"
#include "turned.cuh"

enum { RUN = 16 };

#define RUN_STRIDE(size) ((((size)*RUN / 16) | 1) * 16)

/* BY_RUN: threads access their own run, element by element, because a warp's cells are neighbours in memory. */
enum { BY_RUN, ALONG, ACROSS };

enum { OF_X, OF_WHERE, OF_OUT, STREAMS };

/* Where the operands of a cell begin. */
struct place {
    char *of[STREAMS];
};

/* What the threads of a block share of a step, and a thread's place in it. */
struct step {
    int64_t block_first; /* the step's first element along the axis */
    int64_t first, end;  /* of the thread's run; end is the split's, or there is nothing for the thread */
    int64_t stop;        /* the split's end */
    const struct reduce_parameters *p;
    int32_t cells_here; /* of the block's; the last group may have fewer */
    struct place own;
    const struct place *places; /* of the cells */
    char *room;
};

struct stream {
    int32_t operand, way, unit;
    int32_t size, part; /* of an element, and of its parts, in bytes */
    int64_t stride;     /* along the axis, in bytes */
};

/* An element of a step. */
struct spot {
    int32_t cell, index;
};

/* Elements of a cell in a step. */
DEVICE int32_t step_length(const struct step *step)
{
    return (ONE_CELL ? THREADS : step->p->team) * RUN;
}

/* Number q, of THREADS * RUN, in an order. Teams are powers of two. */
DEVICE struct spot spot_of(const struct step *step, int way, int32_t q)
{
    struct spot spot = {0, q};
    if (ONE_CELL) return spot;
    int32_t team = step->p->team, bits = 31 - __clz(way == ACROSS ? THREADS / team : team * RUN);
    int32_t high = q >> bits, low = q & ((1 << bits) - 1);
    spot.cell = way == ACROSS ? low : high;
    spot.index = way == ACROSS ? high : low;
    return spot;
}

/* Elements of each cell that there are. */
DEVICE int32_t step_count(const struct step *step)
{
    int64_t left = step->stop - step->block_first;
    return left < 0 ? 0 : left < step_length(step) ? (int32_t)left : step_length(step);
}

DEVICE int spot_exists(const struct step *step, struct spot spot, int32_t count)
{
    return spot.index < count && (ONE_CELL || spot.cell < step->cells_here);
}

DEVICE char *spot_in_memory(const struct step *step, const struct stream *s, struct spot spot)
{
    char *base = ONE_CELL ? step->own.of[s->operand] : step->places[spot.cell].of[s->operand];
    return base + (step->block_first + spot.index) * s->stride;
}

DEVICE int32_t spot_in_room(const struct step *step, const struct stream *s, struct spot spot)
{
    int32_t run = spot.index / RUN;
    int32_t team = step->p->team;
    if (!ONE_CELL) run = step->p->cells_first ? run * (THREADS / team) + spot.cell : spot.cell * team + run;
    return run * RUN_STRIDE(s->size) + spot.index % RUN * s->size;
}

/* Whether the elements that there are make whole aligned vectors: all rows begin alike, or the host would not ask. */
DEVICE int goes_by_vectors(const struct step *step, const struct stream *s, int32_t count)
{
    struct spot origin = {0, 0};
    if (s->unit == 0 || s->way != ALONG || count % (16 / s->size)) return 0;
    return ((uintptr_t)(spot_in_memory(step, s, origin) + (s->unit < 0 ? s->size : 0)) & 15) == 0;
}

/* Vector number v of the step: where it lies, or NULL. */
DEVICE char *vector_in_memory(const struct step *step, const struct stream *s, int32_t v, int32_t count,
                              int32_t *in_room)
{
    int32_t elements = 16 / s->size;
    struct spot spot = spot_of(step, ALONG, v * elements);
    *in_room = spot_in_room(step, s, spot);
    if (!spot_exists(step, spot, count)) return 0;
    if (s->unit < 0) spot.index += elements - 1;
    return spot_in_memory(step, s, spot);
}

DEVICE void vectors_in(const struct step *step, const struct stream *s, int32_t count, char *room)
{
    enum { AT_ONCE = 4 };
    if (s->unit > 0) {
#pragma unroll
        for (int32_t k = 0; k < s->size; k++) {
            int32_t at;
            const char *from = vector_in_memory(step, s, (int32_t)threadIdx.x + k * THREADS, count, &at);
            if (from) copy_async(room + at, from, 16);
        }
        return;
    }
    for (int32_t first = 0; first < s->size; first += AT_ONCE) {
        struct vector16 held[AT_ONCE];
        int32_t at[AT_ONCE];
#pragma unroll
        for (int32_t k = 0; k < AT_ONCE; k++) {
            const char *from = 0;
            at[k] = -1;
            if (first + k < s->size)
                from = vector_in_memory(step, s, (int32_t)threadIdx.x + (first + k) * THREADS, count, &at[k]);
            if (from) held[k] = load_vector(from);
            else at[k] = -1;
        }
#pragma unroll
        for (int32_t k = 0; k < AT_ONCE; k++) {
            if (at[k] >= 0) *(struct vector16 *)(room + at[k]) = turned(held[k], s->size);
        }
    }
}

/* What no asynchronous copy is narrow enough for waits in registers, all of it at once. */
DEVICE void narrow_in(const struct step *step, const struct stream *s, int32_t count, char *room)
{
    uint16_t held[RUN];
#pragma unroll
    for (int32_t k = 0; k < RUN; k++) {
        struct spot spot = spot_of(step, s->way, (int32_t)threadIdx.x + k * THREADS);
        held[k] = 0;
        if (!spot_exists(step, spot, count)) continue;
        const char *from = spot_in_memory(step, s, spot);
        held[k] = s->part == 1 ? *(const uint8_t *)from : *(const uint16_t *)from;
    }
#pragma unroll
    for (int32_t k = 0; k < RUN; k++) {
        char *to = room + spot_in_room(step, s, spot_of(step, s->way, (int32_t)threadIdx.x + k * THREADS));
        if (s->part == 1) *(uint8_t *)to = (uint8_t)held[k];
        else *(uint16_t *)to = held[k];
    }
}

/* Starts to fill a room. It is filled once this thread's copies have arrived, and the block has met. */
DEVICE void stage_in(const struct step *step, const struct stream *s, char *room)
{
    int32_t count = step_count(step);
    if (goes_by_vectors(step, s, count)) {
        vectors_in(step, s, count, room);
        return;
    }
    if (s->part < 4) {
        narrow_in(step, s, count, room);
        return;
    }
#pragma unroll 4
    for (int32_t k = 0; k < RUN; k++) {
        struct spot spot = spot_of(step, s->way, (int32_t)threadIdx.x + k * THREADS);
        if (!spot_exists(step, spot, count)) continue;
        const char *from = spot_in_memory(step, s, spot);
        char *to = room + spot_in_room(step, s, spot);
        for (int32_t part = 0; part < s->size; part += s->part) copy_async(to + part, from + part, s->part);
    }
}

/* The way back, of results that all threads have written. */
DEVICE void stage_out(const struct step *step, const struct stream *s, const char *room)
{
    int32_t count = step_count(step);
    if (goes_by_vectors(step, s, count)) {
#pragma unroll
        for (int32_t k = 0; k < s->size; k++) {
            int32_t at;
            char *to = vector_in_memory(step, s, (int32_t)threadIdx.x + k * THREADS, count, &at);
            if (!to) continue;
            struct vector16 v = *(const struct vector16 *)(room + at);
            *(struct vector16 *)to = s->unit < 0 ? turned(v, s->size) : v;
        }
        return;
    }
#pragma unroll 4
    for (int32_t k = 0; k < RUN; k++) {
        struct spot spot = spot_of(step, s->way, (int32_t)threadIdx.x + k * THREADS);
        if (spot_exists(step, spot, count))
            copy_result(spot_in_memory(step, s, spot), room + spot_in_room(step, s, spot));
    }
}

#endif
