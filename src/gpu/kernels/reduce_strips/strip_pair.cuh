/* SPDX-License-Identifier: MIT
 *
 * strip_pair.cuh - from a column's exact total, in a pair of doubles, to the result, for reduce_tall.cu. No include
 * guard. */
#include "short_total.cuh"

DEVICE_CALL struct words words_of_pair(struct pair pair)
{
    struct words words;
    words_clear(&words);
    words = words_add_double(words, pair.high, 0);
    return words_add_double(words, pair.low, 0);
}

DEVICE_CALL void finish_with_words(const struct reduce_parameters *p, struct words words, int64_t absent, int64_t cell)
{
    struct state s;
    state_open(&s);
    s.absent = absent;
    s.sum[0] = words;
    finish_cell(p, &s, cell);
}

/* In words what a pair cannot be rounded from, or no elements have. */
DEVICE_CALL void pair_to_cell(const struct reduce_parameters *p, struct pair pair, int64_t absent, int64_t cell)
{
    int64_t n = p->length - absent;
    if (n > 0 && sum_store(p, pair, n, (char *)p->out + out_of_cell(p, cell) * RESULT_SIZE)) return;
    finish_with_words(p, words_of_pair(pair), absent, cell);
}
