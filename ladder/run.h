/* SPDX-License-Identifier: MIT
 *
 * run.h - compiles a rung for one type and operator, and runs it on problems of any size. */
#ifndef TALLY_LADDER_RUN_H
#define TALLY_LADDER_RUN_H

#include "ladder.h"

/* A rung that is ready to run. */
struct ladder_kernels {
    tally_context *context;
    const struct ladder_rung *rung;
    tally_module *module; /* NULL: the library's call */
    tally_function *kernel[LADDER_KERNELS];
    void *scratch;
    size_t scratch_bytes;
};

/* Compiles a rung for the problem's type and operator. With a mistake, which must be one of this rung, the changed
 * source is compiled; with count, runs on device "simt" count everything that tally_launch_counts gives.
 * Errors: TALLY_INVALID_ARGUMENT (the mistake's text is not in the source exactly once), TALLY_UNSUPPORTED (the rung
 * refuses the problem); as tally_module_compile. */
tally_status ladder_open_rung(tally_context *context, const struct ladder_rung *rung,
                              const struct ladder_problem *problem, const struct ladder_mistake *mistake, bool count,
                              struct ladder_kernels *kernels);

/* Queues one run and waits for nothing; input and output are on the device. The problem may differ from the one that
 * the rung was opened for in all but type and operator. The scratch memory grows where it must, so the first run of a
 * size may take longer than the next. Without elements the results are the identity, and nothing is launched. */
tally_status ladder_run_once(struct ladder_kernels *kernels, const struct ladder_problem *problem, const void *input,
                             void *output);

/* Frees what a rung has; one that failed to open has nothing. */
tally_status ladder_close_rung(struct ladder_kernels *kernels);

#endif
