/* SPDX-License-Identifier: MIT
 *
 * convert.h - one value into an element of any type: how results and initial values cross types. */
#ifndef TALLY_CONVERT_H
#define TALLY_CONVERT_H

#include "exact.h"
#include "tables.h"

/* The binary format of a real type, or of a complex type's parts. */
struct exact_format convert_format(tally_type type);

/* Whether the 64-bit integer, read as signed or unsigned, lies in an integer type (any type that is not: true). */
int convert_fits(uint64_t bits, int is_signed, tally_type type);

/* An integer: to bool as a truth value, to integers modulo 2^bits, to floats rounded once (imaginary part 0). */
void convert_integer(uint64_t bits, int is_signed, tally_type type, void *out);

/* A real to a float type, rounded once, NaN canonical, imaginary part 0; part 1 writes the imaginary part alone. */
void convert_real(double value, tally_type type, int part, void *out);

/* Bits in a float type's format into a part of an element. */
void convert_bits(uint64_t bits, tally_type type, int part, void *out);

/* An element as a double (its real or imaginary part; integers rounded), or as a 64-bit integer of its own sign. */
double convert_to_real(tally_type type, const void *element, int part);
uint64_t convert_to_integer(tally_type type, const void *element);

/* An element into another type that holds its values (type_holds), or into its own. */
void convert_element(tally_type from, const void *element, tally_type to, void *out);

#endif
