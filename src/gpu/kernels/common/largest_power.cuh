/* SPDX-License-Identifier: MIT
 *
 * largest_power.cuh - what the result of a sum of powers follows from beside the sum. No include guard. */

#include "exact_logarithms.cuh"

/* The largest element, and its power in the sum's unit. */
struct largest {
    power_real value;
    double power, inverse;
};

DEVICE struct largest largest_with(power_real value, double power)
{
    struct largest largest = {value, power, inverse_of(power)};
    return largest;
}

DEVICE struct largest largest_of(power_real value)
{
    return largest_with(value, (double)OF_POWERS(power_factor)(value));
}

DEVICE int is_finite(power_real v)
{
    return POWERS_ARE_FLOATS ? (float_bits((float)v) & 0x7f800000u) != 0x7f800000u
                             : ((uint32_t)(double_bits((double)v) >> 32) & 0x7ff00000u) != 0x7ff00000u;
}

/* The result of a sum, if its largest element is finite. */
DEVICE double log_of(double sum, const struct largest *largest)
{
    return (double)largest->value + log_of_sum(quotient(sum, largest->power, largest->inverse));
}
