/* SPDX-License-Identifier: MIT
 *
 * find_row_tmpl.h - EACH_TYPE_TEMPLATE: an ordered type's row of the table that ORDERED_ROW names. No include guard. */
#if !defined(KIND_COMPLEX_TYPE)
[INDEX_EXPAND(TYPE_INDEX_, TYPE)] = TYPE_NAME(ORDERED_ROW),
#endif
