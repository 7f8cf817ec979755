/* SPDX-License-Identifier: MIT
 *
 * simt_module.c - finds a compiled kernel in memory, else in the cache folder, else compiles it. */
#define _GNU_SOURCE
#include "simt_module.h"
#include "../../simt/files.h"

#include "hash.h"
#include "simt_compiler.h"
#include "simt_machine.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODULE "simt_module" /* the symbol that a compiled file has */
#define MOST_SHARED (48 << 10)

/* Never freed: kernels live as long as the process. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kernel *kernels;
static struct simt_object *objects;

/* Of an object that is loaded. */
static tally_status take_object(struct simt_object *object, void *library, const char *file)
{
    if (!library) {
        const char *why = dlerror();
        FAIL(TALLY_DEVICE_ERROR, "device simt: cannot load the compiled %s: %.600s", file,
             why ? why : "it is not what was compiled");
    }
    object->library = library;
    object->module = dlsym(library, MODULE);
    return TALLY_OK;
}

static tally_status compile(struct simt_object *object, const struct host_program *compiler,
                            const struct sources *sources, const struct kernel_request *request, int counting,
                            const char *key)
{
    void *bytes;
    size_t size;
    TRY(simt_compile(compiler, sources, request->file, request->definitions, counting, &bytes, &size));
    void *library = host_object_keep(key, MODULE, bytes, size);
    free(bytes);
    return take_object(object, library, request->file);
}

static void hash_simt(char text[40])
{
    struct hash hash = HASH_START;
    for (size_t i = 0; simt_files[i].name; i++) hash_add(&hash, simt_files[i].bytes, simt_files[i].size);
    snprintf(text, 40, "%016llx%016llx", (unsigned long long)hash.high, (unsigned long long)hash.low);
}

/* A key says all that the compiled bytes depend on. */
static char *make_key(const struct host_program *compiler, const struct sources *sources,
                      const struct kernel_request *request, int counting)
{
    char own[40], *key = NULL;
    hash_simt(own);
    if (asprintf(&key, "simt %s\n%s\n%s %lld %lld\n%s\n%s %s\n", request->file, request->definitions, compiler->path,
                 (long long)compiler->bytes, (long long)compiler->changed, simt_compiler_flags(compiler, counting),
                 sources->hash, own) < 0) {
        return NULL;
    }
    return key;
}

/* The caller holds the lock. */
static tally_status find_object(const struct kernel_request *request, int counting, const struct sources *sources,
                                struct simt_object **found)
{
    struct host_program compiler;
    TRY(simt_compiler_find(&compiler));
    char *key = make_key(&compiler, sources, request, counting);
    struct simt_object *object = calloc(1, sizeof *object);
    if (!key || !object) {
        free(key);
        free(object);
        FAIL(TALLY_OUT_OF_MEMORY, "device simt: no memory left for a kernel");
    }
    for (struct simt_object *other = objects; other; other = other->next) {
        if (strcmp(other->key, key) != 0) continue;
        free(key);
        free(object);
        *found = other;
        return TALLY_OK;
    }
    void *library = host_object_load(key, MODULE);
    tally_status status = library ? take_object(object, library, request->file)
                                  : compile(object, &compiler, sources, request, counting, key);
    if (status != TALLY_OK) {
        free(key);
        free(object);
        return status;
    }
    object->key = key;
    pthread_mutex_init(&object->lock, NULL);
    object->next = objects;
    objects = object;
    *found = object;
    return TALLY_OK;
}

/* Of all variables of a file, as those here have one kernel each. */
size_t simt_shared_variables(const struct simt_module *module)
{
    return simt_can_count() ? (size_t)(module->shared_end - module->shared) : 0;
}

static tally_status check_shared_variables(const struct kernel_request *request, const struct simt_module *module)
{
    const size_t bytes = simt_shared_variables(module);
    if (bytes > MOST_SHARED) {
        FAIL(TALLY_DEVICE_ERROR,
             "device simt: %s has %zu bytes of shared variables; compilers for GPUs take %d at most", request->file,
             bytes, MOST_SHARED);
    }
    return TALLY_OK;
}

static tally_status make_kernel(const struct kernel_request *request, int counting, char *text,
                                const struct kernel **found)
{
    struct sources sources;
    struct simt_object *object = NULL;
    TRY(sources_open(&sources));
    tally_status status = request->text ? sources_take_text(&sources, request->text) : TALLY_OK;
    if (status == TALLY_OK) status = find_object(request, counting, &sources, &object);
    sources_close(&sources);
    TRY(status);
    TRY(check_shared_variables(request, object->module));
    char symbol[128];
    snprintf(symbol, sizeof symbol, "simt_kernel_%s", request->entry);
    const struct simt_kernel *code = dlsym(object->library, symbol);
    if (!code) FAIL(TALLY_DEVICE_ERROR, "device simt: %s has no kernel \"%s\"", request->file, request->entry);
    struct kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel) FAIL(TALLY_OUT_OF_MEMORY, "device simt: no memory left for a kernel");
    snprintf(kernel->name, sizeof kernel->name, "%s", request->entry);
    kernel->request = text;
    kernel->object = object;
    kernel->code = code;
    kernel->next = kernels;
    kernels = kernel;
    *found = kernel;
    return TALLY_OK;
}

tally_status simt_object_find(const struct kernel_request *request, int counting, const struct sources *sources,
                              struct simt_object **object)
{
    pthread_mutex_lock(&lock);
    tally_status status = find_object(request, counting, sources, object);
    pthread_mutex_unlock(&lock);
    return status;
}

tally_status simt_kernel_find(const struct kernel_request *request, int counting, const struct kernel **found)
{
    const char *folder = getenv("TALLY_KERNEL_DIR"), *compiler = getenv("TALLY_CXX");
    char *text = NULL;
    if (asprintf(&text, "%s\n%s\n%s\n%s\n%d\n%s", request->file, request->entry, folder ? folder : "",
                 compiler ? compiler : "", counting, request->definitions) < 0) {
        FAIL(TALLY_OUT_OF_MEMORY, "device simt: no memory left for a kernel");
    }
    pthread_mutex_lock(&lock);
    const struct kernel *kernel = kernels;
    while (kernel && strcmp(kernel->request, text) != 0) kernel = kernel->next;
    tally_status status = TALLY_OK;
    if (kernel) {
        free(text);
    } else {
        status = make_kernel(request, counting, text, &kernel);
        if (status != TALLY_OK) free(text);
    }
    pthread_mutex_unlock(&lock);
    *found = kernel;
    return status;
}
