/* SPDX-License-Identifier: MIT
 *
 * column_rest.cuh - a run in shared memory from a row on that is not done quickly. Sums are taken in bins, where
 * there are such, or else in pairs of doubles; what these do not hold in pairs that know how far they are off, and in
 * words where these leave a result open. Part of columns_wave.cuh. No include guard. */

/* What stands above the row, in words. */
DEVICE struct state column_state(const struct strays *strays, int k, const struct column *column)
{
    return strays->mask >> k & 1 ? strays->state[k] : state_of_pair(column->above);
}

DEVICE double side_number(const char *from, int k)
{
    return column_number(load_element(from, k));
}

/* Results of a column of `count` rows into `results`, one behind the other; whether all are known. */
DEVICE_CALL int column_near(struct near near, const char *from, int k, int32_t count, char *results)
{
#pragma unroll 1
    for (int32_t i = 0; i < count; i++) {
        struct near above = near;
        near_add(&near, side_number(from + i * IN_PITCH, k));
        if (near_store(EXCLUSIVE ? &above : &near, results + i * RESULT_SIZE)) return 0;
    }
    return 1;
}

/* The same in words, each result where it goes. */
DEVICE_CALL void column_by_words(struct state above, uint32_t *failed, const char *from, int k, int32_t count, char *to)
{
#pragma unroll 1
    for (int32_t i = 0; i < count; i++) {
        __align__(8) char result[8];
        struct state next = above;
        next.sum[0] = words_add_double(next.sum[0], side_number(from + i * IN_PITCH, k), 0);
        if (state_store(EXCLUSIVE ? &above : &next, 0, result)) *failed = 1;
        copy_result(to + i * OUT_PITCH + k * RESULT_SIZE, result);
        above = next;
    }
}

/* `count` rows of all columns, which are all still there. */
DEVICE_CALL void columns_rest(const struct column *columns, const struct strays *strays, const char *from,
                              int32_t count, char *to)
{
#pragma unroll 1
    for (int k = 0; k < SIDE; k++) {
        __align__(8) char results[RUN * RESULT_SIZE];
        struct state above = column_state(strays, k, &columns[k]);
        struct near near;
        if (!near_of_state(&above, &near) || !column_near(near, from, k, count, results)) {
            column_by_words(above, strays->failed, from, k, count, to);
            continue;
        }
#pragma unroll 1
        for (int32_t i = 0; i < count; i++)
            copy_result(to + i * OUT_PITCH + k * RESULT_SIZE, results + i * RESULT_SIZE);
    }
}

/* Rows from `from` on, and zeros behind those that are there. */
DEVICE void load_batch(struct side *v, const char *from, int32_t count)
{
    if (count < DEPTH) memset(v, 0, DEPTH * sizeof *v);
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
        if (d < count) v[d] = side_load(from + d * IN_PITCH);
    }
}

DEVICE struct sizes sizes_of_run(const char *from, int32_t count)
{
    struct sizes sizes = sizes_begin();
#pragma unroll 1
    for (int32_t i = 0; i < count; i += DEPTH) {
        struct side v[DEPTH];
        load_batch(v, from + i * IN_PITCH, ROWS_OF_BATCH(count, i));
#pragma unroll
        for (int d = 0; d < DEPTH; d++) sizes_see(&sizes, &v[d]);
    }
    return sizes;
}

#if HAS_BINS
/* Of what stands above the rows, too. */
DEVICE struct span span_of_run(const struct column *columns, const struct sizes *sizes)
{
    struct span span = span_of_rows(sizes);
#pragma unroll
    for (int k = 0; k < SIDE; k++) span_see(&span, &columns[k].above);
    return span;
}

/* The results of `count` rows, and of those that are absent up to a full batch. */
DEVICE_CALL void run_in_bins(const struct column *columns, double offset, const char *from, int32_t count, char *to)
{
    struct bins bins[SIDE];
#pragma unroll
    for (int k = 0; k < SIDE; k++) bins[k] = bins_of(&columns[k].above, offset);
#pragma unroll 1
    for (int32_t i = 0; i < count; i += DEPTH) {
        struct side v[DEPTH];
        load_batch(v, from + i * IN_PITCH, ROWS_OF_BATCH(count, i));
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            struct results results;
            bins_row(bins, offset, &v[d], &results);
            if (d < ROWS_OF_BATCH(count, i)) store_results(to + (i + d) * OUT_PITCH, &results);
        }
    }
}

/* The same in pairs, as far as these hold the sums, and words behind them. */
DEVICE_CALL void run_in_pairs(const struct column *above, const struct strays *strays, char *from, int32_t count,
                              char *to)
{
    struct column columns[SIDE];
    memcpy(columns, above, sizeof columns);
#pragma unroll 1
    for (int32_t i = 0; i < count; i += DEPTH) {
        struct side v[DEPTH];
        struct column next[SIDE];
#pragma unroll
        for (int k = 0; k < SIDE; k++) next[k] = columns[k];
        load_batch(v, from + i * IN_PITCH, ROWS_OF_BATCH(count, i));
        if (rows_paired(next, v, ROWS_OF_BATCH(count, i), to + i * OUT_PITCH, OUT_PITCH)) {
            if (IN_PLACE) put_back(v, from + i * IN_PITCH, ROWS_OF_BATCH(count, i));
            columns_rest(columns, strays, from + i * IN_PITCH, count - i, to + i * OUT_PITCH);
            return;
        }
#pragma unroll
        for (int k = 0; k < SIDE; k++) columns[k] = next[k];
    }
}
#endif

/* `count` rows of numbers of such sizes that the quick way does not hold. */
DEVICE void numbers_apart(const struct column *columns, const struct strays *strays, const struct sizes *sizes,
                          char *from, int32_t count, char *to)
{
#if HAS_BINS
    if (strays->mask == 0) {
        struct span span = span_of_run(columns, sizes);
        if (span_fits(&span)) run_in_bins(columns, span_offset(&span), from, count, to);
        else run_in_pairs(columns, strays, from, count, to);
        return;
    }
#endif
    (void)sizes;
    columns_rest(columns, strays, from, count, to);
}

#include "column_special_runs.cuh"
#if !TILES
#include "column_run_results.cuh"
#endif
