/* SPDX-License-Identifier: MIT
 *
 * columns_words.cuh - what columns_wave.cuh does where a total is lost to pairs of doubles: words, row by row. Rarely
 * needed. No include guard. */

/* Where a block leaves what is lost to pairs, behind all that is published, of each column: totals of parts, which
 * become what stands above them in the chunk; what stands above the chunk; the chunk's total. */
enum { BASE_PLACE = WARPS, WHOLE_PLACE, PLACES };

static_assert(WARPS <= MOST_TOTALS && LOOKS <= MOST_TOTALS, "totals that are gathered at once");

DEVICE struct state *left_words(const struct scan_parameters *given, uint32_t slot, int32_t place, int32_t column)
{
    const struct reduce_parameters *p = &given->reduce;
    int64_t at = ((int64_t)blockIdx.x * SLOTS + slot) * PLACES + place;
    return (struct state *)given->totals + 2 * p->cells * p->splits + at * WIDTH + column;
}

DEVICE void leave_words(const struct scan_parameters *given, uint32_t slot, int32_t place, int32_t column,
                        struct state words)
{
    *left_words(given, slot, place, column) = words;
    __threadfence_block();
}

/* Column k of a thread's runs, and those above it in the warp's part. Every lane of the warp calls it, as long as all
 * elements are there. */
DEVICE_CALL struct state words_of_runs(struct vector16 *part, struct seat_in_part seat, int k)
{
    struct state upto = state_identity();
#pragma unroll 1
    for (int32_t row = 0; row < RUN && seat.is_there; row++) {
        element x = load_element(seat_in(&seat, part) + row * IN_PITCH, k);
        upto.sum[0] = words_add_double(upto.sum[0], column_number(x), 0);
    }
#pragma unroll 1
    for (int32_t distance = 1; distance < RUNS; distance *= 2) {
        struct state left = state_up(upto, (uint32_t)(distance * SIDES));
        if (seat.run < distance) continue;
        state_append(&left, &upto);
        upto = left;
    }
    return upto;
}

/* The total of a warp's part, some of whose columns are lost. Every lane of the warp calls it. */
DEVICE_CALL void leave_part(const struct scan_parameters *given, struct vector16 *part, struct seat_in_part seat,
                            uint32_t slot)
{
    int32_t warp = (int32_t)threadIdx.x >> 5;
    int comes_again = warp_comes_again(given);
#pragma unroll 1
    for (int k = 0; k < SIDE && comes_again; k++)
        if (seat.run == RUNS - 1) room_of_block()->parts[slot][warp][seat.side * SIDE + k] = total_identity();
#pragma unroll 1
    for (int k = 0; k < SIDE && !comes_again; k++) {
        struct state words = words_of_runs(part, seat, k);
        if (seat.run == RUNS - 1) leave_words(given, slot, warp, seat.side * SIDE + k, words);
    }
}

/* Makes of the totals of a chunk's parts what stands above them, and of all the chunk's. */
DEVICE_CALL void leave_parts(const struct scan_parameters *given, uint32_t slot, int32_t column)
{
    struct state words = state_identity();
    int comes_again = all_comes_again(given);
#pragma unroll 1
    for (int32_t i = 0; i < WARPS; i++) {
        struct total *part = &room_of_block()->parts[slot][i][column];
        if (comes_again) *part = total_identity();
        if (comes_again) continue;
        struct state own = state_of_total(part, left_words(given, slot, i, column));
        *part = total_of_state(&words);
        *left_words(given, slot, i, column) = words;
        state_append(&words, &own);
    }
    room_of_block()->whole[slot][column] = total_of_state(&words);
    leave_words(given, slot, WHOLE_PLACE, column, words);
}

/* The total of a column of a chunk. */
DEVICE struct state chunk_words(const struct scan_parameters *given, uint32_t slot, int32_t column)
{
    return *left_words(given, slot, WHOLE_PLACE, column);
}

/* The prefix above a chunk that is not the first. Everything that it takes was seen to be published. */
DEVICE_CALL struct state words_above(const struct scan_parameters *given, int64_t cell, int64_t split)
{
    struct state above = state_identity();
    uint32_t flag = NOTHING_YET;
    if (all_comes_again(given)) return above;
    for (int64_t i = split - 1; flag != PREFIX_KNOWN; i--) {
        struct glimpse glimpse;
        struct total total;
        struct state words;
        do {
            glimpse = total_glimpse(given, cell, i, 0);
            total_glimpse_rest(given, cell, i, &glimpse);
            flag = total_seen(&glimpse, &total);
        } while (flag == NOTHING_YET);
        __threadfence();
        if (total_is_lost(&total)) words = *published_words(given, cell, i, flag);
        words = state_of_total(&total, &words);
        state_append(&above, &words);
    }
    return above;
}

/* The columns of a thread's run whose beginning is lost to pairs. Every lane of the warp calls it. */
DEVICE_CALL void open_words(const struct scan_parameters *given, struct vector16 *part, struct seat_in_part seat,
                            uint32_t slot, uint32_t lost, struct column *columns, struct strays *strays)
{
    int32_t warp = (int32_t)threadIdx.x >> 5;
    int comes_again = warp_comes_again(given);
    if (comes_again) memset(columns, 0, SIDE * sizeof *columns);
#pragma unroll 1
    for (int k = 0; k < SIDE && !comes_again; k++) {
        struct state above = state_identity();
        int32_t column = seat.side * SIDE + k;
#if WIDTH <= 16 * SIDE
        above = state_up(words_of_runs(part, seat, k), SIDES);
        if (seat.run == 0) above = state_identity();
#else
        (void)part;
#endif
        if (!(lost >> k & 1)) continue;
        struct state words =
            state_of_total(&room_of_block()->base[slot][column], left_words(given, slot, BASE_PLACE, column));
        struct state more =
            state_of_total(&room_of_block()->parts[slot][warp][column], left_words(given, slot, warp, column));
        state_append(&words, &more);
        state_append(&words, &above);
        columns[k] = column_open(&words, strays, k);
    }
}
