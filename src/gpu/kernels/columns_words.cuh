/* SPDX-License-Identifier: MIT
 *
 * columns_words.cuh - what columns_wave.cuh does where a total is lost to pairs of doubles: words, row by row. Rarely
 * needed. No include guard. */

/* Adds row `row` of a column in a stage. */
DEVICE void words_add_row(struct state *words, const struct side *stage, int32_t row, int32_t column)
{
    element x = load_element(stage, row * WIDTH + column);
    words->sum[0] = words_add_double(words->sum[0], column_number(x), 0);
}

/* The total of a column of a chunk, to all its lanes. Every lane of the warp calls it. */
DEVICE_CALL struct state chunk_words(const struct chunk *c, const struct side *stage, const struct place *place)
{
    struct state words = state_identity();
    if (place->column < c->columns) {
        for (int32_t row = place->lane; row < c->rows; row += LANES) words_add_row(&words, stage, row, place->column);
    }
    for (uint32_t distance = LANES / 2; distance > 0; distance /= 2) {
        struct state other = state_xor(words, distance);
        state_append(&words, &other);
    }
    return words;
}

/* The prefix above a chunk that is not the first. Everything that it takes was seen to be published. */
DEVICE_CALL struct state words_above(const struct scan_parameters *given, int64_t cell, int64_t split)
{
    struct state above = state_identity();
    uint32_t flag = NOTHING_YET;
    for (int64_t i = split - 1; flag != PREFIX_KNOWN; i--) {
        struct total total;
        struct state words;
        while ((flag = total_peek(given, cell, i, &total)) == NOTHING_YET) {
        }
        if (total_is_lost(&total)) words = *published_words(given, cell, i, flag);
        words = state_of_total(&total, &words);
        state_append(&above, &words);
    }
    return above;
}

/* What stands above a run, in column k of its SIDE ones. After an infinity or NaN, finite numbers do not matter. */
DEVICE_CALL struct state words_left(const struct wave *w, const struct side *stage, const struct seat_in_chunk *seat,
                                    int k, int32_t odd)
{
    int32_t column = seat->side * SIDE + k;
    struct state words = state_of_total(&w->room->base[column], &w->room->words[column]);
    int is_special = (words.sum[0].special & (EXACT_FAILED - 1)) != 0;
    if (is_special && !total_is_lost(&w->room->whole[odd][column])) return words;
    for (int32_t row = 0; row < seat->run * RUN; row++) words_add_row(&words, stage, row, column);
    return words;
}
