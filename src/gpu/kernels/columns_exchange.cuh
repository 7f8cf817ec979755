/* SPDX-License-Identifier: MIT
 *
 * columns_exchange.cuh - the warps of a block that exchange what stands above chunks, for columns_wave.cuh: one
 * publishes totals of their columns, the others look upwards. No include guard. */

/* A thread's place among those that look for a column: LANES neighbouring lanes. */
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

/* What a lane finds in `LOOKS` chunks from split `last` upwards: their total, up to the first whose prefix is known. */
struct sight {
    struct total total;
    int32_t complete; /* a prefix is in it, or there is nothing above */
    int32_t missing;  /* a chunk that is needed has published nothing */
};

DEVICE struct sight look(const struct scan_parameters *given, int64_t cell, int64_t last)
{
    struct glimpse glimpse[LOOKS];
    struct total total = total_identity();
    struct gathered sum = gather_from(&total);
    struct sight sight = {total, last < 0, 0};
#pragma unroll
    for (int k = 0; k < LOOKS; k++) glimpse[k] = total_glimpse(given, cell, last - k > 0 ? last - k : 0);
#pragma unroll
    for (int k = 0; k < LOOKS; k++) {
        struct total seen;
        uint32_t flag = total_seen(&glimpse[k], &seen);
        int goes_on = !(sight.complete | sight.missing);
        sight.missing |= goes_on & (flag == NOTHING_YET);
        sight.complete |= goes_on & (flag == PREFIX_KNOWN);
        seen = total_if(goes_on & (flag != NOTHING_YET), &seen);
        gather(&sum, &seen);
    }
    sight.total = gathered_total(&sum);
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
DEVICE struct state chunk_words(const struct wave *w, const struct chunk *c, uint32_t stage, int32_t column)
{
    (void)w, (void)c, (void)stage, (void)column;
    return state_identity();
}

DEVICE struct state words_above(const struct scan_parameters *given, int64_t cell, int64_t split)
{
    (void)given, (void)cell, (void)split;
    return state_identity();
}

DEVICE void leave_words(const struct wave *w, const struct chunk *c, uint32_t stage, uint32_t slot, int32_t column,
                        int32_t warp, struct state above)
{
    (void)w, (void)c, (void)stage, (void)slot, (void)column, (void)warp, (void)above;
}
#endif

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

/* The total of a chunk's column, and of its parts what stands above them in the chunk. */
DEVICE void publish_column(const struct wave *w, const struct chunk *c, uint32_t stage, uint32_t slot, int32_t column)
{
    struct total whole = total_identity();
    struct state words = state_identity();
    struct gathered sum = gather_from(&whole);
#pragma unroll
    for (int32_t i = 0; i < WARPS; i++) {
        struct total own = w->room->parts[slot][i][column];
        w->room->parts[slot][i][column] = gathered_total(&sum);
        gather(&sum, &own);
    }
    whole = gathered_total(&sum);
    w->room->whole[slot][column] = whole;
    if (column >= c->columns) return;
    if (total_is_lost(&whole)) words = chunk_words(w, c, stage, column);
    if (c->split > 0) {
        total_publish(w->given, c->cell + column, c->split, &whole, &words, TOTAL_KNOWN);
    } else {
        struct state first = state_first(w->given, c->cell + column);
        struct total above = total_of_state(&first);
        publish_prefix(w->given, c->cell + column, 0, &above, &first, &whole, &words);
    }
}

DEVICE void publish_all(const struct wave *w)
{
    const struct reduce_parameters *p = &w->given->reduce;
    struct room *room = w->room;
    int32_t lane = (int32_t)threadIdx.x & 31;
    uint32_t ticket = lane == 0 ? atomicAdd(w->given->ticket, 1u) : 0;
    for (uint32_t k = 0, stage = 0, slot = 0;; k++) {
        struct chunk chunk = room->chunks[k & (RING - 1)];
        if (lane == 0) {
            room->chunks[(k + AHEAD) & (RING - 1)] = chunk_of(p, ticket);
            if (chunk.rows) ticket = atomicAdd(w->given->ticket, 1u);
        }
        __syncwarp();
        if (!meet(room, k)) return;
        for (int32_t column = lane; column < WIDTH && chunk.rows; column += 32)
            publish_column(w, &chunk, stage, slot, column);
        stage = stage + 1 < STAGES ? stage + 1 : 0;
        slot = slot < LAG ? slot + 1 : 0;
    }
}

/* What stands above the parts of a column, in all, and below the chunk. Every lane of the warp calls it. */
DEVICE void find_column(const struct wave *w, const struct chunk *c, uint32_t stage, uint32_t slot, struct place place)
{
    int here = place.column < c->columns;
    int64_t cell = c->cell + place.column;
    struct total above = look_above(w->given, here ? cell : c->cell, here ? c->split : 0, &place);
    struct state above_words = state_identity();
    if (!here) return;
    if (c->split == 0) {
        above_words = state_first(w->given, cell);
        above = total_of_state(&above_words);
    } else if (total_is_lost(&above)) {
        above_words = words_above(w->given, cell, c->split);
        above = total_of_state(&above_words);
    }
    if (place.lane == 0 && c->split > 0) {
        struct total whole = w->room->whole[slot][place.column];
        struct state words = state_identity();
        if (total_is_lost(&whole)) words = chunk_words(w, c, stage, place.column);
        publish_prefix(w->given, cell, c->split, &above, &above_words, &whole, &words);
    }
    int lost = 0;
#pragma unroll
    for (int32_t i = 0; i < WARPS; i += LANES) {
        struct total left = above;
        if (i + place.lane >= WARPS) continue;
        total_append(&left, &w->room->parts[slot][i + place.lane][place.column]);
        w->room->parts[slot][i + place.lane][place.column] = left;
        lost |= total_is_lost(&left);
    }
    for (int32_t i = place.lane; lost && i < WARPS; i += LANES) {
        if (total_is_lost(&w->room->parts[slot][i][place.column]))
            leave_words(w, c, stage, slot, place.column, i, state_of_total(&above, &above_words));
    }
}

DEVICE void find_all(const struct wave *w)
{
    int32_t finder = ((int32_t)threadIdx.x >> 5) - PUBLISHER - 1, lane = (int32_t)threadIdx.x & 31;
    for (uint32_t k = 0, stage = STAGES - LAG, slot = 0;; k++) {
        slot = slot < LAG ? slot + 1 : 0; /* the oldest chunk's, as is the stage */
        if (k >= LAG) {
            struct chunk chunk = w->room->chunks[(k - LAG) & (RING - 1)];
            for (int32_t g = finder; g < LOOK_GROUPS && chunk.rows; g += FINDERS) {
                struct place place = {g * LOOKERS + lane / LANES, lane % LANES};
                find_column(w, &chunk, stage, slot, place);
                __syncwarp();
            }
        }
        if (!meet(w->room, k)) return;
        stage = stage + 1 < STAGES ? stage + 1 : 0;
    }
}
