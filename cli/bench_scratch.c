/* SPDX-License-Identifier: MIT
 *
 * bench_scratch.c - the device's memory that a call takes beyond its arrays: the most that a context holds at once from
 * its opening to a verified result. The context is a new one, which has nothing left from other cases, and asks an
 * allocator that counts. That takes from the context of the bench, whose own allocations are not counted. */
#include "bench.h"
#include "io/error.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

/* The promise: a thousandth of what is read, and a MiB. */
#define ALLOWED(input_bytes) ((int64_t)((input_bytes) / 1000) + ((int64_t)1 << 20))

typedef struct block {
    struct block *next;
    void *memory;
    size_t bytes;
} block;

typedef struct counter {
    pthread_mutex_t mutex;
    tally_context *from;
    size_t held, most;
    block *blocks;
} counter;

/* Waits until the memory is there: another context's stream will use it. */
static void *allocate(void *user, size_t bytes)
{
    counter *all = user;
    block *made = malloc(sizeof *made);
    void *memory = NULL;
    if (made == NULL || tally_alloc(all->from, bytes, &memory) != TALLY_OK ||
        tally_synchronize(all->from) != TALLY_OK) {
        tally_free(all->from, memory, bytes);
        free(made);
        return NULL;
    }
    pthread_mutex_lock(&all->mutex);
    *made = (block){.next = all->blocks, .memory = memory, .bytes = bytes};
    all->blocks = made;
    all->held += bytes;
    if (all->held > all->most) all->most = all->held;
    pthread_mutex_unlock(&all->mutex);
    return memory;
}

/* Only counts: work that uses the memory may still be under way. */
static void release(void *user, void *memory, size_t bytes)
{
    counter *all = user;
    (void)memory;
    pthread_mutex_lock(&all->mutex);
    all->held -= bytes;
    pthread_mutex_unlock(&all->mutex);
}

static void free_blocks(counter *all)
{
    while (all->blocks != NULL) {
        block *first = all->blocks;
        all->blocks = first->next;
        tally_free(all->from, first->memory, first->bytes);
        free(first);
    }
}

/* The case on a new context, checked. */
static int measure(bench_state *state, const bench_case *wanted, const bench_call *call, counter *all,
                   bench_result *result)
{
    const tally_allocator counting = {.size = sizeof counting, .user = all, .allocate = allocate, .release = release};
    tally_context *of_bench = state->device, *fresh = NULL;
    int verdict = BENCH_LEFT_OUT;
    all->from = of_bench;
    if (tally_synchronize(of_bench) != TALLY_OK || tally_open(state->about.name, &fresh) != TALLY_OK ||
        tally_set_allocator(fresh, &counting) != TALLY_OK) {
        cli_fail_call("bench");
    } else {
        state->device = fresh;
        verdict = bench_check(state, wanted, call, result);
        state->device = of_bench;
    }
    tally_close(fresh);
    free_blocks(all);
    return verdict;
}

static void print_row(const bench_report *report, const bench_case *wanted, const bench_call *call,
                      const bench_result *result, size_t bytes)
{
    const int64_t allowed = ALLOWED(call->input_bytes);
    printf("%11.1f KiB scratch %8.4f %% of the input, %5.1f %% of what is allowed\n", (double)bytes / 1024,
           100 * (double)bytes / (double)call->input_bytes, 100 * (double)bytes / (double)allowed);
    fflush(stdout);
    if (report->json == NULL) return;
    bench_write_case(report, wanted);
    fprintf(report->json, ", \"scratch_bytes\": %zu, \"input_bytes\": %zu, \"allowed_bytes\": %" PRId64, bytes,
            call->input_bytes, allowed);
    bench_write_end(report, result);
}

bool bench_scratch(bench_report *report, const bench_case *wanted)
{
    bench_state *state = &report->state;
    bench_call call;
    bench_result result = {.first = 0};
    counter all = {.held = 0};
    if (state->compile_only) return bench_one(report, wanted);
    if (!bench_pool_fill(state, wanted->type, wanted->spread, bench_pool_bytes(wanted))) return false;
    pthread_mutex_init(&all.mutex, NULL);
    int verdict = bench_prepare(state, wanted, &call);
    if (verdict == BENCH_DONE) verdict = measure(state, wanted, &call, &all, &result);
    pthread_mutex_destroy(&all.mutex);
    bench_print_what(wanted);
    if (verdict == BENCH_DONE) print_row(report, wanted, &call, &result, all.most);
    else bench_print_failure(verdict);
    return bench_count(report, verdict);
}
