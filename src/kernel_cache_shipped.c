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

#define BESIDE "tally-kernels"

static int is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Beside the file that this function is in. */
static int beside_library(char folder[KERNEL_CACHE_PATH])
{
    static const char anchor;
    Dl_info info;
    if (!dladdr(&anchor, &info) || !info.dli_fname) return 0;
    const char *slash = strrchr(info.dli_fname, '/');
    int length = slash ? (int)(slash - info.dli_fname) + 1 : 0;
    if (length > KERNEL_CACHE_PATH / 2) return 0;
    snprintf(folder, KERNEL_CACHE_PATH, "%.*s%s", length, info.dli_fname, BESIDE);
    return is_folder(folder);
}

int kernel_cache_shipped(char folder[KERNEL_CACHE_PATH])
{
    const char *given = getenv("TALLY_KERNELS");
    if (given) return snprintf(folder, KERNEL_CACHE_PATH, "%s", given) < KERNEL_CACHE_PATH / 2 && is_folder(folder);
    if (beside_library(folder)) return 1;
    snprintf(folder, KERNEL_CACHE_PATH, "%s/%s", TALLY_LIBRARY_FOLDER, BESIDE);
    return is_folder(folder);
}
