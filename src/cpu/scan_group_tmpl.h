/* SPDX-License-Identifier: MIT
 *
 * scan_group_tmpl.h - the ordered scan of a group, for one real program; scan_state.h has the scheme. No include guard.
 *
 * Elements are kept as rows: row k has the k-th element of every run, so that runs go on side by side in vectors. */

struct PROGRAM_NAME(row) {
    WIDE part[PARTS][SCAN_GROUP_RUNS];
};

/* to[r] = left[r] combined with right[r], for all runs. */
ALWAYS_INLINE void PROGRAM_NAME(row_combine)(const struct PROGRAM_NAME(row) * left,
                                             const struct PROGRAM_NAME(row) * right, struct PROGRAM_NAME(row) * to,
                                             int runs)
{
    for (int r = 0; r < runs; r++) {
        struct PROGRAM_NAME(wide) a, b;
        for (int p = 0; p < PARTS; p++) a.part[p] = left->part[p][r], b.part[p] = right->part[p][r];
        COMBINED(a, b);
        for (int p = 0; p < PARTS; p++) to->part[p][r] = a.part[p];
    }
}

/* The elements of a run, `count` of them; the rest of it becomes the identity. */
ALWAYS_INLINE void PROGRAM_NAME(run_load)(struct PROGRAM_NAME(row) * row, size_t r, const STORAGE *x,
                                          const unsigned char *present, size_t count)
{
    struct PROGRAM_NAME(wide) identity, e;
    IDENTITY(identity);
    for (size_t k = 0; k < SCAN_RUN; k++) {
        size_t i = r * SCAN_RUN + k;
        e = identity;
        if (k < count && (!present || present[i])) {
            struct TYPE_NAME(element) ex = TYPE_NAME(load)(x, i);
            LIFTED(e, ex, ex);
#if defined(SUMS_POWERS)
            e.part[1] = 1; /* until row_factors */
#endif
        }
        for (int p = 0; p < PARTS; p++) row[k].part[p][r] = e.part[p];
    }
}

#if defined(SUMS_POWERS)
/* Factors of powers, which take long, in vectors; of absent elements, none. */
ALWAYS_INLINE void PROGRAM_NAME(row_factors)(struct PROGRAM_NAME(row) * row, int runs)
{
    for (int k = 0; k < SCAN_RUN; k++) {
        for (int r = 0; r < runs; r++) row[k].part[1][r] *= POWER_FACTOR(WIDE)(row[k].part[0][r]);
    }
}
#endif

ALWAYS_INLINE void PROGRAM_NAME(row_load)(struct PROGRAM_NAME(row) * row, const STORAGE *x,
                                          const unsigned char *present, size_t n)
{
    size_t r = 0;
    for (; r < n / SCAN_RUN; r++) PROGRAM_NAME(run_load)(row, r, x, present, SCAN_RUN);
    if (n % SCAN_RUN != 0) PROGRAM_NAME(run_load)(row, r, x, present, n % SCAN_RUN);
}

/* Run r - distance combined with run r, where there is one. */
ALWAYS_INLINE void PROGRAM_NAME(totals_step)(const struct PROGRAM_NAME(row) * from, struct PROGRAM_NAME(row) * to,
                                             int distance, int runs)
{
    for (int p = 0; p < PARTS; p++) {
        for (int r = 0; r < distance; r++) to->part[p][r] = from->part[p][r];
    }
    for (int r = distance; r < runs; r++) {
        struct PROGRAM_NAME(wide) a, b;
        for (int p = 0; p < PARTS; p++) a.part[p] = from->part[p][r - distance], b.part[p] = from->part[p][r];
        COMBINED(a, b);
        for (int p = 0; p < PARTS; p++) to->part[p][r] = a.part[p];
    }
}

/* Kogge and Stone's scan over the run totals. */
ALWAYS_INLINE void PROGRAM_NAME(row_totals)(struct PROGRAM_NAME(row) * total, int runs)
{
    struct PROGRAM_NAME(row) other;
    PROGRAM_NAME(totals_step)(total, &other, 1, runs);
    PROGRAM_NAME(totals_step)(&other, total, 2, runs);
    PROGRAM_NAME(totals_step)(total, &other, 4, runs);
    PROGRAM_NAME(totals_step)(&other, total, 8, runs);
    PROGRAM_NAME(totals_step)(total, &other, 16, runs);
    *total = other;
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
    if (base) PROGRAM_NAME(row_combine)(&all, left, left, runs - 1);
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
        PROGRAM_NAME(row_combine)(left, &row[k - exclusive], &result[k], runs);
        for (int p = 0; p < PARTS && !has_base; p++) result[k].part[p][0] = row[k - exclusive].part[p][0];
    }
    for (int p = 0; p < PARTS; p++) {
        double *to = values->real[p]; /* has room for whole runs */
        for (int r = 0; r < runs; r++, to += SCAN_RUN) {
            for (int k = 0; k < SCAN_RUN; k++) to[k] = result[k].part[p][r];
        }
    }
}

#if defined(SUMS_POWERS)
#include "cpu/power_group_tmpl.h"
#endif

ALWAYS_INLINE void PROGRAM_NAME(group_as)(struct scan_block *block, const struct fold_value *base, const void *x,
                                          const unsigned char *present, size_t n, int exclusive,
                                          union scan_values *values, struct fold_value *total)
{
    struct PROGRAM_NAME(row) row[SCAN_RUN], totals, left;
    int runs = (int)((n + SCAN_RUN - 1) / SCAN_RUN);
    PROGRAM_NAME(row_load)(row, x, present, n);
#if defined(SUMS_POWERS)
    if (n == SCAN_GROUP && !present && PROGRAM_NAME(near_group)(row, base, exclusive, values, total)) return;
    PROGRAM_NAME(row_factors)(row, runs);
#endif
    for (int k = 1; k < SCAN_RUN; k++) PROGRAM_NAME(row_combine)(&row[k - 1], &row[k], &row[k], runs);
    totals = row[SCAN_RUN - 1];
    PROGRAM_NAME(row_totals)(&totals, runs);
    for (int p = 0; p < PARTS; p++) total->part[p].FIELD = totals.part[p][runs - 1];
    if (n < SCAN_GROUP) PROGRAM_NAME(group_leave)(block, row, n);
    if (!values) return;
    PROGRAM_NAME(row_bases)(&left, &totals, base, runs);
    PROGRAM_NAME(group_results)(row, &left, base != NULL, n, exclusive, values);
}

static void PROGRAM_NAME(group)(struct scan_block *block, const struct fold_value *base, const void *x,
                                const unsigned char *present, size_t n, int exclusive, union scan_values *values,
                                struct fold_value *total)
{
    if (present || n < SCAN_GROUP) PROGRAM_NAME(group_as)(block, base, x, present, n, exclusive, values, total);
    else PROGRAM_NAME(group_as)(block, base, x, NULL, SCAN_GROUP, exclusive, values, total);
}
