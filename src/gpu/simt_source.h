/* SPDX-License-Identifier: MIT
 *
 * simt_source.h - users' CUDA C as kernels of device simt. */
#ifndef TALLY_GPU_SIMT_SOURCE_H
#define TALLY_GPU_SIMT_SOURCE_H

#include "simt_module.h"

struct simt_function {
    struct function function; /* first: the contract's */
    struct simt_function *next;
    struct simt_object *object;
    const struct simt_kernel *code;
    char name[64]; /* for messages */
};

/* As machine.h has them. Compiled objects stay loaded until the process ends. */
tally_status simt_source_compile(const struct module_request *request, int counting, struct module **module);
tally_status simt_source_function(struct module *module, const char *name, struct function **function);
void simt_source_forget(struct module *module);

/* The text as simt.h understands it, to be freed: an entry behind each kernel, dynamic shared memory declared in its
 * way, lines where they were. NULL when there is no memory. */
char *simt_rewrite(const char *text);

#endif
