/* SPDX-License-Identifier: MIT
 *
 * column_total_rows.cuh - totals of SIDE columns of a thread's run. Part of column_total_exact.cuh. No include guard.
 */

/* As total_rows, of numbers that lie far apart. */
DEVICE_CALL struct total total_rows_apart(const char *from, int32_t pitch, int32_t count, int k)
{
    struct total total = total_identity();
    int lost = 0;
    for (int32_t i = 0; i < count; i++) lost |= pair_add(&total.sum, column_number(load_element(from + i * pitch, k)));
    return lost || !total_fits(total.sum.high) ? total_lost() : total;
}

/* Of neighbouring columns. */
struct totals {
    struct total of[SIDE];
};

/* SIDE columns of a run, of which rows are present. */
#if IS_PAIRED
/* Infinities and NaN give way to zeros, if there are `specials` that tell of them. */
DEVICE void quick_rows(struct quick *quick, struct watch *watch, const char *from, int32_t present,
                       struct specials *specials)
{
    (void)present;
    *watch = watch_begin();
#pragma unroll
    for (int k = 0; k < SIDE; k++) quick[k] = quick_begin();
#pragma unroll DEPTH
    for (int32_t i = 0; i < ROWS_OF_RUN(present); i++) {
        struct side side = side_load(from + i * IN_PITCH);
        if (specials) side_clear(&side, specials);
#pragma unroll
        for (int k = 0; k < SIDE; k++) quick_add(&quick[k], watch, row_element(&side, k));
    }
}

/* As total_rows, where there are infinities or NaN. */
DEVICE_CALL struct totals total_rows_special(const char *from, int32_t present)
{
    struct totals totals;
    struct specials specials = specials_begin();
    struct quick quick[SIDE];
    struct watch watch;
    quick_rows(quick, &watch, from, present, &specials);
    int failed = watch_failed(&watch, RUN);
#pragma unroll
    for (int k = 0; k < SIDE; k++) {
        struct pair *sum = &totals.of[k].sum;
        double special = specials_sum(&specials, k);
        sum->high = two_sum(quick[k].high, quick[k].low, &sum->low);
        if (special != 0) totals.of[k] = total_special(special);
        else if (failed || !total_fits(sum->high))
            totals.of[k] = total_rows_apart(from, IN_PITCH, ROWS_OF_RUN(present), k);
    }
    return totals;
}

/* The same of numbers that lie far apart, too. */
DEVICE_CALL struct totals total_rows_wide(const char *from, int32_t present, int is_special)
{
    struct totals totals;
    if (is_special) return total_rows_special(from, present);
#pragma unroll 1
    for (int k = 0; k < SIDE; k++) totals.of[k] = total_rows_apart(from, IN_PITCH, ROWS_OF_RUN(present), k);
    return totals;
}

DEVICE void total_rows(struct total *totals, const char *from, int32_t present)
{
    struct quick quick[SIDE];
    struct watch watch;
    quick_rows(quick, &watch, from, present, NULL);
    int failed = watch_failed(&watch, RUN);
    int is_special = 0;
#pragma unroll
    for (int k = 0; k < SIDE; k++) {
        totals[k].sum.high = two_sum(quick[k].high, quick[k].low, &totals[k].sum.low);
        failed |= !total_fits(totals[k].sum.high);
        is_special |= !is_finite(quick[k].high);
    }
    if (!failed) return;
    struct totals wide = total_rows_wide(from, present, is_special);
#pragma unroll
    for (int k = 0; k < SIDE; k++) totals[k] = wide.of[k];
}
#else
/* Whether doubles may have lost something of a run's sums. */
DEVICE int sizes_failed(const struct sizes *sizes)
{
#if defined(ONLY_TYPE_f16)
    return halves_special(&sizes->halves);
#else
    struct watch watch = {sizes_most(sizes), sizes_least(sizes)};
    return watch_failed(&watch, RUN);
#endif
}

/* As total_rows, in bins. */
DEVICE_CALL struct totals total_rows_in_bins(const char *from, int32_t present, double offset)
{
    struct totals totals;
    struct bins bins[SIDE];
    (void)present;
#pragma unroll
    for (int k = 0; k < SIDE; k++) bins[k] = {offset, 0};
#pragma unroll DEPTH
    for (int32_t i = 0; i < ROWS_OF_RUN(present); i++) {
        struct side side = side_load(from + i * IN_PITCH);
#pragma unroll
        for (int k = 0; k < SIDE; k++) bins_add(&bins[k], row_number(&side, k));
    }
#pragma unroll
    for (int k = 0; k < SIDE; k++) totals.of[k].sum = bins_sum(&bins[k], offset);
    return totals;
}

/* As total_rows, where there are infinities or NaN. */
DEVICE_CALL struct totals total_rows_special(const char *from, int32_t present)
{
    struct totals totals;
    struct specials specials = specials_begin();
    struct sizes sizes = sizes_begin();
    (void)present;
#pragma unroll
    for (int k = 0; k < SIDE; k++) totals.of[k] = total_identity();
#pragma unroll DEPTH
    for (int32_t i = 0; i < ROWS_OF_RUN(present); i++) {
        struct side side = side_load(from + i * IN_PITCH);
        side_clear(&side, &specials);
        sizes_see(&sizes, &side);
#pragma unroll
        for (int k = 0; k < SIDE; k++) totals.of[k].sum.high = number_plus(totals.of[k].sum.high, row_number(&side, k));
    }
    int failed = sizes_failed(&sizes);
#pragma unroll
    for (int k = 0; k < SIDE; k++) {
        double special = specials_sum(&specials, k);
        if (special != 0) totals.of[k] = total_special(special);
        else if (failed) totals.of[k] = total_rows_apart(from, IN_PITCH, ROWS_OF_RUN(present), k);
    }
    return totals;
}

/* The same of numbers that single doubles do not hold, too. */
DEVICE_CALL struct totals total_rows_wide(const char *from, int32_t present, struct sizes sizes)
{
    struct totals totals;
    if (sizes_special(&sizes)) return total_rows_special(from, present);
    struct span span = span_of_rows(&sizes);
    if (span_fits(&span)) return total_rows_in_bins(from, present, span_offset(&span));
#pragma unroll
    for (int k = 0; k < SIDE; k++) totals.of[k] = total_rows_apart(from, IN_PITCH, ROWS_OF_RUN(present), k);
    return totals;
}

DEVICE void total_rows(struct total *totals, const char *from, int32_t present)
{
    struct sizes sizes = sizes_begin();
#pragma unroll
    for (int k = 0; k < SIDE; k++) totals[k] = total_identity();
#pragma unroll DEPTH
    for (int32_t i = 0; i < ROWS_OF_RUN(present); i++) {
        struct side side = side_load(from + i * IN_PITCH);
        sizes_see(&sizes, &side);
#pragma unroll
        for (int k = 0; k < SIDE; k++) totals[k].sum.high = number_plus(totals[k].sum.high, row_number(&side, k));
    }
    if (!sizes_failed(&sizes)) return;
    struct totals wide = total_rows_wide(from, present, sizes);
#pragma unroll
    for (int k = 0; k < SIDE; k++) totals[k] = wide.of[k];
}
#endif
