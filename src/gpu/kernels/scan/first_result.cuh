/* SPDX-License-Identifier: MIT
 *
 * first_result.cuh - what comes before a cell's first element, where states hold narrow elements as they are. */
#ifndef TALLY_FIRST_RESULT_CUH
#define TALLY_FIRST_RESULT_CUH

#include "finish_fold.cuh"
#include "scan_carry.cuh"

/* As a result, in the lowest bytes. */
DEVICE uint32_t first_result(const struct scan_parameters *given, int64_t cell)
{
    uint32_t result = 0;
#if WITH_CARRY
    struct FOLD(wide) first = carried_fold(given, cell);
#else
    struct FOLD(wide) first = FOLD(wide_identity)();
    if (given->reduce.has_initial) first = fold_of_initial(&given->reduce);
    (void)cell;
#endif
    finish_value(first, (char *)&result);
    return result;
}

#endif
