/* SPDX-License-Identifier: MIT
 *
 * simt_machine.c - a GPU made of the host: kernels run as fibres, to their end, within the call that launches them. */
#define _GNU_SOURCE
#include "simt_machine.h"
#include "simt_compiler.h"
#include "simt_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_SEED 20240917

int simt_can_count(void)
{
#ifdef SIMT_SANITIZE
    return 0;
#else
    return 1;
#endif
}

static uint64_t number_from(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);
    return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

/* Half of the host's memory, so that a test of what does not fit leaves room for the rest. */
static size_t memory_of_host(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    const size_t half = pages > 0 && size > 0 ? (size_t)pages / 2 * (size_t)size : (size_t)1 << 30;
    return (size_t)number_from("TALLY_SIMT_MEMORY", half);
}

static void close_machine(struct machine *machine)
{
    struct simt_machine_state *state = state_of(machine);
    simt_memory_close(machine);
    simt_runner_free(state->runner);
    pthread_mutex_destroy(&state->lock);
    free(state);
}

static tally_status open_machine(const char *options, void *stream, int borrowed, struct machine **machine)
{
    if (options && *options) {
        FAIL(TALLY_INVALID_ARGUMENT, "device \"simt:%.100s\": simt takes no options", options);
    }
    if (borrowed || stream) FAIL(TALLY_UNSUPPORTED, "device simt has no streams that could be borrowed");
    struct host_program compiler;
    TRY(simt_compiler_find(&compiler));
    struct simt_machine_state *state = calloc(1, sizeof *state);
    struct simt_runner *runner = simt_runner_new();
    if (!state || !runner) {
        free(state);
        simt_runner_free(runner);
        FAIL(TALLY_OUT_OF_MEMORY, "no memory left for device simt");
    }
    state->machine.table = &simt_machine;
    state->machine.limits = (struct device_limits){
        .processors = (int)number_from("TALLY_SIMT_PROCESSORS", 4),
        .architecture = 90,
        .memory = memory_of_host(),
        .shared_bytes = (size_t)number_from("TALLY_SIMT_SHARED", 99 << 10),
        .cache_bytes = 1 << 20,
        .cluster_blocks = (int)number_from("TALLY_SIMT_CLUSTER", 8),
    };
    state->runner = runner;
    state->seed = number_from("TALLY_SIMT_SEED", DEFAULT_SEED);
    state->counting = simt_can_count() && number_from("TALLY_SIMT_COUNT", 0) != 0;
    pthread_mutex_init(&state->lock, NULL);
    *machine = &state->machine;
    return TALLY_OK;
}

static void describe(struct machine *machine, tally_device *device)
{
    struct host_program compiler;
    const char *path = simt_compiler_find(&compiler) == TALLY_OK ? compiler.path : "no compiler";
    snprintf(device->name, sizeof device->name, "simt");
    snprintf(device->description, sizeof device->description, "GPU kernels on the host, a fibre per thread (%.100s)",
             path);
    device->threads = machine->limits.processors;
}

static tally_status allocate_host(struct machine *machine, size_t bytes, void **memory)
{
    (void)machine;
    *memory = malloc(bytes ? bytes : 1);
    if (!*memory) FAIL(TALLY_OUT_OF_MEMORY, "no memory left for %zu bytes", bytes);
    return TALLY_OK;
}

static void release_host(struct machine *machine, void *memory, size_t bytes)
{
    (void)machine, (void)bytes;
    free(memory);
}

static tally_status kernel(struct machine *machine, const struct kernel_request *request, const struct kernel **kernel)
{
    return simt_kernel_find(request, state_of(machine)->counting, kernel);
}

static tally_status launch(struct machine *machine, const struct launch *launch)
{
    struct simt_machine_state *state = state_of(machine);
    const struct kernel *kernel = launch->kernel;
    if (launch->parameter_bytes != kernel->code->parameter_bytes) {
        FAIL(TALLY_DEVICE_ERROR, "kernel %s takes %llu bytes of parameters, not %zu", kernel->name,
             (unsigned long long)kernel->code->parameter_bytes, launch->parameter_bytes);
    }
    const size_t shared_bytes = launch->shared_bytes + simt_shared_variables(kernel->object->module);
    if (shared_bytes > machine->limits.shared_bytes) {
        FAIL(TALLY_DEVICE_ERROR, "kernel %s: %zu bytes of shared memory; a block may have %zu", kernel->name,
             shared_bytes, machine->limits.shared_bytes);
    }
    /* A copy: sanitizers see the end of it, and kernels cannot change the caller's. */
    void *parameters = malloc(launch->parameter_bytes);
    if (!parameters) FAIL(TALLY_OUT_OF_MEMORY, "no memory left to launch kernel %s", kernel->name);
    memcpy(parameters, launch->parameters, launch->parameter_bytes);
    pthread_mutex_lock(&state->lock);
    const struct simt_launch run = {
        .name = kernel->name,
        .module = kernel->object->module,
        .kernel = kernel->code,
        .parameters = parameters,
        .parameter_bytes = launch->parameter_bytes,
        .grid_size = {launch->blocks, 1, 1},
        .block_size = {launch->threads, 1, 1},
        .blocks = launch->blocks,
        .threads = launch->threads,
        .shared_bytes = launch->shared_bytes,
        .seed = state->seed + state->launches++,
    };
    pthread_mutex_lock(&kernel->object->lock);
    simt_memory_reach();
    const char *error = simt_run(state->runner, &run);
    simt_memory_leave();
    pthread_mutex_unlock(&kernel->object->lock);
    state->counts = *simt_run_counts(state->runner);
    if (error) status_fail(TALLY_DEVICE_ERROR, "%s", error);
    pthread_mutex_unlock(&state->lock);
    free(parameters);
    return error ? TALLY_DEVICE_ERROR : TALLY_OK;
}

static tally_status copy(struct machine *machine, enum lane lane, void *to, const void *from, size_t bytes)
{
    (void)machine, (void)lane;
    simt_memory_reach();
    if (bytes) memcpy(to, from, bytes);
    simt_memory_leave();
    return TALLY_OK;
}

static tally_status clear(struct machine *machine, enum lane lane, void *memory, size_t bytes)
{
    (void)machine, (void)lane;
    simt_memory_reach();
    if (bytes) memset(memory, 0, bytes);
    simt_memory_leave();
    return TALLY_OK;
}

static tally_status clear_once(struct machine *machine, void *memory, size_t bytes)
{
    return clear(machine, LANE_MAIN, memory, bytes);
}

/* Everything is done when the call that asks for it returns. */
static tally_status follow(struct machine *machine, enum lane after, enum lane before)
{
    (void)machine, (void)after, (void)before;
    return TALLY_OK;
}

static tally_status synchronize(struct machine *machine, enum lane lane)
{
    (void)machine, (void)lane;
    return TALLY_OK;
}

static tally_status mark(struct machine *machine, enum lane lane, int32_t slot)
{
    (void)lane;
    clock_gettime(CLOCK_MONOTONIC, &state_of(machine)->mark[slot]);
    return TALLY_OK;
}

static tally_status wait_for(struct machine *machine, int32_t slot)
{
    (void)machine, (void)slot;
    return TALLY_OK;
}

static tally_status elapsed(struct machine *machine, int32_t from, int32_t to, double *milliseconds)
{
    const struct timespec *a = &state_of(machine)->mark[from], *b = &state_of(machine)->mark[to];
    *milliseconds = 1e3 * (double)(b->tv_sec - a->tv_sec) + 1e-6 * (double)(b->tv_nsec - a->tv_nsec);
    return TALLY_OK;
}

void simt_counts_of(struct machine *machine, struct simt_counts *counts)
{
    struct simt_machine_state *state = state_of(machine);
    pthread_mutex_lock(&state->lock);
    *counts = state->counts;
    pthread_mutex_unlock(&state->lock);
}

const struct machine_table simt_machine = {
    .name = "simt",
    .description = "GPU kernels on the host, a fibre per thread",
    .open = open_machine,
    .close = close_machine,
    .describe = describe,
    .allocate = simt_memory_allocate,
    .release = simt_memory_release,
    .free_memory = simt_memory_left,
    .allocate_host = allocate_host,
    .release_host = release_host,
    .place = simt_memory_place,
    .kernel = kernel,
    .launch = launch,
    .copy = copy,
    .clear = clear,
    .clear_once = clear_once,
    .follow = follow,
    .synchronize = synchronize,
    .mark = mark,
    .wait = wait_for,
    .elapsed = elapsed,
    .module_compile = simt_module_compile,
    .module_function = simt_module_function,
    .module_launch = simt_module_launch,
    .module_facts = simt_module_facts,
    .module_counts = simt_module_counts,
    .module_forget = simt_module_forget,
};
