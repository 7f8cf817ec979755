/* SPDX-License-Identifier: MIT
 *
 * fold_real.h - the fold programs of real floats, in their ordinary arithmetic; fold.h says what each definition
 * means. No include guard. */

#define LIFT VALUE
#define COMBINE ADD
#define LANE REAL
#define WIDE REAL
#define PARTS 1
#define FIELD real
#define IDENTITY(s) (s).part[0] = 0
#define LIFTED(s, x, y) (s).part[0] = (x).v
#define COMBINED(a, b) (a).part[0] += (b).part[0]
#define ORDERED
#include FOLD_TEMPLATE
#include "fold_end.h"

#define LIFT MAGNITUDE
#define COMBINE ADD
#define LANE REAL
#define WIDE REAL
#define PARTS 1
#define FIELD real
#define IDENTITY(s) (s).part[0] = 0
#define LIFTED(s, x, y) (s).part[0] = REAL_MAGNITUDE((x).v)
#define COMBINED(a, b) (a).part[0] += (b).part[0]
#define ORDERED
#include FOLD_TEMPLATE
#include "fold_end.h"

#define LIFT SQUARE
#define COMBINE ADD
#define LANE REAL
#define WIDE REAL
#define PARTS 1
#define FIELD real
#define IDENTITY(s) (s).part[0] = 0
#define LIFTED(s, x, y) (s).part[0] = (x).v * (x).v
#define COMBINED(a, b) (a).part[0] += (b).part[0]
#define ORDERED
#include FOLD_TEMPLATE
#include "fold_end.h"

#define LIFT PRODUCT
#define COMBINE ADD
#define LANE REAL
#define WIDE REAL
#define PARTS 1
#define FIELD real
#define IDENTITY(s) (s).part[0] = 0
#define LIFTED(s, x, y) (s).part[0] = (x).v * (y).v
#define COMBINED(a, b) (a).part[0] += (b).part[0]
#define ORDERED
#include FOLD_TEMPLATE
#include "fold_end.h"

#define LIFT NONZERO
#define COMBINE ADD
#define LANE uint32_t
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
#define LANE uint32_t
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
#define LANE uint32_t
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
#define LANE REAL
#define WIDE REAL
#define PARTS 1
#define FIELD real
#define IDENTITY(s) (s).part[0] = 1
#define LIFTED(s, x, y) (s).part[0] = (x).v
#define COMBINED(a, b) (a).part[0] *= (b).part[0]
#define ORDERED
#include FOLD_TEMPLATE
#include "fold_end.h"

#define LIFT VALUE
#define COMBINE MULTIPLY_REAL
#define LANE double
#define WIDE double
#define PARTS 1
#define FIELD real
#define IDENTITY(s) (s).part[0] = 1
#define LIFTED(s, x, y) (s).part[0] = (double)(x).v
#define COMBINED(a, b) (a).part[0] *= (b).part[0]
#define ORDERED
#include FOLD_TEMPLATE
#include "fold_end.h"

/* A NaN on either side stays. */
#define LIFT VALUE
#define COMBINE MINIMUM
#define LANE REAL
#define WIDE REAL
#define PARTS 1
#define FIELD real
#define IDENTITY(s) (s).part[0] = INFINITY
#define LIFTED(s, x, y) (s).part[0] = (x).v
#define COMBINED(a, b) (a).part[0] = (b).part[0] < (a).part[0] || (b).part[0] != (b).part[0] ? (b).part[0] : (a).part[0]
#include FOLD_TEMPLATE
#include "fold_end.h"

#define LIFT VALUE
#define COMBINE MAXIMUM
#define LANE REAL
#define WIDE REAL
#define PARTS 1
#define FIELD real
#define IDENTITY(s) (s).part[0] = -INFINITY
#define LIFTED(s, x, y) (s).part[0] = (x).v
#define COMBINED(a, b) (a).part[0] = (b).part[0] > (a).part[0] || (b).part[0] != (b).part[0] ? (b).part[0] : (a).part[0]
#include FOLD_TEMPLATE
#include "fold_end.h"

#define LIFT MAGNITUDE
#define COMBINE MAXIMUM
#define LANE REAL
#define WIDE REAL
#define PARTS 1
#define FIELD real
#define IDENTITY(s) (s).part[0] = 0
#define LIFTED(s, x, y) (s).part[0] = REAL_MAGNITUDE((x).v)
#define COMBINED(a, b) (a).part[0] = (b).part[0] > (a).part[0] || (b).part[0] != (b).part[0] ? (b).part[0] : (a).part[0]
#include FOLD_TEMPLATE
#include "fold_end.h"

/* The largest x, and the sum of e^x divided by that one's power of two. */
#define LIFT VALUE
#define COMBINE ADD_POWERS
#define LANE REAL
#define WIDE REAL
#define PARTS 2
#define FIELD real
#define IDENTITY(s) ((s).part[0] = -INFINITY, (s).part[1] = 0)
#define LIFTED(s, x, y) ((s).part[0] = (x).v + 0, (s).part[1] = POWER_FACTOR(REAL)((x).v)) /* zeros become +0 */
#define COMBINED(a, b) ADD_POWERS_STEP(REAL)((a).part, (b).part)
#define SUMS_POWERS
#define ORDERED
#include FOLD_TEMPLATE
#include "fold_end.h"

/* Count, mean, sum of squared deviations: Chan, Golub, LeVeque (1979). */
#define LIFT MOMENTS
#define COMBINE ADD
#define LANE REAL
#define WIDE REAL
#define PARTS 3
#define FIELD real
#define IDENTITY(s) ((s).part[0] = 0, (s).part[1] = 0, (s).part[2] = 0)
#define LIFTED(s, x, y) ((s).part[0] = 1, (s).part[1] = (x).v, (s).part[2] = 0)
#define COMBINED(a, b) MOMENTS(REAL)((a).part, (b).part)
#define ORDERED
#define IDENTITY_COUNTS
#include FOLD_TEMPLATE
#include "fold_end.h"
