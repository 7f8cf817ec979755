/* SPDX-License-Identifier: MIT
 *
 * exact_natural.h - natural numbers of a few 64-bit limbs, for finishing an exact accumulator.
 *
 * Costs are proportional to the limbs in use, which are few unless the data span a wide range: a finishing function
 * runs once per output cell. */
#ifndef TALLY_EXACT_NATURAL_H
#define TALLY_EXACT_NATURAL_H

#include "exact.h"

__extension__ typedef unsigned __int128 uint128;

/* A square of an accumulator has twice its bits; products with counts add a limb. */
#define NATURAL_LIMBS (EXACT_LIMBS + 8)

/* The sum over i < count of limb[i] * 2^(64 (low + i)). The last limb is not zero; zero has no limbs. */
struct natural {
    int32_t low, count;
    uint64_t limb[NATURAL_LIMBS];
};

/* Leading bits of a positive number: (bits + sticky) * 2^exponent with sticky standing for something in (0, 1). */
struct natural_leading {
    uint128 bits;
    int32_t exponent;
    int32_t sticky;
};

/* Reads the size of the accumulated value; returns whether it is negative. a is carried. */
int natural_read(struct natural *r, struct exact *a);

/* How many bits a > 0 has, counted from bit 0 of its first limb. */
int32_t natural_length(const struct natural *a);

/* 64 bits of a from the given bit on; bits that lie outside are zero. */
uint64_t natural_word(const struct natural *a, int32_t bit);

/* Whether any bit of a below the given one is set. */
int natural_any_below(const struct natural *a, int32_t bit);

/* The 128 leading bits of a > 0, the top one set. */
struct natural_leading natural_leading(const struct natural *a);

/* a *= factor. */
void natural_scale(struct natural *a, uint64_t factor);

/* r = a * a. */
void natural_square(struct natural *r, const struct natural *a);

/* a -= b; returns whether b was larger, and then a is spoilt. */
int natural_subtract(struct natural *a, const struct natural *b);

/* floor(n / d) for d of `count` limbs with its top bit set, and n < d * 2^128 of two limbs more; n becomes the
 * remainder. */
uint128 natural_divide(uint64_t *n, const uint64_t *d, int32_t count);

/* floor(sqrt(n)) for n >= 2^124. */
uint64_t natural_square_root(uint128 n);

#endif
