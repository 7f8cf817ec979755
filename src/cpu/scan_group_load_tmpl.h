/* SPDX-License-Identifier: MIT
 *
 * scan_group_load_tmpl.h - of scan_fold_tmpl.h: elements of one type as the rows of scan_group_tmpl.h, for one real
 * program. No include guard. */

/* The elements of a run, `count` of them; the rest of it becomes the identity. */
ALWAYS_INLINE void PROGRAM_NAME(run_load)(struct GROUP_NAME(row) * row, size_t r, const STORAGE *x,
                                          const unsigned char *present, size_t count)
{
    struct PROGRAM_NAME(wide) identity, e;
    IDENTITY(identity);
    SCAN_ROLLED for (size_t k = 0; k < SCAN_RUN; k++)
    {
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

ALWAYS_INLINE void PROGRAM_NAME(row_load)(struct GROUP_NAME(row) * row, const STORAGE *x, const unsigned char *present,
                                          size_t n)
{
    size_t r = 0;
    for (; r < n / SCAN_RUN; r++) PROGRAM_NAME(run_load)(row, r, x, present, SCAN_RUN);
    if (n % SCAN_RUN != 0) PROGRAM_NAME(run_load)(row, r, x, present, n % SCAN_RUN);
}

static void PROGRAM_NAME(group)(struct scan_block *block, const struct fold_value *base, const void *x,
                                const unsigned char *present, size_t n, int exclusive, union scan_values *values,
                                struct fold_value *total)
{
    struct GROUP_NAME(row) row[SCAN_RUN];
    if (present) PROGRAM_NAME(row_load)(row, x, present, n);
    else PROGRAM_NAME(row_load)(row, x, NULL, n);
    GROUP_NAME(group)(block, base, row, !present, n, exclusive, values, total);
}
