/* SPDX-License-Identifier: MIT
 *
 * column_runs.cuh - totals of a thread's runs of SIDE columns in chunks, and between which weights their bits lie: for
 * the results (column_run_results.cuh) it is known then whether single doubles do, or bins (column_bins.cuh). Totals
 * are added in the way that did for the warp's chunk before, and asked afterwards. Part of column_exact.cuh. No include
 * guard. */
#include "lanes.cuh"

/* The span of a run, its top above its unit, in one register. */
typedef int32_t seen;

DEVICE seen seen_of(const struct span *span)
{
    return (int32_t)((uint32_t)span->top << 16 | ((uint32_t)span->unit & 0xffff));
}

DEVICE struct span span_of_seen(seen run)
{
    struct span span = {run >> 16, (int32_t)(int16_t)run};
    return span;
}

/* Whether a double holds all numbers, and two such sums. */
DEVICE int span_is_single(const struct span *span)
{
    return !IS_PAIRED && span->top < MOST_TOP && span->top + 1 - span->unit <= 53;
}

/* What a warp has learnt from its chunks: the top of bins that totals are added in, or NO_TOP: in single doubles, or in
 * pairs of those of f64. */
struct learnt {
    int32_t top;
};

enum { TOP_MARGIN = 4 }; /* doublings, so that the next chunk may have larger numbers */

DEVICE void learnt_open(struct learnt *learnt)
{
    learnt->top = NO_TOP;
}

/* Bins for all numbers of the warp, if some need and all allow it. */
DEVICE void learn(struct learnt *learnt, const struct span *span, int is_there)
{
    int is_number = is_there && span->top < MOST_TOP;
    int32_t top = most_of_lanes(is_number && !span_is_single(span) ? span->top : -NO_TOP) + TOP_MARGIN;
    int fits = top > TOP_MARGIN - NO_TOP && (!is_number || unit_fits(top, span->unit));
    learnt->top = __all_sync(FULL_WARP, fits) ? top : NO_TOP;
}

#if IS_PAIRED
/* Totals, and what was seen on the way. */
struct entered {
    struct totals totals;
    struct sizes sizes;
    int exact;
};

/* Of doubles that lie too far apart for bins, and of a warp's first chunk. A call, as registers are dear to bins. */
DEVICE_CALL struct entered totals_in_pairs(const char *from)
{
    struct entered entered;
    struct quick quick[SIDE];
    struct watch watch = watch_begin();
    entered.sizes = sizes_begin();
#pragma unroll
    for (int k = 0; k < SIDE; k++) quick[k] = quick_begin();
#pragma unroll DEPTH
    for (int32_t i = 0; i < RUN; i++) {
        struct side side = side_load(from + i * IN_PITCH);
        sizes_see(&entered.sizes, &side);
#pragma unroll
        for (int k = 0; k < SIDE; k++) quick_add(&quick[k], &watch, row_element(&side, k));
    }
    entered.exact = !watch_failed(&watch, RUN); /* of infinities and NaN, too */
#pragma unroll
    for (int k = 0; k < SIDE; k++) {
        struct pair *sum = &entered.totals.of[k].sum;
        sum->high = two_sum(quick[k].high, quick[k].low, &sum->low);
        entered.exact &= total_fits(sum->high);
    }
    return entered;
}

DEVICE struct sizes totals_without_bins(struct total *totals, const char *from, int *exact)
{
    struct entered entered = totals_in_pairs(from);
#pragma unroll
    for (int k = 0; k < SIDE; k++) totals[k] = entered.totals.of[k];
    *exact = entered.exact;
    return entered.sizes;
}
#else
DEVICE struct sizes totals_without_bins(struct total *totals, const char *from, int *exact)
{
    struct sizes sizes = sizes_begin();
#pragma unroll DEPTH
    for (int32_t i = 0; i < RUN; i++) {
        struct side side = side_load(from + i * IN_PITCH);
        sizes_see(&sizes, &side);
#pragma unroll
        for (int k = 0; k < SIDE; k++) totals[k].sum.high = number_plus(totals[k].sum.high, row_number(&side, k));
    }
    struct span span = span_of_rows(&sizes);
    *exact = span_is_single(&span);
    return sizes;
}
#endif

DEVICE struct sizes totals_in_bins(struct total *totals, const char *from, int32_t top)
{
    struct sizes sizes = sizes_begin();
    struct bins bins[SIDE];
    double offset = offset_of_top(top);
#pragma unroll
    for (int k = 0; k < SIDE; k++) bins[k] = {offset, 0};
#pragma unroll DEPTH
    for (int32_t i = 0; i < RUN; i++) {
        struct side side = side_load(from + i * IN_PITCH);
        sizes_see(&sizes, &side);
#pragma unroll
        for (int k = 0; k < SIDE; k++) bins_add(&bins[k], row_number(&side, k));
    }
#pragma unroll
    for (int k = 0; k < SIDE; k++) totals[k].sum = bins_sum(&bins[k], offset);
    return sizes;
}

/* Where that was not exact. */
DEVICE_CALL struct totals totals_again(const char *from, struct sizes sizes)
{
#if IS_NARROW
    return total_rows_wide(from, RUN, sizes);
#else
    struct totals totals;
    (void)sizes;
    total_rows(totals.of, from, RUN);
    return totals;
#endif
}

/* Totals of a run of rows, absent ones of which are zeros. Every lane of the warp calls it. */
DEVICE seen enter_run(struct total *totals, struct learnt *learnt, const char *from, int is_there)
{
    struct span span = {-NO_TOP, NO_UNIT};
    struct sizes sizes = sizes_begin();
    int in_bins = learnt->top < MOST_TOP, good = 1, apart, done;
    if (is_there) {
        sizes = in_bins ? totals_in_bins(totals, from, learnt->top) : totals_without_bins(totals, from, &good);
        span = span_of_rows(&sizes);
        if (in_bins) good = span.top <= learnt->top && unit_fits(learnt->top, span.unit);
    }
    done = __all_sync(FULL_WARP, good);
    apart = __any_sync(FULL_WARP, !span_is_single(&span));
    if (done && in_bins == (IS_PAIRED || apart)) return seen_of(&span);
    if (!good) {
        struct totals again = totals_again(from, sizes);
#pragma unroll
        for (int k = 0; k < SIDE; k++) totals[k] = again.of[k];
    }
    learn(learnt, &span, is_there);
    return seen_of(&span);
}
