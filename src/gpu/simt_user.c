/* SPDX-License-Identifier: MIT
 *
 * simt_user.c - users' kernels on device simt: run to their end inside of the launch, and counted. */
#include "simt_source.h"
#include "simt_state.h"

#include <stdlib.h>
#include <string.h>

/* Addresses of the values, then the values: sanitizers see the end of all. To be freed. */
static void **gather_arguments(const struct module_launch *launch, size_t *size)
{
    const size_t count = (size_t)launch->argument_count;
    size_t bytes = count * sizeof(void *);
    for (size_t i = 0; i < count; i++) bytes = (bytes + 15) / 16 * 16 + launch->argument_bytes[i];
    void **block = aligned_alloc(16, (bytes + 31) / 16 * 16);
    if (!block) return NULL;
    size_t at = count * sizeof(void *);
    for (size_t i = 0; i < count; i++) {
        at = (at + 15) / 16 * 16;
        block[i] = (char *)block + at;
        memcpy(block[i], launch->arguments[i], launch->argument_bytes[i]);
        at += launch->argument_bytes[i];
    }
    *size = bytes;
    return block;
}

static void add_counts(struct simt_machine_state *state)
{
    const struct simt_counts *counts = simt_run_counts(state->runner);
    state->total.launches++;
    state->total.threads += counts->threads;
    state->total.barriers += counts->barriers;
    state->total.warp_operations += counts->warp_operations;
    state->total.divergent_branches += counts->divergent_branches;
    state->total.bank_conflicts += counts->bank_conflicts;
    state->total.transactions += counts->transactions;
}

tally_status simt_module_launch(struct machine *machine, const struct module_launch *launch)
{
    struct simt_machine_state *state = state_of(machine);
    const struct simt_function *function = (const struct simt_function *)launch->function;
    const tally_grid *grid = &launch->grid;
    const uint64_t blocks = (uint64_t)grid->blocks[0] * grid->blocks[1] * grid->blocks[2];
    size_t size = 0;
    if (blocks > UINT32_MAX / 2)
        FAIL(TALLY_UNSUPPORTED, "device simt: a grid of %llu blocks; it takes at most %u", (unsigned long long)blocks,
             UINT32_MAX / 2);
    if (grid->shared_bytes > machine->limits.shared_bytes)
        FAIL(TALLY_INVALID_ARGUMENT, "grid.shared_bytes is %u: a block on this device may have %zu", grid->shared_bytes,
             machine->limits.shared_bytes);
    void **arguments = gather_arguments(launch, &size);
    if (!arguments) FAIL(TALLY_OUT_OF_MEMORY, "no memory left to launch kernel %s", function->name);
    pthread_mutex_lock(&state->lock);
    const struct simt_launch run = {
        .name = function->name,
        .module = function->object->module,
        .kernel = function->code,
        .parameters = arguments,
        .parameter_bytes = size,
        .grid_size = {grid->blocks[0], grid->blocks[1], grid->blocks[2]},
        .block_size = {grid->threads[0], grid->threads[1], grid->threads[2]},
        .blocks = (uint32_t)blocks,
        .threads = grid->threads[0] * grid->threads[1] * grid->threads[2],
        .shared_bytes = grid->shared_bytes,
        .seed = state->seed + state->launches++,
    };
    pthread_mutex_lock(&function->object->lock);
    simt_memory_reach();
    const char *error = simt_run(state->runner, &run);
    simt_memory_leave();
    pthread_mutex_unlock(&function->object->lock);
    add_counts(state);
    if (error) status_fail(TALLY_DEVICE_ERROR, "%s", error);
    pthread_mutex_unlock(&state->lock);
    free(arguments);
    return error ? TALLY_DEVICE_ERROR : TALLY_OK;
}

tally_status simt_module_compile(struct machine *machine, const struct module_request *request, struct module **module)
{
    (void)machine;
    return simt_source_compile(request, request->counting && simt_can_count(), module);
}

tally_status simt_module_function(struct machine *machine, struct module *module, const char *name,
                                  struct function **function)
{
    (void)machine;
    return simt_source_function(module, name, function);
}

tally_status simt_module_facts(struct machine *machine, const struct function *function, const tally_grid *grid,
                               tally_function_facts *facts)
{
    (void)machine, (void)function, (void)grid, (void)facts;
    return TALLY_OK;
}

tally_status simt_module_counts(struct machine *machine, tally_counts *counts)
{
    struct simt_machine_state *state = state_of(machine);
    pthread_mutex_lock(&state->lock);
    *counts = state->total;
    counts->size = sizeof *counts;
    memset(&state->total, 0, sizeof state->total);
    pthread_mutex_unlock(&state->lock);
    return TALLY_OK;
}

void simt_module_forget(struct machine *machine, struct module *module)
{
    (void)machine;
    simt_source_forget(module);
}
