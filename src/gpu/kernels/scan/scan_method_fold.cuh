/* SPDX-License-Identifier: MIT
 *
 * scan_method_fold.cuh - what scan.cu carries along for folds. */
#ifndef TALLY_SCAN_METHOD_CUH
#define TALLY_SCAN_METHOD_CUH

#include "finish_fold.cuh"
#include "scan_carry.cuh"

struct state {
    struct FOLD(wide) total;
};

#define ROUNDS_UNROLL /* of rounds in which lanes pass states on */

DEVICE struct state state_identity(void)
{
    struct state s = {FOLD(wide_identity)()};
    return s;
}

DEVICE struct state state_initial(const struct reduce_parameters *p)
{
    struct state s = state_identity();
    if (p->has_initial) FOLD(wide_combine)(&s.total, fold_of_initial(p));
    return s;
}

/* What comes before a cell's first element. */
DEVICE struct state state_first(const struct scan_parameters *given, int64_t cell)
{
#if WITH_CARRY
    struct state s = {carried_fold(given, cell)};
    return s;
#else
    (void)cell;
    return state_initial(&given->reduce);
#endif
}

DEVICE void state_add(struct state *s, element x)
{
    FOLD(wide_combine)(&s->total, FOLD(widen)(FOLD(lift)(x, x)));
}

DEVICE void state_append(struct state *a, const struct state *b)
{
    FOLD(wide_combine)(&a->total, b->total);
}

/* Writes a running result; FAILED_... or 0. */
DEVICE uint32_t state_store(const struct state *s, int check_only, char *out)
{
#if defined(PICK_VALUE_MULTIPLY_CHECKED)
    return finish_checked_product(s->total, check_only ? 0 : out);
#else
    if (!check_only) finish_value(s->total, out);
    return 0;
#endif
}

#endif
