/* SPDX-License-Identifier: MIT
 *
 * job.h - one call's reduction as the CPU engine shares it out: what all workers see, and what each has for itself. */
#ifndef TALLY_CPU_JOB_H
#define TALLY_CPU_JOB_H

#include "append.h"
#include "device.h"
#include "summary.h"

/* Elements of a task: enough to hide the cost of claiming one, few enough to share out evenly. A power of two of
 * leaves, so that a task on its border makes one node of the tree. */
#define TASK_LEVEL 6
#define TASK_ELEMENTS ((int64_t)TREE_LEAF << TASK_LEVEL)
/* Below this, waking a second thread costs more than it brings. */
#define PARALLEL_ELEMENTS (16 * TREE_LEAF)

struct worker {
    struct append_scratch *scratch;
    struct state **states; /* one for each calculation */
    tally_status status;
    char error[256]; /* the worker's own record of a failure, for the caller's thread */
};

struct job {
    struct tally_context *context;
    const struct cpu_kernels *kernels;
    const struct reduction *reduction;
    const struct calculation *calculations;
    int32_t count;
    int32_t exact_count; /* calculations whose method is METHOD_EXACT */
    int summarised;      /* the calculations are a summary */
    int near;            /* near.h: whether the only calculation's sums may be near ones, until they are finished */
    struct summary summary;
    int workers;
    struct worker *worker;
    void *memory;
    size_t memory_bytes;
};

/* Takes scratch for workers, and room for `cells` states each of every calculation. */
tally_status job_open(struct job *job, struct tally_context *context, const struct reduction *reduction,
                      const struct calculation *calculations, int32_t count, int workers, int64_t cells);
void job_close(struct job *job);

/* Runs tasks on the job's workers, which may be fewer than the device's threads. */
void job_run(const struct job *job, int64_t count, void (*task)(void *argument, int64_t index, int worker),
             void *argument);

/* Adds elements [first, end) of a cell to one state of each calculation. */
void job_append(const struct job *job, struct append_scratch *scratch, const struct cell *cell, int64_t first,
                int64_t end, struct state *const *states);

/* Adds all elements of one cell, on all workers when it is long. */
void job_append_cell(const struct job *job, const struct cell *cell, struct state *const *states);

/* Writes a cell's result. */
tally_status job_finish(const struct reduction *reduction, struct state *state, int64_t out);

/* The first worker's failure, recorded for the calling thread. */
tally_status job_status(const struct job *job);

#endif
