/* SPDX-License-Identifier: MIT
 *
 * scan_load_row_tmpl.h - EACH_TYPE_TEMPLATE of kernels_scan.c: the type's rows of the tables of loads. No include
 * guard. */
#if defined(KIND_REAL_TYPE) || defined(KIND_COMPLEX_TYPE)
.load_real[INDEX_EXPAND(TYPE_INDEX_, TYPE)] = TYPE_NAME(scan_load),
#else
.load_word[INDEX_EXPAND(TYPE_INDEX_, TYPE)] = TYPE_NAME(scan_load),
#endif
