/* SPDX-License-Identifier: MIT
 *
 * sums.cuh - how many exact sums a calculation keeps, as in state.h: the last takes the squares of LIFT_MOMENTS, the
 * second the imaginary part where there is one. */
#ifndef TALLY_SUMS_CUH
#define TALLY_SUMS_CUH

#if defined(ONLY_TYPE_c64) || defined(ONLY_TYPE_c128)
#define IS_COMPLEX 1
#else
#define IS_COMPLEX 0
#endif
#if defined(ONLY_TYPE_f16) || defined(ONLY_TYPE_bf16) || defined(ONLY_TYPE_f32) || defined(ONLY_TYPE_c64)
#define IS_NARROW 1
#else
#define IS_NARROW 0
#endif
#if IS_NARROW || IS_COMPLEX || defined(ONLY_TYPE_f64)
#define IS_FLOAT 1
#else
#define IS_FLOAT 0
#endif

/* Variances and norms that come of sums in doubles; of short integers words have all of their squares. */
#if (defined(PICK_MOMENTS) || defined(PICK_SQUARE)) && (IS_FLOAT || ELEMENT_BYTES >= 4)
#define HAS_SPREAD 1
#else
#define HAS_SPREAD 0
#endif

#if defined(PICK_MOMENTS)
#define SUMS (2 + IS_COMPLEX)
#elif defined(PICK_VALUE) || defined(PICK_PRODUCT)
#define SUMS (1 + IS_COMPLEX)
#else
#define SUMS 1
#endif

#endif
