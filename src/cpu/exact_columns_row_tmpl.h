/* SPDX-License-Identifier: MIT
 *
 * exact_columns_row_tmpl.h - EACH_TYPE_TEMPLATE: a real type's rows of cpu_kernels.exact_columns. No include guard. */
#if defined(KIND_REAL_TYPE)
[LIFT_VALUE][INDEX_EXPAND(TYPE_INDEX_, TYPE)] = TYPE_NAME(exact_columns_value),
[LIFT_MAGNITUDE][INDEX_EXPAND(TYPE_INDEX_, TYPE)] = TYPE_NAME(exact_columns_magnitude),
#if PRECISION < 53
[LIFT_SQUARE][INDEX_EXPAND(TYPE_INDEX_, TYPE)] = TYPE_NAME(exact_columns_square),
#endif
#endif
