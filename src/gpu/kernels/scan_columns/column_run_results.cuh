/* SPDX-License-Identifier: MIT
 *
 * column_run_results.cuh - the results of a thread's run in chunks, of which entering it has told between which weights
 * its bits lie (column_runs.cuh). Part of column_rest.cuh. No include guard. */

/* The results of a run's rows, all of which are read before they are written over. */
DEVICE void results_single(const struct column *columns, const char *from, char *to)
{
    double sum[SIDE];
#pragma unroll
    for (int k = 0; k < SIDE; k++) sum[k] = columns[k].above.high;
#pragma unroll 1
    for (int32_t i = 0; i < RUN; i += DEPTH) {
        struct side v[DEPTH];
#pragma unroll
        for (int d = 0; d < DEPTH; d++) v[d] = side_load(from + (i + d) * IN_PITCH);
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            struct results results;
#pragma unroll
            for (int k = 0; k < SIDE; k++) {
                double above = sum[k];
                sum[k] = number_plus(above, row_number(&v[d], k));
                finish_bits(nearest(EXCLUSIVE ? above : sum[k]), 0, results.bytes + k * RESULT_SIZE);
            }
            store_results(to + (i + d) * OUT_PITCH, &results);
        }
    }
}

/* A row of columns, whose results are right unless a sum's nearest double is the middle between two; whether one is. */
DEVICE int bins_row_nearly(struct bins *bins, double offset, const struct side *v, struct results *results)
{
    int middle = 0;
#pragma unroll
    for (int k = 0; k < SIDE; k++) {
        struct pair sum = bins_pair(&bins[k], offset);
        bins_add(&bins[k], row_number(v, k));
        if (!EXCLUSIVE) sum = bins_pair(&bins[k], offset);
        double rounded = sum.high + sum.low;
        middle |= RESULT_PART < 8 && is_middle(rounded);
        finish_bits(nearest(rounded), 0, results->bytes + k * RESULT_SIZE);
    }
    return middle;
}

/* Rows that have such sums, once more. */
DEVICE void results_sure(const struct bins *bins, double offset, const struct side *v, char *from, char *to)
{
    struct column columns[SIDE];
#pragma unroll
    for (int k = 0; k < SIDE; k++) columns[k].above = bins_sum(&bins[k], offset);
    if (IN_PLACE) put_back(v, from, DEPTH);
    run_in_bins(columns, offset, from, DEPTH, to);
}

DEVICE void results_in_bins(const struct column *columns, double offset, char *from, char *to)
{
    struct bins bins[SIDE];
#pragma unroll
    for (int k = 0; k < SIDE; k++) bins[k] = bins_of(&columns[k].above, offset);
#pragma unroll 1
    for (int32_t i = 0; i < RUN; i += DEPTH) {
        struct side v[DEPTH];
        struct bins before[SIDE];
        int middle = 0;
#pragma unroll
        for (int d = 0; d < DEPTH; d++) v[d] = side_load(from + (i + d) * IN_PITCH);
#pragma unroll
        for (int k = 0; k < SIDE; k++) before[k] = bins[k];
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            struct results results;
            if (ROUNDS_TWICE) middle |= bins_row_nearly(bins, offset, &v[d], &results);
            else bins_row(bins, offset, &v[d], &results);
            store_results(to + (i + d) * OUT_PITCH, &results);
        }
        if (middle) results_sure(before, offset, v, from + i * IN_PITCH, to + i * OUT_PITCH);
    }
}

#if IS_PAIRED
/* In pairs that tell what they lose. */
DEVICE void results_in_pairs(const struct column *columns, const struct strays *strays, char *from, char *to)
{
    struct column above[SIDE];
    memcpy(above, columns, sizeof above);
    run_in_pairs(above, strays, from, RUN, to);
}
#else
DEVICE void results_in_pairs(const struct column *columns, const struct strays *strays, char *from, char *to)
{
    (void)columns, (void)strays, (void)from, (void)to;
}
#endif

/* The results of a run below columns, unless some of the warp's, or what stands above them (`apart`), are no numbers,
 * or floats that lie far apart. Returns whether that is done. Every lane of the warp calls it. */
DEVICE int leave_run(const struct column *columns, const struct strays *strays, int apart, seen run, char *from,
                     char *to, int is_there)
{
    struct span span = span_of_seen(run);
    int is_single = !apart;
#pragma unroll
    for (int k = 0; k < SIDE; k++) {
        span_see(&span, &columns[k].above);
        is_single &= columns[k].above.low == 0;
    }
    is_single &= span_is_single(&span);
    if (!IS_PAIRED && __all_sync(FULL_WARP, is_single | !is_there)) {
        if (is_there) results_single(columns, from, to);
        return 1;
    }
    if (__all_sync(FULL_WARP, (!apart && span_fits(&span)) | !is_there)) {
        if (is_there) results_in_bins(columns, span_offset(&span), from, to);
        return 1;
    }
    if (!IS_PAIRED || !__all_sync(FULL_WARP, (!apart && span.top < MOST_TOP) | !is_there)) return 0;
    if (is_there) results_in_pairs(columns, strays, from, to);
    return 1;
}
