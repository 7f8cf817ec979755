/* SPDX-License-Identifier: MIT
 *
 * report.c - what a launch that cannot go on says: which kernel, block, warp and lanes, and who waits where. */
#include "inside.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *simt_operation_name(unsigned place)
{
    static const char *const names[] = {
        [SIMT_SYNC] = "__syncwarp",
        [SIMT_EXCHANGE] = "__shfl_sync",
        [SIMT_EXCHANGE_UP] = "__shfl_up_sync",
        [SIMT_EXCHANGE_DOWN] = "__shfl_down_sync",
        [SIMT_EXCHANGE_XOR] = "__shfl_xor_sync",
        [SIMT_BALLOT] = "__ballot_sync, __any_sync or __all_sync",
        [SIMT_MATCH_ANY] = "__match_any_sync",
        [SIMT_REDUCE_ADD] = "__reduce_add_sync",
        [SIMT_REDUCE_AND] = "__reduce_and_sync",
        [SIMT_REDUCE_OR] = "__reduce_or_sync",
        [SIMT_REDUCE_XOR] = "__reduce_xor_sync",
        [SIMT_REDUCE_MIN] = "__reduce_min_sync",
        [SIMT_REDUCE_MAX] = "__reduce_max_sync",
        [SIMT_REDUCE_MIN_SIGNED] = "__reduce_min_sync",
        [SIMT_REDUCE_MAX_SIGNED] = "__reduce_max_sync",
        [SIMT_BARRIER] = "__syncthreads",
        [SIMT_BARRIER_OR] = "__syncthreads_or",
        [SIMT_BARRIER_AND] = "__syncthreads_and",
        [SIMT_BARRIER_COUNT] = "__syncthreads_count",
    };
    const unsigned operation = place & 255;
    return operation < sizeof names / sizeof names[0] ? names[operation] : "an unknown operation";
}

static void explain(struct simt_runner *runner, const char *format, va_list arguments)
{
    const size_t used = strlen(runner->error);
    vsnprintf(runner->error + used, sizeof runner->error - used, format, arguments);
}

void simt_explain(struct simt_runner *runner, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    explain(runner, format, arguments);
    va_end(arguments);
}

void simt_fail(struct fibre *fibre, const char *format, ...)
{
    struct simt_runner *runner = runner_of(fibre);
    va_list arguments;
    runner->error[0] = '\0';
    const struct simt_thread *thread = &fibre->thread;
    simt_explain(runner, "kernel %s, block %u", runner->launch->name, thread->block.x);
    if (thread->grid_size.y * thread->grid_size.z > 1) simt_explain(runner, " %u %u", thread->block.y, thread->block.z);
    simt_explain(runner, ", thread %u", thread->thread.x);
    if (thread->block_size.y * thread->block_size.z > 1)
        simt_explain(runner, " %u %u", thread->thread.y, thread->thread.z);
    simt_explain(runner, ": ");
    va_start(arguments, format);
    explain(runner, format, arguments);
    va_end(arguments);
    for (;;) simt_context_switch(&fibre->context, &runner->host);
}

/* The lanes of a warp that wait at one place for one mask, as one piece of text for each such group. */
static void explain_warp(struct simt_runner *runner, const struct warp *warp)
{
    uint32_t rest = warp->meeting | warp->at_barrier;
    simt_explain(runner, "; warp %u:", warp->index);
    while (rest) {
        const struct fibre *first = &warp->fibres[__builtin_ctz(rest)];
        const int barrier = (warp->at_barrier & rest & -rest) != 0;
        uint32_t group = 0;
        for (uint32_t more = rest & (barrier ? warp->at_barrier : warp->meeting); more; more &= more - 1) {
            const struct fibre *lane = &warp->fibres[__builtin_ctz(more)];
            if (lane->place == first->place && (barrier || lane->mask == first->mask)) group |= more & -more;
        }
        simt_explain(runner, " lanes 0x%08x wait in %s", group, simt_operation_name(first->place));
        if (!barrier) simt_explain(runner, " for mask 0x%08x", first->mask);
        simt_explain(runner, " at %s:%u,", first->file, first->place >> 8);
        rest &= ~group;
    }
    simt_explain(runner, " lanes 0x%08x have returned", warp->returned);
}

void simt_explain_block(struct simt_runner *runner, const struct block *block)
{
    runner->error[0] = '\0';
    simt_explain(runner, "kernel %s, block %u: deadlock", runner->launch->name, block->index);
    int shown = 0;
    for (uint32_t i = 0; i < block->warp_count && shown < 4; i++) {
        if (!block->warps[i].meeting && !block->warps[i].at_barrier) continue;
        /* The warps that hold up a barrier explain more than those that wait at it. */
        if (block->arrived && !block->warps[i].meeting) continue;
        explain_warp(runner, &block->warps[i]);
        shown++;
    }
    if (block->arrived) {
        simt_explain(runner, "; %u threads wait in %s at %s:%u", block->arrived, simt_operation_name(block->place),
                     block->file, block->place >> 8);
    }
}
