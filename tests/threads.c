/* SPDX-License-Identifier: MIT
 *
 * threads.c - the CPU engine's pool: every index once, claimed in order, from several callers, nested and after fork.
 */
#define _GNU_SOURCE
#include "cpu/threads.h"
#include "test.h"

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST 5000

#if defined(__SANITIZE_THREAD__)
#define UNDER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_TSAN 1
#endif
#endif
#ifndef UNDER_TSAN
#define UNDER_TSAN 0
#endif

struct job {
    struct cpu_pool *pool;
    _Atomic int runs[MOST];
    _Atomic int busy[CPU_MAX_THREADS]; /* per worker number */
    _Atomic int shared_worker, wrong_worker, wrong_environment;
    _Atomic int64_t total, latest;
};

static void job_task(void *argument, int64_t index, int worker)
{
    struct job *job = argument;
    if (worker < 0 || worker >= cpu_pool_threads(job->pool)) job->wrong_worker = 1;
    else if (atomic_fetch_add(&job->busy[worker], 1) != 0) job->shared_worker = 1;
    volatile double one = 1, tiny = 1e-30, least = 0x1p-1074;
    if (one + tiny != one || one - tiny != one || least * one == 0) job->wrong_environment = 1;
    atomic_fetch_add(&job->runs[index], 1);
    atomic_fetch_add(&job->total, index);
    if (worker >= 0 && worker < cpu_pool_threads(job->pool)) atomic_fetch_sub(&job->busy[worker], 1);
}

/* Runs `count` indices in the given memory and returns whether all went as promised. */
static int job_holds_in(struct job *job, struct cpu_pool *pool, int64_t count)
{
    memset(job, 0, sizeof *job);
    job->pool = pool;
    cpu_pool_run(pool, count, job_task, job);
    int holds = !job->shared_worker && !job->wrong_worker && !job->wrong_environment;
    for (int64_t i = 0; i < count; i++) holds &= job->runs[i] == 1;
    return holds && job->total == (count > 0 ? count * (count - 1) / 2 : 0);
}

static int job_holds(struct cpu_pool *pool, int64_t count)
{
    struct job *job = malloc(sizeof *job);
    int holds = job && job_holds_in(job, pool, count);
    free(job);
    return holds;
}

static void nested_task(void *argument, int64_t index, int worker)
{
    struct job *job = argument;
    (void)worker;
    if (!job_holds(job->pool, 1 + index % 7)) job->wrong_worker = 1;
}

static void *caller_main(void *argument)
{
    int holds = 1;
    for (int i = 0; i < 300; i++) holds &= job_holds(argument, i % 40);
    return holds ? argument : NULL;
}

static void order_task(void *argument, int64_t index, int worker)
{
    struct job *job = argument;
    (void)worker;
    /* A task that starts when all others are done is the last one claimed. */
    int64_t seen = atomic_load(&job->latest);
    while (seen < index && !atomic_compare_exchange_weak(&job->latest, &seen, index)) {
    }
    if (seen > index + cpu_pool_threads(job->pool)) job->wrong_worker = 1;
}

static void signal_task(void *argument, int64_t index, int worker)
{
    sigset_t mask;
    (void)index;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    if (worker > 0 && !sigismember(&mask, SIGUSR1)) *(_Atomic int *)argument = 1;
    usleep(100);
}

static int in_child(struct cpu_pool *pool)
{
    pid_t child = fork();
    if (child == 0) {
        int holds = 1;
        for (int i = 0; i < 50; i++) holds &= job_holds(pool, 100);
        cpu_pool_free(pool);
        _exit(holds ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static _Atomic int busy_runs, busy_stop;

/* Without the heap and new threads: a sanitizer's allocator keeps the lock that another thread held when its process
 * forked, and the child waits for it for ever. */
static void *busy_main(void *argument)
{
    static struct job job;
    while (!atomic_load(&busy_stop)) {
        if (!job_holds_in(&job, argument, 20)) return NULL;
        atomic_store(&busy_runs, 1);
    }
    return argument;
}

static void test_fork(void)
{
    struct cpu_pool *fresh = cpu_pool_new(3), *used = cpu_pool_new(3), *busy = cpu_pool_new(3);
    pthread_t thread;
    void *result;
    CHECK(job_holds(used, 100));
    CHECK(in_child(fresh));
    CHECK(in_child(used));
    CHECK(job_holds(used, 100));
    CHECK(job_holds(busy, 100));
    pthread_create(&thread, NULL, busy_main, busy);
    while (!atomic_load(&busy_runs)) usleep(100);
    for (int i = 0; i < 30; i++) CHECK(in_child(busy));
    atomic_store(&busy_stop, 1);
    pthread_join(thread, &result);
    CHECK(result == busy);
    cpu_pool_free(fresh);
    cpu_pool_free(used);
    cpu_pool_free(busy);
}

static void test_callers(struct cpu_pool *pool)
{
    pthread_t thread[4];
    for (int i = 0; i < 4; i++) CHECK(pthread_create(&thread[i], NULL, caller_main, pool) == 0);
    for (int i = 0; i < 4; i++) {
        void *result;
        pthread_join(thread[i], &result);
        CHECK(result == pool);
    }
}

int main(void)
{
    CASE("clamped")
    {
        struct cpu_pool *least = cpu_pool_new(-3), *most = cpu_pool_new(1 << 20);
        CHECK_EQUAL_I64(cpu_pool_threads(least), 1);
        CHECK_EQUAL_I64(cpu_pool_threads(most), CPU_MAX_THREADS);
        cpu_pool_free(least);
        cpu_pool_free(most);
        cpu_pool_free(NULL);
        CHECK(cpu_default_threads() >= 1 && cpu_default_threads() <= CPU_MAX_THREADS);
    }
    int sizes[] = {1, 2, 4, 7};
    for (int s = 0; s < 4; s++) {
        struct cpu_pool *pool = cpu_pool_new(sizes[s]);
        struct job *job = calloc(1, sizeof *job);
        job->pool = pool;
        CASE("every index once")
        {
            CHECK(job_holds(pool, 0) && job_holds(pool, 1) && job_holds(pool, 2) && job_holds(pool, MOST));
        }
        CASE("tiny jobs")
        {
            for (int i = 0; i < (UNDER_TSAN ? 2000 : 20000); i++) {
                if (!job_holds(pool, 1 + i % 5)) CHECK(!"tiny job");
            }
        }
        CASE("nested")
        {
            cpu_pool_run(pool, 50, nested_task, job);
            CHECK(!job->wrong_worker);
        }
        CASE("in order")
        {
            cpu_pool_run(pool, MOST, order_task, job);
            CHECK_EQUAL_I64(job->latest, MOST - 1);
            if (sizes[s] == 1) CHECK(!job->wrong_worker);
        }
        CASE("several callers") test_callers(pool);
        CASE("caller's rounding")
        {
            fesetround(FE_UPWARD);
            CHECK(job_holds(pool, 1) && job_holds(pool, 100));
            CHECK(fegetround() == FE_UPWARD);
            fesetround(FE_TONEAREST);
        }
        CASE("signals")
        {
            _Atomic int open = 0;
            cpu_pool_run(pool, 20, signal_task, &open);
            CHECK(!open);
        }
        free(job);
        cpu_pool_free(pool);
    }
    if (!UNDER_TSAN) {
        CASE("fork") test_fork();
    }
    return test_finish("threads");
}
