/* SPDX-License-Identifier: MIT
 *
 * threads_cuda_machine.c - one CUDA machine, on the fake driver, used by many threads at once: every kernel is compiled
 * once, and after a lost context every thread is told the same first cause. */
#define _GNU_SOURCE
#include "gpu/machine.h"
#include "test.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <tally.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 200, KERNELS = 5 };

static struct machine *machine;
static const struct kernel *seen[KERNELS];
static pthread_mutex_t seen_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int wrong;

static int counted(const char *function)
{
    int (*count)(void) = NULL;
    void *library = dlopen(FAKE_CUDA, RTLD_NOW);
    void *found = library ? dlsym(library, function) : NULL;
    memcpy(&count, &found, sizeof count);
    return count ? count() : -1;
}

static void use_kernel(int number)
{
    char definitions[16];
    const struct kernel *kernel = NULL;
    int parameters = number;
    snprintf(definitions, sizeof definitions, "N=%d\n", number);
    struct kernel_request request = {"test.cu", "run", definitions, NULL};
    wrong += cuda_machine.kernel(machine, &request, &kernel) != TALLY_OK;
    pthread_mutex_lock(&seen_lock);
    if (!seen[number]) seen[number] = kernel;
    wrong += seen[number] != kernel;
    pthread_mutex_unlock(&seen_lock);
    struct launch launch = {kernel, 1, 32, 0, &parameters, sizeof parameters};
    wrong += !kernel || cuda_machine.launch(machine, &launch) != TALLY_OK;
}

static void *work(void *argument)
{
    int first = *(int *)argument;
    for (int i = 0; i < ROUNDS; i++) {
        void *memory = NULL;
        char there[64], back[64];
        memset(there, first + i, sizeof there);
        use_kernel((first + i) % KERNELS);
        wrong += cuda_machine.allocate(machine, sizeof there, &memory) != TALLY_OK;
        wrong += cuda_machine.copy(machine, LANE_IN, memory, there, sizeof there) != TALLY_OK;
        wrong += cuda_machine.follow(machine, LANE_OUT, LANE_IN) != TALLY_OK;
        wrong += cuda_machine.copy(machine, LANE_OUT, back, memory, sizeof back) != TALLY_OK;
        wrong += cuda_machine.synchronize(machine, LANE_OUT) != TALLY_OK;
        wrong += memcmp(there, back, sizeof there) != 0 || cuda_machine.place(machine, memory) != PLACE_DEVICE;
        cuda_machine.release(machine, memory, sizeof there);
    }
    return NULL;
}

static void *fail(void *argument)
{
    (void)argument;
    wrong += cuda_machine.synchronize(machine, LANE_MAIN) != TALLY_DEVICE_ERROR;
    wrong += cuda_machine.synchronize(machine, LANE_MAIN) != TALLY_DEVICE_ERROR;
    wrong += !strstr(tally_last_error(), "first failure") || !strstr(tally_last_error(), "ILLEGAL_ADDRESS");
    return NULL;
}

static void on_threads(void *(*body)(void *))
{
    pthread_t thread[THREADS];
    int number[THREADS];
    for (int t = 0; t < THREADS; t++) {
        number[t] = t;
        CHECK(pthread_create(&thread[t], NULL, body, &number[t]) == 0);
    }
    for (int t = 0; t < THREADS; t++) CHECK(pthread_join(thread[t], NULL) == 0);
    CHECK_EQUAL_I64(atomic_load(&wrong), 0);
}

int main(void)
{
    char folder[300], path[400];
    const char *top = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.200s/tally-threads.XXXXXX", top && *top ? top : "/tmp");
    if (!mkdtemp(folder)) return perror("mkdtemp"), 1;
    snprintf(path, sizeof path, "%s/test.cu", folder);
    FILE *file = fopen(path, "w");
    if (!file) return perror(path), 1;
    fputs("a kernel", file);
    fclose(file);
    setenv("TALLY_CUDA_DRIVER", FAKE_CUDA, 1);
    setenv("TALLY_NVRTC", FAKE_CUDA, 1);
    setenv("TALLY_KERNEL_DIR", folder, 1);
    setenv("TALLY_CACHE_DIR", "/dev/null/none", 1);
    if (!CHECK(cuda_machine.open(NULL, NULL, 0, &machine) == TALLY_OK)) return test_finish("threads_cuda_machine");
    CASE("work") on_threads(work);
    CHECK_EQUAL_I64(counted("fake_cuda_compilations"), KERNELS);
    CHECK_EQUAL_I64(counted("fake_cuda_launches"), THREADS * ROUNDS);
    setenv("FAKE_CUDA_FAIL", "cuStreamSynchronize:700", 1);
    CASE("a lost context") on_threads(fail);
    cuda_machine.close(machine);
    CHECK_EQUAL_I64(counted("fake_cuda_alive"), 0);
    unlink(path);
    CHECK(rmdir(folder) == 0);
    return test_finish("threads_cuda_machine");
}
