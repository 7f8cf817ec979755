/* SPDX-License-Identifier: MIT
 *
 * cuda_kernel.c - a kernel by its request: from the machine's list, the cache on disk, or the compiler. */
#define _GNU_SOURCE
#include "cuda_machine.h"
#include "kernel_cache.h"
#include "kernel_key.h"
#include "nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tally_status cuda_raise_shared(struct cuda_machine *cuda, cu_function function)
{
    int fixed = 0;
    TRY(CUDA_CALL(cuda, "loading a kernel", cuFuncGetAttribute, &fixed, CU_FUNCTION_STATIC_SHARED, function));
    int most = (int)cuda->machine.limits.shared_bytes - fixed;
    if (most <= 0) return TALLY_OK;
    return CUDA_CALL(cuda, "loading a kernel", cuFuncSetAttribute, function, CU_FUNCTION_DYNAMIC_SHARED, most);
}

tally_status cuda_explain_load(struct cuda_machine *cuda, tally_status status)
{
    char text[768];
    if (atomic_load(&cuda->failed) || nvrtc_version() / 1000 <= cuda->driver->version / 1000) return status;
    snprintf(text, sizeof text, "%s", tally_last_error());
    return status_fail(status,
                       "%s; the driver speaks CUDA %d.%d and the compiler %s is of %s: update the driver, or let "
                       "TALLY_NVRTC name a compiler as old as the driver",
                       text, cuda->driver->version / 1000, cuda->driver->version % 1000 / 10, nvrtc_path(),
                       nvrtc_version_text());
}

/* On failure nothing stays loaded. */
static tally_status load(struct cuda_machine *cuda, const void *cubin, struct kernel *kernel)
{
    char doing[160];
    tally_status status = CUDA_CALL(cuda, "loading a kernel", cuModuleLoadData, &kernel->module, cubin);
    if (status != TALLY_OK) return cuda_explain_load(cuda, status);
    snprintf(doing, sizeof doing, "looking for %.60s in %.60s", kernel->entry, kernel->file);
    status = CUDA_CALL(cuda, doing, cuModuleGetFunction, &kernel->function, kernel->module, kernel->entry);
    if (status == TALLY_OK) status = cuda_raise_shared(cuda, kernel->function);
    if (status == TALLY_OK && cuda->machine.limits.cluster_blocks > 8 && strstr(kernel->definitions, "BLOCKS_TOGETHER"))
        status = CUDA_CALL(cuda, "asking for clusters of 16 blocks", cuFuncSetAttribute, kernel->function,
                           CU_FUNCTION_LARGE_CLUSTERS, 1);
    if (status != TALLY_OK) cuda->driver->cuModuleUnload(kernel->module);
    return status;
}

static tally_status compile_and_keep(struct cuda_machine *cuda, const struct sources *sources, const char *key,
                                     struct kernel *kernel)
{
    void *cubin = NULL;
    size_t size = 0;
    struct nvrtc_request wanted = {sources_find(sources, kernel->file),
                                   sources->files,
                                   sources->count,
                                   kernel->definitions,
                                   cuda->machine.limits.architecture,
                                   0,
                                   sources->with_text};
    if (!wanted.file) FAIL(TALLY_UNSUPPORTED, "the kernel file %s is not in this build", kernel->file);
    TRY(nvrtc_compile(&wanted, &cubin, &size, NULL));
    tally_status status = load(cuda, cubin, kernel);
    if (status == TALLY_OK) kernel_cache_write(key, cubin, size);
    free(cubin);
    return status;
}

static tally_status load_kept(struct cuda_machine *cuda, const char *key, struct kernel *kernel)
{
    void *cubin = NULL;
    size_t size = 0;
    if (!kernel_cache_read(key, &cubin, &size)) return TALLY_DEVICE_ERROR;
    tally_status status = load(cuda, cubin, kernel);
    free(cubin);
    return status;
}

/* Of this architecture, or of the nearest lower one of the same generation, whose code runs here, too. */
static tally_status load_shipped(struct cuda_machine *cuda, const struct sources *sources,
                                 const struct kernel_request *request, struct kernel *kernel)
{
    char folder[KERNEL_CACHE_PATH], below[16];
    int architecture = cuda->machine.limits.architecture, lowest = architecture / 10 * 10;
    tally_status status = TALLY_DEVICE_ERROR;
    if (!kernel_cache_shipped(folder)) return status;
    for (; status != TALLY_OK && architecture >= lowest && !atomic_load(&cuda->failed); architecture--) {
        void *cubin = NULL;
        size_t size = 0;
        char *key = kernel_key(request, architecture, ANY_COMPILER, sources);
        snprintf(below, sizeof below, "sm_%d", architecture);
        if (key && kernel_cache_read_shipped(folder, below, key, &cubin, &size)) status = load(cuda, cubin, kernel);
        free(cubin);
        free(key);
    }
    return status;
}

/* A kept or shipped kernel that does not load is compiled again: it may be of a machine unlike this one. */
static tally_status make(struct cuda_machine *cuda, const char *text, struct kernel *kernel)
{
    struct sources sources;
    struct kernel_request request = {kernel->file, kernel->entry, kernel->definitions, text};
    TRY(sources_open(&sources));
    tally_status status = text ? sources_take_text(&sources, text) : TALLY_OK;
    char *key = kernel_key(&request, cuda->machine.limits.architecture, nvrtc_version_text(), &sources);
    if (!key) status = status_fail(TALLY_OUT_OF_MEMORY, "no memory left for the kernel %s", kernel->entry);
    if (status == TALLY_OK) {
        status = load_kept(cuda, key, kernel);
        if (status != TALLY_OK && !text) status = load_shipped(cuda, &sources, &request, kernel);
        if (status != TALLY_OK && !atomic_load(&cuda->failed)) status = compile_and_keep(cuda, &sources, key, kernel);
    }
    free(key);
    sources_close(&sources);
    return status;
}

static void free_kernel(struct kernel *kernel)
{
    free(kernel->file);
    free(kernel->entry);
    free(kernel->definitions);
    free(kernel);
}

static tally_status add(struct cuda_machine *cuda, const struct kernel_request *request, struct kernel **kernel)
{
    struct kernel *made = calloc(1, sizeof *made);
    if (!made) FAIL(TALLY_OUT_OF_MEMORY, "no memory left for the kernel %s", request->entry);
    made->file = strdup(request->file);
    made->entry = strdup(request->entry);
    made->definitions = strdup(request->definitions ? request->definitions : "");
    tally_status status = TALLY_OK;
    if (!made->file || !made->entry || !made->definitions)
        status = status_fail(TALLY_OUT_OF_MEMORY, "no memory left for the kernel %s", request->entry);
    if (status == TALLY_OK) status = make(cuda, request->text, made);
    if (status != TALLY_OK) {
        free_kernel(made);
        return status;
    }
    *kernel = made;
    return TALLY_OK;
}

/* Takes a kernel out of the list; the caller puts it in front. */
static struct kernel *take(struct cuda_machine *cuda, const struct kernel_request *request)
{
    const char *definitions = request->definitions ? request->definitions : "";
    for (struct kernel **at = &cuda->kernels; *at; at = &(*at)->next) {
        struct kernel *kernel = *at;
        if (strcmp(kernel->definitions, definitions) != 0 || strcmp(kernel->entry, request->entry) != 0 ||
            strcmp(kernel->file, request->file) != 0)
            continue;
        *at = kernel->next;
        return kernel;
    }
    return NULL;
}

tally_status cuda_kernel(struct machine *machine, const struct kernel_request *request, const struct kernel **kernel)
{
    struct cuda_machine *cuda = (struct cuda_machine *)machine;
    tally_status status = TALLY_OK;
    pthread_mutex_lock(&cuda->making);
    struct kernel *found = take(cuda, request);
    if (!found) {
        status = cuda_enter(cuda);
        if (status == TALLY_OK) {
            status = add(cuda, request, &found);
            cuda_leave(cuda);
        }
    }
    if (found) {
        found->next = cuda->kernels;
        cuda->kernels = found;
        *kernel = found;
    }
    pthread_mutex_unlock(&cuda->making);
    return status;
}

void cuda_close_kernels(struct cuda_machine *cuda)
{
    while (cuda->kernels) {
        struct kernel *kernel = cuda->kernels;
        cuda->kernels = kernel->next;
        cuda->driver->cuModuleUnload(kernel->module);
        free_kernel(kernel);
    }
}
