/* SPDX-License-Identifier: MIT
 *
 * words_of_type.cuh - the words that sums of the type need: see exact_words.cuh. Products have twice the range. */
#ifndef TALLY_WORDS_OF_TYPE_CUH
#define TALLY_WORDS_OF_TYPE_CUH

#if !IS_FLOAT
#define WORDS 4
#define FIXED_LOW 0
#elif defined(ONLY_TYPE_f16)
#define WORDS 3
#define FIXED_LOW (-1)
#elif IS_NARROW && (defined(PICK_VALUE) || (defined(PICK_MAGNITUDE) && !IS_COMPLEX))
#define WORDS 6
#define FIXED_LOW (-3)
#else
#define WORDS 5
#endif

/* A square of a sum, and room to align it with a sum of squares. */
#if defined(LONG_WORDS)
#define NATURAL_LIMBS (LONG_WORDS / 2 + 10)
#else
#define NATURAL_LIMBS (2 * WORDS + 6)
#endif

#endif
