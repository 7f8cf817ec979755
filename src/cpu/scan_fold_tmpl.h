/* SPDX-License-Identifier: MIT
 *
 * scan_fold_tmpl.h - FOLD_TEMPLATE of kernels_scan.c: one program's scan on one type. No include guard. */
#if SCANNED_EXPAND(LIFT, COMBINE)

struct PROGRAM_NAME(wide) {
    WIDE part[PARTS];
};

#if FIELD_EXPAND(FIELD)
#include "cpu/scan_group_load_tmpl.h"
#else

ALWAYS_INLINE void PROGRAM_NAME(run_as)(struct fold_value *running, const STORAGE *x, const unsigned char *present,
                                        size_t n, int exclusive, int64_t *values, struct modulus modulus)
{
    struct PROGRAM_NAME(wide) s, before, e;
    (void)modulus;
    s.part[0] = (WIDE)running->part[0].FIELD;
    for (size_t i = 0; i < n; i++) {
        struct TYPE_NAME(element) ex = TYPE_NAME(load)(x, i);
        if (!present || present[i]) LIFTED(e, ex, ex);
        else IDENTITY(e);
        before = s;
        COMBINED(s, e);
        if (values) values[i] = (int64_t)(exclusive ? before : s).part[0];
    }
    running->part[0].FIELD = (int64_t)s.part[0];
}

static void PROGRAM_NAME(run)(struct fold_value *running, const void *x, const unsigned char *present, size_t n,
                              int exclusive, int64_t *values, struct modulus modulus)
{
    if (present) PROGRAM_NAME(run_as)(running, x, present, n, exclusive, values, modulus);
    else if (!values) PROGRAM_NAME(run_as)(running, x, NULL, n, 0, NULL, modulus);
    else if (exclusive) PROGRAM_NAME(run_as)(running, x, NULL, n, 1, values, modulus);
    else PROGRAM_NAME(run_as)(running, x, NULL, n, 0, values, modulus);
}

#endif

#if SCANNED_CELLS_EXPAND(FIELD, COMBINE)

ALWAYS_INLINE void PROGRAM_NAME(cells_as)(void *running, const STORAGE *x, size_t n, int exclusive, void *results,
                                          struct modulus modulus)
{
    SCANNED_WORD(FIELD) *restrict state = running, *restrict values = results;
    (void)modulus;
    for (size_t c = 0; c < n; c++) {
        struct TYPE_NAME(element) ex = TYPE_NAME(load)(x, c);
        struct PROGRAM_NAME(wide) s, before, e;
        s.part[0] = (WIDE)state[c];
        before = s;
        LIFTED(e, ex, ex);
        COMBINED(s, e);
        values[c] = (SCANNED_WORD(FIELD))(exclusive ? before : s).part[0];
        state[c] = (SCANNED_WORD(FIELD))s.part[0];
    }
}

static void PROGRAM_NAME(cells)(void *running, const void *x, size_t n, int exclusive, void *values,
                                struct modulus modulus)
{
    if (exclusive) PROGRAM_NAME(cells_as)(running, x, n, 1, values, modulus);
    else if (n == SCAN_CELLS) PROGRAM_NAME(cells_as)(running, x, SCAN_CELLS, 0, values, modulus);
    else PROGRAM_NAME(cells_as)(running, x, n, 0, values, modulus);
}

#endif

static const struct scan_fold_kernels PROGRAM_NAME(scan) = {
#if SCANNED_CELLS_EXPAND(FIELD, COMBINE)
    .cells = PROGRAM_NAME(cells),
#endif
#if SCANNED_ORDERED_EXPAND(FIELD, COMBINE) && PARTS == 1
    .ordered = GROUP_NAME(cells_row),
#endif
#if FIELD_EXPAND(FIELD)
    .group = PROGRAM_NAME(group),
#else
    .run = PROGRAM_NAME(run),
#endif
};

#endif
