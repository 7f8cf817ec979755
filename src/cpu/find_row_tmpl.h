/* SPDX-License-Identifier: MIT
 *
 * find_row_tmpl.h - EACH_TYPE_TEMPLATE: an ordered type's row of cpu_kernels.find. No include guard. */
#if !defined(KIND_COMPLEX_TYPE)
[INDEX_EXPAND(TYPE_INDEX_, TYPE)] = TYPE_NAME(find),
#endif
