/* SPDX-License-Identifier: MIT
 *
 * fake_driver.h - for tests of what goes on with a GPU's driver and compiler, on a fake of both (fake/fake_cuda.c).
 * Each case runs in a process of its own, since libraries are opened once per process, and leaves nothing behind. */
#ifndef TALLY_TEST_FAKE_DRIVER_H
#define TALLY_TEST_FAKE_DRIVER_H

#include "failing.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[256], sources[300], cache[300];

/* What the fake counts. */
static inline int counted(const char *function)
{
    int (*count)(void) = NULL;
    void *library = dlopen(FAKE_CUDA, RTLD_NOW);
    void *found = library ? dlsym(library, function) : NULL;
    memcpy(&count, &found, sizeof count);
    int number = count ? count() : -1;
    if (library) dlclose(library);
    return number;
}

static inline void nothing_left(void)
{
    CHECK_EQUAL_I64(counted("fake_cuda_alive"), 0);
    CHECK_EQUAL_I64(counted("fake_cuda_depth"), 0);
}

static inline void in_child(const char *name, void (*body)(void))
{
    int status = 0;
    test.section = name;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        test.failed = 0;
        body();
        exit(test.failed > 0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

/* A folder of the test's own, and the fake in place of driver and compiler; 0 when there is no folder. */
static inline int open_folder(void)
{
    const char *top = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.200s/tally-cuda.XXXXXX", top && *top ? top : "/tmp");
    if (!mkdtemp(folder)) return perror("mkdtemp"), 0;
    snprintf(sources, sizeof sources, "%s/sources", folder);
    snprintf(cache, sizeof cache, "%s/cache", folder);
    if (mkdir(sources, 0700) != 0) return perror("mkdir"), 0;
    setenv("TALLY_CUDA_DRIVER", FAKE_CUDA, 1);
    setenv("TALLY_NVRTC", FAKE_CUDA, 1);
    setenv("TALLY_KERNEL_DIR", sources, 1);
    setenv("TALLY_CACHE_DIR", cache, 1);
    return 1;
}

static inline void remove_folder(void)
{
    char command[600];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK(system(command) == 0);
}

#endif
