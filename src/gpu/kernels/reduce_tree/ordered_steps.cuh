/* SPDX-License-Identifier: MIT
 *
 * ordered_steps.cuh - what the nodes of the fixed-shape tree are made of. STEPS_ARE_INLINE: where there is no shorter
 * way than one step after the other. */
#ifndef TALLY_ORDERED_STEPS_CUH
#define TALLY_ORDERED_STEPS_CUH

#include "program.cuh"

#include "finish_fold.cuh"

/* Combining with the identity leaves bits alone, except in these: infinity times its zero part, deviations that
 * overflow. Lanes that a short cell does not reach must then be combined all the same. */
#if defined(PICK_MOMENTS_ADD) || ((defined(ONLY_TYPE_c64) || defined(ONLY_TYPE_c128)) && defined(PICK_VALUE_MULTIPLY))
#define IDENTITY_SHOWS 1
#else
#define IDENTITY_SHOWS 0
#endif

/* A step of powers is long: it is one function, where whole leaves do not go without it. */
#if defined(PICK_VALUE_ADD_POWERS) && !defined(STEPS_ARE_INLINE)
#define STEP_FUNCTION DEVICE_CALL
#else
#define STEP_FUNCTION DEVICE
#endif

STEP_FUNCTION struct FOLD(lane) lane_sum(struct FOLD(lane) a, struct FOLD(lane) b)
{
#if defined(PICK_VALUE_ADD_POWERS) && !defined(STEPS_ARE_INLINE)
    power_real apart = a.part[0] - b.part[0], most = POWERS_MOST;
    int near = a.part[0] < most && a.part[0] > -most && b.part[0] < most && b.part[0] > -most;
    power_real enough = POWERS_APART + ((power_real)fabs(a.part[0]) + (power_real)fabs(b.part[0])) * POWERS_OFF;
    if (near && apart > enough) return a;
    if (near && apart < -enough) return b;
#endif
    FOLD(lane_combine)(&a, b);
    return a;
}

STEP_FUNCTION struct FOLD(wide) wide_sum(struct FOLD(wide) a, struct FOLD(wide) b)
{
    FOLD(wide_combine)(&a, b);
    return a;
}

#endif
