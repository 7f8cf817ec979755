/* SPDX-License-Identifier: MIT
 *
 * column_steps.cuh - exact running sums of rows that a thread walks down. Part of column_exact.cuh. No include guard.
 */

/* What goes through rows again. It is in memory, so that calls find registers free. */
struct batch {
    struct column columns[SIDE];
    struct side v[DEPTH];
    struct trail trail;
    struct special_rows rows[SIDE];
    struct specials specials;
};

/* Rows of numbers. */
DEVICE_CALL void rows_again(struct batch *b, struct strays *strays, int32_t count, char *out, int64_t pitch)
{
#if IS_NARROW
    struct column next[SIDE];
    memcpy(next, b->columns, sizeof next);
    if (strays->mask == 0 && !rows_paired(next, b->v, count, out, pitch)) {
        memcpy(b->columns, next, sizeof next);
        return;
    }
#endif
#pragma unroll 1
    for (int32_t d = 0; d < count; d++, out += pitch) {
#pragma unroll 1
        for (int k = 0; k < SIDE; k++)
            column_step(&b->columns[k], strays, k, side_element(&b->v[d], k), out + k * RESULT_SIZE);
    }
}

/* Makes zeros of infinities and NaN, and notes them. */
DEVICE_CALL void batch_clear(struct batch *b, uint32_t strays)
{
    struct special_rows rows[SIDE];
    struct specials specials = specials_above(b->columns, strays, rows);
#pragma unroll 1
    for (int d = 0; d < DEPTH; d++) {
        if (!side_clear(&b->v[d], &specials)) continue;
#pragma unroll
        for (int k = 0; k < SIDE; k++) special_rows_see(&rows[k], specials_sum(&specials, k), d + EXCLUSIVE);
    }
#pragma unroll
    for (int k = 0; k < SIDE; k++) b->rows[k] = rows[k];
    b->specials = specials;
}

/* The results of infinities and NaN, and the columns below. */
DEVICE_CALL void batch_end(struct batch *b, struct strays *strays, int32_t count, char *out, int64_t pitch)
{
    special_results(b->rows, count, out, pitch);
#pragma unroll
    for (int k = 0; k < SIDE; k++) {
        double sum = specials_sum(&b->specials, k);
        if (sum == 0) continue;
        b->columns[k].above.high = sum;
        b->columns[k].above.low = 0;
        strays->mask &= ~(1u << k);
    }
    b->trail = trail_of(b->columns, apart_of(b->columns, strays->mask));
}

#if IS_NARROW
/* Rows that were not done quickly because of infinities and NaN. */
DEVICE_CALL int rows_cleared(struct batch *b, int32_t count, char *out, int64_t pitch)
{
    struct trail trail = trail_of(b->columns, 0);
    return rows_lost(b->columns, &trail, b->v, count, out, pitch);
}
#endif

/* Rows that the quick way does not hold. */
DEVICE_CALL void rows_apart(struct batch *b, struct strays *strays, int32_t count, char *out, int64_t pitch)
{
    batch_clear(b, strays->mask);
    int32_t numbers = rows_of_numbers(b->rows, count);
    int lost = 1;
#if IS_NARROW
    if (strays->mask == 0 && has_specials(b->rows)) lost = numbers > 0 && rows_cleared(b, numbers, out, pitch);
#endif
    if (lost) rows_again(b, strays, numbers, out, pitch);
    batch_end(b, strays, count, out, pitch);
}

DEVICE void step_rows(struct column *columns, struct strays *strays, struct trail *trail, const struct side *v,
                      int32_t count, char *out, int64_t pitch)
{
    if (!trail->apart && !rows_lost(columns, trail, v, count, out, pitch)) return;
    if (trail->apart == ALL_NAN) {
        nan_rows(count, out, pitch);
        return;
    }
#if IS_NARROW
    if (!trail->apart && !rows_binned(columns, v, count, out, pitch)) {
        trail->least = 0;
        return;
    }
#endif
    struct batch b;
    memcpy(b.columns, columns, sizeof b.columns);
    memcpy(b.v, v, sizeof b.v);
    rows_apart(&b, strays, count, out, pitch);
    *trail = b.trail;
    memcpy(columns, b.columns, sizeof b.columns);
}
