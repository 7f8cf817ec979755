/* SPDX-License-Identifier: MIT
 *
 * short_exact.cuh - exact sums of a few floats. Narrow ones are added as doubles, which is exact while the numbers'
 * exponents lie close enough, and else so nearly that all that the sum can be nearly always has one result; doubles in
 * pairs, where a loss shows. What could not be summed so is summed again, by redo_cell. No include guard. */
#include "quick_exact.cuh"

/* What a cell's numbers add up to; of narrow ones, with the initial value. */
DEVICE struct pair quick_total(const struct reduce_parameters *p, const struct quick *q)
{
    struct pair total = {q->high, 0};
    (void)p;
#if IS_PAIRED
    total.high = two_sum(q->high, q->low, &total.low);
#elif HAS_INITIAL
    total.high = two_sum(q->high, initial_real(p, 0), &total.low);
#endif
    return total;
}

/* Writes a result; returns whether it could. */
DEVICE int quick_finish(const struct reduce_parameters *p, const struct quick *q, int64_t n, int64_t cell, char *out)
{
    struct pair total = quick_total(p, q);
    (void)cell;
#if IS_PAIRED
    return sum_store(p, total, n, out);
#elif HAS_INITIAL
    return pair_finish(total, n, out);
#else
    if (FINISH_NUMBER == FINISH_MEAN) return mean_store(total, q->high, n, out);
    double_store(q->high, 0, out);
    return is_finite(q->high);
#endif
}

/* The same when additions were rounded; by the watch, no number was larger than its largest one. */
DEVICE int quick_finish_near(const struct reduce_parameters *p, const struct quick *q, const struct watch *w, int64_t n,
                             char *out)
{
#if IS_PAIRED || defined(ONLY_TYPE_f16)
    (void)p, (void)q, (void)w, (void)n, (void)out;
    return 0;
#else
    return double_near_store(p, q->high, watch_off(w, n), n, out);
#endif
}
#define HAS_NEAR_FINISH 1

#if !IS_PAIRED
/* The same where the total is no number, as one of the cell is none: no sum of narrow ones leaves the range of doubles.
 * Returns whether that is so. */
DEVICE int quick_finish_special(const struct reduce_parameters *p, const struct quick *q, char *out)
{
    double total = quick_total(p, q).high;
    if (is_finite(total)) return 0;
    finish_bits(total != total ? nan_result() : double_result(total), 0, out);
    return 1;
}
#define HAS_SPECIAL_FINISH 1
#endif
