/* SPDX-License-Identifier: MIT
 *
 * tall_words.cuh - what no pair of doubles holds, in reduce_tall.cu. Included by tall_merge.cuh. No include guard. */
#include "strip_words.cuh"

/* Adds the sums of the block's cells to those in `room`. Members of a group have different columns in a lane. */
DEVICE_CALL void add_words(const struct reduce_parameters *p, struct place place, struct walk walk, struct words *room)
{
    struct words sums[STRIP_TOTALS];
    walk_words(&walk, sums);
#pragma unroll 1
    for (int32_t k = 0; k < IN_VECTOR; k++) {
        int32_t column = lane_column(p, &place, &walk, k);
#pragma unroll 1
        for (int32_t g = 0; g < place.groups * COLUMNS_OF_CELL; g++) {
            __syncthreads();
            if (column >= 0 && place.group * COLUMNS_OF_CELL + column % COLUMNS_OF_CELL == g)
                words_merge(&room[column / COLUMNS_OF_CELL], sums[k]);
        }
    }
    __syncthreads();
}

DEVICE void clear_words(const struct place *place, struct words *room)
{
#pragma unroll 1
    for (int32_t j = place->thread; j < cells_of(place); j += THREADS) words_clear(&room[j]);
}

/* The sums of the block's columns, in `room`. */
DEVICE void sum_words(const struct reduce_parameters *p, const struct place *place, const struct walk *walk,
                      struct words *room)
{
    clear_words(place, room);
    add_words(p, *place, *walk, room);
}

/* One block goes through columns that leave open what their results are (whose totals in `done` are off by something),
 * and through all splits if it must. */
DEVICE_CALL void sum_alone(const struct reduce_parameters *p, struct place place, const struct total *done,
                           struct words *room)
{
    int open = 0;
#pragma unroll 1
    for (int32_t j = 0; j < cells_of(&place); j++) {
        if (done[j].off == 0) continue;
        int64_t cell = cell_of_column(p, &place, j);
        int64_t first = place.tile * p->width + j * COLUMNS_OF_CELL;
        struct near_sum sum = near_of_block(p, place.x + first * ELEMENT_SIZE);
        if (threadIdx.x == 0)
            open |=
                !near_store(p, &sum, p->length - ABSENT(done[j]), (char *)p->out + out_of_cell(p, cell) * RESULT_SIZE);
    }
    if (!__syncthreads_or(open)) return;
    clear_words(&place, room);
#pragma unroll 1
    for (place.split = 0; place.split < (int32_t)p->splits; place.split++)
        add_words(p, place, walk_of(p, &place), room);
#pragma unroll 1
    for (int32_t j = place.thread; j < cells_of(&place); j += THREADS)
        finish_with_words(p, room[j], ABSENT(done[j]), cell_of_column(p, &place, j));
}

/* The sum of a column in some rows that splits published. */
DEVICE_CALL struct words gather_words(const struct published *published, int32_t column, int64_t first, int64_t count)
{
    struct words words;
    words_clear(&words);
#pragma unroll 1
    for (int64_t row = first; row < first + count; row++) {
        int64_t at = row * published->pitch + column;
        struct total total = published->totals[at];
        words_merge(&words, total_is_lost(&total) ? published->words[at] : words_of_total(total));
    }
    return words;
}
