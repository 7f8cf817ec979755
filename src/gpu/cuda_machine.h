/* SPDX-License-Identifier: MIT
 *
 * cuda_machine.h - what the files of the CUDA machine share. */
#ifndef TALLY_GPU_CUDA_MACHINE_H
#define TALLY_GPU_CUDA_MACHINE_H

#include "driver.h"
#include "machine.h"

#include <pthread.h>
#include <stdatomic.h>

struct kernel {
    struct kernel *next;
    cu_module module;
    cu_function function;
    char *file, *entry, *definitions; /* the request */
};

struct cuda_machine {
    struct machine machine;
    const struct driver *driver;
    int index; /* N of "cuda:N" */
    cu_device device;
    cu_context context; /* the device's primary one, shared with the rest of the process */
    int borrowed;       /* the stream of LANE_MAIN is the user's */
    cu_stream stream[LANE_COUNT];
    cu_event event[LANE_COUNT]; /* of follow(), recorded in the lane of the same number */
    cu_event mark[MARKS];       /* made when first set */
    cu_pool pool;               /* NULL: the device has none, memory comes from cuMemAlloc */
    pthread_mutex_t making;     /* of kernels; held while one is compiled */
    struct kernel *kernels;     /* the last used first */
    pthread_mutex_t mutex;      /* of event and failure */
    atomic_int failed;          /* set once, after failure was written: the driver's context is lost */
    char failure[640];
};

/* Every entry into the driver: makes the machine's context current, or fails with the first cause when it is lost.
 * Leaving makes the caller's own context current again. */
tally_status cuda_enter(struct cuda_machine *cuda);
void cuda_leave(struct cuda_machine *cuda);

/* A result as a status. A result that no later call in this context can recover from makes the machine refuse work. */
tally_status cuda_check(struct cuda_machine *cuda, cu_result result, const char *function, const char *doing);

/* CUDA_CALL(cuda, "waiting for a stream", cuStreamSynchronize, stream) */
#define CUDA_CALL(cuda, doing, function, ...) \
    cuda_check((cuda), (cuda)->driver->function(__VA_ARGS__), #function, (doing))

/* cuda_memory.c */
tally_status cuda_open_pool(struct cuda_machine *cuda);
void cuda_close_pool(struct cuda_machine *cuda);
tally_status cuda_allocate(struct machine *machine, size_t bytes, void **memory);
void cuda_release(struct machine *machine, void *memory, size_t bytes);
size_t cuda_free_memory(struct machine *machine);
tally_status cuda_allocate_host(struct machine *machine, size_t bytes, void **memory);
void cuda_release_host(struct machine *machine, void *memory, size_t bytes);
enum place cuda_place(struct machine *machine, const void *memory);

/* cuda_mark.c */
tally_status cuda_mark(struct machine *machine, enum lane lane, int32_t slot);
tally_status cuda_wait(struct machine *machine, int32_t slot);
tally_status cuda_elapsed(struct machine *machine, int32_t from, int32_t to, double *milliseconds);
void cuda_close_marks(struct cuda_machine *cuda);

/* cuda_kernel.c */
tally_status cuda_kernel(struct machine *machine, const struct kernel_request *request, const struct kernel **kernel);
void cuda_close_kernels(struct cuda_machine *cuda);
/* A block may then use as much shared memory as the device has; a launch that asks for less is charged for less. */
tally_status cuda_raise_shared(struct cuda_machine *cuda, cu_function function);
/* Adds to a failure to load code that a driver older than the compiler may not know its form. */
tally_status cuda_explain_load(struct cuda_machine *cuda, tally_status status);

/* cuda_module.c */
tally_status cuda_module_compile(struct machine *machine, const struct module_request *request, struct module **module);
tally_status cuda_module_function(struct machine *machine, struct module *module, const char *name,
                                  struct function **function);
tally_status cuda_module_launch(struct machine *machine, const struct module_launch *launch);
tally_status cuda_module_facts(struct machine *machine, const struct function *function, const tally_grid *grid,
                               tally_function_facts *facts);
void cuda_module_forget(struct machine *machine, struct module *module);

#endif
