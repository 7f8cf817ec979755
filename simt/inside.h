/* SPDX-License-Identifier: MIT
 *
 * inside.h - fibres, warps and blocks of a running launch, as the files of this folder share them. */
#ifndef TALLY_SIMT_INSIDE_H
#define TALLY_SIMT_INSIDE_H

#include "fibre.h"
#include "run.h"

#define SIMT_MAX_THREADS 1024
#define SIMT_MAX_BLOCKS 8 /* in flight */
#define SIMT_WINDOW 16    /* blocks that may start next */

struct fibre {
    struct simt_thread thread; /* first, so that a kernel's pointer is a fibre's */
    struct simt_context context;
    struct warp *warp;
    /* What it waits for, and what came of it. */
    unsigned place, mask, argument;
    const char *file;
    uint64_t value, result;
    int has_arrived; /* at the cluster's barrier */
};

/* Lanes of a warp as bits. A lane is in one of these sets; the running one is among the ready. */
struct warp {
    struct block *block;
    struct fibre *fibres;
    uint32_t index;
    uint32_t ready, yielded, meeting, at_barrier, returned;
    int downwards; /* the order in which ready lanes run */
};

struct block {
    struct simt_runner *runner;
    struct warp *warps;
    uint32_t warp_count, index;
    uint32_t ready_warps; /* bits: has a ready lane */
    uint32_t returned;    /* threads */
    uint32_t sleep;       /* turns that it is held back */
    int active;
    /* The barrier that threads are gathering at. */
    uint32_t arrived;
    unsigned place;
    const char *file;
    int any, all, count, result;
    uint32_t cluster_arrived; /* threads, also those that returned instead */
    char *shared;             /* dynamic */
    char *static_shared;      /* while another block runs */
};

struct simt_runner {
    struct simt_stacks stacks;
    struct simt_counts counts;
    struct simt_context host, *left; /* left: whom the last switch came from */
    const struct simt_launch *launch;
    struct fibre *fibres, *current;
    struct warp *warps;
    struct block blocks[SIMT_MAX_BLOCKS];
    uint32_t block_count, active;
    struct block *loaded; /* whose static shared variables are in the module */
    uint32_t window[SIMT_WINDOW], window_count, next_block;
    struct simt_trace *traces; /* a fibre's each, when the kernel was compiled for counting */
    uint64_t random, progress, progress_seen, idle;
    char error[1024];
};

static inline struct simt_runner *runner_of(const struct fibre *fibre)
{
    return fibre->warp->block->runner;
}

/* xorshift64 (Marsaglia 2003): the scheduler asks for it often, and only needs variety. */
static inline uint64_t simt_random(struct simt_runner *runner)
{
    uint64_t x = runner->random;
    x ^= x << 13;
    x ^= x >> 7;
    return runner->random = x ^ x << 17;
}

/* Leaves a fibre that is no longer among the ready for another; returns when it is its turn again. */
void simt_wait(struct fibre *fibre);

/* Ends the launch with a text that begins with the kernel, the block and the thread; does not return. */
void simt_fail(struct fibre *fibre, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));

/* Appends to the launch's error. */
void simt_explain(struct simt_runner *runner, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends who waits where in a block in which nobody can run. */
void simt_explain_block(struct simt_runner *runner, const struct block *block);
const char *simt_operation_name(unsigned place);

/* Counting; nothing of it happens in kernels that were not compiled for it. */
int simt_count_begin(struct simt_runner *runner); /* 0: no memory */
void simt_count_end(struct simt_runner *runner);
void simt_count_warp(struct warp *warp); /* where its lanes met */
void simt_count_block(struct block *block);
void simt_count_branch(struct simt_thread *self, const void *place);
void simt_count_access(struct simt_thread *self, const void *place, const void *memory, unsigned size);

uint64_t simt_meet(struct simt_thread *self, unsigned place, unsigned mask, uint64_t value, unsigned argument,
                   const char *file);
int simt_meet_block(struct simt_thread *self, unsigned place, int predicate, const char *file);
void simt_yield(struct simt_thread *self);
void simt_cluster_arrive(struct simt_thread *self);
void simt_cluster_await(struct simt_thread *self);
char *simt_cluster_shared(struct simt_thread *self, uint32_t block);

#endif
