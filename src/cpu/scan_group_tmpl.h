/* SPDX-License-Identifier: MIT
 *
 * scan_group_tmpl.h - FOLD_TEMPLATE of kernels_scan.c: the ordered scan of a group, for one real program; scan_state.h
 * has the scheme. It knows no type of elements, which scan_group_load_tmpl.h makes rows of, so programs of all types
 * whose values are the same share it: GROUP_NAME says which. No include guard.
 *
 * Elements are kept as rows: row k has the k-th element of every run, so that runs go on side by side in vectors. */
#if FIELD_EXPAND(FIELD) && SCANNED_EXPAND(LIFT, COMBINE) && GROUPED_EXPAND(COMBINE)

struct GROUP_NAME(wide) {
    WIDE part[PARTS];
};

struct GROUP_NAME(row) {
    WIDE part[PARTS][SCAN_GROUP_RUNS];
};

/* to[r] = left[r] combined with right[r], for all runs. */
ALWAYS_INLINE void GROUP_NAME(row_combine)(const struct GROUP_NAME(row) * left, const struct GROUP_NAME(row) * right,
                                           struct GROUP_NAME(row) * to, int runs)
{
    for (int r = 0; r < runs; r++) {
        struct GROUP_NAME(wide) a, b;
        for (int p = 0; p < PARTS; p++) a.part[p] = left->part[p][r], b.part[p] = right->part[p][r];
        COMBINED(a, b);
        for (int p = 0; p < PARTS; p++) to->part[p][r] = a.part[p];
    }
}

#if defined(SUMS_POWERS)
/* Factors of powers, which take long, in vectors; of absent elements, none. */
ALWAYS_INLINE void GROUP_NAME(row_factors)(struct GROUP_NAME(row) * row, int runs)
{
    SCAN_ROLLED for (int k = 0; k < SCAN_RUN; k++)
    {
        for (int r = 0; r < runs; r++) row[k].part[1][r] *= POWER_FACTOR(WIDE)(row[k].part[0][r]);
    }
}
#endif

/* Run r - distance combined with run r, where there is one. */
ALWAYS_INLINE void GROUP_NAME(totals_step)(const struct GROUP_NAME(row) * from, struct GROUP_NAME(row) * to,
                                           int distance, int runs)
{
    for (int p = 0; p < PARTS; p++) {
        for (int r = 0; r < distance && r < runs; r++) to->part[p][r] = from->part[p][r];
    }
    for (int r = distance; r < runs; r++) {
        struct GROUP_NAME(wide) a, b;
        for (int p = 0; p < PARTS; p++) a.part[p] = from->part[p][r - distance], b.part[p] = from->part[p][r];
        COMBINED(a, b);
        for (int p = 0; p < PARTS; p++) to->part[p][r] = a.part[p];
    }
}

/* Kogge and Stone's scan over the run totals. */
ALWAYS_INLINE void GROUP_NAME(row_totals)(struct GROUP_NAME(row) * total, int runs)
{
    struct GROUP_NAME(row) other;
    GROUP_NAME(totals_step)(total, &other, 1, runs);
    GROUP_NAME(totals_step)(&other, total, 2, runs);
    GROUP_NAME(totals_step)(total, &other, 4, runs);
    GROUP_NAME(totals_step)(&other, total, 8, runs);
    GROUP_NAME(totals_step)(total, &other, 16, runs);
    *total = other;
}

/* The left operands of all runs; the first run's is missing when base is, and then it gets the identity. */
ALWAYS_INLINE void GROUP_NAME(row_bases)(struct GROUP_NAME(row) * left, const struct GROUP_NAME(row) * total,
                                         const struct fold_value *base, int runs)
{
    struct GROUP_NAME(wide) first;
    struct GROUP_NAME(row) all;
    IDENTITY(first);
    if (base) {
        for (int p = 0; p < PARTS; p++) first.part[p] = (WIDE)base->part[p].FIELD;
    }
    for (int p = 0; p < PARTS; p++) {
        for (int r = 0; r < runs; r++) all.part[p][r] = first.part[p];
        for (int r = 1; r < runs; r++) left->part[p][r - 1] = total->part[p][r - 1];
    }
    if (base) GROUP_NAME(row_combine)(&all, left, left, runs - 1);
    for (int p = 0; p < PARTS; p++) {
        for (int r = runs - 1; r > 0; r--) left->part[p][r] = left->part[p][r - 1];
        left->part[p][0] = first.part[p];
    }
}

/* Leaves the place inside the group to the block, for the element that comes next. */
static void GROUP_NAME(group_leave)(struct scan_block *block, const struct GROUP_NAME(row) * row, size_t n)
{
    for (size_t r = 0; r < n / SCAN_RUN; r++) {
        for (int p = 0; p < PARTS; p++) block->run[r].part[p].FIELD = row[SCAN_RUN - 1].part[p][r];
    }
    if (n % SCAN_RUN == 0) return;
    for (int p = 0; p < PARTS; p++) block->local.part[p].FIELD = row[n % SCAN_RUN - 1].part[p][n / SCAN_RUN];
}

ALWAYS_INLINE void GROUP_NAME(group_results)(const struct GROUP_NAME(row) * row, const struct GROUP_NAME(row) * left,
                                             int has_base, size_t n, int exclusive, union scan_values *values)
{
    struct GROUP_NAME(row) result[SCAN_RUN];
    int runs = (int)((n + SCAN_RUN - 1) / SCAN_RUN);
    SCAN_ROLLED for (int k = 0; k < SCAN_RUN; k++)
    {
        if (exclusive && k == 0) {
            result[k] = *left;
            continue;
        }
        GROUP_NAME(row_combine)(left, &row[k - exclusive], &result[k], runs);
        for (int p = 0; p < PARTS && !has_base; p++) result[k].part[p][0] = row[k - exclusive].part[p][0];
    }
    for (int p = 0; p < PARTS; p++) {
        double *to = values->real[p]; /* has room for whole runs */
        for (int r = 0; r < runs; r++, to += SCAN_RUN) {
            SCAN_ROLLED for (int k = 0; k < SCAN_RUN; k++) to[k] = result[k].part[p][r];
        }
    }
}

#if defined(SUMS_POWERS)
#include "cpu/power_group_tmpl.h"
#endif

ALWAYS_INLINE void GROUP_NAME(group_as)(struct scan_block *block, const struct fold_value *base,
                                        struct GROUP_NAME(row) * row, size_t n, int exclusive,
                                        union scan_values *values, struct fold_value *total)
{
    struct GROUP_NAME(row) totals, left;
    int runs = n < SCAN_GROUP ? (int)((n + SCAN_RUN - 1) / SCAN_RUN) : SCAN_GROUP_RUNS;
#if defined(SUMS_POWERS)
    GROUP_NAME(row_factors)(row, runs);
#endif
    SCAN_ROLLED for (int k = 1; k < SCAN_RUN; k++) GROUP_NAME(row_combine)(&row[k - 1], &row[k], &row[k], runs);
    totals = row[SCAN_RUN - 1];
    GROUP_NAME(row_totals)(&totals, runs);
    for (int p = 0; p < PARTS; p++) total->part[p].FIELD = totals.part[p][runs - 1];
    if (n < SCAN_GROUP) GROUP_NAME(group_leave)(block, row, n);
    if (!values) return;
    GROUP_NAME(row_bases)(&left, &totals, base, runs);
    GROUP_NAME(group_results)(row, &left, base != NULL, n, exclusive, values);
}

/* The rows of a group's n elements, which become sums; all_present: none of them is the identity in place of one. */
static void GROUP_NAME(group)(struct scan_block *block, const struct fold_value *base, struct GROUP_NAME(row) * row,
                              int all_present, size_t n, int exclusive, union scan_values *values,
                              struct fold_value *total)
{
    if (!all_present || n < SCAN_GROUP) {
        GROUP_NAME(group_as)(block, base, row, n, exclusive, values, total);
        return;
    }
#if defined(SUMS_POWERS)
    if (GROUP_NAME(near_group)(row, base, exclusive, values, total)) return;
#endif
    GROUP_NAME(group_as)(block, base, row, SCAN_GROUP, exclusive, values, total);
}

#endif
