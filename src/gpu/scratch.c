/* SPDX-License-Identifier: MIT
 *
 * scratch.c - a context's working memory on its device. */
#include "scratch.h"

/* The counters, in words: what every context has, zeroed once. */
enum {
    AT_FAILURES = 0,
    AT_WIDE_COUNT = 1,
    AT_TICKETS = 64,
    AT_WIDE_TICKETS = AT_TICKETS + 16384,
    AT_WIDE_STATES = AT_WIDE_TICKETS + 64,
    COUNTER_WORDS = AT_WIDE_STATES + 32 * 3 * (284 * 3 + 4) + 1024
};

static tally_status allocate_counters(struct tally_context *context)
{
    struct gpu_device *device = gpu_device(context);
    size_t bytes = COUNTER_WORDS * sizeof(uint32_t);
    if (device->counters) return TALLY_OK;
    TRY(gpu_allocate(context, bytes, &device->counters));
    tally_status status = device->machine->table->clear_once(device->machine, device->counters, bytes);
    if (status == TALLY_OK) return TALLY_OK;
    gpu_release(context, device->counters, bytes);
    device->counters = NULL;
    return status;
}

/* Grows a piece of memory whose contents nobody needs, by more than is asked for, where there is as much. */
static tally_status grow(struct tally_context *context, size_t bytes, void **memory, size_t *room)
{
    if (bytes <= *room) return TALLY_OK;
    gpu_release(context, *memory, *room);
    *memory = NULL;
    *room = 0;
    size_t more = bytes + bytes / 4;
    tally_status status = gpu_allocate(context, more, memory);
    if (status == TALLY_OUT_OF_MEMORY) status = gpu_allocate(context, more = bytes, memory);
    if (status == TALLY_OK) *room = more;
    return status;
}

tally_status scratch_take(struct tally_context *context, size_t bytes, struct scratch *scratch)
{
    struct gpu_device *device = gpu_device(context);
    TRY(allocate_counters(context));
    TRY(grow(context, bytes, &device->room, &device->room_bytes));
    uint32_t *words = device->counters;
    scratch->failures = words + AT_FAILURES;
    scratch->wide_count = words + AT_WIDE_COUNT;
    scratch->tickets = words + AT_TICKETS;
    scratch->wide_tickets = words + AT_WIDE_TICKETS;
    scratch->wide_states = words + AT_WIDE_STATES;
    scratch->room = device->room;
    return TALLY_OK;
}

tally_status scratch_zeros(struct tally_context *context, size_t bytes, uint32_t **zeros)
{
    struct gpu_device *device = gpu_device(context);
    size_t before = device->zero_bytes;
    TRY(grow(context, bytes, &device->zeros, &device->zero_bytes));
    *zeros = device->zeros;
    if (device->zero_bytes == before) return TALLY_OK;
    tally_status status = device->machine->table->clear_once(device->machine, device->zeros, device->zero_bytes);
    if (status == TALLY_OK) return TALLY_OK;
    gpu_release(context, device->zeros, device->zero_bytes);
    device->zeros = NULL;
    device->zero_bytes = 0;
    return status;
}

tally_status scratch_failures(struct tally_context *context, uint32_t *failures)
{
    struct gpu_device *device = gpu_device(context);
    const struct machine_table *table = device->machine->table;
    uint32_t *word = (uint32_t *)device->counters + AT_FAILURES;
    TRY(table->copy(device->machine, LANE_MAIN, failures, word, sizeof *failures));
    TRY(table->synchronize(device->machine, LANE_MAIN));
    return *failures ? table->clear(device->machine, LANE_MAIN, word, sizeof *word) : TALLY_OK;
}

void scratch_clear_counts(struct machine *machine, const struct scratch *scratch)
{
    (void)machine->table->clear(machine, LANE_MAIN, scratch->failures, sizeof(uint32_t));
    (void)machine->table->clear(machine, LANE_MAIN, scratch->wide_count, sizeof(uint32_t));
}

void scratch_release(struct tally_context *context)
{
    struct gpu_device *device = gpu_device(context);
    gpu_release(context, device->counters, COUNTER_WORDS * sizeof(uint32_t));
    gpu_release(context, device->room, device->room_bytes);
    gpu_release(context, device->zeros, device->zero_bytes);
    device->counters = device->room = device->zeros = NULL;
    device->room_bytes = device->zero_bytes = 0;
}
