/* SPDX-License-Identifier: MIT
 *
 * kernel_cache_shipped.c - where the kernels lie that came with the library. */
#define _GNU_SOURCE
#include "kernel_cache.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BESIDE "tally-kernels"

/* The file that this function is in: the shared library, or the program that it is linked into, which goes by what it
 * was called as. 0 when it is not known. */
static int library_file(char file[KERNEL_CACHE_PATH])
{
    static const char anchor;
    Dl_info info;
    if (dladdr(&anchor, &info) && info.dli_fname && info.dli_fname[0] == '/')
        return snprintf(file, KERNEL_CACHE_PATH, "%s", info.dli_fname) < KERNEL_CACHE_PATH / 2;
    ssize_t length = readlink("/proc/self/exe", file, KERNEL_CACHE_PATH / 2);
    if (length <= 0 || length >= KERNEL_CACHE_PATH / 2) return 0;
    file[length] = '\0';
    return 1;
}

/* Code is loaded from here: who may put some there are this user, root, and who may change the library. */
static int is_trusted(const char *folder)
{
    struct stat info, library;
    char file[KERNEL_CACHE_PATH];
    if (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode) || info.st_mode & S_IWOTH) return 0;
    if (info.st_uid == geteuid() || info.st_uid == 0) return 1;
    return library_file(file) && stat(file, &library) == 0 && info.st_uid == library.st_uid;
}

static int beside_library(char folder[KERNEL_CACHE_PATH])
{
    char file[KERNEL_CACHE_PATH];
    if (!library_file(file)) return 0;
    snprintf(folder, KERNEL_CACHE_PATH, "%.*s%s", (int)(strrchr(file, '/') - file) + 1, file, BESIDE);
    return is_trusted(folder);
}

int kernel_cache_shipped(char folder[KERNEL_CACHE_PATH])
{
    const char *given = getenv("TALLY_KERNELS");
    if (given) return snprintf(folder, KERNEL_CACHE_PATH, "%s", given) < KERNEL_CACHE_PATH / 2 && is_trusted(folder);
    if (beside_library(folder)) return 1;
    snprintf(folder, KERNEL_CACHE_PATH, "%s/%s", TALLY_LIBRARY_FOLDER, BESIDE);
    return is_trusted(folder);
}

int kernel_cache_read_shipped(const char *folder, const char *below, const char *key, void **bytes, size_t *size)
{
    char path[KERNEL_CACHE_PATH];
    if (snprintf(path, sizeof path, "%s/%s", folder, below) >= (int)sizeof path) return 0;
    return is_trusted(path) && kernel_cache_read_in(path, key, bytes, size);
}
