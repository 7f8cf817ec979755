/* SPDX-License-Identifier: MIT
 *
 * scan_row_tmpl.h - FOLD_TEMPLATE of kernels_scan.c: the row of the table for a program that has a running form. No
 * include guard. */
#if SCANNED_EXPAND(LIFT, COMBINE)
[INDEX_EXPAND(LIFT_, LIFT)][INDEX_EXPAND(COMBINE_, COMBINE)][INDEX_EXPAND(TYPE_INDEX_, TYPE)] = &PROGRAM_NAME(scan),
#endif
