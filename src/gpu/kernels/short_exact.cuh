/* SPDX-License-Identifier: MIT
 *
 * short_exact.cuh - exact sums of a few floats. Narrow ones are added as doubles, which is exact while the numbers'
 * exponents lie close enough, and else so nearly that all that the sum can be nearly always has one result; doubles in
 * pairs, where a loss shows. What could not be summed so is summed again, by redo_cell. No include guard. */
#include "quick_exact.cuh"

/* Writes a result; returns whether it could. */
DEVICE int quick_finish(const struct reduce_parameters *p, const struct quick *q, int64_t n, int64_t cell, char *out)
{
    struct pair total = {q->high, 0};
    (void)p, (void)cell;
#if IS_PAIRED
    total.high = two_sum(q->high, q->low, &total.low);
    return pair_finish(total, n, out);
#else
    if (FINISH_NUMBER == FINISH_MEAN) return mean_store(total, q->high, n, out);
    double_store(q->high, 0, out);
    return is_finite(q->high);
#endif
}

/* The same when additions were rounded; by the watch, no number was larger than its largest one. */
DEVICE int quick_finish_near(const struct quick *q, const struct watch *w, int64_t n, char *out)
{
#if IS_PAIRED || defined(ONLY_TYPE_f16)
    (void)q, (void)w, (void)n, (void)out;
    return 0;
#else
    return double_near_store(q->high, watch_off(w, n), n, out);
#endif
}
#define HAS_NEAR_FINISH 1

#if !IS_PAIRED
/* The same where the sum is no number, as one of the cell is none: no sum of narrow ones leaves the range of doubles.
 */
DEVICE int quick_finish_special(const struct quick *q, char *out)
{
    finish_bits(q->high != q->high ? nan_result() : double_result(q->high), 0, out);
    return 1;
}
#define HAS_SPECIAL_FINISH 1
#endif
