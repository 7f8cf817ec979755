/* SPDX-License-Identifier: MIT
 *
 * scan_group_tmpl.h - the ordered scan of a group, for one real program; scan_state.h has the scheme. No include guard.
 *
 * Elements are kept as rows: row k has the k-th element of every run, so that runs go on side by side in vectors. */

struct PROGRAM_NAME(row) {
    WIDE part[PARTS][SCAN_GROUP_RUNS];
};

/* right[r] = left[r] combined with right[r], for all runs. */
ALWAYS_INLINE void PROGRAM_NAME(row_prepend)(const struct PROGRAM_NAME(row) *restrict left,
                                             struct PROGRAM_NAME(row) *restrict right, int runs)
{
    for (int r = 0; r < runs; r++) {
        struct PROGRAM_NAME(wide) a, b;
        for (int p = 0; p < PARTS; p++) a.part[p] = left->part[p][r], b.part[p] = right->part[p][r];
        COMBINED(a, b);
        for (int p = 0; p < PARTS; p++) right->part[p][r] = a.part[p];
    }
}

/* n elements; the rest of the last run becomes the identity. */
ALWAYS_INLINE void PROGRAM_NAME(row_load)(struct PROGRAM_NAME(row) * row, const STORAGE *x,
                                          const unsigned char *present, size_t n)
{
    struct PROGRAM_NAME(wide) identity, e;
    IDENTITY(identity);
    for (size_t i = 0; i < n; i++) {
        struct TYPE_NAME(element) ex = TYPE_NAME(load)(x, i);
        e = identity;
        if (!present || present[i]) LIFTED(e, ex, ex);
        for (int p = 0; p < PARTS; p++) row[i % SCAN_RUN].part[p][i / SCAN_RUN] = e.part[p];
    }
    for (size_t i = n; i % SCAN_RUN != 0; i++) {
        for (int p = 0; p < PARTS; p++) row[i % SCAN_RUN].part[p][i / SCAN_RUN] = identity.part[p];
    }
}

/* Kogge and Stone's scan over the run totals, then one place on: what stands left of each run within the group. */
ALWAYS_INLINE void PROGRAM_NAME(row_totals)(struct PROGRAM_NAME(row) * total, int runs)
{
    for (int distance = 1; distance < runs; distance *= 2) {
        struct PROGRAM_NAME(row) before = *total, shifted;
        for (int p = 0; p < PARTS; p++) {
            for (int r = distance; r < runs; r++) shifted.part[p][r - distance] = before.part[p][r];
        }
        PROGRAM_NAME(row_prepend)(&before, &shifted, runs - distance);
        for (int p = 0; p < PARTS; p++) {
            for (int r = distance; r < runs; r++) total->part[p][r] = shifted.part[p][r - distance];
        }
    }
}

/* The left operands of all runs; the first run's is missing when base is, and then it gets the identity. */
ALWAYS_INLINE void PROGRAM_NAME(row_bases)(struct PROGRAM_NAME(row) * left, const struct PROGRAM_NAME(row) * total,
                                           const struct fold_value *base, int runs)
{
    struct PROGRAM_NAME(wide) first;
    struct PROGRAM_NAME(row) all;
    IDENTITY(first);
    if (base) {
        for (int p = 0; p < PARTS; p++) first.part[p] = (WIDE)base->part[p].FIELD;
    }
    for (int p = 0; p < PARTS; p++) {
        for (int r = 0; r < runs; r++) all.part[p][r] = first.part[p];
        for (int r = 1; r < runs; r++) left->part[p][r - 1] = total->part[p][r - 1];
    }
    if (base) PROGRAM_NAME(row_prepend)(&all, left, runs - 1);
    for (int p = 0; p < PARTS; p++) {
        for (int r = runs - 1; r > 0; r--) left->part[p][r] = left->part[p][r - 1];
        left->part[p][0] = first.part[p];
    }
}

/* Leaves the place inside the group to the block, for the element that comes next. */
static void PROGRAM_NAME(group_leave)(struct scan_block *block, const struct PROGRAM_NAME(row) * row, size_t n)
{
    for (size_t r = 0; r < n / SCAN_RUN; r++) {
        for (int p = 0; p < PARTS; p++) block->run[r].part[p].FIELD = row[SCAN_RUN - 1].part[p][r];
    }
    if (n % SCAN_RUN == 0) return;
    for (int p = 0; p < PARTS; p++) block->local.part[p].FIELD = row[n % SCAN_RUN - 1].part[p][n / SCAN_RUN];
}

ALWAYS_INLINE void PROGRAM_NAME(group_results)(const struct PROGRAM_NAME(row) * row,
                                               const struct PROGRAM_NAME(row) * left, int has_base, size_t n,
                                               int exclusive, union scan_values *values)
{
    struct PROGRAM_NAME(row) result[SCAN_RUN];
    int runs = (int)((n + SCAN_RUN - 1) / SCAN_RUN);
    for (int k = 0; k < SCAN_RUN; k++) {
        if (exclusive && k == 0) {
            result[k] = *left;
            continue;
        }
        result[k] = row[k - exclusive];
        PROGRAM_NAME(row_prepend)(left, &result[k], runs);
        for (int p = 0; p < PARTS && !has_base; p++) result[k].part[p][0] = row[k - exclusive].part[p][0];
    }
    for (int p = 0; p < PARTS; p++) {
        for (size_t i = 0; i < n; i++) values->real[p][i] = result[i % SCAN_RUN].part[p][i / SCAN_RUN];
    }
}

static void PROGRAM_NAME(group)(struct scan_block *block, const struct fold_value *base, const void *x,
                                const unsigned char *present, size_t n, int exclusive, union scan_values *values,
                                struct fold_value *total)
{
    struct PROGRAM_NAME(row) row[SCAN_RUN], totals, left;
    int runs = (int)((n + SCAN_RUN - 1) / SCAN_RUN);
    if (present) PROGRAM_NAME(row_load)(row, x, present, n);
    else if (n == SCAN_GROUP) PROGRAM_NAME(row_load)(row, x, NULL, SCAN_GROUP);
    else PROGRAM_NAME(row_load)(row, x, NULL, n);
    for (int k = 1; k < SCAN_RUN; k++) PROGRAM_NAME(row_prepend)(&row[k - 1], &row[k], runs);
    totals = row[SCAN_RUN - 1];
    PROGRAM_NAME(row_totals)(&totals, runs);
    for (int p = 0; p < PARTS; p++) total->part[p].FIELD = totals.part[p][runs - 1];
    if (n < SCAN_GROUP) PROGRAM_NAME(group_leave)(block, row, n);
    if (!values) return;
    PROGRAM_NAME(row_bases)(&left, &totals, base, runs);
    if (exclusive) PROGRAM_NAME(group_results)(row, &left, base != NULL, n, 1, values);
    else PROGRAM_NAME(group_results)(row, &left, base != NULL, n, 0, values);
}
