/* SPDX-License-Identifier: MIT
 *
 * columns_wave.cuh - chunks of rows of neighbouring columns, in waves as in scan_wave.cu: a block publishes the totals
 * of the columns of a chunk, and only then finishes the chunk that it drew before. Totals of what stands above that
 * one were published meanwhile, and so were many prefixes: a column's lanes look upwards until they meet one. Chunks
 * are drawn in the order of their rows, so that a block that waits, waits for chunks that were drawn before. A thread
 * goes down SIDE columns of RUN rows. No include guard. */
#include "copy_async.cuh"

enum {
    SIDES = WIDTH / SIDE, /* of a row */
    RUNS = THREADS / SIDES,
    ROWS = RUNS * RUN,
    RUNS_OF_LANE = (RUNS + LANES - 1) / LANES,
    LIST = WIDTH | 1, /* totals of a run lie together, so many apart, which keeps banks apart */
    IN_PLACE = RESULT_SIZE == ELEMENT_SIZE,
    STAGE_VECTORS = (ROWS * WIDTH * ELEMENT_SIZE + 15) / 16
};

static_assert(STAGES == 3, "one chunk is finished, one read, one on its way");

#include "columns_chunk.cuh"

/* What the threads of a block share. */
struct room {
    struct total runs[RUNS * LIST];            /* totals, then what stands above a run in its chunk */
    struct total whole[2][WIDTH];              /* of the next chunk and of the last */
    struct total base[WIDTH];                  /* what stands above the last one */
    struct state words[HAS_WORDS ? WIDTH : 1]; /* the same, where the base is lost */
};

struct wave {
    const struct scan_parameters *given;
    struct room *room;
};

/* A thread's place among those that see to a column: LANES neighbouring lanes of a warp. */
struct place {
    int32_t column, lane;
};

/* Of all lanes of a column; every lane gets it. */
DEVICE struct total lanes_sum(struct total t)
{
    for (uint32_t distance = LANES / 2; distance > 0; distance /= 2) {
        struct total other = total_xor(t, distance);
        total_append(&t, &other);
    }
    return t;
}

/* What stands above each run of the chunk, in place of the runs' totals; returns the total of all. */
DEVICE struct total scan_runs(struct total *runs, const struct place *place)
{
    struct total mine = total_identity();
    int32_t first = place->lane * RUNS_OF_LANE;
#pragma unroll
    for (int i = 0; i < RUNS_OF_LANE; i++) {
        if (first + i < RUNS && place->column < WIDTH) total_append(&mine, &runs[(first + i) * LIST + place->column]);
    }
    struct total upto = mine;
    for (int32_t distance = 1; distance < LANES; distance *= 2) {
        struct total left = total_up(upto, (uint32_t)distance);
        if (place->lane >= distance) total_append(&upto, &left);
    }
    struct total above = total_up(upto, 1);
    if (place->lane == 0) above = total_identity();
    struct total all = total_from(upto, ((uint32_t)threadIdx.x & 31) | (LANES - 1));
#pragma unroll
    for (int i = 0; i < RUNS_OF_LANE; i++) {
        if (first + i >= RUNS || place->column >= WIDTH) continue;
        struct total *run = &runs[(first + i) * LIST + place->column], own = *run;
        *run = above;
        total_append(&above, &own);
    }
    return all;
}

/* What a lane finds in `LOOKS` chunks from split `last` upwards: their total, up to the first whose prefix is known. */
struct sight {
    struct total total;
    int32_t complete; /* a prefix is in it, or there is nothing above */
    int32_t missing;  /* a chunk that is needed has published nothing */
};

DEVICE struct sight look(const struct scan_parameters *given, int64_t cell, int64_t last)
{
    struct total total[LOOKS];
    uint32_t flag[LOOKS];
    struct sight sight = {total_identity(), 0, 0};
#pragma unroll
    for (int k = 0; k < LOOKS; k++) {
        flag[k] = PREFIX_KNOWN;
        total[k] = total_identity();
        if (last - k >= 0) flag[k] = total_peek(given, cell, last - k, &total[k]);
    }
#pragma unroll
    for (int k = 0; k < LOOKS; k++) {
        if (sight.complete || sight.missing) continue;
        sight.missing = flag[k] == NOTHING_YET;
        sight.complete = flag[k] == PREFIX_KNOWN;
        if (!sight.missing) total_append(&sight.total, &total[k]);
    }
    return sight;
}

/* The lanes of a column, as a mask of their own. */
DEVICE uint32_t lanes_that(int condition)
{
    uint32_t first = (uint32_t)threadIdx.x & 31 & ~(uint32_t)(LANES - 1);
    return __ballot_sync(FULL_WARP, condition) >> first & (0xffffffffu >> (32 - LANES));
}

/* The prefix above a chunk that is not the first. Every lane of the warp calls it, and gets its column's; columns that
 * are absent have split 0. */
DEVICE struct total look_above(const struct scan_parameters *given, int64_t cell, int64_t split,
                               const struct place *place)
{
    struct total prefix = total_identity();
    int complete = split == 0;
    for (int64_t last = split - 1 - place->lane * LOOKS; __any_sync(FULL_WARP, !complete); last -= LANES * LOOKS) {
        struct sight sight;
        uint32_t known, needed;
        do {
            sight = look(given, cell, complete ? -1 : last);
            known = lanes_that(sight.complete);
            needed = known ? (known & (0 - known)) * 2 - 1 : FULL_WARP;
            needed &= lanes_that(sight.missing);
        } while (__any_sync(FULL_WARP, needed != 0));
        if (known && place->lane > __ffs((int)known) - 1) sight.total = total_identity();
        struct total found = lanes_sum(sight.total);
        if (!complete) total_append(&prefix, &found);
        complete |= known != 0;
    }
    return prefix;
}

#if HAS_WORDS
#include "columns_words.cuh"
#else
DEVICE struct state chunk_words(const struct chunk *c, const struct side *stage, const struct place *place)
{
    (void)c, (void)stage, (void)place;
    return state_identity();
}

DEVICE struct state words_above(const struct scan_parameters *given, int64_t cell, int64_t split)
{
    (void)given, (void)cell, (void)split;
    return state_identity();
}
#endif

/* A chunk's total, known to all lanes of the column, and in words if it is lost otherwise. */
DEVICE struct state words_if_lost(const struct total *whole, const struct chunk *c, const struct side *stage,
                                  const struct place *place)
{
    if (!__any_sync(FULL_WARP, total_is_lost(whole))) return state_identity();
    return chunk_words(c, stage, place);
}

/* What stands above a chunk and the chunk itself become what stands above the next one. */
DEVICE void publish_prefix(const struct scan_parameters *given, int64_t cell, int64_t split, const struct total *above,
                           const struct state *above_words, const struct total *whole, const struct state *whole_words)
{
    struct total upto = *above;
    struct state words = state_identity();
    total_append(&upto, whole);
    if (total_is_lost(&upto)) {
        struct state own = state_of_total(whole, whole_words);
        words = state_of_total(above, above_words);
        state_append(&words, &own);
        upto = total_of_state(&words);
    }
    total_publish(given, cell, split, &upto, &words, PREFIX_KNOWN);
}

/* Between two barriers: totals of the runs of the next chunk become what stands above them, and the chunk's totals are
 * published; the base of the last chunk is found, and the prefix below it published. */
DEVICE void exchange(const struct wave *w, const struct chunk *next, const struct side *next_stage,
                     const struct chunk *last, const struct side *last_stage, int32_t odd)
{
    struct place place = {(int32_t)threadIdx.x / LANES, (int32_t)threadIdx.x % LANES};
    struct room *room = w->room;
    if (((int32_t)threadIdx.x & ~31) >= WIDTH * LANES) return;
    if (next->rows) {
        struct total whole = scan_runs(room->runs, &place);
        struct state words = words_if_lost(&whole, next, next_stage, &place);
        if (place.lane == 0 && place.column < next->columns) {
            int64_t cell = next->cell + place.column;
            room->whole[odd][place.column] = whole;
            if (next->split > 0) {
                total_publish(w->given, cell, next->split, &whole, &words, TOTAL_KNOWN);
            } else {
                struct state first = state_first(w->given, cell);
                struct total above = total_of_state(&first);
                publish_prefix(w->given, cell, 0, &above, &first, &whole, &words);
            }
        }
    }
    if (last->rows) {
        int here = place.column < last->columns;
        int64_t cell = last->cell + place.column;
        struct total above = look_above(w->given, cell, here ? last->split : 0, &place), whole = total_identity();
        struct state above_words = state_identity();
        if (here && last->split == 0) {
            above_words = state_first(w->given, cell);
            above = total_of_state(&above_words);
        } else if (here && total_is_lost(&above)) {
            above_words = words_above(w->given, cell, last->split);
            above = total_of_state(&above_words);
        }
        if (here) whole = room->whole[odd ^ 1][place.column];
        struct state words = words_if_lost(&whole, last, last_stage, &place);
        if (place.lane == 0 && place.column < WIDTH) {
            room->base[place.column] = above;
            if (HAS_WORDS) room->words[HAS_WORDS ? place.column : 0] = above_words;
            if (here && last->split > 0)
                publish_prefix(w->given, cell, last->split, &above, &above_words, &whole, &words);
        }
    }
}

/* The results of a run; where they lie in place of the elements, rows are read before results are written. */
DEVICE void run_results(struct column *columns, struct strays *strays, const struct side *from, char *to, int32_t count)
{
    struct side v[DEPTH];
#pragma unroll 1
    for (int32_t i = 0; i < count; i += DEPTH) {
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            if (i + d < count) v[d] = from[(i + d) * SIDES];
        }
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            if (i + d < count) step_row(columns, strays, &v[d], to + (i + d) * (SIDES * SIDE * RESULT_SIZE));
        }
    }
}

/* A chunk whose base is known: its results, in its own stage or beside all of them, and then to memory. `above` is what
 * stands above the run in its chunk. */
DEVICE void finish_chunk(const struct wave *w, const struct chunk *c, struct vector16 *stage, struct vector16 *beside,
                         const struct total *above, int32_t odd)
{
    struct seat_in_chunk seat = seat_in(c);
    int32_t first = seat.run * RUN * SIDES + seat.side;
    const struct side *from = (const struct side *)stage + first;
    char *to = (char *)(IN_PLACE ? stage : beside) + first * (SIDE * RESULT_SIZE);
    struct column columns[SIDE];
    struct strays strays;
    uint32_t lost = 0;
    strays_begin(&strays);
#pragma unroll
    for (int k = 0; k < SIDE && seat.count; k++) {
        struct total left = w->room->base[seat.side * SIDE + k];
        total_append(&left, &above[k]);
        lost |= (uint32_t)total_is_lost(&left) << k;
        columns[k] = column_below(&left);
    }
#if HAS_WORDS
    if (__syncthreads_or((int)lost)) {
#pragma unroll 1
        for (int k = 0; k < SIDE; k++) {
            if (!(lost >> k & 1)) continue;
            struct state words = words_left(w, (const struct side *)stage, &seat, k, odd);
            columns[k] = column_open(&words, &strays, k);
        }
        __syncthreads();
    }
#else
    (void)lost, (void)odd;
#endif
    run_results(columns, &strays, from, to, seat.count);
    strays_end(w->given, &strays);
    __syncthreads();
    store_chunk(&w->given->reduce, c, (const char *)(IN_PLACE ? stage : beside));
}

/* The totals of the thread's run, to the room. */
DEVICE void enter_chunk(const struct wave *w, const struct chunk *c, const struct side *stage)
{
    struct seat_in_chunk seat = seat_in(c);
    struct total totals[SIDE];
    if (seat.run >= RUNS) return;
    total_rows(totals, stage + seat.run * RUN * SIDES + seat.side, SIDES, seat.count);
#pragma unroll
    for (int k = 0; k < SIDE; k++) w->room->runs[seat.run * LIST + seat.side * SIDE + k] = totals[k];
}

DEVICE void scan_columns(const struct scan_parameters *given)
{
    DYNAMIC_SHARED(struct vector16, stages); /* then results, where they are not as wide as elements */
    __shared__ struct chunk chunks[STAGES];
    __shared__ struct room room;
    const struct reduce_parameters *p = &given->reduce;
    struct wave w = {given, &room};
    struct chunk last = {0, 0, 0, 0, 0, 0};
    struct total above[SIDE];
    int32_t run = (int32_t)threadIdx.x / SIDES, column = (int32_t)threadIdx.x % SIDES * SIDE;
    if (threadIdx.x == 0) {
        for (int32_t s = 0; s + 1 < STAGES; s++) chunks[s] = chunk_of(p, atomicAdd(given->ticket, 1u));
    }
    __syncthreads();
    for (int32_t s = 0; s + 1 < STAGES; s++) {
        load_chunk(p, &chunks[s], (char *)(stages + s * STAGE_VECTORS));
        copy_group();
    }
    for (int32_t stage = 0, spare = STAGES - 1, odd = 0;; odd ^= 1) {
        struct vector16 *next_stage = stages + stage * STAGE_VECTORS, *last_stage = stages + spare * STAGE_VECTORS;
        struct chunk next = chunks[stage];
        uint32_t ticket = 0;
        if (threadIdx.x == 0 && next.rows) ticket = atomicAdd(given->ticket, 1u);
        COPY_AWAIT_BUT(1);
        __syncthreads();
        if (next.rows) enter_chunk(&w, &next, (const struct side *)next_stage);
        __syncthreads();
        exchange(&w, &next, (const struct side *)next_stage, &last, (const struct side *)last_stage, odd);
        __syncthreads();
        if (last.rows) finish_chunk(&w, &last, last_stage, stages + STAGES * STAGE_VECTORS, above, odd ^ 1);
        if (!next.rows) break;
#pragma unroll
        for (int k = 0; k < SIDE && run < RUNS; k++) above[k] = room.runs[run * LIST + column + k];
        if (threadIdx.x == 0) chunks[spare] = chunk_of(p, ticket);
        __syncthreads();
        load_chunk(p, &chunks[spare], (char *)last_stage);
        copy_group();
        last = next;
        spare = stage;
        stage = stage + 1 < STAGES ? stage + 1 : 0;
    }
}
