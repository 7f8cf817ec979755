/* SPDX-License-Identifier: MIT
 *
 * each_type_end.h - undoes the definitions of one type in each_type.h. No include guard. */
#undef TYPE
#undef KIND_BOOLEAN_TYPE
#undef KIND_SIGNED_TYPE
#undef KIND_UNSIGNED_TYPE
#undef KIND_REAL_TYPE
#undef KIND_COMPLEX_TYPE
#undef STORAGE
#undef UNSIGNED
#undef WIDER
#undef WIDEST
#undef LOWEST
#undef HIGHEST
#undef REAL
#undef TO_REAL
#undef PRECISION
