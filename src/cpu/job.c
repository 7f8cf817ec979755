/* SPDX-License-Identifier: MIT
 *
 * job.c - a call's workers and their memory, and one cell's elements shared out among them. */
#include "near.h"
#include "../user/tree.h"

#include <string.h>

static size_t rounded(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

tally_status job_open(struct job *job, struct tally_context *context, const struct reduction *reduction,
                      const struct calculation *calculations, int32_t count, int workers, int64_t cells)
{
    const struct cpu_device *device = context->device;
    memset(job, 0, sizeof *job);
    job->context = context;
    job->kernels = device->isa->kernels;
    job->reduction = reduction;
    job->calculations = calculations;
    job->count = count;
    job->near = count == 1 && near_applies(&calculations[0]);
    job->summarised = summary_applies(job->kernels, calculations, count, &job->summary);
    size_t states = 0;
    for (int32_t c = 0; c < count; c++) {
        job->exact_count += calculations[c].method == METHOD_EXACT;
        states += rounded(state_size(&calculations[c]) * (size_t)cells);
    }
    size_t pointers = rounded(sizeof(struct state *) * (size_t)count);
    size_t table = rounded(sizeof(struct worker) * (size_t)workers);
    job->memory_bytes = table + (pointers + states) * (size_t)workers;
    job->memory = context_allocate(context, job->memory_bytes);
    if (!job->memory) return TALLY_OUT_OF_MEMORY;
    job->worker = job->memory;
    char *free_room = (char *)job->memory + table;
    for (int w = 0; w < workers; w++) {
        struct worker *worker = &job->worker[w];
        worker->status = TALLY_OK;
        worker->states = (struct state **)(void *)free_room;
        free_room += pointers;
        for (int32_t c = 0; c < count; c++) {
            worker->states[c] = (struct state *)(void *)free_room;
            free_room += rounded(state_size(&calculations[c]) * (size_t)cells);
        }
        worker->scratch = cpu_scratch_take(context);
        job->workers = w + 1;
        if (!worker->scratch) {
            job_close(job);
            return TALLY_OUT_OF_MEMORY;
        }
    }
    return TALLY_OK;
}

void job_close(struct job *job)
{
    for (int w = 0; w < job->workers; w++) cpu_scratch_give(job->context, job->worker[w].scratch);
    context_release(job->context, job->memory, job->memory_bytes);
}

void job_run(const struct job *job, int64_t count, void (*task)(void *argument, int64_t index, int worker),
             void *argument)
{
    const struct cpu_device *device = job->context->device;
    if (job->workers > 1) {
        cpu_pool_run(device->pool, count, task, argument);
        return;
    }
    for (int64_t i = 0; i < count; i++) task(argument, i, 0);
}

tally_status job_status(const struct job *job)
{
    for (int w = 0; w < job->workers; w++) {
        if (job->worker[w].status != TALLY_OK) FAIL(job->worker[w].status, "%s", job->worker[w].error);
    }
    return TALLY_OK;
}

tally_status job_finish(const struct reduction *reduction, struct state *state, int64_t out)
{
    ptrdiff_t size = type_row(reduction->calculation.result)->size;
    return state_finish(&reduction->calculation, state, (char *)reduction->out + out * size, reduction->step * size);
}

void job_append(const struct job *job, struct append_scratch *scratch, const struct cell *cell, int64_t first,
                int64_t end, struct state *const *states)
{
    struct leaf leaf;
    for (int64_t i = first; i < end; i += (int64_t)leaf.n) {
        int64_t n = end - i < TREE_LEAF ? end - i : TREE_LEAF;
        leaf_read(job->reduction, job->kernels, cell, i, (size_t)n, &scratch->leaf, &leaf);
        if (job->summarised && summary_append(job->kernels, job->calculations, &job->summary, scratch, states, &leaf))
            continue;
        for (int32_t c = 0; c < job->count; c++) {
            append_leaf(job->kernels, &job->calculations[c], scratch, states[c], &leaf);
            if (job->exact_count > 1) append_done(&job->calculations[c], scratch, states[c]);
        }
    }
    for (int32_t c = 0; c < job->count; c++) append_done(&job->calculations[c], scratch, states[c]);
}

/* ---- one long cell ---- */

/* A stretch of one cell, whose tasks begin at borders counted from the start of the calculation's order. */
struct stretch {
    const struct job *job;
    const struct cell *cell;
    int64_t first; /* element of the cell */
    int64_t end;
    int64_t position; /* of the cell's element 0 in the order */
    char *nodes;      /* [task][calculation]: of ordered calculations, node_bytes each */
    size_t node_bytes;
};

static char *node_of(const struct stretch *stretch, int64_t task, int32_t calculation)
{
    return stretch->nodes + stretch->node_bytes * (size_t)(task * stretch->job->count + calculation);
}

static size_t node_bytes(const struct job *job)
{
    size_t most = sizeof(struct fold_value);
    for (int32_t c = 0; c < job->count; c++) {
        const struct user_op *user = job->calculations[c].user;
        if (user && user_node_size(user) > most) most = user_node_size(user);
    }
    return rounded(most);
}

/* Moves a task's node out of a worker's state, which then has none. */
static void node_take(const struct calculation *calculation, struct state *state, char *node)
{
    if (calculation->user) {
        user_node_take(calculation->user, state, node);
        return;
    }
    memcpy(node, &state->as.tree.node[0].value, sizeof(struct fold_value));
    state->as.tree.nodes = 0;
}

static void node_push(const struct calculation *calculation, struct state *state, int64_t leaf, const char *node)
{
    if (calculation->user) {
        user_node_push(calculation->user, state, leaf, TASK_LEVEL, node);
        return;
    }
    tree_push(fold_steps(calculation->op->lift, calculation->combine, calculation->type), &state->as.tree, leaf,
              TASK_LEVEL, (const struct fold_value *)(const void *)node);
}

static void stretch_task(void *argument, int64_t index, int worker)
{
    const struct stretch *stretch = argument;
    const struct job *job = stretch->job;
    struct state **states = job->worker[worker].states;
    int64_t first = stretch->first + index * TASK_ELEMENTS;
    int64_t end = first + TASK_ELEMENTS < stretch->end ? first + TASK_ELEMENTS : stretch->end;
    for (int32_t c = 0; c < job->count; c++) {
        /* Found positions count from the state's start; a tree holds one task's node at a time. */
        states[c]->start = stretch->position + first - states[c]->count;
    }
    job_append(job, job->worker[worker].scratch, stretch->cell, first, end, states);
    for (int32_t c = 0; c < job->count; c++) {
        if (job->calculations[c].ordered) node_take(&job->calculations[c], states[c], node_of(stretch, index, c));
    }
}

/* Takes the workers' shares into the cell's states. */
static void stretch_merge(const struct stretch *stretch, struct state *const *states)
{
    const struct job *job = stretch->job;
    int64_t tasks = (stretch->end - stretch->first + TASK_ELEMENTS - 1) / TASK_ELEMENTS;
    for (int32_t c = 0; c < job->count; c++) {
        const struct calculation *calculation = &job->calculations[c];
        int64_t leaf = (stretch->position + stretch->first) / TREE_LEAF;
        for (int64_t t = 0; calculation->ordered && t < tasks; t++)
            node_push(calculation, states[c], leaf + (t << TASK_LEVEL), node_of(stretch, t, c));
        for (int w = 0; w < job->workers; w++) {
            struct state *own = job->worker[w].states[c];
            if (calculation->ordered) {
                states[c]->count += own->count;
                states[c]->absent += own->absent;
            } else {
                own->start = states[c]->start;
                state_merge(calculation, states[c], own);
            }
        }
    }
}

static int any_ordered(const struct job *job)
{
    for (int32_t c = 0; c < job->count; c++) {
        if (job->calculations[c].ordered) return 1;
    }
    return 0;
}

void job_append_cell(const struct job *job, const struct cell *cell, struct state *const *states)
{
    int64_t length = job->reduction->length;
    struct stretch stretch = {.job = job, .cell = cell, .end = length, .position = states[0]->start + states[0]->count};
    struct append_scratch *scratch = job->worker[0].scratch;
    if (any_ordered(job)) {
        stretch.first = -stretch.position & (TASK_ELEMENTS - 1);
        if (stretch.first > length) stretch.first = length;
        stretch.end = stretch.first + (length - stretch.first) / TASK_ELEMENTS * TASK_ELEMENTS;
    }
    int64_t tasks = (stretch.end - stretch.first + TASK_ELEMENTS - 1) / TASK_ELEMENTS;
    stretch.node_bytes = node_bytes(job);
    size_t bytes = stretch.node_bytes * (size_t)tasks * (size_t)job->count;
    if (job->workers > 1 && length >= PARALLEL_ELEMENTS && tasks > 1) {
        stretch.nodes = any_ordered(job) ? context_allocate(job->context, bytes) : NULL;
        if (!any_ordered(job) || stretch.nodes) {
            job_append(job, scratch, cell, 0, stretch.first, states);
            for (int w = 0; w < job->workers; w++) {
                for (int32_t c = 0; c < job->count; c++)
                    state_open(&job->calculations[c], job->worker[w].states[c], stretch.position);
            }
            job_run(job, tasks, stretch_task, &stretch);
            stretch_merge(&stretch, states);
            job_append(job, scratch, cell, stretch.end, length, states);
            context_release(job->context, stretch.nodes, bytes);
            return;
        }
    }
    /* Short, or no memory to share it out: one worker does it. */
    job_append(job, scratch, cell, 0, length, states);
}
