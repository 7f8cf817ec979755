/* SPDX-License-Identifier: MIT
 *
 * fold_complex.h - the fold programs of complex floats, in their parts' ordinary arithmetic; fold.h says what each
 * definition means. No include guard. */

#define LIFT VALUE
#define COMBINE ADD
#define LANE REAL
#define WIDE REAL
#define PARTS 2
#define FIELD real
#define IDENTITY(s) ((s).part[0] = 0, (s).part[1] = 0)
#define LIFTED(s, x, y) ((s).part[0] = (x).re, (s).part[1] = (x).im)
#define COMBINED(a, b) ((a).part[0] += (b).part[0], (a).part[1] += (b).part[1])
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
#define LIFTED(s, x, y) (s).part[0] = (REAL)COMPLEX_MAGNITUDE((x).re, (x).im)
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
#define LIFTED(s, x, y) (s).part[0] = (x).re * (x).re + (x).im * (x).im
#define COMBINED(a, b) (a).part[0] += (b).part[0]
#define ORDERED
#include FOLD_TEMPLATE
#include "fold_end.h"

#define LIFT PRODUCT
#define COMBINE ADD
#define LANE REAL
#define WIDE REAL
#define PARTS 2
#define FIELD real
#define IDENTITY(s) ((s).part[0] = 0, (s).part[1] = 0)
#define LIFTED(s, x, y) \
    ((s).part[0] = (x).re * (y).re - (x).im * (y).im, (s).part[1] = (x).re * (y).im + (x).im * (y).re)
#define COMBINED(a, b) ((a).part[0] += (b).part[0], (a).part[1] += (b).part[1])
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
#define LIFTED(s, x, y) (s).part[0] = (x).re != 0 || (x).im != 0
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
#define LIFTED(s, x, y) (s).part[0] = (x).re != 0 || (x).im != 0
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
#define LIFTED(s, x, y) (s).part[0] = (x).re != 0 || (x).im != 0
#define COMBINED(a, b) (a).part[0] &= (b).part[0]
#include FOLD_TEMPLATE
#include "fold_end.h"

#define LIFT VALUE
#define COMBINE MULTIPLY
#define LANE REAL
#define WIDE REAL
#define PARTS 2
#define FIELD real
#define IDENTITY(s) ((s).part[0] = 1, (s).part[1] = 0)
#define LIFTED(s, x, y) ((s).part[0] = (x).re, (s).part[1] = (x).im)
#define COMBINED(a, b) COMPLEX_MULTIPLY(REAL)((a).part, (b).part)
#define ORDERED
#define IDENTITY_COUNTS
#include FOLD_TEMPLATE
#include "fold_end.h"

#define LIFT MAGNITUDE
#define COMBINE MAXIMUM
#define LANE REAL
#define WIDE REAL
#define PARTS 1
#define FIELD real
#define IDENTITY(s) (s).part[0] = 0
#define LIFTED(s, x, y) (s).part[0] = (REAL)COMPLEX_MAGNITUDE((x).re, (x).im)
#define COMBINED(a, b) (a).part[0] = (b).part[0] > (a).part[0] || (b).part[0] != (b).part[0] ? (b).part[0] : (a).part[0]
#include FOLD_TEMPLATE
#include "fold_end.h"

/* As for reals; the fourth part is the imaginary mean. */
#define LIFT MOMENTS
#define COMBINE ADD
#define LANE REAL
#define WIDE REAL
#define PARTS 4
#define FIELD real
#define IDENTITY(s) ((s).part[0] = 0, (s).part[1] = 0, (s).part[2] = 0, (s).part[3] = 0)
#define LIFTED(s, x, y) ((s).part[0] = 1, (s).part[1] = (x).re, (s).part[2] = 0, (s).part[3] = (x).im)
#define COMBINED(a, b) COMPLEX_MOMENTS(REAL)((a).part, (b).part)
#define ORDERED
#define IDENTITY_COUNTS
#include FOLD_TEMPLATE
#include "fold_end.h"
