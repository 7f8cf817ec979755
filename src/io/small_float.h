/* SPDX-License-Identifier: MIT
 *
 * small_float.h - binary formats narrower than double, described by their two field widths.
 * number_parse.c rounds decimals to them, number_print.c reads them. */
#ifndef TALLY_IO_SMALL_FLOAT_H
#define TALLY_IO_SMALL_FLOAT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct small_float {
    int exponent_bits;
    int fraction_bits;
} small_float;

static const small_float small_float_f16 = {5, 10};
static const small_float small_float_bf16 = {8, 7};
static const small_float small_float_f32 = {8, 23};

/* The bits of value, rounded once to nearest even. NaN gives the quiet NaN without payload. */
uint32_t small_float_encode(small_float format, double value);

/* Exact. */
double small_float_decode(small_float format, uint32_t bits);

/* Whether value lies exactly half-way between two neighbours of the format (or between the largest and infinity). */
bool small_float_is_tie(small_float format, double value);

#endif
