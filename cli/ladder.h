/* SPDX-License-Identifier: MIT
 *
 * ladder.h - how tally ladder shows what it found. */
#ifndef TALLY_CLI_LADDER_H
#define TALLY_CLI_LADDER_H

#include "cli.h"

#include "climb.h"

/* To standard output. */
void ladder_print_table(const struct ladder_climb *climb);
void ladder_print_json(const struct ladder_climb *climb);
void ladder_print_csv(const struct ladder_climb *climb);

#endif
