/* SPDX-License-Identifier: MIT
 *
 * scan_wave.cu - running results along contiguous axes, at the speed of memory. As many blocks as run at once draw
 * chunks in order. A block loads chunks ahead; of each it publishes the total, and only then finishes the chunk that
 * it drew before, whose carry is its last one and all totals that were published in between. So nobody follows a
 * chain of carries, and the exchange hides behind the other chunk's traffic: a wave of chunks goes through the array.
 * A block that waits, waits for chunks that were drawn earlier, so all are sure to come. */
#include "team.cuh"

#include "bulk.cuh"
#include "scan_parameters.h"

#define SEGMENTED 0
#include "wave_run.cuh"

enum {
    WARPS = THREADS / 32,
    CHUNK = THREADS * RUN,
    STAGE = THREADS * VECTORS /* vectors */
};

#include "board.cuh"
#include "wave_chunk.cuh"

/* Of the first `count` lanes, a power of two of them; lane 0 gets it. */
DEVICE struct state warp_sum(struct state s, uint32_t count)
{
    for (uint32_t distance = count / 2; distance > 0; distance /= 2) {
        struct state other = state_down(s, distance);
        if ((threadIdx.x & 31) + distance < 32) state_append(&s, &other);
    }
    return s;
}

/* What the threads of a block share. Two of what one chunk leaves for the step in which it is finished. */
struct board_room {
    struct state total[2][WARPS]; /* of warps, then what stands left of them in their chunk */
    struct state found[WARPS];    /* of what was published */
    struct state base;            /* what stands left of the chunk that is finished */
    struct left left[WARPS];      /* of its warps */
};

/* What every thread knows. */
struct wave {
    const struct scan_parameters *given;
    struct board board;
    struct board_room *room;
    int64_t known; /* chunks whose totals are in the base */
    int64_t cell;  /* of the base */
};

/* A first look at what was published, early, so that the answer is there when it is needed. */
struct sight {
    int64_t count; /* totals between the base and the chunk */
    struct state first;
    int32_t seen;
};

DEVICE struct sight look_early(struct wave *w, const struct chunk *c)
{
    struct sight s = {0, state_identity(), 0};
    if (c->count == 0) return s;
    if (c->cell != w->cell) {
        w->cell = c->cell;
        w->known = c->cell * w->given->reduce.splits;
        if (threadIdx.x == 0) w->room->base = state_first(w->given, c->cell);
    }
    s.count = c->number - w->known;
    if ((int64_t)threadIdx.x < s.count) s.seen = peek(&w->board, w->known + threadIdx.x, &s.first) != NOTHING_YET;
    return s;
}

/* A thread's part of the totals. */
DEVICE struct state gather(const struct wave *w, struct sight s)
{
    struct state total = state_identity();
    for (int64_t i = threadIdx.x; i < s.count; i += THREADS) {
        while (!s.seen) s.seen = peek(&w->board, w->known + i, &s.first) != NOTHING_YET;
        state_append(&total, &s.first);
        s.seen = 0;
    }
    return total;
}

/* Between two barriers: one warp adds up the warps of the next chunk, and publishes; another moves the base on, and
 * tells the warps where they stand in the last one. */
DEVICE void exchange(const struct wave *w, const struct chunk *next, const struct chunk *last, int64_t found,
                     int32_t odd)
{
    int32_t lane = (int32_t)threadIdx.x & 31, warp = (int32_t)threadIdx.x >> 5;
    if (warp == 0 && next->count) {
        struct state upto = state_identity();
        if (lane < WARPS) upto = w->room->total[odd][lane];
        upto = warp_scan(upto, lane, WARPS);
        if (lane == WARPS - 1) publish(&w->board, next->number, upto, TOTAL_KNOWN);
        struct state left = state_up(upto, 1);
        if (lane == 0) left = state_identity();
        if (lane < WARPS) w->room->total[odd][lane] = left;
    }
    if (warp == 1 && last->count) {
        struct state sum = state_identity(), base = w->room->base;
        if (found > 0 && lane < WARPS) sum = w->room->found[lane];
        sum = state_from(warp_sum(sum, WARPS), 0);
        state_append(&base, &sum);
        __syncwarp();
        if (lane == 0) w->room->base = base;
        if (lane < WARPS) {
            state_append(&base, &w->room->total[odd ^ 1][lane]);
            left_open(&w->room->left[lane], base);
        }
    }
}

/* A chunk whose base is known: its results, in its own stage or beside all of them, and then to memory. */
DEVICE void finish_chunk(const struct wave *w, const struct chunk *c, struct vector16 *stage, struct vector16 *beside,
                         const struct position *position)
{
    struct vector16 *run = run_of(stage, VECTORS);
    struct starts starts = no_starts();
    const struct left *left = &w->room->left[threadIdx.x >> 5];
    run_results(w->given, run, IN_PLACE ? run : run_of(beside, RESULT_STRIDE), chunk_share(c), left, left, position,
                &starts);
    bulk_written(); /* also where the stage was filled element by element: its next filling may be a bulk copy */
    __syncthreads();
    if (!IN_PLACE) {
        store_results(c, beside, RESULT_STRIDE);
    } else if (!c->bulk) {
        store_results(c, stage, VECTORS);
        __syncthreads();
    } else if (threadIdx.x == 0) {
        bulk_store(c->output, (char *)stage + chunk_begin(c) * RESULT_SIZE, (uint32_t)c->count * RESULT_SIZE);
    }
}

KERNEL(scan, struct scan_parameters, given)
{
    DYNAMIC_SHARED(struct vector16, stages); /* then results, where they are wider than elements */
    __shared__ struct bulk_barrier arrived[STAGES];
    __shared__ struct chunk chunks[STAGES];
    __shared__ struct board_room room;
    struct wave w = {&given, board_of(&given, 0, 1), &room, 0, -1};
    struct chunk last = {0, 0, 0, 0, 0, 0};
    struct position position;
    struct starts starts = no_starts();
    uint32_t phases = 0; /* a bit for each stage */
    memset(&position, 0, sizeof position);
    if (threadIdx.x == 0) {
        bulk_open(arrived, STAGES);
        for (int32_t s = 0; s + 1 < STAGES; s++) {
            chunks[s] = chunk_of(&given.reduce, atomicAdd(given.ticket, 1u));
            begin_loading(&chunks[s], stages + s * STAGE, &arrived[s]);
        }
    }
    __syncthreads();
    for (int32_t stage = 0, spare = STAGES - 1, odd = 0;; odd ^= 1) {
        struct chunk next = chunks[stage];
        struct position next_position = position;
        uint32_t ticket = 0;
        if (threadIdx.x == 0 && next.count) ticket = atomicAdd(given.ticket, 1u);
        struct sight sight = look_early(&w, &last);
        if (next.bulk) bulk_await(&arrived[stage], phases >> stage & 1);
        else if (next.count) load_part(next, stages + stage * STAGE);
        phases ^= (uint32_t)next.bulk << stage;
        if (next.count) {
            next_position =
                enter_warp(run_of(stages + stage * STAGE, VECTORS), &starts, &room.total[odd][threadIdx.x >> 5]);
        }
        if (sight.count > 0) {
            struct state found = warp_sum(gather(&w, sight), 32);
            if ((threadIdx.x & 31) == 0) room.found[threadIdx.x >> 5] = found;
        }
        __syncthreads();
        exchange(&w, &next, &last, sight.count, odd);
        __syncthreads();
        if (last.count) {
            finish_chunk(&w, &last, stages + spare * STAGE, stages + STAGES * STAGE, &position);
            w.known = last.number;
        }
        if (!next.count) break;
        if (threadIdx.x == 0) {
            chunks[spare] = chunk_of(&given.reduce, ticket);
            bulk_stores_have_read();
            begin_loading(&chunks[spare], stages + spare * STAGE, &arrived[spare]);
        }
        last = next;
        position = next_position;
        spare = stage;
        stage = stage + 1 < STAGES ? stage + 1 : 0;
    }
    if (threadIdx.x == 0) bulk_finish();
    leave_zeros(&given, given.reduce.cells * given.reduce.splits);
}
