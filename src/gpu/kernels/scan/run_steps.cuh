/* SPDX-License-Identifier: MIT
 *
 * run_steps.cuh - the elements of a lane's run, in an ordered scan, and what stands left of them. Before it come struct
 * run and run_element(run, i). No include guard. */

/* Whether the identity may stand for a left operand that does not exist: the results have the same bits. */
#define IDENTITY_IS_NONE                                                      \
    (COMBINE_NUMBER == COMBINE_ADD || COMBINE_NUMBER == COMBINE_ADD_POWERS || \
     COMBINE_NUMBER == COMBINE_MULTIPLY_REAL || (COMBINE_NUMBER == COMBINE_MULTIPLY && ELEMENT_KIND != KIND_COMPLEX))

DEVICE void left_prepare(struct left *left)
{
    /* -0 becomes +0, so that no sum is -0 */
    if (COMBINE_NUMBER == COMBINE_ADD) FOLD(wide_combine)(&left->value, FOLD(wide_identity)());
    if (IDENTITY_IS_NONE) left->some = 1;
}

/* Behind the end of the axis there is whatever lies there: nothing comes from it that is kept. */
DEVICE struct FOLD(lane) lifted(const struct run *run, int i)
{
    element x = run_element(run, i);
    return SKIP_NAN && element_is_nan(x) ? FOLD(lane_identity)() : FOLD(lift)(x, x);
}
