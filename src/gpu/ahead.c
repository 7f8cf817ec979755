/* SPDX-License-Identifier: MIT
 *
 * ahead.c - kernels compiled where no GPU is, to be shipped with the library. */
#define _GNU_SOURCE
#include "ahead.h"
#include "ahead_machine.h"
#include "kernel_cache.h"
#include "kernel_key.h"
#include "nvrtc.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What the threads that compile share. */
struct workshop {
    const struct ahead_machine *machine;
    const struct sources *sources;
    const char *folder;
    pthread_mutex_t mutex; /* of the failure */
    tally_status status;
    char failure[1024];
};

static tally_status compile(const struct workshop *shop, const struct kernel *kernel, const char *key)
{
    int architecture = shop->machine->machine.limits.architecture;
    struct nvrtc_request wanted = {sources_find(shop->sources, kernel->file),
                                   shop->sources->files,
                                   shop->sources->count,
                                   kernel->definitions,
                                   architecture,
                                   0,
                                   0};
    void *cubin;
    size_t size;
    if (!wanted.file) FAIL(TALLY_UNSUPPORTED, "the kernel file %s is not in this build", kernel->file);
    TRY(nvrtc_compile(&wanted, &cubin, &size, NULL));
    int written = kernel_cache_write_in(shop->folder, key, cubin, size, 0644);
    int problem = errno;
    free(cubin);
    if (!written) FAIL(TALLY_INVALID_ARGUMENT, "cannot write a kernel to %.600s: %s", shop->folder, strerror(problem));
    return TALLY_OK;
}

/* Leaves alone what is there, so that a run that was stopped goes on. */
static tally_status compile_missing(const struct workshop *shop, const struct kernel *kernel)
{
    const struct kernel_request request = {kernel->file, kernel->entry, kernel->definitions, NULL};
    char *key = kernel_key(&request, shop->machine->machine.limits.architecture, ANY_COMPILER, shop->sources);
    void *bytes;
    size_t size;
    if (!key) FAIL(TALLY_OUT_OF_MEMORY, "no memory left for the kernel %s", kernel->entry);
    tally_status status = TALLY_OK;
    if (kernel_cache_read_in(shop->folder, key, &bytes, &size)) free(bytes);
    else status = compile(shop, kernel, key);
    free(key);
    return status;
}

static void compile_task(void *argument, int64_t index, int32_t worker)
{
    struct workshop *shop = argument;
    (void)worker;
    pthread_mutex_lock(&shop->mutex);
    int stopped = shop->status != TALLY_OK;
    pthread_mutex_unlock(&shop->mutex);
    if (stopped) return;
    tally_status status = compile_missing(shop, shop->machine->kernels[index]);
    if (status == TALLY_OK) return;
    pthread_mutex_lock(&shop->mutex);
    if (shop->status == TALLY_OK) {
        shop->status = status;
        snprintf(shop->failure, sizeof shop->failure, "%s", tally_last_error());
    }
    pthread_mutex_unlock(&shop->mutex);
}

/* With all cores: the host's threads are the CPU device's. */
static tally_status compile_all(struct ahead_machine *machine, const char *folder)
{
    struct sources sources;
    tally_context *cpu;
    TRY(sources_open(&sources));
    tally_status status = tally_open("cpu", &cpu);
    if (status == TALLY_OK) {
        struct workshop shop = {.machine = machine, .sources = &sources, .folder = folder};
        pthread_mutex_init(&shop.mutex, NULL);
        status = tally_parallel_for(cpu, machine->count, compile_task, &shop);
        pthread_mutex_destroy(&shop.mutex);
        if (status == TALLY_OK && shop.status != TALLY_OK) status = status_fail(shop.status, "%s", shop.failure);
        tally_close(cpu);
    }
    sources_close(&sources);
    return status;
}

static tally_status make_folder(const char *folder, const char *architecture, char path[KERNEL_CACHE_PATH])
{
    struct stat info;
    int length = snprintf(path, KERNEL_CACHE_PATH, "%s/%s", folder, architecture);
    if (length >= KERNEL_CACHE_PATH / 2)
        FAIL(TALLY_INVALID_ARGUMENT, "folder has %d characters with the architecture's: expected fewer than %d", length,
             KERNEL_CACHE_PATH / 2);
    for (char *at = path + 1;; at++) {
        char here = *at;
        if (here != '/' && here != '\0') continue;
        *at = '\0';
        int made = mkdir(path, 0755) == 0 || (stat(path, &info) == 0 && S_ISDIR(info.st_mode));
        if (!made) FAIL(TALLY_INVALID_ARGUMENT, "folder is %.400s: cannot make %.400s", folder, path);
        *at = here;
        if (here == '\0') return TALLY_OK;
    }
}

/* GPUs of an architecture may have fewer blocks in a cluster, or no clusters (device_cluster_blocks). */
static tally_status call_for_all(tally_context *context, struct device_limits *limits)
{
    TRY(ahead_call(context));
    while (limits->cluster_blocks > 0) {
        limits->cluster_blocks = limits->cluster_blocks > 8 ? 8 : 0;
        recall_forget(&gpu_device(context)->recall);
        TRY(ahead_call(context));
    }
    return TALLY_OK;
}

tally_status tally_cache_compile(const char *architecture, const char *folder, int64_t *count)
{
    tally_context *context;
    char path[KERNEL_CACHE_PATH];
    int compiled_for;
    if (!architecture || !folder || !count)
        FAIL(TALLY_INVALID_ARGUMENT, "%s is NULL", !architecture ? "architecture" : !folder ? "folder" : "count");
    if (!*folder) FAIL(TALLY_INVALID_ARGUMENT, "folder is '': expected the name of one");
    TRY(context_open(&ahead_engine, architecture, NULL, 0, &context));
    struct ahead_machine *machine = (struct ahead_machine *)gpu_device(context)->machine;
    tally_status status = nvrtc_architecture(machine->machine.limits.architecture, &compiled_for);
    if (status == TALLY_OK) status = make_folder(folder, architecture, path);
    if (status == TALLY_OK) status = call_for_all(context, &machine->machine.limits);
    if (status == TALLY_OK) status = compile_all(machine, path);
    if (status == TALLY_OK) *count = machine->count;
    tally_close(context);
    return status;
}
