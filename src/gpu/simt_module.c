/* SPDX-License-Identifier: MIT
 *
 * simt_module.c - finds a compiled kernel in memory, else in the cache folder, else compiles it. A file in the cache
 * ends with a checksum: loading a damaged shared object would crash. */
#define _GNU_SOURCE
#include "simt_module.h"
#include "../../simt/files.h"

#include "kernel_cache.h"
#include "simt_compiler.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Never freed: kernels live as long as the process. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kernel *kernels;
static struct simt_object *objects;

struct tail {
    char magic[8];
    struct hash checksum; /* of all that comes before */
};
static const char magic[8] = {'t', 'a', 'l', 'l', 'y', 'S', 'O', '\n'};

static struct tail tail_of(const void *object, size_t size)
{
    struct tail tail = {.checksum = HASH_START};
    memcpy(tail.magic, magic, sizeof magic);
    hash_add(&tail.checksum, object, size);
    return tail;
}

static int is_sound(const char *path)
{
    void *bytes;
    size_t size;
    if (!simt_read_file(path, &bytes, &size)) return 0;
    int sound = 0;
    if (size > sizeof(struct tail)) {
        const struct tail want = tail_of(bytes, size - sizeof want);
        sound = memcmp((char *)bytes + size - sizeof want, &want, sizeof want) == 0;
    }
    free(bytes);
    return sound;
}

/* Loads the file; 0 when it is no kernel of this version. */
static int load(struct simt_object *object, const char *path)
{
    object->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object->library) return 0;
    object->module = dlsym(object->library, "simt_module");
    if (object->module && object->module->version == SIMT_VERSION) return 1;
    dlclose(object->library);
    object->library = NULL;
    return 0;
}

static int load_cached(struct simt_object *object, const char *path)
{
    if (!is_sound(path) || !load(object, path)) return 0;
    utimensat(AT_FDCWD, path, NULL, 0); /* used now: the bound on the folder spares it */
    return 1;
}

/* Under a temporary name first: other processes see all or nothing. */
static int keep(const char *path, const void *bytes, size_t size)
{
    char temporary[KERNEL_CACHE_PATH + 2 * KERNEL_CACHE_NAME];
    const struct tail tail = tail_of(bytes, size);
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    int descriptor = mkstemp(temporary);
    if (descriptor < 0) return 0;
    int written = write(descriptor, bytes, size) == (ssize_t)size &&
                  write(descriptor, &tail, sizeof tail) == (ssize_t)sizeof tail;
    if (close(descriptor) != 0) written = 0;
    if (written && rename(temporary, path) == 0) return 1;
    unlink(temporary);
    return 0;
}

/* Loads bytes that could not be kept. */
static int load_bytes(struct simt_object *object, const void *bytes, size_t size)
{
    const char *folder = getenv("TMPDIR");
    char path[SIMT_PATH];
    if (!folder || *folder != '/' || strlen(folder) > SIMT_PATH - 32) folder = "/tmp";
    snprintf(path, sizeof path, "%s/tally-simt-XXXXXX", folder);
    int descriptor = mkstemp(path);
    if (descriptor < 0) return 0;
    int loaded = write(descriptor, bytes, size) == (ssize_t)size && close(descriptor) == 0 && load(object, path);
    unlink(path);
    return loaded;
}

static tally_status compile(struct simt_object *object, const struct simt_compiler *compiler,
                            const struct sources *sources, const struct kernel_request *request, int counting,
                            const char *path)
{
    void *bytes;
    size_t size;
    TRY(simt_compile(compiler, sources, request->file, request->definitions, counting, &bytes, &size));
    int loaded = *path && keep(path, bytes, size) && load(object, path);
    if (loaded) {
        kernel_cache_bound(strrchr(path, '/') + 1);
    } else {
        loaded = load_bytes(object, bytes, size);
    }
    free(bytes);
    if (loaded) return TALLY_OK;
    const char *why = dlerror();
    FAIL(TALLY_DEVICE_ERROR, "device simt: cannot load the compiled %s: %.600s", request->file,
         why ? why : "it is not what was compiled");
}

static void hash_simt(char text[40])
{
    struct hash hash = HASH_START;
    for (size_t i = 0; simt_files[i].name; i++) hash_add(&hash, simt_files[i].bytes, simt_files[i].size);
    snprintf(text, 40, "%016llx%016llx", (unsigned long long)hash.high, (unsigned long long)hash.low);
}

/* A key says all that the compiled bytes depend on. */
static char *make_key(const struct simt_compiler *compiler, const struct sources *sources,
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
    struct simt_compiler compiler;
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
    char path[KERNEL_CACHE_PATH + KERNEL_CACHE_NAME] = "", folder[KERNEL_CACHE_PATH], name[KERNEL_CACHE_NAME];
    if (kernel_cache_folder(folder) && kernel_cache_make_folder(folder)) {
        kernel_cache_name(key, ".so", name);
        snprintf(path, sizeof path, "%s/%s", folder, name);
    }
    tally_status status = TALLY_OK;
    if (!*path || !load_cached(object, path)) {
        status = compile(object, &compiler, sources, request, counting, path);
    }
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
