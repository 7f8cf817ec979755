/* SPDX-License-Identifier: MIT
 *
 * fold_integer.h - the fold programs of integers and bool; fold.h says what each definition means. No include guard. */

#if defined(KIND_BOOLEAN_TYPE)
#define INTEGER_VALUE(x) ((x).v != 0)
#else
#define INTEGER_VALUE(x) ((x).v)
#endif
#if defined(KIND_SIGNED_TYPE)
#define INTEGER_MAGNITUDE(x) ((UNSIGNED)((x).v < 0 ? 0 - (UNSIGNED)(x).v : (UNSIGNED)(x).v))
#define INTEGER_NEGATIVE(x) ((x).v < 0)
#else
#define INTEGER_MAGNITUDE(x) ((UNSIGNED)INTEGER_VALUE(x))
#define INTEGER_NEGATIVE(x) 0
#endif
/* Sums and products wrap, so they are taken on unsigned words. */
#define INTEGER_WORD(x) ((uint64_t)(WIDEST)INTEGER_VALUE(x))
#if defined(KIND_SIGNED_TYPE)
#define INTEGER_SIGNED 1
#else
#define INTEGER_SIGNED 0
#endif
#define INTEGER_REMAINDER(x)                                                           \
    (sizeof(UNSIGNED) <= 4 ? modulo_half(FOLD_MODULUS, (uint32_t)INTEGER_MAGNITUDE(x)) \
                           : modulo_word(FOLD_MODULUS, (uint64_t)INTEGER_MAGNITUDE(x)))
#define INTEGER_RESIDUE(x) modulo_signed(FOLD_MODULUS, INTEGER_REMAINDER(x), INTEGER_NEGATIVE(x))

#define LIFT VALUE
#define COMBINE ADD
#define LANE WIDER
#define WIDE uint64_t
#define PARTS 1
#define FIELD integer
#define IDENTITY(s) (s).part[0] = 0
#define LIFTED(s, x, y) (s).part[0] = INTEGER_VALUE(x)
#define COMBINED(a, b) (a).part[0] += (b).part[0]
#include FOLD_TEMPLATE
#include "fold_end.h"

#define LIFT PRODUCT
#define COMBINE ADD
#define LANE uint64_t
#define WIDE uint64_t
#define PARTS 1
#define FIELD integer
#define IDENTITY(s) (s).part[0] = 0
#define LIFTED(s, x, y) (s).part[0] = INTEGER_WORD(x) * INTEGER_WORD(y)
#define COMBINED(a, b) (a).part[0] += (b).part[0]
#include FOLD_TEMPLATE
#include "fold_end.h"

#define LIFT NONZERO
#define COMBINE ADD
#define LANE UNSIGNED
#define WIDE uint64_t
#define PARTS 1
#define FIELD integer
#define IDENTITY(s) (s).part[0] = 0
#define LIFTED(s, x, y) (s).part[0] = (x).v != 0
#define COMBINED(a, b) (a).part[0] += (b).part[0]
#include FOLD_TEMPLATE
#include "fold_end.h"

#define LIFT NONZERO
#define COMBINE OR
#define LANE UNSIGNED
#define WIDE uint64_t
#define PARTS 1
#define FIELD integer
#define IDENTITY(s) (s).part[0] = 0
#define LIFTED(s, x, y) (s).part[0] = (x).v != 0
#define COMBINED(a, b) (a).part[0] |= (b).part[0]
#include FOLD_TEMPLATE
#include "fold_end.h"

#define LIFT NONZERO
#define COMBINE AND
#define LANE UNSIGNED
#define WIDE uint64_t
#define PARTS 1
#define FIELD integer
#define IDENTITY(s) (s).part[0] = 1
#define LIFTED(s, x, y) (s).part[0] = (x).v != 0
#define COMBINED(a, b) (a).part[0] &= (b).part[0]
#include FOLD_TEMPLATE
#include "fold_end.h"

#define LIFT VALUE
#define COMBINE MULTIPLY
#define LANE uint64_t
#define WIDE uint64_t
#define PARTS 1
#define FIELD integer
#define IDENTITY(s) (s).part[0] = 1
#define LIFTED(s, x, y) (s).part[0] = INTEGER_WORD(x)
#define COMBINED(a, b) (a).part[0] *= (b).part[0]
#include FOLD_TEMPLATE
#include "fold_end.h"

#define LIFT VALUE
#define COMBINE MULTIPLY_REAL
#define LANE double
#define WIDE double
#define PARTS 1
#define FIELD real
#define IDENTITY(s) (s).part[0] = 1
#define LIFTED(s, x, y) (s).part[0] = (double)INTEGER_VALUE(x)
#define COMBINED(a, b) (a).part[0] *= (b).part[0]
#define ORDERED
#include FOLD_TEMPLATE
#include "fold_end.h"

/* Magnitude, sign, whether the magnitude of the non-zero factors left 64 bits, whether a factor was zero: an
 * overflow on the way does not matter when a zero makes the product fit again. */
#define LIFT VALUE
#define COMBINE MULTIPLY_CHECKED
#define LANE uint64_t
#define WIDE uint64_t
#define PARTS 4
#define FIELD integer
#define IDENTITY(s) ((s).part[0] = 1, (s).part[1] = 0, (s).part[2] = 0, (s).part[3] = 0)
#define LIFTED(s, x, y)                                                                        \
    ((s).part[3] = (x).v == 0, (s).part[0] = (s).part[3] ? 1 : (uint64_t)INTEGER_MAGNITUDE(x), \
     (s).part[1] = INTEGER_NEGATIVE(x), (s).part[2] = 0)
#define COMBINED(a, b)                                                                      \
    ((a).part[2] |= (b).part[2] | ((b).part[0] > UINT64_MAX / (a).part[0]),                 \
     (a).part[0] = (a).part[2] ? 1 : (a).part[0] * (b).part[0], (a).part[1] ^= (b).part[1], \
     (a).part[3] |= (b).part[3])
#include FOLD_TEMPLATE
#include "fold_end.h"

/* Sums of any length, of elements and of products. */
#define LIFT VALUE
#define COMBINE ADD_WIDE
#define LANE uint64_t
#define WIDE uint64_t
#define PARTS 2
#define FIELD integer
#define IDENTITY(s) ((s).part[0] = 0, (s).part[1] = 0)
#define LIFTED(s, x, y) ((s).part[0] = INTEGER_WORD(x), (s).part[1] = 0 - (uint64_t)INTEGER_NEGATIVE(x))
#define COMBINED(a, b) wide_add_two((a).part, (b).part)
#include FOLD_TEMPLATE
#include "fold_end.h"

#define LIFT PRODUCT
#define COMBINE ADD_WIDE
#define LANE uint64_t
#define WIDE uint64_t
#define PARTS 3
#define FIELD integer
#define IDENTITY(s) ((s).part[0] = 0, (s).part[1] = 0, (s).part[2] = 0)
#define LIFTED(s, x, y) wide_product(INTEGER_WORD(x), INTEGER_WORD(y), INTEGER_SIGNED, (s).part)
#define COMBINED(a, b) wide_add_three((a).part, (b).part)
#include FOLD_TEMPLATE
#include "fold_end.h"

/* Residues. */
#define LIFT VALUE
#define COMBINE ADD_MODULO
#define MODULAR
#define LANE uint64_t
#define WIDE uint64_t
#define PARTS 1
#define FIELD integer
#define IDENTITY(s) (s).part[0] = 0
#define LIFTED(s, x, y) (s).part[0] = INTEGER_RESIDUE(x)
#define COMBINED(a, b) (a).part[0] = modulo_add(FOLD_MODULUS, (a).part[0], (b).part[0])
#include FOLD_TEMPLATE
#include "fold_end.h"

#define LIFT VALUE
#define COMBINE MULTIPLY_MODULO
#define MODULAR
#define LANE uint64_t
#define WIDE uint64_t
#define PARTS 1
#define FIELD integer
#define IDENTITY(s) (s).part[0] = 1
#define LIFTED(s, x, y) (s).part[0] = INTEGER_RESIDUE(x)
#define COMBINED(a, b) (a).part[0] = modulo_multiply(FOLD_MODULUS, (a).part[0], (b).part[0])
#include FOLD_TEMPLATE
#include "fold_end.h"

#define LIFT VALUE
#define COMBINE MINIMUM
#define LANE STORAGE
#define WIDE WIDEST
#define PARTS 1
#define FIELD integer
#define IDENTITY(s) (s).part[0] = HIGHEST
#define LIFTED(s, x, y) (s).part[0] = INTEGER_VALUE(x)
#define COMBINED(a, b) (a).part[0] = (b).part[0] < (a).part[0] ? (b).part[0] : (a).part[0]
#include FOLD_TEMPLATE
#include "fold_end.h"

#define LIFT VALUE
#define COMBINE MAXIMUM
#define LANE STORAGE
#define WIDE WIDEST
#define PARTS 1
#define FIELD integer
#define IDENTITY(s) (s).part[0] = LOWEST
#define LIFTED(s, x, y) (s).part[0] = INTEGER_VALUE(x)
#define COMBINED(a, b) (a).part[0] = (b).part[0] > (a).part[0] ? (b).part[0] : (a).part[0]
#include FOLD_TEMPLATE
#include "fold_end.h"

#define LIFT MAGNITUDE
#define COMBINE MAXIMUM
#define LANE UNSIGNED
#define WIDE uint64_t
#define PARTS 1
#define FIELD integer
#define IDENTITY(s) (s).part[0] = 0
#define LIFTED(s, x, y) (s).part[0] = INTEGER_MAGNITUDE(x)
#define COMBINED(a, b) (a).part[0] = (b).part[0] > (a).part[0] ? (b).part[0] : (a).part[0]
#include FOLD_TEMPLATE
#include "fold_end.h"

/* All ones of the element's own width: wider words keep the sign's extension. */
#define LIFT VALUE
#define COMBINE AND
#define LANE STORAGE
#define WIDE WIDEST
#define PARTS 1
#define FIELD integer
#if defined(KIND_SIGNED_TYPE)
#define IDENTITY(s) (s).part[0] = -1
#else
#define IDENTITY(s) (s).part[0] = HIGHEST
#endif
#define LIFTED(s, x, y) (s).part[0] = INTEGER_VALUE(x)
#define COMBINED(a, b) (a).part[0] &= (b).part[0]
#include FOLD_TEMPLATE
#include "fold_end.h"

#define LIFT VALUE
#define COMBINE OR
#define LANE STORAGE
#define WIDE WIDEST
#define PARTS 1
#define FIELD integer
#define IDENTITY(s) (s).part[0] = 0
#define LIFTED(s, x, y) (s).part[0] = INTEGER_VALUE(x)
#define COMBINED(a, b) (a).part[0] |= (b).part[0]
#include FOLD_TEMPLATE
#include "fold_end.h"

#define LIFT VALUE
#define COMBINE XOR
#define LANE STORAGE
#define WIDE WIDEST
#define PARTS 1
#define FIELD integer
#define IDENTITY(s) (s).part[0] = 0
#define LIFTED(s, x, y) (s).part[0] = INTEGER_VALUE(x)
#define COMBINED(a, b) (a).part[0] ^= (b).part[0]
#include FOLD_TEMPLATE
#include "fold_end.h"

#define LIFT VALUE
#define COMBINE ADD_POWERS
#define LANE double
#define WIDE double
#define PARTS 2
#define FIELD real
#define IDENTITY(s) ((s).part[0] = -INFINITY, (s).part[1] = 0)
#define LIFTED(s, x, y) \
    ((s).part[0] = (double)INTEGER_VALUE(x), (s).part[1] = power_factor_double((double)INTEGER_VALUE(x)))
#define COMBINED(a, b) powers_add_double((a).part, (b).part)
#define SUMS_POWERS
#define ORDERED
#include FOLD_TEMPLATE
#include "fold_end.h"

#undef INTEGER_VALUE
#undef INTEGER_MAGNITUDE
#undef INTEGER_NEGATIVE
#undef INTEGER_WORD
#undef INTEGER_SIGNED
#undef INTEGER_REMAINDER
#undef INTEGER_RESIDUE
