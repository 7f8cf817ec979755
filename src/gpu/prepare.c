/* SPDX-License-Identifier: MIT
 *
 * prepare.c - prepared calls: a verb runs once on a recorder, with scratch of its own, so that a prepared call is what
 * the call itself does; then the list is gone through again and again. */
#include "record.h"
#include "scratch.h"

#include <stdlib.h>

/* The verb's view: the same context on the recorder, with scratch and an allocator that the plan owns. */
struct shadow {
    struct tally_context context;
    struct gpu_device device;
    struct recorder recorder;
};

static tally_status check_place(struct tally_context *context, const char *name, const void *memory)
{
    struct machine *machine = gpu_device(context)->machine;
    enum place place = memory ? machine->table->place(machine, memory) : PLACE_DEVICE;
    if (place == PLACE_LOST) return TALLY_DEVICE_ERROR;
    if (place == PLACE_HOST)
        FAIL(TALLY_INVALID_ARGUMENT,
             "%s (%p) is host memory: a plan on the device %s takes its own memory (tally_alloc)", name, memory,
             context->engine->name);
    if (place == PLACE_OTHER)
        FAIL(TALLY_INVALID_ARGUMENT, "%s (%p) is memory of another GPU than the context's", name, memory);
    return TALLY_OK;
}

/* The counters are zeroed now, once: kernels leave them zero. */
static tally_status shadow_open(struct shadow *shadow, struct tally_context *context, struct prepared **prepared)
{
    struct scratch scratch;
    *prepared = calloc(1, sizeof **prepared);
    if (!*prepared) FAIL(TALLY_OUT_OF_MEMORY, "no memory left for a plan");
    record_open(&shadow->recorder, context, *prepared);
    shadow->context = *context;
    shadow->context.allocator_given = 0;
    shadow->context.device = &shadow->device;
    shadow->device = (struct gpu_device){.machine = &shadow->recorder.machine};
    pthread_mutex_init(&shadow->device.mutex, NULL);
    TRY(scratch_take(&shadow->context, 0, &scratch));
    shadow->recorder.recording = 1;
    return TALLY_OK;
}

/* Waits, so that the first run may be in any stream. */
static tally_status shadow_close(struct shadow *shadow, struct tally_context *context, tally_status status,
                                 struct prepared **prepared)
{
    struct machine *machine = gpu_device(context)->machine;
    if (!*prepared) return status;
    recall_forget(&shadow->device.recall);
    pthread_mutex_destroy(&shadow->device.mutex);
    if (status == TALLY_OK) status = machine->table->synchronize(machine, LANE_MAIN);
    if (status == TALLY_OK) return TALLY_OK;
    gpu_forget(context, *prepared);
    *prepared = NULL;
    return status;
}

tally_status gpu_prepare_reduce(struct tally_context *context, const struct reduction *reduction,
                                struct prepared **prepared)
{
    struct shadow shadow;
    int second = (reduction->calculation.op->flags & OP_SECOND) != 0;
    TRY(check_place(context, "input", reduction->length > 0 ? reduction->x : NULL));
    TRY(check_place(context, "options.second", second && reduction->length > 0 ? reduction->y : NULL));
    int third = (reduction->calculation.op->flags & OP_THIRD) != 0;
    TRY(check_place(context, "options.third", third && reduction->length > 0 ? reduction->z : NULL));
    TRY(check_place(context, "options.where", reduction->length > 0 ? reduction->where : NULL));
    TRY(check_place(context, "output", reduction->out));
    tally_status status = shadow_open(&shadow, context, prepared);
    if (status == TALLY_OK) status = gpu_reduce(&shadow.context, reduction);
    return shadow_close(&shadow, context, status, prepared);
}

tally_status gpu_prepare_scan(struct tally_context *context, const struct scan *scan, struct prepared **prepared)
{
    struct shadow shadow;
    TRY(check_place(context, "input", scan->x));
    TRY(check_place(context, "options.second", scan->y));
    TRY(check_place(context, "options.third", scan->z));
    TRY(check_place(context, "options.where", scan->where));
    TRY(check_place(context, "output", scan->out));
    tally_status status = shadow_open(&shadow, context, prepared);
    if (status == TALLY_OK) status = gpu_scan(&shadow.context, scan);
    return shadow_close(&shadow, context, status, prepared);
}

tally_status gpu_run(struct tally_context *context, const struct prepared *prepared)
{
    struct machine *machine = gpu_device(context)->machine;
    const struct machine_table *table = machine->table;
    for (int32_t i = 0; i < prepared->command_count; i++) {
        const struct command *c = &prepared->commands[i];
        switch (c->kind) {
        case COMMAND_LAUNCH: TRY(table->launch(machine, &c->launch)); break;
        case COMMAND_COPY: TRY(table->copy(machine, LANE_MAIN, c->to, c->from, c->bytes)); break;
        case COMMAND_CLEAR: TRY(table->clear(machine, LANE_MAIN, c->to, c->bytes)); break;
        }
    }
    return TALLY_OK;
}

void gpu_forget(struct tally_context *context, struct prepared *prepared)
{
    for (int32_t i = 0; i < prepared->command_count; i++) {
        if (prepared->commands[i].kind == COMMAND_LAUNCH)
            free((void *)(uintptr_t)prepared->commands[i].launch.parameters);
    }
    for (int32_t i = 0; i < prepared->memory_count; i++)
        gpu_release(context, prepared->memory[i].memory, prepared->memory[i].bytes);
    free(prepared->commands);
    free(prepared->memory);
    free(prepared);
}
