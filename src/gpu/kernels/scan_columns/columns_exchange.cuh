/* SPDX-License-Identifier: MIT
 *
 * columns_exchange.cuh - the warps of a block that exchange what stands above chunks, for columns_wave.cuh: one
 * publishes totals of their columns, the others look upwards. Columns that have one total count as one here, and have
 * the place of one where totals are published. No include guard. */

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

/* in_pairs: both halves of all totals are looked at at once. */
#if LINKS
DEVICE_CALL
#else
DEVICE
#endif
struct sight look_closely(const struct scan_parameters *given, int64_t cell, int64_t last, int in_pairs)
{
    struct glimpse glimpse[LOOKS];
    struct total seen[LOOKS];
    struct sight sight = {total_identity(), last < 0, 0};
#pragma unroll
    for (int k = 0; k < LOOKS; k++) glimpse[k] = total_glimpse(given, cell, last - k > 0 ? last - k : 0, in_pairs);
#pragma unroll
    for (int k = 0; k < LOOKS && !in_pairs; k++)
        total_glimpse_rest(given, cell, last - k > 0 ? last - k : 0, &glimpse[k]);
#pragma unroll
    for (int k = 0; k < LOOKS; k++) {
        uint32_t flag = total_seen(&glimpse[k], &seen[k]);
        int goes_on = !(sight.complete | sight.missing);
        sight.missing |= goes_on & (flag == NOTHING_YET);
        sight.complete |= goes_on & (flag == PREFIX_KNOWN);
        seen[k] = total_if(goes_on & (flag != NOTHING_YET), &seen[k]);
    }
    sight.total = totals_above(seen, LOOKS);
    return sight;
}

#if LINKS
/* The same by links, until there is a total that is none: *closely, from then on. */
DEVICE struct sight look(const struct scan_parameters *given, int64_t cell, int64_t last, int *closely)
{
    struct glimpse glimpse[LOOKS];
    struct sight sight = {total_identity(), last < 0, 0};
    struct link sum = link_none();
    uint64_t lost = 0;
    if (*closely) return look_closely(given, cell, last, 1);
#pragma unroll
    for (int k = 0; k < LOOKS; k++) glimpse[k] = total_glimpse(given, cell, last - k > 0 ? last - k : 0, 0);
#pragma unroll
    for (int k = 0; k < LOOKS; k++) {
        struct link seen;
        uint32_t flag = link_seen(&glimpse[k], &seen);
        int goes_on = !(sight.complete | sight.missing);
        if (MAY_BE_NO_LINKS) *closely |= goes_on & (flag == NO_LINK);
        sight.missing |= goes_on & (flag == NOTHING_YET);
        sight.complete |= goes_on & (flag == PREFIX_KNOWN);
        if (!goes_on | (flag == NOTHING_YET)) seen = link_none();
        link_append(&sum, &seen, &lost);
    }
    sight.total = total_of_link(&sum, lost);
    if (MAY_BE_NO_LINKS) *closely |= total_is_lost(&sight.total);
    return *closely ? look_closely(given, cell, last, 1) : sight;
}
#else
DEVICE struct sight look(const struct scan_parameters *given, int64_t cell, int64_t last, int *closely)
{
    return look_closely(given, cell, last, *closely);
}
#endif

/* The lanes of a column, as a mask of their own. */
DEVICE uint32_t lanes_that(int condition)
{
    uint32_t first = (uint32_t)threadIdx.x & 31 & ~(uint32_t)(LANES - 1);
    return __ballot_sync(FULL_WARP, condition) >> first & (0xffffffffu >> (32 - LANES));
}

/* Whether a warp's last prefixes were pairs, so that it looks closely at once: in shared memory, as it has no register
 * left for that. */
DEVICE int32_t *habit_of_finder(void)
{
    return &room_of_block()->in_pairs[(threadIdx.x >> 5) - PUBLISHER - 1];
}

/* The prefix above a chunk that is not the first. Every lane of the warp calls it, and gets its column's; columns that
 * are absent have split 0. */
DEVICE struct total look_above(const struct scan_parameters *given, int64_t cell, int64_t split,
                               const struct place *place)
{
    struct total found = total_identity(); /* by this lane */
    int complete = split == 0, closely = MAY_BE_IN_PAIRS && *habit_of_finder();
    for (int64_t last = split - 1 - place->lane * LOOKS; __any_sync(FULL_WARP, !complete); last -= LANES * LOOKS) {
        struct sight sight;
        uint32_t known, needed;
        do {
            sight = look(given, cell, complete ? -1 : last, &closely);
            known = lanes_that(sight.complete);
            needed = known ? (known & (0 - known)) * 2 - 1 : FULL_WARP;
            needed &= lanes_that(sight.missing);
        } while (__any_sync(FULL_WARP, needed != 0));
        if (known && place->lane > __ffs((int)known) - 1) sight.total = total_identity();
        if (!complete) total_append(&found, &sight.total);
        complete |= known != 0;
    }
    found = lanes_sum(found);
    if (MAY_BE_IN_PAIRS) *habit_of_finder() = __any_sync(FULL_WARP, total_in_pair(&found));
    return found;
}

#if HAS_WORDS
#include "columns_words.cuh"
#else
enum { BASE_PLACE };

DEVICE struct state chunk_words(const struct scan_parameters *given, uint32_t slot, int32_t column)
{
    (void)given, (void)slot, (void)column;
    return state_identity();
}

DEVICE struct state words_above(const struct scan_parameters *given, int64_t cell, int64_t split)
{
    (void)given, (void)cell, (void)split;
    return state_identity();
}

DEVICE void leave_words(const struct scan_parameters *given, uint32_t slot, int32_t place, int32_t column,
                        struct state words)
{
    (void)given, (void)slot, (void)place, (void)column, (void)words;
}

DEVICE void leave_part(const struct scan_parameters *given, struct vector16 *part, struct seat_in_part seat,
                       uint32_t slot)
{
    (void)given, (void)part, (void)seat, (void)slot;
}

DEVICE void leave_parts(const struct scan_parameters *given, uint32_t slot, int32_t column)
{
    (void)given, (void)slot, (void)column;
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
DEVICE void publish_column(const struct scan_parameters *given, const struct chunk *c, uint32_t slot, int32_t column)
{
    struct total parts[WARPS];
    struct state words = state_identity();
    int lost = 0;
#pragma unroll
    for (int i = 0; i < WARPS; i++) parts[i] = room_of_block()->parts[slot][i][column];
    struct total whole = totals_above(parts, WARPS);
#pragma unroll
    for (int i = 0; i < WARPS; i++) lost |= total_is_lost(&parts[i]);
    if (lost | total_is_lost(&whole)) {
        leave_parts(given, slot, column);
        whole = room_of_block()->whole[slot][column];
        if (total_is_lost(&whole)) words = chunk_words(given, slot, column);
    } else {
        room_of_block()->whole[slot][column] = whole;
#pragma unroll
        for (int i = 0; i < WARPS; i++) room_of_block()->parts[slot][i][column] = parts[i];
    }
    if (column * PACK >= c->columns) return;
    if (c->split > 0) {
        total_publish(given, c->cell + column, c->split, &whole, &words, TOTAL_KNOWN);
    } else {
        struct state first = state_first(given, c->cell + column * PACK);
        struct total above = total_of_state(&first);
        publish_prefix(given, c->cell + column, 0, &above, &first, &whole, &words);
    }
}

DEVICE void publish_all(const struct scan_parameters *given)
{
    const struct reduce_parameters *p = &given->reduce;
    struct room *room = room_of_block();
    struct grid grid = grid_of(p);
    int32_t lane = (int32_t)threadIdx.x & 31;
    uint32_t ticket = lane == 0 ? atomicAdd(given->ticket, 1u) : 0;
    for (uint32_t k = 0, slot = 0;; k++) {
        struct chunk chunk = room->chunks[k & (RING - 1)];
        if (lane == 0) {
            room->chunks[(k + AHEAD) & (RING - 1)] = chunk_of(p, &grid, ticket);
            if (chunk.rows) ticket = atomicAdd(given->ticket, 1u);
        }
        __syncwarp();
        if (!meet(k)) return;
        for (int32_t column = lane; column < TOTALS && chunk.rows; column += 32)
            publish_column(given, &chunk, slot, column);
        slot = slot < LAG ? slot + 1 : 0;
    }
}

/* What stands above a chunk's column, and below it. Every lane of the warp calls it. */
DEVICE void find_column(const struct scan_parameters *given, const struct chunk *c, uint32_t slot, struct place place)
{
    int here = place.column * PACK < c->columns;
    int64_t cell = c->cell + place.column;
    struct total above = look_above(given, here ? cell : c->cell, here ? c->split : 0, &place);
    struct state above_words = state_identity();
    if (place.lane > 0 || place.column >= TOTALS) return;
    if (!here) {
        room_of_block()->base[slot][place.column] =
            total_identity(); /* absent columns have zeros, and nothing above them */
        return;
    }
    if (c->split == 0) {
        above_words = state_first(given, c->cell + place.column * PACK);
        above = total_of_state(&above_words);
    } else if (total_is_lost(&above)) {
        above_words = words_above(given, cell, c->split);
        above = total_of_state(&above_words);
    }
    room_of_block()->base[slot][place.column] = above;
    if (total_is_lost(&above)) leave_words(given, slot, BASE_PLACE, place.column, above_words);
    if (c->split > 0) {
        struct total whole = room_of_block()->whole[slot][place.column];
        struct state words = state_identity();
        if (total_is_lost(&whole)) words = chunk_words(given, slot, place.column);
        publish_prefix(given, cell, c->split, &above, &above_words, &whole, &words);
    }
}

DEVICE void find_all(const struct scan_parameters *given)
{
    int32_t finder = ((int32_t)threadIdx.x >> 5) - PUBLISHER - 1, lane = (int32_t)threadIdx.x & 31;
    *habit_of_finder() = 0;
    for (uint32_t k = 0, slot = 0;; k++) {
        slot = slot < LAG ? slot + 1 : 0; /* the oldest chunk's */
        if (k >= LAG) {
            struct chunk chunk = room_of_block()->chunks[(k - LAG) & (RING - 1)];
            for (int32_t g = finder; g < LOOK_GROUPS && chunk.rows; g += FINDERS) {
                struct place place = {g * LOOKERS + lane / LANES, lane % LANES};
                find_column(given, &chunk, slot, place);
                __syncwarp();
            }
        }
        if (!meet(k)) return;
    }
}
