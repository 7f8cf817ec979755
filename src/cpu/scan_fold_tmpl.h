/* SPDX-License-Identifier: MIT
 *
 * scan_fold_tmpl.h - FOLD_TEMPLATE of kernels_scan.c: one program's scan on one type. No include guard. */
#if SCANNED_EXPAND(LIFT, COMBINE)

struct PROGRAM_NAME(wide) {
    WIDE part[PARTS];
};

#if FIELD_EXPAND(FIELD)
#include "cpu/scan_group_tmpl.h"
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

static const struct scan_fold_kernels PROGRAM_NAME(scan) = {
#if FIELD_EXPAND(FIELD)
    .group = PROGRAM_NAME(group),
#else
    .run = PROGRAM_NAME(run),
#endif
};

#endif
