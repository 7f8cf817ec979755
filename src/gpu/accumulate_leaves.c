/* SPDX-License-Identifier: MIT
 *
 * accumulate_leaves.c - the complete leaves of ordered calculations, by reduce_leaves.cu. */
#include "accumulate.h"
#include "staging.h"

#include "kernels/parameters/leaves_parameters.h"

#define CREW 32 /* threads of a leaf, with four lanes each */

tally_status share_leaves(struct tally_context *context, const struct reduction *reduction, struct share *share)
{
    struct machine *machine = gpu_device(context)->machine;
    struct reduction local = *reduction;
    struct op_row row;
    struct reduce_plan plan;
    const struct kernel *kernel;
    size_t parts = (size_t)program_parts(share->calculation);
    if (share->leaves == 0) return TALLY_OK;
    local.calculation = share_program(share->calculation, &row);
    reduce_plan(&machine->limits, &local, &plan);
    struct kernel_request request = {"reduce_leaves.cu", "reduce_leaves", plan.definitions.text, NULL};
    int64_t crews = plan.threads / CREW, blocks = (reduction->cells * share->leaves + crews - 1) / crews;
    if (blocks > INT32_MAX)
        FAIL(TALLY_UNSUPPORTED, "the reduction needs %lld blocks: a GPU takes at most %d", (long long)blocks,
             INT32_MAX);
    TRY(machine->table->kernel(machine, &request, &kernel));
    share->bytes = (size_t)(reduction->cells * share->leaves) * (1 + parts) * sizeof(uint64_t);
    share->words = context_allocate(context, share->bytes);
    if (!share->words) return TALLY_OUT_OF_MEMORY;
    TRY(gpu_allocate(context, share->bytes, &local.out));
    struct leaves_parameters p = {plan.parameters, share->first, share->leaves};
    p.reduce.out = local.out;
    p.reduce.length = share->first + share->leaves * TREE_LEAF;
    struct launch launch = {kernel, (uint32_t)blocks, plan.threads, 0, &p, sizeof p};
    tally_status status = machine->table->launch(machine, &launch);
    if (status == TALLY_OK) status = staging_download(context, share->words, local.out, share->bytes);
    gpu_release(context, local.out, share->bytes);
    return status;
}
