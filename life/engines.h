/* SPDX-License-Identifier: MIT
 *
 * engines.h - the list of engines, the fast ones first. */
#ifndef TALLY_LIFE_ENGINES_H
#define TALLY_LIFE_ENGINES_H

#include "life.h"

extern const struct life_engine *const life_engines[]; /* NULL behind the last */

const struct life_engine *life_engine_named(const char *name); /* or NULL */

/* The first that does the problem on this device. */
const struct life_engine *life_engine_for(tally_context *context, const struct life_problem *problem);

#endif
