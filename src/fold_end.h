/* SPDX-License-Identifier: MIT
 *
 * fold_end.h - undoes the definitions of one program of fold.h. No include guard. */
#undef LIFT
#undef COMBINE
#undef LANE
#undef WIDE
#undef PARTS
#undef FIELD
#undef IDENTITY
#undef LIFTED
#undef COMBINED
#undef MODULAR
#undef SUMS_POWERS
#undef ORDERED
#undef IDENTITY_COUNTS
