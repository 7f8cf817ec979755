/* SPDX-License-Identifier: MIT
 *
 * simt_module.h - compiled kernels, in memory and on disk. They stay loaded until the process ends. */
#ifndef TALLY_GPU_SIMT_MODULE_H
#define TALLY_GPU_SIMT_MODULE_H

#include "../../simt/run.h"
#include "machine.h"

#include <pthread.h>

/* A kernel file compiled with one set of definitions. */
struct simt_object {
    struct simt_object *next;
    char *key;
    void *library;
    struct simt_module *module;
    pthread_mutex_t lock; /* its variables serve one launch at a time */
};

struct kernel {
    struct kernel *next;
    char *request; /* file, definitions and what else chose the object */
    char name[64];
    struct simt_object *object;
    const struct simt_kernel *code;
};

/* What a file of these sources compiles to; the request's entry does not matter. Thread-safe. */
struct sources;
tally_status simt_object_find(const struct kernel_request *request, int counting, const struct sources *sources,
                              struct simt_object **object);

/* Thread-safe. */
tally_status simt_kernel_find(const struct kernel_request *request, int counting, const struct kernel **kernel);

/* Bytes that a kernel's static shared variables take; 0 where sanitizers, which put more between them, compile it. */
size_t simt_shared_variables(const struct simt_module *module);

#endif
