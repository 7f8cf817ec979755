/* SPDX-License-Identifier: MIT
 *
 * cuda_module.c - users' kernels: compiled like tally's own, kept in the same folder, launched with a value for each
 * parameter. */
#define _GNU_SOURCE
#include "cuda_machine.h"
#include "kernel_cache.h"
#include "nvrtc.h"
#include "sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PARAMETERS 256

struct cuda_function {
    struct function function; /* first */
    struct cuda_function *next;
    cu_function handle;
    uint32_t parameter_bytes[MOST_PARAMETERS];
};

struct module {
    cu_module handle;
    struct cuda_function *functions;
    char *cubin; /* for the names in it */
    size_t size;
};

/* ---- compiling ---- */

/* The user's text and headers as the compiler's; headers are to be freed. */
static tally_status files_of(const struct module_request *request, struct embedded_file *source,
                             struct embedded_file **headers)
{
    *source = (struct embedded_file){request->name, request->text, strlen(request->text)};
    *headers = calloc(request->header_count + 1, sizeof **headers);
    if (!*headers) FAIL(TALLY_OUT_OF_MEMORY, "no memory left for the headers of %s", request->name);
    for (size_t i = 0; i < request->header_count; i++) {
        const tally_header *header = &request->headers[i];
        (*headers)[i] = (struct embedded_file){header->name, header->text, strlen(header->text)};
    }
    return TALLY_OK;
}

static char *cache_key(const struct cuda_machine *cuda, const struct module_request *request,
                       const struct embedded_file *source, const struct embedded_file *headers)
{
    char text[33], included[33], *key;
    sources_hash(source, 1, text);
    sources_hash(headers, request->header_count, included);
    int length = asprintf(&key, "module %s sm_%d\nnvrtc %s\ntally %s\noptions %s\nsource %s\nheaders %s\n%s",
                          request->name, (int)cuda->machine.limits.architecture, nvrtc_version_text(), tally_version(),
                          nvrtc_options, text, included, request->definitions);
    return length < 0 ? NULL : key;
}

/* From the cache, or the compiler. */
static tally_status code_of(struct cuda_machine *cuda, const char *key, const struct nvrtc_request *wanted,
                            struct module *module)
{
    void *cubin = NULL;
    if (kernel_cache_read(key, &cubin, &module->size)) {
        module->cubin = cubin;
        if (CUDA_CALL(cuda, "loading a module", cuModuleLoadData, &module->handle, cubin) == TALLY_OK) return TALLY_OK;
        free(cubin);
        module->cubin = cubin = NULL;
    }
    TRY(nvrtc_compile(wanted, &cubin, &module->size, NULL));
    module->cubin = cubin;
    tally_status status = CUDA_CALL(cuda, "loading a module", cuModuleLoadData, &module->handle, cubin);
    if (status != TALLY_OK) return cuda_explain_load(cuda, status);
    kernel_cache_write(key, cubin, module->size);
    return TALLY_OK;
}

static tally_status fill(struct cuda_machine *cuda, const struct module_request *request, struct module *module)
{
    struct embedded_file source, *headers;
    TRY(nvrtc_load());
    TRY(files_of(request, &source, &headers));
    struct nvrtc_request wanted = {
        &source, headers, request->header_count, request->definitions, cuda->machine.limits.architecture, 0, 0};
    char *key = cache_key(cuda, request, &source, headers);
    tally_status status = key ? code_of(cuda, key, &wanted, module)
                              : status_fail(TALLY_OUT_OF_MEMORY, "no memory left for %s", request->name);
    free(key);
    free(headers);
    return status;
}

tally_status cuda_module_compile(struct machine *machine, const struct module_request *request, struct module **module)
{
    struct cuda_machine *cuda = (struct cuda_machine *)machine;
    struct module *made = calloc(1, sizeof *made);
    if (!made) FAIL(TALLY_OUT_OF_MEMORY, "no memory left for the module %s", request->name);
    tally_status status = cuda_enter(cuda);
    if (status == TALLY_OK) {
        status = fill(cuda, request, made);
        cuda_leave(cuda);
    }
    if (status == TALLY_OK) {
        *module = made;
    } else {
        free(made->cubin);
        free(made);
    }
    return status;
}

void cuda_module_forget(struct machine *machine, struct module *module)
{
    struct cuda_machine *cuda = (struct cuda_machine *)machine;
    if (cuda_enter(cuda) == TALLY_OK) {
        cuda->driver->cuModuleUnload(module->handle);
        cuda_leave(cuda);
    }
    while (module->functions) {
        struct cuda_function *function = module->functions;
        module->functions = function->next;
        free(function);
    }
    free(module->cubin);
    free(module);
}

/* ---- kernels ---- */

/* Whether a name that C++ has made is of a function of this name, in whatever namespaces: "_Z", or "_ZN" with the names
 * around it, each behind its length. */
static int is_name_of(const char *mangled, const char *name)
{
    const char *at = mangled + strlen("_Z");
    int nested = *at == 'N';
    at += nested;
    for (;;) {
        char *part;
        at += *at == 'L'; /* of this source alone */
        unsigned long length = strtoul(at, &part, 10);
        if (part == at || length > strlen(part)) return 0;
        at = part + length;
        if (!nested || *at == 'E') return length == strlen(name) && strncmp(part, name, length) == 0;
    }
}

/* The mangled name of a kernel that is not extern "C": code has a section ".text.NAME" for each. NULL when there is
 * none, or several. */
static const char *mangled_name(const struct module *module, const char *name)
{
    static const char begin[] = ".text._Z";
    const char *found = NULL, *end = module->cubin + module->size;
    for (const char *at = module->cubin; (at = memmem(at, (size_t)(end - at), begin, sizeof begin - 1)); at++) {
        const char *candidate = at + strlen(".text.");
        if (!memchr(at, 0, (size_t)(end - at))) break;
        if (!is_name_of(candidate, name)) continue;
        if (found && strcmp(found, candidate) != 0) return NULL;
        found = candidate;
    }
    return found;
}

static cu_result look_up(const struct cuda_machine *cuda, const struct module *module, const char *name,
                         cu_function *handle)
{
    cu_result result = cuda->driver->cuModuleGetFunction(handle, module->handle, name);
    if (result != CU_NOT_FOUND) return result;
    const char *mangled = mangled_name(module, name);
    return mangled ? cuda->driver->cuModuleGetFunction(handle, module->handle, mangled) : result;
}

/* What tally_launch checks arguments against. */
static tally_status read_function(struct cuda_machine *cuda, struct cuda_function *made)
{
    int threads = 0;
    TRY(CUDA_CALL(cuda, "asking about a kernel", cuFuncGetAttribute, &threads, CU_FUNCTION_MOST_THREADS, made->handle));
    made->function = (struct function){-1, made->parameter_bytes, (uint32_t)threads};
    if (cuda->driver->cuFuncGetParamInfo) {
        size_t offset, size;
        int32_t count = 0;
        while (count < MOST_PARAMETERS &&
               cuda->driver->cuFuncGetParamInfo(made->handle, (size_t)count, &offset, &size) == CU_SUCCESS)
            made->parameter_bytes[count++] = (uint32_t)size;
        made->function.parameters = count;
    }
    return cuda_raise_shared(cuda, made->handle);
}

tally_status cuda_module_function(struct machine *machine, struct module *module, const char *name,
                                  struct function **function)
{
    struct cuda_machine *cuda = (struct cuda_machine *)machine;
    *function = NULL;
    struct cuda_function *made = calloc(1, sizeof *made);
    if (!made) FAIL(TALLY_OUT_OF_MEMORY, "no memory left for the kernel %.200s", name);
    tally_status status = cuda_enter(cuda);
    if (status == TALLY_OK) {
        cu_result result = look_up(cuda, module, name, &made->handle);
        if (result == CU_NOT_FOUND) {
            cuda_leave(cuda);
            free(made);
            return TALLY_OK;
        }
        status = cuda_check(cuda, result, "cuModuleGetFunction", "looking for a kernel");
        if (status == TALLY_OK) status = read_function(cuda, made);
        cuda_leave(cuda);
    }
    if (status != TALLY_OK) {
        free(made);
        return status;
    }
    made->next = module->functions;
    module->functions = made;
    *function = &made->function;
    return TALLY_OK;
}

tally_status cuda_module_launch(struct machine *machine, const struct module_launch *launch)
{
    struct cuda_machine *cuda = (struct cuda_machine *)machine;
    const struct cuda_function *function = (const struct cuda_function *)launch->function;
    const tally_grid *grid = &launch->grid;
    char doing[200] = "";
    TRY(cuda_enter(cuda));
    cu_result result = cuda->driver->cuLaunchKernel(
        function->handle, grid->blocks[0], grid->blocks[1], grid->blocks[2], grid->threads[0], grid->threads[1],
        grid->threads[2], grid->shared_bytes, cuda->stream[LANE_MAIN], (void **)(uintptr_t)launch->arguments, NULL);
    if (result != CU_SUCCESS)
        snprintf(doing, sizeof doing,
                 "launching a kernel on %u x %u x %u blocks of %u x %u x %u threads, %u bytes of dynamic shared memory "
                 "each",
                 grid->blocks[0], grid->blocks[1], grid->blocks[2], grid->threads[0], grid->threads[1],
                 grid->threads[2], grid->shared_bytes);
    tally_status status = cuda_check(cuda, result, "cuLaunchKernel", doing);
    cuda_leave(cuda);
    return status;
}

static tally_status attribute(struct cuda_machine *cuda, cu_function handle, int which, int32_t *value)
{
    int found = 0;
    TRY(CUDA_CALL(cuda, "asking about a kernel", cuFuncGetAttribute, &found, which, handle));
    *value = found;
    return TALLY_OK;
}

static tally_status read_facts(struct cuda_machine *cuda, cu_function handle, const tally_grid *grid,
                               tally_function_facts *facts)
{
    int blocks = 0, threads = 0, of_block = (int)(grid->threads[0] * grid->threads[1] * grid->threads[2]);
    TRY(attribute(cuda, handle, CU_FUNCTION_REGISTERS, &facts->registers));
    TRY(attribute(cuda, handle, CU_FUNCTION_STATIC_SHARED, &facts->shared_bytes));
    TRY(attribute(cuda, handle, CU_FUNCTION_LOCAL, &facts->local_bytes));
    TRY(CUDA_CALL(cuda, "asking about a kernel", cuOccupancyMaxActiveBlocksPerMultiprocessor, &blocks, handle, of_block,
                  (size_t)grid->shared_bytes));
    TRY(CUDA_CALL(cuda, "asking about the GPU", cuDeviceGetAttribute, &threads, CU_THREADS_OF_PROCESSOR, cuda->device));
    facts->blocks_at_once = blocks;
    facts->threads_at_once = threads;
    return TALLY_OK;
}

tally_status cuda_module_facts(struct machine *machine, const struct function *function, const tally_grid *grid,
                               tally_function_facts *facts)
{
    struct cuda_machine *cuda = (struct cuda_machine *)machine;
    TRY(cuda_enter(cuda));
    tally_status status = read_facts(cuda, ((const struct cuda_function *)function)->handle, grid, facts);
    cuda_leave(cuda);
    return status;
}
