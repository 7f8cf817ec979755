/* SPDX-License-Identifier: MIT
 *
 * columns_words.cuh - what columns_wave.cuh does where a total is lost to pairs of doubles: words, row by row. Rarely
 * needed. No include guard. */

/* Adds row `row` of a column of a part. */
DEVICE void words_add_row(struct state *words, const struct vector16 *part, int32_t row, int32_t column)
{
    element x = load_element(part, row * WIDTH + column);
    words->sum[0] = words_add_double(words->sum[0], column_number(x), 0);
}

/* Adds the first `rows` rows of a column of a chunk. */
DEVICE_CALL struct state words_add_rows(const struct wave *w, struct state words, uint32_t stage, int32_t column,
                                        int32_t rows)
{
#pragma unroll 1
    for (int32_t row = 0; row < rows; row++)
        words_add_row(&words, rooms_of(w->stages, row / PART_ROWS) + stage * ROOM, row % PART_ROWS, column);
    return words;
}

/* The total of a column of a chunk. */
DEVICE struct state chunk_words(const struct wave *w, const struct chunk *c, uint32_t stage, int32_t column)
{
    return words_add_rows(w, state_identity(), stage, column, c->rows);
}

/* The prefix above a chunk that is not the first. Everything that it takes was seen to be published. */
DEVICE_CALL struct state words_above(const struct scan_parameters *given, int64_t cell, int64_t split)
{
    struct state above = state_identity();
    uint32_t flag = NOTHING_YET;
    for (int64_t i = split - 1; flag != PREFIX_KNOWN; i--) {
        struct glimpse glimpse;
        struct total total;
        struct state words;
        do {
            glimpse = total_glimpse(given, cell, i);
            flag = total_seen(&glimpse, &total);
        } while (flag == NOTHING_YET);
        __threadfence();
        if (total_is_lost(&total)) words = *published_words(given, cell, i, flag);
        words = state_of_total(&total, &words);
        state_append(&above, &words);
    }
    return above;
}

/* Where a block leaves what is lost to pairs, behind all that is published: what stands above parts in a chunk, and
 * above the chunk. */
DEVICE struct state *left_words(const struct wave *w, uint32_t slot, int32_t part, int32_t column)
{
    const struct reduce_parameters *p = &w->given->reduce;
    int64_t place = ((int64_t)blockIdx.x * SLOTS + slot) * (WARPS + 1) + part;
    return (struct state *)w->given->totals + 2 * p->cells * p->splits + place * WIDTH + column;
}

DEVICE void leave_words(const struct wave *w, uint32_t slot, int32_t part, int32_t column, struct state words)
{
    *left_words(w, slot, part, column) = words;
    __threadfence_block();
}

/* What stands above a part of a chunk in it. */
DEVICE struct state words_above_part(const struct wave *w, uint32_t stage, int32_t part, int32_t column)
{
    return words_add_rows(w, state_identity(), stage, column, part * PART_ROWS);
}

/* The columns of a thread's run whose beginning is lost to pairs. */
DEVICE_CALL void open_words(const struct wave *w, const struct vector16 *part, struct seat_in_part seat, uint32_t slot,
                            uint32_t lost, struct column *columns, struct strays *strays)
{
    int32_t warp = (int32_t)threadIdx.x >> 5;
#pragma unroll 1
    for (int k = 0; k < SIDE; k++) {
        int32_t column = seat.side * SIDE + k;
        if (!(lost >> k & 1)) continue;
        struct state words = state_of_total(&w->room->base[slot][column], left_words(w, slot, WARPS, column));
        struct state more = state_of_total(&w->room->parts[slot][warp][column], left_words(w, slot, warp, column));
        state_append(&words, &more);
#pragma unroll 1
        for (int32_t row = 0; row < seat.run * RUN; row++) words_add_row(&words, part, row, column);
        columns[k] = column_open(&words, strays, k);
    }
}
