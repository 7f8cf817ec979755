/* SPDX-License-Identifier: MIT
 *
 * reduce.h - what the reductions' table (reduce.c), their runs (reduce_run.c) and their closed forms (reduce_counts.c)
 * share. */
#ifndef TALLY_LADDER_REDUCE_H
#define TALLY_LADDER_REDUCE_H

#include "ladder.h"

#define REDUCE_THREADS 256 /* of a block, as kernels are compiled */
#define REDUCE_TILE 32

/* A grid of limited size: blocks of reduce_atomic_finish. */
#define REDUCE_MOST_BLOCKS 2048

#define REDUCE_FAN_IN 8 /* when the problem has none */

static inline int64_t reduce_fan_in(const struct ladder_problem *problem)
{
    return problem->fan_in ? problem->fan_in : REDUCE_FAN_IN;
}

/* Runs. One or two elements for each thread and a result for each block; a result for each tile; one result in all; a
 * pyramid; tally's own. */
tally_status reduce_run_one(const struct ladder_run *run);
tally_status reduce_run_two(const struct ladder_run *run);
tally_status reduce_run_tiles(const struct ladder_run *run);
tally_status reduce_run_atomic(const struct ladder_run *run);
tally_status reduce_run_fan_in(const struct ladder_run *run);
tally_status reduce_run_fan_in_2(const struct ladder_run *run);
tally_status reduce_run_fan_in_4(const struct ladder_run *run);
tally_status reduce_run_fan_in_8(const struct ladder_run *run);
tally_status reduce_run_fan_in_16(const struct ladder_run *run);
tally_status reduce_run_special_2(const struct ladder_run *run);
tally_status reduce_run_special_4(const struct ladder_run *run);
tally_status reduce_run_library(const struct ladder_run *run);

/* Memory for the results of passes, enough for passes that divide the length by as much. */
size_t reduce_scratch_2(const struct ladder_problem *problem);
size_t reduce_scratch_64(const struct ladder_problem *problem);

void reduce_predict_modulo(const struct ladder_problem *problem, struct ladder_counts *counts); /* bitmask, too */
void reduce_predict_strided(const struct ladder_problem *problem, struct ladder_counts *counts);
void reduce_predict_sequential(const struct ladder_problem *problem, struct ladder_counts *counts);
void reduce_predict_add_on_load(const struct ladder_problem *problem, struct ladder_counts *counts);
void reduce_predict_unrolled(const struct ladder_problem *problem, struct ladder_counts *counts); /* and the warp */
void reduce_predict_shuffle(const struct ladder_problem *problem, struct ladder_counts *counts);
void reduce_predict_tiles(const struct ladder_problem *problem, struct ladder_counts *counts);
void reduce_predict_atomic(const struct ladder_problem *problem, struct ladder_counts *counts);
void reduce_predict_fan_in(const struct ladder_problem *problem, struct ladder_counts *counts);
void reduce_predict_fan_in_2(const struct ladder_problem *problem, struct ladder_counts *counts);
void reduce_predict_fan_in_4(const struct ladder_problem *problem, struct ladder_counts *counts);
void reduce_predict_fan_in_8(const struct ladder_problem *problem, struct ladder_counts *counts);
void reduce_predict_fan_in_16(const struct ladder_problem *problem, struct ladder_counts *counts);
void reduce_predict_special_2(const struct ladder_problem *problem, struct ladder_counts *counts);
void reduce_predict_special_4(const struct ladder_problem *problem, struct ladder_counts *counts);

#endif
