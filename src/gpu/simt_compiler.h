/* SPDX-License-Identifier: MIT
 *
 * simt_compiler.h - the host's C++ compiler, which makes a shared object of a kernel file. */
#ifndef TALLY_GPU_SIMT_COMPILER_H
#define TALLY_GPU_SIMT_COMPILER_H

#include "sources.h"

enum { SIMT_PATH = 1024 };

struct simt_compiler {
    char path[SIMT_PATH];
    int64_t bytes, changed; /* of its file: another compiler under the same name makes other kernels */
};

/* $TALLY_CXX, or the first of c++, g++ and clang++ on the PATH. */
tally_status simt_compiler_find(struct simt_compiler *compiler);

/* All that the bytes depend on beside sources and definitions, as text. */
const char *simt_compiler_flags(const struct simt_compiler *compiler, int counting);

/* Compiles one file. *object is to be freed. A refusal of the compiler is TALLY_DEVICE_ERROR with the beginning of what
 * it printed. */
tally_status simt_compile(const struct simt_compiler *compiler, const struct sources *sources, const char *file,
                          const char *definitions, int counting, void **object, size_t *size);

/* Bytes of a whole file, to be freed; 0 when it cannot be read. */
int simt_read_file(const char *path, void **bytes, size_t *size);
int simt_write_file(const char *path, const void *bytes, size_t size);

#endif
