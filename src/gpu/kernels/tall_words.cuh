/* SPDX-License-Identifier: MIT
 *
 * tall_words.cuh - what no pair of doubles holds, in reduce_tall.cu. Included by tall_merge.cuh. No include guard. */
#include "strip_words.cuh"

/* The sums of the block's columns, in `room`. Members of a group have different columns in a lane. */
DEVICE_CALL void sum_words(const struct reduce_parameters *p, struct place place, struct walk walk, struct words *room)
{
    struct words sums[STRIP_TOTALS];
    walk_words(&walk, sums);
#pragma unroll 1
    for (int32_t j = place.thread; j < place.width; j += THREADS) words_clear(&room[j]);
#pragma unroll 1
    for (int32_t k = 0; k < IN_VECTOR; k++) {
        int32_t column = lane_column(p, &place, &walk, k);
#pragma unroll 1
        for (int32_t g = 0; g < place.groups; g++) {
            __syncthreads();
            if (place.group == g && column >= 0) words_merge(&room[column], sums[k]);
        }
    }
    __syncthreads();
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
        words_merge(&words, total_is_lost(&total) ? published->words[at] : words_of_pair(total.sum));
    }
    return words;
}
