/* SPDX-License-Identifier: MIT
 *
 * gpu.h - the GPU engine: one host code for every machine of machine.h. */
#ifndef TALLY_GPU_GPU_H
#define TALLY_GPU_GPU_H

#include "machine.h"
#include "recall.h"

#include <pthread.h>

/* A context's device. */
struct gpu_device {
    struct machine *machine;
    pthread_mutex_t mutex; /* of the scratch, of what is recalled and of the order of launches */
    void *counters, *room; /* scratch.c's */
    size_t room_bytes;
    void *zeros; /* as scratch_zeros gives them */
    size_t zero_bytes;
    struct transfer *transfer; /* transfer.c's */
    struct recall recall;
};

/* The device of a context; NULL when the context's engine is another. */
struct gpu_device *gpu_device(const struct tally_context *context);

/* Device memory, in the order of LANE_MAIN: from the user's allocator if there is one, else from the machine. */
tally_status gpu_allocate(struct tally_context *context, size_t bytes, void **memory);
void gpu_release(struct tally_context *context, void *memory, size_t bytes);

/* The verbs; engine.h says what they promise. */
tally_status gpu_reduce(struct tally_context *context, const struct reduction *reduction);
tally_status gpu_scan(struct tally_context *context, const struct scan *scan);
tally_status gpu_map(struct tally_context *context, const struct map *map);
tally_status gpu_accumulate(struct tally_context *context, const struct reduction *reduction,
                            const struct calculation *calculations, struct state *const *states, int32_t count);

/* Whether a cell may turn out to have no result. */
int gpu_may_fail(const struct reduction *reduction);

/* Prepared calls; engine.h says what they promise. */
tally_status gpu_prepare_reduce(struct tally_context *context, const struct reduction *reduction,
                                struct prepared **prepared);
tally_status gpu_prepare_scan(struct tally_context *context, const struct scan *scan, struct prepared **prepared);
tally_status gpu_run(struct tally_context *context, const struct prepared *prepared);
void gpu_forget(struct tally_context *context, struct prepared *prepared);

/* Users' kernels; engine.h says what they promise. */
tally_status gpu_module_compile(struct tally_context *context, const struct module_request *request,
                                struct module **module);
tally_status gpu_module_function(struct tally_context *context, struct module *module, const char *name,
                                 struct function **function);
tally_status gpu_module_launch(struct tally_context *context, const struct module_launch *launch);
tally_status gpu_module_facts(struct tally_context *context, const struct function *function, const tally_grid *grid,
                              tally_function_facts *facts);
tally_status gpu_module_counts(struct tally_context *context, tally_counts *counts);
void gpu_module_forget(struct tally_context *context, struct module *module);
tally_status gpu_reaches(struct tally_context *context, const void *memory, int *reaches);

/* Plans alone, which leave a list of kernels behind: ahead_machine.h. No device of tally_open's. */
extern const struct engine ahead_engine;

/* Compiles the kernels that most calls need, so that the cache has them. */
tally_status gpu_warm(struct tally_context *context);

#endif
