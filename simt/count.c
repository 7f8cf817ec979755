/* SPDX-License-Identifier: MIT
 *
 * count.c - divergent branches, bank conflicts and global transactions. Each lane leaves a trace of the basic blocks it
 * entered and the memory it touched; where lanes meet, the traces of a warp are replayed side by side as a GPU would
 * run them: of the lanes that are apart, those at the lowest address go first, until all are together again. */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

#define TRACE_EVENTS 512
#define SECTOR 32
#define BANKS 32
#define MOST_SECTORS 1024

enum kind { KIND_BLOCK, KIND_SHARED, KIND_GLOBAL };

struct event {
    uintptr_t place, address;
    uint32_t size;
    enum kind kind;
};

struct simt_trace {
    uint32_t used, at;
    unsigned from; /* where the lane came from when the trace began */
    struct event events[TRACE_EVENTS];
};

static struct simt_trace *trace_of(const struct fibre *fibre)
{
    struct simt_runner *runner = runner_of(fibre);
    return &runner->traces[fibre - runner->fibres];
}

static void add(struct fibre *fibre, struct event event)
{
    struct simt_trace *trace = trace_of(fibre);
    if (trace->used == TRACE_EVENTS) { /* a pause in which the other lanes come as far */
        const uint32_t bit = 1u << fibre->thread.lane;
        fibre->warp->ready &= ~bit;
        fibre->warp->yielded |= bit;
        simt_wait(fibre);
        trace->used = trace->used == TRACE_EVENTS ? 0 : trace->used;
    }
    trace->events[trace->used++] = event;
}

void simt_count_branch(struct simt_thread *self, const void *place)
{
    add((struct fibre *)self, (struct event){(uintptr_t)place, 0, 0, KIND_BLOCK});
}

static int within(uintptr_t address, const void *first, size_t bytes)
{
    return address - (uintptr_t)first < bytes;
}

void simt_count_access(struct simt_thread *self, const void *place, const void *memory, unsigned size)
{
    struct fibre *fibre = (struct fibre *)self;
    const struct simt_runner *runner = runner_of(fibre);
    const struct simt_launch *launch = runner->launch;
    const struct simt_module *module = launch->module;
    const uintptr_t address = (uintptr_t)memory;
    enum kind kind = KIND_GLOBAL;
    /* Registers, parameters, and what belongs to the simulator. */
    if (within(address, fibre->context.stack, fibre->context.stack_bytes) ||
        within(address, launch->parameters, launch->parameter_bytes) || within(address, module, sizeof *module) ||
        within(address, module->calls, sizeof *module->calls) || within(address, runner, sizeof *runner) ||
        within(address, runner->fibres, sizeof *runner->fibres * launch->threads * runner->block_count)) {
        return;
    }
    if (within(address, module->shared, (size_t)(module->shared_end - module->shared)) ||
        within(address, self->shared, launch->shared_bytes)) {
        kind = KIND_SHARED;
    }
    add(fibre, (struct event){(uintptr_t)place, address, size, kind});
}

static const struct event *event_of(const struct warp *warp, uint32_t lane)
{
    const struct simt_trace *trace = trace_of(&warp->fibres[lane]);
    return trace->at < trace->used ? &trace->events[trace->at] : NULL;
}

static uint64_t transactions(const struct warp *warp, uint32_t lanes)
{
    uintptr_t sectors[MOST_SECTORS];
    uint32_t count = 0;
    for (; lanes; lanes &= lanes - 1) {
        const struct event *event = event_of(warp, (uint32_t)__builtin_ctz(lanes));
        const uintptr_t last = (event->address + event->size - 1) / SECTOR;
        for (uintptr_t sector = event->address / SECTOR; sector <= last && count < MOST_SECTORS; sector++) {
            uint32_t i = count;
            while (i > 0 && sectors[i - 1] != sector) i--; /* most likely the latest */
            if (i == 0) sectors[count++] = sector;
        }
    }
    return count;
}

/* Wide accesses go in parts of 128 bytes; a part costs as many cycles as its busiest bank has different words. */
static uint64_t bank_conflicts(const struct warp *warp, uint32_t lanes)
{
    uint64_t extra = 0;
    while (lanes) {
        uintptr_t words[BANKS][BANKS];
        uint32_t used[BANKS] = {0}, most = 1, bytes = 0;
        for (; lanes && bytes < BANKS * 4; lanes &= lanes - 1) {
            const struct event *event = event_of(warp, (uint32_t)__builtin_ctz(lanes));
            const uintptr_t last = (event->address + event->size - 1) / 4;
            bytes += event->size < 4 ? 4 : event->size;
            for (uintptr_t word = event->address / 4; word <= last; word++) {
                const uint32_t bank = word % BANKS;
                uint32_t i = 0;
                while (i < used[bank] && words[bank][i] != word) i++;
                if (i == used[bank] && i < BANKS) words[bank][used[bank]++] = word;
                if (used[bank] > most) most = used[bank];
            }
        }
        extra += most - 1;
    }
    return extra;
}

/* The lanes, of those given, that are at the lowest address; 0 when all are at their end. */
static uint32_t first_together(const struct warp *warp, uint32_t lanes)
{
    uintptr_t lowest = UINTPTR_MAX;
    uint32_t together = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest);
        const struct event *event = event_of(warp, lane);
        if (!event || event->place > lowest) continue;
        if (event->place < lowest) together = 0;
        lowest = event->place;
        together |= 1u << lane;
    }
    return together;
}

static uint32_t at_their_start(const struct warp *warp, int *same_start)
{
    uint32_t lanes = 0;
    unsigned from = 0;
    *same_start = 1;
    for (uint32_t i = 0; i < SIMT_WARP; i++) {
        if (i + warp->index * SIMT_WARP >= warp->block->runner->launch->threads) break;
        struct simt_trace *trace = trace_of(&warp->fibres[i]);
        trace->at = 0;
        if (trace->used == 0) continue;
        if (lanes && trace->from != from) *same_start = 0;
        from = trace->from;
        lanes |= 1u << i;
    }
    return lanes;
}

void simt_count_warp(struct warp *warp)
{
    struct simt_runner *runner = warp->block->runner;
    int same_start;
    const uint32_t lanes = at_their_start(warp, &same_start);
    uint32_t together = first_together(warp, lanes);
    if (same_start && together != lanes) runner->counts.divergent_branches++;
    while (together) {
        const struct event *event = event_of(warp, (uint32_t)__builtin_ctz(together));
        if (event->kind == KIND_GLOBAL) runner->counts.transactions += transactions(warp, together);
        if (event->kind == KIND_SHARED) runner->counts.bank_conflicts += bank_conflicts(warp, together);
        for (uint32_t rest = together; rest; rest &= rest - 1) {
            trace_of(&warp->fibres[__builtin_ctz(rest)])->at++;
        }
        const uint32_t next = first_together(warp, together);
        if (next && next != together) runner->counts.divergent_branches++;
        together = first_together(warp, lanes);
    }
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        const struct fibre *fibre = &warp->fibres[__builtin_ctz(rest)];
        trace_of(fibre)->used = 0;
        trace_of(fibre)->from = fibre->place;
    }
}

void simt_count_block(struct block *block)
{
    for (uint32_t i = 0; i < block->warp_count; i++) simt_count_warp(&block->warps[i]);
}

int simt_count_begin(struct simt_runner *runner)
{
    if (!runner->launch->module->counting) return 1;
    runner->traces = calloc((size_t)runner->launch->threads * runner->block_count, sizeof *runner->traces);
    return runner->traces != NULL;
}

void simt_count_end(struct simt_runner *runner)
{
    free(runner->traces);
    runner->traces = NULL;
}
