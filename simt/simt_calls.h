/* SPDX-License-Identifier: MIT
 *
 * simt_calls.h - what a kernel compiled for the host and the library that runs it know of each other. Read by both, as
 * C++ by the kernel and as C by the library; a kernel finds the library through one table of functions, because nothing
 * but the public interface leaves the library by name. */
#ifndef TALLY_SIMT_CALLS_H
#define TALLY_SIMT_CALLS_H

#include <stdint.h>

#define SIMT_WARP 32

/* What the lanes of a mask do together. The exchange reads the lane that `argument` asks for: low byte the lane, the
 * distance or the mask; next byte the width. */
enum simt_operation {
    SIMT_SYNC,
    SIMT_EXCHANGE,
    SIMT_EXCHANGE_UP,
    SIMT_EXCHANGE_DOWN,
    SIMT_EXCHANGE_XOR,
    SIMT_BALLOT,
    SIMT_MATCH_ANY,
    SIMT_REDUCE_ADD,
    SIMT_REDUCE_AND,
    SIMT_REDUCE_OR,
    SIMT_REDUCE_XOR,
    SIMT_REDUCE_MIN,
    SIMT_REDUCE_MAX,
    SIMT_REDUCE_MIN_SIGNED,
    SIMT_REDUCE_MAX_SIGNED,
    SIMT_BARRIER, /* of the whole block, and the three that combine a predicate */
    SIMT_BARRIER_OR,
    SIMT_BARRIER_AND,
    SIMT_BARRIER_COUNT
};

struct simt_index {
    unsigned x, y, z;
};

/* The part of a fibre that its kernel may read. */
struct simt_thread {
    struct simt_index thread, block;
    struct simt_index block_size, grid_size;
    void *shared; /* the block's dynamic shared memory */
    unsigned lane;
    unsigned atomics;   /* since the last look at other fibres */
    uint64_t *progress; /* counts what others can see */
};

/* A place in a kernel: the line in the upper 24 bits, the operation below. */
#define SIMT_PLACE(operation, line) ((unsigned)(operation) | (unsigned)(line) << 8)

struct simt_calls {
    uint64_t (*warp)(struct simt_thread *self, unsigned place, unsigned mask, uint64_t value, unsigned argument,
                     const char *file);
    int (*barrier)(struct simt_thread *self, unsigned place, int predicate, const char *file);
    void (*yield)(struct simt_thread *self);
    /* Of a cluster's blocks, which are the whole grid: the barrier in two steps, and the dynamic shared memory of one.
     */
    void (*cluster_arrive)(struct simt_thread *self);
    void (*cluster_await)(struct simt_thread *self);
    char *(*cluster_shared)(struct simt_thread *self, uint32_t block);
    void (*branch)(struct simt_thread *self, const void *place);
    void (*access)(struct simt_thread *self, const void *place, const void *memory, unsigned size);
};

/* What the library finds in a compiled kernel, under the name "simt_module". The static shared variables of the kernel
 * are all that lies between `shared` and `shared_end`. */
struct simt_module {
    uint32_t counting;
    struct simt_thread *self; /* the running fibre */
    const struct simt_calls *calls;
    char *shared, *shared_end;
};

/* A kernel, under the name "simt_kernel_" and its own. */
struct simt_kernel {
    void (*run)(const void *parameters);
    uint64_t parameter_bytes;
    uint32_t cluster_blocks; /* 1, or the grid's, which all run at once */
    /* Of a user's kernel (SIMT_ENTRY), whose `parameters` are addresses of that many values. */
    uint32_t argument_count;
    const uint32_t *argument_bytes;
};

#endif
