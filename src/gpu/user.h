/* SPDX-License-Identifier: MIT
 *
 * user.h - users' operators on a GPU: their text compiled with kernels/user/user_reduce.cu and user_scan.cu. */
#ifndef TALLY_GPU_USER_H
#define TALLY_GPU_USER_H

#include "program.h"
#include "scan_launch.h"
#include "user/operator.h"

#include "kernels/parameters/user_parameters.h"

/* As engine.h has it: compiles the text, so that errors in it come up at once. */
tally_status user_operator_ready(struct tally_context *context, const struct user_op *op);

/* Compiles the kernel of a map between contiguous arrays. */
tally_status user_map_prepare(struct machine *machine, const struct user_op *op);

/* Operands lie on the device. Everything is queued, nothing waits. wants_failures: bits of reduce_parameters.h are left
 * in the context's scratch. */
tally_status user_reduce_launch(struct tally_context *context, const struct reduction *reduction, int wants_failures);
tally_status user_scan_launch(struct tally_context *context, const struct scan *scan,
                              const struct scan_carries *carries);

/* Whole blocks of a scan from the start of one: from its states, and into them. The caller holds the device's mutex. */
tally_status user_scan_carried(struct tally_context *context, const struct scan *scan, int host_output);

/* ---- what both have in common ---- */

/* What the text and its types are compiled with; of a map its inputs alone. */
void user_definitions_of_inputs(const struct user_op *op, struct definitions *definitions);
void user_definitions(const struct user_op *op, struct definitions *definitions);

/* A kernel of the operator; what the compiler says of the text is TALLY_INVALID_ARGUMENT. */
tally_status user_kernel(struct machine *machine, const struct user_op *op, const char *file, const char *entry,
                         const struct definitions *definitions, const struct kernel **kernel);

struct user_loop user_loop_of(const struct loop *loop);

/* Whether neighbouring threads had better take neighbouring cells than neighbouring elements of a loop. */
int user_cells_lie_closer(const struct loop *kept, int32_t kept_count, const struct loop *inner);

/* What all calculations tell their kernels. */
void user_fill(const struct calculation *calculation, struct user_parameters *p);

tally_status user_launch(struct machine *machine, const struct kernel *kernel, int64_t blocks, uint32_t threads,
                         size_t shared_bytes, const struct user_parameters *p);

/* Bytes of a warp's rows of `run` elements of each input in shared memory. */
size_t user_stage_bytes(const struct user_op *op, int64_t run);

#endif
