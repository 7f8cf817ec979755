/* SPDX-License-Identifier: MIT
 *
 * scan_wave.cu - running results along contiguous axes, at the speed of memory. As many blocks as run at once draw
 * chunks in order. A block loads chunks ahead; of each it publishes the total, and only then finishes the chunk that
 * it drew before, whose carry is its last one and all totals that were published in between. So nobody follows a
 * chain of carries, and the exchange hides behind the other chunk's traffic: a wave of chunks goes through the array.
 * A block that waits, waits for chunks that were drawn earlier, so all are sure to come.
 *
 * Two warps of a block exchange: one publishes totals, the other finds what stands left of the block. Every other one
 * has a part of each chunk, which it loads and stores by itself. All meet once for each chunk. */
#include "team.cuh"

#include "bulk.cuh"
#include "meet.cuh"
#include "scan_parameters.h"

#define SEGMENTED 0
#define BY_VECTORS 0
#include "wave_run.cuh"

enum {
    WARPS = THREADS / 32 - 2,
    PUBLISHER = WARPS,
    PART = 32 * RUN, /* elements of a warp */
    CHUNK = WARPS * PART,
    ROOM = 32 * VECTORS,              /* vectors of a part */
    RESULT_ROOM = 32 * RESULT_STRIDE, /* the same, of results that are wider than elements */
    LAG = STAGES - 2,                 /* so many chunks later one is finished */
    SLOTS = LAG + 1,                  /* for what is known of chunks that are not finished */
    AHEAD = 2,                        /* chunks that are known of, from the one that is entered on */
    RING = 8                          /* and those that are not yet finished: a power of two */
};

static_assert(STAGES >= 4 && AHEAD == 2 && RING > LAG + AHEAD, "chunks that are known of");

#include "board.cuh"
#include "wave_chunk.cuh"
#include "wave_copy.cuh"
#include "wave_mask.cuh"

#if defined(METHOD_EXACT)
#include "wave_board_amount.cuh"
#else
#include "wave_board_fold.cuh"
#endif

/* What the threads of a block share. */
struct wave_room {
    struct chunk chunks[RING];
    struct amount total[SLOTS][WARPS]; /* of warps, then what stands left of them in their chunk */
    kept_left left[SLOTS][WARPS];      /* of warps, in all */
    struct beside beside;
    struct bulk_barrier arrived[WARPS][STAGES];
};

#if defined(METHOD_EXACT)
static_assert(sizeof(struct wave_room) <= (IS_NARROW ? SCAN_WAVE_STATIC_BYTES : SCAN_WAVE_STATIC_BYTES_WIDE),
              "what the host leaves room for");
#endif

/* Where all warps of a block meet, whatever they come from: once for each chunk, behind its entering and before the
 * finishing of the one LAG chunks before. Not after the last one was finished. */
DEVICE int meet(const struct wave_room *room, uint32_t k)
{
    if (k >= LAG && room->chunks[(k - LAG) & (RING - 1)].count == 0) return 0;
    meet_from_anywhere();
    return 1;
}

/* The number of the block's next chunk, of which it had k before. A block that is alone has them all. */
DEVICE uint32_t draw(const struct scan_parameters *given, uint32_t k)
{
    return gridDim.x == 1 ? k : atomicAdd(given->ticket, 1u);
}

/* ---- the warps that exchange: what all of their lanes know ---- */

struct wave {
    const struct scan_parameters *given;
    struct board board;
    struct wave_room *room;
    struct amount base; /* what stands left of a chunk that is finished */
    int64_t known;      /* chunks whose totals are in the base */
    int64_t cell;       /* of the base */
};

DEVICE void publish_all(const struct wave *w)
{
    struct wave_room *room = w->room;
    int draws = (threadIdx.x & 31) == 0;
    if (draws) room->chunks[1] = chunk_of(w->given, draw(w->given, 1)); /* while the first one is on its way */
    __syncwarp();
    meet_from_anywhere();
    uint32_t ticket = draws ? draw(w->given, AHEAD) : 0;
    for (uint32_t k = 0, slot = 0;; k++) {
        struct chunk chunk = room->chunks[k & (RING - 1)];
        if (draws) {
            room->chunks[(k + AHEAD) & (RING - 1)] = chunk_of(w->given, ticket);
            ticket = draw(w->given, k + AHEAD + 1);
        }
        __syncwarp();
        if (!meet(room, k)) return;
        if (chunk.count) publish_chunk(&w->board, chunk.number, room->total[slot], &room->beside, slot);
        slot = slot < LAG ? slot + 1 : 0;
    }
}

/* What stands left of the chunk's warps, from everything that was published before. */
DEVICE void find_left(struct wave *w, const struct chunk *c, uint32_t slot)
{
    if (c->cell != w->cell) {
        w->cell = c->cell;
        w->known = c->cell * w->given->reduce.splits;
        w->base = amount_first(w->given, c->cell, &w->room->beside.base);
        __syncwarp();
    }
    w->base = add_published(&w->board, w->known, c->number, w->base, &w->room->beside);
    w->known = c->number;
    leave_left(&w->base, w->room->total[slot], w->room->left[slot], &w->room->beside, slot);
}

DEVICE void find_all(struct wave *w)
{
    meet_from_anywhere();
    for (uint32_t k = 0, slot = 0;; k++) {
        slot = slot < LAG ? slot + 1 : 0; /* the oldest chunk's */
        if (k >= LAG) {
            struct chunk chunk = w->room->chunks[(k - LAG) & (RING - 1)];
            if (chunk.count) find_left(w, &chunk, slot);
        }
        if (!meet(w->room, k)) return;
    }
}

/* ---- the other warps ---- */

/* Where a warp stands. */
struct stand {
    struct vector16 *stages, *results; /* its rooms, and one for results that are wider than elements */
    struct bulk_barrier *arrived;
    uint32_t phases; /* a bit for each stage */
};

DEVICE struct stand stand_of(const struct scan_parameters *given, struct wave_room *room, struct vector16 *shared)
{
    int32_t warp = (int32_t)threadIdx.x >> 5;
    struct vector16 *stages = shared + warp * (STAGES * ROOM + (IN_PLACE ? 0 : RESULT_ROOM));
    struct stand stand = {stages, stages + STAGES * ROOM, room->arrived[warp], 0};
    if ((threadIdx.x & 31) == 0) {
        bulk_open(stand.arrived, STAGES);
    }
    __syncwarp();
    begin_loading(given, &room->chunks[0], stages, &stand.arrived[0]);
    __syncwarp();
    return stand;
}

/* Until the part is in its room. */
DEVICE void await_part(struct stand *stand, const struct chunk *chunk, uint32_t stage)
{
#if LOADS_APART
    (void)stand, (void)chunk, (void)stage;
    COPY_AWAIT_BUT(0);
    __syncwarp();
#else
    if (!chunk->loads_bulk || part_of(chunk).count == 0) return;
    bulk_await(&stand->arrived[stage], stand->phases >> stage & 1);
    stand->phases ^= 1u << stage;
#endif
}

/* Exact sums begin to load behind their work on a chunk, when the results that were in the room before have left it
 * without having been waited for. */
#if defined(METHOD_EXACT)
#define LOADS_LATE 1
#else
#define LOADS_LATE 0
#endif

/* The chunk behind the one that is entered, into the room of the one that was finished last. */
DEVICE void load_next(const struct scan_parameters *given, const struct wave_room *room, const struct stand *stand,
                      uint32_t k, uint32_t stage)
{
    uint32_t after = stage + 1 < STAGES ? stage + 1 : 0;
    if (k + 1 < AHEAD) return;
    if ((threadIdx.x & 31) == 0) bulk_stores_have_read();
    if (LOADS_APART) __syncwarp();
    begin_loading(given, &room->chunks[(k + 1) & (RING - 1)], stand->stages + after * ROOM, &stand->arrived[after]);
}

/* Loads the next chunk, and goes through this one, which is there. */
DEVICE struct position enter_part(const struct scan_parameters *given, struct wave_room *room, struct stand *stand,
                                  uint32_t k, uint32_t stage, uint32_t slot)
{
    struct chunk chunk = room->chunks[k & (RING - 1)];
    struct vector16 *memory = stand->stages + stage * ROOM;
    struct starts starts = no_starts();
    int32_t warp = (int32_t)threadIdx.x >> 5;
#if WITH_WHERE
    struct masks masks;
    load_masks(given, &chunk, &masks);
    if (k + 1 >= AHEAD) prefetch_masks(given, &room->chunks[(k + 1) & (RING - 1)]);
#endif
    await_part(stand, &chunk, stage);
    if (!LOADS_LATE) load_next(given, room, stand, k, stage);
    if (TURNED && chunk.loads_bulk) turn_part(memory);
    if (!LOADS_APART && !chunk.loads_bulk) load_by_elements(chunk, given->fill, memory);
    else if (!LOADS_APART && FILLS_PARTS && chunk.count < CHUNK) fill_part(&chunk, memory);
#if WITH_WHERE
    mask_part(given, &chunk, &masks, memory);
#endif
    struct position position =
        enter_warp(run_of(memory, VECTORS), &starts, &room->total[slot][warp], beside_total(&room->beside, slot));
    if (LOADS_LATE) load_next(given, room, stand, k, stage);
    return position;
}

/* A chunk whose left is known: results of the warp's part, in its own room or beside all of them, and then to memory.
 */
DEVICE void finish_part(const struct scan_parameters *given, struct wave_room *room, const struct stand *stand,
                        uint32_t k, const struct position *position, uint32_t stage, uint32_t slot)
{
    struct chunk chunk = room->chunks[k & (RING - 1)], *c = &chunk;
    struct vector16 *memory = stand->stages + stage * ROOM, *run = run_of(memory, VECTORS);
    struct starts starts = no_starts();
    struct left left = left_of_warp(room->left[slot], room->total[slot], &room->beside, slot);
    run_results(given, run, IN_PLACE ? run : run_of(stand->results, RESULT_STRIDE), chunk_share(c), &left, &left,
                position, &starts);
    bulk_written(); /* also where the room was filled element by element: its next filling may be a bulk copy */
    __syncwarp();
    if (!IN_PLACE) store_results(c, stand->results, RESULT_STRIDE);
    else if (!c->stores_bulk) store_results(c, memory, VECTORS);
    else if ((threadIdx.x & 31) == 0) store_part(c, memory);
    __syncwarp();
}

/* A warp's way through the chunks: it enters one, and finishes the one that it entered LAG chunks before. */
DEVICE void compute(const struct scan_parameters *given, struct wave_room *room, struct stand stand)
{
    meet_from_anywhere();
    begin_loading(given, &room->chunks[1], stand.stages + ROOM, &stand.arrived[1]);
    __syncwarp();
    struct position positions[SLOTS]; /* of the chunk that is entered, and of those before it */
    memset(positions, 0, sizeof positions);
    for (uint32_t k = 0, stage = 0, slot = 0;; k++) {
        uint32_t after = stage + 1 < STAGES ? stage + 1 : 0, oldest = after + 1 < STAGES ? after + 1 : 0;
        if (room->chunks[k & (RING - 1)].count) positions[0] = enter_part(given, room, &stand, k, stage, slot);
        slot = slot < LAG ? slot + 1 : 0; /* the next chunk's, and until then the oldest one's */
        if (!meet(room, k)) break;
        if (k >= LAG) finish_part(given, room, &stand, k - LAG, &positions[LAG], oldest, slot);
#pragma unroll
        for (int i = LAG; i > 0; i--) positions[i] = positions[i - 1];
        stage = after;
    }
    if ((threadIdx.x & 31) == 0) bulk_finish();
}

KERNEL(scan, struct scan_parameters, given)
{
    /* of each warp: stages, then results, where they are wider than elements */
    DYNAMIC_SHARED_LINES(struct vector16, shared);
    __shared__ struct wave_room room;
    int32_t warp = (int32_t)threadIdx.x >> 5;
    struct wave w = {&given, board_of(&given, 0, 1), &room, amount_none(), 0, -1};
    if (threadIdx.x == 0) room.chunks[0] = chunk_of(&given, draw(&given, 0));
    __syncthreads();
    if (warp < WARPS) compute(&given, &room, stand_of(&given, &room, shared));
    else if (warp == PUBLISHER) publish_all(&w);
    else find_all(&w);
    leave_zeros(&given, given.reduce.cells * given.reduce.splits * PLACES_OF_SPLIT);
}
