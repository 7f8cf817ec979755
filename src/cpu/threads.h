/* SPDX-License-Identifier: MIT
 *
 * threads.h - a pool of threads that run numbered tasks. The caller takes part and never waits for a helper that has
 * not begun, so a busy machine costs no more than running on one thread. */
#ifndef TALLY_CPU_THREADS_H
#define TALLY_CPU_THREADS_H

#include <stdint.h>

#define CPU_MAX_THREADS 1024

struct cpu_pool;

/* A pool for `threads` threads (clamped to 1 to CPU_MAX_THREADS), the caller's among them. The others are started when
 * they are first needed. NULL when there is no memory. */
struct cpu_pool *cpu_pool_new(int threads);

/* Ends the pool's threads. No run may be in progress. NULL is allowed. */
void cpu_pool_free(struct cpu_pool *pool);

int cpu_pool_threads(const struct cpu_pool *pool);

/* Runs task(argument, index, worker) for every index in [0, count), and returns when all are done. Indices are claimed
 * in increasing order. Worker numbers are below cpu_pool_threads(), and two tasks of one run that overlap in time have
 * different ones. Tasks see the default floating-point environment: rounding to nearest, subnormals kept.
 *
 * Thread-safe: a caller that finds the pool busy, from a task as well, runs its tasks itself. The child of a fork
 * starts with no helpers and makes its own. */
void cpu_pool_run(struct cpu_pool *pool, int64_t count, void (*task)(void *argument, int64_t index, int worker),
                  void *argument);

/* The CPUs that this process may use: its affinity mask and the CPU quota of its control groups. 1 to
 * CPU_MAX_THREADS. */
int cpu_default_threads(void);

/* The default floating-point environment for code outside of cpu_pool_run; leave takes what enter returned. */
struct cpu_float_environment {
    uint64_t word[8];
};
void cpu_float_enter(struct cpu_float_environment *saved);
void cpu_float_leave(const struct cpu_float_environment *saved);

#endif
