/* SPDX-License-Identifier: MIT
 *
 * scan_type_tmpl.h - EACH_TYPE_TEMPLATE of kernels_scan.c: all scan kernels of one type. No include guard. */
#include "fold_load.h"

#if defined(KIND_REAL_TYPE) || defined(KIND_COMPLEX_TYPE)

static void TYPE_NAME(scan_load)(const void *elements, const unsigned char *present, size_t n, int part,
                                 double *restrict values)
{
    const STORAGE *x = elements;
#if defined(KIND_COMPLEX_TYPE)
    for (size_t i = 0; i < n; i++) values[i] = (double)x[2 * i + (size_t)part];
#else
    (void)part;
    for (size_t i = 0; i < n; i++) values[i] = (double)TO_REAL(x[i]);
#endif
    if (!present) return;
    for (size_t i = 0; i < n; i++) values[i] = present[i] ? values[i] : 0;
}

#else

static void TYPE_NAME(scan_load)(const void *elements, const unsigned char *present, size_t n, int64_t *restrict values)
{
    const STORAGE *x = elements;
    for (size_t i = 0; i < n; i++) {
#if defined(KIND_BOOLEAN_TYPE)
        values[i] = x[i] != 0;
#else
        values[i] = (int64_t)x[i];
#endif
    }
    if (!present) return;
    for (size_t i = 0; i < n; i++) values[i] = present[i] ? values[i] : 0;
}

#endif

#define FOLD_TEMPLATE "cpu/scan_fold_tmpl.h"
#include "fold.h"
#undef FOLD_TEMPLATE
