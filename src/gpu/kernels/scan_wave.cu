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

#if defined(METHOD_EXACT)
#include "scan_method_exact.cuh"
#else
#include "scan_method_fold.cuh"
#endif

#include "shuffle.cuh"

SHUFFLE(state)

#include "board.cuh"

enum {
    WARPS = THREADS / 32,
    PER_VECTOR = 16 / ELEMENT_SIZE,
    RESULTS_PER_VECTOR = 16 / RESULT_SIZE,
    RUN = VECTORS * PER_VECTOR, /* elements of a thread; VECTORS is odd, which keeps banks apart */
    CHUNK = THREADS * RUN,
    STAGE = THREADS * VECTORS, /* vectors */
    IN_PLACE = RESULT_SIZE == ELEMENT_SIZE,
    RESULT_VECTORS = RUN / RESULTS_PER_VECTOR,
    RESULT_STRIDE = RESULT_VECTORS | 1
};

#include "wave_fold.cuh"

struct chunk {
    int64_t number, cell;
    int64_t first; /* element of the axis */
    int32_t count; /* 0: there is none */
    int32_t bulk;  /* whole vectors, so that it can be copied at once */
};

DEVICE struct chunk chunk_of(const struct reduce_parameters *p, int64_t number)
{
    struct chunk c = {number, number / p->splits, 0, 0, 0};
    if (c.cell >= p->cells) return c;
    c.first = (number - c.cell * p->splits) * CHUNK;
    c.count = (int32_t)(p->length - c.first < CHUNK ? p->length - c.first : CHUNK);
    c.bulk = HAS_BULK && c.count * ELEMENT_SIZE % 16 == 0;
    return c;
}

/* The chunk's lowest address among elements of `size` bytes of which `base` is element 0. */
DEVICE char *chunk_memory(const struct chunk *c, const void *base, int32_t size)
{
    return (char *)base + (BACKWARD ? -(c->first + c->count - 1) : c->first) * size;
}

DEVICE const char *chunk_input(const struct reduce_parameters *p, const struct chunk *c)
{
    struct offsets at = cell_offsets(p, c->cell);
    return chunk_memory(c, (const char *)p->x + at.x * ELEMENT_SIZE, ELEMENT_SIZE);
}

DEVICE char *chunk_output(const struct reduce_parameters *p, const struct chunk *c)
{
    struct offsets at = cell_offsets(p, c->cell);
    return chunk_memory(c, (char *)p->out + at.out * RESULT_SIZE, RESULT_SIZE);
}

/* Where in a stage the chunk begins: backward, a chunk that is not whole lies at its end. */
DEVICE int32_t chunk_begin(const struct chunk *c)
{
    return BACKWARD ? CHUNK - c->count : 0;
}

/* What all threads of the block know. */
struct wave {
    const struct scan_parameters *given;
    struct vector16 *room; /* the stages; then results, where they are wider than elements */
    struct bulk_barrier *arrived;
    struct board board;
    int64_t known; /* chunks whose totals are in base */
    int64_t cell;  /* of base */
    struct state base;
    uint32_t phases; /* a bit for each stage */
};

DEVICE struct vector16 *stage_of(const struct wave *w, int32_t stage)
{
    return w->room + stage * STAGE;
}

/* By one thread. */
DEVICE void begin_loading(const struct wave *w, int64_t number, int32_t stage)
{
    struct chunk c = chunk_of(&w->given->reduce, number);
    if (c.bulk)
        bulk_load((char *)stage_of(w, stage) + chunk_begin(&c) * ELEMENT_SIZE, chunk_input(&w->given->reduce, &c),
                  (uint32_t)c.count * ELEMENT_SIZE, &w->arrived[stage]);
}

/* A chunk that is not whole is loaded here, element by element, with zeros beside it. */
DEVICE_CALL void load_part(const struct reduce_parameters *p, struct chunk c, struct vector16 *stage)
{
    const storage *from = (const storage *)chunk_input(p, &c);
    storage *to = (storage *)stage;
    int32_t each = ELEMENT_SIZE / (int32_t)sizeof(storage), begin = chunk_begin(&c) * each;
    for (int32_t i = (int32_t)threadIdx.x; i < CHUNK * each; i += THREADS) {
        int32_t at = i - begin;
        storage x;
        memset(&x, 0, sizeof x);
        if (at >= 0 && at < c.count * each) x = from[at];
        to[i] = x;
    }
    __syncthreads();
}

DEVICE void await_chunk(struct wave *w, const struct chunk *c, int32_t stage)
{
    if (c->bulk) {
        bulk_await(&w->arrived[stage], w->phases >> stage & 1);
        w->phases ^= 1u << stage;
    } else {
        load_part(&w->given->reduce, *c, stage_of(w, stage));
    }
}

/* A thread's run in memory that has a run every `stride` vectors. */
DEVICE struct vector16 *run_of(struct vector16 *memory, int32_t stride)
{
    return memory + (BACKWARD ? THREADS - 1 - (int32_t)threadIdx.x : (int32_t)threadIdx.x) * stride;
}

/* ---- what others published ---- */

/* A first look, early, so that the answer is there when it is needed. */
struct sight {
    int64_t count; /* totals between base and the chunk */
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
        w->base = state_first(w->given, c->cell);
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

DEVICE struct state warp_sum(struct state s)
{
    for (uint32_t distance = 16; distance > 0; distance /= 2) {
        struct state other = state_down(s, distance);
        if ((threadIdx.x & 31) + distance < 32) state_append(&s, &other);
    }
    return s;
}

/* Inclusive, over the first `count` lanes. */
DEVICE struct state warp_scan(struct state s, int32_t count)
{
    for (int32_t distance = 1; distance < count; distance *= 2) {
        struct state left = state_up(s, (uint32_t)distance);
        if (((int32_t)threadIdx.x & 31) < distance) continue;
        state_append(&left, &s);
        s = left;
    }
    return s;
}

/* ---- results ---- */

/* From shared memory that has a run every `stride` vectors, in the order of memory. */
DEVICE void store_results(const struct reduce_parameters *p, const struct chunk *c, const struct vector16 *from,
                          int32_t stride)
{
    char *to = chunk_output(p, c);
    if (c->count == CHUNK) {
#pragma unroll 4
        for (int32_t i = (int32_t)threadIdx.x; i < THREADS * RESULT_VECTORS; i += THREADS)
            ((struct vector16 *)to)[i] = from[i / RESULT_VECTORS * stride + i % RESULT_VECTORS];
        return;
    }
    int32_t begin = chunk_begin(c);
    for (int32_t i = (int32_t)threadIdx.x; i < c->count; i += THREADS) {
        int32_t at = begin + i;
        memcpy(to + (int64_t)i * RESULT_SIZE, (const char *)(from + at / RUN * stride) + at % RUN * RESULT_SIZE,
               RESULT_SIZE);
    }
}

/* A chunk whose carry is known: its results, in its own stage or beside it, and then to memory. */
DEVICE void finish_chunk(const struct wave *w, const struct chunk *c, int32_t stage, struct state before)
{
    struct vector16 *run = run_of(stage_of(w, stage), VECTORS), *place = w->room + STAGES * STAGE;
    if (IN_PLACE) {
        run_results(w->given, run, run, before);
        if (c->bulk) bulk_written();
        __syncthreads();
        if (!c->bulk) store_results(&w->given->reduce, c, stage_of(w, stage), VECTORS);
        else if (threadIdx.x == 0)
            bulk_store(chunk_output(&w->given->reduce, c), (char *)stage_of(w, stage) + chunk_begin(c) * RESULT_SIZE,
                       (uint32_t)c->count * RESULT_SIZE);
        return;
    }
    run_results(w->given, run, run_of(place, RESULT_STRIDE), before);
    __syncthreads();
    store_results(&w->given->reduce, c, place, RESULT_STRIDE);
}

KERNEL(scan, struct scan_parameters, given)
{
    DYNAMIC_SHARED(struct vector16, room);
    __shared__ struct bulk_barrier arrived[STAGES];
    __shared__ int64_t tickets[STAGES];
    __shared__ struct state warp_total[2][WARPS], published[2][WARPS];
    int32_t lane = (int32_t)threadIdx.x & 31, warp = (int32_t)threadIdx.x >> 5;
    struct wave w = {&given, room, arrived, board_of(&given, 0, 1), 0, -1, state_identity(), 0};
    struct chunk last = {0, 0, 0, 0, 0};
    struct state before_last = state_identity(); /* what stands left of the thread's run in its chunk */
    if (threadIdx.x == 0) {
        bulk_open(arrived, STAGES);
        for (int32_t s = 0; s + 1 < STAGES; s++) {
            tickets[s] = atomicAdd(given.ticket, 1u);
            begin_loading(&w, tickets[s], s);
        }
    }
    __syncthreads();
    for (int32_t stage = 0, spare = STAGES - 1, odd = 0;; odd ^= 1) {
        struct chunk next = chunk_of(&given.reduce, tickets[stage]);
        int64_t ticket = 0;
        if (threadIdx.x == 0 && next.count) ticket = atomicAdd(given.ticket, 1u);
        struct sight sight = look_early(&w, &last);
        struct state upto = state_identity();
        if (next.count) {
            await_chunk(&w, &next, stage);
            upto = warp_scan(run_total(run_of(stage_of(&w, stage), VECTORS)), 32);
            if (lane == 31) warp_total[odd][warp] = upto;
        }
        if (sight.count > 0) {
            struct state found = warp_sum(gather(&w, sight));
            if (lane == 0) published[odd][warp] = found;
        }
        __syncthreads();
        struct state before = state_up(upto, 1);
        if (lane == 0) before = state_identity();
        if (next.count) {
            struct state totals = state_identity();
            if (lane < WARPS) totals = warp_total[odd][lane];
            totals = warp_scan(totals, WARPS);
            if (warp == 0 && lane == WARPS - 1) publish(&w.board, next.number, totals, TOTAL_KNOWN);
            struct state left = state_from(totals, warp > 0 ? warp - 1 : 0);
            if (warp > 0) {
                state_append(&left, &before);
                before = left;
            }
        }
        if (last.count) {
            if (sight.count > 0) {
                struct state found = state_identity();
                if (lane < WARPS) found = published[odd][lane];
                found = state_from(warp_sum(found), 0);
                state_append(&w.base, &found);
                w.known = last.number;
            }
            struct state left = w.base;
            state_append(&left, &before_last);
            finish_chunk(&w, &last, spare, left);
        }
        if (!next.count) break;
        if (IN_PLACE && last.count && !last.bulk) __syncthreads(); /* its results may still be read */
        if (threadIdx.x == 0) {
            if (IN_PLACE) bulk_stores_have_read();
            tickets[spare] = ticket;
            begin_loading(&w, ticket, spare);
        }
        last = next;
        before_last = before;
        spare = stage;
        stage = stage + 1 < STAGES ? stage + 1 : 0;
    }
    if (threadIdx.x == 0) bulk_finish();
}
