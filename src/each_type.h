/* SPDX-License-Identifier: MIT
 *
 * each_type.h - includes EACH_TYPE_TEMPLATE once per element type, with the type's C names defined. Read by the C
 * compiler and by NVRTC, which compiles for one type at a time: ONLY_TYPE and ONLY_TYPE_<name> are defined then. No
 * include guard.
 *
 *   TYPE          the row's name in dtype.h
 *   KIND_<kind>_TYPE   which of boolean, signed, unsigned, real, complex it is
 *   STORAGE       C type of an element (of a part of it, when complex)
 *   UNSIGNED      integers: unsigned type of the same size
 *   WIDER         integers: holds the sum of 32 elements (64-bit ones wrap)
 *   WIDEST        64-bit integer type of the same sign
 *   LOWEST, HIGHEST   integers: range
 *   REAL          floats: C type of ordinary arithmetic
 *   TO_REAL(v)    floats: stored element to REAL, exactly
 *   PRECISION     floats: bits of a significand */

#if !defined(ONLY_TYPE) || defined(ONLY_TYPE_bool)
#define TYPE bool
#define KIND_BOOLEAN_TYPE
#define STORAGE unsigned char
#define UNSIGNED unsigned char
#define WIDER unsigned char
#define WIDEST uint64_t
#define LOWEST 0
#define HIGHEST 1
#include EACH_TYPE_TEMPLATE
#include "each_type_end.h"
#endif

#if !defined(ONLY_TYPE) || defined(ONLY_TYPE_i8)
#define TYPE i8
#define KIND_SIGNED_TYPE
#define STORAGE signed char
#define UNSIGNED unsigned char
#define WIDER short
#define WIDEST int64_t
#define LOWEST INT8_MIN
#define HIGHEST INT8_MAX
#include EACH_TYPE_TEMPLATE
#include "each_type_end.h"
#endif

#if !defined(ONLY_TYPE) || defined(ONLY_TYPE_i16)
#define TYPE i16
#define KIND_SIGNED_TYPE
#define STORAGE int16_t
#define UNSIGNED uint16_t
#define WIDER int32_t
#define WIDEST int64_t
#define LOWEST INT16_MIN
#define HIGHEST INT16_MAX
#include EACH_TYPE_TEMPLATE
#include "each_type_end.h"
#endif

#if !defined(ONLY_TYPE) || defined(ONLY_TYPE_i32)
#define TYPE i32
#define KIND_SIGNED_TYPE
#define STORAGE int32_t
#define UNSIGNED uint32_t
#define WIDER int64_t
#define WIDEST int64_t
#define LOWEST INT32_MIN
#define HIGHEST INT32_MAX
#include EACH_TYPE_TEMPLATE
#include "each_type_end.h"
#endif

#if !defined(ONLY_TYPE) || defined(ONLY_TYPE_i64)
#define TYPE i64
#define KIND_SIGNED_TYPE
#define STORAGE int64_t
#define UNSIGNED uint64_t
#define WIDER uint64_t
#define WIDEST int64_t
#define LOWEST INT64_MIN
#define HIGHEST INT64_MAX
#include EACH_TYPE_TEMPLATE
#include "each_type_end.h"
#endif

#if !defined(ONLY_TYPE) || defined(ONLY_TYPE_u8)
#define TYPE u8
#define KIND_UNSIGNED_TYPE
#define STORAGE unsigned char
#define UNSIGNED unsigned char
#define WIDER uint16_t
#define WIDEST uint64_t
#define LOWEST 0
#define HIGHEST UINT8_MAX
#include EACH_TYPE_TEMPLATE
#include "each_type_end.h"
#endif

#if !defined(ONLY_TYPE) || defined(ONLY_TYPE_u16)
#define TYPE u16
#define KIND_UNSIGNED_TYPE
#define STORAGE uint16_t
#define UNSIGNED uint16_t
#define WIDER uint32_t
#define WIDEST uint64_t
#define LOWEST 0
#define HIGHEST UINT16_MAX
#include EACH_TYPE_TEMPLATE
#include "each_type_end.h"
#endif

#if !defined(ONLY_TYPE) || defined(ONLY_TYPE_u32)
#define TYPE u32
#define KIND_UNSIGNED_TYPE
#define STORAGE uint32_t
#define UNSIGNED uint32_t
#define WIDER uint64_t
#define WIDEST uint64_t
#define LOWEST 0
#define HIGHEST UINT32_MAX
#include EACH_TYPE_TEMPLATE
#include "each_type_end.h"
#endif

#if !defined(ONLY_TYPE) || defined(ONLY_TYPE_u64)
#define TYPE u64
#define KIND_UNSIGNED_TYPE
#define STORAGE uint64_t
#define UNSIGNED uint64_t
#define WIDER uint64_t
#define WIDEST uint64_t
#define LOWEST 0
#define HIGHEST UINT64_MAX
#include EACH_TYPE_TEMPLATE
#include "each_type_end.h"
#endif

#if !defined(ONLY_TYPE) || defined(ONLY_TYPE_f16)
#define TYPE f16
#define KIND_REAL_TYPE
#define STORAGE uint16_t
#define REAL float
#define TO_REAL(v) f16_to_f32(v)
#define PRECISION 11
#include EACH_TYPE_TEMPLATE
#include "each_type_end.h"
#endif

#if !defined(ONLY_TYPE) || defined(ONLY_TYPE_bf16)
#define TYPE bf16
#define KIND_REAL_TYPE
#define STORAGE uint16_t
#define REAL float
#define TO_REAL(v) bf16_to_f32(v)
#define PRECISION 8
#include EACH_TYPE_TEMPLATE
#include "each_type_end.h"
#endif

#if !defined(ONLY_TYPE) || defined(ONLY_TYPE_f32)
#define TYPE f32
#define KIND_REAL_TYPE
#define STORAGE float
#define REAL float
#define TO_REAL(v) (v)
#define PRECISION 24
#include EACH_TYPE_TEMPLATE
#include "each_type_end.h"
#endif

#if !defined(ONLY_TYPE) || defined(ONLY_TYPE_f64)
#define TYPE f64
#define KIND_REAL_TYPE
#define STORAGE double
#define REAL double
#define TO_REAL(v) (v)
#define PRECISION 53
#include EACH_TYPE_TEMPLATE
#include "each_type_end.h"
#endif

#if !defined(ONLY_TYPE) || defined(ONLY_TYPE_c64)
#define TYPE c64
#define KIND_COMPLEX_TYPE
#define STORAGE float
#define REAL float
#define TO_REAL(v) (v)
#define PRECISION 24
#include EACH_TYPE_TEMPLATE
#include "each_type_end.h"
#endif

#if !defined(ONLY_TYPE) || defined(ONLY_TYPE_c128)
#define TYPE c128
#define KIND_COMPLEX_TYPE
#define STORAGE double
#define REAL double
#define TO_REAL(v) (v)
#define PRECISION 53
#include EACH_TYPE_TEMPLATE
#include "each_type_end.h"
#endif
