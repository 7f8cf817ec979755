/* SPDX-License-Identifier: MIT
 *
 * columns_wave.cuh - chunks of rows of neighbouring columns, in waves as in scan_wave.cu: every warp of a block has a
 * part of each chunk, some rows, which it loads, enters and stores by itself; chunks are finished LAG chunks after they
 * were entered. One warp publishes the totals of chunks' columns; others look upwards from a chunk, through totals that
 * were published meanwhile, until they meet a prefix. All meet once for each chunk. Chunks are drawn in the order of
 * their rows, so that a block that waits, waits for chunks that were drawn before. A thread goes down SIDE columns of
 * RUN rows. No include guard. */
#include "copy_async.cuh"
#include "meet.cuh"

enum {
    WARPS = THREADS / 32 - 1 - FINDERS, /* that have parts */
    PUBLISHER = WARPS,
    SIDES = WIDTH / SIDE, /* of a row */
    RUNS = 32 / SIDES,    /* of a warp */
    PART_ROWS = RUNS * RUN,
    ROWS = WARPS * PART_ROWS,
    ROOM = (PART_ROWS * IN_PITCH + 15) / 16,
    RESULT_ROOM = (PART_ROWS * OUT_PITCH + 15) / 16,
    IN_PLACE = !APART,
    LAG = STAGES - 2,      /* so many chunks later one is finished */
    SLOTS = LAG + 1,       /* for what is known of chunks that are not finished */
    AHEAD = 2,             /* chunks that are known of, from the one that is entered on */
    RING = 8,              /* and those that are not yet finished: a power of two */
    TOTALS = WIDTH / PACK, /* of a chunk */
    LOOKERS = 32 / LANES,  /* of them that a warp looks for at once */
    LOOK_GROUPS = (TOTALS + LOOKERS - 1) / LOOKERS
};

static_assert(RUN % DEPTH == 0, "rows of a run at once");
static_assert(SIDE % PACK == 0 && WIDTH % SIDE == 0, "columns whose states are together");
static_assert(STAGES >= 4 && RING > LAG + AHEAD && SIDES <= 32 && RUNS <= 32,
              "chunks that are known of, and their rows");

#include "columns_chunk.cuh"

/* What the threads of a block share: whole lines, so that stages, which lie behind it, begin at one. */
struct __align__(128) room
{
    struct chunk chunks[RING];
    struct total parts[SLOTS][WARPS][TOTALS];               /* totals; then what stands above them in the chunk */
    struct total whole[SLOTS][TOTALS], base[SLOTS][TOTALS]; /* of the chunk, and above it */
    int32_t in_pairs[FINDERS];
};

/* By name, wherever it is needed: through a pointer in memory, compilers would not know that it is shared memory. */
DEVICE struct room *room_of_block(void)
{
    __shared__ struct room room;
    return &room;
}

/* Where all warps of a block meet: once for each chunk, behind its entering and before the finishing of the one LAG
 * chunks before. Not after the last one was finished. */
DEVICE int meet(uint32_t k)
{
    if (k >= LAG && room_of_block()->chunks[(k - LAG) & (RING - 1)].rows == 0) return 0;
    meet_from_anywhere();
    return 1;
}

/* A warp's rooms: stages, then one for results that do not lie as elements do. */
DEVICE struct vector16 *rooms_of(int32_t warp)
{
    DYNAMIC_SHARED(struct vector16, stages); /* of each warp */
    return stages + warp * (STAGES * ROOM + (IN_PLACE ? 0 : RESULT_ROOM));
}

/* Rows that were written over by what is no result. */
DEVICE void put_back(const struct side *v, char *to, int32_t count)
{
    (void)count;
#pragma unroll
    for (int d = 0; d < DEPTH; d++) side_store(to + d * IN_PITCH, &v[d]);
}

#if HAS_WORDS
#include "column_rest.cuh"
#endif

#include "columns_exchange.cuh"

/* What stands above a thread's run in its warp's part, and what was seen of the run. */
struct above {
    struct total of[RUNS > 1 ? PACKS : 1];
    seen run;
};

/* The totals of the warp's part, and what stands above the thread's run in it. */
DEVICE struct above enter_runs(struct total *totals, const struct seat_in_part *seat)
{
    struct above above;
    above.of[0] = total_identity();
    above.run = 0;
#pragma unroll
    for (int k = 0; k < PACKS && RUNS > 1; k++) {
#pragma unroll
        for (int32_t distance = 1; distance < RUNS; distance *= 2) {
            struct total left = total_up(totals[k], (uint32_t)(distance * SIDES));
            if (seat->run >= distance) total_append(&left, &totals[k]);
            if (seat->run >= distance) totals[k] = left;
        }
        struct total left = total_up(totals[k], SIDES);
        above.of[RUNS > 1 ? k : 0] = seat->run > 0 ? left : total_identity();
    }
    return above;
}

/* Loads the next chunk, and then goes through this one. */
DEVICE struct above enter_part(const struct scan_parameters *given, struct learnt *learnt, uint32_t k, uint32_t stage,
                               uint32_t slot)
{
    int32_t warp = (int32_t)threadIdx.x >> 5;
    struct vector16 *rooms = rooms_of(warp);
    struct chunk next = room_of_block()->chunks[(k + 1) & (RING - 1)];
    struct total totals[PACKS];
    load_part(&given->reduce, &next, (char *)(rooms + (stage + 1 < STAGES ? stage + 1 : 0) * ROOM));
    copy_group();
    COPY_AWAIT_BUT(1);
    __syncwarp();
    struct seat_in_part seat = seat_of_lane(&room_of_block()->chunks[k & (RING - 1)]);
#pragma unroll
    for (int k = 0; k < PACKS; k++) totals[k] = total_identity();
    seen run = enter_run(totals, learnt, seat_in(&seat, rooms + stage * ROOM), seat.is_there);
    struct above above = enter_runs(totals, &seat);
    above.run = run;
    uint32_t lost = 0;
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        if (seat.run == RUNS - 1) room_of_block()->parts[slot][warp][seat.side * PACKS + k] = totals[k];
        lost |= (uint32_t)total_is_lost(&totals[k]);
    }
    if (__any_sync(FULL_WARP, lost)) leave_part(given, rooms + stage * ROOM, seat, slot);
    return above;
}

/* The results of the lane's run; where they lie in place of the elements, rows are read before results are written.
 * Rows that are absent are gone through, too, where that takes no longer. */
DEVICE void run_results(const struct column *columns, struct strays *strays, int apart, seen run,
                        const struct seat_in_part *seat, char *from, int32_t present, char *to)
{
    struct column rest[PACKS];
    if (leave_run(columns, strays, apart, run, from, to, seat->is_there) || !seat->is_there) return;
    memcpy(rest, columns, sizeof rest);
    columns_apart(rest, strays, from, present, to);
}

/* What stands above a thread's run. Returns a bit for each column whose sum is lost to totals. */
DEVICE uint32_t columns_above(const struct scan_parameters *given, const struct seat_in_part *seat,
                              const struct above *above, uint32_t slot, struct column *columns)
{
    int32_t warp = (int32_t)threadIdx.x >> 5;
    uint32_t lost = 0;
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        struct total left = total_identity();
        if (seat->is_there) {
            left = room_of_block()->base[slot][seat->side * PACKS + k];
            total_append(&left, &room_of_block()->parts[slot][warp][seat->side * PACKS + k]);
            if (RUNS > 1) total_append(&left, &above->of[RUNS > 1 ? k : 0]);
        }
        lost |= (uint32_t)total_is_lost(&left) << k;
        columns[k] = column_below(&left);
    }
    return lost;
}

/* A chunk whose prefix is known: results of the warp's part, in its own stage or beside all of them, and then to
 * memory. */
DEVICE void finish_part(const struct scan_parameters *given, uint32_t k, const struct above *above, uint32_t stage,
                        uint32_t slot)
{
    int32_t warp = (int32_t)threadIdx.x >> 5;
    struct chunk chunk = room_of_block()->chunks[k & (RING - 1)];
    struct seat_in_part seat = seat_of_lane(&chunk);
    struct vector16 *rooms = rooms_of(warp), *memory = rooms + stage * ROOM;
    struct vector16 *results = IN_PLACE ? memory : rooms + STAGES * ROOM;
    char *from = seat_in(&seat, memory);
    struct column columns[PACKS];
    struct strays strays;
    uint32_t lost = columns_above(given, &seat, above, slot, columns);
    strays_begin(given, &strays);
#if HAS_WORDS
    if (__any_sync(FULL_WARP, lost != 0)) {
        struct column opened[PACKS];
        memcpy(opened, columns, sizeof opened);
        open_words(given, memory, seat, slot, lost, opened, &strays);
        memcpy(columns, opened, sizeof opened);
        lost = strays.mask;
        __syncwarp();
    }
#endif
    int32_t left = part_rows(&chunk) - seat.run * RUN, present = left < RUN ? left : RUN, apart = lost != 0;
#pragma unroll
    for (int k = 0; k < PACKS; k++) apart |= column_is_special(&columns[k]);
    run_results(columns, &strays, apart, above->run, &seat, from, present, (char *)results + seat_out(&seat, &chunk));
    __syncwarp();
    store_part(&given->reduce, &chunk, (const char *)results);
    __syncwarp();
}

/* A warp's way through the chunks: it enters one, and finishes the one that it entered LAG chunks before. */
DEVICE void compute(const struct scan_parameters *given)
{
    struct above above[SLOTS]; /* of the chunk that is entered, and of those before it */
    struct learnt learnt;
    memset(above, 0, sizeof above);
    learnt_open(&learnt);
    load_part(&given->reduce, &room_of_block()->chunks[0], (char *)rooms_of((int32_t)threadIdx.x >> 5));
    copy_group();
    for (uint32_t k = 0, stage = 0, slot = 0;; k++) {
        uint32_t after = stage + 1 < STAGES ? stage + 1 : 0, oldest = after + 1 < STAGES ? after + 1 : 0;
        if (room_of_block()->chunks[k & (RING - 1)].rows) above[0] = enter_part(given, &learnt, k, stage, slot);
        slot = slot < LAG ? slot + 1 : 0; /* the next chunk's, and until then the oldest one's */
        if (!meet(k)) break;
        if (k >= LAG) finish_part(given, k - LAG, &above[LAG], oldest, slot);
#pragma unroll
        for (int i = LAG; i > 0; i--) above[i] = above[i - 1];
        stage = after;
    }
}

DEVICE void scan_columns(const struct scan_parameters *given)
{
    struct room *room = room_of_block();
    int32_t warp = (int32_t)threadIdx.x >> 5;
    if (threadIdx.x == 0) {
        struct grid grid = grid_of(&given->reduce);
        for (int32_t s = 0; s < AHEAD; s++)
            room->chunks[s] = chunk_of(&given->reduce, &grid, atomicAdd(given->ticket, 1u));
    }
    __syncthreads();
    if (warp < WARPS) compute(given);
    else if (warp == PUBLISHER) publish_all(given);
    else find_all(given);
}
