/* SPDX-License-Identifier: MIT
 *
 * fold_row.h - FOLD_TEMPLATE: the row of a table indexed [lift][combine][type] that belongs to the program; FOLD_ROW
 * names its value. No include guard. */
[INDEX_EXPAND(LIFT_, LIFT)][INDEX_EXPAND(COMBINE_, COMBINE)][INDEX_EXPAND(TYPE_INDEX_, TYPE)] = FOLD_ROW,
