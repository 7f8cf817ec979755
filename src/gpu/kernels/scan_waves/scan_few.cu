/* SPDX-License-Identifier: MIT
 *
 * scan_few.cu - running results along contiguous axes of so few elements that each block has one chunk. All warps but
 * the last have a part of it, which they load, enter, finish and store by themselves; the last one publishes the
 * chunk's total and adds up what all chunks before it published. So there are three steps, however many blocks there
 * are. Blocks draw their chunks, so that they wait for those that have begun; what a block's own number would have
 * given it is on its way to the cache meanwhile. The blocks of a cluster run at once, so that each has its own number's
 * chunk; they post their totals to those behind them. */
#if defined(BLOCKS_TOGETHER)
#define CLUSTER_BLOCKS BLOCKS_TOGETHER
#endif
#include "team.cuh"

#include "bulk.cuh"
#include "copy_async.cuh"
#include "meet.cuh"
#include "scan_parameters.h"

#define SEGMENTED 0
#define BY_VECTORS 0
#include "wave_run.cuh"

enum {
    WARPS = THREADS / 32 - 1,
    PART = 32 * RUN, /* elements of a warp */
    CHUNK = WARPS * PART,
    ROOM = 32 * VECTORS,              /* vectors of a part */
    RESULT_ROOM = 32 * RESULT_STRIDE, /* the same, of results that are wider than elements */
    SLOTS = 1
};

#include "board.cuh"
#include "wave_chunk.cuh"

#if defined(METHOD_EXACT)
#include "wave_board_amount.cuh"
#else
#include "wave_board_fold.cuh"
#endif

/* What the threads of a block share. */
struct few_room {
    struct amount total[WARPS]; /* of warps, then what stands left of them in the chunk */
    kept_left left[WARPS];      /* of warps, in all */
    struct beside beside;
    uint32_t number; /* of the block's chunk */
};

/* Has a chunk's elements on their way to the cache, which some other block loads. */
DEVICE void prefetch_part(const struct chunk *c)
{
    enum { LINE = 128 };
    struct part part = part_of(c);
    const char *from = c->input + (int64_t)part.offset * ELEMENT_SIZE;
    for (int32_t at = ((int32_t)threadIdx.x & 31) * LINE; at < part.count * ELEMENT_SIZE; at += 32 * LINE)
        prefetch(from + at);
}

static_assert(sizeof(struct few_room) <= SCAN_FEW_STATIC_BYTES, "what the host leaves room for");

#if CLUSTER_BLOCKS > 1
#if !defined(METHOD_EXACT)
static_assert(IS_PACKED, "shared memory has no place for more");
#endif

static_assert(sizeof(struct mailbox) + sizeof(struct packed[CLUSTER_BLOCKS][PLACES_OF_SPLIT]) <= CLUSTER_ROOM,
              "the host leaves room");

/* The block's mailbox and packed places, behind what its warps have. */
DEVICE struct mailbox *mailbox_of(struct vector16 *shared)
{
    return (struct mailbox *)(shared + WARPS * (ROOM + (IN_PLACE ? 0 : RESULT_ROOM)));
}

/* Each chunk before the block's own is going to be published. */
DEVICE void begin_together(struct mailbox *box)
{
    if (threadIdx.x == WARPS * 32) mailbox_open(box, blockIdx.x * PLACES_OF_SPLIT);
    __syncwarp();
    cluster_arrive();
}
#else
/* The number of the block's chunk. */
DEVICE uint32_t draw(const struct scan_parameters *given, struct few_room *room)
{
    if (gridDim.x == 1) return 0;
    if (threadIdx.x == WARPS * 32) room->number = atomicAdd(given->ticket, 1u);
    if (threadIdx.x < WARPS * 32) {
        struct chunk likely = chunk_of(given, blockIdx.x);
        prefetch_part(&likely);
    }
    __syncthreads();
    return room->number;
}
#endif

/* Elements of a vector, of which those that are not the part's change no total. */
DEVICE_CALL void load_some(struct vector16 *to, const char *from, int32_t first, int32_t count, uint64_t fill)
{
    enum { PARTS = ELEMENT_SIZE / (int)sizeof(storage) };
    for (int32_t i = 0; i < PER_VECTOR * PARTS; i++) {
        storage x;
        memcpy(&x, &fill, sizeof x);
        if (first + i / PARTS >= 0 && first + i / PARTS < count) x = ((const storage *)from)[i];
        ((storage *)to)[i] = x;
    }
}

DEVICE struct vector16 vector_of(uint64_t fill)
{
    struct vector16 v;
    storage x[16 / sizeof(storage)];
    memcpy(&x[0], &fill, sizeof x[0]);
#pragma unroll
    for (int i = 1; i < (int)(16 / sizeof(storage)); i++) x[i] = x[0];
    memcpy(&v, x, sizeof v);
    return v;
}

/* A warp's part, and what its room has beside it. */
DEVICE void load_part(const struct chunk *c, uint64_t fill, struct vector16 *room)
{
    struct part part = part_of(c);
    struct vector16 none = vector_of(fill);
    const char *from = c->input + (int64_t)(part.offset - part.begin) * ELEMENT_SIZE;
    int32_t lane = (int32_t)threadIdx.x & 31;
    if ((uintptr_t)from % 16 != 0) {
        load_by_elements(*c, fill, room);
        return;
    }
#pragma unroll
    for (int32_t k = 0; k < VECTORS; k++) {
        int32_t i = k * 32 + lane, first = i * PER_VECTOR - part.begin;
        const char *at = from + (int64_t)i * 16;
        if (first + PER_VECTOR <= 0 || first >= part.count) room[i] = none;
        else if (first >= 0 && first + PER_VECTOR <= part.count) copy_async((char *)(room + i), at, 16);
        else load_some(room + i, at, first, part.count, fill);
    }
    copy_group();
    COPY_AWAIT_BUT(0);
    __syncwarp();
}

/* The last warp: what stands left of the others, from everything that is published before. */
DEVICE void exchange(const struct scan_parameters *given, const struct chunk *c, struct few_room *room,
                     struct vector16 *shared)
{
    struct board board = board_of(given, 0, 1);
    struct amount base = amount_first(given, c->cell, &room->beside.base);
#if CLUSTER_BLOCKS > 1
    board.packed = (struct packed *)(mailbox_of(shared) + 1);
    cluster_await();
#else
    (void)shared;
#endif
    meet_from_anywhere();
    publish_chunk(&board, c->number, room->total, &room->beside, 0);
    base = add_published(&board, c->cell * given->reduce.splits, c->number, base, &room->beside);
    leave_left(&base, room->total, room->left, &room->beside, 0);
    meet_from_anywhere();
#if CLUSTER_BLOCKS == 1
    leave_zeros_by_warp(given, gridDim.x * PLACES_OF_SPLIT);
#endif
}

DEVICE void compute(const struct scan_parameters *given, const struct chunk *c, struct few_room *room,
                    struct vector16 *memory)
{
    int32_t warp = (int32_t)threadIdx.x >> 5;
    struct vector16 *run = run_of(memory, VECTORS), *results = memory + ROOM;
    struct starts starts = no_starts();
    if (part_of(c).count == 0) {
        if ((threadIdx.x & 31) == 0) room->total[warp] = amount_none();
        meet_from_anywhere();
        meet_from_anywhere();
        return;
    }
    load_part(c, given->fill, memory);
    struct position position = enter_warp(run, &starts, &room->total[warp], beside_total(&room->beside, 0));
    meet_from_anywhere();
    meet_from_anywhere();
    struct left left = left_of_warp(room->left, room->total, &room->beside, 0);
    run_results(given, run, IN_PLACE ? run : run_of(results, RESULT_STRIDE), chunk_share(c), &left, &left, &position,
                &starts);
    __syncwarp();
    store_results(c, IN_PLACE ? memory : results, IN_PLACE ? VECTORS : RESULT_STRIDE);
}

KERNEL(scan, struct scan_parameters, given)
{
    DYNAMIC_SHARED(struct vector16, shared); /* of each warp: its part, then results, where they are wider */
    __shared__ struct few_room room;
    int32_t warp = (int32_t)threadIdx.x >> 5;
#if CLUSTER_BLOCKS > 1
    begin_together(mailbox_of(shared));
    if (blockIdx.x >= given.reduce.splits) return;
    struct chunk chunk = chunk_of(&given, blockIdx.x);
#else
    struct chunk chunk = chunk_of(&given, draw(&given, &room));
#endif
    if (warp < WARPS) compute(&given, &chunk, &room, shared + warp * (ROOM + (IN_PLACE ? 0 : RESULT_ROOM)));
    else exchange(&given, &chunk, &room, shared);
}
