/* SPDX-License-Identifier: MIT
 *
 * run.h - runs one launch of a kernel that was compiled for the host, to its end. */
#ifndef TALLY_SIMT_RUN_H
#define TALLY_SIMT_RUN_H

#include "simt_calls.h"
#include <stddef.h>

/* What a launch did. The last three are counted only by kernels compiled with TALLY_SIMT_COUNT. */
struct simt_counts {
    uint64_t threads;
    uint64_t barriers;        /* a block's */
    uint64_t warp_operations; /* by all lanes of a mask together: one */
    uint64_t yields;
    uint64_t divergent_branches; /* times that lanes of a warp went different ways */
    uint64_t bank_conflicts;     /* extra cycles of shared memory, 32 banks of 4 bytes */
    uint64_t transactions;       /* sectors of 32 bytes, per access of a warp */
};

struct simt_launch {
    const char *name; /* for messages */
    struct simt_module *module;
    const struct simt_kernel *kernel;
    const void *parameters;
    size_t parameter_bytes; /* and of what they point to, when that lies behind them */
    struct simt_index grid_size, block_size;
    uint32_t blocks, threads; /* products of these */
    uint32_t shared_bytes;
    uint64_t seed; /* equal seeds repeat the order of everything */
};

/* What launches reuse. One launch at a time; a module serves one launch at a time, whoever runs it. */
struct simt_runner;
struct simt_runner *simt_runner_new(void);
void simt_runner_free(struct simt_runner *runner);

/* Returns NULL, or what went wrong: a text that lives until the runner's next launch. */
const char *simt_run(struct simt_runner *runner, const struct simt_launch *launch);

/* Of the last launch. */
const struct simt_counts *simt_run_counts(const struct simt_runner *runner);

#endif
