/* SPDX-License-Identifier: MIT
 *
 * ordered_left.cuh - what scans of folds whose order shows know of left operands and results: see docs/semantics.md.
 */
#ifndef TALLY_ORDERED_LEFT_CUH
#define TALLY_ORDERED_LEFT_CUH

#include "finish_fold.cuh"
#include "scan_carry.cuh"

/* A left operand, which may not exist. */
struct left {
    struct FOLD(wide) value;
    int32_t some;
};

DEVICE struct left no_left(void)
{
    struct left none;
    none.value = FOLD(wide_identity)();
    none.some = 0;
    return none;
}

/* a becomes a * b. */
DEVICE void left_append(struct left *a, struct FOLD(wide) b)
{
    if (a->some) FOLD(wide_combine)(&a->value, b);
    else a->value = b;
    a->some = 1;
}

/* What stands left of a cell's first element. */
DEVICE struct left first_left(const struct scan_parameters *given, int64_t cell)
{
    struct left carry = no_left();
#if WITH_CARRY
    if (cell < given->reduce.cells && given->carries[cell * given->carry_words])
        left_append(&carry, carried_fold(given, cell));
#else
    (void)cell;
    if (given->reduce.has_initial) left_append(&carry, fold_of_initial(&given->reduce));
#endif
    return carry;
}

/* For the chunk that follows. */
DEVICE void leave_carry(const struct scan_parameters *given, int64_t cell, const struct left *carry)
{
#if WITH_CARRY
    carried_fold_write(given, cell, carry->some, carry->value);
#else
    (void)given, (void)cell, (void)carry;
#endif
}

/* But for the sign of a zero sum. */
DEVICE void store_result(struct FOLD(wide) value, char *to)
{
    if (FOLD(is_real) && sizeof value.part[0] == sizeof(float) && COMBINE_NUMBER != COMBINE_ADD_POWERS) {
        for (int i = 0; i < FOLD(parts); i++) finish_float((float)value.part[i], i, to);
    } else {
        finish_value(value, to);
    }
}

DEVICE void store_value(struct FOLD(wide) value, char *to)
{
    if (COMBINE_NUMBER == COMBINE_ADD) FOLD(wide_combine)(&value, FOLD(wide_identity)()); /* a zero sum is +0 */
    store_result(value, to);
}

#endif
