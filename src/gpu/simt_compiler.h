/* SPDX-License-Identifier: MIT
 *
 * simt_compiler.h - the host's C++ compiler, which makes a shared object of a kernel file. */
#ifndef TALLY_GPU_SIMT_COMPILER_H
#define TALLY_GPU_SIMT_COMPILER_H

#include "host_compiler.h"
#include "sources.h"

/* $TALLY_CXX, or the first of c++, g++ and clang++ on the PATH. */
tally_status simt_compiler_find(struct host_program *compiler);

/* All that the bytes depend on beside sources and definitions, as text. */
const char *simt_compiler_flags(const struct host_program *compiler, int counting);

/* Compiles one file. *object is to be freed. A refusal of the compiler is TALLY_DEVICE_ERROR (of sources with a user's
 * operator TALLY_INVALID_ARGUMENT) with the beginning of what it printed. */
tally_status simt_compile(const struct host_program *compiler, const struct sources *sources, const char *file,
                          const char *definitions, int counting, void **object, size_t *size);

#endif
