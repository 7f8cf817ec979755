/* SPDX-License-Identifier: MIT
 *
 * reduce.c - a reduction's cells, shared out when there are many, one after another when they are long. */
#include "cells_user.h"
#include "columns.h"
#include "columns_ordered.h"
#include "near.h"
#include "one_element.h"

#include <stdio.h>
#include <string.h>

struct sweep {
    const struct job *job;
    int64_t cells_per_task;
    struct state *const *states; /* one per cell of each calculation; NULL: results go to reduction->out */
};

static void worker_failed(struct worker *worker, tally_status status)
{
    worker->status = status;
    snprintf(worker->error, sizeof worker->error, "%s", tally_last_error());
}

static void sweep_cell(const struct sweep *sweep, struct worker *worker, int64_t index)
{
    const struct job *job = sweep->job;
    struct cell cell = leaf_cell(job->reduction, index);
    if (sweep->states) {
        struct state *states[16];
        for (int32_t c = 0; c < job->count; c++)
            states[c] = state_at(&job->calculations[c], sweep->states[c], job->reduction->first_state + cell.out);
        job_append(job, worker->scratch, &cell, 0, job->reduction->length, states);
        return;
    }
    tally_status status = near_reduce_cell(job, worker, &cell, worker->states[0]);
    if (status != TALLY_OK) worker_failed(worker, status);
}

static void sweep_task(void *argument, int64_t index, int number)
{
    const struct sweep *sweep = argument;
    struct worker *worker = &sweep->job->worker[number];
    int64_t end = (index + 1) * sweep->cells_per_task;
    if (end > sweep->job->reduction->cells) end = sweep->job->reduction->cells;
    for (int64_t i = index * sweep->cells_per_task; i < end && worker->status == TALLY_OK; i++)
        sweep_cell(sweep, worker, i);
}

/* Cells one after another, each on all workers. */
static tally_status long_cells(const struct job *job, struct state *const *states, struct state *own)
{
    const struct reduction *reduction = job->reduction;
    for (int64_t i = 0; i < reduction->cells; i++) {
        struct cell cell = leaf_cell(reduction, i);
        struct state *at[16];
        if (own) {
            TRY(near_reduce_cell(job, NULL, &cell, own));
            continue;
        }
        for (int32_t c = 0; c < job->count; c++)
            at[c] = state_at(&job->calculations[c], states[c], reduction->first_state + cell.out);
        job_append_cell(job, &cell, at);
    }
    return TALLY_OK;
}

static tally_status run(struct tally_context *context, const struct reduction *reduction,
                        const struct calculation *calculations, int32_t count, struct state *const *states)
{
    const struct cpu_device *device = context->device;
    int threads = cpu_pool_threads(device->pool);
    int64_t elements = reduction->cells * (reduction->length ? reduction->length : 1);
    int parallel = threads > 1 && elements >= PARALLEL_ELEMENTS;
    int long_ones = reduction->cells < 4 * threads && reduction->length >= PARALLEL_ELEMENTS;
    struct job job;
    /* One more state for each calculation: the cell in progress of long_cells. */
    struct reduction columns = *reduction;
    if (reduction->length == 1 && reduction->reduced_count == 0) { /* one row of columns */
        columns.reduced[columns.reduced_count++] = (struct loop){.extent = 1};
        reduction = &columns;
    }
    TRY(job_open(&job, context, reduction, calculations, count, parallel ? threads : 1, 2));
    tally_status status = TALLY_OK;
    if (columns_apply(&job)) {
        status = columns_reduce(&job);
    } else if (columns_ordered_apply(&job)) {
        status = columns_ordered_reduce(&job);
    } else if (cells_user_apply(&job)) {
        status = cells_user_reduce(&job);
    } else if (long_ones) {
        struct state *own = states ? NULL : state_at(&calculations[0], job.worker[0].states[0], 1);
        status = long_cells(&job, states, own);
    } else {
        struct sweep sweep = {&job, reduction->cells, states};
        if (parallel) {
            sweep.cells_per_task = TASK_ELEMENTS / 4 / (reduction->length ? reduction->length : 1);
            if (sweep.cells_per_task < 1) sweep.cells_per_task = 1;
        }
        job_run(&job, (reduction->cells + sweep.cells_per_task - 1) / sweep.cells_per_task, sweep_task, &sweep);
        status = job_status(&job);
    }
    job_close(&job);
    return status;
}

tally_status cpu_reduce(struct tally_context *context, const struct reduction *reduction)
{
    struct cpu_float_environment saved;
    struct reduction local = *reduction;
    reduction_of_one(&local);
    cpu_float_enter(&saved);
    tally_status status = run(context, &local, &local.calculation, 1, NULL);
    cpu_float_leave(&saved);
    return status;
}

tally_status cpu_accumulate(struct tally_context *context, const struct reduction *reduction,
                            const struct calculation *calculations, struct state *const *states, int32_t count)
{
    struct cpu_float_environment saved;
    cpu_float_enter(&saved);
    tally_status status = run(context, reduction, calculations, count, states);
    cpu_float_leave(&saved);
    return status;
}
