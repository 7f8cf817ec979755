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

/* Whether a rung has kernels that we know: registers and the like of the library's own are not asked for. */
static inline bool ladder_has_facts(const struct ladder_result *result)
{
    return result->has_times && result->rung->file != NULL;
}

/* ladder_counters.c: has Nsight Compute measure every rung that is right. Where that is not possible,
 * climb->no_counters says why, and the results stay as they are. */
void ladder_measure_all_counters(struct ladder_climb *climb);

/* The numbers that are both measured and predicted, by their names in JSON and CSV. NAN: there is none. */
enum { LADDER_PAIRS = 4 };
extern const char *const ladder_pair_names[LADDER_PAIRS];
void ladder_measured_pairs(const struct ladder_result *result, double measured[LADDER_PAIRS]);
void ladder_predicted_pairs(const struct ladder_result *result, double predicted[LADDER_PAIRS]);

/* Whether any rung has counters. */
bool ladder_has_counters(const struct ladder_climb *climb);

/* ladder_print_counters.c: a table, an object of a result in JSON, and the columns of CSV, each with a comma before. */
void ladder_print_counters(const struct ladder_climb *climb);
void ladder_print_json_counters(const struct ladder_result *result);
void ladder_print_csv_counter_names(void);
void ladder_print_csv_counters(const struct ladder_result *result);

/* To standard output. */
void ladder_print_table(const struct ladder_climb *climb);
void ladder_print_json(const struct ladder_climb *climb);
void ladder_print_csv(const struct ladder_climb *climb);

/* A page of its own; sweep may be NULL. False with io_error(). */
bool ladder_write_page(const struct ladder_climb *climb, const struct ladder_sweep *sweep, const char *file);

/* ladder.c: whether there are kernels on a device of that name; NULL: the first there is. */
bool ladder_check_device(const char *device);

/* ladder_life.c: the ladder of Life has a table and problems of its own. */
int cli_ladder_life(const cli_arguments *arguments);

#endif
