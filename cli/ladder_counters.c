/* SPDX-License-Identifier: MIT
 *
 * ladder_counters.c - tally ladder --counters: this program runs itself under Nsight Compute, once for each rung, with
 * --once, so that the rung's launches are all that it sees. */
#define _POSIX_C_SOURCE 200809L
#include "ladder.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct command {
    char program[COUNTERS_PATH];
    char size[2][32];
    const char *words[24];
};

/* --rows and --columns of a matrix, --size of a vector. */
static void add_size(const struct ladder_climb *climb, struct command *command, int count)
{
    const struct ladder_problem *problem = &climb->problem;
    const bool matrix = climb->ladder->shape == LADDER_PER_ROW || climb->ladder->shape == LADDER_PER_COLUMN;
    snprintf(command->size[0], sizeof command->size[0], "%" PRId64, problem->columns);
    snprintf(command->size[1], sizeof command->size[1], "%" PRId64, problem->rows);
    command->words[count++] = matrix ? "--columns" : "--size";
    command->words[count++] = command->size[0];
    if (matrix) {
        command->words[count++] = "--rows";
        command->words[count++] = command->size[1];
    }
    if (problem->exclusive) command->words[count++] = "--exclusive";
}

static void make_command(const struct ladder_climb *climb, const struct ladder_rung *rung, struct command *command)
{
    const struct ladder_problem *problem = &climb->problem;
    const char *const words[] = {command->program,
                                 "ladder",
                                 climb->ladder->name,
                                 "--once",
                                 "--csv",
                                 "--rung",
                                 rung->name,
                                 "--device",
                                 climb->device.name,
                                 "--type",
                                 ladder_type_name(problem->type),
                                 "--op",
                                 ladder_op_name(problem->op)};
    const int count = (int)(sizeof words / sizeof words[0]);
    memset(command->words, 0, sizeof command->words);
    memcpy(command->words, words, sizeof words);
    add_size(climb, command, count);
}

static bool measure_rung(const struct ladder_climb *climb, const char *ncu, struct command *command,
                         struct ladder_result *result, char why[COUNTERS_WHY])
{
    make_command(climb, result->rung, command);
    result->has_counters = ladder_measure_counters(ncu, command->words, &result->counters, why);
    const bool empty = climb->problem.rows == 0 || climb->problem.columns == 0; /* of no launch nothing is predicted */
    result->has_prediction = result->has_counters && result->rung->predict != NULL && !empty;
    if (result->has_prediction) result->rung->predict(&climb->problem, &result->predicted);
    return result->has_counters;
}

void ladder_measure_all_counters(struct ladder_climb *climb)
{
    char ncu[COUNTERS_PATH], why[COUNTERS_WHY];
    struct command command;
    climb->with_counters = true;
    if (!ladder_find_ncu(ncu, climb->no_counters)) return;
    const ssize_t length = readlink("/proc/self/exe", command.program, sizeof command.program - 1);
    if (length < 0) {
        snprintf(climb->no_counters, sizeof climb->no_counters, "/proc/self/exe does not say where this program is");
        return;
    }
    command.program[length] = '\0';
    for (int i = 0; i < climb->result_count; i++) {
        struct ladder_result *result = &climb->results[i];
        if (result->left_out || result->wrong || measure_rung(climb, ncu, &command, result, why)) continue;
        /* What stops one rung stops the others, too. */
        snprintf(climb->no_counters, sizeof climb->no_counters, "%.200s measures nothing of %s: %.300s", ncu,
                 result->rung->name, why);
        return;
    }
}
