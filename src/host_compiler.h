/* SPDX-License-Identifier: MIT
 *
 * host_compiler.h - runs a compiler of this machine without a shell, and keeps the shared objects that it makes beside
 * the compiled kernels of kernel_cache.h. */
#ifndef TALLY_HOST_COMPILER_H
#define TALLY_HOST_COMPILER_H

#include "status.h"

#include <stddef.h>

enum { HOST_PATH = 1024 };

/* A program, and what tells it from another one under the same name. */
struct host_program {
    char path[HOST_PATH];
    int64_t bytes, changed;
};

/* By a path, or by a name on $PATH; 0 when there is none that can be run. */
int host_program_find(struct host_program *program, const char *name);

/* A text that a compiler may include by its name. */
struct host_text {
    const char *name, *bytes;
    size_t size;
};

/* Runs a compiler in a new folder that holds the texts (the last one's name is NULL): arguments, without the program
 * itself, end with NULL and make the file "object". Then 0 with its bytes, to be freed; or 1 when the compiler refuses,
 * with what it said in *log, to be freed; or -1 when it cannot be run, with the reason in *log. */
int host_compile(const struct host_program *program, const struct host_text *texts, const char *const *arguments,
                 void **object, size_t *size, char **log);

/* Loads the shared object that is kept under a key; NULL when there is none that is sound and has the symbol. */
void *host_object_load(const char *key, const char *symbol);

/* Keeps the bytes under the key, if possible, and loads them; NULL as above. */
void *host_object_keep(const char *key, const char *symbol, const void *bytes, size_t size);

#endif
