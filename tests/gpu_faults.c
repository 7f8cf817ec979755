/* SPDX-License-Identifier: MIT
 *
 * gpu_faults.c - what goes wrong on a real GPU: too little memory, a lost context, a cache folder that goes away, no
 * compiler; and that nothing of the device's memory stays behind. Each case in a process of its own, since a driver
 * starts once. Says so when there is no GPU. */
#define _GNU_SOURCE
#include "test.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <tally.h>
#include <unistd.h>

#define N 1000000

static tally_context *context;

static int fails(tally_status got, tally_status want, const char *words)
{
    char one[64];
    int good = CHECK_EQUAL_I64(got, want);
    for (const char *at = words; good && *at; at += strcspn(at, "|"), at += *at == '|') {
        snprintf(one, sizeof one, "%.*s", (int)strcspn(at, "|"), at);
        if (CHECK(strstr(tally_last_error(), one) != NULL)) continue;
        fprintf(stderr, "    no '%s' in: %s\n", one, tally_last_error());
    }
    return good;
}

static int sum_works(void)
{
    static int32_t ones[1000];
    int64_t sum = 0;
    tally_array input = tally_vector(ones, TALLY_I32, 1000), output = tally_shaped(&sum, TALLY_I64, 0, NULL);
    for (int i = 0; i < 1000; i++) ones[i] = 1;
    return tally_reduce(context, TALLY_SUM, &input, &output, NULL) == TALLY_OK && sum == 1000;
}

static int open_gpu(void)
{
    return CHECK_EQUAL_I64(tally_open("cuda", &context), TALLY_OK);
}

static void no_memory(void)
{
    void *memory = NULL;
    if (!open_gpu()) return;
    fails(tally_alloc(context, (size_t)1 << 50, &memory), TALLY_OUT_OF_MEMORY, "1125899906842624|free");
    CHECK(memory == NULL && sum_works());
    CHECK(tally_close(context) == TALLY_OK);
}

/* An array that reaches far beyond its memory: the driver stops the kernel, and nothing works from then on. */
static void lost_context(void)
{
    int64_t sum = 0;
    void *memory;
    if (!open_gpu()) return;
    CHECK(tally_alloc(context, 1024, &memory) == TALLY_OK);
    tally_array input = tally_vector(memory, TALLY_I32, 1000), output = tally_shaped(&sum, TALLY_I64, 0, NULL);
    input.strides[0] = (int64_t)1 << 36;
    CHECK_EQUAL_I64(tally_reduce(context, TALLY_SUM, &input, &output, NULL), TALLY_DEVICE_ERROR);
    fails(tally_reduce(context, TALLY_SUM, &input, &output, NULL), TALLY_DEVICE_ERROR, "failed earlier|first failure");
    fails(tally_synchronize(context), TALLY_DEVICE_ERROR, "failed earlier");
    CHECK(tally_close(context) == TALLY_OK);
}

static void no_cache_folder(void)
{
    char folder[] = "/tmp/tally-faults-XXXXXX", command[80];
    if (!CHECK(mkdtemp(folder) != NULL)) return;
    setenv("TALLY_CACHE_DIR", folder, 1);
    if (!open_gpu()) return;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK(system(command) == 0);
    CHECK(sum_works());
    CHECK(tally_close(context) == TALLY_OK);
    CHECK(system(command) == 0);
}

static void no_compiler(void)
{
    setenv("TALLY_NVRTC", "/nonexistent/libnvrtc.so", 1);
    fails(tally_open("cuda", &context), TALLY_NO_DEVICE, "nvrtc");
}

static void broken_kernels(void)
{
    char folder[] = "/tmp/tally-faults-XXXXXX", path[80];
    if (!CHECK(mkdtemp(folder) != NULL)) return;
    snprintf(path, sizeof path, "%s/reduce_whole.cu", folder);
    FILE *file = fopen(path, "w");
    if (!CHECK(file != NULL)) return;
    fputs("this is no kernel\n", file);
    fclose(file);
    setenv("TALLY_KERNEL_DIR", folder, 1);
    setenv("TALLY_CACHE_LIMIT", "0", 1);
    if (!open_gpu()) return;
    CHECK(!sum_works() && strstr(tally_last_error(), "reduce_whole.cu"));
    CHECK(tally_close(context) == TALLY_OK);
    unlink(path);
    rmdir(folder);
}

static void no_such_gpu(void)
{
    fails(tally_open("cuda:99", &context), TALLY_NO_DEVICE, "99");
}

static size_t free_memory(int (*get)(size_t *, size_t *))
{
    size_t left = 0, all = 0;
    CHECK_EQUAL_I64(get(&left, &all), 0);
    return left;
}

/* Contexts come and go; the driver has as much free as before. The primary context is kept open beside them. */
static void no_leaks(void)
{
    int (*get)(size_t *, size_t *), (*retain)(void **, int), (*set)(void *);
    void *library = dlopen("libcuda.so.1", RTLD_NOW), *primary, *memory;
    if (!CHECK(library != NULL) || !open_gpu()) return;
    void *symbols[] = {dlsym(library, "cuMemGetInfo_v2"), dlsym(library, "cuDevicePrimaryCtxRetain"),
                       dlsym(library, "cuCtxSetCurrent")};
    memcpy(&get, &symbols[0], sizeof get);
    memcpy(&retain, &symbols[1], sizeof retain);
    memcpy(&set, &symbols[2], sizeof set);
    CHECK_EQUAL_I64(retain(&primary, 0), 0);
    CHECK_EQUAL_I64(set(primary), 0);
    CHECK(sum_works());
    CHECK(tally_close(context) == TALLY_OK);
    size_t before = free_memory(get);
    for (int round = 0; round < 10; round++) {
        tally_plan *plan;
        if (!open_gpu()) return;
        CHECK(tally_alloc(context, N * 4 + 64, &memory) == TALLY_OK);
        tally_array input = tally_vector(memory, TALLY_F32, N),
                    output = tally_shaped((char *)memory + N * 4, TALLY_F32, 0, NULL);
        CHECK(tally_plan_reduce(context, TALLY_SUM, &input, &output, NULL, &plan) == TALLY_OK);
        CHECK(tally_plan_run(plan) == TALLY_OK && sum_works());
        CHECK(tally_plan_free(plan) == TALLY_OK);
        CHECK(tally_free(context, memory, N * 4 + 64) == TALLY_OK);
        CHECK(tally_close(context) == TALLY_OK);
    }
    size_t after = free_memory(get);
    CHECK(after + ((size_t)16 << 20) >= before);
    if (after < before) printf("gpu_faults: %zu bytes less are free after ten contexts\n", before - after);
}

/* Counts come back through the exit status: failures, at most 100. */
static void alone(const char *name, void (*body)(void))
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        test.failed = 0;
        test.section = name;
        body();
        fflush(NULL);
        _exit(test.failed > 100 ? 100 : (int)test.failed);
    }
    int status = -1;
    test.section = name;
    if (CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)))
        CHECK_EQUAL_I64(WEXITSTATUS(status), 0);
}

/* Asked in a process of its own: a driver that has started does not survive a fork. */
static int has_gpu(void)
{
    int status = 1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int opens = tally_open("cuda", &context) == TALLY_OK;
        if (!opens) printf("LEFT OUT: no GPU: %s\n", tally_last_error());
        fflush(NULL);
        _exit(!opens);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(void)
{
    if (!has_gpu()) return test_finish("gpu_faults");
    alone("no memory", no_memory);
    alone("a lost context", lost_context);
    alone("a cache folder that goes away", no_cache_folder);
    alone("no compiler", no_compiler);
    alone("a kernel that does not compile", broken_kernels);
    alone("no such GPU", no_such_gpu);
    alone("nothing leaks", no_leaks);
    return test_finish("gpu_faults");
}
