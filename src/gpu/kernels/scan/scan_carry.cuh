/* SPDX-License-Identifier: MIT
 *
 * scan_carry.cuh - reads the words of scan_carry.h, and writes those of ordered folds. */
#ifndef TALLY_SCAN_CARRY_CUH
#define TALLY_SCAN_CARRY_CUH

#include "scan_carry.h"
#include "scan_parameters.h"

#if defined(METHOD_EXACT)
/* One sum of a cell. */
struct carried_sum {
    const uint64_t *limb;
    int64_t limbs;
    int32_t place;
    uint32_t special;
};

DEVICE struct carried_sum carried_sum_of(const struct scan_parameters *given, int64_t cell, int sum)
{
    int64_t words = given->carry_words / SUMS;
    const uint64_t *from = given->carries + cell * given->carry_words + sum * words;
    struct carried_sum carried = {from + 1, words - 1, (int32_t)(uint32_t)(from[0] >> 32), (uint32_t)from[0]};
    return carried;
}
#else
DEVICE struct FOLD(wide) carried_fold(const struct scan_parameters *given, int64_t cell)
{
    struct FOLD(wide) value = FOLD(wide_identity)();
    const uint64_t *from = given->carries + cell * given->carry_words + 1;
    for (int i = 0; i < FOLD(parts); i++) {
        double real;
        memcpy(&real, &from[i], sizeof real);
        if (FOLD(is_real)) value.part[i] = real;
        else value.part[i] = from[i];
    }
    return value;
}

DEVICE void carried_fold_write(const struct scan_parameters *given, int64_t cell, int some, struct FOLD(wide) value)
{
    uint64_t *to = given->carries_out + cell * given->carry_words;
    to[0] = (uint64_t)some;
    for (int i = 0; i < FOLD(parts); i++)
        to[1 + i] = FOLD(is_real) ? double_bits((double)value.part[i]) : (uint64_t)(int64_t)value.part[i];
}
#endif

#endif
