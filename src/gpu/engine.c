/* SPDX-License-Identifier: MIT
 *
 * engine.c - the tables of the GPU engine, one per machine, and what they share: opening, memory, copies. */
#include "ahead_machine.h"
#include "driver.h"
#include "gpu.h"
#include "scratch.h"
#include "transfer.h"
#include "user.h"

#include <stdlib.h>
#include <string.h>

static tally_status open_on(const struct machine_table *table, struct tally_context *context, const char *options)
{
    struct gpu_device *device = calloc(1, sizeof *device);
    if (!device) FAIL(TALLY_OUT_OF_MEMORY, "no memory left for a %s context", table->name);
    tally_status status = table->open(options, context->stream, context->stream_borrowed, &device->machine);
    if (status != TALLY_OK) {
        free(device);
        return status;
    }
    pthread_mutex_init(&device->mutex, NULL);
    context->device = device;
    return TALLY_OK;
}

static void gpu_close(struct tally_context *context)
{
    struct gpu_device *device = context->device;
    transfer_close(context);
    scratch_release(context);
    recall_forget(&device->recall);
    device->machine->table->close(device->machine);
    pthread_mutex_destroy(&device->mutex);
    free(device);
}

static void gpu_describe(struct tally_context *context, tally_device *description)
{
    struct machine *machine = gpu_device(context)->machine;
    machine->table->describe(machine, description);
}

tally_status gpu_allocate(struct tally_context *context, size_t bytes, void **memory)
{
    struct machine *machine = gpu_device(context)->machine;
    if (bytes == 0) bytes = 1;
    if (!context->allocator_given) return machine->table->allocate(machine, bytes, memory);
    void *allocated = context->allocator.allocate(context->allocator.user, bytes);
    if (!allocated) FAIL(TALLY_OUT_OF_MEMORY, "the context's allocator has no %zu bytes of device memory left", bytes);
    *memory = allocated;
    return TALLY_OK;
}

void gpu_release(struct tally_context *context, void *memory, size_t bytes)
{
    struct machine *machine = gpu_device(context)->machine;
    if (!memory) return;
    if (bytes == 0) bytes = 1;
    if (context->allocator_given) {
        context->allocator.release(context->allocator.user, memory, bytes);
    } else {
        machine->table->release(machine, memory, bytes);
    }
}

static tally_status gpu_copy(struct tally_context *context, void *to, const void *from, size_t bytes)
{
    struct gpu_device *device = gpu_device(context);
    struct machine *machine = device->machine;
    enum place target = machine->table->place(machine, to), source = machine->table->place(machine, from);
    if (target == PLACE_LOST || source == PLACE_LOST) return TALLY_DEVICE_ERROR;
    if (target == PLACE_OTHER || source == PLACE_OTHER)
        FAIL(TALLY_INVALID_ARGUMENT, "%s (%p) is memory of another GPU than the context's",
             target == PLACE_OTHER ? "destination" : "source", target == PLACE_OTHER ? to : from);
    if (target == PLACE_HOST && source == PLACE_HOST) {
        memcpy(to, from, bytes);
        return TALLY_OK;
    }
    if (target == source) {
        TRY(machine->table->copy(machine, LANE_MAIN, to, from, bytes));
        return machine->table->synchronize(machine, LANE_MAIN);
    }
    pthread_mutex_lock(&device->mutex);
    tally_status status =
        source == PLACE_HOST ? transfer_in(context, to, from, bytes) : transfer_out(context, to, from, bytes);
    pthread_mutex_unlock(&device->mutex);
    return status == TALLY_OK ? machine->table->synchronize(machine, LANE_MAIN) : status;
}

/* Nothing stays in the other lanes when a verb returns that the main lane does not wait for. */
static tally_status gpu_synchronize(struct tally_context *context)
{
    struct machine *machine = gpu_device(context)->machine;
    return machine->table->synchronize(machine, LANE_MAIN);
}

static tally_status gpu_mark(struct tally_context *context, int32_t slot)
{
    struct machine *machine = gpu_device(context)->machine;
    return machine->table->mark(machine, LANE_MAIN, slot);
}

static tally_status gpu_elapsed(struct tally_context *context, int32_t from, int32_t to, double *milliseconds)
{
    struct machine *machine = gpu_device(context)->machine;
    return machine->table->elapsed(machine, from, to, milliseconds);
}

#define GPU_ENGINE(machine_name, text, holding, counting)                                       \
    static tally_status open_##machine_name(struct tally_context *context, const char *options) \
    {                                                                                           \
        return open_on(&machine_name##_machine, context, options);                              \
    }                                                                                           \
    const struct engine machine_name##_engine = {.name = #machine_name,                         \
                                                 .description = text,                           \
                                                 .open = open_##machine_name,                   \
                                                 .close = gpu_close,                            \
                                                 .describe = gpu_describe,                      \
                                                 .reduce = gpu_reduce,                          \
                                                 .scan = gpu_scan,                              \
                                                 .map = gpu_map,                                \
                                                 .accumulate = gpu_accumulate,                  \
                                                 .allocate = gpu_allocate,                      \
                                                 .release = gpu_release,                        \
                                                 .copy = gpu_copy,                              \
                                                 .synchronize = gpu_synchronize,                \
                                                 .mark = gpu_mark,                              \
                                                 .elapsed = gpu_elapsed,                        \
                                                 .prepare_reduce = gpu_prepare_reduce,          \
                                                 .prepare_scan = gpu_prepare_scan,              \
                                                 .run = gpu_run,                                \
                                                 .forget = gpu_forget,                          \
                                                 .holds = holding,                              \
                                                 .module_compile = gpu_module_compile,          \
                                                 .module_function = gpu_module_function,        \
                                                 .module_launch = gpu_module_launch,            \
                                                 .module_facts = gpu_module_facts,              \
                                                 .module_counts = counting,                     \
                                                 .module_forget = gpu_module_forget,            \
                                                 .user_operator = user_operator_ready,          \
                                                 .reaches = gpu_reaches}

GPU_ENGINE(cuda, "an NVIDIA GPU", driver_holds, NULL);
GPU_ENGINE(ahead, "plans alone, for a GPU that need not be there", NULL, NULL);
#if HAVE_SIMT
GPU_ENGINE(simt, "the GPU kernels, run by the host one thread at a time", NULL, gpu_module_counts);
#endif

struct gpu_device *gpu_device(const struct tally_context *context)
{
    return context->engine->reduce == gpu_reduce ? context->device : NULL;
}
