/* SPDX-License-Identifier: MIT
 *
 * column_special_runs.cuh - a run in shared memory that the quick way does not hold, of numbers alone or with
 * infinities and NaN. What is known of it is in memory, so that calls find registers free. Part of column_rest.cuh. No
 * include guard. */
struct run {
    struct column columns[SIDE];
    struct special_rows rows[SIDE];
    struct sizes sizes;
    const struct strays *strays;
    char *from, *to;
    int32_t count, numbers; /* rows, and those of which numbers have results */
};

/* Whether some elements, or what stands above them, are no numbers. */
DEVICE int run_has_specials(struct run *run)
{
    int above = 0;
#pragma unroll
    for (int k = 0; k < SIDE; k++) above |= !(run->strays->mask >> k & 1) && column_is_special(&run->columns[k]);
    run->sizes = sizes_of_run(run->from, run->count);
    return above || sizes_special(&run->sizes);
}

/* Makes zeros of infinities and NaN, of what stands above, too. */
DEVICE_CALL void run_clear(struct run *run)
{
    struct special_rows rows[SIDE];
    int32_t count = run->count;
#pragma unroll
    for (int k = 0; k < SIDE; k++) run->rows[k] = special_rows_none();
    run->numbers = count;
    if (!run_has_specials(run)) return;
    struct specials specials = specials_above(run->columns, run->strays->mask, rows);
    struct sizes sizes = sizes_begin();
#pragma unroll 1
    for (int32_t i = 0; i < count; i++) {
        char *from = run->from + i * IN_PITCH;
        struct side side = side_load(from);
        uint32_t seen = side_clear(&side, &specials);
        sizes_see(&sizes, &side);
        if (!seen) continue;
        side_store(from, &side);
#pragma unroll
        for (int k = 0; k < SIDE; k++) special_rows_see(&rows[k], specials_sum(&specials, k), i + EXCLUSIVE);
    }
#pragma unroll
    for (int k = 0; k < SIDE; k++) run->rows[k] = rows[k];
    run->sizes = sizes;
    run->numbers = rows_of_numbers(rows, count);
}

DEVICE_CALL void run_specials(const struct run *run)
{
    special_results(run->rows, run->count, run->to, OUT_PITCH);
}

/* Elsewhere than in shared memory, elements stay as they are. Calls are no deeper than without infinities and NaN: each
 * level keeps registers from the caller, whom they are dear to. */
DEVICE_CALL void run_apart(const struct column *columns, const struct strays *strays, char *from, int32_t count,
                           char *to)
{
    struct run run;
    int is_nan = strays->mask == 0;
#pragma unroll
    for (int k = 0; k < SIDE; k++) is_nan &= columns[k].above.high != columns[k].above.high;
    if (is_nan) {
        nan_rows(count, to, OUT_PITCH);
        return;
    }
    memcpy(run.columns, columns, sizeof run.columns);
    run.strays = strays;
    run.from = from;
    run.to = to;
    run.count = count;
    run_clear(&run);
    if (run.numbers > 0) numbers_apart(run.columns, run.strays, &run.sizes, run.from, run.numbers, run.to);
    run_specials(&run);
}

#if HAS_BINS
/* Whether bins hold the rows, as nearly always: infinities and NaN, also above the rows, are too large for them. */
DEVICE_CALL int run_binned(const struct column *columns, const char *from, int32_t count, char *to)
{
    struct sizes sizes = sizes_of_run(from, count);
    struct span span = span_of_run(columns, &sizes);
    if (!span_fits(&span)) return 0;
    run_in_bins(columns, span_offset(&span), from, count, to);
    return 1;
}
#endif

/* `count` rows that the quick way does not hold. */
DEVICE void columns_apart(const struct column *columns, const struct strays *strays, char *from, int32_t count,
                          char *to)
{
#if HAS_BINS
    if (strays->mask == 0 && run_binned(columns, from, count, to)) return;
#endif
    if (!strays_come_again(strays)) run_apart(columns, strays, from, count, to);
}
