/* SPDX-License-Identifier: MIT
 *
 * ladder.h - how tally ladder shows what it found. */
#ifndef TALLY_CLI_LADDER_H
#define TALLY_CLI_LADDER_H

#include "cli.h"

#include "climb.h"
#include "sweep.h"

/* Whether the closed form says anything of this number: what timing decides is predicted as 0. */
static inline bool ladder_is_predicted(const struct ladder_result *result, uint64_t predicted)
{
    return result->has_prediction && (predicted > 0 || !result->predicted.timing);
}

/* To standard output. */
void ladder_print_table(const struct ladder_climb *climb);
void ladder_print_json(const struct ladder_climb *climb);
void ladder_print_csv(const struct ladder_climb *climb);

/* A page of its own; sweep may be NULL. False with io_error(). */
bool ladder_write_page(const struct ladder_climb *climb, const struct ladder_sweep *sweep, const char *file);

#endif
