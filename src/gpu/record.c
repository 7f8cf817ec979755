/* SPDX-License-Identifier: MIT
 *
 * record.c - a machine that notes what a verb asks for. What cannot be done later without waiting is refused. */
#include "record.h"

#include <stdlib.h>
#include <string.h>

static struct recorder *recorder_of(struct machine *machine)
{
    return (struct recorder *)(void *)machine;
}

/* Room for one more element of a list that grows by doubling; NULL when there is none. */
static void *grow(void *list, int32_t count, size_t size)
{
    if (count & (count - 1)) return list; /* room is made at each power of two */
    return realloc(list, (count ? 2 * (size_t)count : 1) * size);
}

static tally_status add(struct recorder *recorder, const struct command *command)
{
    struct prepared *prepared = recorder->prepared;
    struct command *list = grow(prepared->commands, prepared->command_count, sizeof *list);
    if (!list) FAIL(TALLY_OUT_OF_MEMORY, "no memory left for a plan");
    prepared->commands = list;
    list[prepared->command_count++] = *command;
    return TALLY_OK;
}

static tally_status record_launch(struct machine *machine, const struct launch *launch)
{
    struct recorder *recorder = recorder_of(machine);
    struct command command = {.kind = COMMAND_LAUNCH, .launch = *launch};
    if (!recorder->recording) return recorder->real->table->launch(recorder->real, launch);
    void *parameters = malloc(launch->parameter_bytes);
    if (!parameters) FAIL(TALLY_OUT_OF_MEMORY, "no memory left for a plan");
    memcpy(parameters, launch->parameters, launch->parameter_bytes);
    command.launch.parameters = parameters;
    tally_status status = add(recorder, &command);
    if (status != TALLY_OK) free(parameters);
    return status;
}

static tally_status record_copy(struct machine *machine, enum lane lane, void *to, const void *from, size_t bytes)
{
    struct recorder *recorder = recorder_of(machine);
    struct command command = {.kind = COMMAND_COPY, .to = to, .from = from, .bytes = bytes};
    if (!recorder->recording) return recorder->real->table->copy(recorder->real, lane, to, from, bytes);
    if (lane != LANE_MAIN) FAIL(TALLY_UNSUPPORTED, "a plan cannot move data between the host and the device");
    return add(recorder, &command);
}

static tally_status record_clear(struct machine *machine, enum lane lane, void *memory, size_t bytes)
{
    struct recorder *recorder = recorder_of(machine);
    struct command command = {.kind = COMMAND_CLEAR, .to = memory, .bytes = bytes};
    if (!recorder->recording) return recorder->real->table->clear(recorder->real, lane, memory, bytes);
    if (lane != LANE_MAIN) FAIL(TALLY_UNSUPPORTED, "a plan cannot use other streams than the context's");
    return add(recorder, &command);
}

static tally_status record_clear_once(struct machine *machine, void *memory, size_t bytes)
{
    struct machine *real = recorder_of(machine)->real;
    return real->table->clear_once(real, memory, bytes);
}

/* From the context, whose allocator may be the user's. */
static tally_status record_allocate(struct machine *machine, size_t bytes, void **memory)
{
    struct recorder *recorder = recorder_of(machine);
    struct prepared *prepared = recorder->prepared;
    struct recorded_memory *list = grow(prepared->memory, prepared->memory_count, sizeof *list);
    if (!list) FAIL(TALLY_OUT_OF_MEMORY, "no memory left for a plan");
    prepared->memory = list;
    TRY(gpu_allocate(recorder->context, bytes, memory));
    list[prepared->memory_count++] = (struct recorded_memory){*memory, bytes};
    return TALLY_OK;
}

/* The plan keeps it: it is needed again. */
static void record_release(struct machine *machine, void *memory, size_t bytes)
{
    (void)machine, (void)memory, (void)bytes;
}

static size_t record_free_memory(struct machine *machine)
{
    struct machine *real = recorder_of(machine)->real;
    return real->table->free_memory(real);
}

static enum place record_place(struct machine *machine, const void *memory)
{
    struct machine *real = recorder_of(machine)->real;
    return real->table->place(real, memory);
}

static tally_status record_kernel(struct machine *machine, const struct kernel_request *request,
                                  const struct kernel **kernel)
{
    struct machine *real = recorder_of(machine)->real;
    return real->table->kernel(real, request, kernel);
}

static tally_status record_allocate_host(struct machine *machine, size_t bytes, void **memory)
{
    struct machine *real = recorder_of(machine)->real;
    return real->table->allocate_host(real, bytes, memory);
}

static void record_release_host(struct machine *machine, void *memory, size_t bytes)
{
    struct machine *real = recorder_of(machine)->real;
    real->table->release_host(real, memory, bytes);
}

static tally_status record_follow(struct machine *machine, enum lane after, enum lane before)
{
    (void)machine, (void)after, (void)before;
    FAIL(TALLY_UNSUPPORTED, "a plan cannot use other streams than the context's");
}

static tally_status record_synchronize(struct machine *machine, enum lane lane)
{
    struct recorder *recorder = recorder_of(machine);
    if (!recorder->recording) return recorder->real->table->synchronize(recorder->real, lane);
    FAIL(TALLY_UNSUPPORTED, "a plan cannot wait for the device, as this call does");
}

static const struct machine_table record_machine = {
    .name = "record",
    .description = "notes what is asked for",
    .allocate = record_allocate,
    .release = record_release,
    .free_memory = record_free_memory,
    .allocate_host = record_allocate_host,
    .release_host = record_release_host,
    .place = record_place,
    .kernel = record_kernel,
    .launch = record_launch,
    .copy = record_copy,
    .clear = record_clear,
    .clear_once = record_clear_once,
    .follow = record_follow,
    .synchronize = record_synchronize,
};

void record_open(struct recorder *recorder, struct tally_context *context, struct prepared *prepared)
{
    struct machine *real = gpu_device(context)->machine;
    *recorder = (struct recorder){.machine = {.table = &record_machine, .limits = real->limits},
                                  .real = real,
                                  .context = context,
                                  .prepared = prepared};
}
