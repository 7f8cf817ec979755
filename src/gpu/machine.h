/* SPDX-License-Identifier: MIT
 *
 * machine.h - what the GPU engine asks of a device: memory, copies, kernels, launches. Two machines fill the table:
 * cuda_machine (the driver and NVRTC, opened at run time) and simt_machine (the same kernels compiled for the host).
 * Everything above this table is one code for both. */
#ifndef TALLY_GPU_MACHINE_H
#define TALLY_GPU_MACHINE_H

#include "engine.h"

/* Queues of work. Work in one lane runs in order; lanes run side by side until gpu_machine.follow orders them. */
enum lane {
    LANE_MAIN, /* the context's stream: kernels, and copies between device memory */
    LANE_IN,   /* copies to the device */
    LANE_OUT,  /* copies from the device */
    LANE_COUNT
};

/* Slots of marks: the user's TALLY_MARKS first, then the transfers'. */
#define MARKS 64

/* Where memory lies, as the machine sees it. */
enum place {
    PLACE_HOST,   /* only the host may touch it */
    PLACE_DEVICE, /* kernels of this device may read and write it */
    PLACE_OTHER,  /* memory of another device */
    PLACE_LOST    /* nobody can tell, the device has failed: the failure is recorded as TALLY_DEVICE_ERROR */
};

/* What one kernel is compiled from: a file of src/gpu/kernels and constants. Equal requests give the same kernel. */
struct kernel_request {
    const char *file;        /* "reduce.cu" */
    const char *entry;       /* name of the kernel in it */
    const char *definitions; /* "NAME=VALUE" lines, each ended by '\n': become -DNAME=VALUE */
    /* NULL, or a user's operator, which takes the place of user_text.h: a refusal of the compiler is then
     * TALLY_INVALID_ARGUMENT. The definitions tell it from other texts. */
    const char *text;
};

struct kernel; /* a compiled kernel; lives as long as the machine */

/* Every kernel takes one structure by value. */
struct launch {
    const struct kernel *kernel;
    uint32_t blocks;
    uint32_t threads;
    uint32_t shared_bytes; /* dynamic shared memory */
    const void *parameters;
    size_t parameter_bytes;
};

struct device_limits {
    int32_t processors;   /* SMs */
    int32_t architecture; /* 90 for 9.0 */
    size_t memory;
    size_t shared_bytes;    /* most dynamic shared memory of a block */
    size_t cache_bytes;     /* L2 */
    int32_t cluster_blocks; /* most blocks of a cluster; 0: there are none */
};

/* From Hopper on. Eight, for which a part of a GPU or a small one may have too few processors side by side; sixteen,
 * for which a kernel has to ask, on GPUs that have many. */
static inline int32_t device_cluster_blocks(int32_t architecture, int32_t processors)
{
    if (architecture < 90 || processors < 64) return 0;
    return architecture < 104 && processors >= 128 ? 16 : 8;
}

/* Shared memory that a block may take if so many are to fit a multiprocessor, which keeps some for itself and for each.
 */
#define BLOCK_RESERVED_BYTES 1024
static inline int64_t device_room_of_block(const struct device_limits *limits, int64_t blocks)
{
    return ((int64_t)limits->shared_bytes + BLOCK_RESERVED_BYTES) / blocks - BLOCK_RESERVED_BYTES;
}

struct machine {
    const struct machine_table *table;
    struct device_limits limits;
    /* the machine's own follows */
};

struct machine_table {
    const char *name;        /* as in tally_open, without ":N" */
    const char *description; /* for people */
    /* options is the text after ':', or NULL. stream: the user's own for LANE_MAIN, or NULL with borrowed 0. */
    tally_status (*open)(const char *options, void *stream, int borrowed, struct machine **machine);
    void (*close)(struct machine *machine); /* waits for all lanes first */
    void (*describe)(struct machine *machine, tally_device *device);

    /* Device memory; usable by work that enters LANE_MAIN after the call, and released in LANE_MAIN's order. */
    tally_status (*allocate)(struct machine *machine, size_t bytes, void **memory);
    void (*release)(struct machine *machine, void *memory, size_t bytes);
    size_t (*free_memory)(struct machine *machine);
    /* Host memory that copies to and from the device run at full speed with. */
    tally_status (*allocate_host)(struct machine *machine, size_t bytes, void **memory);
    void (*release_host)(struct machine *machine, void *memory, size_t bytes);
    enum place (*place)(struct machine *machine, const void *memory);

    tally_status (*kernel)(struct machine *machine, const struct kernel_request *request, const struct kernel **kernel);
    /* All of these enqueue and return. */
    tally_status (*launch)(struct machine *machine, const struct launch *launch); /* LANE_MAIN */
    tally_status (*copy)(struct machine *machine, enum lane lane, void *to, const void *from, size_t bytes);
    tally_status (*clear)(struct machine *machine, enum lane lane, void *memory, size_t bytes); /* to zero bytes */
    /* The same in LANE_MAIN, for memory that kernels leave zero: done once, whatever is recorded. */
    tally_status (*clear_once)(struct machine *machine, void *memory, size_t bytes);
    /* What enters lane `after` from now on waits for all that is in lane `before` now. */
    tally_status (*follow)(struct machine *machine, enum lane after, enum lane before);
    tally_status (*synchronize)(struct machine *machine, enum lane lane); /* waits; reports what failed meanwhile */

    /* Marks: points in a lane, in slots below MARKS; marking a slot again moves it. wait returns when the lane has come
     * to the mark, at once when there is none. elapsed waits for both, which must be there. One thread at a time per
     * slot. */
    tally_status (*mark)(struct machine *machine, enum lane lane, int32_t slot);
    tally_status (*wait)(struct machine *machine, int32_t slot);
    tally_status (*elapsed)(struct machine *machine, int32_t from, int32_t to, double *milliseconds);

    /* Users' kernels, as engine.h has them; launches go to LANE_MAIN. module_counts is NULL where nothing is counted.
     */
    tally_status (*module_compile)(struct machine *machine, const struct module_request *request,
                                   struct module **module);
    tally_status (*module_function)(struct machine *machine, struct module *module, const char *name,
                                    struct function **function);
    tally_status (*module_launch)(struct machine *machine, const struct module_launch *launch);
    tally_status (*module_facts)(struct machine *machine, const struct function *function, const tally_grid *grid,
                                 tally_function_facts *facts);
    tally_status (*module_counts)(struct machine *machine, tally_counts *counts);
    void (*module_forget)(struct machine *machine, struct module *module);
};

extern const struct machine_table cuda_machine;
extern const struct machine_table simt_machine;

/* The bytes of src/gpu/kernels and of the headers that they include, embedded at build time (or read from
 * TALLY_KERNEL_DIR when that is set). name as in #include "..."; NULL at the end of the list. */
struct embedded_file {
    const char *name;
    const char *bytes; /* ends in '\0' */
    size_t size;       /* without it */
};
extern const struct embedded_file embedded_files[];

#endif
