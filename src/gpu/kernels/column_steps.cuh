/* SPDX-License-Identifier: MIT
 *
 * column_steps.cuh - exact running sums of rows that a thread walks down. Part of column_exact.cuh. No include guard.
 */

/* What goes through rows again. */
struct batch {
    struct column columns[SIDE];
    struct side v[DEPTH];
};

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

DEVICE void step_rows(struct column *columns, struct strays *strays, struct trail *trail, const struct side *v,
                      int32_t count, char *out, int64_t pitch)
{
    if (!trail->has_strays && !rows_lost(columns, trail, v, count, out, pitch)) return;
    trail->least = 0;
#if IS_NARROW
    if (!trail->has_strays && !rows_binned(columns, v, count, out, pitch)) return;
#endif
    struct batch b;
    memcpy(b.columns, columns, sizeof b.columns);
    memcpy(b.v, v, sizeof b.v);
    rows_again(&b, strays, count, out, pitch);
    trail->has_strays = strays->mask != 0;
    memcpy(columns, b.columns, sizeof b.columns);
}
