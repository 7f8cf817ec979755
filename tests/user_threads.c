/* SPDX-License-Identifier: MIT
 *
 * user_threads.c - operators of users from several threads at once: made, compiled, used and freed. */
#define _GNU_SOURCE
#include "user_operators.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#define THREADS 4
#define N 40000

static tally_context *contexts[2];
static tally_op shared[2]; /* text and functions */
static char fresh[4][64];  /* helpers that make the text new to the cache */
static uint64_t x[N], want[4];
static _Alignas(64) uint64_t scanned[N * 4];

static int reduces(tally_op op, tally_context *context)
{
    uint64_t got[4] = {0};
    tally_array v = tally_vector(x, TALLY_U64, N), out = tally_vector(got, TALLY_U64, 4);
    return tally_reduce(context, op, &v, &out, NULL) == TALLY_OK && memcmp(got, want, sizeof want) == 0;
}

static int scans(tally_op op, tally_context *context, uint64_t *room)
{
    int64_t shape[2] = {N, 4};
    tally_array v = tally_vector(x, TALLY_U64, N), out = tally_shaped(room, TALLY_U64, 2, shape);
    return tally_scan(context, op, &v, &out, NULL) == TALLY_OK && memcmp(room, scanned, sizeof scanned) == 0;
}

static void *user_main(void *argument)
{
    int number = (int)(intptr_t)argument, good = 1;
    uint64_t *room = malloc(sizeof scanned);
    tally_op_source source = user_source(user_case_named("matrix"));
    tally_op_functions functions = user_functions(user_case_named("matrix"));
    for (int k = 0; k < 4 && room; k++) {
        tally_op own = 0, other = 0;
        size_t bytes = 0;
        good &= reduces(shared[k % 2], contexts[(k + number) % 2]);
        good &= scans(shared[(k + 1) % 2], contexts[(k + number) % 2], room);
        /* All compile the same text at the same time, which no process has compiled before. */
        source.helpers = fresh[k];
        good &= tally_op_compile(contexts[k % 2], &source, &own) == TALLY_OK;
        good &= tally_op_from_functions(&functions, &other) == TALLY_OK;
        good &= reduces(own, contexts[0]) && reduces(other, contexts[1]);
        good &= tally_op_state_size(own, &bytes) == TALLY_OK && bytes == 32;
        good &= tally_op_free(own) == TALLY_OK && tally_op_free(other) == TALLY_OK;
    }
    free(room);
    return good && room ? argument : NULL;
}

int main(void)
{
    const struct user_case *c = user_case_named("matrix");
    int64_t shape[2] = {N, 4};
    pthread_t threads[THREADS];
    CHECK(tally_open("cpu:3", &contexts[0]) == TALLY_OK);
    CHECK(tally_open("reference", &contexts[1]) == TALLY_OK);
    for (int k = 0; k < N; k++) x[k] = test_random();
    user_make(contexts[0], c, shared);
    tally_array v = tally_vector(x, TALLY_U64, N), out = tally_vector(want, TALLY_U64, 4);
    CHECK(tally_reduce(contexts[1], shared[1], &v, &out, NULL) == TALLY_OK);
    out = tally_shaped(scanned, TALLY_U64, 2, shape);
    CHECK(tally_scan(contexts[1], shared[1], &v, &out, NULL) == TALLY_OK);
    for (int k = 0; k < 4; k++)
        snprintf(fresh[k], sizeof fresh[k], "// %lld %ld %d", (long long)time(NULL), (long)getpid(), k);
    for (intptr_t k = 0; k < THREADS; k++) CHECK(pthread_create(&threads[k], NULL, user_main, (void *)(k + 1)) == 0);
    for (int k = 0; k < THREADS; k++) {
        void *good = NULL;
        pthread_join(threads[k], &good);
        CHECK(good != NULL);
    }
    user_free(shared);
    for (int k = 0; k < 2; k++) CHECK(tally_close(contexts[k]) == TALLY_OK);
    return test_finish("user_threads");
}
