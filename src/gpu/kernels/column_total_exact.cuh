/* SPDX-License-Identifier: MIT
 *
 * column_total_exact.cuh - a column's exact total in some rows: a pair of doubles, or lost to them. Part of
 * column_exact.cuh. No include guard. */
#include "board.cuh"
#include "quick_exact.cuh"

SHUFFLE(state)

/* high is NaN where no pair holds the sum. */
struct total {
    struct pair sum;
};

SHUFFLE(total)

DEVICE struct total total_identity(void)
{
    struct total total = {{0, 0}};
    return total;
}

DEVICE int total_is_lost(const struct total *total)
{
    return total->sum.high != total->sum.high;
}

DEVICE struct total total_of_state(const struct state *state)
{
    struct total total;
    if (words_pair(&state->sum[0], &total.sum) != 2) total.sum.high = (double)NAN;
    return total;
}

/* `words` has a sum that is lost. */
DEVICE struct state state_of_total(const struct total *total, const struct state *words)
{
    return total_is_lost(total) ? *words : state_of_pair(total->sum);
}

DEVICE void total_append(struct total *a, const struct total *b)
{
    int lost = column_add(&a->sum, b->sum.high);
    if (b->sum.low != 0) lost |= pair_add(&a->sum, b->sum.low);
    if (lost) a->sum.high = (double)NAN;
}

DEVICE struct column column_below(const struct total *above)
{
    struct column column = {above->sum};
    return column;
}

/* As total_rows, of numbers that lie far apart, or are none. */
DEVICE_CALL struct total total_rows_apart(const struct side *from, int32_t stride, int32_t count, int k)
{
    struct total total = total_identity();
    for (int32_t i = 0; i < count; i++) {
        element x = load_element(&from[i * stride], k);
        if (pair_add(&total.sum, column_number(x))) total.sum.high = (double)NAN;
    }
    return total;
}

/* SIDE columns of `count` rows that lie `stride` sides apart. */
DEVICE void total_rows(struct total *totals, const struct side *from, int32_t stride, int32_t count)
{
    struct quick quick[SIDE];
    struct watch watch = watch_begin();
#pragma unroll
    for (int k = 0; k < SIDE; k++) quick[k] = quick_begin();
#pragma unroll 8
    for (int32_t i = 0; i < count; i++) {
        struct side side = from[i * stride];
#pragma unroll
        for (int k = 0; k < SIDE; k++) {
            element x = side_element(&side, k);
            if (SKIP_NAN && element_is_nan(x)) memset(&x, 0, sizeof x);
            quick_add(&quick[k], &watch, x);
        }
    }
    int failed = watch_failed(&watch, count);
#pragma unroll
    for (int k = 0; k < SIDE; k++) {
#if IS_PAIRED
        totals[k].sum.high = two_sum(quick[k].high, quick[k].low, &totals[k].sum.low);
#else
        totals[k].sum.high = quick[k].high;
        totals[k].sum.low = 0;
#endif
        if (failed || !is_finite(quick[k].high)) totals[k] = total_rows_apart(from, stride, count, k);
    }
}

/* ---- what chunks publish ---- */

#define TOTAL_IN_PAIR (3 * TOTAL_MARK)
#define PREFIX_IN_PAIR (3 * PREFIX_MARK)
#define TOTAL_IN_WORDS (~TOTAL_MARK)
#define PREFIX_IN_WORDS (~PREFIX_MARK)

/* Two places: high, and low where there is one. Neighbouring columns lie together. */
DEVICE struct packed *published_pair(const struct scan_parameters *given, int64_t cell, int64_t split)
{
    return (struct packed *)given->flags + 2 * (split * given->reduce.cells + cell);
}

DEVICE struct state *published_words(const struct scan_parameters *given, int64_t cell, int64_t split, uint32_t flag)
{
    return (struct state *)given->totals + 2 * (split * given->reduce.cells + cell) + (flag == PREFIX_KNOWN);
}

DEVICE void total_publish(const struct scan_parameters *given, int64_t cell, int64_t split, const struct total *total,
                          const struct state *words, uint32_t flag)
{
    uint64_t mark = flag == TOTAL_KNOWN ? TOTAL_MARK : PREFIX_MARK;
    struct packed *places = published_pair(given, cell, split);
    if (total_is_lost(total)) {
        mark = ~mark;
        *published_words(given, cell, split, flag) = *words;
        __threadfence();
    } else if (total->sum.low != 0) {
        mark *= 3;
        packed_store(&places[1], double_bits(total->sum.low), double_bits(total->sum.low) ^ mark);
    }
    packed_store(&places[0], double_bits(total->sum.high), double_bits(total->sum.high) ^ mark);
}

DEVICE uint32_t total_peek(const struct scan_parameters *given, int64_t cell, int64_t split, struct total *total)
{
    const struct packed *places = published_pair(given, cell, split);
    struct packed high = packed_load(&places[0]), low = {0, 0};
    if (IS_PAIRED) low = packed_load(&places[1]);
    uint64_t mark = high.value ^ high.seal;
    total->sum.high = double_from_bits(high.value);
    total->sum.low = 0;
    if (mark == TOTAL_IN_PAIR || mark == PREFIX_IN_PAIR) {
        if (!IS_PAIRED) low = packed_load(&places[1]);
        if ((low.value ^ low.seal) != mark) return NOTHING_YET;
        total->sum.low = double_from_bits(low.value);
    } else if (mark == TOTAL_IN_WORDS || mark == PREFIX_IN_WORDS) {
        __threadfence();
        total->sum.high = (double)NAN;
    }
    if (mark == TOTAL_MARK || mark == TOTAL_IN_PAIR || mark == TOTAL_IN_WORDS) return TOTAL_KNOWN;
    return mark == PREFIX_MARK || mark == PREFIX_IN_PAIR || mark == PREFIX_IN_WORDS ? PREFIX_KNOWN : NOTHING_YET;
}
