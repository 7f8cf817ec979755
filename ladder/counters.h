/* SPDX-License-Identifier: MIT
 *
 * counters.h - what a GPU's own counters say of a run, as NVIDIA Nsight Compute (ncu) reads them: the program is found,
 * a command is run under it, and what it printed is added up. */
#ifndef TALLY_LADDER_COUNTERS_H
#define TALLY_LADDER_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define COUNTERS_PATH 1024
#define COUNTERS_WHY 600

/* All launches of a run together. NAN: the program did not say. */
struct ladder_counters {
    uint64_t launches;
    double divergent_branches, bank_conflicts;
    double transactions;                /* sectors of 32 bytes, global memory */
    double dram_percent, issue_percent; /* of the most that memory moves and schedulers issue, weighted by time */
};

/* The program that the environment variable TALLY_NCU names; if it is not set, `ncu` of PATH, of a CUDA toolkit, or of
 * an installation of its own. False: there is none, and `why` says so. */
bool ladder_find_ncu(char path[COUNTERS_PATH], char why[COUNTERS_WHY]);

/* Runs a command (its path first, NULL last) under the program and waits for it; the command's own output goes nowhere.
 * False: `why` says what went wrong, in one line. */
bool ladder_measure_counters(const char *ncu, const char *const command[], struct ladder_counters *counters,
                             char why[COUNTERS_WHY]);

/* The metrics to ask for, with commas between. */
const char *ladder_counter_metrics(void);

/* Adds up what was printed with --csv --print-units base: a line for each launch and metric, behind a line of the
 * columns' names and anything that was printed before. False: it is damaged, or there is nothing; `why` has the line,
 * or the reason that is given there. */
bool ladder_read_counters(FILE *printed, struct ladder_counters *counters, char why[COUNTERS_WHY]);

#endif
