/* SPDX-License-Identifier: MIT
 *
 * fold_row_tmpl.h - FOLD_TEMPLATE of kernels.c: the row of the table for a program that reductions have. No include
 * guard. */
#if !RUNNING_EXPAND(COMBINE)
[INDEX_EXPAND(LIFT_, LIFT)][INDEX_EXPAND(COMBINE_, COMBINE)][INDEX_EXPAND(TYPE_INDEX_, TYPE)] = &PROGRAM_NAME(kernels),
#endif
