/* SPDX-License-Identifier: MIT
 *
 * column_exact.cuh - columns of exact sums, for scan_columns.cu: in a double where that holds the sum, in a pair of
 * them where both do, and otherwise in words. No include guard. */

#define HAS_WORDS 1 /* totals that only words know */

/* What stands above an element of a column: the exact sum, or an infinity or NaN, unless the column is a stray. */
struct column {
    struct pair above;
};

/* Columns of a thread whose sums no pair holds (a bit of `mask` each), which is rare: `k` indexes memory. All of this
 * is in memory; struct trail has what is looked at often. */
struct strays {
    uint32_t mask;
    uint32_t *failed; /* where it is noted that a result is not known */
    struct state state[SIDE];
};

DEVICE void strays_begin(const struct scan_parameters *given, struct strays *strays)
{
    strays->mask = 0;
    strays->failed = given->reduce.wide_count;
}

/* Whether all results are written again (again.cuh). */
DEVICE int strays_come_again(const struct strays *strays)
{
    return *(volatile uint32_t *)strays->failed != 0;
}

DEVICE double column_number(element x)
{
    return SKIP_NAN && element_is_nan(x) ? 0 : (double)x.v;
}

/* The exact sum as words. */
DEVICE_CALL struct state state_of_pair(struct pair pair)
{
    struct state s = state_identity();
    s.sum[0] = words_add_double(s.sum[0], pair.high, 0);
    s.sum[0] = words_add_double(s.sum[0], pair.low, 0);
    return s;
}

/* Whether the words' sum is a pair, or an infinity or NaN, whatever the numbers beside it. */
DEVICE int words_are_pair(const struct words *words, struct pair *pair)
{
    uint32_t special = special_of(words->special & EXACT_SPECIAL);
    int is_pair = words_pair(words, pair) == 2 || special;
    if (special) {
        pair->high = special == EXACT_NAN              ? (double)NAN
                     : special == EXACT_MINUS_INFINITY ? -(double)INFINITY
                                                       : (double)INFINITY;
    }
    if (special || !is_pair) pair->low = 0;
    return is_pair;
}

/* Makes a column of words. */
DEVICE struct column column_open(const struct state *above, struct strays *strays, int k)
{
    struct column column;
    if (words_are_pair(&above->sum[0], &column.above)) {
        strays->mask &= ~(1u << k);
    } else {
        strays->mask |= 1u << k;
        strays->state[k] = *above;
    }
    return column;
}

#if WALK
/* A step of a stray, or one that makes the column a stray; the column may be none afterwards. */
DEVICE_CALL struct column stray_step(struct strays *strays, int k, struct column column, double x, char *out)
{
    if (strays_come_again(strays)) return column;
    struct state above = strays->mask >> k & 1 ? strays->state[k] : state_of_pair(column.above), next = above;
    next.sum[0] = words_add_double(next.sum[0], x, 0);
    if (state_store(EXCLUSIVE ? &above : &next, 0, out)) *strays->failed = 1;
    return column_open(&next, strays, k);
}

/* Adds x to an exact sum; returns whether that is not exact. */
DEVICE int column_add(struct pair *sum, double x)
{
    if (sum->low == 0) {
        double error, high = two_sum(sum->high, x, &error);
        if (error == 0) {
            sum->high = high;
            return 0;
        }
    }
    return pair_add(sum, x);
}

/* Writes the element's result; neither it nor the sum above it is an infinity or NaN. */
DEVICE void column_step(struct column *column, struct strays *strays, int k, element x, char *out)
{
    struct pair next = column->above;
    int lost = column_add(&next, column_number(x));
    if (lost || strays->mask >> k & 1) {
        __align__(8) char stored[8] = {0};
        *column = stray_step(strays, k, *column, column_number(x), stored);
        copy_result(out, stored);
        return;
    }
    pair_store(EXCLUSIVE ? column->above : next, 0, out);
    column->above = next;
}
#endif

#include "near.cuh"
#include "number.cuh"

#include "column_rows.cuh"
#include "column_specials.cuh"

/* Doubles are added in pairs; in chunks only those that lie too far apart for bins. */
#define HAS_BINS (IS_NARROW || (!WALK && !TILES))
#if HAS_BINS
#include "column_bins.cuh"
#endif
#if WALK
#include "column_steps.cuh"
#endif

/* Columns as they begin. */
DEVICE struct trail columns_first(const struct scan_parameters *given, int64_t cell, struct column *columns,
                                  struct strays *strays)
{
    struct trail zeros = {0, 0xffffffffu};
    memset(columns, 0, SIDE * sizeof *columns);
#if !WITH_CARRY
    if (!given->reduce.has_initial) return zeros;
#endif
    (void)zeros;
#pragma unroll
    for (int k = 0; k < SIDE; k++) {
        struct state first = state_first(given, cell + k);
        columns[k] = column_open(&first, strays, k);
    }
    return trail_of(columns, apart_of(columns, strays->mask));
}

#if !WALK
#include "column_total_exact.cuh"
#endif
#if !WALK && !TILES
#include "column_runs.cuh"
#endif
