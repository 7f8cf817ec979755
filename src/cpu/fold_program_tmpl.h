/* SPDX-License-Identifier: MIT
 *
 * fold_program_tmpl.h - FOLD_TEMPLATE of kernels.c: one program's kernels on one type, unless reductions have no such
 * program. No include guard. */
#if !RUNNING_EXPAND(COMBINE)
#if defined(SUMS_POWERS) && WIDENED_EXPAND(TYPE)
#include "cpu/fold_widened_tmpl.h"
#else
#include "cpu/fold_tmpl.h"
#endif
#endif
