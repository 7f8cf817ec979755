/* SPDX-License-Identifier: MIT
 *
 * cluster.c - what blocks of a cluster have beside others: a barrier of all of them, in two steps, and each other's
 * dynamic shared memory. The cluster is the whole grid. */
#include "inside.h"

void simt_cluster_arrive(struct simt_thread *self)
{
    struct fibre *fibre = (struct fibre *)self;
    struct simt_runner *runner = runner_of(fibre);
    if (fibre->has_arrived) simt_fail(fibre, "comes to the cluster's barrier a second time: expected once");
    fibre->has_arrived = 1;
    fibre->warp->block->cluster_arrived++;
    runner->progress++;
}

static int is_complete(const struct simt_runner *runner)
{
    for (uint32_t b = 0; b < runner->block_count; b++) {
        if (runner->blocks[b].cluster_arrived < runner->launch->threads) return 0;
    }
    return 1;
}

void simt_cluster_await(struct simt_thread *self)
{
    struct fibre *fibre = (struct fibre *)self;
    if (!fibre->has_arrived) simt_fail(fibre, "waits at the cluster's barrier before it came to it");
    while (!is_complete(runner_of(fibre))) simt_yield(self);
}

char *simt_cluster_shared(struct simt_thread *self, uint32_t index)
{
    struct fibre *fibre = (struct fibre *)self;
    struct simt_runner *runner = runner_of(fibre);
    for (uint32_t b = 0; b < runner->block_count; b++) {
        struct block *block = &runner->blocks[b];
        if (block->index != index || !is_complete(runner)) continue;
        if (block->returned == runner->launch->threads) break;
        return block->shared;
    }
    simt_fail(fibre, "reaches for the shared memory of block %u, which has not begun or has ended", index);
}
