/* SPDX-License-Identifier: MIT
 *
 * engine.h - the checked request that an engine carries out, and the table of functions that an engine fills. */
#ifndef TALLY_ENGINE_H
#define TALLY_ENGINE_H

#include "array.h"
#include "modulo.h"
#include "tables.h"

/* How the states of an operator on a type are kept; state.h has one form for each. */
enum method {
    METHOD_FOLD,   /* a lifted value, combined */
    METHOD_EXACT,  /* exact accumulators */
    METHOD_ARG,    /* value and index */
    METHOD_MINMAX, /* two folds side by side */
    METHOD_END,    /* the first or last element */
    METHOD_USER    /* a user's operator: user/tree.h */
};

struct user_op;

/* What is computed on each cell: everything about a reduction but its shape. */
struct calculation {
    const struct op_row *op;
    enum method method;
    enum combine combine; /* the operator's, or the form of it that type and flags ask for */
    int ordered;          /* the combine is not associative: the shape of the tree shows in the bits */
    tally_type type;      /* of the elements */
    tally_type result;
    uint32_t flags;
    double correction;
    struct modulus modulus;     /* results are residues; p is 0 where they are not */
    const void *initial;        /* one value of the result type, or NULL; for METHOD_USER a state */
    int32_t values;             /* elements of a result; when there are more than 1, along an axis of their own */
    const struct user_op *user; /* METHOD_USER, otherwise NULL */
};

/* A reduction of x (and y) under an optional mask into out. Loops are collapsed. */
struct reduction {
    struct calculation calculation;
    const void *x, *y;
    const unsigned char *where;
    void *out;     /* NULL when states are accumulated: then kept strides of OPERAND_OUT count states */
    const void *z; /* METHOD_USER: the third input */
    int32_t kept_count, reduced_count;
    struct loop kept[TALLY_MAX_RANK];    /* one step: the next output cell */
    struct loop reduced[TALLY_MAX_RANK]; /* one step: the next element of a cell, in C order */
    int64_t cells;                       /* product of the kept extents */
    int64_t length;                      /* product of the reduced extents: elements of a cell */
    int64_t first_state;                 /* accumulating: index of the state of the first cell */
    int64_t step;                        /* from one element of a result to the next, in elements of out */
};

/* A running result of x along one axis into out. stride[OPERAND_OUT] of `axis` is out's. */
struct scan {
    struct calculation calculation;
    const void *x, *y, *z; /* y and z: METHOD_USER */
    const unsigned char *where;
    void *out;
    int32_t kept_count;
    struct loop kept[TALLY_MAX_RANK]; /* one step: the next parallel scan, in C order */
    struct loop axis;                 /* turned already when the scan is reversed */
    int64_t cells;
    int64_t step;              /* as in struct reduction */
    struct scan_state *states; /* NULL, or one per cell that the scan starts from and leaves behind */
};

/* One element of out from the elements of the inputs, in C order of out. */
struct map {
    const struct user_op *user;
    const void *inputs[4];
    void *out;
    tally_type result; /* of out's elements */
    int32_t count;
    struct loop loops[TALLY_MAX_RANK]; /* strides of the inputs under map_operands */
    int64_t elements;
};

/* The operands that a map's inputs stand for. */
static const enum operand map_operands[4] = {OPERAND_X, OPERAND_Y, OPERAND_Z, OPERAND_WHERE};

struct state;
struct scan_state;
struct prepared; /* the engine's own */

/* A user's kernels: sources and what they may include, definitions as lines "NAME=VALUE\n". */
struct module_request {
    const char *name, *text, *definitions;
    const tally_header *headers;
    size_t header_count;
    int counting; /* launches count what tally_launch_counts gives */
};

struct module; /* the engine's own */

/* A kernel of a module, which lives as long; more of the engine's own follows. */
struct function {
    int32_t parameters; /* -1: not known */
    const uint32_t *parameter_bytes;
    uint32_t most_threads; /* of a block */
};

struct module_launch {
    const struct function *function;
    tally_grid grid;
    void *const *arguments; /* where the value of each lies */
    const uint32_t *argument_bytes;
    int32_t argument_count;
};

struct engine {
    const char *name;        /* as in tally_open, without ":N" */
    const char *description; /* for people */
    /* options is the text after ':', or NULL. A stream of the user's is in the context by then. */
    tally_status (*open)(struct tally_context *context, const char *options);
    void (*close)(struct tally_context *context);
    void (*describe)(struct tally_context *context, tally_device *device);
    /* Both write nothing on failure. */
    tally_status (*reduce)(struct tally_context *context, const struct reduction *reduction);
    tally_status (*scan)(struct tally_context *context, const struct scan *scan);
    /* Adds one pass of elements to the states of several calculations over the same loops: states[i] points to
     * reduction->cells states of calculations[i]. */
    tally_status (*accumulate)(struct tally_context *context, const struct reduction *reduction,
                               const struct calculation *calculations, struct state *const *states, int32_t count);
    /* The device's own memory and queue; NULL where the device is the host. copy and synchronize return when done. */
    tally_status (*allocate)(struct tally_context *context, size_t bytes, void **memory);
    void (*release)(struct tally_context *context, void *memory, size_t bytes);
    tally_status (*copy)(struct tally_context *context, void *to, const void *from, size_t bytes);
    tally_status (*synchronize)(struct tally_context *context);
    /* Whether memory is the device's alone, which the host must not touch; NULL where there is none such. */
    int (*holds)(const void *memory);
    /* Points in the queue, slot < TALLY_MARKS, and the time between two that were set; NULL where calls are done when
     * they return. */
    tally_status (*mark)(struct tally_context *context, int32_t slot);
    tally_status (*elapsed)(struct tally_context *context, int32_t from, int32_t to, double *milliseconds);
    /* Prepared calls, which outlive the request. They write where the request said, allocate nothing when they run, and
     * run one at a time. NULL where the verb itself is as good. The request has a result in every cell. */
    tally_status (*prepare_reduce)(struct tally_context *context, const struct reduction *reduction,
                                   struct prepared **prepared);
    tally_status (*prepare_scan)(struct tally_context *context, const struct scan *scan, struct prepared **prepared);
    tally_status (*run)(struct tally_context *context, const struct prepared *prepared);
    void (*forget)(struct tally_context *context, struct prepared *prepared);
    /* Modules; NULL where the device runs no kernels. module_function leaves *function NULL when there is none of this
     * name. */
    tally_status (*module_compile)(struct tally_context *context, const struct module_request *request,
                                   struct module **module);
    tally_status (*module_function)(struct tally_context *context, struct module *module, const char *name,
                                    struct function **function);
    tally_status (*module_launch)(struct tally_context *context, const struct module_launch *launch);
    tally_status (*module_facts)(struct tally_context *context, const struct function *function, const tally_grid *grid,
                                 tally_function_facts *facts);
    tally_status (*module_counts)(struct tally_context *context, tally_counts *counts);
    void (*module_forget)(struct tally_context *context, struct module *module);
    /* Makes a user's operator ready for the device; NULL where it takes none. */
    tally_status (*user_operator)(struct tally_context *context, const struct user_op *op);
    tally_status (*map)(struct tally_context *context, const struct map *map);
    /* Tasks of the caller's on the device's threads; NULL where these are not the host's. */
    void (*parallel_for)(struct tally_context *context, int64_t count,
                         void (*task)(void *argument, int64_t index, int32_t worker), void *argument);
    /* Whether kernels may use memory. */
    tally_status (*reaches)(struct tally_context *context, const void *memory, int *reaches);
};

struct tally_context {
    const struct engine *engine;
    void *device; /* the engine's own */
    void *stream; /* the user's own queue of work on the device, if stream_borrowed */
    int stream_borrowed;
    int allocator_given; /* by tally_set_allocator; otherwise memory comes from the engine's own, or from malloc */
    tally_allocator allocator;
    int64_t marks[TALLY_MARKS]; /* nanoseconds of the host's clock where calls are done when they return; 0: not set */
};

extern const struct engine cpu_engine;
extern const struct engine reference_engine;
extern const struct engine cuda_engine;
extern const struct engine simt_engine; /* only #if HAVE_SIMT */

/* tally_open with an engine at hand. */
tally_status context_open(const struct engine *engine, const char *options, void *stream, int borrowed,
                          struct tally_context **context);

/* Memory of the host: through the context's allocator, or from malloc where the engine has memory of its own (the
 * allocator then gives that). NULL with the failure recorded when there is none left. */
void *context_allocate(struct tally_context *context, size_t bytes);
void context_release(struct tally_context *context, void *memory, size_t bytes);

/* Refuses a user's operator on a device that takes none, and makes it ready on others. */
tally_status context_check_operator(struct tally_context *context, const struct user_op *op);

/* Refuses memory of another device where the context's is the host; name is the argument's. */
tally_status context_check_memory(const struct tally_context *context, const char *name, const void *memory);

#endif
