/* SPDX-License-Identifier: MIT
 *
 * nvrtc_find.c - where libnvrtc may lie: the list of nvrtc.h, walked without running anything. */
#define _GNU_SOURCE
#include "nvrtc_find.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Patterns below a prefix that an environment variable names, or below "/". The files of a pattern are tried from the
 * newest name to the oldest. */
static const struct {
    const char *variable; /* NULL: pattern is a full path */
    const char *pattern;
} places[] = {
    {NULL, "/usr/local/cuda/{lib64,lib,targets/*/lib}/libnvrtc.so{.1[23],}"},
    {NULL, "/usr/local/cuda-*/{lib64,lib,targets/*/lib}/libnvrtc.so{.1[23],}"},
    {"VIRTUAL_ENV", "/lib/python3*/site-packages/nvidia/{cuda_nvrtc,cu13}/lib/libnvrtc.so.1[23]"},
    {"CONDA_PREFIX", "/lib/python3*/site-packages/nvidia/{cuda_nvrtc,cu13}/lib/libnvrtc.so.1[23]"},
    {"CONDA_PREFIX", "/lib/libnvrtc.so.1[23]"},
    {"HOME", "/.local/lib/python3*/site-packages/nvidia/{cuda_nvrtc,cu13}/lib/libnvrtc.so.1[23]"},
    {NULL, "/usr/local/lib/python3*/{dist,site}-packages/nvidia/{cuda_nvrtc,cu13}/lib/libnvrtc.so.1[23]"},
    {NULL, "/usr/lib/python3*/{dist,site}-packages/nvidia/{cuda_nvrtc,cu13}/lib/libnvrtc.so.1[23]"},
    {NULL, "/opt/*/{.venv/,}lib/python3*/site-packages/nvidia/{cuda_nvrtc,cu13}/lib/libnvrtc.so.1[23]"},
};

static void *open_one(const char *path, char *why, size_t size)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const char *error = library ? NULL : dlerror();
    if (!library && why) snprintf(why, size, "%s", error ? error : "");
    return library;
}

/* By the file's own name first: version 13 before 12, wherever they lie. */
static int is_newer(const char *a, const char *b)
{
    int name = strverscmp(strrchr(a, '/'), strrchr(b, '/'));
    return (name ? name : strverscmp(a, b)) > 0;
}

static void *open_pattern(const char *pattern)
{
    glob_t found;
    void *library = NULL;
    if (glob(pattern, GLOB_BRACE | GLOB_NOSORT, NULL, &found) != 0) return NULL;
    /* GLOB_BRACE appends one alternative after another, so the whole list is ordered here. */
    for (size_t left = found.gl_pathc; left > 0 && !library; left--) {
        size_t last = 0;
        for (size_t i = 1; i < left; i++) {
            if (is_newer(found.gl_pathv[i], found.gl_pathv[last])) last = i;
        }
        char *path = found.gl_pathv[last];
        library = open_one(path, NULL, 0);
        found.gl_pathv[last] = found.gl_pathv[left - 1];
        found.gl_pathv[left - 1] = path; /* kept for globfree */
    }
    globfree(&found);
    return library;
}

void *nvrtc_find(char *why, size_t size)
{
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
    char pattern[1024];
    const char *named = getenv("TALLY_NVRTC");
    if (named && *named) {
        char error[256] = "";
        void *library = open_one(named, error, sizeof error);
        if (!library)
            snprintf(why, size, "no CUDA compiler: TALLY_NVRTC names %.200s, which does not open (%s)", named, error);
        return library;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *library = open_one(names[i], NULL, 0);
        if (library) return library;
    }
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const char *prefix = places[i].variable ? getenv(places[i].variable) : "";
        if (!prefix || (places[i].variable && prefix[0] != '/')) continue;
        if (snprintf(pattern, sizeof pattern, "%s%s", prefix, places[i].pattern) >= (int)sizeof pattern) continue;
        void *library = open_pattern(pattern);
        if (library) return library;
    }
    snprintf(why, size,
             "no CUDA compiler: libnvrtc.so.13 or .12 is neither in the library path, nor in /usr/local/cuda*, nor an "
             "installed wheel; pip install nvidia-cuda-nvrtc (for a driver of CUDA 12: nvidia-cuda-nvrtc-cu12), or let "
             "TALLY_NVRTC name the library");
    return NULL;
}
