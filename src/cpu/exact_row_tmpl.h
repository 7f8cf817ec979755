/* SPDX-License-Identifier: MIT
 *
 * exact_row_tmpl.h - EACH_TYPE_TEMPLATE: the type's rows of cpu_kernels.exact. No include guard. */
[LIFT_VALUE][INDEX_EXPAND(TYPE_INDEX_, TYPE)] = TYPE_NAME(exact_value),
[LIFT_MAGNITUDE][INDEX_EXPAND(TYPE_INDEX_, TYPE)] = TYPE_NAME(exact_magnitude),
[LIFT_SQUARE][INDEX_EXPAND(TYPE_INDEX_, TYPE)] = TYPE_NAME(exact_square),
[LIFT_PRODUCT][INDEX_EXPAND(TYPE_INDEX_, TYPE)] = TYPE_NAME(exact_product),
[LIFT_MOMENTS][INDEX_EXPAND(TYPE_INDEX_, TYPE)] = TYPE_NAME(exact_moments),
