/* SPDX-License-Identifier: MIT
 *
 * gpu.h - what the files of the GPU's engine share. There are two ways to run a world, each an engine of its own:
 * life_gpu takes the first that does not refuse. */
#ifndef LIFE_GPU_H
#define LIFE_GPU_H

#include "life.h"

/* The kernels of this folder, by name. */
struct life_file {
    const char *name, *text;
};
extern const struct life_file life_files[]; /* ends with a name that is NULL */

const char *gpu_file_text(const char *name); /* NULL when there is none */

extern const struct life_engine gpu_warp;   /* small worlds: registers of one warp (warp.cu) */
extern const struct life_engine gpu_groups; /* all others: group.cuh, stream.cu, and band.cu where it can */

/* Compiles a kernel file for a rule and edges, with more definitions, up to NULL, if any. */
#define GPU_MOST_DEFINITIONS 8
bool gpu_compile(tally_context *context, const struct life_problem *problem, const char *file,
                 const char *const *definitions, tally_module **module, struct life_why *why);
bool gpu_find(tally_module *module, const char *name, tally_function **function, struct life_why *why);

/* How many passes of all are made before it is checked what stands still: there is a good number from the beginning;
 * this is for tests and measurements. Not for worlds that one warp holds. */
void gpu_check_after(void *world, int64_t passes);
void gpu_groups_check_after(void *world, int64_t passes); /* a world of gpu_groups */

/* Launches on a grid of one dimension. */
bool gpu_launch(tally_function *function, uint32_t blocks, uint32_t threads, uint32_t shared_bytes,
                const tally_argument *arguments, int32_t count, struct life_why *why);

/* The same with at least as many threads as there are things to do, in blocks of 256. */
bool gpu_launch_for(tally_function *function, int64_t things, const tally_argument *arguments, int32_t count,
                    struct life_why *why);

bool gpu_copy(tally_context *context, void *to, const void *from, size_t bytes, struct life_why *why);
bool gpu_take(tally_context *context, size_t bytes, void **memory, struct life_why *why);

#endif
