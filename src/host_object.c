/* SPDX-License-Identifier: MIT
 *
 * host_object.c - shared objects on disk. A file ends with a checksum: loading a damaged one would crash. */
#define _GNU_SOURCE
#include "host_compiler.h"
#include "kernel_cache.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct tail {
    char magic[8];
    struct hash checksum; /* of all that comes before */
};
static const char magic[8] = {'t', 'a', 'l', 'l', 'y', 'H', 'O', '\n'};

static struct tail tail_of(const void *object, size_t size)
{
    struct tail tail = {.checksum = HASH_START};
    memcpy(tail.magic, magic, sizeof magic);
    hash_add(&tail.checksum, object, size);
    return tail;
}

static int is_sound(const char *path)
{
    struct stat info;
    int sound = 0, file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && (size_t)info.st_size > sizeof(struct tail)) {
        size_t size = (size_t)info.st_size;
        char *bytes = malloc(size);
        if (bytes && read(file, bytes, size) == (ssize_t)size) {
            struct tail want = tail_of(bytes, size - sizeof want);
            sound = memcmp(bytes + size - sizeof want, &want, sizeof want) == 0;
        }
        free(bytes);
    }
    close(file);
    return sound;
}

static void *load(const char *path, const char *symbol)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library && !dlsym(library, symbol)) {
        dlclose(library);
        return NULL;
    }
    return library;
}

/* The file of a key; 0 when nothing is kept. */
static int path_of(const char *key, char path[KERNEL_CACHE_PATH + KERNEL_CACHE_NAME])
{
    char folder[KERNEL_CACHE_PATH], name[KERNEL_CACHE_NAME];
    if (!kernel_cache_folder(folder) || !kernel_cache_make_folder(folder)) return 0;
    kernel_cache_name(key, ".so", name);
    snprintf(path, KERNEL_CACHE_PATH + KERNEL_CACHE_NAME, "%s/%s", folder, name);
    return 1;
}

void *host_object_load(const char *key, const char *symbol)
{
    char path[KERNEL_CACHE_PATH + KERNEL_CACHE_NAME];
    if (!path_of(key, path) || !is_sound(path)) return NULL;
    void *library = load(path, symbol);
    if (library) utimensat(AT_FDCWD, path, NULL, 0); /* used now: the bound on the folder spares it */
    return library;
}

/* A new file with the object; 0 when it cannot be written. */
static int write_new(char *path, const void *bytes, size_t size)
{
    struct tail tail = tail_of(bytes, size);
    int file = mkstemp(path);
    if (file < 0) return 0;
    int written = write(file, bytes, size) == (ssize_t)size && write(file, &tail, sizeof tail) == (ssize_t)sizeof tail;
    if (close(file) != 0) written = 0;
    if (!written) unlink(path);
    return written;
}

/* Loads bytes that are not kept. */
static void *load_once(const char *symbol, const void *bytes, size_t size)
{
    const char *folder = getenv("TMPDIR");
    char path[HOST_PATH];
    if (!folder || *folder != '/' || strlen(folder) > HOST_PATH - 32) folder = "/tmp";
    snprintf(path, sizeof path, "%s/tally-object-XXXXXX", folder);
    if (!write_new(path, bytes, size)) return NULL;
    void *library = load(path, symbol);
    unlink(path);
    return library;
}

void *host_object_keep(const char *key, const char *symbol, const void *bytes, size_t size)
{
    char path[KERNEL_CACHE_PATH + KERNEL_CACHE_NAME], temporary[KERNEL_CACHE_PATH + 2 * KERNEL_CACHE_NAME];
    if (!path_of(key, path)) return load_once(symbol, bytes, size);
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    if (!write_new(temporary, bytes, size)) return load_once(symbol, bytes, size);
    if (rename(temporary, path) != 0) {
        unlink(temporary);
        return load_once(symbol, bytes, size);
    }
    void *library = load(path, symbol);
    kernel_cache_bound(strrchr(path, '/') + 1);
    return library ? library : load_once(symbol, bytes, size); /* nothing may be run from that folder */
}
