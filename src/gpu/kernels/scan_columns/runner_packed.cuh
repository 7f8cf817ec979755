/* SPDX-License-Identifier: MIT
 *
 * runner_packed.cuh - runner_fold.cuh for the states of scan_method_packed.cuh: what runs down PACK neighbouring
 * columns, whose elements are a word, and is their results at each row. No include guard. */
typedef struct state runner;

DEVICE runner runner_of(const struct state *before)
{
    return *before;
}

DEVICE void runner_move(runner *r, uint32_t word)
{
    struct state own = state_of_word(word);
    state_append(r, &own);
}

DEVICE void runner_store(const runner *r, char *out)
{
    uint32_t word = word_of_state(r);
    memcpy(out, &word, sizeof word);
}
