/* SPDX-License-Identifier: MIT
 *
 * small_float.c - encode, decode and the tie test of formats narrower than double. Scaling by powers of two is exact
 * in double for each of them, so the only rounding is the one to the format. */
#include "small_float.h"

#include <math.h>

static int lowest_quantum(small_float format)
{
    return 2 - (1 << (format.exponent_bits - 1)) - format.fraction_bits;
}

/* The exponent of the unit in the last place that a value of this magnitude has in the format. */
static int quantum_of(small_float format, double magnitude)
{
    int exponent = 0;
    (void)frexp(magnitude, &exponent);
    int quantum = exponent - 1 - format.fraction_bits;
    return magnitude > 0 && quantum > lowest_quantum(format) ? quantum : lowest_quantum(format);
}

uint32_t small_float_encode(small_float format, double value)
{
    uint32_t infinity_bits = ((1U << format.exponent_bits) - 1) << format.fraction_bits;
    uint32_t sign = signbit(value) ? 1U << (format.exponent_bits + format.fraction_bits) : 0;
    if (isnan(value)) {
        return infinity_bits | 1U << (format.fraction_bits - 1);
    }
    double magnitude = fabs(value);
    if (isinf(value) || magnitude >= ldexp(1.0, 1 << (format.exponent_bits - 1))) {
        return sign | infinity_bits;
    }
    int quantum = quantum_of(format, magnitude);
    double scaled = ldexp(magnitude, -quantum);
    double units = floor(scaled);
    double rest = scaled - units;
    if (rest > 0.5 || (rest == 0.5 && fmod(units, 2.0) != 0.0)) {
        units += 1.0;
    }
    /* The hidden bit of units carries into the exponent field, and so does a rounding up to the next power of two. */
    uint32_t bits = (uint32_t)units + ((uint32_t)(quantum - lowest_quantum(format)) << format.fraction_bits);
    return sign | (bits < infinity_bits ? bits : infinity_bits);
}

double small_float_decode(small_float format, uint32_t bits)
{
    uint32_t fraction = bits & ((1U << format.fraction_bits) - 1);
    uint32_t exponent = bits >> format.fraction_bits & ((1U << format.exponent_bits) - 1);
    double magnitude;
    if (exponent == (1U << format.exponent_bits) - 1) {
        magnitude = fraction != 0 ? (double)NAN : (double)INFINITY;
    } else if (exponent == 0) {
        magnitude = ldexp((double)fraction, lowest_quantum(format));
    } else {
        fraction |= 1U << format.fraction_bits;
        magnitude = ldexp((double)fraction, lowest_quantum(format) + (int)exponent - 1);
    }
    return bits >> (format.exponent_bits + format.fraction_bits) & 1 ? -magnitude : magnitude;
}

bool small_float_is_tie(small_float format, double value)
{
    double magnitude = fabs(value);
    if (!(magnitude < ldexp(1.0, 1 << (format.exponent_bits - 1)))) {
        return false;
    }
    double scaled = ldexp(magnitude, -quantum_of(format, magnitude));
    return scaled - floor(scaled) == 0.5;
}
