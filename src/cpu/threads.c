/* SPDX-License-Identifier: MIT
 *
 * threads.c - the pool of threads.h.
 *
 * A run is posted in one atomic word: its number, whether it still takes helpers, and how many are inside. A helper
 * joins by adding itself to that word while the run is open; the caller closes the run once every index is claimed and
 * then waits only for those inside. Helpers that wake up late find the run closed. */
#define _GNU_SOURCE
#include "threads.h"

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* Pauses before a thread sleeps: some 20 microseconds, about what it costs to be woken. */
#define SPIN_PAUSES 1000

/* The posted run: number << 32 | open | helpers inside. */
#define RUN_OPEN ((uint64_t)1 << 31)
#define RUN_NUMBER(word) ((word) >> 32)
#define RUN_INSIDE(word) ((word) & (RUN_OPEN - 1))

/* The owner word: fork generation << 1 | busy. */
#define OWNER(generation, busy) ((uint64_t)(generation) << 1 | (busy))

struct helper {
    struct cpu_pool *pool;
    pthread_t thread;
    int worker;
};

struct cpu_pool {
    _Alignas(64) _Atomic uint64_t run;
    _Alignas(64) _Atomic int64_t next; /* the next index to claim */
    _Alignas(64) _Atomic uint64_t owner;
    _Atomic int sleepers, caller_sleeps, stop;

    /* Of the posted run: written by its caller, read by helpers inside. */
    void (*task)(void *argument, int64_t index, int worker);
    void *argument;
    int64_t count;

    pthread_mutex_t lock; /* for sleeping and waking only */
    pthread_cond_t posted, finished;
    int threads, started, spins;
    struct helper helper[];
};

/* ---------------------------------------------------------------------------------------------------------- *
 * Fork: the child has none of its parent's helpers, and must not trust a lock that one of them may hold
 * ---------------------------------------------------------------------------------------------------------- */

static _Atomic uint32_t fork_generation;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static void fork_in_child(void)
{
    atomic_fetch_add(&fork_generation, 1);
}

static void fork_watch(void)
{
    pthread_atfork(NULL, NULL, fork_in_child);
}

/* ---------------------------------------------------------------------------------------------------------- *
 * Floating-point environment
 * ---------------------------------------------------------------------------------------------------------- */

#if defined(__SSE2__)
void cpu_float_enter(struct cpu_float_environment *saved)
{
    saved->word[0] = _mm_getcsr();
    _mm_setcsr(0x1f80); /* every exception masked, round to nearest, no flush to zero, no denormals as zeros */
}

void cpu_float_leave(const struct cpu_float_environment *saved)
{
    _mm_setcsr((unsigned)saved->word[0]);
}
#else
_Static_assert(sizeof(fenv_t) <= sizeof(struct cpu_float_environment), "an fenv_t must fit");

void cpu_float_enter(struct cpu_float_environment *saved)
{
    fenv_t environment;
    fegetenv(&environment);
    memcpy(saved, &environment, sizeof environment);
    fesetenv(FE_DFL_ENV);
}

void cpu_float_leave(const struct cpu_float_environment *saved)
{
    fenv_t environment;
    memcpy(&environment, saved, sizeof environment);
    fesetenv(&environment);
}
#endif

static void spin_pause(void)
{
#if defined(__SSE2__)
    _mm_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

/* ---------------------------------------------------------------------------------------------------------- *
 * Helpers
 * ---------------------------------------------------------------------------------------------------------- */

static void pool_claim(struct cpu_pool *pool, int worker)
{
    int64_t index;
    while ((index = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed)) < pool->count) {
        pool->task(pool->argument, index, worker);
    }
}

static int run_is_new(struct cpu_pool *pool, uint64_t last)
{
    uint64_t run = atomic_load(&pool->run);
    return (run & RUN_OPEN) && RUN_NUMBER(run) != last;
}

/* Returns when there is a run to join, or the pool ends. */
static void helper_wait(struct cpu_pool *pool, uint64_t last)
{
    for (int i = 0; i < pool->spins; i++) {
        if (run_is_new(pool, last) || atomic_load_explicit(&pool->stop, memory_order_relaxed)) return;
        spin_pause();
    }
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->sleepers, 1); /* before looking again: the caller posts first and then looks here */
    while (!run_is_new(pool, last) && !atomic_load(&pool->stop)) pthread_cond_wait(&pool->posted, &pool->lock);
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->lock);
}

static void helper_leave(struct cpu_pool *pool)
{
    uint64_t run = atomic_fetch_sub(&pool->run, 1) - 1;
    if ((run & RUN_OPEN) || RUN_INSIDE(run) || !atomic_load(&pool->caller_sleeps)) return;
    pthread_mutex_lock(&pool->lock);
    pthread_cond_signal(&pool->finished);
    pthread_mutex_unlock(&pool->lock);
}

static void *helper_main(void *argument)
{
    struct helper *helper = argument;
    struct cpu_pool *pool = helper->pool;
    struct cpu_float_environment unused;
    uint64_t last = 0;
    cpu_float_enter(&unused); /* a thread inherits its creator's */
    while (!atomic_load(&pool->stop)) {
        uint64_t run = atomic_load(&pool->run);
        if (!(run & RUN_OPEN) || RUN_NUMBER(run) == last) {
            helper_wait(pool, last);
            continue;
        }
        if (!atomic_compare_exchange_strong(&pool->run, &run, run + 1)) continue;
        last = RUN_NUMBER(run);
        pool_claim(pool, helper->worker);
        helper_leave(pool);
    }
    return NULL;
}

/* Starts helpers until there are `wanted`; fewer when the system gives no more. Signals are left to the program's own
 * threads, but for those that a thread's own access raises: a program may handle a fault in a mapped file. */
static void pool_start(struct cpu_pool *pool, int wanted)
{
    static const int own_faults[] = {SIGBUS, SIGSEGV, SIGFPE, SIGILL};
    sigset_t blocked, before;
    if (pool->started >= wanted) return;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof own_faults / sizeof own_faults[0]; i++) sigdelset(&blocked, own_faults[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    while (pool->started < wanted) {
        struct helper *helper = &pool->helper[pool->started];
        *helper = (struct helper){.pool = pool, .worker = pool->started + 1};
        if (pthread_create(&helper->thread, NULL, helper_main, helper) != 0) break;
        pool->started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---------------------------------------------------------------------------------------------------------- *
 * The pool
 * ---------------------------------------------------------------------------------------------------------- */

/* As new: also used in a forked child, where lock and conditions are in an unknown state. */
static void pool_reset(struct cpu_pool *pool)
{
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->posted, NULL);
    pthread_cond_init(&pool->finished, NULL);
    atomic_store(&pool->run, 0);
    atomic_store(&pool->sleepers, 0);
    atomic_store(&pool->caller_sleeps, 0);
    atomic_store(&pool->stop, 0);
    pool->started = 0;
}

struct cpu_pool *cpu_pool_new(int threads)
{
    threads = threads < 1 ? 1 : threads > CPU_MAX_THREADS ? CPU_MAX_THREADS : threads;
    size_t bytes = sizeof(struct cpu_pool) + (size_t)(threads - 1) * sizeof(struct helper);
    struct cpu_pool *pool = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!pool) return NULL;
    memset(pool, 0, bytes);
    pthread_once(&fork_once, fork_watch);
    pool->threads = threads;
    pool->spins = threads <= cpu_default_threads() ? SPIN_PAUSES : 0;
    atomic_store(&pool->owner, OWNER(atomic_load(&fork_generation), 0));
    pool_reset(pool);
    return pool;
}

void cpu_pool_free(struct cpu_pool *pool)
{
    if (!pool) return;
    if (atomic_load(&pool->owner) >> 1 == atomic_load(&fork_generation)) {
        pthread_mutex_lock(&pool->lock);
        atomic_store(&pool->stop, 1);
        pthread_cond_broadcast(&pool->posted);
        pthread_mutex_unlock(&pool->lock);
        for (int i = 0; i < pool->started; i++) pthread_join(pool->helper[i].thread, NULL);
        pthread_cond_destroy(&pool->finished);
        pthread_cond_destroy(&pool->posted);
        pthread_mutex_destroy(&pool->lock);
    }
    free(pool);
}

int cpu_pool_threads(const struct cpu_pool *pool)
{
    return pool->threads;
}

/* Takes the pool for one caller; false when another has it. */
static int pool_take(struct cpu_pool *pool)
{
    uint32_t generation = atomic_load(&fork_generation);
    uint64_t owner = atomic_load(&pool->owner);
    if (owner == OWNER(generation, 1)) return 0;
    if (!atomic_compare_exchange_strong(&pool->owner, &owner, OWNER(generation, 1))) return 0;
    if (owner >> 1 != generation) pool_reset(pool);
    return 1;
}

static void pool_wake(struct cpu_pool *pool, int64_t wanted)
{
    int sleepers = atomic_load(&pool->sleepers);
    if (sleepers == 0) return;
    pthread_mutex_lock(&pool->lock);
    for (int64_t i = 0; i < wanted && i < sleepers; i++) pthread_cond_signal(&pool->posted);
    pthread_mutex_unlock(&pool->lock);
}

/* Waits for the helpers inside a closed run. */
static void pool_finish(struct cpu_pool *pool)
{
    for (int i = 0; i < pool->spins; i++) {
        if (RUN_INSIDE(atomic_load(&pool->run)) == 0) return;
        spin_pause();
    }
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->caller_sleeps, 1);
    while (RUN_INSIDE(atomic_load(&pool->run)) != 0) pthread_cond_wait(&pool->finished, &pool->lock);
    atomic_store(&pool->caller_sleeps, 0);
    pthread_mutex_unlock(&pool->lock);
}

static void pool_run_together(struct cpu_pool *pool, int64_t count,
                              void (*task)(void *argument, int64_t index, int worker), void *argument)
{
    int64_t wanted = count - 1 < pool->threads - 1 ? count - 1 : pool->threads - 1;
    pool_start(pool, (int)wanted);
    pool->task = task;
    pool->argument = argument;
    pool->count = count;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    uint64_t number = (RUN_NUMBER(atomic_load(&pool->run)) + 1) & UINT32_MAX;
    atomic_store(&pool->run, number << 32 | RUN_OPEN);
    pool_wake(pool, wanted);
    pool_claim(pool, 0);
    atomic_fetch_and(&pool->run, ~RUN_OPEN);
    pool_finish(pool);
}

void cpu_pool_run(struct cpu_pool *pool, int64_t count, void (*task)(void *argument, int64_t index, int worker),
                  void *argument)
{
    struct cpu_float_environment saved;
    cpu_float_enter(&saved);
    if (count > 1 && pool->threads > 1 && pool_take(pool)) {
        pool_run_together(pool, count, task, argument);
        atomic_fetch_and(&pool->owner, ~(uint64_t)1);
    } else {
        for (int64_t i = 0; i < count; i++) task(argument, i, 0);
    }
    cpu_float_leave(&saved);
}
