/* SPDX-License-Identifier: MIT
 *
 * plan.h - from the arguments of a public call to the checked request that an engine carries out. */
#ifndef TALLY_PLAN_H
#define TALLY_PLAN_H

#include "engine.h"

/* A copy of the caller's options with the defaults filled in; checks size and flags for the verb. */
tally_status plan_options(tally_verb verb, const tally_options *options, tally_options *filled);

/* What is computed: method, result type, and whether the operator can do it at all. */
tally_status plan_calculation(tally_verb verb, tally_op op, tally_type type, const tally_options *options,
                              struct calculation *calculation);

/* Where a whole sum modulo a number is known to fit a word, it is taken in one; partials may grow. */
void plan_narrow(struct reduction *reduction);

/* The result's view without data: type, shape, C-order strides. */
tally_status plan_result(tally_verb verb, const struct calculation *calculation, const tally_array *input,
                         const tally_options *options, tally_array *result);

/* Loops over input, second and where; output gives the strides by which cells are addressed, and the address when it
 * has data. Everything is checked but overlap. */
tally_status plan_reduction(const struct calculation *calculation, const tally_array *input,
                            const tally_options *options, const tally_array *output, struct reduction *reduction);

tally_status plan_scan(const struct calculation *calculation, const tally_array *input, const tally_options *options,
                       const tally_array *output, struct scan *scan);

/* Refuses an output of the wrong type, shape or kind, or one that shares memory with an operand; an exact in-place
 * scan passes. */
tally_status plan_check_output(tally_verb verb, const tally_array *result, const tally_array *input,
                               const tally_options *options, const tally_array *output);

#endif
