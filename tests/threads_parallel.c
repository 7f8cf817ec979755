/* SPDX-License-Identifier: MIT
 *
 * threads_parallel.c - tasks of the caller's on a context's threads: each index once, workers apart, calls inside of
 * tasks, and what is refused. */
#include "test.h"

#include <stdatomic.h>
#include <tally.h>

#define MOST_TASKS 1000
#define MOST_WORKERS 4

struct seen {
    tally_context *context;
    int32_t workers;
    int nested;
    _Atomic int runs[MOST_TASKS], busy[MOST_WORKERS], wrong;
};

static void inner_task(void *argument, int64_t index, int32_t worker)
{
    _Atomic int64_t *sum = argument;
    *sum += worker >= 0 ? index : -1;
}

static void task(void *argument, int64_t index, int32_t worker)
{
    struct seen *seen = argument;
    if (worker < 0 || worker >= seen->workers || atomic_exchange(&seen->busy[worker], 1) != 0) seen->wrong++;
    if (seen->nested) {
        _Atomic int64_t sum = 0;
        if (tally_parallel_for(seen->context, 10, inner_task, &sum) != TALLY_OK || sum != 45) seen->wrong++;
    }
    seen->runs[index]++;
    if (worker >= 0 && worker < seen->workers) seen->busy[worker] = 0;
}

static void on(const char *name, int32_t workers)
{
    static const int64_t counts[] = {0, 1, 2, 3, 100, MOST_TASKS};
    tally_context *context;
    test.section = name;
    if (!CHECK(tally_open(name, &context) == TALLY_OK)) return;
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        for (int nested = 0; nested < 2; nested++) {
            static struct seen seen;
            memset(&seen, 0, sizeof seen);
            seen.context = context, seen.workers = workers, seen.nested = nested;
            CHECK_EQUAL_I64(tally_parallel_for(context, counts[c], task, &seen), TALLY_OK);
            CHECK(seen.wrong == 0);
            int64_t once = 0, never = 0;
            for (int64_t i = 0; i < MOST_TASKS; i++) once += seen.runs[i] == 1, never += seen.runs[i] == 0;
            CHECK(once == counts[c] && never == MOST_TASKS - counts[c]);
        }
    }
    static struct seen refused;
    CHECK_EQUAL_I64(tally_parallel_for(NULL, 1, task, &refused), TALLY_INVALID_ARGUMENT);
    CHECK_EQUAL_I64(tally_parallel_for(context, 1, NULL, &refused), TALLY_INVALID_ARGUMENT);
    CHECK_EQUAL_I64(tally_parallel_for(context, -1, task, &refused), TALLY_INVALID_ARGUMENT);
    CHECK_EQUAL_TEXT(tally_last_error(), "count is -1: expected 0 or more");
    CHECK(refused.runs[0] == 0);
    CHECK(tally_close(context) == TALLY_OK);
}

int main(void)
{
    tally_context *context;
    on("cpu:1", 1);
    on("cpu:4", 4);
    on("reference", 1);
    if (tally_open("simt", &context) == TALLY_OK) {
        static struct seen refused;
        CHECK_EQUAL_I64(tally_parallel_for(context, 1, task, &refused), TALLY_UNSUPPORTED);
        CHECK_EQUAL_TEXT(tally_last_error(), "device simt has no threads of the host: expected cpu or reference");
        CHECK(refused.runs[0] == 0 && tally_close(context) == TALLY_OK);
    }
    return test_finish("threads_parallel");
}
