/* SPDX-License-Identifier: MIT
 *
 * number.h - one element as text and back: parsing is correctly rounded to the element's own type (once, never through
 * a wider type), printing is the shortest text that parses back to the same bits. Both ignore the locale. */
#ifndef TALLY_IO_NUMBER_H
#define TALLY_IO_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tally.h>

typedef enum io_number_status {
    IO_NUMBER_OK,
    IO_NUMBER_MALFORMED, /* not a number of this type */
    IO_NUMBER_RANGE      /* a number, but outside the type */
} io_number_status;

/* Parses text[0 .. length). text[length] must be readable and must not continue a number (a separator, '\0').
 * Floats: decimal with optional exponent, nan, inf, infinity in any case, with a sign. Integers: digits with a sign.
 * Booleans: 0, 1, true, false. Complex: 1, 2j, 1+2j. *element is untouched unless the status is IO_NUMBER_OK. */
io_number_status io_number_parse(const char *text, size_t length, tally_type type, void *element);

/* What io_number_parse takes for the type, for messages: "a number", "an integer", ... */
const char *io_number_expected(tally_type type);

enum { IO_NUMBER_ROOM = 96 };

/* Writes the shortest text that parses back, with a final '\0'; returns its length. */
size_t io_number_print(tally_type type, const void *element, char text[IO_NUMBER_ROOM]);

/* The same as a JSON value: numbers, true, false; "nan", "inf", "-inf" as strings; complex as [real, imaginary]. */
size_t io_number_print_json(tally_type type, const void *element, char text[IO_NUMBER_ROOM]);

/* An element of a float type as a double (exact), and back (one rounding to nearest even). */
double io_float_value(tally_type type, const void *element);

bool io_type_is_complex(tally_type type);
bool io_type_is_float(tally_type type);

#endif
