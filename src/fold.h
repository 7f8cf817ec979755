/* SPDX-License-Identifier: MIT
 *
 * fold.h - the fold programs of one type: for each lift and combine that the type has, the C of both steps. Included
 * by an EACH_TYPE_TEMPLATE with FOLD_TEMPLATE naming the file to include once per program. Read by the C compiler and
 * by NVRTC. No include guard.
 *
 *   LIFT, COMBINE   the program's names in op.h
 *   LANE            C type of a part of the state inside a leaf, where a lane takes at most 32 elements
 *   WIDE            C type of a part once the leaf is closed
 *   PARTS           parts of a state
 *   FIELD           the member of fold_value's parts that holds a WIDE
 *   IDENTITY(s)     sets the state s that changes nothing
 *   LIFTED(s, x, y) sets s from elements; x and y are `element`s (fold_load.h): .v, or .re and .im
 *   COMBINED(a, b)  adds b, which follows, to a. Every operand is a plain variable.
 *   ORDERED         defined where the order of elements may show in the bits of reductions: plan.c says when
 *   IDENTITY_COUNTS defined where a state may change when the identity is added once more: zeros' signs, infinities
 *   SUMS_POWERS     defined where the state is a sum of power.h
 *   MODULAR         defined where LIFTED and COMBINED read FOLD_MODULUS, a struct modulus */

#if !defined(KIND_COMPLEX_TYPE) && !defined(KIND_REAL_TYPE)
#include "fold_integer.h"
#elif defined(KIND_REAL_TYPE)
#include "fold_real.h"
#else
#include "fold_complex.h"
#endif
