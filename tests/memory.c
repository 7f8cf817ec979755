/* SPDX-License-Identifier: MIT
 *
 * memory.c - what a context holds and gives back, through a counting allocator; several contexts, one context used by
 * several threads at once, and a fork beside a warm pool. */
#define _POSIX_C_SOURCE 200809L
#include "counting.h"
#include "data.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#define N 200000

static _Alignas(64) double x[N];
static unsigned char mask[N];

/* A few calls of every kind; their results. */
struct results {
    double sum, prod, lse, rows[8], last;
    int64_t index;
};

static int run_all(tally_context *context, struct results *r, double *scanned)
{
    tally_options rows = TALLY_OPTIONS_INIT, masked = TALLY_OPTIONS_INIT;
    int32_t axis = 0;
    tally_array v = tally_vector(x, TALLY_F64, N), m = tally_matrix(x, TALLY_F64, N / 8, 8),
                where = tally_vector(mask, TALLY_BOOL, N);
    tally_array sum = tally_shaped(&r->sum, TALLY_F64, 0, NULL), prod = tally_shaped(&r->prod, TALLY_F64, 0, NULL);
    tally_array lse = tally_shaped(&r->lse, TALLY_F64, 0, NULL), cells = tally_vector(r->rows, TALLY_F64, 8);
    tally_array index = tally_shaped(&r->index, TALLY_I64, 0, NULL), out = tally_vector(scanned, TALLY_F64, N);
    rows.axes = &axis, rows.axis_count = 1;
    masked.where = &where;
    int fine = tally_reduce(context, TALLY_SUM, &v, &sum, NULL) == TALLY_OK;
    fine &= tally_reduce(context, TALLY_PROD, &v, &prod, &masked) == TALLY_OK;
    fine &= tally_reduce(context, TALLY_LOGSUMEXP, &v, &lse, NULL) == TALLY_OK;
    fine &= tally_reduce(context, TALLY_VAR, &m, &cells, &rows) == TALLY_OK;
    fine &= tally_reduce(context, TALLY_ARGMAX, &v, &index, NULL) == TALLY_OK;
    fine &= tally_scan(context, TALLY_SUM, &v, &out, NULL) == TALLY_OK;
    r->last = scanned[N - 1];
    return fine;
}

static struct results expected;

static void allocator(void)
{
    static const char *const devices[] = {"cpu:1", "cpu:4", "reference"};
    static double scanned[N];
    for (int d = 0; d < 3; d++) {
        struct counting counting;
        tally_context *context = counting_open(devices[d], &counting);
        struct results r;
        void *memory[3];
        for (int i = 0; i < 3; i++) CHECK(run_all(context, &r, scanned));
        CHECK(memcmp(&r, &expected, sizeof r) == 0);
        CHECK(atomic_load(&counting.calls) > 0);
        long long warm = atomic_load(&counting.bytes), calls = atomic_load(&counting.calls);
        for (int i = 0; i < 20; i++) CHECK(run_all(context, &r, scanned));
        CHECK_EQUAL_I64(atomic_load(&counting.bytes), warm); /* a warm context does not grow */
        CHECK(atomic_load(&counting.calls) >= calls);
        for (size_t i = 0; i < 3; i++) {
            CHECK(tally_alloc(context, i * 1000, &memory[i]) == TALLY_OK && (uintptr_t)memory[i] % 64 == 0);
            CHECK_EQUAL_I64(atomic_load(&counting.bytes), warm + (i ? (int64_t)i * 1000 : 1) + (i == 2 ? 1001 : i));
        }
        for (size_t i = 0; i < 3; i++) CHECK(tally_free(context, memory[i], i * 1000) == TALLY_OK);
        CHECK_EQUAL_I64(atomic_load(&counting.bytes), warm);
        counting_close(context, &counting);
    }
}

/* Partials hold no reference: closing and opening around them is not done, but many may live at once. */
static void many_partials(void)
{
    struct counting counting;
    tally_context *context = counting_open("cpu:2", &counting);
    tally_partial *partials[64];
    tally_array v = tally_vector(x, TALLY_F64, 1000);
    for (int i = 0; i < 64; i++) {
        CHECK(tally_partial_new(context, 1 + (tally_op)i % 6, TALLY_F64, 0, NULL, NULL, &partials[i]) == TALLY_OK);
        CHECK(tally_partial_add(partials[i], &v, NULL, NULL) == TALLY_OK);
    }
    for (int i = 0; i < 64; i++) tally_partial_free(partials[i * 37 % 64]);
    counting_close(context, &counting);
}

/* ---- threads ---- */

struct user {
    tally_context *context;
    int rounds, wrong;
};

static void *use(void *argument)
{
    struct user *user = argument;
    double *scanned = malloc(sizeof *scanned * N);
    for (int i = 0; i < user->rounds; i++) {
        struct results r;
        char text[64];
        tally_array bad = tally_vector(x, 99, N);
        user->wrong += !run_all(user->context, &r, scanned) || memcmp(&r, &expected, sizeof r) != 0;
        snprintf(text, sizeof text, "%d", 1000 + i); /* each thread has its own last error */
        bad.type = 1000 + i;
        user->wrong += tally_reduce(user->context, TALLY_SUM, &bad, &bad, NULL) != TALLY_INVALID_ARGUMENT;
        user->wrong += strstr(tally_last_error(), text) == NULL;
    }
    free(scanned);
    return NULL;
}

static void shared_context(const char *device, int users)
{
    struct counting counting;
    tally_context *context = counting_open(device, &counting);
    pthread_t threads[8];
    struct user user[8];
    for (int i = 0; i < users; i++) {
        user[i] = (struct user){context, 12, 0};
        CHECK(pthread_create(&threads[i], NULL, use, &user[i]) == 0);
    }
    for (int i = 0; i < users; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        CHECK_EQUAL_I64(user[i].wrong, 0);
    }
    counting_close(context, &counting);
}

static void several_contexts(void)
{
    static const char *const devices[] = {"cpu:1", "cpu:2", "cpu:3", "reference", "auto", "cpu"};
    tally_context *contexts[6];
    pthread_t threads[6];
    struct user user[6];
    for (int i = 0; i < 6; i++) CHECK(tally_open(devices[i], &contexts[i]) == TALLY_OK);
    for (int i = 0; i < 6; i++) {
        user[i] = (struct user){contexts[i], 3, 0};
        CHECK(pthread_create(&threads[i], NULL, use, &user[i]) == 0);
    }
    for (int i = 0; i < 6; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        CHECK_EQUAL_I64(user[i].wrong, 0);
    }
    for (int i = 0; i < 6; i++) CHECK(tally_close(contexts[(i * 5 + 2) % 6]) == TALLY_OK);
    for (int i = 0; i < 50; i++) { /* opening and closing, used or not */
        CHECK(tally_open("cpu:3", &contexts[0]) == TALLY_OK);
        struct user once = {contexts[0], i % 10 == 0, 0};
        use(&once);
        CHECK(once.wrong == 0 && tally_close(contexts[0]) == TALLY_OK);
    }
}

/* The child of a process whose pool is warm has no pool threads, and must get its results all the same. */
static void forks(void)
{
    tally_context *context;
    static double scanned[N];
    struct results r;
    CHECK(tally_open("cpu:3", &context) == TALLY_OK);
    CHECK(run_all(context, &r, scanned));
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        if (child == 0) {
            int right = 1;
            alarm(60);
            for (int k = 0; k < 3; k++) right &= run_all(context, &r, scanned) && memcmp(&r, &expected, sizeof r) == 0;
            tally_close(context);
            right &= tally_open("cpu:2", &context) == TALLY_OK && run_all(context, &r, scanned) &&
                     memcmp(&r, &expected, sizeof r) == 0;
            tally_close(context);
            _exit(right ? 0 : 1);
        }
        int status = -1;
        CHECK(child > 0 && waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        CHECK(run_all(context, &r, scanned) && memcmp(&r, &expected, sizeof r) == 0);
    }
    CHECK(tally_close(context) == TALLY_OK);
}

int main(void)
{
    static double scanned[N];
    tally_context *context;
    data_fill(TALLY_F64, DATA_ORDINARY, x, N);
    for (int64_t i = 0; i < N; i++) {
        mask[i] = test_random_below(2) != 0;
        x[i] = exp2(x[i] / 64);
    }
    memset(&expected, 0, sizeof expected);
    CHECK(tally_open("reference", &context) == TALLY_OK && run_all(context, &expected, scanned));
    tally_close(context);
#if !defined(__SANITIZE_THREAD__) /* which lets no child of threads start threads */
    CASE("fork") forks();
#else
    (void)forks;
#endif
    CASE("allocator") allocator();
    CASE("many partials") many_partials();
    CASE("one context, several threads")
    {
        shared_context("cpu:3", 4);
        shared_context("cpu:1", 3);
        shared_context("reference", 2);
    }
    CASE("several contexts") several_contexts();
    return test_finish("memory");
}
