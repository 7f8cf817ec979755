/* SPDX-License-Identifier: MIT
 *
 * scan_ordered_tmpl.h - FOLD_TEMPLATE of kernels_scan.c: the ordered scan of cells side by side, for one real program;
 * scan_state.h has the scheme, scan_group_tmpl.h the same for one cell. Rows are elements, and vectors go over cells.
 * No include guard. */
#if SCANNED_EXPAND(LIFT, COMBINE) && GROUPED_EXPAND(COMBINE) && SCANNED_ORDERED_EXPAND(FIELD, COMBINE) && PARTS == 1

/* to[c] = left[c] combined with right[c], for all cells. */
ALWAYS_INLINE void GROUP_NAME(cells_combine)(const WIDE *left, const WIDE *right, WIDE *to)
{
    for (int c = 0; c < SCAN_CELLS; c++) {
        struct GROUP_NAME(wide) a, b;
        a.part[0] = left[c], b.part[0] = right[c];
        COMBINED(a, b);
        to[c] = a.part[0];
    }
}

/* Ends a run: Kogge and Stone's scan over the totals of runs, of which each level needs its last few. */
ALWAYS_INLINE void GROUP_NAME(cells_close)(struct scan_ordered *cells, int run)
{
    WIDE *base = cells->base.ORDERED_PART(WIDE);
    memcpy(base, cells->local.ORDERED_PART(WIDE), SCAN_CELLS * sizeof *base);
    for (int distance = 1; distance < SCAN_GROUP_RUNS; distance *= 2) {
        WIDE *kept = cells->kept[distance - 1 + run % distance].ORDERED_PART(WIDE), before[SCAN_CELLS];
        memcpy(before, kept, sizeof before);
        memcpy(kept, base, sizeof before);
        if (run >= distance) GROUP_NAME(cells_combine)(before, base, base);
    }
}

ALWAYS_INLINE void GROUP_NAME(cells_step)(struct scan_ordered *cells, int begins, int has_base,
                                          const double *restrict x, int exclusive, double *restrict values)
{
    WIDE *restrict local = cells->local.ORDERED_PART(WIDE), *restrict base = cells->base.ORDERED_PART(WIDE);
    for (int c = 0; c < SCAN_CELLS; c++) {
        struct GROUP_NAME(wide) left, before, now, e;
        left.part[0] = base[c];
        before.part[0] = local[c];
        e.part[0] = (WIDE)x[c];
        now = begins ? e : before;
        if (!begins) COMBINED(now, e);
        local[c] = now.part[0];
        if (!exclusive) before = now;
        else if (begins && !has_base) IDENTITY(before);
        if (has_base && (!exclusive || !begins)) COMBINED(left, before);
        values[c] = (double)(has_base ? left : before).part[0];
    }
}

static void GROUP_NAME(cells_row)(struct scan_ordered *cells, int row, const double *x, int exclusive, double *values)
{
    int begins = row % SCAN_RUN == 0, has_base = row >= SCAN_RUN;
    if (begins && has_base) GROUP_NAME(cells_close)(cells, row / SCAN_RUN - 1);
    if (exclusive) GROUP_NAME(cells_step)(cells, begins, has_base, x, 1, values);
    else if (begins) GROUP_NAME(cells_step)(cells, 1, has_base, x, 0, values);
    else if (has_base) GROUP_NAME(cells_step)(cells, 0, 1, x, 0, values);
    else GROUP_NAME(cells_step)(cells, 0, 0, x, 0, values);
}

#endif
