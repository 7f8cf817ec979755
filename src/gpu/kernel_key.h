/* SPDX-License-Identifier: MIT
 *
 * kernel_key.h - the key of a compiled kernel on disk: text that says everything its bytes depend on. */
#ifndef TALLY_GPU_KERNEL_KEY_H
#define TALLY_GPU_KERNEL_KEY_H

#include "sources.h"

/* Kernels that came with the library are looked for whatever compiler made them. */
#define ANY_COMPILER "of any version"

/* The first line is for people: "reduce.cu reduce_all T=7 OP=1 sm_90". To be freed; NULL when there is no memory. */
char *kernel_key(const struct kernel_request *request, int architecture, const char *compiler,
                 const struct sources *sources);

#endif
