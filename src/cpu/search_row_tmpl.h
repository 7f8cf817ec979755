/* SPDX-License-Identifier: MIT
 *
 * search_row_tmpl.h - EACH_TYPE_TEMPLATE: a float type's row of the table that SEARCH_ROW names. No include guard. */
#if defined(KIND_REAL_TYPE) || defined(KIND_COMPLEX_TYPE)
[INDEX_EXPAND(TYPE_INDEX_, TYPE)] = TYPE_NAME(SEARCH_ROW),
#endif
