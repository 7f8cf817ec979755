/* SPDX-License-Identifier: MIT
 *
 * run.c - the scheduler. The host's own stack chooses a block; inside of a block fibres hand over to each other
 * directly, until none is ready. Every choice comes from the launch's seed. */
#define _GNU_SOURCE
#include "inside.h"

#include <stdlib.h>
#include <string.h>

#define PATIENCE 4000000 /* looks at other fibres in which nobody changed anything */
#define POISON 0xa5

/* Where a new fibre finds itself; a fibre never leaves its host thread. */
static _Thread_local struct simt_runner *running;

static void go(struct simt_runner *runner, struct simt_context *from, struct fibre *to)
{
    runner->left = from;
    runner->current = to;
    runner->launch->module->self = &to->thread;
    simt_context_switch(from, &to->context);
}

static void go_to_host(struct fibre *fibre)
{
    struct simt_runner *runner = runner_of(fibre);
    runner->left = &fibre->context;
    simt_context_switch(&fibre->context, &runner->host);
}

static uint32_t lowest(uint32_t bits)
{
    return (uint32_t)__builtin_ctz(bits);
}

/* A bit of a set that is not empty, each as likely as the gap before it. */
static uint32_t any_of(uint32_t bits, uint32_t random)
{
    const uint32_t above = bits & ~0u << (random & 31);
    return lowest(above ? above : bits);
}

static struct fibre *any_ready(struct block *block)
{
    const uint64_t random = simt_random(block->runner) >> 8;
    struct warp *warp = &block->warps[any_of(block->ready_warps, (uint32_t)random)];
    warp->downwards = random >> 5 & 1;
    return &warp->fibres[any_of(warp->ready, (uint32_t)(random >> 6))];
}

static struct fibre *next_lane(const struct warp *warp, uint32_t lane)
{
    if (warp->downwards) {
        const uint32_t below = warp->ready & ((1u << lane) - 1);
        return &warp->fibres[31 - __builtin_clz(below ? below : warp->ready)];
    }
    const uint32_t above = warp->ready & ~1u << lane;
    return &warp->fibres[lowest(above ? above : warp->ready)];
}

void simt_wait(struct fibre *fibre)
{
    struct warp *warp = fibre->warp;
    if (warp->ready) {
        go(runner_of(fibre), &fibre->context, next_lane(warp, fibre->thread.lane));
        return;
    }
    struct block *block = warp->block;
    block->ready_warps &= ~(1u << warp->index);
    /* Now and then another block gets its turn although this one could go on. */
    if (block->ready_warps && simt_random(block->runner) >> 59) {
        go(block->runner, &fibre->context, any_ready(block));
    } else {
        go_to_host(fibre);
    }
}

void simt_yield(struct simt_thread *self)
{
    struct fibre *fibre = (struct fibre *)self;
    struct simt_runner *runner = runner_of(fibre);
    const uint32_t bit = 1u << self->lane;
    runner->counts.yields++;
    if (runner->progress != runner->progress_seen) {
        runner->progress_seen = runner->progress;
        runner->idle = 0;
    } else if (++runner->idle > PATIENCE) {
        simt_fail(fibre, "no progress: all threads only wait for each other's writes (%d looks without a change)",
                  PATIENCE);
    }
    self->atomics = simt_random(runner) >> 61;
    fibre->warp->ready &= ~bit;
    fibre->warp->yielded |= bit;
    simt_wait(fibre);
}

static const struct simt_calls calls = {simt_meet,          simt_meet_block,     simt_yield,        simt_cluster_arrive,
                                        simt_cluster_await, simt_cluster_shared, simt_count_branch, simt_count_access};

static void thread_main(void)
{
    struct simt_runner *runner = running;
    struct fibre *fibre = runner->current;
    simt_context_begun(runner->left);
    runner->launch->kernel->run(runner->launch->parameters);

    struct warp *warp = fibre->warp;
    struct block *block = warp->block;
    const uint32_t bit = 1u << fibre->thread.lane;
    if (block->arrived) {
        simt_fail(fibre, "returned while %u threads of the block wait for it in %s at %s:%u", block->arrived,
                  simt_operation_name(block->place), block->file, block->place >> 8);
    }
    warp->ready &= ~bit;
    warp->returned |= bit;
    block->returned++;
    block->cluster_arrived += !fibre->has_arrived;
    runner->progress++;
    simt_wait(fibre);
}

/* Static shared variables lie among AddressSanitizer's red zones, which only code without its checks may cross. */
#if SIMT_ASAN
__attribute__((no_sanitize("address"))) static void copy(char *to, const char *from, size_t bytes)
{
    /* volatile, so that no compiler makes a call of memcpy of it, which is checked again. */
    volatile char *target = to;
    for (size_t i = 0; i < bytes; i++) target[i] = from ? from[i] : (char)POISON;
}
#else
static void copy(char *to, const char *from, size_t bytes)
{
    if (from) {
        memcpy(to, from, bytes);
    } else {
        memset(to, POISON, bytes);
    }
}
#endif

/* Brings a block's static shared variables to where the kernel looks for them: poison at first. */
static void load_shared(struct block *block, int fresh)
{
    struct simt_runner *runner = block->runner;
    struct simt_module *module = runner->launch->module;
    const size_t bytes = (size_t)(module->shared_end - module->shared);
    if (runner->loaded == block && !fresh) return;
    if (runner->loaded && runner->loaded != block) copy(runner->loaded->static_shared, module->shared, bytes);
    copy(module->shared, fresh ? NULL : block->static_shared, bytes);
    runner->loaded = block;
}

/* Takes one of the next few blocks of the grid: kernels may not count on their order. */
static uint32_t take_block(struct simt_runner *runner)
{
    while (runner->window_count < SIMT_WINDOW && runner->next_block < runner->launch->blocks) {
        runner->window[runner->window_count++] = runner->next_block++;
    }
    const uint32_t at = (uint32_t)(simt_random(runner) >> 16) % runner->window_count;
    const uint32_t block = runner->window[at];
    runner->window[at] = runner->window[--runner->window_count];
    return block;
}

static int blocks_left(const struct simt_runner *runner)
{
    return runner->window_count > 0 || runner->next_block < runner->launch->blocks;
}

static struct simt_index index_of(uint32_t i, const struct simt_index *size)
{
    return (struct simt_index){i % size->x, i / size->x % size->y, i / size->x / size->y};
}

static void start_block(struct simt_runner *runner, struct block *block)
{
    const struct simt_launch *launch = runner->launch;
    block->index = take_block(runner);
    block->returned = block->arrived = block->cluster_arrived = 0;
    block->sleep = 0;
    block->active = 1;
    block->ready_warps = 0;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        struct warp *warp = &block->warps[i];
        const uint32_t lanes = launch->threads - i * SIMT_WARP;
        warp->ready = lanes >= SIMT_WARP ? ~0u : (1u << lanes) - 1;
        warp->returned = ~warp->ready;
        warp->yielded = warp->meeting = warp->at_barrier = 0;
        block->ready_warps |= 1u << i;
    }
    for (uint32_t i = 0; i < launch->threads; i++) {
        struct fibre *fibre = &block->warps[0].fibres[i];
        fibre->thread.block = index_of(block->index, &launch->grid_size);
        fibre->thread.atomics = simt_random(runner) >> 61;
        fibre->has_arrived = 0;
        simt_context_prepare(&fibre->context, &runner->stacks, (size_t)(fibre - runner->fibres), thread_main);
    }
    if (launch->shared_bytes) memset(block->shared, POISON, launch->shared_bytes);
    load_shared(block, 1);
    runner->progress++;
}

/* Those who looked at what others write may look again. */
static void wake(struct block *block)
{
    if (block->runner->traces) simt_count_block(block);
    for (uint32_t i = 0; i < block->warp_count; i++) {
        struct warp *warp = &block->warps[i];
        warp->ready |= warp->yielded;
        warp->yielded = 0;
        if (warp->ready) block->ready_warps |= 1u << i;
    }
}

static void run_block(struct simt_runner *runner, struct block *block)
{
    load_shared(block, 0);
    wake(block);
    if (!block->ready_warps) {
        simt_explain_block(runner, block);
        return;
    }
    go(runner, &runner->host, any_ready(block));
    if (*runner->error || block->returned < runner->launch->threads) return;
    runner->counts.threads += block->returned;
    if (runner->traces) simt_count_block(block);
    runner->loaded = NULL;
    if (blocks_left(runner)) {
        start_block(runner, block);
    } else {
        block->active = 0;
        runner->active--;
    }
}

/* A random block whose turn it is; some are put to sleep for many turns of the others. */
static struct block *choose_block(struct simt_runner *runner)
{
    const uint64_t random = simt_random(runner) >> 8;
    const uint32_t first = (uint32_t)random % runner->block_count;
    struct block *chosen = NULL, *sleeper = NULL;
    for (uint32_t i = 0; i < runner->block_count; i++) {
        struct block *block = &runner->blocks[(first + i) % runner->block_count];
        if (!block->active) continue;
        if (block->sleep) {
            block->sleep--;
            sleeper = block;
        } else if (!chosen) {
            chosen = block;
        }
    }
    if (!chosen) return sleeper;
    if (runner->active > 1 && (random >> 32 & 15) == 0) {
        chosen->sleep = 1 + (random >> 36 & 63);
        return choose_block(runner);
    }
    return chosen;
}

static int allocate(struct simt_runner *runner)
{
    const struct simt_launch *launch = runner->launch;
    const struct simt_module *module = launch->module;
    const uint32_t warps = (launch->threads + SIMT_WARP - 1) / SIMT_WARP;
    const size_t fibres = (size_t)launch->threads * runner->block_count;
    const size_t static_bytes = (size_t)(module->shared_end - module->shared);
    runner->fibres = calloc(fibres, sizeof *runner->fibres);
    runner->warps = calloc((size_t)warps * runner->block_count, sizeof *runner->warps);
    if (!runner->fibres || !runner->warps || !simt_count_begin(runner) || !simt_stacks_reserve(&runner->stacks, fibres))
        return 0;
    for (uint32_t b = 0; b < runner->block_count; b++) {
        struct block *block = &runner->blocks[b];
        *block = (struct block){.runner = runner, .warps = runner->warps + (size_t)b * warps, .warp_count = warps};
        void *shared = NULL;
        if (launch->shared_bytes && posix_memalign(&shared, 128, launch->shared_bytes) != 0) return 0;
        block->shared = shared;
        block->static_shared = malloc(static_bytes + 1);
        if (!block->static_shared) return 0;
        for (uint32_t i = 0; i < launch->threads; i++) {
            struct warp *warp = &block->warps[i / SIMT_WARP];
            struct fibre *fibre = &runner->fibres[(size_t)b * launch->threads + i];
            fibre->warp = warp;
            fibre->thread = (struct simt_thread){.thread = index_of(i, &launch->block_size),
                                                 .block_size = launch->block_size,
                                                 .grid_size = launch->grid_size,
                                                 .shared = shared,
                                                 .lane = i % SIMT_WARP,
                                                 .progress = &runner->progress};
            if (i % SIMT_WARP == 0) *warp = (struct warp){.block = block, .fibres = fibre, .index = i / SIMT_WARP};
        }
    }
    return 1;
}

static void release(struct simt_runner *runner)
{
    for (uint32_t i = 0; runner->fibres && i < runner->launch->threads * runner->block_count; i++)
        simt_context_drop(&runner->fibres[i].context);
    for (uint32_t b = 0; b < runner->block_count; b++) {
        free(runner->blocks[b].shared);
        free(runner->blocks[b].static_shared);
    }
    memset(runner->blocks, 0, sizeof runner->blocks);
    simt_count_end(runner);
    free(runner->fibres);
    free(runner->warps);
    runner->fibres = NULL;
    runner->warps = NULL;
}

static void begin(struct simt_runner *runner, const struct simt_launch *launch)
{
    runner->launch = launch;
    memset(&runner->counts, 0, sizeof runner->counts);
    memset(&runner->host, 0, sizeof runner->host);
    runner->loaded = NULL;
    runner->window_count = runner->next_block = 0;
    runner->progress = runner->progress_seen = runner->idle = 0;
    runner->random = launch->seed * 0x9e3779b97f4a7c15ull | 1;
    for (int i = 0; i < 8; i++) simt_random(runner);
    runner->block_count = 4 + (uint32_t)(simt_random(runner) >> 40) % (SIMT_MAX_BLOCKS - 3);
    if (runner->block_count > launch->blocks || launch->kernel->cluster_blocks > 1)
        runner->block_count = launch->blocks;
}

const char *simt_run(struct simt_runner *runner, const struct simt_launch *launch)
{
    runner->error[0] = '\0';
    if (launch->blocks == 0 || launch->threads == 0 || launch->threads > SIMT_MAX_THREADS) {
        simt_explain(runner, "kernel %s: a launch of %u blocks of %u threads; a block has 1 to %d", launch->name,
                     launch->blocks, launch->threads, SIMT_MAX_THREADS);
        return runner->error;
    }
    const uint32_t cluster = launch->kernel->cluster_blocks;
    if (cluster > 1 && (launch->blocks != cluster || cluster > SIMT_MAX_BLOCKS)) {
        simt_explain(runner, "kernel %s: a launch of %u blocks in clusters of %u; a grid is one cluster, of up to %d",
                     launch->name, launch->blocks, cluster, SIMT_MAX_BLOCKS);
        return runner->error;
    }
    begin(runner, launch);
    if (!allocate(runner)) {
        simt_explain(runner, "kernel %s: no memory for %u fibres", launch->name, launch->threads * runner->block_count);
    } else {
        running = runner;
        launch->module->calls = &calls;
        runner->active = runner->block_count;
        for (uint32_t b = 0; b < runner->block_count; b++) start_block(runner, &runner->blocks[b]);
        while (runner->active && !*runner->error) run_block(runner, choose_block(runner));
        launch->module->self = NULL;
    }
    release(runner);
    return *runner->error ? runner->error : NULL;
}

struct simt_runner *simt_runner_new(void)
{
    return calloc(1, sizeof(struct simt_runner));
}

void simt_runner_free(struct simt_runner *runner)
{
    if (runner) simt_stacks_release(&runner->stacks);
    free(runner);
}

const struct simt_counts *simt_run_counts(const struct simt_runner *runner)
{
    return &runner->counts;
}
