/* SPDX-License-Identifier: MIT
 *
 * accumulate_cells.c - states of cells whose order of elements does not matter, by reduce.cu; sums that leave a
 * thread's window again by reduce_wide.cu. */
#include "accumulate.h"
#include "scratch.h"
#include "staging.h"

#include "kernels/parameters/output_state.h"

#include <string.h>

#define WIDE_AT_ONCE 1024 /* cells, of up to 7 KiB */

struct calculation share_program(const struct calculation *calculation, struct op_row *row)
{
    struct calculation program = *calculation;
    *row = *calculation->op;
    row->finish = FINISH_TOTAL;
    row->empty = EMPTY_IDENTITY;
    program.op = row;
    program.result = calculation->type;
    program.flags &= TALLY_SKIP_NAN;
    program.initial = NULL;
    return program;
}

int64_t share_words(const struct calculation *calculation)
{
    switch (calculation->method) {
    case METHOD_EXACT: return 1 + OUTPUT_SUM * state_exact_count(calculation);
    case METHOD_MINMAX: return 3;
    case METHOD_FOLD: return 1 + program_parts(calculation);
    default: return 4;
    }
}

int share_failed(const struct calculation *calculation, const uint64_t *words)
{
    uint64_t special = 0;
    if (calculation->method != METHOD_EXACT) return 0;
    for (int s = 0; s < state_exact_count(calculation); s++) special |= words[1 + OUTPUT_SUM * s];
    return (special & OUTPUT_FAILED) != 0;
}

static tally_status launch(struct tally_context *context, const struct reduce_plan *plan, const char *file,
                           const char *entry, int64_t blocks, uint32_t shared_bytes)
{
    struct machine *machine = gpu_device(context)->machine;
    struct kernel_request request = {file, entry, plan->definitions.text, NULL};
    const struct kernel *kernel;
    if (blocks > INT32_MAX)
        FAIL(TALLY_UNSUPPORTED, "the reduction needs %lld blocks: a GPU takes at most %d", (long long)blocks,
             INT32_MAX);
    TRY(machine->table->kernel(machine, &request, &kernel));
    struct launch launch = {kernel,       (uint32_t)blocks,  plan->threads,
                            shared_bytes, &plan->parameters, sizeof plan->parameters};
    return machine->table->launch(machine, &launch);
}

/* ---- sums over all exponents ---- */

static void read_digits(const uint64_t *words, int sums, struct exact *sum)
{
    for (int s = 0; s < sums; s++, words += 1 + OUTPUT_DIGITS) {
        exact_clear(&sum[s]);
        sum[s].special = (uint32_t)words[0];
        for (int i = 0; i < OUTPUT_DIGITS; i++)
            exact_add_integer(&sum[s], (int64_t)words[1 + i], OUTPUT_DIGIT_LOWEST + 16 * i);
    }
}

/* Sums `count` listed cells; words is room for their digits. */
static tally_status sum_listed(struct tally_context *context, struct reduce_plan *plan, const struct share *share,
                               const int64_t *cells, uint32_t count, uint64_t *words, size_t bytes)
{
    struct machine *machine = gpu_device(context)->machine;
    const struct machine_table *table = machine->table;
    struct reduce_parameters *p = &plan->parameters;
    void *list;
    TRY(gpu_allocate(context, count * sizeof *cells, &list));
    p->wide_cells = list;
    p->wide_capacity = count;
    tally_status status = table->copy(machine, LANE_MAIN, list, cells, count * sizeof *cells);
    if (status == TALLY_OK) status = table->copy(machine, LANE_MAIN, p->wide_count, &count, sizeof count);
    if (status == TALLY_OK)
        status = launch(context, plan, "reduce_wide.cu", "reduce_wide", (int64_t)machine->limits.processors * 4,
                        (uint32_t)wide_state_bytes(share->calculation));
    if (status != TALLY_OK) (void)table->clear(machine, LANE_MAIN, p->wide_count, sizeof count);
    if (status == TALLY_OK) status = staging_download(context, words, p->out, bytes);
    gpu_release(context, list, count * sizeof *cells);
    return status;
}

static tally_status sum_all_listed(struct tally_context *context, struct reduce_plan *plan, struct share *share,
                                   const int64_t *cells, int64_t count)
{
    int sums = state_exact_count(share->calculation);
    size_t each = (size_t)sums * (1 + OUTPUT_DIGITS) * sizeof(uint64_t);
    int64_t most = count < WIDE_AT_ONCE ? count : WIDE_AT_ONCE;
    uint64_t *words = context_allocate(context, each * (size_t)most);
    if (!words) return TALLY_OUT_OF_MEMORY;
    tally_status status = gpu_allocate(context, each * (size_t)most, &plan->parameters.out);
    int allocated = status == TALLY_OK;
    for (int64_t done = 0; done < count && status == TALLY_OK; done += most) {
        int64_t now = count - done < most ? count - done : most;
        status = sum_listed(context, plan, share, cells + done, (uint32_t)now, words, each * (size_t)now);
        for (int64_t i = 0; i < now && status == TALLY_OK; i++)
            read_digits(words + (size_t)i * each / sizeof *words, sums, share->sums + (done + i) * sums);
    }
    if (allocated) gpu_release(context, plan->parameters.out, each * (size_t)most);
    context_release(context, words, each * (size_t)most);
    return status;
}

/* The cells whose words have failed. */
static tally_status share_wide(struct tally_context *context, const struct reduce_plan *plan, struct share *share,
                               int64_t cells)
{
    int64_t each = share_words(share->calculation), count = 0, listed = 0;
    struct reduce_plan wide = *plan;
    struct scratch scratch;
    for (int64_t i = 0; i < cells; i++) count += share_failed(share->calculation, share->words + i * each);
    if (count == 0) return TALLY_OK;
    size_t bytes = (size_t)count * sizeof(int64_t);
    share->sums_bytes = (size_t)count * (size_t)state_exact_count(share->calculation) * sizeof(struct exact);
    share->sums = context_allocate(context, share->sums_bytes);
    int64_t *list = context_allocate(context, bytes);
    tally_status status = share->sums && list ? scratch_take(context, 0, &scratch) : TALLY_OUT_OF_MEMORY;
    if (status == TALLY_OK) {
        for (int64_t i = 0; i < cells; i++) {
            if (share_failed(share->calculation, share->words + i * each)) list[listed++] = i;
        }
        wide.parameters.states = scratch.wide_states;
        wide.parameters.tickets = scratch.wide_tickets;
        wide.parameters.wide_count = scratch.wide_count;
        definitions_add_number(&wide.definitions, "WIDE", 1);
        status = sum_all_listed(context, &wide, share, list, count);
    }
    context_release(context, list, bytes);
    return status;
}

/* ---- all cells ---- */

tally_status share_cells(struct tally_context *context, const struct reduction *reduction, struct share *share)
{
    struct machine *machine = gpu_device(context)->machine;
    struct reduction local = *reduction;
    struct op_row row;
    struct reduce_plan plan;
    struct scratch scratch;
    local.calculation = share_program(share->calculation, &row);
    share->bytes = (size_t)(reduction->cells * share_words(share->calculation)) * sizeof(uint64_t);
    share->words = context_allocate(context, share->bytes);
    if (!share->words) return TALLY_OUT_OF_MEMORY;
    TRY(gpu_allocate(context, share->bytes, &local.out));
    reduce_plan(&machine->limits, &local, &plan);
    definitions_add_number(&plan.definitions, "OUTPUT_STATES", 1);
    tally_status status = scratch_take(context, plan.state_bytes, &scratch);
    if (status == TALLY_OK) {
        plan.parameters.tickets = scratch.tickets;
        plan.parameters.states = scratch.room;
        status = launch(context, &plan, plan.file, "reduce", plan.blocks, plan.shared_bytes);
    }
    if (status == TALLY_OK) status = staging_download(context, share->words, local.out, share->bytes);
    gpu_release(context, local.out, share->bytes);
    if (status == TALLY_OK && share->calculation->method == METHOD_EXACT)
        status = share_wide(context, &plan, share, reduction->cells);
    return status;
}
