/* SPDX-License-Identifier: MIT
 *
 * threads_transfer.c - copies through the pinned ring on the fake driver: from several threads at once, with a driver
 * that fails in the middle, without pinned memory; and nothing stays behind. */
#define _GNU_SOURCE
#include "test.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <tally.h>

enum { THREADS = 3, BYTES = 9000001 };

static tally_context *context;
static atomic_int wrong;

static int alive(void)
{
    int (*count)(void) = NULL;
    void *library = dlopen(FAKE_CUDA, RTLD_NOW);
    void *found = library ? dlsym(library, "fake_cuda_alive") : NULL;
    memcpy(&count, &found, sizeof count);
    return count ? count() : -1;
}

/* There and back; the bytes must be the same. */
static tally_status there_and_back(unsigned char first)
{
    unsigned char *from = malloc(BYTES), *to = calloc(1, BYTES);
    void *far = NULL;
    tally_status status = from && to ? tally_alloc(context, BYTES, &far) : TALLY_OUT_OF_MEMORY;
    for (size_t i = 0; from && i < BYTES; i++) from[i] = (unsigned char)(first + (i * 2654435761u >> 11));
    if (status == TALLY_OK) status = tally_copy(context, far, from, BYTES);
    if (status == TALLY_OK) status = tally_copy(context, to, far, BYTES);
    if (status == TALLY_OK) wrong += memcmp(from, to, BYTES) != 0;
    tally_free(context, far, BYTES);
    free(from);
    free(to);
    return status;
}

static void *work(void *argument)
{
    for (int i = 0; i < 3; i++) wrong += there_and_back((unsigned char)(*(int *)argument + i)) != TALLY_OK;
    return NULL;
}

static void fail_in(const char *setting)
{
    setenv("FAKE_CUDA_FAIL", setting, 1);
    CHECK_EQUAL_I64(there_and_back(1), TALLY_DEVICE_ERROR);
    CHECK(strstr(tally_last_error(), "CUDA_ERROR_FAKE") != NULL);
    unsetenv("FAKE_CUDA_FAIL");
    CHECK_EQUAL_I64(there_and_back(2), TALLY_OK);
}

int main(void)
{
    pthread_t threads[THREADS];
    int numbers[THREADS];
    setenv("TALLY_CUDA_DRIVER", FAKE_CUDA, 1);
    setenv("TALLY_NVRTC", FAKE_CUDA, 1);
    setenv("TALLY_CACHE_LIMIT", "0", 1);
    setenv("FAKE_CUDA_MEMORY", "67108864", 1);
    if (!CHECK(tally_open("cuda", &context) == TALLY_OK)) return test_finish("threads_transfer");
    CASE("no pinned memory")
    {
        setenv("FAKE_CUDA_FAIL", "cuMemHostAlloc:2", 1);
        CHECK_EQUAL_I64(there_and_back(0), TALLY_OK);
        unsetenv("FAKE_CUDA_FAIL");
    }
    CASE("threads")
    {
        for (int i = 0; i < THREADS; i++) {
            numbers[i] = i;
            CHECK(pthread_create(&threads[i], NULL, work, &numbers[i]) == 0);
        }
        for (int i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    }
    CASE("a driver that fails")
    {
        fail_in("cuMemcpyAsync:1");
        fail_in("cuEventRecord:1");
        fail_in("cuEventSynchronize:1");
    }
    CASE("nothing stays")
    {
        CHECK_EQUAL_I64(wrong, 0);
        CHECK(tally_close(context) == TALLY_OK);
        CHECK_EQUAL_I64(alive(), 0);
    }
    return test_finish("threads_transfer");
}
